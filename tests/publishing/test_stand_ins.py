"""Every release: prepared, verified, pushed, loaded back by plain `datasets`, and run from the Hub."""

import json
import re
import subprocess
import textwrap
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data import roots, tables
from tests.command import tempbench
from tests.each import sample
from tests.hub import Hub, variables

from .loading import expected, loaded
from .stand_ins import STAND_INS

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


def _classes(name):
    """What code of its own a stand-in goes through: its benchmark's, a licence's, and that of its media."""
    one = STAND_INS[name]
    media = {"mateo-italian-texts": "none", "mateo-own": "of one's own folder"}.get(name, one.benchmark)
    return one.benchmark, one.push, media


SAMPLE = sample(STAND_INS, _classes)


@pytest.fixture(scope="session")
def stand_ins(request):
    """Those that a test of this session asks for, by name."""
    asked = [item.callspec.params for item in request.session.items if item.path.samefile(__file__)]
    return {name: one for name, one in STAND_INS.items() if {"name": name} in asked}


@pytest.fixture(scope="session")
def exhaustive(request):
    return request.config.getoption("--exhaustive")


@pytest.fixture(scope="session")
def prepared(stand_ins, tmp_path_factory):
    """Every stand-in prepared and verified. Returns the folder with a home of each."""
    folder = tmp_path_factory.mktemp("stand_ins")
    for name, one in stand_ins.items():
        given = {"TEMPBENCH_DATA": str(folder / name)}
        done = tempbench("prepare", one.benchmark, *one.write(folder / "releases" / name), **given)
        assert done.returncode == 0, (name, done.stderr)
        done = tempbench("verify", one.benchmark, **given)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    return folder


@pytest.fixture(scope="session")
def pushed(prepared, stand_ins, tmp_path_factory):
    """The Hub on this machine with all of them."""
    folder = tmp_path_factory.mktemp("hub_of_stand_ins")
    with Hub({}, folder / "server") as hub:
        for name, one in stand_ins.items():
            words = ("push", one.benchmark, "--repo", f"org/{name}", *one.push, "--yes")
            given = {"TEMPBENCH_DATA": str(prepared / name), **variables(hub, folder / "hf")}
            done = tempbench(*words, **given)
            assert done.returncode == 0, (name, done.stderr)
        yield hub


def tables_of(prepared, name):
    """Returns the path of each table of a stand-in by its configuration and split."""
    benchmark = STAND_INS[name].benchmark
    paths = [table.path for table in benchmarks.checks(benchmark).tables_of(prepared / name / benchmark)]
    return {(path.parent.name, path.stem): path for path in paths}


@pytest.fixture(scope="session")
def by_datasets(prepared, pushed, stand_ins, tmp_path_factory, python_with_datasets, exhaustive):
    """What plain `datasets` makes of tables: the last of each stand-in that has its columns and its split."""
    kinds = {}
    for name in stand_ins:
        for (config, split), path in tables_of(prepared, name).items():
            kind = config if exhaustive else tuple(pq.read_schema(path).names)
            kinds[name, split, kind] = (name, config, split)
    wanted = [*kinds.values()]
    return loaded(python_with_datasets, wanted, pushed, tmp_path_factory.mktemp("loaded"))


@pytest.fixture(scope="session")
def run(prepared, pushed, stand_ins, tmp_path_factory, warm_python, exhaustive):
    """The oracle on every stand-in, from the folder and from the Hub, in one start of the harness."""
    hub = variables(pushed, tmp_path_factory.mktemp("cache")) | ANYWHERE
    wanted = []
    for name, one in stand_ins.items():
        there = one.tasks if exhaustive else one.there or one.tasks
        wanted += [
            (f"{name} here", one.tasks, {"TEMPBENCH_DATA": str(prepared / name), **ANYWHERE}),
            (f"{name} there", there, {"TEMPBENCH_DATA": f"hf://org/{name}", **hub}),
        ]
    done = subprocess.run(
        [warm_python, "-c", textwrap.dedent(RUNNING), json.dumps(wanted)],
        capture_output=True,
        text=True,
        check=False,
    )
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
@pytest.mark.parametrize("name", SAMPLE)
def test_the_oracle_has_the_ceiling_and_the_hub_the_same_records_and_numbers(name, run, prepared, pushed):
    one, here, there = STAND_INS[name], run[f"{name} here"], run[f"{name} there"]
    official, ceiling = CEILINGS.get(one.benchmark, (re.compile("$"), 1))
    known = {
        row["question_id"] for path in tables_of(prepared, name).values() for row in tables.read_rows(path)
    }
    for task in one.tasks:
        records = here.records[task]
        assert {record.get("question", record["id"]) for record in records} <= known
        ours = here.results[task]
        details = ours.pop("details,none")
        if task in there.records:
            assert records == there.records[task]
            theirs = there.results[task]
            details = (details, theirs.pop("details,none"))
            assert ours == theirs
            data = [given.get("run", {}).get("data", {}).get("prepared", {}) for given in details]
            assert data[1].pop("from", "").startswith(f"hf://org/{name}@")
            # The publisher's folders are nobody's business.
            assert [one.pop("source", None) is None for one in data] in ([True, True], [False, False])
            assert data[0] == data[1]
        if task == "rextime_test":
            continue  # its answers are not published
        found = shares(ours)
        assert found
        for metric, value in found.items():
            expected = ceiling if official.fullmatch(metric) else 1
            assert value == pytest.approx(expected), (task, metric)
    assert there.records
    assert any("/media/" in asked and f"org/{name}/" in asked for asked in pushed.requests) != (
        name == "mateo-italian-texts"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_plain_datasets_loads_the_same_questions_with_their_media(name, by_datasets, prepared, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(prepared / name))
    paths = tables_of(prepared, name)
    found = {(config, split): one for (of, config, split), one in by_datasets.items() if of == name}
    assert {split for _, split in found} == {split for _, split in paths}
    for table, one in found.items():
        assert one == expected(paths[table], roots.resolve)
