"""A table of somebody's own questions: what is taken of it, and what is refused."""

import csv

import pyarrow as pa
import pytest

from hf_datasets.own_table import Kind, prepare_table
from tempbench_lmms.data import manifests, roots, tables
from tempbench_lmms.errors import TempbenchError
from tests.source_files import picture

NAMES = ("question_id", "group", "question", "answer", "target")
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in NAMES),
        ("images", pa.list_(pa.string())),
        ("options", pa.list_(pa.string())),
    ]
)
KIND = Kind("tempvs", SCHEMA, lambda asked: {**asked, "target": asked["answer"]}, "pictures", groups=True)
GOOD = {"question": "Which?", "answer": "A", "options": "x|y", "media": "a/1.png|a/2.png", "group": "g"}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "own" / "a").mkdir(parents=True)
    for number in (1, 2):
        (tmp_path / "own" / "a" / f"{number}.png").write_bytes(picture(number))
    (tmp_path / "secret.png").write_bytes(picture(3))

    def write(*rows):
        with (tmp_path / "own" / "q.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, GOOD)
            writer.writeheader()
            writer.writerows(rows)
        return tmp_path / "own" / "q.csv"

    return write


def test_what_is_taken(table, capsys):
    source = table(GOOD, {**GOOD, "question": "And now?"})
    prepare_table(KIND, source, force=False)
    root = roots.prepared_root("tempvs")
    first, second = tables.read_rows(root / "questions")
    assert first["options"] == ["x", "y"]
    assert first["images"] == [f"tempbench://tempvs/media/a/{number}.png" for number in (1, 2)]
    assert [first["group"], second["group"]] == ["g", "g"]
    assert first["question_id"] != second["question_id"]
    assert manifests.read(root)["rows"] == {"questions": 2}
    prepare_table(KIND, source, force=False)
    assert "is already prepared" in capsys.readouterr().out
    with pytest.raises(TempbenchError, match="data from another source; add --force"):
        prepare_table(KIND, table(GOOD), force=False)
    prepare_table(KIND, source, force=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"media": "../secret.png"}, "line 2: media: '../secret.png' is outside the table's folder"),
        ({"media": "a/3.png"}, "line 2: media: 'a/3.png' does not exist"),
        ({"media": ""}, "line 2: media: 0 files"),
        ({"answer": " "}, "line 2: answer: empty"),
        ({"group": ""}, "line 2: group: empty"),
        ({"question": ""}, "line 2: question: empty"),
    ],
)
def test_what_is_refused(table, change, said):
    with pytest.raises(TempbenchError, match=said):
        prepare_table(KIND, table({**GOOD, **change}), force=False)
    assert not (roots.data_home("tempvs") / "tempvs" / "manifest.json").exists()


def test_a_link_leads_out_too(table, tmp_path):
    (tmp_path / "own" / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(TempbenchError, match="is outside the table's folder"):
        prepare_table(KIND, table({**GOOD, "media": "link.png"}), force=False)


def test_a_table_without_questions(table):
    with pytest.raises(TempbenchError, match="has no questions"):
        prepare_table(KIND, table(), force=False)
