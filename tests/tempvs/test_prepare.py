"""From the official release to data that the tasks read."""

import json
import shutil
from pathlib import Path

import pytest

from hf_datasets.tempvs import release
from hf_datasets.tempvs.prepare import prepare
from tempbench_lmms.data import roots
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs.rows import problems


@pytest.fixture
def layout(shared, tmp_path):
    """A copy of the tiny release, to be spoilt."""
    folder = tmp_path / "release"
    shutil.copytree(shared / "golden/tempvs_release_layout", folder)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@pytest.fixture
def no_strips(layout):
    """Takes away the strips, which would serve in place of single images."""
    for name in ("combined", "combined_shuffled"):
        shutil.rmtree(layout / "data/flintstones" / name)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    return tmp_path / "home" / "tempvs"


def annotation(layout, stem):
    return layout / f"data/benchmark/flintstones_{stem}_test.json"


def manifest(home):
    return json.loads((home / roots.MANIFEST).read_text(encoding="utf-8"))


def test_every_question_and_each_image_once(layout, home, by_the_numbers):
    prepare(layout, accept_license=True)
    rows = read_rows(home / "all")
    # 12 + 8 statements, 2 sequences in each of four ordering tests.
    assert sum(row["role"] == "main" for row in rows) == 12 + 8 + 8
    # 8 + 8 + 10 + 10 grounding questions, those that ask the very same joined.
    assert sum(len(row["tests"]) for row in rows if row["role"] == "grounding") == 36
    asked = [(row["text"], row["instruction"], row["character_info"], *row["images"], *row["sentences"],
              *row["options"]) for row in rows]  # fmt: skip
    assert len(set(asked)) == len(asked)
    assert len(list((home / "media").rglob("*.jpg"))) == 10
    # The tiny release has one source of four.
    (line,) = problems(home)
    assert line.startswith("incomplete: 28 of 17,277 questions (mt1_two of flintstones 12 of 2,104, ")
    assert manifest(home)["source"] == {"folder": str(layout)}


@pytest.mark.slow
@pytest.mark.usefixtures("no_strips")
def test_less_is_whole_where_the_user_says_so(layout, home):
    prepare(layout, accept_license=True, sources="flintstones")
    assert list(problems(home)) == []
    next((layout / "data/flintstones/video_frames_sampled_jpg").glob("*.jpg")).unlink()
    prepare(layout, accept_license=True, sources="flintstones", force=True)
    left_out = [line for line in problems(home) if "left out when the data was prepared" in line]
    assert {line.partition(":")[0] for line in left_out} == {
        f"flintstones_{stem}_test" for stem in release.STEMS
    }
    for wrong in ("flintstone", ","):
        with pytest.raises(TempbenchError, match="choose from flintstones"):
            prepare(layout, accept_license=True, sources=wrong)


@pytest.mark.slow
@pytest.mark.usefixtures("no_strips")
def test_folders_deeper_and_pictures_elsewhere(layout, home, tmp_path):
    prepare(layout, accept_license=True)
    first = {row["question_id"]: row["answer"] for row in read_rows(home / "all")}
    deep = tmp_path / "download" / "TempVS-main"
    shutil.copytree(layout, deep)
    pictures = deep / "data/flintstones/video_frames_sampled_jpg"
    pictures.rename(pictures.with_name("frames"))
    prepare(deep.parent, accept_license=True, force=True)
    assert manifest(home)["images_missing"] == []
    assert {row["question_id"]: row["answer"] for row in read_rows(home / "all")} == first
    # A name that two files have is nobody's.
    name = next(pictures.with_name("frames").glob("*.jpg"))
    (pictures.parent / "others").mkdir()
    shutil.copy(name, pictures.parent / "others" / name.name)
    prepare(deep.parent, accept_license=True, force=True)
    assert [Path(stored).name for stored in manifest(home)["images_missing"]] == [name.name]
    shutil.copytree(deep, deep.with_name("again"))
    with pytest.raises(TempbenchError, match="holds the tables of TempVS twice"):
        prepare(deep.parent, accept_license=True, force=True)


def test_two_stories_under_one_id_are_left_out(layout, home):
    path = annotation(layout, "ordering_texts")
    rows = json.loads(path.read_text())
    rows[0]["img_seq_id"] = rows[1]["img_seq_id"]
    path.write_text(json.dumps(rows))
    prepare(layout, accept_license=True)
    assert (
        f"flintstones, {rows[1]['img_seq_id']}: 2 sequences of pictures under one id"
        in manifest(home)["skipped"]
    )
    assert {row["sequence_id"] for row in read_rows(home / "all")} == {"train_0"}


