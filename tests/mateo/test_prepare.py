"""From releases and folders of own plans to questions."""

import base64
import json
import shutil

import pytest

from hf_datasets.mateo import prepare as preparing
from hf_datasets.mateo.prepare import prepare
from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import mini_root, prepared_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.media.images import load_image
from tests.command import tempbench

WORKED = [[1], [3], [3], [4], []]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    return tmp_path / "home"


def manifest():
    return json.loads((prepared_root("mateo") / "manifest.json").read_text(encoding="utf-8"))


def problems(split="test"):
    return manifest()["problems"][split]


def test_release(release_row, write_release, capsys):
    folder = write_release(
        {
            "test": [release_row(7, WORKED), release_row(8, [[2], [2], []])],
            "validation": [release_row(1, [[1], []])],
            "train": [release_row(2, [[1], [2], []])],
        }
    )
    prepare(source=folder, accept_license=True)
    rows = docs_of(load_task("mateo_both_instructions"))
    # Six pairs of the worked example, three of 0 -> 2 <- 1; two orders each.
    assert len(rows) == 2 * (6 + 3)
    assert [row["label"] for row in rows[:4]] == ["before", "after", "independent", "independent"]
    first = rows[0]
    assert (first["question_id"], first["title"], first["n_steps"]) == ("7/0-1/original", "Recipe 7", 5)
    assert (first["text_a"], first["text_b"]) == ("Step 0 of 7.", "Step 1 of 7.")
    assert load_image(first["image_a"]).size == (6, 4)
    root = prepared_root("mateo")
    assert list(benchmarks.rows("mateo").problems(root)) == []
    assert manifest()["rows"] == {"pairs": 18, "pairs_validation": 2, "pairs_train": 4}
    counts = manifest()["counts"]
    assert counts["test"] == {
        "plans": 2,
        "steps": 8,
        "edges": 6,
        "independent": 3,
        "transitive": 4,
        "branching": 1.0,
        "left_out": 0,
    }
    # The train plan 0 -> 1 -> 2 has one transitive pair.
    assert (counts["train"]["edges"], counts["train"]["transitive"]) == (2, 1)
    assert problems() == []
    assert "branching" in capsys.readouterr().out
    assert len(read_rows(root / "pairs_train")) == 4


@pytest.mark.parametrize("form", ["base64", "lines", "data URI", "path"])
def test_pictures_in_every_form(form, release_row, write_release, png):
    text = base64.b64encode(png("blue")).decode()
    image = {
        "base64": text,
        "lines": "\n".join(text[i : i + 60] for i in range(0, len(text), 60)),
        "data URI": f"data:image/png;base64,{text}",
        "path": "pictures/one.png",
    }[form]
    folder = write_release({"test": [release_row(1, [[1], []], images={0: image})]})
    (folder / "pictures").mkdir()
    (folder / "pictures/one.png").write_bytes(png("blue"))
    prepare(source=folder, accept_license=True)
    picture = load_image(docs_of(load_task("mateo_image_baseline"))[0]["image_a"])
    assert picture.getpixel((0, 0)) == (0, 0, 255)
    assert problems() == []


NO_PICTURE = base64.b64encode(b"hello, I am a text").decode()


