"""A release of each benchmark, of our own making: prepared, verified, pushed, and run from the Hub.

That the further layouts of a release end in the same tables is tested beside each benchmark.
"""

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data import tables
from tests.coherence import releases as coherence
from tests.command import tempbench
from tests.hub import Hub, variables
from tests.mateo import releases as mateo
from tests.rextime import releases as rextime
from tests.tempvs import stand_in as tempvs
from tests.timepercept import releases as timepercept

_SOURCES = ("flintstones", "vwp")
_SMALL = ("--test", "5", "--train", "5", "--test-share", "0.5", "--size", "32")


def _tempvs(folder: Path) -> list[str]:
    release = tempvs.write(folder, _SOURCES)
    return ["--source", str(release), "--sources", ",".join(_SOURCES), "--accept-license"]


def _mateo(folder: Path) -> list[str]:
    return ["--source", str(mateo.whole(folder)), "--accept-license"]


def _coherence(folder: Path) -> list[str]:
    questions = coherence.harness_copy(folder / "TOMATO")
    clips = coherence.msrvtt(folder / "MSRVTT")
    return ["--source", str(questions["source"]), "--types", coherence.TYPES, "--captions", str(clips)]


def _rextime(folder: Path) -> list[str]:
    return rextime.options(rextime.whole(folder))


def _timepercept(folder: Path) -> list[str]:
    fmow = timepercept.fmow_tree(folder / "fmow")
    asked = timepercept.temporalvqa(folder / "temporalvqa", damaged=False)
    ucm = timepercept.ucm(folder / "ucm", "folders")
    return ["--fmow", str(fmow), "--temporalvqa", str(asked), "--ucm", str(ucm), *_SMALL]


class StandIn(NamedTuple):
    """How a release is written and which options of `prepare` read it, what it serves, how it is pushed."""

    write: Callable[[Path], list[str]]
    tasks: tuple[str, ...]
    push: tuple[str, ...] = ("--private",)


STAND_INS = {
    "tempvs": StandIn(_tempvs, ("tempvs", "tempvs_mt3_image_only")),
    "mateo": StandIn(_mateo, ("mateo_both_instructions", "mateo_both_instructions_validation"), ()),
    "coherence": StandIn(
        _coherence,
        ("coherence_qa", "coherence_qa_4f_video", "coherence_caption"),
        ("--private", "--license", "cc-by-4.0"),
    ),
    "rextime": StandIn(_rextime, ("rextime", "rextime_frames", "rextime_official", "rextime_test")),
    "timepercept": StandIn(_timepercept, ("timepercept_suite", "timepercept_transfer_order")),
}

RUNNING = """
    import json, os, sys
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager
    from tests.command import hub_variables

    manager, out = TaskManager(), {}
    for name, tasks, given in json.loads(sys.argv[1]):
        os.environ.update(given)
        with hub_variables():
            found = simple_evaluate(
                model="tempbench_oracle", model_args="media=true", tasks=tasks, task_manager=manager
            )
        records = {task: [line["record"] for line in found["samples"][task]] for task in tasks}
        out[name] = {"results": found["results"], "records": records}
    print("FOUND" + json.dumps(out, default=str))
"""

ANYWHERE = {"TEMPBENCH_BERTSCORE_MODEL": "/nowhere", "TEMPBENCH_CLIP_MODEL": "/nowhere"}
"""No encoder is looked for: what needs one is undefined."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Every stand-in prepared and verified. Returns the folder with a home of each."""
    folder = tmp_path_factory.mktemp("stand_ins")
    for name, one in STAND_INS.items():
        given = {"TEMPBENCH_DATA": str(folder / name)}
        for words in (("prepare", name, *one.write(folder / "releases" / name)), ("verify", name)):
            done = tempbench(*words, **given)
            assert done.returncode == 0, (name, done.stdout, done.stderr)
    return folder


