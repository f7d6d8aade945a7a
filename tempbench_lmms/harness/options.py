"""Lists the harness's options and models without importing it, which takes long."""

import argparse
import ast
import contextlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError, hint
from tempbench_lmms.harness.plugin import folders_of, harness_version

_PAIRS = ("gen_kwargs", "wandb_args", "hf_hub_log_args")
_TYPES = {"int": int, "float": float, "str": str}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise TempbenchError(f"{message}; see `python -m lmms_eval eval --help`")


@cache
def _added() -> tuple[ast.Call, ...]:
    """Returns how the harness's evaluation adds its options; nothing if its source has changed."""
    try:
        folder, *_ = folders_of("lmms_eval")
        tree = ast.parse((folder / "__main__.py").read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return ()
    return tuple(
        call
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument" and _names(call)
    )


def _names(call: ast.Call) -> list[str]:
    found = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    return [name for name in found if isinstance(name, str) and name.startswith("-")]


@cache
def known() -> frozenset[str]:
    """Returns the options of the harness's evaluation; none if its source has changed."""
    return frozenset(name for call in _added() for name in _names(call))


@cache
def _parser() -> _Parser:
    """Returns a parser of the harness's options, which accepts any value for types that it computes."""
    parser = _Parser(prog="lmms-eval", add_help=False)
    for call in _added():
        settings: dict[str, Any] = {}
        for keyword in call.keywords:
            if keyword.arg == "type" and isinstance(keyword.value, ast.Name):
                settings["type"] = _TYPES.get(keyword.value.id, str)
            elif keyword.arg in ("action", "nargs", "choices", "dest"):
                with contextlib.suppress(ValueError):  # computed, so any value is accepted
                    settings[keyword.arg] = ast.literal_eval(keyword.value)
        with contextlib.suppress(argparse.ArgumentError):  # from another of its commands, with the same name
            parser.add_argument(*_names(call), **settings)
    return parser


def read(words: Sequence[str], ours: Sequence[str] = ()) -> argparse.Namespace:
    """Returns the harness's reading of its options.

    Args:
        words: The command-line words for the harness.
        ours: Options of our own command, for suggestions.

    Raises:
        TempbenchError: It would refuse them: an unknown option, a missing or wrong value, or a word that
            belongs to no option.
    """
    found, left = _parser().parse_known_args(words)
    strays = [word for word in left if word != "--"] if known() else []
    if strays and strays[0].startswith("-"):
        name = strays[0].partition("=")[0]
        more = hint(name, {*known(), *ours}, "see `python -m lmms_eval eval --help`", n=1)
        raise TempbenchError(f"neither `tempbench run` nor the harness has an option {name}; {more}")
    if strays:
        raise TempbenchError(
            f"{' '.join(strays)[:200]}: the harness has no option for that; quote a value that has spaces"
        )
    # Mistakes in these the harness notices only after loading everything.
    for name in _PAIRS:
        check_pairs(f"--{name}", getattr(found, name, None))
    folder = getattr(found, "include_path", None) or "hidden:"  # as a run's state shows it
    if not folder.startswith("hidden:") and not Path(folder).is_dir():
        raise TempbenchError(f"--include_path {one_line(folder)}: no such folder; give that of your tasks")
    return found


def check_pairs(option: str, value: str | None) -> None:
    """Checks that an option's value is a list such as `a=1,b=2`.

    Raises:
        TempbenchError: It does not begin like such a list.
    """
    first = (value or "").strip().partition(",")[0]
    if first and not re.fullmatch(r"[A-Za-z_][\w.-]*\s*=.*", first, re.DOTALL):
        raise TempbenchError(f"{option} {one_line(first)}: give it as name=value, with a comma between two")


def check_model(name: str, model_args: str = "") -> None:
    """Checks that the harness has a model (including plugins' models), and its arguments.

    Raises:
        TempbenchError: It has no such model or cannot run, or the arguments are not a list like `a=1,b=2`.
    """
    check_pairs("--model-args", model_args)
    harness_version()
    try:
        from lmms_eval.models import list_available_models
    except ImportError:
        return  # an older harness says so itself
    names = list_available_models(include_aliases=True)
    if name not in names:
        more = hint(name, names, f"it has {', '.join(names)}")
        raise TempbenchError(f"the harness has no model '{name}'; {more}")
