"""Logs of finished runs, as the harness writes them."""

import functools
import itertools
import json

import pytest

from tempbench_lmms.data import manifests, outputs
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.respondents import REPLIES
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task
from tempbench_lmms.runs import logs, task_log
from tests.command import complains, tempbench

TASK = "tempvs_mt1_two_mini"
BEGUN = {
    "identity": {"model": "m", "model_args": "", "arguments": [], "tasks": TASK, "data": {}},
    "questions": {},
}
"""What `tempbench run` stores with its first answer."""
KEPT = ("metadata", "dataset_kwargs", "generation_kwargs", "lmms_eval_specific_kwargs")


def write_run(folder, respondent="chance", task=TASK, seed=0, n=None):
    """Writes a run without the harness: the same lines, from the same hooks and aggregations.

    `n` is how many questions are asked; all where omitted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    results, lines = _texts_of(REPLIES[respondent], respondent, task, seed, n)
    (folder / "20260101_000000_results.json").write_text(results)
    log = folder / f"20260101_000000_samples_{task}.jsonl"
    log.write_text(lines)
    return log


@functools.lru_cache(maxsize=64)
def _texts_of(answer, respondent, task, seed, n):
    """Returns the texts of a results file and of its log; many tests ask for the same."""
    config = load_task(task)
    kwargs = kwargs_of(config)
    items, lines = {}, []
    for number, doc in enumerate(itertools.islice(docs_of(config), n)):
        reply = answer(doc, task, seed)
        out = config["process_results"](doc, [reply])
        for name, item in out.items():
            items.setdefault(name, []).append(item)
        line = {"doc_id": number, "target": doc["target"], "filtered_resps": reply}
        line |= {"input": config["doc_to_text"](doc, kwargs)} | out
        lines.append(json.dumps(line, default=str))
    values = {
        f"{entry['metric']},none": entry["aggregation"](items[entry["metric"]])
        for entry in config["metric_list"]
    }
    results = {
        "results": {task: values},
        "configs": {task: {key: value for key, value in config.items() if key in KEPT}},
        "n-samples": {task: {"original": len(lines), "effective": len(lines)}},
        "config": {"model": f"tempbench_{respondent}", "model_args": ""},
        "model_name": f"tempbench_{respondent}",
    }
    return json.dumps(results, indent=2), "\n".join(lines) + "\n"


def edited(source, target, change=lambda results: None, lines=lambda rows: rows):
    """Copies a run, and changes its results and the lines of its log in place, or returns others."""
    target.mkdir(parents=True)
    for file in source.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    file, log = next(target.glob("*_results.json")), next(target.glob("*.jsonl"))
    results, rows = json.loads(file.read_text()), [json.loads(line) for line in log.read_text().splitlines()]
    change(results)
    file.write_text(json.dumps(results))
    log.write_text("".join(f"{json.dumps(row)}\n" for row in lines(rows) or rows))
    return target


def details_of(results, task=TASK):
    """Returns what a run notes of versions, code and data in its results."""
    return results["results"][task]["details,none"]["run"]


def test_the_finished_run_counts_whatever_the_clock_said(tmp_path):
    write_run(tmp_path / "run" / "model")
    failed = tmp_path / "run" / "model" / "20260101_000000_results.json"
    finished = failed.with_name("20250101_000000_results.json")
    finished.write_text(failed.read_text())
    for lines in failed.parent.glob("*.jsonl"):
        lines.with_name(lines.name.replace("2026", "2025")).write_text(lines.read_text())
    assert [log.file for log in logs.read_runs([tmp_path])] == [failed]
    state = tmp_path / "run" / outputs.STATE
    state.write_text(json.dumps(BEGUN | {"finished": f"/elsewhere/{finished.name}"}))
    assert [log.file for log in logs.read_runs([tmp_path])] == [finished]
    for text in ("", "[]", json.dumps(BEGUN), json.dumps(BEGUN | {"finished": "gone_results.json"})):
        state.write_text(text)
        assert [log.file for log in logs.read_runs([tmp_path])] == [failed]


def test_metrics_computed_again_are_the_run_s(tmp_path):
    write_run(tmp_path)
    (log,) = logs.read_runs([tmp_path])
    assert log.benchmark == "tempvs"
    assert len(log.samples) == 223
    assert task_log.recompute(log) == log.values
    assert log.details["mt1_two"]["right_answers"] == {"A": 0.5, "B": 0.5}


def test_a_reply_that_was_changed_after_the_run_is_noticed(tmp_path):
    """The numbers come from the records, which an edited reply leaves as they were."""
    path = write_run(tmp_path)
    results = path.with_name("20260101_000000_results.json")
    state = BEGUN | {"finished": str(results), manifests.TABLES: manifests.sums(tmp_path, [path, results])}
    (tmp_path / outputs.STATE).write_text(json.dumps(state))
    assert logs.read_runs([tmp_path])[0].problems == ()
    path.write_text(path.read_text().replace('"filtered_resps": "', '"filtered_resps": "No, ', 1))
    with pytest.raises(TempbenchError, match=rf"{path.name} was changed after the run.*--partial"):
        logs.read_runs([tmp_path])
    (log,) = logs.read_runs([tmp_path], partial=True)
    assert "was changed after the run" in log.problems[0]


@pytest.mark.parametrize("content", ["", "[]", '{"results": {}}', "{"])
def test_no_results_file(tmp_path, content):
    with pytest.raises(TempbenchError, match="no results file"):
        logs.read_runs([tmp_path])
    (tmp_path / "x_results.json").write_text(content)
    with pytest.raises(TempbenchError, match="is not a results file of the harness"):
        logs.read_runs([tmp_path])


def test_mixed_questions_are_no_log_to_report(tmp_path):
    """As two processes with other data leave it: as many lines as questions, half of them twice."""
    path = write_run(tmp_path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row, other in zip(rows[1::2], rows[2::2], strict=False):
        row["record"] = other["record"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(
        TempbenchError, match=r"111 lines cannot be used, first line 3 \(it repeats .* its 112 readable"
    ):
        logs.read_runs([tmp_path])
    (log,) = logs.read_runs([tmp_path], partial=True)
    assert len({sample.record["id"] for sample in log.samples}) == len(log.samples) == 112


def dated(folder, name, **write):
    """Writes a run whose files have another date."""
    path = write_run(folder, **write)
    files = [path, path.with_name("20260101_000000_results.json")]
    return [file.rename(file.with_name(file.name.replace("20260101_000000", name))) for file in files][1]


def test_tasks_that_were_run_one_by_one_into_a_folder_all_count(tmp_path):
    first = dated(tmp_path, "20251231_000000", task="timeblind_mini")
    second = dated(tmp_path, "20260102_000000")
    found = {log.task: log.file for log in logs.read_runs([tmp_path])}
    assert found == {"timeblind_mini": first, TASK: second}
    again = dated(tmp_path, "20260103_000000", task="timeblind_mini")
    found = {log.task: log.file for log in logs.read_runs([tmp_path])}
    assert found == {"timeblind_mini": again, TASK: second}
    dated(tmp_path, "20260101_120000").write_text("{")  # an older one that is damaged is none of the newest
    assert {log.task: log.file for log in logs.read_runs([tmp_path])} == found


def edited_line(path, **values):
    lines = path.read_text().splitlines()
    row = json.loads(lines[0])
    row["record"] |= values
    path.write_text("\n".join([json.dumps(row), *lines[1:]]) + "\n")


@pytest.mark.parametrize(
    ("task", "values", "said"),
    [
        (TASK, {"failed": "no"}, "(failed is 'no')"),
        (TASK, {"how": [3]}, "(how is [3])"),
        ("motion_only_mini", {"pair": [1]}, "the log was edited, or another version wrote it"),
    ],
)
@pytest.mark.parametrize("command", ["rescore", "compare"])
def test_an_edited_record_is_a_line(command, task, values, said, tmp_path, capfd):
    edited_line(write_run(tmp_path / "a", task=task, n=16), **values)
    write_run(tmp_path / "b", task=task, n=16)
    further = {"rescore": [], "compare": [tmp_path / "b"]}
    complains(tempbench(command, tmp_path / "a", *further[command]), said)
    assert "Traceback" not in capfd.readouterr().err


def with_results(folder, change):
    write_run(folder, n=8)
    (file,) = folder.glob("*_results.json")
    results = json.loads(file.read_text())
    change(results)
    file.write_text(json.dumps(results))
    return file


def test_replies_without_scores_are_named(tmp_path):
    def change(results):
        results["config"]["resolved_cli_args"] = {"predict_only": True}

    file = with_results(tmp_path, change)
    for words in (["rescore", tmp_path], ["compare", tmp_path, tmp_path]):
        complains(tempbench(*words), f"{file}: the run was made with --predict_only")


def test_short_lines_without_the_list_of_metrics_are_named(tmp_path):
    path = write_run(tmp_path, n=8)
    rows = [json.loads(line) | {"not_given_to": []} for line in path.read_text().splitlines()]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    complains(tempbench("rescore", tmp_path), "8 lines cannot be used", "it has no metric_list")
