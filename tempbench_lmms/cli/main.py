"""The `tempbench` command. Its exit status is 0 only if it did what was asked."""

import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.cli import datasets, runs, scoring, tasks
from tempbench_lmms.cli.answer import answer
from tempbench_lmms.cli.check import check_model
from tempbench_lmms.cli.command import ColouredCommand, HarnessCommand, SafeCommand, spelling
from tempbench_lmms.cli.demo import demo
from tempbench_lmms.cli.new import new
from tempbench_lmms.cli.report import report, submit_hub, table
from tempbench_lmms.data import outputs, terminal
from tempbench_lmms.errors import TempbenchError, lacking

PANELS = {
    "Evaluate": ("run", "check-model", "plan", "demo", "answer"),
    "Look": ("report", "tasks", "show", "read", "table", "doctor", "path"),
    "Compare": ("compare", "signature", "rescore", "reread"),
    "Data": ("prepare", "verify", "import", "score", "push", "submit"),
    "Make": ("new", "build"),
}
PANEL_OF = {command: panel for panel, commands in PANELS.items() for command in commands}


class _Commands(TyperGroup):
    """The commands in the order of `PANELS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Returns the names in that order."""
        return [name for name in PANEL_OF if name in self.commands]


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"token_normalize_func": spelling},
    help="Temporal-reasoning benchmarks for vision-language models, in the lmms-eval harness.",
)
EXAMPLES = {
    "answer": "tempvs_mt1_two_mini --name anna -o answers",
    "check-model": "--model qwen2_5_vl --model-args pretrained=Qwen/Qwen2.5-VL-3B-Instruct --tasks rextime",
    "compare": "logs/a logs/b --metrics accuracy",
    "doctor": "--json",
    "import": "replies answers.jsonl --task tempvs_mt1_two -o logs/model --model my-model",
    "new": "flips --answer yes-no --media video --no-groups --rows questions.csv",
    "plan": "--tasks tempvs_mini --speed 2",
    "push": "tempvs --repo my-org/tempvs --private --dry-run",
    "read": '--task tempvs_mt1_two_mini --doc 3 "The answer is True."',
    "report": "small=logs/qwen_3b large=logs/qwen_7b -o report.html",
    "reread": "logs/a --reader qwen3 --base-url http://localhost:8000/v1",
    "rescore": "logs/a --reparse --items questions.csv",
    "run": "--model tempbench_chance --tasks tempvs_mini -o logs/chance --limit 8 --batch_size 4",
    "signature": "logs/a",
    "show": "tempvs_mt1_two_mini --doc 3 -o page.html",
    "table": "tempvs 2 logs/a --format md",
    "tasks": "tempvs --all",
    "verify": "tempvs --mini",
}
"""The arguments in the example at the end of a command's help."""
VERBS = {
    "prepare": "Download or convert a benchmark's data, and check it.",
    "score": "Score replies from elsewhere.",
    "submit": "Write entries for the Hub.",
    "build": "Make a data set from its raw sources.",
}


def _print_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    pass


def _add(function: Callable[..., None], cls: type[SafeCommand] = SafeCommand, **how: Any) -> None:
    name = function.__name__.strip("_").replace("_", "-")
    epilog = f"Example: tempbench {name} {EXAMPLES[name]}" if name in EXAMPLES else None
    app.command(name, cls=cls, epilog=epilog, rich_help_panel=PANEL_OF[name], **how)(function)


_add(runs.run, HarnessCommand, context_settings={"ignore_unknown_options": True})
_add(check_model, ColouredCommand)
_PLAIN: tuple[Callable[..., None], ...] = (
    *(tasks.path, tasks.tasks, tasks.show, tasks.read, tasks.doctor, datasets.verify, datasets.push, demo),
    *(answer, new, runs.plan, runs.compare, scoring.import_, scoring.rescore, scoring.reread, report),
    *(scoring.signature, table),
)
for _command in _PLAIN:
    _add(_command)


def commands_of(benchmark: str) -> Mapping[str, Callable[..., Any]]:
    """Returns a benchmark's commands: the common one, and those that make its data."""
    return {"score": scoring.score, **datasets.commands(benchmark)}


def _add_verbs(wanted: str | None) -> None:
    """Adds the commands with one subcommand per benchmark, and the benchmarks of the wanted one.

    The benchmarks' commands import heavy modules, for which `tempbench path` and `--help` need not wait.
    """
    app.registered_groups.clear()  # from an earlier call
    for verb, help_text in VERBS.items():
        group = typer.Typer(no_args_is_help=True, help=help_text)
        if verb == wanted:
            if verb == "submit":
                group.command("hub", cls=SafeCommand)(submit_hub)
            for name in benchmarks.names():
                if function := commands_of(name).get(verb):
                    group.command(name, cls=SafeCommand)(function)
        app.add_typer(group, name=verb, rich_help_panel=PANEL_OF[verb])


def main() -> None:
    """Entry point; errors that a user can fix are one line on stderr and status 1.

    This includes errors of the operating system, whatever file or library they concern.
    """
    _add_verbs(next((word for word in sys.argv[1:] if not word.startswith("-")), None))
    try:
        app(standalone_mode=True)
    except (TempbenchError, ModuleNotFoundError, OSError, UnicodeEncodeError) as error:
        said: object = error
        if isinstance(error, UnicodeEncodeError):
            said = f"{ascii(error.object)[:80]} is not UTF-8 text"
        elif isinstance(error, ModuleNotFoundError):
            said = lacking(error)  # None for a module that no extra installs
        elif isinstance(error, OSError):
            said = outputs.refused(error)
        if said is None:
            raise
        terminal.tell(str(said))
        raise SystemExit(1) from None
