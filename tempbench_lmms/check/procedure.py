"""Asks the questions of a check in their order, and returns what follows. It knows no runner."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tempbench_lmms.check import probes as probes_
from tempbench_lmms.check import questions, replies
from tempbench_lmms.check.faults import (
    ALL_FAIL,
    FAILED,
    FAULTS,
    LINES,
    PASSED,
    UNSEEN,
    Fault,
    Judgement,
    Verdict,
    of_error,
    verdicts_of,
)
from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.check.judging import judge
from tempbench_lmms.check.needs import Need
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.check.replies import Reply

NOT_JUDGED = "not judged"
_MOST_UNSEEN = 0.1
_HOOK = (
    "nothing that the runner hands over was seen: call the hook in it (docs/check_model.md, A wrapper of "
    "your own)"
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
        """`failed` where something failed that counts, `not judged` where much is unseen, else `passed`."""
        if self.has_failed:
            return FAILED
        return NOT_JUDGED if len(self.unseen) > _MOST_UNSEEN * len(self.counted) else PASSED

    @property
    def has_failed(self) -> bool:
        """Whether something failed that counts."""
        return any(one.state == FAILED for one in self.counted)

    @property
    def counted(self) -> list[Verdict]:
        """The lines whose failure counts."""
        return [one for one in self.verdicts if one.counts]

    @property
    def unseen(self) -> list[Verdict]:
        """Those of them that cannot be seen."""
        return [one for one in self.counted if one.state == UNSEEN]

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
    single = [probe for probe in inside if probe.kind not in ("crowd", "same text")]
    alone = [ask([probe])[0] for probe in single[:_ALIKE]]
    if len({_without_numbers(answer.error) for answer in alone}) == 1 and alone[0].error:
        return _stopped(alone[0].error, plan, len(alone))
    alone += [ask([probe])[0] for probe in single[_ALIKE:]]
    again = ask(single[:1])[0]
    twins = [(probe, ask([probe])[0]) for probe in inside if probe.kind == "same text"]
    fine = [probe for probe, answer in zip(single, alone, strict=True) if not answer.error]
    fine += [probe for probe in inside if probe.kind == "crowd"]
    batch = dict(zip(fine, ask(fine), strict=True)) if fine else {}
    small = list(zip(outside, ask(outside), strict=True)) if outside else []
    pairs = [*zip(single, alone, strict=True), *twins]
    every = [*pairs, *batch.items(), *small]
    is_seen = any(answer.arrived for _, answer in every)
    plan = replace(plan, blind="" if is_seen else plan.blind or _HOOK)
    look = functools.partial(_judged, owners=owners, plan=plan)
    judgements = [look(probe, answer) for probe, answer in pairs]
    own = dict(zip(single, alone, strict=True))
    for probe, answer in batch.items():
        if probe not in own:  # of the crowd
            judgements.append(look(probe, answer))
        elif not answer.error:
            judgements.append(_in_batch(probe, own[probe], answer))
            if not (answer.arrived and _are_same(own[probe], answer)):
                judgements.append(look(probe, answer, together=fine if plan.batch_size > 1 else []))
        else:
            judgements.append(_in_batch(probe, own[probe], answer))
    judgements.append(_twice(alone[0], again))
    judgements += [_replies([*pairs, *batch.items()]), _replies(small), _explained(small, judgements)]
    verdicts = verdicts_of(judgements, plan.needed)
    if not any(answer.error == "" for _, answer in every):
        verdicts[list(LINES).index("asked")] = _all_failed(verdicts, alone)
    for kind in plan.kinds:
        verdicts.append(_sight(kind, [pair for pair in small if pair[0].kind == kind], plan.counts(kind)))
    n_calls = len(pairs) + len(fine) + 1 + len(outside)
    return Check(tuple(verdicts), n_calls, n_small=len(outside))


def _without_numbers(error: str) -> str:
    """Returns an error without what differs from request to request: addresses, times, numbers."""
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "", error)


def _stopped(error: str, plan: Plan, n: int) -> Check:
    """Returns the check of a model that answers nothing, not even a question without media."""
    fault = Fault("request failed", f"{n} questions, with images and without", error[:200])
    why = "not asked, as the first questions all failed"
    verdicts = verdicts_of([Judgement((fault,), hidden=dict.fromkeys(LINES, why))], plan.needed)
    asked = list(LINES).index("asked")
    verdicts[asked] = replace(verdicts[asked], hint=of_error(error) or ALL_FAIL, counts=True)
    verdicts += [
        Verdict(kind, f"sees: {kind}", UNSEEN, text=why, counts=plan.counts(kind)) for kind in plan.kinds
    ]
    return Check(tuple(verdicts), n, is_stopped=True)


def _all_failed(verdicts: Sequence[Verdict], alone: Sequence[Answer]) -> Verdict:
    """Returns the line on replies where no request succeeded: what a video lacks is not the reason."""
    hint = next(filter(None, (of_error(answer.error) for answer in alone)), ALL_FAIL)
    return replace(next(one for one in verdicts if one.line == "asked"), hint=hint)


def _judged(
    probe: Probe, answer: Answer, owners: Mapping[int, Probe], plan: Plan, together: Sequence[Probe] = ()
) -> Judgement:
    """Returns what one answer shows."""
    if answer.error:
        line = probe.kind if probe.kind in LINES else "many" if probe.kind == "many pictures" else "asked"
        fault = Fault("request failed", probe.kind, answer.error[:200], line)
        return Judgement((fault,), frozenset({line}))
    faults: tuple[Fault, ...] = ()
    if answer.arrived is None:
        judgement = Judgement(hidden=dict.fromkeys(LINES, plan.blind or "the question never arrived"))
        if not plan.blind:
            is_kept = probe.kind == "same text"
            name = "reply of an earlier question with its text" if is_kept else "question never asked"
            faults = (Fault(name, probe.kind, "a reply, and no call of the model"),)
    else:
        judgement = judge(probe, answer.arrived, owners, together)
    faults += tuple(fault for fault in judgement.faults if not _is_wanted(fault, plan))
    n_words, most = len(answer.reply.split()), probe.settings.max_new_tokens or 0
    if n_words > most and all(fault.line != "max_new_tokens" for fault in faults):
        faults += (Fault("max_new_tokens ignored", f"{most} tokens", f"a reply of {n_words} words"),)
    return Judgement(faults, judgement.seen | {"asked"}, judgement.hidden, judgement.notes)


def _is_wanted(fault: Fault, plan: Plan) -> bool:
    """Returns whether it is the system prompt that the user asked for, wherever a template puts it."""
    wanted = plan.wanted_system
    return fault.line == "system" and bool(wanted) and wanted[:40] in fault.arrived


def _are_same(one: Answer, other: Answer) -> bool:
    return bool(
        one.arrived
        and other.arrived
        and one.arrived.parts == other.arrived.parts
        and one.arrived.settings == other.arrived.settings
    )


def _in_batch(probe: Probe, alone: Answer, batch: Answer) -> Judgement:
    """Returns what differs where a question is asked together with others."""
    if alone.error:
        return Judgement()
    if batch.error:
        name, given, arrived = "batch fails", f"{probe.kind} among other questions", batch.error[:200]
    elif alone.arrived is None or batch.arrived is None:
        return _same_reply("another reply in a batch", alone, batch)
    elif _are_same(alone, batch):
        note = "" if alone.reply == batch.reply else "the same arrives; replies differ by arithmetic"
        return Judgement(seen=frozenset({"batch"}), notes={"batch": note} if note else {})
    else:
        name, given, arrived = "batch leaks", f"{probe.kind}, as alone", "something else than alone"
    return Judgement((Fault(name, given, arrived),), frozenset({"batch"}))


def _same_reply(name: str, one: Answer, other: Answer) -> Judgement:
    """Returns a fault where two replies to a question differ."""
    fault = Fault(name, repr(one.reply[:_SHOWN]), repr(other.reply[:_SHOWN]))
    return Judgement(() if one.reply == other.reply else (fault,), frozenset({fault.line}))


def _twice(first: Answer, second: Answer) -> Judgement:
    """Returns what differs where a question is asked twice."""
    if first.error or second.error:
        return Judgement(hidden={"twice": "the question failed"})
    return _same_reply("another reply", first, second)


def _replies(pairs: Sequence[tuple[Probe, Answer]]) -> Judgement:
    """Returns what the replies of a model are beside what it said."""
    came = [
        Reply(probe, answer.reply, answer.arrived.said if answer.arrived else None)
        for probe, answer in pairs
        if not answer.error
    ]
    if not came:
        return Judgement()
    seen = {"asked"} | ({"replies"} if any(one.said is not None for one in came) else set())
    n_empty = sum(not one.text.strip() for one in came)
    notes = {"asked": f"{n_empty} of {len(came)} replies are empty"} if n_empty else {}
    hidden = {"replies": "what the model says before the runner returns it is not seen here"}
    return Judgement(tuple(replies.faults_of(came)), frozenset(seen), hidden, notes)


def _explained(pairs: Sequence[tuple[Probe, Answer]], judgements: Sequence[Judgement]) -> Judgement:
    """Returns the fault that explains the replies to small questions, where nothing else shows its line."""
    came = [Reply(probe, answer.reply) for probe, answer in pairs if not answer.error]
    if not came or any(answer.arrived and answer.arrived.said is not None for _, answer in pairs):
        return Judgement()
    seen = frozenset().union(*(one.seen for one in judgements))
    found = replies.explained(came)
    # All replies of one who sees are right, so each is its question's own.
    own = frozenset() if found or not _are_right(came) else frozenset({"replies"})
    return Judgement(tuple(fault for fault in found if fault.line not in seen), own)


def _are_right(came: Sequence[Reply]) -> bool:
    kinds = [questions.KINDS[one.probe.kind] for one in came]
    marks = [
        questions.read_answer(kind, one.text) == one.probe.answer
        for kind, one in zip(kinds, came, strict=True)
    ]
    return sum(marks) >= 0.9 * len(marks)


def _sight(kind: str, pairs: Sequence[tuple[Probe, Answer]], counts: bool) -> Verdict:
    title = f"sees: {kind}"
    if errors := [answer.error for _, answer in pairs if answer.error]:
        text = f"request failed: {len(errors)} of {len(pairs)} questions: {errors[0][:200]}"
        hint = of_error(errors[0]) or FAULTS["request failed"][1]
        return Verdict(kind, title, FAILED, ("request failed",), text, hint, counts)
    score = questions.score(kind, [(answer.reply, probe.answer) for probe, answer in pairs])
    text = (
        f"{score.right} of {score.n} right; above chance {score.value:.2f} [{score.low:.2f}, "
        f"{score.high:.2f}] (0 is a guess, 1 is seeing)"
    )
    if score.low > 0 and score.value >= _WELL:
        return Verdict(kind, title, PASSED, text=text, counts=counts)
    text += f"; {_unseeing(kind, pairs)}"
    return Verdict(kind, title, FAILED, (f"does not see: {kind}",), text, counts=counts)


def _unseeing(kind: str, pairs: Sequence[tuple[Probe, Answer]]) -> str:
    """Returns an example of a wrong reply, and how many replies say nothing that can be read."""
    asked = questions.KINDS[kind]
    unread = [answer.reply for _, answer in pairs if questions.read_answer(asked, answer.reply) is None]
    n_empty = sum(not reply.strip() for reply in unread)
    counts = {"empty": n_empty, "name no answer, or several": len(unread) - n_empty}
    told = [f"{n} of {len(pairs)} {what}" for what, n in counts.items() if n]
    wrong = [pair for pair in pairs if questions.read_answer(asked, pair[1].reply) != pair[0].answer]
    # What was said tells more than that nothing was.
    for probe, answer in sorted(wrong, key=lambda pair: not pair[1].reply.strip())[:1]:
        short = answer.reply if len(answer.reply) <= _SHOWN else f"{answer.reply[:_SHOWN]}..."
        question = probe.texts[-1].partition(" Answer with")[0][:150]
        told.append(f"asked {question!r}, right {probe.answer!r}, reply {short!r}")
    return "; ".join(told)
