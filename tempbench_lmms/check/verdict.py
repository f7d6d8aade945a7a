"""Decides the verdict of `tempbench check-model`: of each line from its findings, and of the whole check."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from tempbench_lmms.check.faults import LINES, Fault, Finding, Hidden, Seen, hint_of

State = Literal["passed", "failed", "cannot be seen from here"]
PASSED: State = "passed"
FAILED: State = "failed"
UNSEEN: State = "cannot be seen from here"
NOT_NEEDED = "not needed"
"""Printed in place of `failed` if a failure does not count."""
NOT_JUDGED = "not judged"
_MOST_UNSEEN = 0.1  # share of the counted lines; with more, the check does not pass


@dataclass(frozen=True)
class Verdict:
    """The verdict on one line of the check."""

    line: str
    title: str
    state: State
    faults: tuple[str, ...] = ()
    text: str = ""
    hint: str = ""
    counts: bool = True

    def as_text(self) -> str:
        """Returns it as a line for a terminal."""
        what = f": {self.text}" if self.text else ""
        hint = f" [{self.hint}]" if self.hint else ""
        if self.state == FAILED and not self.counts:
            return f"{NOT_NEEDED}  {self.title}{what} (it fails, and no task asked for needs it){hint}"
        return f"{'FAILED' if self.state == FAILED else self.state}  {self.title}{what}{hint}"


def verdicts_of(findings: Iterable[Finding], needed: Collection[str] | None = None) -> list[Verdict]:
    """Returns one verdict per line from the findings about all questions."""
    found = list(findings)
    return [
        _verdict(line, [one for one in found if one.line == line], needed is None or line in needed)
        for line in LINES
    ]


def _verdict(line: str, found: Sequence[Finding], counts: bool) -> Verdict:
    first: dict[str, Fault] = {}  # of each name
    for fault in (one for one in found if isinstance(one, Fault)):
        first.setdefault(fault.name, fault)
    if first:
        texts = (f"{name}: given {one.given}; arrived {one.arrived}" for name, one in first.items())
        hints = "; ".join(dict.fromkeys(hint_of(name, one.arrived) for name, one in first.items()))
        return Verdict(line, LINES[line], FAILED, tuple(first), " | ".join(texts), hints, counts)
    if notes := [one.note for one in found if isinstance(one, Seen)]:
        return Verdict(line, LINES[line], PASSED, text=max(notes, key=bool), counts=counts)
    why = next((one.why for one in found if isinstance(one, Hidden)), "nothing shows it")
    return Verdict(line, LINES[line], UNSEEN, text=why, counts=counts)


@dataclass(frozen=True)
class Check:
    """A finished check."""

    verdicts: tuple[Verdict, ...]
    n_calls: int
    tasks: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    n_small: int = 0
    is_stopped: bool = False

    @property
    def state(self) -> str:
        """`failed` if something failed that counts, `not judged` if much is unseen, else `passed`."""
        if any(one.state == FAILED for one in self.counted):
            return FAILED
        return NOT_JUDGED if len(self.unseen) > _MOST_UNSEEN * len(self.counted) else PASSED

    @property
    def names(self) -> list[str]:
        """The names of the faults that were found, but for what the model does not see."""
        return list(dict.fromkeys(name for one in self.verdicts for name in one.faults if one.line in LINES))

    @property
    def counted(self) -> list[Verdict]:
        """The lines whose failure counts."""
        return [one for one in self.verdicts if one.counts]

    @property
    def unseen(self) -> list[Verdict]:
        """The counted lines that cannot be seen."""
        return [one for one in self.counted if one.state == UNSEEN]

    def as_json(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        return {
            "state": self.state,
            "about": dict(self.about),
            "calls": self.n_calls,
            "small_questions": self.n_small,
            "verdicts": [asdict(one) for one in self.verdicts],
            "tasks": {
                task: [
                    {name: getattr(need, name) for name in ("title", "lines", "state", "why")} for need in own
                ]
                for task, own in self.tasks.items()
            },
        }
