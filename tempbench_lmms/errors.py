"""Errors for people: one line that says what is wrong, where, and what to do next."""


class TempbenchError(Exception):
    """Anything a user can put right. `tempbench` prints its message and exits with status 1.

    It is deliberately not an `OSError`: file-system layers swallow a `FileNotFoundError` in a glob, and the
    advice in the message would be lost.
    """


class DataNotPreparedError(TempbenchError):
    """A benchmark's data is not on this machine yet."""

    def __init__(self, benchmark: str, root: str, instead: str = "") -> None:
        instead = f"{instead}, or " if instead else ""
        super().__init__(
            f"{benchmark}: no prepared data in {root}; {instead}run `tempbench prepare {benchmark}`, or set "
            f"TEMPBENCH_DATA to the folder that holds it, or try the bundled sample with the task "
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
