"""Published data that was downloaded from the Hub gives the same records and numbers."""

import json
import os

import pytest
from huggingface_hub import snapshot_download

from tests.command import hub_variables, tempbench
from tests.hub import variables

from .conftest import LIMIT

IN_THE_HARNESS = ("mateo_both_baseline", "coherence_qa_4f")


@pytest.mark.harness
def test_the_same_records_and_numbers_as_from_the_bundled_sample(
    published, tmp_path, run_harness, monkeypatch
):
    there = {"TEMPBENCH_DATA": str(tmp_path / "data")}
    for name, value in {**variables(published.hub, os.environ["HF_HOME"]), **there}.items():
        monkeypatch.setenv(name, value)
    with hub_variables():
        for name in ("mateo", "coherence"):
            snapshot_download(f"org/{name}", repo_type="dataset", local_dir=tmp_path / "data" / name)
            assert tempbench("verify", name).returncode == 0
    both = [*IN_THE_HARNESS, *(f"{task}_mini" for task in IN_THE_HARNESS)]
    first = ("--limit", str(LIMIT))
    for name in ("HF_ENDPOINT", "HF_TOKEN", "HF_HUB_DISABLE_XET"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    run = run_harness("tempbench_constant", both, tmp_path / "logs", first, "media=true", environment=there)
    for task in IN_THE_HARNESS:
        ours = run.results["results"][task]
        assert numbers(ours) == numbers(run.results["results"][f"{task}_mini"])
        assert records(run, task) == records(run, f"{task}_mini")


def numbers(results):
    return {key: value for key, value in results.items() if key not in ("alias", "details,none")}


def records(run, task):
    """Returns the records of a run; some name the video, which lies elsewhere in the sample."""
    return [json.dumps(line["record"]).replace("/mini/media/", "/media/") for line in run.logged(task)]
