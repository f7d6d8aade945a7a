"""Asks the questions of a check in their order, and returns what follows. It knows no runner."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms.check import probes as probes_
from tempbench_lmms.check import questions
from tempbench_lmms.check.hints import hints_for, hints_where_all_fail
from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.check.judging import judge, same_inputs
from tempbench_lmms.check.needs import Need
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.check.verdicts import (
    FAILED,
    LINES,
    PASSED,
    UNSEEN,
    Fault,
    Judgement,
    Verdict,
    has_failed,
    verdicts_of,
)

_WELL = 0.5
_ALIKE = 3
"""Questions that fail alike before no more are asked; the third has no picture."""
_SHOWN = 60
"""Characters of a reply."""


@dataclass(frozen=True)
class Answer:
    """What came of asking a question.

    Attributes:
        reply: The reply; empty where the asking failed.
        arrived: What the model got; None where that cannot be seen.
        error: Why the asking failed; else empty.
    """

    reply: str
    arrived: Inputs | None = None
    error: str = ""


Ask = Callable[[Sequence[Probe]], list[Answer]]
"""Asks several questions in one call of the runner."""


@dataclass(frozen=True)
class Plan:
    """What is checked.

    Attributes:
        seed: Of all that is drawn.
        n_pictures: Of the probe with many pictures.
        n_lines: Of the long prompt.
        n_frames: Of the list of frames.
        kinds: The small questions, kinds of `questions.KINDS`.
        needed: The lines and kinds whose failure counts; None: all.
        model: The runner's name, for hints.
        wanted_system: A system prompt that the user asked for.
        batch_size: How many questions the runner asks together.
        blind: Why nothing can be seen from inside; empty where something can.
    """

    seed: int = 0
    n_pictures: int = probes_.MOST_PICTURES
    n_lines: int = 60
    n_frames: int = probes_.MOST_FRAMES
    kinds: tuple[str, ...] = tuple(questions.KINDS)
    needed: frozenset[str] | None = None
    model: str = ""
    wanted_system: str = ""
    batch_size: int = 1
    blind: str = ""

    def counts(self, line: str) -> bool:
        """Returns whether a failure of a line or kind is one of the check."""
        return self.needed is None or line in self.needed


@dataclass(frozen=True)
class Check:
    """A finished check.

    Attributes:
        verdicts: A line each.
        n_calls: How many questions were asked.
        tasks: For each task asked about, which of its needs hold.
        about: Model, arguments, versions, seed and the like.
        n_small: How many of the questions were small ones, which anyone who sees can answer.
        is_stopped: Whether the first questions failed alike, so that no more were asked.
    """

    verdicts: tuple[Verdict, ...]
    n_calls: int
    tasks: Mapping[str, Sequence[Need]] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    n_small: int = 0
    is_stopped: bool = False

    @property
    def state(self) -> str:
        """`failed` where something failed that counts, else `passed`."""
        return FAILED if has_failed(self.verdicts) else PASSED

    def as_json(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        return {
            "state": self.state,
            "about": dict(self.about),
            "calls": self.n_calls,
            "small_questions": self.n_small,
            "verdicts": [one.as_json() for one in self.verdicts],
            "tasks": {task: [need.as_json() for need in needs] for task, needs in self.tasks.items()},
        }


def drawn(plan: Plan, folder: Path) -> tuple[list[Probe], list[Probe]]:
    """Returns the probes of which is looked at what arrives, and the small questions.

    Args:
        plan: What is checked.
        folder: Where videos are written.
    """
    inside = probes_.inside(plan.seed, folder, plan.n_pictures, plan.n_lines, plan.n_frames)
    return inside, probes_.outside(plan.seed, folder, plan.kinds)


def checked(ask: Ask, plan: Plan, inside: Sequence[Probe], outside: Sequence[Probe]) -> Check:
    """Asks all questions and returns what follows.

    Args:
        ask: Asks questions.
        plan: What is checked.
        inside: The probes of `drawn`.
        outside: The small questions of `drawn`.
    """
    owners = probes_.numbers_of([*inside, *outside])
    alone = [ask([probe])[0] for probe in inside[:_ALIKE]]
    if len({_without_numbers(answer.error) for answer in alone}) == 1 and alone[0].error:
        return _stopped(alone[0].error, plan, len(alone))
    alone += [ask([probe])[0] for probe in inside[_ALIKE:]]
    fine = [probe for probe, answer in zip(inside, alone, strict=True) if not answer.error]
    batched = dict(zip(fine, ask(fine), strict=True)) if fine else {}
    batch = [batched.get(probe, answer) for probe, answer in zip(inside, alone, strict=True)]
    again = ask(inside[:1])[0]
    replies = ask(outside) if outside else []
    look = functools.partial(_judged, owners=owners, plan=plan)
    judgements = [look(probe, answer) for probe, answer in zip(inside, alone, strict=True)]
    together = [(probe, answer) for probe, answer in zip(inside, batch, strict=True) if not answer.error]
    mates = fine if plan.batch_size > 1 else []
    judgements += [look(probe, answer, together=mates) for probe, answer in together]
    judgements += map(_in_batch, inside, alone, batch)
    judgements += [_twice(alone[0], again), _empty([*alone, *batched.values(), again])]
    hints = hints_for(plan.model) if fine else hints_where_all_fail([answer.error for answer in alone])
    verdicts = verdicts_of(judgements, plan.needed, hints)
    for kind in plan.kinds:
        pairs = [pair for pair in zip(replies, outside, strict=True) if pair[1].kind == kind]
        verdicts.append(_sight(kind, pairs, plan.counts(kind)))
    return Check(tuple(verdicts), 2 * len(inside) + 1 + len(outside), n_small=len(outside))


def _without_numbers(error: str) -> str:
    """Returns an error without what differs from request to request: addresses, times, numbers."""
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "", error)


def _stopped(error: str, plan: Plan, n: int) -> Check:
    """Returns the check of a model that answers nothing, not even a question without media."""
    fault = Fault("asked", "request failed", f"{n} questions, with images and without", error[:200])
    why = "not asked, as the first questions all failed"
    judgement = Judgement((fault,), hidden=dict.fromkeys(LINES, why))
    verdicts = verdicts_of([judgement], plan.needed, hints_where_all_fail([error]))
    verdicts += [
        Verdict(kind, f"sees: {kind}", UNSEEN, text=why, counts=plan.counts(kind)) for kind in plan.kinds
    ]
    return Check(tuple(verdicts), n, is_stopped=True)


def _judged(
    probe: Probe, answer: Answer, owners: Mapping[int, Probe], plan: Plan, together: Sequence[Probe] = ()
) -> Judgement:
    """Returns what one answer shows."""
    if answer.error:
        line = _line_of(probe)
        return Judgement((Fault(line, "request failed", probe.kind, answer.error[:200]),), frozenset({line}))
    if answer.arrived is None:
        why = plan.blind or "what this question became was not seen on its way"
        judgement = Judgement(hidden=dict.fromkeys(LINES, why))
    else:
        judgement = judge(probe, answer.arrived, owners, together)
    faults = [fault for fault in judgement.faults if not _is_wanted(fault, plan)]
    n_words, most = len(answer.reply.split()), probe.settings.max_new_tokens or 0
    if n_words > most and all(fault.line != "max_new_tokens" for fault in faults):
        faults.append(
            Fault("max_new_tokens", "max_new_tokens ignored", f"{most} tokens", f"a reply of {n_words} words")
        )
    return Judgement(tuple(faults), judgement.seen | {"asked"}, judgement.hidden, judgement.notes)


def _line_of(probe: Probe) -> str:
    """Returns the line that says whether a question was answered."""
    if probe.kind in LINES:
        return probe.kind
    return "many" if probe.kind == "many pictures" else "asked"


def _is_wanted(fault: Fault, plan: Plan) -> bool:
    """Returns whether it is the system prompt that the user asked for, wherever a template puts it."""
    wanted = plan.wanted_system
    return fault.line == "system" and bool(wanted) and wanted[:40] in fault.arrived


def _in_batch(probe: Probe, alone: Answer, batch: Answer) -> Judgement:
    """Returns what differs where a question is asked together with others."""
    if alone.error:
        return Judgement()
    if batch.error:
        name, given, arrived = "batch fails", f"{probe.kind} among other questions", batch.error[:200]
    elif alone.arrived is None or batch.arrived is None:
        return _same_reply("batch", "another reply in a batch", alone, batch)
    elif same_inputs(alone.arrived, batch.arrived):
        note = "" if alone.reply == batch.reply else "the same arrives; replies differ by arithmetic"
        return Judgement(seen=frozenset({"batch"}), notes={"batch": note} if note else {})
    else:
        name, given, arrived = "batch leaks", f"{probe.kind}, as alone", "something else than alone"
    return Judgement((Fault("batch", name, given, arrived),), frozenset({"batch"}))


def _same_reply(line: str, name: str, one: Answer, other: Answer) -> Judgement:
    """Returns a fault where two replies to a question differ."""
    fault = Fault(line, name, repr(one.reply[:_SHOWN]), repr(other.reply[:_SHOWN]))
    return Judgement(() if one.reply == other.reply else (fault,), frozenset({line}))


def _empty(answers: Sequence[Answer]) -> Judgement:
    """Returns a fault where nothing at all was said. A model may have nothing to say now and then."""
    replies = [answer.reply.strip() for answer in answers if not answer.error]
    n = replies.count("")
    if not n:
        return Judgement()
    text = f"{n} of {len(replies)} replies are empty"
    if n < len(replies):
        return Judgement(notes={"asked": text})
    return Judgement((Fault("asked", "empty replies", f"{len(replies)} questions", text),))


def _twice(first: Answer, second: Answer) -> Judgement:
    """Returns what differs where a question is asked twice."""
    if first.error or second.error:
        return Judgement(hidden={"twice": "the question failed"})
    return _same_reply("twice", "another reply", first, second)


def _sight(kind: str, pairs: Sequence[tuple[Answer, Probe]], counts: bool) -> Verdict:
    title = f"sees: {kind}"
    errors = [answer.error for answer, _ in pairs if answer.error]
    if len(errors) == len(pairs):
        return Verdict(kind, title, UNSEEN, text=f"no request succeeded: {errors[0][:200]}", counts=counts)
    score = questions.score(kind, [(answer.reply, probe.answer) for answer, probe in pairs])
    text = (
        f"{score.right} of {score.n} right; above chance {score.value:.2f} [{score.low:.2f}, "
        f"{score.high:.2f}] (0 is a guess, 1 is seeing)"
    )
    if score.low > 0 and score.value >= _WELL:
        return Verdict(kind, title, PASSED, text=text, counts=counts)
    text += f"; {_unseeing(kind, pairs)}"
    return Verdict(kind, title, FAILED, (f"does not see: {kind}",), text, counts=counts)


def _unseeing(kind: str, pairs: Sequence[tuple[Answer, Probe]]) -> str:
    """Returns an example of a wrong reply, and how many replies say nothing that can be read."""
    asked = questions.KINDS[kind]
    came = [(answer.reply, probe) for answer, probe in pairs if not answer.error]
    unread = [reply for reply, _ in came if questions.read_answer(asked, reply) is None]
    n_empty = sum(not reply.strip() for reply in unread)
    counts = {
        "failed": len(pairs) - len(came),
        "empty": n_empty,
        "name no answer, or several": len(unread) - n_empty,
    }
    told = [f"{n} of {len(pairs)} {what}" for what, n in counts.items() if n]
    wrong = [pair for pair in came if questions.read_answer(asked, pair[0]) != pair[1].answer]
    # What was said tells more than that nothing was.
    for reply, probe in sorted(wrong, key=lambda pair: not pair[0].strip())[:1]:
        short = reply if len(reply) <= _SHOWN else f"{reply[:_SHOWN]}..."
        question = probe.texts[-1].partition(" Answer with")[0]
        told.append(f"asked {question!r}, right {probe.answer!r}, reply {short!r}")
    return "; ".join(told)
