"""Published data is read from the Hub: the same records and numbers, and offline once it is fetched."""

import json
import os

import pytest

from tempbench_lmms.data import remote, roots
from tempbench_lmms.harness import identity
from tempbench_lmms.harness.tasks import data_problems, docs_of, load_task, media_of
from tempbench_lmms.media import images
from tests.command import tempbench
from tests.hub import variables

from .conftest import LIMIT, TABLES

IN_THE_HARNESS = ("mateo_both_baseline", "coherence_qa_4f")
TASKS = ("tempvs_mt1_two", "timepercept_tal", "mateo_both_baseline", "coherence_qa_4f", "rextime_frames")


@pytest.mark.harness
def test_the_same_records_and_numbers_as_from_the_bundled_sample(
    published, asking, tmp_path, run_harness, monkeypatch
):
    """Both from the Hub's cache, without a network."""
    there = {
        "TEMPBENCH_DATA_MATEO": "hf://org/mateo",
        "TEMPBENCH_DATA_COHERENCE": "hf://org/coherence",
    }
    asking({**variables(published.hub, os.environ["HF_HOME"]), **there})
    for name in ("mateo", "coherence"):
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
    said = run.results["results"][IN_THE_HARNESS[0]]["details,none"]["run"]["data"]["prepared"]["from"]
    assert said == f"hf://org/mateo@{published.hub.commit('org/mateo')}"


def numbers(results):
    return {key: value for key, value in results.items() if key not in ("alias", "details,none")}


def records(run, task):
    """Returns the records of a run; some name the video, which lies elsewhere in the sample."""
    return [json.dumps(line["record"]).replace("/mini/media/", "/media/") for line in run.logged(task)]


@pytest.mark.slow
def test_what_was_downloaded_is_the_data_of_the_folder(published, from_the_hub, home, asking, monkeypatch):
    asking(from_the_hub)
    published.hub.requests.clear()
    config = load_task("mateo_both_baseline")
    docs = docs_of(config)
    assert data_problems(config) == ()
    elsewhere = identity.of_data("mateo_both_baseline", config, docs)
    assert elsewhere.pop("from") == f"hf://org/mateo@{published.hub.commit('org/mateo')}"
    picture = images.load_image(docs[0]["image_a"])
    first = media_of(config).sha256(docs[0]["image_a"])
    # A second process asks nobody, and another revision is not noticed.
    remote.forget()
    published.hub.requests.clear()
    asking({"HF_HUB_OFFLINE": "1"})
    assert docs_of(config) == docs
    assert list(images.load_image(docs[0]["image_a"]).getdata()) == list(picture.getdata())
    assert not published.hub.requests
    # From the folder it is the same data.
    for name in TABLES:
        monkeypatch.delenv(f"TEMPBENCH_DATA_{name.upper()}")
    monkeypatch.setenv("TEMPBENCH_DATA", str(home))
    assert docs_of(config) == docs
    assert media_of(config).sha256(docs[0]["image_a"]) == first
    assert identity.of_data("mateo_both_baseline", config, docs) == elsewhere


@pytest.mark.slow
def test_a_commit_in_the_address_asks_for_no_other(published, from_the_hub, asking):
    commit = published.hub.commit("org/mateo")
    asking(from_the_hub | {"TEMPBENCH_DATA_MATEO": f"hf://org/mateo@{commit}"})
    root = roots.prepared_root("mateo")
    assert json.loads((root / "manifest.json").read_text())["benchmark"] == "mateo"
    remote.forget()
    published.hub.requests.clear()
    assert roots.prepared_root("mateo") == root
    assert not published.hub.requests
