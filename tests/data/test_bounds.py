"""Files that expand are read within a limit, and refused in a line that names the file and the limit."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tempbench_lmms.data import bounds, checks, tables, user_files
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime import rows

RAISE = "TEMPBENCH_MAX_BYTES"


@pytest.fixture
def bomb(tmp_path):
    """A Parquet file of some kilobytes with 40 MB in it."""
    path = tmp_path / "bomb.parquet"
    text = "x" * 200_000
    pq.write_table(pa.table({"question_id": pa.array([text] * 200).dictionary_encode()}), path)
    assert path.stat().st_size < 100_000
    return path


@pytest.mark.slow
def test_a_table_that_expands(bomb, monkeypatch):
    monkeypatch.setenv(RAISE, "1_000_000")
    with pytest.raises(TempbenchError, match=r"bomb\.parquet holds more than 1,000,000 bytes.*" + RAISE):
        tables.read_rows(bomb)
    table = checks.Table("tempvs", bomb, pa.schema([("question_id", pa.string())]), lambda row: (), ())
    assert all("bomb.parquet" in line for line in checks.table_problems(table, {}))


def test_a_table_of_too_many_rows(tmp_path, monkeypatch):
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"a": pa.array([1] * 1001)}), path)
    assert len(tables.read_rows(path)) == 1001
    monkeypatch.setattr(bounds, "MAX_ROWS", 1000)
    with pytest.raises(TempbenchError, match=r"long\.parquet holds more than 1,000 rows"):
        tables.read_rows(path)


def test_json_that_is_too_large(tmp_path, monkeypatch):
    path = tmp_path / "large.json"
    path.write_text(json.dumps(["x" * 100] * 20))
    assert len(tables.read_json(path)) == 20
    monkeypatch.setenv(RAISE, "1000")
    for read in (tables.read_json, rows.load_records, lambda file: list(user_files.json_lines(file))):
        with pytest.raises(TempbenchError, match=r"large\.json holds more than 1,000 bytes.*" + RAISE):
            read(path)


@pytest.mark.parametrize("value", ["x", "0", "-1", "1e9", "9" * 30])
def test_a_limit_that_is_no_number(value, monkeypatch):
    monkeypatch.setenv(RAISE, value)
    with pytest.raises(TempbenchError, match=RAISE):
        bounds.max_bytes()


@pytest.mark.parametrize("text", [f"[0, 1{'0' * 400}]", "9" * 5000])
def test_a_number_that_no_computation_takes(text):
    with pytest.raises(json.JSONDecodeError, match="digits"):
        tables.parse_json(text)
