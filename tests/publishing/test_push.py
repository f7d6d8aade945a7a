"""What is published, what is refused, and what plain `datasets` makes of it."""

import re
import sys

import pytest
import yaml

from hf_datasets.publishing import facts, terms
from hf_datasets.publishing.card import AS_FILES
from tempbench_lmms import benchmarks
from tempbench_lmms.data import checksums, manifests, roots
from tempbench_lmms.errors import TempbenchError
from tests.command import complains, tempbench
from tests.hub import Hub, nowhere, variables

from .conftest import TABLES, prepare
from .loading import expected, loaded


def push(home, hub, tmp_path, benchmark, *words, repo="org/other"):
    given = {"TEMPBENCH_DATA": str(home), **variables(hub, tmp_path / "hf")}
    return tempbench("push", benchmark, "--repo", repo, *words, **given)


@pytest.fixture
def empty_hub(tmp_path):
    with Hub({}, tmp_path / "server") as hub:
        yield hub


@pytest.mark.slow
def test_nothing_is_uploaded_without_a_preview_and_a_yes(home, empty_hub, tmp_path):
    done = push(home, empty_hub, tmp_path, "mateo", "--dry-run")
    assert done.returncode == 0
    assert "org/other: PUBLIC, a new repository" in done.stdout
    assert "pairs: test " in done.stdout
    assert "MATEO: CC-BY-NC-SA-4.0" in done.stdout
    done = push(home, empty_hub, tmp_path, "mateo")  # nobody can be asked here
    complains(done, "nothing was uploaded", "--yes")
    assert "PUBLIC" in done.stdout
    assert empty_hub.repositories == {}
    words = ("push", "mateo", "--repo", "org/other", "--dry-run")
    done = tempbench(*words, TEMPBENCH_DATA=str(home), **nowhere(tmp_path / "nowhere"))
    assert done.returncode == 0
    assert "not compared with the existing content" in done.stdout
    assert "same command continues" not in done.stdout
    done = tempbench("push", "mateo", "--repo", "org/other", TEMPBENCH_DATA="hf://org/other")
    complains(done, "TEMPBENCH_DATA is an address", "hf download ORG/NAME")


@pytest.mark.parametrize(
    ("benchmark", "words", "message"),
    [
        (
            "tempvs",
            (),
            "(FlintstonesSV: research only, PororoSV: research only, VIST: images keep their Flickr",
        ),
        ("coherence", (), "(TOMATO: videos of YouTube keep their owners' licences); add --private"),
        ("rextime", (), "no public copy is allowed (ActivityNet: videos keep"),
        ("mateo", ("--license", "mit"), "--license is only for your own data"),
    ],
)
def test_a_licence_refuses_in_one_line(home, empty_hub, tmp_path, benchmark, words, message):
    done = push(home, empty_hub, tmp_path, benchmark, "--yes", *words)
    complains(done, message)
    assert "Apache" not in done.stderr
    assert "CC-BY" not in done.stderr
    assert not empty_hub.requests


def rewrite(root, **changes):
    manifest = manifests.read(root)
    return manifests.write({**manifest, **changes}, root)


def test_what_has_no_licence_is_not_even_kept():
    with pytest.raises(TempbenchError, match=r"TimeBlind states no licence .* not even a private copy"):
        terms.terms_of("timeblind", {}, None).check(private=True)


@pytest.mark.slow
def test_data_of_one_s_own_needs_a_licence(empty_hub, tmp_path):
    rewrite(prepare("mateo", tmp_path / "home"), source={"folder": "/x", "sha256": "y"})
    complains(
        push(tmp_path / "home", empty_hub, tmp_path, "mateo", "--yes"), "give its licence with --license"
    )
    complains(
        push(tmp_path / "home", empty_hub, tmp_path, "mateo", "--license", "a b"), "not a licence identifier"
    )
    done = push(tmp_path / "home", empty_hub, tmp_path, "mateo", "--license", "cc-by-4.0", "--yes")
    assert done.returncode == 0, done.stderr
    card = (tmp_path / "server/org/other/README.md").read_text()
    assert yaml.safe_load(card.split("---")[1])["license"] == "cc-by-4.0"


