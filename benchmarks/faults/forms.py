"""What is disturbed, and how: the forms of the commands, the faults, and the plans that draw them."""

import functools
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

KILL, FULL, CLOCK, DAMAGE = "kill", "full disk", "clock change", "damaged file"
LOST, REPLACED, ARGUMENT, TWO = "rank lost", "data replaced", "argument changed", "two at once"
FAULTS = (KILL, FULL, CLOCK, DAMAGE, LOST, REPLACED, ARGUMENT, TWO)
SLICE = 10

_TASKS = "mateo_both_baseline,mateo_text_baseline"


@dataclass(frozen=True)
class Form:
    """One way to call a command.

    Attributes:
        command: The command.
        name: What tells it from the command's other forms.
        arguments: As given to `tempbench`; `@` stands for the folder of the plan.
        inputs: Folders that it reads and must leave alone.
        output: What it writes, or "" where it prints its numbers.
        replaced: What can be replaced under it.
        changed: Other arguments: (old, new) for one that is there, ("", new) for a further one.
    """

    command: str
    name: str
    arguments: tuple[str, ...]
    inputs: tuple[str, ...]
    output: str
    replaced: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]

    @property
    def faults(self) -> list[str]:
        """The faults that can befall it: no rank is lost where there is no run."""
        return [one for one in FAULTS if one != LOST or self.command not in ("prepare", "score")]


def forms() -> list[Form]:
    """Returns every form of every command."""
    run = f"run --model tempbench_chance --model-args seed=1,media=true --tasks {_TASKS} --output @/run"
    more = (("seed=1", "seed=2"), (_TASKS, _TASKS.split(",")[0]), (f"{SLICE}", "7"), ("", "-- --limit 12"))
    logs, answers = ("home", "run"), ("home", "answers", "source")
    words = (*run.split(), "--slice", str(SLICE))
    found = [Form("run", "", words, ("home",), "run", ("home", "picture", "table"), more)]
    for name, options in _options("@/source").items():
        other = (("@/source", "@/other"), ("", "--force"))
        words = ("prepare", name, *options)
        found.append(Form("prepare", name, words, ("source", "other"), f"home/{name}", ("source",), other))
    score = {
        "mateo": "--predictions @/answers/mateo.jsonl --task mateo_both_baseline",
        "rextime": "--predictions @/answers/rextime.jsonl --data @/source/rextime/rextime_val.json",
        "timepercept": "--predictions @/answers/timepercept.jsonl --task timepercept_ice_mini",
        "tempvs": "--predictions @/answers/tempvs/combined/Qwen2-VL-7B-Instruct",
    }
    for name, given in score.items():
        replaced = ("answers", "home") if name == "mateo" else ("answers",)
        words = ("score", name, *given.split(), "--json")
        found.append(Form("score", name, words, answers, "", replaced, (("", "--partial"),)))
    for extra in ("", "--reparse"):
        words = ("rescore", "@/run", "--json", *extra.split())
        changed = (("", "--partial"), ("--reparse", "--partial") if extra else ("", "--reparse"))
        found.append(Form("rescore", extra, words, logs, "", ("home", "log"), changed))
    for ending in ("html", "csv", "md"):
        words = ("report", "@/run", "--force", "-o", f"@/page.{ending}")
        pages = (("", "--no-intervals"), ("", "--title Other"), ("--force", ""))
        found.append(Form("report", ending, words, logs, f"page.{ending}", ("home", "log"), pages))
    hub = "submit hub @/run --model some/model --dataset mateo=some/data --force -o @/hub"
    others = (("some/model", "other/model"), ("", "--partial"), ("--force", ""))
    found.append(Form("submit", "hub", tuple(hub.split()), logs, "hub", ("home", "log"), others))
    return found


@functools.cache
def _options(source: str) -> dict[str, list[str]]:
    """Returns the options of each `prepare` for sources below a folder."""
    from tempbench_lmms import benchmarks
    from tests import contract

    with tempfile.TemporaryDirectory() as folder:
        options = {name: contract.get(name, "SOURCE")(Path(folder) / name, 0) for name in benchmarks.names()}
        return {name: [word.replace(folder, source) for word in words] for name, words in options.items()}


@dataclass(frozen=True)
class Fault:
    """One fault of a start.

    Attributes:
        kind: One of `FAULTS`.
        moment: When, as a share of the changes of files and questions of an undisturbed start.
        seed: Draws all else.
    """

    kind: str
    moment: float
    seed: int

    def draw(self) -> random.Random:
        """Returns what draws the rest of it, the same again each time."""
        return random.Random(self.seed)


@dataclass(frozen=True)
class Plan:
    """A plan: `begins` is new, begun or finished; `starts` are the faults of each disturbed start."""

    number: int
    form: Form
    begins: str
    starts: tuple[tuple[Fault, ...], ...]

    def __str__(self) -> str:
        starts = " / ".join(" + ".join(fault.kind for fault in faults) for faults in self.starts)
        return f"plan {self.number}: {self.form.command} {self.form.name}, {self.begins} folder: {starts}"


def plan_of(number: int, seed: int) -> Plan:
    """Returns a plan by its number; commands and first faults take turns, all else is drawn."""
    draw = random.Random(f"{seed}/{number}")
    commands = list(dict.fromkeys(form.command for form in forms()))
    command, turn = commands[number % len(commands)], number // len(commands)
    form = draw.choice([form for form in forms() if form.command == command])
    kinds = [form.faults[turn % len(form.faults)]]
    kinds += [draw.choice(form.faults) for _ in range(draw.choice((0, 0, 1, 1, 2)))]
    starts: list[list[Fault]] = []
    for kind in kinds:
        fault = Fault(kind, draw.random(), draw.randrange(1 << 30))
        together = starts and kind not in [one.kind for one in starts[-1]]
        if together and draw.random() < 0.5 and not {LOST, TWO} <= {kind, *(f.kind for f in starts[-1])}:
            starts[-1].append(fault)
        else:
            starts.append([fault])
    begins = draw.choice(("new", "begun", "finished"))
    if command == "run" and begins == "new" and {ARGUMENT, REPLACED} & {one.kind for one in starts[0]}:
        begins = draw.choice(("begun", "finished"))  # or it would rightly be the folder of the other run
    return Plan(number, form, begins, tuple(map(tuple, starts)))
