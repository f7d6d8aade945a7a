"""Verdicts: a line for each thing that a task may rely on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["passed", "failed", "cannot be seen from here"]
PASSED: State = "passed"
FAILED: State = "failed"
UNSEEN: State = "cannot be seen from here"
NOT_NEEDED = "not needed"
"""What is printed in place of `failed` where a failure does not count."""

LINES: dict[str, str] = {
    "asked": "every question gets a reply",
    "number": "as many images arrive as are given",
    "order": "images arrive in the order given",
    "apart": "images arrive apart, not joined",
    "content": "images show what was given",
    "size": "images are not shrunk beyond use",
    "many": "many images arrive, in order",
    "interleaved": "text and images alternate as given",
    "text": "the whole text arrives, long ones too",
    "system": "nothing is added to the text",
    "video": "a video arrives, and its own frames",
    "video length": "a video's frames are from its beginning to its end",
    "video order": "a video's frames are in order, none repeated",
    "short video": "a video of 12 frames arrives, with its times",
    "mkv video": "a video that is no .mp4 arrives too",
    "times": "the model is told a video's true times",
    "frames as a video": "frames that are given as a video arrive",
    "max_new_tokens": "replies are as long as the task says",
    "greedy": "replies are not drawn by chance",
    "stop": "nothing but its end ends a reply",
    "batch": "a question in a batch arrives as it does alone",
    "twice": "the same question gets the same reply",
}
"""What each line of the check promises, by its key; questions by their kind come after these."""


@dataclass(frozen=True)
class Fault:
    """Something that arrived otherwise than it was given.

    Attributes:
        line: A key of `LINES`.
        name: Of the fault, the same wherever it is found.
        given: What was given.
        arrived: What arrived.
    """

    line: str
    name: str
    given: str
    arrived: str


@dataclass(frozen=True)
class Judgement:
    """What a look at one question found.

    Attributes:
        faults: What was otherwise than given.
        seen: The lines that could be judged.
        hidden: Those that could not, and why.
        notes: What is worth knowing of a line: sizes, tokens, times.
    """

    faults: tuple[Fault, ...] = ()
    seen: frozenset[str] = frozenset()
    hidden: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """One line of the check.

    Attributes:
        line: A key of `LINES`, or a kind of question.
        title: What it promises.
        state: `passed`, `failed` or `cannot be seen from here`.
        faults: The names of what was found.
        text: What was given and what arrived; or why nothing can be seen.
        hint: What to do about it.
        counts: Whether a failure of it is a failure of the check.
    """

    line: str
    title: str
    state: State
    faults: tuple[str, ...] = ()
    text: str = ""
    hint: str = ""
    counts: bool = True

    def as_json(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        return asdict(self) | {"faults": list(self.faults)}

    def as_text(self) -> str:
        """Returns it as a line for a terminal."""
        what = f": {self.text}" if self.text else ""
        hint = f" [{self.hint}]" if self.hint else ""
        if self.state == FAILED and not self.counts:
            return f"{NOT_NEEDED}  {self.title}{what} (it fails, and no task asked for needs it){hint}"
        state = self.state.upper() if self.state == FAILED else self.state
        return f"{state}  {self.title}{what}{hint}"


def verdicts_of(
    judgements: Iterable[Judgement],
    needed: Iterable[str] | None = None,
    hints: Mapping[str, str] | None = None,
) -> list[Verdict]:
    """Returns one verdict a line from what was found at all questions.

    Args:
        judgements: Of each question.
        needed: The lines whose failure counts; None: all.
        hints: What to do about a fault, by its name, its line, or `line: name`, which comes first.
    """
    found = list(judgements)
    wanted = None if needed is None else set(needed)
    out = []
    for line, title in LINES.items():
        counts = wanted is None or line in wanted
        faults = [fault for one in found for fault in one.faults if fault.line == line]
        if faults:
            out.append(_failed(line, title, faults, counts, hints or {}))
        elif any(line in one.seen for one in found):
            note = next((one.notes[line] for one in found if line in one.notes), "")
            out.append(Verdict(line, title, PASSED, text=note, counts=counts))
        else:
            why = next((one.hidden[line] for one in found if line in one.hidden), "nothing shows it")
            out.append(Verdict(line, title, UNSEEN, text=why, counts=counts))
    return out


def _failed(
    line: str, title: str, faults: Sequence[Fault], counts: bool, hints: Mapping[str, str]
) -> Verdict:
    first = {fault.name: fault for fault in reversed(faults)}
    names = tuple(dict.fromkeys(fault.name for fault in faults))
    texts = (f"{name}: given {first[name].given}; arrived {first[name].arrived}" for name in names)
    keys = (*(f"{line}: {name}" for name in names), *names, line)
    hint = next((hints[key] for key in keys if key in hints), "")
    return Verdict(line, title, FAILED, names, " | ".join(texts), hint, counts)


def has_failed(verdicts: Iterable[Verdict]) -> bool:
    """Returns whether something failed that counts."""
    return any(one.state == FAILED and one.counts for one in verdicts)
