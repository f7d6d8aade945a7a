"""The release and plans of one's own in every form in which they may come, and damaged."""

import json
import shutil
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hf_datasets.mateo import prepare as preparing
from hf_datasets.mateo.prepare import prepare
from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import prepared_root
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import tasks
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.mateo import hooks
from tempbench_lmms.mateo.card import REVISION
from tests.mateo import releases


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    return tmp_path / "home"


def manifest():
    return json.loads((prepared_root("mateo") / "manifest.json").read_text(encoding="utf-8"))


def verified():
    return list(benchmarks.rows("mateo").problems(prepared_root("mateo")))


@pytest.fixture
def release(tmp_path):
    """A stand-in for the release."""
    return releases.whole(tmp_path / "release")


def rows_of_all():
    return {
        name: docs_of(load_task(name))
        for name in ("mateo_both_instructions", "mateo_text_instructions_validation")
    }


@pytest.mark.slow
@pytest.mark.parametrize("form", ["zip", "tar", "in folders", "val"])
def test_layouts(release, tmp_path, form):
    prepare(source=release, accept_license=True)
    expected = [row for rows in rows_of_all().values() for row in rows]
    assert verified() == []
    if form == "zip":
        with zipfile.ZipFile(release / "MATEO.zip", "w") as archive:
            for path in (release / "data").glob("*"):
                archive.write(path, f"MATEO-main/data/{path.name}")
        shutil.rmtree(release / "data")
    elif form == "tar":
        with tarfile.open(tmp_path / "MATEO.tar.gz", "w:gz") as archive:
            archive.add(release / "data", "data")
        release = tmp_path / "MATEO.tar.gz"
    elif form == "in folders":
        shutil.copytree(release, tmp_path / "a/b/release")
        release = tmp_path / "a"
    else:
        (release / "data/validation-00000-of-00001.parquet").rename(release / "data/val-0.parquet")
    prepare(source=release, accept_license=True, force=True)
    assert [row for rows in rows_of_all().values() for row in rows] == expected
    assert verified() == []
    assert manifest()["source"]["folder"] == str(release)
    assert not list(tmp_path.glob("home/.mateo.unpacked"))
    prepare(source=release, accept_license=True)  # the same source: nothing to do


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("steps as texts", "the column steps is string, not a list of structs"),
        ("no text", "steps have no field text_eng"),
        ("no picture", "steps have no field image"),
        ("no edges", "neither a column graph nor out_nodes"),
    ],
)
def test_another_schema_is_refused(release, change, said):
    path = release / "data/test-00000-of-00001.parquet"
    rows = pq.read_table(path).to_pylist()
    for row in rows:
        if change == "steps as texts":
            row["steps"] = "none"
        if change == "no edges":
            del row["graph"]
        for step in row["steps"] if isinstance(row["steps"], list) else []:
            for name in {"no text": ["text_eng"], "no picture": ["image"], "no edges": ["out_nodes"]}[change]:
                del step[name]
    pq.write_table(pa.Table.from_pylist(rows), path)
    with pytest.raises(TempbenchError, match=f"{said}.*{REVISION[:12]}"):
        prepare(source=release, accept_license=True)


def test_the_download_is_pinned(release, monkeypatch):
    asked = []

    def download(revision, splits):
        asked.append(revision)
        return {"test": [release / "data/test-00000-of-00001.parquet"]}, revision

    monkeypatch.setattr(preparing, "download", download)
    prepare(accept_license=True)
    assert asked == ["f822b3aa9210faa0a4c93e1d4b02d0a760b2d414"]
    assert manifest()["source"]["revision"] == asked[0]


TEA = {
    "title": "Tea",
    "steps": [
        {"id": "boil", "text": "Boil."},
        {"id": "leaves", "text": "Stir."},
        {"id": "pour", "text": "Stir."},
    ],
    "edges": [["boil", "pour"], ["leaves", "pour"]],
}


def test_plans_without_pictures(tmp_path):
    (tmp_path / "plans/tea").mkdir(parents=True)
    (tmp_path / "plans/tea/plan.json").write_text(json.dumps(TEA))
    with pytest.raises(TempbenchError, match=r"no pair of steps can be asked about.*--text-only"):
        prepare(from_folder=tmp_path / "plans")
    prepare(from_folder=tmp_path / "plans", text_only=True)
    rows = docs_of(load_task("mateo_text_instructions"))
    assert [row["label"] for row in rows] == [
        "independent",
        "independent",
        "before",
        "after",
        "before",
        "after",
    ]
    assert {row["image_a"] for row in rows} == {""}
    assert verified() == []
    shown = {"modality": "text", "setting": "instructions"}
    assert hooks.doc_to_visual(rows[0], shown) == []
    with pytest.raises(TempbenchError, match=r"plan tea was prepared without pictures.*mateo_text_"):
        hooks.doc_to_visual(rows[0], shown | {"modality": "both"})
    # Nothing is asked of a model: the run is refused before it begins.
    tasks.check_data(["mateo_text_instructions", "mateo_text_cot"])
    for task in ("mateo_both_cot", "mateo_image_icl_sample", "mateo"):
        with pytest.raises(TempbenchError, match=r"shows pictures, and .* was prepared with --text-only"):
            tasks.check_data([task])
    tasks.check_data(["mateo_both_cot_mini"])
    # The same plans with pictures are other data.
    with pytest.raises(TempbenchError, match="another source"):
        prepare(from_folder=tmp_path / "plans")


def test_own_plans_in_an_archive(tmp_path, png):
    plan = json.dumps(TEA | {"steps": [step | {"image": f"{step['id']}.png"} for step in TEA["steps"]]})
    (tmp_path / "plans/loose").mkdir(parents=True)
    (tmp_path / "plans/loose/plan.json").write_text(plan)
    with zipfile.ZipFile(tmp_path / "plans/more.zip", "w") as archive:
        archive.writestr("tea/plan.json", plan)
        for step in TEA["steps"]:
            archive.writestr(f"tea/{step['id']}.png", png())
            (tmp_path / f"plans/loose/{step['id']}.png").write_bytes(png())
    # Plans on one level: those of the folder, or of the archive alone.
    prepare(from_folder=tmp_path / "plans/more.zip")
    assert {row["plan_id"] for row in docs_of(load_task("mateo_both_icl"))} == {"tea"}
    assert verified() == []
    shutil.move(tmp_path / "plans/loose", tmp_path / "plans/in/loose")
    (tmp_path / "plans/in/loose/boil.png").unlink()
    (tmp_path / "plans/in/loose/boil.png").symlink_to("/etc/hostname")
    prepare(from_folder=tmp_path / "plans", force=True)
    assert {row["plan_id"] for row in docs_of(load_task("mateo_both_icl"))} == {"tea", "loose"}
    assert any("lies outside" in line for line in manifest()["problems"]["test"])


def test_the_validation_split_has_tasks(release):
    prepare(source=release, accept_license=True)
    rows = docs_of(load_task("mateo_image_instructions_validation"))
    assert {row["plan_id"] for row in rows} == {"validation-0"}
    assert load_task("mateo_validation")["task"] == [
        f"mateo_{modality}_instructions_validation" for modality in ("image", "text", "both")
    ]
    # The bundled sample has no splits: its one table serves.
    assert docs_of(load_task("mateo_image_instructions_validation_mini")) == docs_of(
        load_task("mateo_image_instructions_mini")
    )