def test_data_that_is_not_sound_is_not_published(empty_hub, tmp_path):
    root = prepare("mateo", tmp_path / "home")
    picture = next(root.rglob("*.png"))
    picture.write_bytes(picture.read_bytes()[:100])
    done = push(tmp_path / "home", empty_hub, tmp_path, "mateo", "--yes")
    complains(done, picture.name, "data with problems is not published")
    assert not empty_hub.repositories


@pytest.mark.slow
def test_a_part_that_was_asked_for_is_named(empty_hub, tmp_path, by_the_numbers):
    home = {"TEMPBENCH_DATA": str(tmp_path / "home")}
    assert tempbench("prepare", "motion_only", "--pairs", 1, **home).returncode == 0
    part = ", a part, as asked for: 2 of 200 questions (test 2 of 200)"
    assert tempbench("verify", "motion_only", **home).stdout.endswith(f": ok{part}\n")
    done = push(tmp_path / "home", empty_hub, tmp_path, "motion_only", "--yes")
    assert f"not the whole benchmark{part}" in done.stdout
    card = tmp_path / "server/org/other/README.md"
    assert f"- not the whole benchmark{part}" in card.read_text()


@pytest.mark.slow
def test_what_is_there_is_replaced_only_with_saying_so(empty_hub, tmp_path):
    root = prepare("mateo", tmp_path / "home")
    words = ("mateo", "--yes")
    assert push(tmp_path / "home", empty_hub, tmp_path, *words).returncode == 0
    own = tmp_path / "server/org/other/notes.txt"
    own.write_text("mine")
    again = push(tmp_path / "home", empty_hub, tmp_path, *words)
    assert "nothing to do: the repository is up to date" in again.stdout
    assert "not changed: notes.txt" in again.stdout
    rewrite(root, skipped={"test": ["y: no picture"]})
    done = push(tmp_path / "home", empty_hub, tmp_path, *words)
    assert "REPLACED: README.md, manifest.json" in done.stdout
    assert "y: no picture" in own.with_name("README.md").read_text()
    assert own.read_text() == "mine"


@pytest.mark.slow
def test_what_is_private_does_not_go_into_a_public_repository(home, empty_hub, tmp_path):
    assert push(home, empty_hub, tmp_path, "mateo", "--yes").returncode == 0
    done = push(home, empty_hub, tmp_path, "tempvs", "--yes", "--private")
    complains(done, "org/other is public")


@pytest.mark.slow
def test_a_server_that_makes_it_public_gets_nothing(home, empty_hub, tmp_path):
    class Forgetful(set):
        def add(self, name):
            pass

    empty_hub.private = Forgetful()
    done = push(home, empty_hub, tmp_path, "tempvs", "--yes", "--private")
    complains(done, "org/other is public, but this data may not be; nothing was uploaded")
    assert not any("commit" in asked for asked in empty_hub.requests)


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", TABLES)
def test_what_is_published(published, home, benchmark):
    folder, root = published.folder / benchmark, home / benchmark
    # Pictures and videos stand there once, as do the tables, as they are.
    there = sorted(
        path.relative_to(folder).as_posix() for path in (folder / "media").rglob("*") if path.is_file()
    )
    assert there == sorted(checksums.read(root))
    for place in (*TABLES[benchmark], *there):
        assert (folder / place).read_bytes() == (root / place).read_bytes()
    # Nothing tells of the publisher's machine.
    for path in folder.rglob("*"):
        if path.suffix in (".json", ".md", ".yaml"):
            assert "/home/somebody" not in path.read_text()
            assert str(home) not in path.read_text()
    manifest = manifests.read(folder)
    assert manifest["files"].keys() >= {*TABLES[benchmark]}
    header = yaml.safe_load((folder / "README.md").read_text().split("---")[1])
    configs = {one["config_name"]: [file["split"] for file in one["data_files"]] for one in header["configs"]}
    splits = {}
    for place in TABLES[benchmark]:
        *_, config, file = place.split("/")
        splits.setdefault(config, []).append(file.removesuffix(".parquet"))
    assert {name: sorted(found) for name, found in configs.items()} == {
        k: sorted(v) for k, v in splits.items()
    }
    card, text = benchmarks.card(benchmark), (folder / "README.md").read_text()
    assert card.bibtex.strip() in text
    has_videos = any(place.endswith(".mp4") for place in there)
    assert (AS_FILES in text) == ("pip install torchcodec" in text) == has_videos
    tasks = yaml.safe_load((folder / "eval.yaml").read_text())["tasks"]
    ids = [task["id"] for task in tasks]
    assert set(ids) <= {f"{card.full[0]}_{metric}" for metric in card.primary}
    assert not any("clip" in name for name in ids)  # of the captions, which another task asks for
    assert len(ids) >= 5
    assert all(task["split"] in configs[task["config"]] for task in tasks)


