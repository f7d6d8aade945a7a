"""The metrics of TempVS: main tests (MT), gated by grounding tests (GT).

Source: paper, section 4.1; denominators as in the official scorer (`run_evaluation.py`): GT strict is a share
of the main questions, not of the sequences, and sources are pooled before dividing.

A main question names the grounding questions that belong to it (`grounding`). Where some of them were not
asked (`--limit` cut them off) the question is left out of the gated metrics and counted in `n_cut`. Where
the data set has no row for one (`n_events` is larger) the question counts as not grounded; the official
scorer counts it as grounded.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from tempbench_lmms import record as common
from tempbench_lmms.metrics.ratio import Ratio, ratio
from tempbench_lmms.record import Metric, Metrics, Record, answers, by_group, mean, n_failed, total
from tempbench_lmms.tempvs import official, parser, prompts
from tempbench_lmms.tempvs.card import CLUSTER, GROUNDING_OF, MAIN_TESTS, POLARITIES, STATEMENTS

TEST, SUITE, UNGATED = "test", "suite", "ungated"
"""The kinds of task: one main test with its groundings, all of them, a main test asked without its groundings
(`_blind`, `_image_only`)."""

METRICS = Metrics(TEST)
"""Every metric of TempVS, a row each, over the records of one main test and its groundings. The suite
has them all for every test, under its name (`mt1_two_mt`)."""


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one answered question; a failed request has no reply to read."""
    kind = prompts.kind_of(doc["tests"][0])
    prompt = common.prompt_of(reply, lambda: prompts.wording(doc))
    found = None if failed else parser.read(reply, kind, doc["options"], len(doc["images"]), prompt)
    own = {
        **{name: doc[name] for name in ("role", "tests", "source")},
        CLUSTER.field: CLUSTER.of(doc),
    }
    out = common.answered(doc["question_id"], own, doc["answer"], found)
    # One reading for each family of the official parser: which one counts is known only with the model.
    out["official"] = {
        family: int(not failed and official.parse_official(reply, kind, family) == doc["answer"][-1])
        for family in official.FAMILIES
    }
    out["invalid"] = int(doc["invalid"])
    if doc["solved_blind"] is not None:
        out["solved_blind"] = int(doc["solved_blind"])
    if doc["role"] == "main":
        out |= {"grounding": list(doc["grounding"]), "n_events": len(doc["events"])}
        if doc["statement_type"]:
            out |= {field: doc[field] for field in ("statement_type", "polarity", "distance")}
    return out


def _is_main(record: Record) -> bool:
    return bool(record["role"] == "main")


def _is_grounding(record: Record) -> bool:
    return bool(record["role"] == "grounding")


def passed(records: Sequence[Record]) -> list[tuple[Record, int]]:
    """Returns the main questions with all their grounding questions asked, and the number passed."""
    correct = {record["id"]: record["correct"] for record in filter(_is_grounding, records)}
    return [
        (main, sum(correct[id_] for id_ in main["grounding"]))
        for main in filter(_is_main, records)
        if correct.keys() >= {*main["grounding"]}
    ]


def _gated(
    counts: Callable[[Record, int], float], of: Callable[[Record, int], float] = lambda main, n: 1
) -> Callable[[Sequence[Record]], Ratio]:
    """Returns the metric that divides sums over main questions, each with its number of right groundings."""

    def metric(records: Sequence[Record]) -> Ratio:
        found = passed(records)
        return ratio(((counts(*one), of(*one)) for one in found), (main[CLUSTER.field] for main, _ in found))

    return metric


def _is_grounded(main: Record, n_passed: int) -> bool:
    return bool(n_passed == main["n_events"])


mt, gt = mean("correct", CLUSTER, _is_main), mean("correct", CLUSTER, _is_grounding)
gt_strict = _gated(_is_grounded)
mt_given_gt_strict = _gated(lambda main, n: _is_grounded(main, n) and main["correct"], _is_grounded)
mt_given_gt_failed = _gated(
    lambda main, n: not _is_grounded(main, n) and main["correct"], lambda main, n: not _is_grounded(main, n)
)
METRICS.add("mt", mt, "Accuracy on the main test.", headline=True, tasks=(TEST, UNGATED))
METRICS.add_all(
    {
        "gt": (gt, "Accuracy on the grounding questions (appendix D.2); not in the official scorer."),
        "gt_strict": (gt_strict, "Share of main questions all of whose groundings are right."),
        "mt_given_gt_strict": (mt_given_gt_strict, "Accuracy on main questions with all groundings right."),
    },
    headline=True,
)
METRICS.add(
    "mt_given_gt_failed", mt_given_gt_failed, "Accuracy on the main questions with a wrong grounding."
)
METRICS.add("parse_rate", common.parse_rate_per(CLUSTER), headline=True, tasks=(TEST, UNGATED))
common.add_metrics(METRICS, CLUSTER, (TEST, UNGATED, SUITE))
METRICS.add_count(
    "n_main", total(_is_main), "Number of main questions.", headline=True, tasks=(TEST, UNGATED)
)
METRICS.add_count("n_grounding", total(_is_grounding), "Number of grounding questions.")


@METRICS.count(better="lower", headline=True)
def n_cut(records: Sequence[Record]) -> int:
    """Number of main questions left out of the gated metrics because a grounding of theirs was not asked."""
    return sum(map(_is_main, records)) - len(passed(records))


