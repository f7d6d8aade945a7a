"""Entries for the Hub: what is written, what is refused, and that nothing leaves the machine unasked."""

import json
import re

import pytest
import yaml

from tempbench_lmms import __version__
from tempbench_lmms.cli.report import submit_hub
from tempbench_lmms.errors import TempbenchError
from tests.report.conftest import finish
from tests.runs.test_logs import write_run


def as_full(file):
    """Renames a run of the bundled sample to one of the whole benchmark."""
    results = json.loads(file.read_text().replace("tempvs_mini", "tempvs"))
    file.write_text(json.dumps(results))
    for log in file.parent.glob("*_samples_tempvs_mini.jsonl"):
        log.rename(log.with_name(log.name.replace("tempvs_mini", "tempvs")))


N = 120
"""Questions of each test: every number that an entry may have is defined."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    as_full(finish(write_run(folder, "chance", "tempvs_mini", n=N)))
    return folder


@pytest.mark.slow
def test_entries(run, tmp_path, capsys):
    submit_hub([run], "org/model", tmp_path, ["tempvs=yingjins/TempVS@0123abc"], "https://example.org/logs")
    entries = yaml.safe_load((tmp_path / ".eval_results" / "tempvs.yaml").read_text())
    values = json.loads(next(run.glob("*_results.json")).read_text())["results"]["tempvs"]
    # Every main number of the paper that is defined; the values are the results file's.
    main = [name for name in benchmark_columns() if values[f"{name},none"] != "-"]
    assert {entry["dataset"]["task_id"]: entry["value"] for entry in entries} == {
        f"tempvs_{name}": values[f"{name},none"] for name in main
    }
    (first,) = [entry for entry in entries if entry["dataset"]["task_id"] == "tempvs_mt1_two_mt"]
    assert first["dataset"] == {
        "id": "yingjins/TempVS",
        "task_id": "tempvs_mt1_two_mt",
        "revision": "0123abc",
    }
    assert first["date"] == "2026-01-01"
    assert first["source"] == {"url": "https://example.org/logs"}
    error = f"standard error {values['mt1_two_mt_stderr,none']:.4f}"
    low, high = map(float, re.search(rf"{error}; 95 % interval (\S+) to (\S+);", first["notes"]).groups())
    assert low < first["value"] < high
    assert first["notes"].endswith(f"tempbench-lmms {__version__}")
    assert "hf upload org/model " in capsys.readouterr().out


def benchmark_columns():
    from tempbench_lmms import benchmarks

    return benchmarks.card("tempvs").primary


@pytest.mark.slow
def test_the_hub_s_own_library_reads_them_and_nothing_is_overwritten(run, tmp_path):
    huggingface_hub = pytest.importorskip("huggingface_hub")
    submit_hub([run], "org/model", tmp_path)
    entries = yaml.safe_load((tmp_path / ".eval_results" / "tempvs.yaml").read_text())
    found = huggingface_hub.parse_eval_result_entries(entries)
    assert {entry.dataset_id for entry in found} == {"yingjins/TempVS"}
    with pytest.raises(TempbenchError, match="exists"):
        submit_hub([run], "org/model", tmp_path)
    submit_hub([run], "org/model", tmp_path, force=True)


def test_bundled_sample_is_refused(tmp_path):
    finish(write_run(tmp_path / "run"))
    with pytest.raises(TempbenchError, match="bundled sample"):
        submit_hub([tmp_path / "run"], "org/model", tmp_path)


@pytest.mark.slow
def test_incomplete_run_is_refused_or_noted(tmp_path):
    as_full(finish(write_run(tmp_path / "run", task="tempvs_mini", n=N), n_questions=900))
    with pytest.raises(TempbenchError, match=f"asked {N} of 900 questions"):
        submit_hub([tmp_path / "run"], "org/model", tmp_path)
    submit_hub([tmp_path / "run"], "org/model", tmp_path, partial=True)
    entries = yaml.safe_load((tmp_path / ".eval_results" / "tempvs.yaml").read_text())
    assert all(f"the run asked {N} of 900 questions" in entry["notes"] for entry in entries)


@pytest.mark.slow
def test_two_runs_of_one_task_are_refused(run, tmp_path):
    as_full(finish(write_run(tmp_path / "other", "oracle", "tempvs_mini", n=N)))
    with pytest.raises(TempbenchError, match="is in two runs"):
        submit_hub([run, tmp_path / "other"], "org/model", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "model"}, "is not a model id; use ORG/NAME"),
        ({"model": "../x/y"}, "is not a model id; use ORG/NAME"),
        ({"dataset": ["tempvs=nothing"]}, "is not a data set id"),
        ({"dataset": ["mateo=org/x"]}, "the logs have no task of this benchmark"),
        ({"dataset": ["tempvs=org/x@branch"]}, "is not a commit id"),
        ({"source_url": "javascript:alert(1)"}, "not a web address"),
    ],
)
def test_wrong_options(run, tmp_path, options, message):
    with pytest.raises(TempbenchError, match=message):
        submit_hub(**{"logs": [run], "model": "org/model", "output": tmp_path} | options)
    assert not (tmp_path / ".eval_results").exists()
