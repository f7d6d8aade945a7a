"""The rules for tasks that are not ours: values, groups, intervals, options, and how a task's code is run."""

import json
import math
import random

import numpy as np
import pytest

from tempbench_lmms.any_task import records
from tempbench_lmms.any_task.aggregation import CannotAggregateError, TaskProcess, TooSlowError
from tempbench_lmms.any_task.task import AnyTask, Grouped
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import catalog
from tempbench_lmms.metrics.ratio import interval
from tempbench_lmms.runs import comparison
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.task_log import metrics_of

TASK = "rules_probe"
YAML = f"""
task: {TASK}
dataset_path: nowhere
test_split: test
output_type: generate_until
process_results: !function probe_utils.process_results
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
  - {{metric: percent, aggregation: !function probe_utils.percent, higher_is_better: true}}
  - {{metric: f1, aggregation: !function probe_utils.f1, higher_is_better: true}}
  - {{metric: pair, aggregation: !function probe_utils.pair, higher_is_better: true}}
  - {{metric: answered, aggregation: !function probe_utils.answered, higher_is_better: true}}
  - {{metric: ordered, aggregation: !function probe_utils.ordered, higher_is_better: true}}
  - {{metric: forked, aggregation: !function probe_utils.forked, higher_is_better: true}}
  - {{metric: judged, aggregation: !function probe_utils.judged, higher_is_better: true}}
  - {{metric: submitted, aggregation: !function probe_utils.submitted, higher_is_better: true}}
  - {{metric: endless, aggregation: !function probe_utils.endless, higher_is_better: true}}
"""
CODE = """
import socket, time

def process_results(doc, results):
    return {}

def percent(items):
    return 100 * sum(one["score"] for one in items) / len(items)

def f1(items):
    found, given, both = (sum(one[name] for one in items) for name in ("found", "given", "both"))
    return 2 * both / (found + given)

def pair(items):
    return {"text": percent(items), "group": percent([one for one in items if one["found"]])}

def answered(items):
    n = sum(one["found"] > 0 for one in items)
    return sum(one["score"] for one in items) / n if n else 0

def ordered(items):
    return sum(i * one["score"] for i, one in enumerate(items))

def forked(items):
    import os
    os.fork()
    return percent(items)

def judged(items):
    socket.create_connection(("127.0.0.1", 9))

def submitted(items, args):
    open(args.output_path + "/submission.json", "w").write("1")
    return percent(items) / 100

def endless(items):
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs of a task of a user's with six metrics, as the harness logs them."""
    home = tmp_path_factory.mktemp("probe")
    (home / f"{TASK}.yaml").write_text(YAML)
    (home / "probe_utils.py").write_text(CODE)
    catalog.include(home)
    for name, skill in (("a", 0.8), ("b", 0.3)):
        write(home / name, items_of(skill, seed=len(name) + ord(name), least=int(name == "b")))
    return home


def items_of(skill, seed, n=60, least=0):
    draw = random.Random(seed)
    right = [int(draw.random() < skill) for _ in range(n)]
    return [
        {
            "score": one,
            "found": least + i % 3,
            "given": 2,
            "both": one,
            "video": f"v{i // 2}",
            "kind": "ab"[i % 2],
        }
        for i, one in enumerate(right)
    ]


def reported(items):
    scope = {}
    exec(CODE, scope)
    share = sum(one["score"] for one in items) / len(items)
    found = {"acc": share, "percent": scope["percent"](items), "f1": scope["f1"](items)}
    return found | {
        "pair": scope["pair"](items),
        "answered": scope["answered"](items),
        "ordered": scope["ordered"](items),
        "forked": scope["percent"](items),
        "judged": 0.5,
        "submitted": share,
        "endless": 0.5,
    }


def write(
    folder,
    items,
    names=("acc", "percent", "f1", "pair", "answered", "ordered", "forked", "judged", "submitted"),
):
    folder.mkdir()
    values = {f"{name},none": value for name, value in reported(items).items() if name in names}
    results = {
        "results": {TASK: {"alias": TASK, **values}},
        "configs": {
            TASK: {"task": TASK, "dataset_path": "nowhere", "metric_list": [{"metric": n} for n in names]}
        },
        "higher_is_better": {TASK: dict.fromkeys(names, True)},
        "n-samples": {TASK: {"original": len(items), "effective": len(items)}},
        "n-shot": {TASK: 0},
        "model_name": "m",
        "config": {"model": "m"},
    }
    (folder / "20260101_000000_results.json").write_text(json.dumps(results))
    lines = [
        {"doc_id": i, "target": "A", "filtered_resps": "A", "input": f"question {i}"}
        | {name: one["score"] if name == "acc" else one for name in names}
        for i, one in enumerate(items)
    ]
    log = folder / f"20260101_000000_samples_{TASK}.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))


def record(number, **items):
    return {"id": str(number), "failed": 0, "parsed": 1, "items": items}


@pytest.mark.parametrize(
    ("reported", "is_mean"), [(2 / 3, True), (0.66667, True), (0.667, False), (0.6, False)]
)
def test_a_mean_that_a_task_rounds_is_a_mean(reported, is_mean):
    records = [record(i, acc=one) for i, one in enumerate((1, 1, 0))]
    other = AnyTask("not_installed", {"acc": reported}, {"acc": True}, records)
    assert [row.name for row in other.rows] == ["acc"] * is_mean


