"""The release in every form in which it may come, and damaged, from a stand-in of our own making."""

import json
import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hf_datasets.tempvs.prepare import REPO, prepare
from tempbench_lmms.data import roots
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.media.images import stitch, unstitch
from tempbench_lmms.tempvs import scoring
from tempbench_lmms.tempvs.card import MAIN_TESTS, SOURCES
from tempbench_lmms.tempvs.rows import problems
from tests.command import tempbench
from tests.hub import COMMIT, Hub, variables
from tests.tempvs import stand_in


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The stand-in, not to be changed."""
    return stand_in.write(tmp_path_factory.mktemp("tempvs") / "release")


@pytest.fixture(scope="session")
def expected(whole, tmp_path_factory):
    """What is made of it."""
    home = tmp_path_factory.mktemp("home")
    before = os.environ.get("TEMPBENCH_DATA")
    os.environ["TEMPBENCH_DATA"] = str(home)
    try:
        prepare(whole, accept_license=True)
        assert list(problems(home / "tempvs")) == []
    finally:
        os.environ.pop("TEMPBENCH_DATA")
        if before is not None:
            os.environ["TEMPBENCH_DATA"] = before
    return home / "tempvs"


@pytest.fixture
def release(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "release")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    return tmp_path / "home" / "tempvs"


def manifest(home):
    return json.loads((home / roots.MANIFEST).read_text(encoding="utf-8"))


def zipped(folder: Path, archive: Path, inside: str = "") -> None:
    """Moves a folder's content into an archive, below the folder `inside` of it."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [f"{inside}{path.relative_to(folder).as_posix()}" for path in files]
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as out:
            for path, name in zip(files, names, strict=True):
                out.write(path, name)
    else:
        with tarfile.open(archive, "w:gz") as out:
            for path, name in zip(files, names, strict=True):
                out.add(path, name)
    shutil.rmtree(folder)


def everything_in_one_archive(release):
    zipped(release / "data", release / "TempVS-main.zip", "TempVS-main/data/")


def pictures_beside_the_tables(release):
    (release / "data/pictures").mkdir()
    for source in SOURCES:
        (release / "data" / source).rename(release / "data/pictures" / source)


def pictures_as_png(release):
    for path in [path for path in (release / "data").rglob("*") if path.suffix in (".jpg", ".jpeg")]:
        with Image.open(path) as picture:
            picture.save(path.with_suffix(".png"))
        path.unlink()


LAYOUTS = [
    pictures_as_png,
    everything_in_one_archive,
    pictures_beside_the_tables,
]


