"""The folder that the plans are carried out in: what lies there before, and the numbers that come of it."""

import hashlib
import json
import random
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from faults.forms import CLOCK, FULL, KILL, LOST, TWO, Fault, Form, forms
from faults.starts import Arm, Disk, Start, change_clock, wait, watch_changes

# Of Markdown also the seconds of a start, beside tokens that a respondent does not count.
_STAMP = re.compile(r"\d{8}_\d{6}|\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?|(?<=unknown \| )\d+(?= \|$)", re.M)
_NUMBERS = re.compile(r"<data [^>]*>|<small>\[[^<]*")


def tree(root: Path, *parts: str) -> dict[str, str]:
    """Returns the SHA-256 of every file below some parts of a folder, but for hidden and unfinished ones.

    A reader of an SQLite database writes its `-shm`, too.
    """
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(_content(path)).hexdigest()
        for part in parts
        for path in sorted((root / part).rglob("*"))
        if path.is_file() and not path.name.startswith(".") and not path.name.endswith((".partial", "-shm"))
    }


def _content(path: Path) -> bytes:
    """Returns the bytes of a file; of the checksums of media without the times of files."""
    from tempbench_lmms.data import checksums

    if path.name != checksums.FILE:
        return path.read_bytes()
    try:
        sums = {place: one["sha256"] for place, one in json.loads(path.read_text()).items()}
        return json.dumps(sums).encode()
    except (ValueError, KeyError, TypeError, AttributeError):  # a damaged one
        return path.read_bytes()


def copy(source: Path, target: Path) -> None:
    """Makes the target what the source is, times of files and all."""
    if target.is_dir():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    elif source.is_file():
        shutil.copy2(source, target)


