"""Accuracy by kind and aspect, and the share of contrast groups that are right as a whole.

Source of the group score: the paper's conflicting videos (section 3.1), which are made so that neither one
frame nor the question alone gives the answer; the official code scores every question by itself.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.parsing.text import clip
from tempbench_lmms.record import Metric, Metrics, Record
from tempbench_lmms.tempcompass_pairs import groups, official, parser, prompts
from tempbench_lmms.tempcompass_pairs.card import ASPECTS, DETAILS, KINDS, PAIRED

ALL, ONE = "all", "one"
"""The kinds of task: all kinds of question, or one of them."""

METRICS = Metrics(ALL, ONE)

Keep = Callable[[Record], bool]


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns what is known of one answered question.

    Args:
        doc: A row of the table.
        reply: The model's reply.
        failed: Whether the request failed, so there is no reply to read.
    """
    found = None
    if not failed:
        prompt = record_reading.prompt_of(reply, lambda: prompts.build(doc))
        found = parser.read(reply, doc["choices"], prompt)
    answer = found.value if found else None
    rules = None if failed else official.rating(doc["kind"], reply, doc["question"], doc["target"])
    return {
        "id": doc["question_id"],
        "kind": doc["kind"],
        "aspect": doc["aspect"],
        "detail": doc["detail"],
        "clip": groups.origin(doc["video_id"]),
        "group": doc["group"],
        "group_size": doc["group_size"],
        "gold": doc["answer"],
        "answer": answer,
        "correct": int(answer == doc["answer"]),
        "correct_official": rules or 0,
        "decided_official": int(rules is not None),
        "parsed": int(answer is not None),
        "failed": int(failed),
        "reply": "" if failed else clip(reply),
        **record_reading.fields(found),
    }


def complete_groups(records: Sequence[Record], keep: Keep = lambda record: True) -> list[list[Record]]:
    """Returns the contrast groups of which every question was asked."""
    found: dict[str, list[Record]] = {}
    for one in records:
        if one["group"] and keep(one):
            found.setdefault(one["group"], []).append(one)
    return [own for own in found.values() if len(own) == own[0]["group_size"]]


def _share(field: str, keep: Keep = lambda record: True) -> Metric:
    def metric(records: Sequence[Record]) -> Ratio:
        kept = [one for one in records if keep(one)]
        return ratio(((one[field], 1) for one in kept), (one["clip"] for one in kept))

    return metric


def _groups_right(field: str = "correct", keep: Keep = lambda record: True) -> Metric:
    def metric(records: Sequence[Record]) -> Ratio:
        found = complete_groups(records, keep)
        terms = ((all(one[field] for one in own), 1) for own in found)
        return ratio(terms, (own[0]["clip"] for own in found))

    return metric


def _is(field: str, value: str) -> Keep:
    return lambda record: bool(record[field] == value)


def name_of(detail: str) -> str:
    """Returns a finer aspect as metrics have it.

    >>> name_of("color & light change"), name_of("fine-grained action")
    ('color_light_change', 'fine_grained_action')
    """
    return detail.replace(" & ", "_").replace("-", "_").replace(" ", "_")


METRICS.add("accuracy", _share("correct"), headline=True)
METRICS.add("group_score", _groups_right(), headline=True)
for _kind in KINDS:
    METRICS.add(f"accuracy_{_kind}", _share("correct", _is("kind", _kind)), headline=True, tasks=(ALL,))
    METRICS.add(f"group_score_{_kind}", _groups_right(keep=_is("kind", _kind)), headline=True, tasks=(ALL,))
for _aspect in ASPECTS:
    METRICS.add(f"accuracy_{_aspect}", _share("correct", _is("aspect", _aspect)), headline=(ONE,))
for _aspect in PAIRED:
    METRICS.add(f"group_score_{_aspect}", _groups_right(keep=_is("aspect", _aspect)))
for _details in DETAILS.values():
    for _detail in _details if len(_details) > 1 else ():
        METRICS.add(f"accuracy_{name_of(_detail)}", _share("correct", _is("detail", _detail)))
METRICS.add("accuracy_official", _share("correct_official"))
METRICS.add("group_score_official", _groups_right("correct_official"))
METRICS.add("match_rate_official", _share("decided_official"))
METRICS.add("parse_rate", _share("parsed"), headline=True)
record_reading.add_metrics(METRICS, "clip")


@METRICS.count(headline=True)
def n_groups(records: Sequence[Record]) -> int:
    """Number of contrast groups of which every question was asked."""
    return len(complete_groups(records))


@METRICS.count()
def n_questions(records: Sequence[Record]) -> int:
    """Number of questions."""
    return len(records)


@METRICS.count(better="lower", headline=True)
def n_failed(records: Sequence[Record]) -> int:
    """Number of questions whose request failed; they count as wrong."""
    return sum(one["failed"] for one in records)


@METRICS.count(better="lower")
def n_cut(records: Sequence[Record]) -> int:
    """Number of contrast groups of which a question was not asked; they are left out of the group scores."""
    return len({one["group"] for one in records if one["group"]}) - len(complete_groups(records))


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns, by kind, how often each answer was given and is right, and how many of a group are right.

    `of_a_group` is the share of groups by the number of their questions that are right: what a model that
    gives one answer to all of a group gets is seen there.
    """
    out: dict[str, Any] = {}
    for kind in KINDS:
        own = [one for one in records if one["kind"] == kind]
        found = complete_groups(own)
        right = Counter(f"{sum(one['correct'] for one in group)} of {len(group)}" for group in found)
        same = sum(len({one["answer"] for one in group}) == 1 for group in found)
        if own:
            out[kind] = {
                "answers": _shares(Counter(one["answer"] or "unparsed" for one in own)),
                "right_answers": _shares(Counter(one["gold"] for one in own)),
                "of_a_group": _shares(right),
                "groups_with_one_answer": same / len(found) if found else 0.0,
            }
    return out


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {name: n / total for name, n in sorted(counts.items())}