@pytest.fixture(scope="module")
def pushed(prepared, tmp_path_factory):
    """The Hub on this machine with all of them."""
    folder = tmp_path_factory.mktemp("hub_of_stand_ins")
    with Hub({}, folder / "server") as hub:
        for name, one in STAND_INS.items():
            given = {"TEMPBENCH_DATA": str(prepared / name), **variables(hub, folder / "hf")}
            done = tempbench("push", name, "--repo", f"org/{name}", *one.push, "--yes", **given)
            assert done.returncode == 0, (name, done.stderr)
        yield hub


@pytest.fixture(scope="module")
def run(prepared, pushed, tmp_path_factory):
    """The oracle on every stand-in, from the folder and from the Hub, in one start of the harness."""
    hub = variables(pushed, tmp_path_factory.mktemp("cache")) | ANYWHERE
    wanted = []
    for name, one in STAND_INS.items():
        here = {"TEMPBENCH_DATA": str(prepared / name), **ANYWHERE}
        there = {"TEMPBENCH_DATA": f"hf://org/{name}", **hub}
        wanted += [(f"{name} here", one.tasks, here), (f"{name} there", one.tasks, there)]
    command = [sys.executable, "-c", textwrap.dedent(RUNNING), json.dumps(wanted)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert lines, done.stderr[-3000:]
    found = json.loads(lines[0].removeprefix("FOUND"))
    return {name: SimpleNamespace(**one) for name, one in found.items()}


NO_SHARE = re.compile(
    r"(.*_)?(n|n_.*|unread_.*|log_odds|orders_backwards|always_independent.*|other_rate|cyclic_plans|reflection_.*|.*_slope"
    r"|.*_gain|.*_area|record|score|details|.*_hash|clip_model|run)"
)
"""Metrics that are no share of what is right, and so not 1 where all is."""

CEILINGS = {
    # A quarter of the validation questions has a window of no length, which the official scorer never finds.
    "rextime": (re.compile(r"(miou|r1_at_..|vqa_miou_at_..)_official(_reader)?"), 0.75),
    # The official code takes a letter for its position: C for 3 where 3 is right, A for 1 where 4 is.
    "coherence": (re.compile(r"numeric_distance_official.*"), (1 + (1 - 3 / 5)) / 2),
}


def shares(results):
    """Returns a task's metrics that are shares; the official ones of ReXTime are in percent."""
    found = {key.removesuffix(",none"): value for key, value in results.items() if key.endswith(",none")}
    return {
        name: value / 100 if "_official" in name and value > 1 else value
        for name, value in found.items()
        if "_stderr" not in name and not NO_SHARE.fullmatch(name) and isinstance(value, int | float)
    }


@pytest.mark.slow
@pytest.mark.harness
@pytest.mark.parametrize("name", STAND_INS)
def test_the_oracle_has_the_ceiling_and_the_hub_the_same_records_and_numbers(name, run, prepared, pushed):
    here, there = run[f"{name} here"], run[f"{name} there"]
    official, ceiling = CEILINGS.get(name, (re.compile("$"), 1))
    paths = [table.path for table in benchmarks.checks(name).tables_of(prepared / name / name)]
    known = {row["question_id"] for path in paths for row in tables.read_rows(path)}
    for task in STAND_INS[name].tasks:
        records = here.records[task]
        assert {record.get("question", record["id"]) for record in records} <= known
        assert records == there.records[task]
        both = [found.results[task] for found in (here, there)]
        details = [found.pop("details,none") for found in both]
        assert both[0] == both[1]
        data = [given.get("run", {}).get("data", {}).get("prepared", {}) for given in details]
        assert data[1].pop("from", "").startswith(f"hf://org/{name}@")
        # The publisher's folders are nobody's business.
        assert [one.pop("source", None) is None for one in data] in ([True, True], [False, False])
        assert data[0] == data[1]
        if task != "rextime_test":  # its answers are not published
            found = shares(both[0])
            wanted = {metric: ceiling if official.fullmatch(metric) else 1 for metric in found}
            assert found == pytest.approx(wanted)
            assert found
    assert any("/media/" in asked and f"org/{name}/" in asked for asked in pushed.requests)