METRICS.count(better="lower", headline=True, tasks=(TEST, UNGATED))(n_failed)


def mt_given_at_least(records: Sequence[Record], k: int) -> Ratio:
    """Accuracy on the main questions with at least k right groundings. Source: the official scorer."""
    return _gated(lambda main, n: main["correct"] if n >= k else 0, lambda main, n: n >= k)(records)


def as_official(records: Sequence[Record], family: str) -> list[Record]:
    """Returns the records in the form of the official scorer.

    Its parser reads the answers. It leaves out rows with a non-event, and main questions that two of three
    text models solve, if the data names them. Groundings that are missing in the data set count as passed.
    """
    gone = {record["id"] for record in records if record["invalid"]}
    out = []
    for record in records:
        if not record["invalid"] and not record.get("solved_blind"):
            gates = [id_ for id_ in record.get("grounding", ()) if id_ not in gone]
            changed = {"grounding": gates, "n_events": len(gates)} if _is_main(record) else {}
            out.append({**record, **changed, "correct": record["official"][family]})
    return out


def _official(metric: Callable[[Sequence[Record]], Ratio]) -> Metric:
    def found(records: Sequence[Record], args: Any = None) -> Ratio:
        # The harness's command line names the model.
        model = f"{getattr(args, 'model', '')} {getattr(args, 'model_args', '')}"
        return metric(as_official(records, official.family_of(model)))

    return found


METRICS.add_all(
    {
        f"{name}_official": (
            _official(metric),
            f"`{name}` as the official scorer computes it, with its blind filter where that is known.",
        )
        for name, metric in (("mt", mt), ("gt_strict", gt_strict), ("mt_given_gt_strict", mt_given_gt_strict))
    },
    headline=True,
    tasks=(TEST,),
)


@METRICS.count(headline=True, tasks=(TEST,))
def n_official(records: Sequence[Record]) -> int:
    """Number of main questions of the official numbers: without non-events and without those solved blind."""
    return sum(map(_is_main, as_official(records, official.FAMILIES[0])))


METRICS.add_tests(SUITE, MAIN_TESTS, ("mt", "mt_given_gt_strict"), kind=TEST)


def _of_statements(test: str, statement: str, polarities: Sequence[str]) -> Metric:
    return mean(
        "correct",
        CLUSTER,
        lambda record: (
            _is_main(record)
            and test in record["tests"]
            and record.get("statement_type") == statement
            and record["polarity"] in polarities
        ),
    )


FROM_LOG = Metrics(SUITE)
"""Accuracy by statement, as Table 5 has it: no run prints it, reports compute it from the log."""
FROM_LOG.add_all(
    {
        f"{test}_mt_{statement}_{name}": (_of_statements(test, statement, polarities), "")
        for test, statements in STATEMENTS.items()
        for statement in statements
        for name, polarities in POLARITIES.items()
    }
)


def tests_of(record: Record) -> list[str]:
    """Returns the main tests that a question is scored for: its own, or those that it gates."""
    return [test for test in MAIN_TESTS if {test, GROUNDING_OF[test]} & set(record["tests"])]


def details(records: Sequence[Record]) -> dict[str, Any]:
    """Returns every breakdown that the paper has, of every main test among the records.

    By source; MT1 by statement type and polarity (Table 5) and by distance of the events (Figure 3); main
    accuracy given at least k right groundings; and position bias: the share of each letter among the
    answers and among the right answers. Each share comes with its count; None if it is undefined.
    """
    out: dict[str, Any] = {}
    for test in MAIN_TESTS:
        own = [record for record in records if test in tests_of(record)]
        asked = [record for record in own if _is_main(record) and test in record["tests"]]
        if not asked:
            continue
        steps = range(1, min(max(record["n_events"] for record in asked), 5))
        by_source = by_group(own, lambda record: record["source"], partial(_gated_table, steps=steps))
        keys: dict[str, Callable[[Record], str]] = {
            "by_statement": lambda record: f"{record['statement_type']}_{record['polarity']}",
            "by_polarity": lambda record: record["polarity"],
            "by_distance": lambda record: str(record["distance"]),
        }
        known = {"mt1_two": [*keys], "mt1_three": ["by_statement", "by_polarity"]}.get(test, [])
        out[test] = {
            "by_source": {name: by_source[name] for name in sorted({record["source"] for record in asked})},
            "given_at_least": _at_least(own, steps),
            **answers(asked),
            **{name: by_group(asked, keys[name], lambda group: _counted(mt(group))) for name in known},
        }
    return out


def _gated_table(records: Sequence[Record], steps: Iterable[int]) -> dict[str, Any]:
    metrics = {"mt": mt, "gt": gt, "gt_strict": gt_strict, "mt_given_gt_strict": mt_given_gt_strict}
    metrics["mt_given_gt_failed"] = mt_given_gt_failed
    table = {name: _counted(metric(records)) for name, metric in metrics.items()}
    return {**table, "given_at_least": _at_least(records, steps)}


def _at_least(records: Sequence[Record], steps: Iterable[int]) -> dict[str, Any]:
    return {str(k): _counted(mt_given_at_least(records, k)) for k in steps}


def _counted(share: Ratio) -> dict[str, float | None]:
    value = share.value
    return {"value": None if math.isnan(value) else value, "n": float(share.denominator.sum())}