@pytest.mark.parametrize("benchmark", TABLES)
def test_the_card_says_what_columns_mean(published, benchmark):
    text = (published.folder / benchmark / "README.md").read_text()
    unknown = re.findall(r"^\| `(\w+)` \| [^|]+ \|  \|$", text, re.MULTILINE)
    assert len(unknown) <= 9, unknown


def test_every_benchmark_says_what_its_data_is():
    for name in benchmarks.names():
        facts.facts_of(name)
        known = {source.name for source in benchmarks.card(name).sources}
        for manifest in (
            {},
            {"parts": {"tomato": {}, "ucm": {}, "temporalvqa": {}}},
            {"source": {"language": "en"}},
        ):
            assert set(facts.sources_of(name, manifest)[0]) <= known
    request = {"parts": {"series": {"request": {"fmow": "/x"}}, "ucm": {}, "temporalvqa": {}}}
    named = ["fMoW-rgb", "UC Merced Land Use", "TemporalVQA"]
    assert facts.sources_of("timepercept", request) == (named, [])
    assert {one.name for one in benchmarks.card("timepercept").sources} >= {*named}


@pytest.mark.slow
def test_plain_datasets_gives_the_same_questions_with_their_pictures(published, home, tmp_path):
    paths = {
        (name, place.split("/")[-2], place.split("/")[-1].removesuffix(".parquet")): home / name / place
        for name in TABLES
        for place in TABLES[name]
    }
    found = loaded(sys.executable, list(paths), published.hub, tmp_path / "hf")
    for table, path in paths.items():
        assert found[table] == expected(path, lambda url: home / url.removeprefix(roots.SCHEME))


PAPERS = {
    "tempvs": (
        "000*",
        ("Flickr", "GPT-4", "PERSON", "stative verbs", "manual check", "FlintstonesSV", "VWP"),
    ),
    "timepercept": ("001*", ("cloud cover", "infrastructure", "airport", "factory", "everyday life scenes")),
    "mateo": (
        "002*",
        ("GialloZafferano", "Prolific", "native Italian", "Llama-3-8B", "top-down", "overestim"),
    ),
    "coherence": ("003*", ("YouTube & Self-created", "biased towards the performance of CLIP Model")),
    "rextime": ("004*", ("GPT-4V", "re-annotate the event spans", "predominantly features human activities")),
}
"""Each paper's file, and the words on which what a card says of the data rests."""


@pytest.mark.parametrize("benchmark", PAPERS)
def test_what_a_card_says_of_the_data_is_in_the_paper(shared, benchmark):
    file, words = PAPERS[benchmark]
    paper = " ".join(next((shared / "papers").glob(file)).read_text().split())
    assert [word for word in words if word not in paper] == []
    card = facts.facts_of(benchmark)
    said = " ".join((card.collection, card.annotation, card.biases, card.personal))
    figures = re.findall(r"(?<![\w-])\d+(?:\.\d+)?", said)
    assert [figure for figure in figures if not re.search(rf"\b{re.escape(figure)}", paper)] == []