@pytest.mark.parametrize(
    ("row", "said", "asked"),
    [
        # (arguments of release_row, the one line, pairs that are asked of 0 -> 1, 2)
        ({"out_nodes": [[1], [2], [0]]}, "plan 1: the steps 0 -> 1 -> 2 -> 0 form a cycle; plan left out", 0),
        ({"out_nodes": [[0, 1], [], []]}, "plan 1: an edge from step 0 to itself; plan left out", 0),
        ({"out_nodes": [[1, 1], [], []]}, "plan 1: edge 0 -> 1 is a duplicate; kept once", 3),
        (
            {"out_nodes": [[1, 9], [], []]},
            "plan 1: edge 0 -> 9: unknown step 9; plan left out",
            0,
        ),
        ({"images": {2: None}}, "plan 1: step 2: no picture; not asked about", 1),
        ({"images": {2: ""}}, "plan 1: step 2: no picture; not asked about", 1),
        (
            {"images": {2: "gone.jpg"}},
            "plan 1: step 2: the picture 'gone.jpg' is missing; not asked about",
            1,
        ),
        (
            {"images": {2: NO_PICTURE}},
            "plan 1: step 2: the picture's bytes are not a picture; not asked about",
            1,
        ),
        (
            {"images": {2: "§ no base64 §"}},
            "plan 1: step 2: '§ no base64 §'... is neither a picture in base64 nor a path; not asked about",
            1,
        ),
        (
            {"images": {2: "data:image/svg+xml,<svg/>"}},
            "plan 1: step 2: the data URI 'data:image/svg+xml' is not in base64; not asked about",
            1,
        ),
        (
            {"graph": {"0": [1, 2]}},
            "plan 1: graph and out_nodes disagree about step 0; plan left out",
            0,
        ),
        ({"out_nodes": [None, None, None]}, "plan 1: it has no list of edges; plan left out", 0),
        ({"ids": [0, 1, 1]}, "plan 1: two steps are called 1; plan left out", 0),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_the_rest_is_built(
    row, said, asked, release_row, write_release
):
    row = {"out_nodes": [[1], [], []]} | row
    folder = write_release({"test": [release_row(1, **row), release_row(2, [[1], [], []])]})
    prepare(source=folder, accept_license=True)
    lines = problems()
    assert said in lines
    assert all("\n" not in line for line in lines)
    per_plan = [row["plan_id"] for row in docs_of(load_task("mateo_text_baseline"))]
    assert per_plan.count("1") == 2 * asked
    assert per_plan.count("2") == 2 * 3
    found = list(benchmarks.rows("mateo").problems(prepared_root("mateo")))
    assert found == [] if asked == 3 else all("left out when the data was prepared" in line for line in found)
    assert bool(found) == (asked < 3)


def test_a_step_without_picture_still_orders_the_others(release_row, write_release):
    # 0 -> 1 -> 2: without 1 nothing can be asked; 0 and 2 are not independent.
    folder = write_release(
        {"test": [release_row(1, [[1], [2], []], images={1: ""}), release_row(2, [[1], []])]}
    )
    prepare(source=folder, accept_license=True)
    assert {row["plan_id"] for row in docs_of(load_task("mateo_text_baseline"))} == {"2"}


def test_ids_that_skip_a_number_and_stand_in_any_order(release_row, write_release):
    row = release_row(1, [[], [5], [2]], ids=[2, 3, 5], graph={"3": [5], "5": [2]})
    row["steps"].reverse()
    prepare(source=write_release({"test": [row]}), accept_license=True)
    rows = docs_of(load_task("mateo_text_baseline"))
    # 3 -> 5 -> 2, listed as 2, 3, 5.
    assert {row["pair_id"] for row in rows} == {"1/1-2", "1/2-0"}
    assert problems() == ["plan 1: there are 3 steps, but none has the id 0, 1"]


def test_a_recipe_with_a_duplicate_id(release_row, write_release):
    prepare(
        source=write_release({"test": [release_row(1, [[1], []]), release_row(1, [[1], []])]}),
        accept_license=True,
    )
    assert problems() == ["plan 1: duplicate id; the second one is left out"]


def test_nothing_left_to_ask(release_row, write_release):
    with pytest.raises(
        TempbenchError, match="no pair of steps can be asked about; 1 problems, first: plan 1"
    ):
        prepare(source=write_release({"test": [release_row(1, [[1], [0]])]}), accept_license=True)


def test_no_release(tmp_path, write_release, release_row):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TempbenchError, match=r"no Parquet file of a split.*data/test-"):
        prepare(source=tmp_path / "empty", accept_license=True)
    with pytest.raises(TempbenchError, match="is not a folder"):
        prepare(source=tmp_path / "nowhere", accept_license=True)
    broken = write_release({"test": [release_row(1, [[1], []])]}, "broken")
    (broken / "data/test-00000-of-00001.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(TempbenchError, match="cannot be read"):
        prepare(source=broken, accept_license=True)


def test_from_the_hub(release_row, write_release, tmp_path):
    from tests.hub import COMMIT, Hub

    folder = write_release({"test": [release_row(1, WORKED)], "train": [release_row(2, [[1], []])]})
    (folder / "README.md").write_text("---\nlicense: cc-by-nc-sa-4.0\n---\n", encoding="utf-8")
    with Hub({preparing.REPO: folder}) as hub:
        environment = {
            "HF_ENDPOINT": hub.url,
            "HF_HUB_OFFLINE": "0",
            "HF_HOME": str(tmp_path / "hf"),
            "HF_HUB_DISABLE_XET": "1",
        }
        done = tempbench("prepare", "mateo", "--accept-license", **environment)
        assert done.returncode == 0, done.stderr
        asked = sum(hub.requests.values())
        again = tempbench("prepare", "mateo", "--accept-license", **environment)
        assert "is already prepared" in again.stdout
        assert sum(hub.requests.values()) == asked
        assert not any("README" in request for request in hub.requests)
    assert manifest()["source"] == {"language": "en", "repository": "SISLab/MATEO", "revision": COMMIT}
    assert len(docs_of(load_task("mateo_both_cot"))) == 12


TEA = {
    "title": "A cup of tea",
    "steps": [
        {"id": "boil", "text": "Boil the water.", "image": "boil.png"},
        {"id": "leaves", "text": "Put tea leaves into the pot.", "image": "leaves.png"},
        {"id": "pour", "text": "Pour the boiling water on the leaves.", "image": "pour.png"},
        {"id": "serve", "text": "Pour the tea into a cup.", "image": "serve.png"},
    ],
    "edges": [["boil", "pour"], ["leaves", "pour"], ["pour", "serve"]],
}


@pytest.fixture
def own(tmp_path, png):
    """Writes plans of one's own and returns their folder."""

    def write(**plans):
        folder = tmp_path / "plans"
        for name, plan in plans.items():
            (folder / name).mkdir(parents=True)
            (folder / name / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
            for step in plan["steps"] if isinstance(plan, dict) else []:
                if isinstance(step, dict) and step.get("image"):
                    (folder / name / step["image"]).write_bytes(png())
        return folder

    return write


def test_plans_of_ones_own(own):
    prepare(from_folder=own(tea=TEA))
    rows = docs_of(load_task("mateo_both_instructions"))
    labels = {row["pair_id"]: row["label"] for row in rows if row["version"] == "original"}
    # boil - serve and leaves - serve are transitive.
    assert labels == {
        "tea/0-1": "independent",
        "tea/0-2": "before",
        "tea/1-2": "before",
        "tea/2-3": "before",
    }
    assert rows[0]["title"] == "A cup of tea"
    assert manifest()["edition"] == "plans of one's own"
    assert list(benchmarks.rows("mateo").problems(prepared_root("mateo"))) == []


def test_the_example_of_the_readme_is_a_plan(own):
    from pathlib import Path

    import tempbench_lmms

    text = (Path(tempbench_lmms.__file__).parent / "mateo/README.md").read_text(encoding="utf-8")
    example = json.loads(text.split("```json\n")[1].split("```")[0])
    prepare(from_folder=own(example=example))
    assert problems() == []


def test_splits_of_any_name_and_number(release_row, write_release):
    folder = write_release({"test": [release_row(1, [[1], []])], "val": [release_row(1, [[1], []])]})
    with pytest.raises(TempbenchError, match="no split train"):
        prepare(source=folder, accept_license=True, splits="test,train")
    with pytest.raises(TempbenchError, match="'tset' is not a split"):
        prepare(source=folder, accept_license=True, splits="tset")
    prepare(source=folder, accept_license=True)
    assert manifest()["rows"] == {"pairs": 2, "pairs_validation": 2}
    ids = [
        row["question_id"] for name in manifest()["rows"] for row in read_rows(prepared_root("mateo") / name)
    ]
    assert len(set(ids)) == 4
    prepare(source=folder, accept_license=True, splits="validation", force=True)
    assert manifest()["rows"] == {"pairs_validation": 2}


def test_what_one_list_of_edges_lacks_the_other_has(release_row, write_release):
    row = release_row(1, [None, [2], []], graph={"0": [1]})
    prepare(source=write_release({"test": [row]}), accept_license=True)
    assert problems() == []
    assert manifest()["counts"]["test"]["edges"] == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"edges": [["boil", "pour"], ["pour", "boil"]]}, "the steps boil -> pour -> boil form a cycle"),
        ({"edges": [["boil", "stir"]]}, "edge boil -> stir: unknown step stir; plan left out"),
        ({"edges": None}, "plan.json has no list called edges"),
        ({"edges": [["boil"]]}, "the edge ['boil'] is not a pair [before, after]; plan left out"),
        ({"edges": [["boil", "boil"]]}, "an edge from step boil to itself; plan left out"),
        ({"steps": [{"id": "a", "text": "A.", "image": "a.png"}]}, "1 steps, not 2 to 1000; plan left out"),
        ({"steps": "none"}, "plan.json has no list called steps"),
        ({"steps": ["a", "b"]}, "step number 0 is not an object; left out"),
        ({"steps": [*TEA["steps"], {"id": "x", "text": "X."}]}, "step x: no picture"),
        (
            {"steps": [*TEA["steps"], {"id": "x", "text": " ", "image": "x.png"}]},
            "step x: no text; not asked about",
        ),
        ({"steps": [*TEA["steps"], TEA["steps"][0]]}, "two steps are called boil; plan left out"),
    ],
)
def test_faults_of_own_plans_are_named(own, change, said):
    prepare(from_folder=own(tea=TEA | change, sound=TEA))
    assert any(line.startswith(f"plan tea: {said}") for line in problems()), problems()
    assert sum(row["plan_id"] == "sound" for row in docs_of(load_task("mateo_text_icl"))) == 8


def test_a_plan_that_is_no_json(own):
    folder = own(tea=TEA, other=TEA)
    (folder / "tea/plan.json").write_text("{", encoding="utf-8")
    prepare(from_folder=folder)
    assert problems()[0].startswith("plan tea: plan.json is not JSON")


def test_verify_misses_a_partner(tmp_path):
    from tempbench_lmms.data.tables import write_rows
    from tempbench_lmms.mateo.rows import SCHEMA

    rows = read_rows(mini_root("mateo") / "pairs")
    verify = benchmarks.rows("mateo").problems
    for kept in (rows[:1], rows[1:2], [rows[0], *rows[2:4]]):
        write_rows(kept, tmp_path / "pairs/test.parquet", SCHEMA)
        assert any("is not there once as original" in line for line in verify(tmp_path))
    shutil.rmtree(tmp_path / "pairs")
    assert "no table found" in next(iter(verify(tmp_path)))