class World:
    """The folder that the plans are carried out in, and what it holds before each.

    Attributes:
        plan: The folder, always the same path.
        kept: What there is to begin with: `world`, with a finished run; `begun`, `lost`: folders of other
            runs; `replaced`: inputs of the other version.
        disk: Its disk.
    """

    def __init__(self, base: Path) -> None:
        self.plan, self.kept = base / "plan", base / "kept"
        self.plan.mkdir()
        self.disk = Disk(self.plan)
        self._outcomes: dict[Any, Any] = {}
        self._changes: dict[Form, int] = {}
        self._build()

    def words(self, arguments: Iterable[str]) -> list[str]:
        """Returns arguments with the folder in them."""
        return [word.replace("@", str(self.plan)) for word in arguments]

    def start(
        self,
        arguments: Iterable[str],
        arm: Arm = lambda: None,
        environment: Mapping[str, str] | None = None,
    ) -> Start:
        """Starts a command in the folder; `arm` is called in it first."""
        home = {"TEMPBENCH_DATA": str(self.plan / "home"), "HF_DATASETS_CACHE": str(self.plan / "hf")}
        return Start(self.words(arguments), arm, home | dict(environment or {}))

    def done(self, arguments: Iterable[str]) -> Start:
        """Starts something that must succeed, and waits for it."""
        start = self.start(arguments)
        wait([start])
        if start.status:
            raise SystemExit(f"{' '.join(arguments)}:\n{start.printed[-1000:]}{start.errors[-3000:]}")
        return start

    def fresh(self) -> None:
        """Makes the folder what it is before each plan."""
        self.disk.empty()
        for path in self.plan.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self.kept / "world", self.plan, dirs_exist_ok=True)

    def begin(self, form: Form, begins: str) -> None:
        """Makes the folder what it is before a plan for a form."""
        self.fresh()
        if form.command in ("run", "prepare") and begins != "finished":
            kept = self.kept / begins / form.command / form.name
            if begins == "begun" and not kept.exists():
                half = Fault(KILL, 0.55, 0)
                self.changes(form)
                self.begin(form, "new")
                wait([self.start(form.arguments, lambda: self.arm(form, half))])
                copy(self.plan / form.output, kept)
                self.fresh()
            copy(kept, self.plan / form.output)
        if form.command == "prepare" and begins == "finished":
            self.done(form.arguments)

    def _build(self) -> None:
        """Makes all that plans begin with."""
        for version, name in enumerate(("source", "other")):
            _write_sources(self.plan / name, version)
        world, replaced = self.kept / "world", self.kept / "replaced"
        run = next(form for form in forms() if form.command == "run")
        prepare = ["prepare", "mateo", "--from"]
        self.done([*prepare, "@/other/mateo"])
        copy(self.plan / "home", replaced / "home")
        self.done([*prepare, "@/source/mateo", "--force"])
        _write_answers(self.plan, replaced)
        self.done(run.arguments)
        shutil.rmtree(self.plan / "hf", ignore_errors=True)
        shutil.copytree(self.plan, world)
        copy(self.plan / "other", replaced / "source")

    def changes(self, form: Form) -> int:
        """Returns how many changes of files, and questions, an undisturbed start has."""
        if form not in self._changes:

            def arm() -> Callable[[], list[str]]:
                n_changes = watch_changes(self.plan, 0)
                return lambda: [str(n_changes())]

            self.begin(form, "new")
            start = self.start(form.arguments, arm)
            wait([start])
            self._changes[form] = int(start.at_end[0])
            self._note(start, form, form.arguments)
        return self._changes[form]

    def other_run(self) -> Path:
        """Returns a run with other replies."""
        folder = self.kept / "other_run"
        if not folder.exists():
            run = next(form for form in forms() if form.command == "run")
            self.begin(run, "new")
            self.done([word.replace("seed=1", "seed=2") for word in run.arguments])
            copy(self.plan / "run", folder)
        return folder

    def arm(self, form: Form, fault: Fault, n_processes: int = 1) -> None:
        """Lets a fault happen in this process, which is a start of the form."""
        draw = fault.draw()
        n_changes = max(1, self._changes[form] // n_processes)
        at = 1 + int(fault.moment * n_changes)
        if fault.kind in (KILL, LOST):
            watch_changes(self.plan, at)
        elif fault.kind == FULL:
            room = draw.choice((0, 4096, 65536, 1 << 18))
            watch_changes(self.plan, at, lambda _: self.disk.fill(room))
        elif fault.kind == TWO:
            watch_changes(self.plan, at, lambda _: (self.kept / "signal").touch())
        elif fault.kind == CLOCK:
            moved, seconds = [0.0], moved_by(fault)

            def move(_: str = "") -> None:
                (self.kept / "clock").touch()
                moved[0] = seconds

            change_clock(lambda: moved[0])
            if draw.random() < 0.5:
                move()
            else:
                watch_changes(self.plan, at, move)

    def outcome(self, form: Form, start: Start) -> Any:
        """Returns the numbers of a start that has ended well."""
        if form.command == "run":
            return numbers_of(self.plan / "run")
        if form.command == "rescore":
            return [_without_data_at_hand(one) for one in json.loads(_plain(start.printed))]
        if not form.output:
            return _plain(start.printed)
        found = tree(self.plan, form.output)
        if form.command == "prepare":
            return found
        if (self.plan / form.output).is_file():
            text = _plain((self.plan / form.output).read_text(encoding="utf-8"))
            return _NUMBERS.findall(text) if form.output.endswith(".html") else text
        texts = {name for name in found if not name.endswith(".zip")}
        return {name: _plain((self.plan / name).read_text(encoding="utf-8")) for name in texts} | {
            name: found[name] for name in found.keys() - texts
        }

    def undisturbed(self, form: Form, arguments: Sequence[str] | None = None, replaced: str = "") -> Any:
        """Returns the numbers of an undisturbed start, with other arguments or data, in a new folder.

        None where it refuses.
        """
        words = tuple(arguments or form.arguments)
        key = form, words, replaced
        if key not in self._outcomes:
            self.begin(form, "new")
            if replaced:
                self.replace(replaced)
            start = self.start(words)
            wait([start])
            self._note(start, *key)
        return self._outcomes[key]

    def _note(self, start: Start, form: Form, words: tuple[str, ...], replaced: str = "") -> None:
        self._outcomes[form, words, replaced] = None if start.status else self.outcome(form, start)

    def replace(self, what: str) -> None:
        """Replaces an input as a whole, or one part of it."""
        other = self.kept / "replaced"
        if what == "picture":
            self._replace_one(other, "home", "*.png")
        elif what == "table":
            self._replace_one(other, "home", "*.parquet")
        elif what == "log":
            old, new = sorted((self.plan / "run").rglob("*.jsonl")), self.other_run()
            shutil.copyfile(sorted(new.rglob("*.jsonl"))[0], old[0])
        else:
            copy(other / what, self.plan / what)

    def _replace_one(self, other: Path, part: str, pattern: str) -> None:
        new = sorted((other / part).rglob(pattern))[0]
        shutil.copyfile(new, self.plan / new.relative_to(other))

    def restore(self, part: str) -> None:
        """Makes an input what it was."""
        if tree(self.plan, part) != tree(self.kept / "world", part):
            copy(self.kept / "world" / part, self.plan / part)


def moved_by(fault: Fault) -> float:
    """Returns by how many seconds a clock is changed."""
    return random.Random(fault.seed + 1).choice((-10, -3600, -86400, -3e8, 5, 3600, 86400, 3e8))


def _plain(text: str) -> str:
    return _STAMP.sub("DATE", text)


def _without_data_at_hand(found: dict[str, Any]) -> dict[str, Any]:
    """Leaves out what `rescore` says of the installation and the data at hand, which are no numbers."""
    found["now"].get("details", {}).pop("run", None)
    return found


def numbers_of(folder: Path) -> Any:
    """Returns the numbers of a finished run, and its replies by task and question."""
    from tempbench_lmms.data.outputs import STATE
    from tempbench_lmms.runs.logs import finished_results

    file = finished_results(folder / STATE)
    if file is None:
        raise ValueError("the run is not finished")
    stamp = file.name.removesuffix("_results.json")
    replies: dict[str, Any] = {}
    for log in sorted(file.parent.glob(f"{stamp}_samples_*.jsonl")):
        with log.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                key = f"{log.stem.partition('_samples_')[2]} {row['record']['id']}"
                if key in replies:
                    raise ValueError(f"{key} is logged twice")
                replies[key] = row["filtered_resps"]
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    for table in results.values():
        for value in table.values():
            if isinstance(value, dict):
                value.pop("run", None)  # what the run says of the installation
    return {"results": json.loads(_plain(json.dumps(results))), "replies": replies}


def _write_sources(folder: Path, version: int) -> None:
    """Writes the source of each benchmark in one of two versions with the same names and other contents."""
    from tempbench_lmms import benchmarks
    from tests import contract
    from tests.source_files import picture

    for name in benchmarks.names():
        if name != "mateo":  # whose plans are larger here, so that a run takes a while
            contract.get(name, "SOURCE")(folder / name, version)
    for number in range(2):
        plan = folder / "mateo" / f"plan{number}"
        plan.mkdir(parents=True)
        steps = [{"text": f"Step {i} of {number}, {version}.", "image": f"{i}.png"} for i in range(5)]
        for i in range(5):
            (plan / f"{i}.png").write_bytes(picture(100 * version + 10 * number + i))
        edges = [[0, 1], [1, 2], [0, 3]] if version else [[0, 1], [1, 2], [2, 3], [0, 4]]
        content = {"title": "Soup", "steps": steps, "edges": edges}
        (plan / "plan.json").write_text(json.dumps(content))


def _write_answers(plan: Path, replaced: Path) -> None:
    """Writes answers to score, in two versions."""
    from tempbench_lmms.data.roots import mini_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.harness.respondents import REPLIES

    tables = {
        "mateo": read_rows(plan / "home/mateo/pairs"),
        "timepercept": read_rows(mini_root("timepercept") / "ice"),
    }
    truth = json.loads((plan / "source/rextime/rextime_val.json").read_text())
    for seed, folder in enumerate((plan / "answers", replaced / "answers")):
        folder.mkdir(parents=True)
        draw = random.Random(seed)
        for name, rows_ in tables.items():
            lines = [
                {"question_id": row["question_id"], "reply": REPLIES["chance"](row, name, seed)}
                for row in rows_
            ]
            (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        lines = [
            {"qid": one["qid"], "pred_relevant_windows": [[draw.randrange(2), 2]], "ans": draw.choice("ABCD")}
            for one in truth
        ]
        (folder / "rextime.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        _write_official(folder / "tempvs/combined/Qwen2-VL-7B-Instruct", draw)


def _write_official(folder: Path, draw: random.Random) -> None:
    """Writes TempVS predictions in the official layout."""
    folder.mkdir(parents=True)
    ids = [f"s{number}" for number in range(6)]
    main = [
        {"img_seq_id": id_, "event_pair_tuple": [0, 1], "gt_option": right, "preds": draw.choice("AB")}
        for id_ in ids
        for right in "AB"
    ]
    grounding = [
        {"img_seq_id": id_, "gt_option": f"image {n}", "preds": f"Image {draw.choice((n, 3))}"}
        for id_ in ids
        for n in (1, 2)
    ]
    for name, rows_ in (("paired_event_discrimination", main), ("single_grounding_paired", grounding)):
        (folder / f"vist_{name}_preds_full.json").write_text(json.dumps(rows_))
