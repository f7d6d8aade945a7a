"""Errors for people: one line that says what is wrong, where, and what to do next."""

import difflib
from collections.abc import Iterable


class TempbenchError(Exception):
    """An error that a user can fix.

    `tempbench` prints its message and exits with status 1. It is deliberately not an `OSError`: file-system
    layers swallow a `FileNotFoundError` in a glob, and the advice in the message would be lost.
    """


def hint(name: str, known: Iterable[str], otherwise: str, n: int = 3) -> str:
    """Returns "did you mean ...?" with up to n known names that look like one, or other advice."""
    near = difflib.get_close_matches(name, sorted(known), n=n)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


EXTRAS = {
    "run": (
        "lmms_eval",
        "torch",
        "transformers",
        "accelerate",
        "datasets",
        "decord",
        "openai",
        "scipy",
        "pandas",
    ),
    "metrics": ("bert_score", "sklearn"),
}
"""The modules that each extra installs: `pip install 'tempbench-lmms[run]'`."""


def lacking(error: ModuleNotFoundError) -> TempbenchError | None:
    """Returns the message for a missing module that an extra installs; None for other modules."""
    module = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if module in modules:
            return TempbenchError(f"{module} is not installed; run `pip install 'tempbench-lmms[{extra}]'`")
    return None


class DataNotPreparedError(TempbenchError):
    """A benchmark's data is not on this machine yet."""

    def __init__(self, benchmark: str, root: str, instead: str = "") -> None:
        instead = f"{instead}, or " if instead else ""
        super().__init__(
            f"{benchmark}: no prepared data in {root}; {instead}run `tempbench prepare {benchmark}`, or set "
            "TEMPBENCH_DATA to the folder that holds it, or try the bundled sample with the task "
            f"{benchmark}_mini"
        )


class MediaError(TempbenchError):
    """An image or video that is missing, damaged, too large, or outside its data set's folder.

    Attributes:
        reason: The kind of trouble in a few words, for counting what is left out.
    """

    def __init__(self, message: str, reason: str = "damaged") -> None:
        super().__init__(message)
        self.reason = reason
