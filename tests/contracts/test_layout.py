"""What every benchmark must keep to, so that the next one is a folder of the same files."""

import ast
import functools
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import tempbench_lmms
from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.tasks import kwargs_of, task_files
from tests.bundled import MINI, asking, covering, docs, load_task, scoring
from tests.each import for_each

PACKAGE = Path(tempbench_lmms.__file__).parent
BENCHMARKS = benchmarks.names()


@functools.cache
def leaves() -> list[str]:
    """Returns the names of all tasks that are no groups, read when a test asks."""
    return [name for name in task_files() if "group" not in load_task(name)]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_files_of_a_benchmark(name):
    for file in ("card.py", "prompts.py", "parser.py", "scoring.py", "hooks.py", "README.md"):
        assert (PACKAGE / name / file).is_file(), file


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_card_names_the_task_that_asks_everything(name):
    task, n_questions = benchmarks.card(name).full
    assert f"{task}_mini" in MINI
    assert task.startswith(name)
    assert n_questions > len(docs(f"{task}_mini"))


def test_every_task():
    for_each(leaves(), _is_whole)


def _is_whole(name):
    config = load_task(name)
    assert config["task"] == name
    assert config["num_fewshot"] == 0
    assert config["generation_kwargs"]["until"] == []
    assert config["output_type"] == "generate_until"
    assert config["metadata"]["version"]
    assert not {"task", "doc_id", "repeats", "split"} & set(config["metadata"])
    metrics = [entry["metric"] for entry in config["metric_list"]]
    assert len(set(metrics)) == len(metrics)
    for entry in config["metric_list"]:
        assert callable(entry["aggregation"])
        assert "higher_is_better" in entry
    for metric in metrics:
        # The harness's own error would overwrite ours if it came later.
        if metric.endswith("_stderr"):
            assert metrics.index(metric.removesuffix("_stderr")) < metrics.index(metric)


def test_a_task_prints_at_most_twelve_metrics():
    def check(name):
        rows = adapter.rows_of(load_task(name))
        assert 1 <= sum(row.headline for row in rows) <= 12

    for_each(leaves(), check)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_is_in_the_groups_of_all(name):
    assert name in load_task("tempbench")["task"]
    assert f"{name}_mini" in load_task("tempbench_mini")["task"]
    assert {name, f"{name}_mini"} <= set(task_files())


@pytest.mark.parametrize("name", BENCHMARKS)
def test_rows_of_the_table_of_metrics(name):
    rows = importlib.import_module(f"tempbench_lmms.{name}.scoring").METRICS.rows
    assert rows
    for row in rows:
        assert row.better in ("higher", "lower", "neither")
        if row.name == "n" or row.name.startswith("n_") or "_n_" in row.name:
            assert not row.has_error
        if row.metric.__name__ == row.name:
            assert row.metric.__doc__, row.name


def test_yaml_of_a_task_has_no_tags():
    def check(name):
        # The harness's web interface leaves out files with tags.
        assert "!function" not in task_files()[name].read_text(encoding="utf-8")

    for_each(leaves(), check)


def test_every_task_has_a_bundled_twin():
    def check(name):
        assert f"{name}_mini" in task_files()

    for_each([name for name in leaves() if not name.endswith("_mini")], check)


@pytest.mark.parametrize("name", covering(scoring))
def test_an_oracle_gets_a_value_for_every_metric_and_table_and_the_listed_metrics_are_emitted(name):
    config = load_task(name)
    listed = {entry["metric"] for entry in config["metric_list"]}
    items = {}
    for doc in docs(name):
        before = str(doc)
        out = config["process_results"](doc, [doc["target"]])
        assert str(doc) == before
        assert out["record"]["id"] == doc["question_id"]
        for metric, item in out.items():
            items.setdefault(metric, []).append(item)
    emitted = set(items) - {"record", "score"}
    assert {metric for metric in listed if not metric.endswith("_stderr")} <= emitted
    assert {metric for metric in emitted if not metric.endswith("_stderr")} <= listed
    for entry in config["metric_list"]:
        with adapter.true_within(adapter.STRICT):  # an error is raised, and not shown as undefined
            value = entry["aggregation"](items[entry["metric"]])
        assert list(value) if isinstance(value, dict) else value is not None, entry["metric"]


@pytest.mark.parametrize("name", covering(asking))
def test_both_roads_show_the_same_media_in_the_same_order(name):
    config = load_task(name)
    kwargs = kwargs_of(config)
    for doc in docs(name)[:6]:
        simple = config["doc_to_visual"](doc, kwargs)
        # A native video may be the list of its frames.
        chat = [
            shown
            for message in config["doc_to_messages"](doc, kwargs)
            for part in message["content"]
            if part["type"] != "text"
            for shown in (part["url"] if isinstance(part["url"], list) else [part["url"]])
        ]
        assert len(simple) == len(chat)
        for one, other in zip(simple, chat, strict=True):
            assert one == other if isinstance(one, (str, list)) else one.tobytes() == other.tobytes()
        assert config["doc_to_text"](doc, kwargs).strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_bundled_sample_is_sound(name):
    root = mini_root(name)
    assert list(benchmarks.rows(name).problems(root)) == []
    for table in root.glob("*/*.parquet"):
        rows = read_rows(table)
        assert len({row["question_id"] for row in rows}) == len(rows)
        assert all(row["choices"] for row in rows)


def long_functions() -> Iterator[str]:
    """Yields the functions of more than fifty lines; of a command, which has a line an option, the body."""
    root = PACKAGE.parent
    for path in sorted([*PACKAGE.rglob("*.py"), *(root / "hf_datasets").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 50:
                is_command = any(
                    "Option(" in ast.unparse(one.annotation) for one in node.args.args if one.annotation
                )
                first = node.body[0].lineno if is_command else node.lineno
                if (node.end_lineno or 0) - first >= 50:
                    yield f"{path.relative_to(root).as_posix()}: {node.name}"


@pytest.mark.slow
def test_functions_are_short():
    assert not [*long_functions()]
