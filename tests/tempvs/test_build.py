"""The whole pipeline on small sources in their real forms: what each step leaves, resuming, the data set."""

import itertools
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hf_datasets.tempvs import build, encoders, filters, language, steps
from tempbench_lmms.data import tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs.rows import problems

from .build_helpers import Server, write_vist, write_vwp

pytestmark = pytest.mark.slow

VERBS = ["painted a fence", "jumped over a stone", "baked bread", "climbed a tree", "drove to the sea"]
NAMES = ["Anna", "Bert", "Clara", "Doris", "Emil"]


def captions_of(number: int, first: str = "") -> list[str]:
    """Five captions that are unlike each other, and unlike those of another number."""
    captions = [f"On day {number} {name} {verb}." for name, verb in zip(NAMES, VERBS, strict=True)]
    return [first or captions[0], *captions[1:]]


# {(story, album): captions}. Each story but three falls to one filter, named in the comment.
STORIES = {
    (1, 1): captions_of(1),  # a longer story of the same album is kept
    (2, 2): captions_of(2, "Anna loved the red fence."),  # stative verb
    (3, 3): captions_of(3, "She painted a fence."),  # starting pronoun
    (4, 4): captions_of(4, captions_of(4)[1]),  # the same caption twice
    (5, 5): captions_of(5),  # persons in two of five images
    (6, 6): captions_of(6),  # two images alike
    (7, 7): captions_of(7),  # every text like the first image
    (8, 1): captions_of(8, "On day 8 Anna and her uncle slowly painted a long white fence."),
    (9, 9): captions_of(9, "There was nothing on day 9."),  # NO_EVENT
    (10, 10): captions_of(10),  # excluded by hand
    (11, 11): captions_of(11, "On day 11 Anna\u2028painted a fence."),
}
LEFT = {
    "stories": 11,
    "stative": 10,
    "pronouns": 9,
    "captions": 8,
    "persons": 7,
    "images": 6,
    "ambiguity": 5,
    "sequences": 4,
    "events": 3,
    "manual": 2,
}


def image_key(root: Path, source: str, image: str) -> str:
    stat = (root / image).stat()
    return json.dumps([source, image, stat.st_size, stat.st_mtime_ns])


class Made:
    """A work folder whose vectors and scores are given, so that no model is loaded.

    Text i and image i of a story are the i-th unit vector but where a story is meant to fall.
    """

    def __init__(self, folder: Path, server: Server) -> None:
        self.work, self.vist, self.server = folder / "work", folder / "vist", server
        write_vist(self.vist, STORIES)
        (folder / "excluded").write_text("\nvist/10\n")
        axes = np.eye(5)
        images, persons, texts, pairs = {}, {}, {}, {}
        for (story, album), captions in STORIES.items():
            for place in range(5):
                key = image_key(self.vist, "vist", f"images/train/{album}{place}.jpg")
                images[key] = axes[0] if (story, place) == (6, 4) else axes[place]
                persons[key] = [0.5 if story == 5 and place > 1 else 0.95]
                vector = axes[0] if story == 7 else axes[place]
                # An event is its caption, as the server answers, in one line.
                texts |= {captions[place]: vector, " ".join(captions[place].split()): vector}
            for a, b in itertools.combinations(captions, 2):
                pairs[json.dumps([a, b])] = [1.0 if a == b else 0.3] * 3
        for kind, model, vectors in (
            ("bertscore-6", "bert", pairs),
            ("images", "clip", images),
            ("persons", "detr", persons),
            ("texts", "clip", texts),
        ):
            store = encoders.Store(self.work / "vectors" / f"{kind}-{encoders.fingerprint(model)}")
            store.add(list(vectors), vectors.values(), "")
        self.options: dict[str, Any] = {
            "work": self.work,
            "vist": self.vist,
            "exclude": folder / "excluded",
            "clip": "clip",
            "detector": "detr",
            "bert": "bert",
            "bert_layers": 6,
            "endpoint": server.url,
            "model": "stub",
            "device": "cpu",
            "blind_model": ["m1", "m2", "m3"],
        }

    def build(self, **options: Any) -> None:
        build.build(**self.options | options)

    def manifest(self, step: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.work / "steps" / f"{step}.json").read_text())
        return found

    def rows(self, name: str) -> list[tables.Row]:
        return tables.read_rows(self.work / "data" / "tempvs" / name / "test.parquet")


def always_a(name: str, **_: Any) -> Callable[[Sequence[str]], Iterator[str]]:
    return lambda texts: ("Option A" for _ in texts)


def limits(monkeypatch: pytest.MonkeyPatch, image: float = 0.9) -> None:
    """Sets the thresholds of the paper to others."""
    monkeypatch.setitem(filters.THRESHOLDS["paper"], "vist", filters.Thresholds(0.99, 0.99, 0.99, image))