def test_values_and_intervals(folder):
    (log,) = read_runs([folder / "a"])
    items, other = items_of(0.8, seed=98), log.other
    found = {metric.name: metric() for metric in metrics_of(log)}
    assert {name: value.value for name, value in found.items()} == pytest.approx(
        {name: one.value for name, one in other.metrics.items() if name in found}
    )
    assert [name for name, value in found.items() if isinstance(value, Grouped)] == [
        "f1",
        "pair.text",
        "pair.group",
        "answered",
    ]
    assert other.grouped_by == "the field video"
    assert len(set(other.clusters.values())) == 30
    low, high = interval(found["acc"])
    assert interval(found["percent"]) == pytest.approx((100 * low, 100 * high))
    # A bootstrap of whole videos beside it: the interval is a t interval with its standard error.
    scope = {}
    exec(CODE, scope)
    draw, videos = np.random.default_rng(1), [items[i : i + 2] for i in range(0, 60, 2)]
    draws = [scope["f1"]([x for v in draw.integers(0, 30, 30) for x in videos[v]]) for _ in range(2000)]
    low, high = interval(found["f1"])
    assert (high - low) / 2 == pytest.approx(2.05 * np.std(draws), rel=0.12)
    assert "uses the network" in other.why_not("judged")
    assert "depends on the order" in other.why_not("ordered")
    assert found["forked"].value == found["percent"].value
    assert found["submitted"].value == pytest.approx(found["acc"].value)


def test_two_runs_are_compared(folder):
    pairs, _ = comparison.paired_runs(folder / "a", folder / "b")
    verdicts = {one.metric: one for one in comparison.compare_tasks(pairs, 500)}
    assert verdicts["acc"].verdict == verdicts["percent"].verdict == verdicts["f1"].verdict == "better"
    assert verdicts["f1"].difference.value == pytest.approx(
        reported(items_of(0.8, 98))["f1"] - reported(items_of(0.3, 99, least=1))["f1"]
    )
    # The mean of its questions in B alone, where all are answered.
    of_answered = verdicts["answered"].difference
    values = [reported(items_of(0.8, 98))["answered"], reported(items_of(0.3, 99, least=1))["answered"]]
    assert [of_answered.first, of_answered.second] == pytest.approx(values)
    assert of_answered.low < values[0] - values[1] < of_answered.high
    (judged,) = comparison.chosen([*verdicts.values()], False, ["judged"])
    assert judged.sentence.startswith("judged: undecided: A 0.5, B 0.5; no interval")
    same, _ = comparison.paired_runs(folder / "a", folder / "a")
    assert all(one.p == 1 or math.isnan(one.p) for one in comparison.compare_tasks(same, 500))


def test_code_that_takes_too_long_is_ended(folder):
    child = TaskProcess(seconds=15)
    file = catalog.find(TASK)
    with pytest.raises(TooSlowError, match="more than 15 s"):
        child.values(file, ("endless", None), [{}], [[0]])
    with pytest.raises(CannotAggregateError):
        child.values(file, ("no such metric", None), [{}], [[0]])
    child.close()


def test_a_field_groups_questions(folder):
    (log,) = read_runs([folder / "a"], group_by="kind")
    assert set(log.other.clusters.values()) == {"a", "b"}
    (log,) = read_runs([folder / "a"], group_by="colour")
    with pytest.raises(TempbenchError, match="--group-by colour: no question of rules_probe has it"):
        metrics_of(log)


@pytest.mark.parametrize(
    ("logged", "config", "by"),
    [
        ([{"id": "0", "videoID": "x"}, {"id": "1", "videoID": "x"}], {}, "the field videoID"),
        (
            [{"id": "0", "q": 1, "img_path": "x"}, {"id": "1", "q": 1, "img_path": "y"}],
            {"cluster_key": "q"},
            "the field q",
        ),
        ([{"id": "0", "input_media": ["x"]}, {"id": "1", "input_media": ["y"]}], {}, "the media in the log"),
        ([{"id": "0", "doc_hash": "x"}, {"id": "1", "doc_hash": "x"}], {}, ""),
        ([{"id": "0", "video": ""}, {"id": "1", "video": "x"}], {}, ""),
    ],
)
def test_what_groups_questions(logged, config, by):
    assert records.clusters_of(logged, config)[1] == by


def test_a_task_that_is_not_installed():
    items = items_of(0.8, 1)
    records = [record(i, m=one) for i, one in enumerate(items)]
    share = sum(one["score"] for one in items) / len(items)
    whole = {"m": 100 * share}
    assert [row.metric(records).value for row in AnyTask("none such", whole, {}, records).rows] == [
        pytest.approx(100 * share)
    ]
    other = AnyTask("none such", {"m": 0.123}, {}, records)
    assert "is not installed" in other.why_not("m")


def test_a_task_with_a_name_of_ours_is_refused(tmp_path):
    (tmp_path / "mine.yaml").write_text("task: mateo_mini\ndataset_path: json\n")
    with pytest.raises(TempbenchError, match="mateo_mini is a task of this package; give yours another name"):
        catalog.include(tmp_path)