def without_media(rows):
    """The rows, with pictures by their names alone, whatever their format."""
    return [row | {"images": [Path(url).stem for url in row["images"]]} for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("change", LAYOUTS, ids=lambda change: change.__name__)
def test_layouts(release, home, expected, change):
    """Of two sources each; how a source is laid out does not depend on the others."""
    first = LAYOUTS.index(change)
    sources = [SOURCES[i % len(SOURCES)] for i in (first, first + 1)]
    change(release)
    prepare(release, accept_license=True, sources=",".join(sources))
    assert list(problems(home)) == []
    wanted = [row for row in read_rows(expected / "all") if row["source"] in sources]
    assert without_media(read_rows(home / "all")) == without_media(wanted)
    assert manifest(home)["images"] == 2 * 2 * stand_in.N
    assert manifest(home)["solved_blind"] == {
        test: {source: counts[source] for source in counts if source in sources}
        for test, counts in manifest(expected)["solved_blind"].items()
    }
    assert [path.name for path in home.parent.iterdir() if "unpacked" in path.name] == []


def test_annotations_alone_are_told_where_their_pictures_come_from(release, home):
    for source in ("vwp", "vist"):
        shutil.rmtree(release / "data" / source)
    with pytest.raises(TempbenchError) as error:
        prepare(release, accept_license=True, sources="vwp,vist")
    said = f"no question under {release / 'data'} can be asked: {4 * stand_in.N} pictures are missing ("
    assert str(error.value).startswith(said)
    for home_of in ("vwp from https://huggingface.co/datasets/tonyhong/vwp (research only)", "; vist from "):
        assert home_of in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_strips_serve_where_single_images_are_missing(release, home, expected, source, capsys):
    gone = [stand_in.single(source, 0, i) for i in (1, 3)]
    for place in gone:
        (release / "data" / place).unlink()
    prepare(release, accept_license=True, sources=source)
    found = manifest(home)
    below = [place.partition("/")[2] for place in gone]
    assert found["images_from_strips"] == [f"{source}/from_strips/{place}.png" for place in below]
    assert found["images_missing"] == found["skipped"] == []
    assert "2 missing images are cut out of the shipped strips" in capsys.readouterr().out
    assert list(problems(home)) == []
    wanted = [row for row in read_rows(expected / "all") if row["source"] == source]
    assert len(read_rows(home / "all")) == len(wanted)
    for place, piece in zip(gone, found["images_from_strips"], strict=True):
        with Image.open(home / "media" / piece) as cut, Image.open(expected / "media" / place) as single:
            wide = single.size[0], max(stand_in.size_of(source, i)[1] for i in range(stand_in.N))
            assert cut.size == wide
            assert np.abs(np.asarray(cut, int) - np.asarray(single, int)).mean() < 4


@pytest.mark.slow
@pytest.mark.parametrize("spoil", ["a strip that is none", "a strip of fewer images", "a link out"])
def test_strips_that_are_no_use(release, home, tmp_path, spoil):
    (release / "data" / stand_in.single("pororo", 0, 1)).unlink()
    for strip in (release / "data/pororo").glob("combined*/pororo0*"):
        if spoil == "a strip that is none":
            strip.write_bytes(strip.read_bytes()[:300])
        elif spoil == "a strip of fewer images":
            Image.open(strip).crop((0, 0, 70, 70)).save(strip)
        else:
            shutil.move(strip, tmp_path / strip.name)
            strip.symlink_to(tmp_path / strip.name)
    prepare(release, accept_license=True, sources="pororo")
    assert manifest(home)["images_from_strips"] == []
    assert manifest(home)["images_missing"] == [f"/data/{stand_in.single('pororo', 0, 1)}"]
    assert any(line.startswith("pororo_") for line in problems(home))


@pytest.mark.parametrize("source", SOURCES)
def test_a_strip_gives_back_what_was_stitched(source):
    generator = np.random.default_rng(0)
    shapes = [(30, 20 + (7 * i if source == "vwp" else 0), 3) for i in range(6)]
    images = [Image.fromarray(generator.integers(0, 200, shape, dtype=np.uint8)) for shape in shapes]
    strip = stitch(images, [f"Image {i}" for i in range(6)], source)
    found = unstitch(strip, 6, source)
    if source == "vist":
        assert [image.size for image in found] == [(443, 240)] * 6
    else:
        assert all(
            (np.asarray(one) == np.asarray(other)).all() for one, other in zip(found, images, strict=True)
        )
    assert unstitch(strip, 5, source) is None
    assert unstitch(strip, 0, source) is None
    # A border of white as wide as a gap: no telling where the image ends.
    white = [Image.new("RGB", (25, 30), "white"), *images[1:]]
    if source == "vwp":
        assert unstitch(stitch(white, ["a"] * 6, source), 6, source) is None


def test_what_text_models_solve_is_marked_and_counted(expected):
    rows = read_rows(expected / "all")
    for row in rows:
        test, number = row["tests"][0], int(row["question_id"].rpartition("_q")[2])
        filtered = row["role"] == "main" and not test.startswith("mt3")
        assert row["solved_blind"] == (number % 2 == 0 if filtered else None)
    # Of a source: two pairs and one triple in both truths, in two stories; one order a story.
    counts = {"mt1_two": 4, "mt1_three": 2, "mt2_event": 1, "mt2_caption": 1}
    assert manifest(expected)["solved_blind"] == {
        test: dict.fromkeys(SOURCES, n) for test, n in counts.items()
    }
    assert manifest(expected)["no_blind_answers"] == []


def test_the_official_numbers_leave_out_what_text_models_solve(expected):
    rows = read_rows(expected / "mt1_two")
    # Right exactly where the text models are: everything right is left out.
    replies = {
        row["question_id"]: row["target"] if row["role"] == "grounding" or row["solved_blind"] else "Option Z"
        for row in rows
    }
    records = [scoring.record(row, replies[row["question_id"]]) for row in rows]
    assert scoring.METRICS["n_main"](records) == 32
    assert scoring.n_official(records) == 16
    assert float(scoring.mt(records).value) == 0.5
    assert float(scoring.METRICS["mt_official"](records).value) == 0
    assert float(scoring.METRICS["gt_strict_official"](records).value) == 1
    # Where nothing is known nothing is left out.
    known_of_nothing = [
        scoring.record(row | {"solved_blind": None}, replies[row["question_id"]]) for row in rows
    ]
    assert scoring.n_official(known_of_nothing) == 32
    assert float(scoring.METRICS["mt_official"](known_of_nothing).value) == 0.5


def predictions(release, source="vist", model="Llama-3.1-8B"):
    return release / f"data/predictions/blind/{model}/{source}_paired_event_discrimination_preds_full.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("none", "no answers of text models in the release"),
        ("one model lacks", "no answers of Llama-3.1-8B"),
        ("no JSON", "cannot be read"),
        ("a row lacks", "not all three text models answered s0_q0"),
        ("another answer", "or it was another question"),
        ("an id twice", "without id or answer, or one twice"),
    ],
)
def test_blind_answers_that_are_no_use_are_said(release, home, capsys, spoil, said):
    path = predictions(release)
    rows = json.loads(path.read_text())
    if spoil == "none":
        shutil.rmtree(release / "data/predictions")
    elif spoil == "one model lacks":
        path.unlink()
    else:
        if spoil == "a row lacks":
            rows = rows[1:]
        elif spoil == "another answer":
            rows[0]["gt_option"] = "B"
        elif spoil == "an id twice":
            rows[1]["question_id"] = rows[0]["question_id"]
        path.write_text("[" if spoil == "no JSON" else json.dumps(rows))
    prepare(release, accept_license=True, sources="vwp,vist")
    (line,) = manifest(home)["no_blind_answers"]
    assert said in line
    assert said in capsys.readouterr().out
    assert list(problems(home)) == []
    known = {
        (row["tests"][0], row["source"]) for row in read_rows(home / "all") if row["solved_blind"] is not None
    }
    asked = {(test, source) for test in MAIN_TESTS[:4] for source in ("vwp", "vist")}
    assert known == (set() if spoil == "none" else asked - {("mt1_two", "vist")})


@pytest.mark.slow
def test_a_download_takes_what_is_needed(whole, tmp_path, home, expected):
    extra = shutil.copytree(whole, tmp_path / "extra")
    for name in ("blind/GPT4o/x.json", "combined/GPT4o/x.json", "blind/Llama-3.1-8B/x.pkl"):
        path = extra / "data/predictions" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[]")
    with Hub({REPO: extra}) as hub:
        done = tempbench("prepare", "tempvs", "--accept-license", **variables(hub, tmp_path / "hf"))
        assert done.returncode == 0, done.stderr
    names = {request.partition("/resolve/")[2] for request in hub.requests} - {""}
    assert read_rows(home / "all") == read_rows(expected / "all")
    assert manifest(home)["source"] == {"repository": REPO, "revision": COMMIT}
    # Strips, pickles and answers that nobody needs stay where they are.
    kept = ("GPT4o", "combined", ".pkl")
    assert not [name for name in names if any(one in name for one in kept)]
    assert len([name for name in names if "/blind/" in name]) == 3 * 4 * 4