@pytest.fixture
def made(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setattr(language, "text_model", always_a)
    limits(monkeypatch)
    return Made(tmp_path, server)


def test_what_each_step_leaves(
    made: Made,
    minilm: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    made.options["bert"] = minilm
    made.build()
    assert {step: made.manifest(step)["left"]["vist"]["stories"] for step in LEFT} == LEFT
    assert made.manifest("captions")["dropped"] == {"vist: similar captions": 1}
    assert made.manifest("events")["dropped"] == {"vist: NO_EVENT": 1}
    # Two stories of five places: ten pairs and ten triples each, a true and a false statement about each.
    assert made.manifest("manual")["left"]["vist"] == {"stories": 2, "pairs": 20, "triples": 20}
    asked = {
        "mt1_two": 40,
        "mt1_three": 40,
        "mt2_event": 2,
        "mt2_caption": 2,
        "mt3_event": 2,
        "mt3_caption": 2,
    }
    assert made.manifest("questions")["left"]["vist"] == asked
    # All three text models say A. In MT1 the answers go A, B, B, A; the ordering questions' first answer is
    # A and their second B; MT3 is never asked without images.
    left = asked | {"mt1_two": 20, "mt1_three": 20, "mt2_event": 1, "mt2_caption": 1}
    assert made.manifest("blind")["left"]["vist"] == left
    assert made.manifest("blind")["dropped"]["vist: mt2_event answered without images"] == 1
    # The captions of four stories were sent, each once.
    assert len(made.server.requests) == 20
    printed = capsys.readouterr().out
    assert "11 (49700)" in printed
    assert "2 (809)" in printed
    assert "20 (3742)" in printed


def test_the_data_set_is_whole(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    made.build()
    root = made.work / "data" / "tempvs"
    monkeypatch.setenv("TEMPBENCH_DATA", str(root.parent))
    assert list(problems(root)) == []
    rows = made.rows("all")
    assert {row["role"] for row in rows} == {"main", "grounding"}
    # Sorted by album: "1" before "11". Of album 1 the longer story.
    assert list(dict.fromkeys(row["sequence_id"] for row in rows)) == ["1", "11"]
    assert all(row["answer"] == "B" for row in rows if row["tests"] == ["mt2_event"])
    assert len(list((root / "media").rglob("*.jpg"))) == 10
    # The answers of the first pair's statements are A and B: the true one went, the false one stayed, which
    # tells the later event first. The official rule writes the rest of an opening clause small.
    first = next(row for row in rows if row["tests"] == ["mt1_two"])
    assert first["text"] == (
        "On day 8 anna and her uncle slowly painted a long white fence "
        "after on day 8 Bert jumped over a stone."
    )
    original = (made.vist / "images" / "train" / "10.jpg").read_bytes()
    assert (root / "media" / "vist" / "images" / "train" / "10.jpg").read_bytes() == original
    # Each leaf holds its own part.
    assert {test for row in made.rows("mt3_event") for test in row["tests"]} == {"mt3_event", "gt_event"}


def test_a_second_run_does_nothing(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.build()
    before = {path: path.stat().st_mtime_ns for path in made.work.rglob("*") if path.is_file()}
    capsys.readouterr()
    made.build()
    assert capsys.readouterr().err == ""
    assert {path: path.stat().st_mtime_ns for path in made.work.rglob("*") if path.is_file()} == before


def test_a_changed_setting_runs_what_depends_on_it(
    made: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made.build()
    capsys.readouterr()
    # Story 5 stays now, and then falls to nothing else: its captions alone are new to the server.
    monkeypatch.setattr(steps, "_PERSON_SHARE", 0.4)
    made.build()
    ran = capsys.readouterr().err.split(" ...\n")[:-1]
    assert ran == [
        "persons",
        "images",
        "ambiguity",
        "sequences",
        "events",
        "manual",
        "questions",
        "blind",
        "release",
    ]
    assert made.manifest("manual")["left"]["vist"]["stories"] == 3
    assert len(made.server.requests) == 25


def test_steps_skipped_and_until(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made.build(until="pronouns")
    assert not (made.work / "steps" / "captions.json").exists()
    made.build(until="events", skip=["persons", "stative"])
    # Story 2 and story 5 stay.
    assert made.manifest("persons")["left"]["vist"]["stories"] == 9
    assert "(skipped)" in capsys.readouterr().out
    for wrong, message in (
        ({"until": "dance"}, "unknown step 'dance'"),
        ({"skip": ["events"]}, "only stative, .* can be skipped"),
        ({"vist": None}, "no source given"),
        ({"thresholds": "other"}, "choose paper or scripts"),
        ({"blind_model": ["m1", "m1", "m2"]}, "three models, not 2"),
        ({"exclude": made.work / "nothing"}, "--exclude"),
    ):
        with pytest.raises(TempbenchError, match=message):
            made.build(**wrong)


def test_a_pipeline_that_leaves_nothing_says_where(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    # No two images can be less alike than -1.
    limits(monkeypatch, -1)
    for _ in range(2):
        with pytest.raises(TempbenchError, match=r"the step images left nothing: vist: similar images \(7\)"):
            made.build()
    assert not (made.work / "data").exists()


def test_an_image_that_cannot_be_read_leaves_its_story_out(
    made: Made,
    tiny_clip: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (made.vist / "images" / "train" / "110.jpg").write_bytes(b"no picture")
    # All pictures are alike to a random model.
    limits(monkeypatch, 1.1)
    made.build(clip=str(tiny_clip), skip=["persons"], until="ambiguity")
    assert made.manifest("images")["dropped"] == {"vist: unreadable image": 1}
    left = made.manifest("ambiguity")["left"].get("vist", {"stories": 0})["stories"]
    assert left + sum(made.manifest("ambiguity")["dropped"].values()) == 7


def test_no_folder_of_the_users_is_written_over(made: Made, tmp_path: Path) -> None:
    (tmp_path / "mine" / "tempvs").mkdir(parents=True)
    (tmp_path / "mine" / "tempvs" / "note").write_text("mine")
    with pytest.raises(TempbenchError, match="holds other files"):
        made.build(output=tmp_path / "mine")
    assert os.listdir(tmp_path / "mine" / "tempvs") == ["note"]
    # Its own it may: what is no longer asked about goes.
    made.build()
    (made.work.parent / "excluded").write_text("vist/10\nvist/11\n")
    made.build()
    assert len(list((made.work / "data" / "tempvs" / "media").rglob("*.jpg"))) == 5


def test_two_more_sources(
    tmp_path: Path,
    flintstones: Path,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Clips become pictures, characters are described, and sequences of six have longer orders."""
    vwp = flintstones / "vwp"
    vwp.mkdir()
    met = "Mary met John in Paris."
    write_vwp(vwp, [["John ran.", met, "A man sang.", "The bus left.", "Snow fell.", "Mary slept."]])
    work = flintstones / "work"
    monkeypatch.setattr(language, "text_model", always_a)
    settings: dict[str, Any] = {
        "work": work,
        "flintstones": flintstones,
        "vwp": vwp,
        "skip": ["captions", "persons", "images", "blind"],
        "clip": "clip",
        "endpoint": server.url,
        "model": "stub",
    }
    build.build(**settings, until="stories")
    images, texts = {}, {}
    for line in (work / "steps" / "stories.jsonl").read_text().splitlines():
        story = json.loads(line)
        root = flintstones if story["source"] == "flintstones" else vwp
        for place, (image, caption) in enumerate(zip(story["images"], story["captions"], strict=True)):
            images[image_key(root, story["source"], image)] = np.eye(9)[place]
            texts[caption] = np.eye(9)[place]
    # The two stories of Flintstones overlap: only the first one's places count.
    for kind, vectors in (("images", images), ("texts", texts)):
        store = encoders.Store(work / "vectors" / f"{kind}-{encoders.fingerprint('clip')}")
        store.add(list(vectors), vectors.values(), "")
    build.build(**settings)
    root = work / "data" / "tempvs"
    monkeypatch.setenv("TEMPBENCH_DATA", str(root.parent))
    assert list(problems(root)) == []
    rows = tables.read_rows(root / "all" / "test.parquet")
    cartoon = [row for row in rows if row["source"] == "flintstones"]
    assert all(image.endswith(".png") for row in cartoon for image in row["images"])
    # An ordering question describes all that its captions name; a statement only who is in its events.
    order = next(row for row in cartoon if row["tests"] == ["mt3_caption"])
    assert order["character_info"].startswith("Wilma has red hair")
    assert "Fred is a stout" in order["character_info"]
    statement = next(row for row in cartoon if row["tests"] == ["mt1_two"])
    assert ("Wilma" in statement["character_info"]) == ("wilma" in statement["text"].lower())
    film = [row for row in rows if row["source"] == "vwp"]
    assert all(row["character_info"] == "" for row in film)
    assert len(next(row for row in film if row["tests"] == ["mt2_event"])["sentences"]) == 6
    # "Mary" never stands inside a sentence, "John" does: only he keeps his capital.
    texts_of_film = " ".join(row["text"] for row in film if row["tests"] == ["mt1_two"])
    assert "after John ran." in texts_of_film
    assert "Earlier, mary slept." in texts_of_film
    # Each source counts its questions from 0.
    for of in (cartoon, film):
        assert next(row for row in of if row["tests"] == ["mt3_event"])["question_id"].endswith("/0")
