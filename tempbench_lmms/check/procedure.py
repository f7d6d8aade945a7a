"""Asks the questions of a check in order, and returns the verdicts. It knows no runner."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tempbench_lmms.check import probes as probes_
from tempbench_lmms.check import questions, replies
from tempbench_lmms.check.faults import ALL_FAIL, LINES, Fault, Finding, Hidden, Seen, hint_of, of_error
from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.check.judging import judge
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.check.replies import Reply
from tempbench_lmms.check.verdict import FAILED, PASSED, UNSEEN, Check, Verdict, verdicts_of

_HOOK = "the runner's inputs were not seen: call the hook in it (docs/check_model.md, A wrapper of your own)"
_WELL = 0.5
_ALIKE = 3  # questions that fail in the same way, after which the check stops; the third has no picture
_SHOWN = 60  # characters of a reply


@dataclass(frozen=True)
class Answer:
    """The result of asking a question."""

    reply: str
    arrived: Inputs | None = None
    error: str = ""


Ask = Callable[[Sequence[Probe]], list[Answer]]
"""Asks several questions in one call of the runner."""
Pair = tuple[Probe, Answer]


@dataclass(frozen=True)
class Plan:
    """What to check."""

    seed: int = 0
    n_pictures: int = probes_.MOST_PICTURES
    n_lines: int = 60
    n_frames: int = probes_.MOST_FRAMES
    kinds: tuple[str, ...] = tuple(questions.KINDS)
    needed: frozenset[str] | None = None
    wanted_system: str = ""

    def counts(self, line: str) -> bool:
        """Returns whether a failure of a line or kind makes the check fail."""
        return self.needed is None or line in self.needed


def drawn(plan: Plan, folder: Path) -> tuple[list[Probe], list[Probe]]:
    """Returns the watched probes and the small questions."""
    inside = probes_.inside(plan.seed, folder, plan.n_pictures, plan.n_lines, plan.n_frames)
    return inside, probes_.outside(plan.seed, folder, plan.kinds)


def rendered(probe: Probe) -> Inputs:
    """Returns what arrives of a probe where nothing goes wrong."""
    return questions.inputs_of(probes_.messages_of(probe), {"max_new_tokens": probe.settings.max_new_tokens})


def checked(ask: Ask, plan: Plan, inside: Sequence[Probe], outside: Sequence[Probe]) -> Check:
    """Asks each question alone, then all in one call, then the small ones; returns the finished check."""
    single = [probe for probe in inside if probe.kind not in ("crowd", "same text")]
    alone = _one_by_one(ask, single[:_ALIKE])
    # Errors without what varies between requests: addresses, times, numbers.
    kinds = {re.sub(r"[0-9a-f]*\d[0-9a-f]*", "", answer.error) for _, answer in alone}
    if len(kinds) == 1 and alone[0][1].error:
        return _stopped(alone[0][1].error, plan, len(alone))
    alone += _one_by_one(ask, single[_ALIKE:])
    again = ask(single[:1])[0]
    twins = _one_by_one(ask, [probe for probe in inside if probe.kind == "same text"])
    fine = [probe for probe, answer in alone if not answer.error]
    fine += [probe for probe in inside if probe.kind == "crowd"]
    batch = dict(zip(fine, ask(fine), strict=True))
    small = list(zip(outside, ask(outside), strict=True)) if outside else []
    every = [*alone, *twins, *batch.items()]
    found = [*_findings(alone, twins, batch, small, probes_.numbers_of([*inside, *outside]), plan)]
    if not again.error and not alone[0][1].error:
        found += _same_reply("another reply", alone[0][1], again)
    came = [_came(every), _came(small)]
    found += [one for some in came for one in _replies(some)]
    if all(one.said is None for one in came[1]):
        # Of lines that nothing else shows.
        seen = {one.line for one in found if not isinstance(one, Hidden)}
        found += [fault for fault in replies.explained(came[1]) if fault.line not in seen]
    verdicts = [*verdicts_of(found, plan.needed), *_sights(small, plan)]
    return Check(tuple(verdicts), len(every) + 1 + len(outside), n_small=len(outside))


def _findings(
    alone: Sequence[Pair],
    twins: Sequence[Pair],
    batch: Mapping[Probe, Answer],
    small: Sequence[Pair],
    owners: Mapping[int, Probe],
    plan: Plan,
) -> Iterator[Finding]:
    """Yields what each answer shows by itself, and what differs in one call."""
    every = [*alone, *twins, *batch.items()]
    blind = "" if any(answer.arrived for _, answer in [*every, *small]) else _HOOK
    for pair in (*alone, *twins):
        yield from _judged(*pair, owners, plan, blind)
    by_itself = dict(alone)
    for probe, answer in batch.items():
        one = by_itself.get(probe)
        if one:
            yield from _in_batch(probe, one, answer)
        if not one or not (answer.error or _are_same(one, answer)):
            yield from _judged(probe, answer, owners, plan, blind)


def _sights(small: Sequence[Pair], plan: Plan) -> Iterator[Verdict]:
    for kind in plan.kinds:
        yield _sight(kind, [pair for pair in small if pair[0].kind == kind], plan.counts(kind))


def _one_by_one(ask: Ask, probes: Sequence[Probe]) -> list[tuple[Probe, Answer]]:
    return [(probe, ask([probe])[0]) for probe in probes]


def _stopped(error: str, plan: Plan, n: int) -> Check:
    """Returns the check of a model that does not answer even a question without media."""
    fault = Fault("request failed", f"{n} questions, with images and without", error[:200])
    why = "not asked, because the first questions all failed"
    verdicts = [
        replace(one, hint=of_error(error) or ALL_FAIL, counts=True) if one.line == fault.line else one
        for one in verdicts_of([fault, *(Hidden(line, why) for line in LINES)], plan.needed)
    ]
    verdicts += (
        Verdict(one, f"sees: {one}", UNSEEN, text=why, counts=plan.counts(one)) for one in plan.kinds
    )
    return Check(tuple(verdicts), n, is_stopped=True)


def _judged(
    probe: Probe, answer: Answer, owners: Mapping[int, Probe], plan: Plan, blind: str
) -> Iterator[Finding]:
    if answer.error:
        line = probe.kind if probe.kind in LINES else "many" if probe.kind == "many pictures" else "asked"
        yield Fault("request failed", probe.kind, answer.error[:200], line)
        return
    found: list[Finding] = [Seen("asked")]
    if answer.arrived is not None:
        found += judge(probe, answer.arrived, owners)
    else:
        found += [Hidden(line, blind or "the question never arrived") for line in LINES]
        if not blind:
            name = (
                "reply of an earlier question with its text"
                if probe.kind == "same text"
                else "question never asked"
            )
            found.append(Fault(name, probe.kind, "a reply, and no call of the model"))
    # A system prompt that the user asked for is no fault, wherever a template puts it.
    wanted = plan.wanted_system[:40]
    found = [
        one
        for one in found
        if not (wanted and isinstance(one, Fault) and one.line == "system" and wanted in one.arrived)
    ]
    yield from found
    n_words, most = len(answer.reply.split()), probe.settings.max_new_tokens or 0
    if n_words > most and not any(isinstance(one, Fault) and one.line == "max_new_tokens" for one in found):
        yield Fault("max_new_tokens ignored", f"{most} tokens", f"a reply of {n_words} words")


def _are_same(one: Answer, other: Answer) -> bool:
    first, second = one.arrived, other.arrived
    return bool(first and second and (first.parts, first.settings) == (second.parts, second.settings))


def _in_batch(probe: Probe, alone: Answer, batch: Answer) -> Iterator[Finding]:
    if batch.error:
        yield Fault("batch fails", f"{probe.kind} among other questions", batch.error[:200])
    elif alone.arrived is None or batch.arrived is None:
        yield from _same_reply("another reply in a batch", alone, batch)
    elif _are_same(alone, batch):
        differing = "the same arrives; replies differ by arithmetic"
        yield Seen("batch", "" if alone.reply == batch.reply else differing)
    else:
        yield Fault("batch leaks", f"{probe.kind}, as alone", "something else than alone")


def _same_reply(name: str, one: Answer, other: Answer) -> Iterator[Finding]:
    fault = Fault(name, repr(one.reply[:_SHOWN]), repr(other.reply[:_SHOWN]))
    yield Seen(fault.line) if one.reply == other.reply else fault


def _came(pairs: Sequence[tuple[Probe, Answer]]) -> list[Reply]:
    return [
        Reply(probe, answer.reply, answer.arrived.said if answer.arrived else None)
        for probe, answer in pairs
        if not answer.error
    ]


def _replies(came: Sequence[Reply]) -> Iterator[Finding]:
    yield from replies.faults_of(came)
    if n_empty := sum(not one.text.strip() for one in came):
        yield Seen("asked", f"{n_empty} of {len(came)} replies are empty")
    if any(one.said is not None for one in came):
        yield Seen("replies")
    yield Hidden("replies", "what the model says before the runner returns it is not seen here")


def _sight(kind: str, pairs: Sequence[tuple[Probe, Answer]], counts: bool) -> Verdict:
    title = f"sees: {kind}"
    if errors := [answer.error for _, answer in pairs if answer.error]:
        name, text = "request failed", f"{len(errors)} of {len(pairs)} questions: {errors[0][:200]}"
        return Verdict(kind, title, FAILED, (name,), f"{name}: {text}", hint_of(name, errors[0]), counts)
    asked = questions.KINDS[kind]
    score = questions.score(asked, [(answer.reply, probe.answer) for probe, answer in pairs])
    text = f"{score.right} of {score.n} right; above chance {score.value:.2f} (0 is a guess, 1 is seeing)"
    if score.low > 0 and score.value >= _WELL:
        return Verdict(kind, title, PASSED, text=text, counts=counts)
    wrong = [pair for pair in pairs if questions.read_answer(asked, pair[1].reply) != list(pair[0].answer)]
    # A reply tells more than an empty one.
    probe, answer = min(wrong, key=lambda pair: not pair[1].reply.strip())
    n_empty = sum(not answer.reply.strip() for _, answer in pairs)
    text += f"; {n_empty} of {len(pairs)} empty" if n_empty else ""
    text += f"; asked {probe.texts[-1][:150]!r}, right {', '.join(probe.answer)!r}"
    text += f", reply {answer.reply[:_SHOWN]!r}"
    return Verdict(kind, title, FAILED, (f"does not see: {kind}",), text, counts=counts)
