"""What all commands share: how an option may be spelt, and a terminal that no output steers."""

import copy
import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from tempbench_lmms.cli.examples import example
from tempbench_lmms.data import terminal
from tempbench_lmms.errors import TempbenchError

OUTPUTS = ("output", "plot", "items", "work")
"""The parameters, of any command, that name what it writes."""
_SAME = {"output-path": "output"}


def spelling(name: str) -> str:
    """Returns an option's name as we spell it, for one that is spelt as the harness spells it.

    >>> spelling("model_args"), spelling("output_path")
    ('model-args', 'output')
    """
    hyphened = name.replace("_", "-")
    return _SAME.get(hyphened, hyphened)


class SafeCommand(TyperCommand):
    """A command in whose output nothing can steer the terminal."""

    is_painted = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line; says of an option of the harness which command takes it."""
        words = list(args)
        try:
            rest: list[str] = super().parse_args(ctx, args)
        except Exception as error:
            if name := getattr(error, "option_name", None):
                _say_where_it_goes(name, self._options(), error)
            raise
        given, *_ = self.make_parser(ctx).parse_args(words)
        _check_paths(self.params, given, ctx.params)
        return rest

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help, which ends with an example."""
        names: list[str] = []
        one = ctx
        while one.parent is not None:
            names.insert(0, str(one.info_name))
            one = one.parent
        self.epilog = example(" ".join(names), self.params)
        shown = copy.copy(self)
        if self.rich_markup_mode:
            shown.params = [_without_markup(one) for one in self.params]
        super(SafeCommand, shown).format_help(ctx, formatter)

    def _options(self) -> list[str]:
        return sorted(option for one in self.params for option in one.opts if option.startswith("--"))

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        for name, value in ctx.params.items():
            for text in value if isinstance(value, (list, tuple)) else [value]:
                # A path may be of any bytes; what is written into files may not.
                if isinstance(text, str) and re.search(r"[\ud800-\udfff]", text):
                    raise TempbenchError(f"{name.strip('_')}: {ascii(text)[:80]} is not text in UTF-8")
        with terminal.guarded(self.is_painted):
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                terminal.tell("ended by SIGINT")
                raise SystemExit(130) from None


def _check_paths(params: Sequence[Any], given: Mapping[str, Any], read: Mapping[str, Any]) -> None:
    """Refuses what is no name of a file, and to write a command's result over what it reads.

    Args:
        params: The command's.
        given: What stands on the command line, by parameter.
        read: What was made of it, where an empty name has become that of the folder one is in.

    Raises:
        TempbenchError: A name is none, or one file is to be read and written.
    """
    files: list[tuple[str, Path]] = []
    for one in params:
        option, words = max(one.opts, key=len), _listed(given.get(one.name))
        paths = [path for path in _listed(read.get(one.name)) if isinstance(path, Path)]
        if "" in words and (paths or one.name == "logs"):  # `report` reads a name before these, too
            raise TempbenchError(f"{option}: the name is empty; give that of a file or folder")
        if one.name in OUTPUTS and "-" in words:
            raise TempbenchError(
                f"{option} -: nothing is written to the terminal; give the name of a file, or ./- for one "
                "that is called so"
            )
        files += [(one.name, path) for path in paths if path.is_file()]
    for name, path in files:
        if name in OUTPUTS and any(path.samefile(other) for its, other in files if its != name):
            raise TempbenchError(f"{path} is what the command reads; write into another file")


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def _without_markup(param: Any) -> Any:
    """Returns a parameter whose help is shown as it is written: brackets in it are no markup."""
    from rich.markup import escape

    shown = copy.copy(param)
    if text := getattr(param, "help", None):
        shown.help = escape(text)
    return shown


class ColouredCommand(SafeCommand):
    """A command in which the harness prints coloured messages of its own."""

    is_painted = True


class HarnessCommand(ColouredCommand):
    """A command that hands options of the harness on to it, with or without `--` before them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line; refuses what the harness does not know either."""
        from tempbench_lmms.harness import options

        given = [word.partition("=")[0] for word in args if word.startswith("--")]
        try:
            rest = super().parse_args(ctx, args)
        except Exception as error:  # an option that is missing may stand there misspelt
            others = [word for word in given if f"--{spelling(word[2:])}" not in self._options()]
            for option in getattr(getattr(error, "param", None), "opts", ()):
                if near := difflib.get_close_matches(option, others, n=1):
                    raise TempbenchError(f"there is no option {near[0]}; did you mean {option}?") from None
            raise
        words = ctx.params.get("arguments") or []
        options.check(words, self._options())
        # Its logs are what the answers are kept in, so it always has them.
        ctx.params["arguments"] = [word for word in words if word != "--log_samples"]
        return rest


def _say_where_it_goes(name: str, ours: Sequence[str], error: Exception) -> None:
    """Refuses an option of the harness with the command that takes it; says nothing of other ones.

    Raises:
        TempbenchError: It is the harness's.
    """
    from tempbench_lmms.harness import options

    if not getattr(error, "possibilities", None) and name.replace("-", "_") in {
        option.replace("-", "_") for option in options.known()
    }:
        raise TempbenchError(
            f"{name} is an option of the harness, for `tempbench run`; this command has {', '.join(ours)}"
        ) from None