def test_rows_keep_what_the_release_says(layout, home):
    prepare(layout, accept_license=True)
    stored = json.loads(annotation(layout, "ordering_images").read_text())[1]
    row = next(r for r in read_rows(home / "mt3_caption") if r["question_id"].endswith("train_1_q1"))
    assert row["text"] == stored["texts_gt"]
    assert row["answer"] == stored["gt_option"] == "B"
    assert [Path(url).name for url in row["images"]] == [
        Path(path).name for path in stored["img_path_list_shuffled"]
    ]
    assert "; ".join(row["options"]) in "; ".join(
        line.partition(". ")[2] for line in stored["options"].split(";\n")
    )
    # The five groundings of its sequence, by caption.
    assert len(row["grounding"]) == 5
    assert all("gt_" in name and "train_1" in name for name in row["grounding"])


def test_a_statement_is_gated_by_its_own_events(layout, home):
    prepare(layout, accept_license=True)
    rows = {row["question_id"]: row for row in read_rows(home / "mt1_two")}
    main = rows["flintstones/mt1_two/train_0_q2"]
    assert main["events"] == [0, 4]
    assert [rows[name]["answer"] for name in main["grounding"]] == ["1", "5"]
    assert main["statement_type"] == "before"
    assert main["polarity"] == "gt"
    assert main["distance"] == 4


def test_licence_is_asked_for(layout, home):
    with pytest.raises(TempbenchError, match="--accept-license"):
        prepare(layout)
    assert not home.exists()


def test_no_release_there(tmp_path, home):
    with pytest.raises(TempbenchError, match="is not a TempVS release"):
        prepare(tmp_path, accept_license=True)


def test_deviations_are_reported(layout, home):
    prepare(layout, accept_license=True)
    assert "mt1_two, flintstones: 12 questions, Table 2 has 2104" in manifest(home)["deviations"]


@pytest.mark.parametrize(
    ("stem", "wrong", "said"),
    [
        ("ordering_texts", "B", "gt_option 'B' is"),
        ("paired_event_discrimination", "B", "gt_option 'B' is 'False' and the right one is 'True'"),
        ("single_grounding_paired", "image 3", "gt_option is 'image 3' and img_to_test is image 1"),
    ],
)
def test_a_row_whose_answer_contradicts_it_is_left_out(layout, home, capsys, stem, wrong, said):
    path = annotation(layout, stem)
    rows = json.loads(path.read_text())
    rows[0]["gt_option"] = wrong
    path.write_text(json.dumps(rows))
    prepare(layout, accept_license=True)
    first = manifest(home)["skipped"][0]
    assert first.startswith(f"flintstones_{stem}_test, {rows[0]['question_id']}: the answer is wrong ({said}")
    assert first in capsys.readouterr().out
    assert sum("the answer is wrong" in line for line in manifest(home)["skipped"]) == 1


@pytest.mark.parametrize(
    "stored",
    [
        "/data/flintstones/../../../etc/passwd",
        "/etc/passwd",
        "/data/flintstones/none.jpg",
        "/data/vist/images/x.jpg",
        "",
    ],
)
@pytest.mark.usefixtures("no_strips")
def test_hostile_and_missing_images_are_skipped_and_said(layout, home, stored):
    path = annotation(layout, "ordering_texts")
    rows = json.loads(path.read_text())
    rows[0]["img_path_list_gt"][0] = stored
    path.write_text(json.dumps(rows))
    prepare(layout, accept_license=True)
    assert "flintstones_ordering_texts_test, train_0_q0: an image is missing" in manifest(home)["skipped"]
    assert stored[:200] in manifest(home)["images_missing"]


@pytest.mark.parametrize("spoil", ["not json", "3", "{}", '[{"question_id": "x"}]', '[{"a": 1}, 2]'])
def test_bad_annotations(layout, home, spoil):
    annotation(layout, "ordering_texts").write_text(spoil)
    failure = ""
    try:
        prepare(layout, accept_license=True)
    except TempbenchError as error:
        failure = str(error)
    said = [failure] if failure else manifest(home)["skipped"]
    assert any("ordering_texts" in line for line in said)


def test_pickles_are_not_read(layout, home):
    shutil.rmtree(layout / "data/benchmark")
    with pytest.raises(TempbenchError, match="is a pickle"):
        prepare(layout, accept_license=True)
