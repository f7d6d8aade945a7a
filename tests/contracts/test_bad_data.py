"""Bad data of every kind is reported in one line with its row and field, before a model is loaded.

The cases come from the tables' own schemas, and from `WRONG` of the benchmark's `bad_rows.py`.
"""

import contextlib
import copy
import functools
import importlib
import io
import math
import shutil
import struct
import zlib
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.cli import datasets
from tempbench_lmms.data import checks, roots, tables
from tempbench_lmms.data.roots import mini_root, resolve
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import tasks
from tempbench_lmms.harness.tasks import load_task, task_files
from tempbench_lmms.runs import starting
from tests.each import for_each


def bad_rows(benchmark):
    """What the tests of a benchmark say of its rows, in `tests/NAME/bad_rows.py`.

    `WRONG` has for each table what is wrong in a column whose type is right: the column and a value or a
    function of the row. Where a column means something in some rows only, (column, value) picks the row.
    `FREE` has the columns in which any text goes; `few`, if there, returns a few rows that hang together.
    """
    return importlib.import_module(f"tests.{benchmark}.bad_rows")


@dataclass(frozen=True)
class Sample:
    """A few rows of a bundled table that hang together."""

    benchmark: str
    table: str

    def tables_of(self, root):
        return benchmarks.rows(self.benchmark).tables_of(root)

    def rows(self):
        return copy.deepcopy(self._rows())

    @functools.cache  # noqa: B019 (a few samples)
    def _rows(self):
        rows = tables.read_rows(mini_root(self.benchmark) / f"{self.table}.parquet")
        few = getattr(bad_rows(self.benchmark), "few", lambda rows: rows[:4])
        return few(rows)

    def write(self, root, table):
        path = root / f"{self.table}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(table, list):
            table = pa.Table.from_pylist(table, schema=self.schema)
        pq.write_table(table, path)
        return path

    def problems(self, root, table):
        """What `tempbench verify` finds in a table, the media apart."""
        path = self.write(root, table)
        (found,) = (one for one in self.tables_of(root) if one.path == path)
        return list(checks.table_problems(found, {}))

    @functools.cached_property
    def bundled(self):
        root = mini_root(self.benchmark)
        return next(one for one in self.tables_of(root) if one.path == root / f"{self.table}.parquet")

    @property
    def schema(self):
        return self.bundled.schema

    @property
    def wrong(self):
        return bad_rows(self.benchmark).WRONG[self.table]

    @property
    def free(self):
        return getattr(bad_rows(self.benchmark), "FREE", {}).get(self.table, set())

    @property
    def media(self):
        return self.bundled.media


SAMPLES = [
    Sample(benchmark, table) for benchmark in benchmarks.names() for table in bad_rows(benchmark).WRONG
]
# Several tables have one schema; one of them stands for all.
OF_A_SCHEMA = list({(sample.benchmark, str(sample.schema)): sample for sample in reversed(SAMPLES)}.values())


def with_rows(sample, number, changes):
    """Returns a sample's rows, and after them its row `number` with each of some (column, value) alone.

    Where a value is wrong by itself, the row is not looked at any further, and no other row is the worse.
    """
    rows = sample.rows()
    return rows, [*rows, *({**rows[number], column: value} for column, value in changes)]


def optional(field):
    return (field.metadata or {}).get(b"optional") == b"1"


def tells(found, sample, number, column):
    """Whether one of the lines names the table, the row and the column; and every one is a line."""
    assert all(line.isprintable() and len(line) < 500 for line in found), found
    start = f"{sample.table}.parquet: row {number} ("
    start = "/".join(start.split("/")[-2:])
    return any(line.startswith(start) and f"): {column}: " in line for line in found)


@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_every_bundled_table_is_looked_at(benchmark):
    root = mini_root(benchmark)
    assert {table.path for table in benchmarks.rows(benchmark).tables_of(root)} == {*root.rglob("*.parquet")}
    schemas = {table.schema for table in benchmarks.rows(benchmark).tables_of(root)}
    assert schemas == {sample.schema for sample in SAMPLES if sample.benchmark == benchmark}


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_untouched_rows_have_no_problem(sample, tmp_path):
    assert sample.problems(tmp_path, sample.rows()) == []


@pytest.mark.parametrize("sample", OF_A_SCHEMA, ids=str)
def test_missing_column(sample, tmp_path):
    table = pa.Table.from_pylist(sample.rows(), schema=sample.schema)
    names = sample.schema.names
    for missing in ([names[0]], names[1:]):
        found = sample.problems(tmp_path, table.drop_columns(missing))
        for line, name in zip(found, missing, strict=True):
            assert f": the column {name} is missing, not " in line


@pytest.mark.slow
@pytest.mark.parametrize("sample", OF_A_SCHEMA, ids=str)
def test_missing_value(sample, tmp_path):
    for field in filter(optional, sample.schema):
        rows = sample.rows()
        rows[1][field.name] = None
        assert not any(": no value" in line for line in sample.problems(tmp_path, rows)), field.name
    names = [field.name for field in sample.schema if not optional(field)]
    rows, spoilt = with_rows(sample, 1, ((name, None) for name in names))
    found = sample.problems(tmp_path, spoilt)
    assert len(found) == len(names)
    for number, name in enumerate(names, len(rows)):
        assert tells(found, sample, number, name), name


def other_types(field):
    """Yields columns of types that the field does not have, with what is said of them."""
    yield pa.array([{"a": 1}] * 2), "struct"
    yield pa.array([b"a"] * 2), "binary"
    if not pa.types.is_integer(field.type):
        yield pa.array([1, 2]), "int64"
    if not pa.types.is_floating(field.type):
        yield pa.array([1.0, math.nan]), "double"
    if not pa.types.is_string(field.type):
        yield pa.array(["a", "b"]), "string"
    if not pa.types.is_list(field.type):
        yield pa.array([["a"], []]), "list<"
    elif not pa.types.is_integer(field.type.value_type):
        yield pa.array([[1], []]), "list<"


@pytest.mark.parametrize("sample", OF_A_SCHEMA, ids=str)
def test_wrong_type(sample, tmp_path):
    table = pa.Table.from_pylist(sample.rows()[:2], schema=sample.schema)
    places = range(len(sample.schema))
    others = [list(other_types(field)) for field in sample.schema]
    # One column alone, and then every column at once with each of the types that it has not.
    for columns, turn in [([0], 0), *((places, turn) for turn in range(max(map(len, others))))]:
        wrong, said = table, []
        for place in columns:
            name = sample.schema.names[place]
            values, kind = others[place][turn % len(others[place])]
            wrong = wrong.set_column(place, name, values)
            said.append(f": the column {name} is {kind}")
        for line, words in zip(sample.problems(tmp_path, wrong), said, strict=True):
            assert words in line


def _of(rows, where):
    if where is None:
        return 1
    name, value = where
    return next(i for i, row in enumerate(rows) if row[name] == value)


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_wrong_value(sample, tmp_path):
    def check(case):
        column, value, *where = case
        rows = sample.rows()
        number = _of(rows, where[0] if where else None)
        rows[number][column] = value(rows[number]) if callable(value) else value
        found = sample.problems(tmp_path, rows)
        assert tells(found, sample, number, column), found

    for_each(sample.wrong, check)


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_repeated_id(sample, tmp_path):
    rows = sample.rows()
    rows.append(rows[0])
    found = sample.problems(tmp_path, rows)
    assert tells(found, sample, len(rows) - 1, "question_id")
    assert any("question_id: duplicate of row 0" in line for line in found)


OUTSIDE = [
    "tempbench://{benchmark}/mini/../secret.png",
    "tempbench://{benchmark}/mini/media/../../../secret.png",
    "tempbench://../{benchmark}/mini/media/a.png",
    "tempbench://nobody/mini/media/a.png",
    "/etc/passwd",
    "file:///etc/passwd",
    "",
    "tempbench://",
    "tempbench://{benchmark}/mini/media/a\0.png",
    "tempbench://{other}/mini/media/a.mp4",
]


@pytest.mark.parametrize("sample", OF_A_SCHEMA, ids=str)
def test_path_outside_the_folder(sample, tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    other = "mateo" if sample.benchmark == "tempvs" else "tempvs"

    def check(column):
        left = [url.format(benchmark=sample.benchmark, other=other) for url in OUTSIDE]
        while left:
            rows, spoilt = sample.rows(), {}
            for number, url in enumerate(left[: len(rows)]):
                here, spoilt[number] = rows[number][column], left.pop(0)
                rows[number][column] = url if isinstance(here, str) else [url, *here[1:]]
            found = sample.problems(tmp_path, rows)
            assert [url for number, url in spoilt.items() if not tells(found, sample, number, column)] == []

    for_each(sample.media, check)


def test_a_grounding_question_of_another_sequence(tmp_path):
    sample = Sample("tempvs", "all/test")
    rows = sample.rows()
    gate = next(row for row in rows if row["role"] == "grounding")
    gate["sequence_id"] = "another"
    found = sample.problems(tmp_path, rows)
    assert found
    assert all("grounding: " in line and "is about another sequence" in line for line in found)


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_table_that_is_none(sample, tmp_path):
    contents = [
        b"",
        b"PAR1",
        b"PAR1 no table PAR1",
        b"question_id,text\n1,2\n",
        "cut",
        "no rows",
        "twice",
        "folder",
    ]
    path = sample.write(tmp_path, sample.rows())
    table, sound = pq.read_table(path), path.read_bytes()

    def check(content):
        if content == "cut":
            path.write_bytes(sound[:-20])
        elif content == "no rows":
            pq.write_table(table.slice(0, 0), path)
        elif content == "twice":
            pq.write_table(table.append_column("question_id", table["question_id"]), path)
        elif content == "folder":  # the last one
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(content)
        said = {"no rows": "has no rows", "twice": "the column question_id is string and string"}.get(
            content, "cannot be read"
        )
        (line,) = (line for line in benchmarks.rows(sample.benchmark).problems(tmp_path))
        assert "/".join(f"{sample.table}.parquet".split("/")[-2:]) in line
        assert said in line

    for_each(contents, check)


@functools.cache
def tables_of_tasks():
    """Returns the URLs of the tables that each task reads."""
    return {
        task: list(load_task(task).get("dataset_kwargs", {}).get("data_files", {}).values())
        for task in task_files()
    }


@functools.cache
def first_of(benchmark):
    """Returns a benchmark's first table here, and a task that reads it."""
    sample = next(one for one in SAMPLES if one.benchmark == benchmark)
    start = f"tempbench://{benchmark}/{sample.table.split('/')[0]}/"
    tasks = (task for task, urls in tables_of_tasks().items() if any(url.startswith(start) for url in urls))
    return sample, next(tasks)


def home_of(benchmark, folder):
    """Writes a prepared data set: a few rows of the bundled one with their media. Returns its folder."""
    root = folder / benchmark
    sample, _ = first_of(benchmark)
    rows = []
    for row in sample.rows():
        text = {}
        for column in sample.media:
            urls = [row[column]] if isinstance(row[column], str) else row[column]
            for url in urls:
                target = root / "media" / url.split("/media/")[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(resolve(url), target)
            moved = [url.replace("/mini/", "/") for url in urls]
            text[column] = moved[0] if isinstance(row[column], str) else moved
        rows.append(row | text)
    sample.write(root, rows)
    tables.write_json({"benchmark": benchmark}, root / roots.MANIFEST)
    return root


@pytest.fixture(scope="module")
def homes(tmp_path_factory):
    return {name: home_of(name, tmp_path_factory.mktemp(name)) for name in benchmarks.names()}


@pytest.fixture(params=benchmarks.names())
def prepared(request, homes, tmp_path, monkeypatch):
    """A prepared data set to be spoilt."""
    shutil.copytree(homes[request.param], tmp_path / request.param)
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    return tmp_path / request.param


def refused(root, *words):
    """Asserts that all who look at the data first say the same in one line; returns what verify says."""
    benchmark = root.name
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(TempbenchError) as caught:
        datasets.verify(benchmark, mini=False)
    found = out.getvalue().splitlines()
    assert found
    assert f"{benchmark}: {len(found)} problems in " in str(caught.value)
    _, task = first_of(benchmark)
    for look in (lambda: tasks.check_data([task]), lambda: starting.checked_data([task])):
        with pytest.raises(TempbenchError) as caught:
            look()
        assert str(caught.value).isprintable()
        for word in words:
            assert word in str(caught.value)
    return found


@pytest.mark.slow
def test_sound_data_is_not_refused(prepared):
    assert list(benchmarks.rows(prepared.name).problems(prepared)) == []
    _, task = first_of(prepared.name)
    tasks.check_data([task])
    assert starting.checked_data([task])[0]


def test_a_run_on_a_damaged_table_is_refused(prepared):
    (path,) = prepared.glob("*/*.parquet")
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["question_id"]), path)
    refused(prepared, "the column question_id is missing", f"tempbench verify {prepared.name}")
    path.write_bytes(b"PAR1")
    refused(prepared, "cannot be read")
    rows = table.to_pylist()
    rows[1]["target"] = "nothing"
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    assert len(refused(prepared, "row 1 (", "target: ")) >= 1


def medium_of(root):
    found = sorted(path for path in (root / "media").rglob("*") if path.is_file())
    if not found:
        pytest.skip("this benchmark shows nothing")
    return found[0]


def test_a_run_without_a_medium_is_refused(prepared):
    path = medium_of(prepared)
    path.unlink()
    (line,) = refused(prepared, path.name, "missing")
    assert path.name in line
    path.mkdir()
    (line,) = benchmarks.rows(prepared.name).problems(prepared)
    assert path.name in line


@functools.cache
def bomb(side=30_000):
    """Returns a one-bit PNG of `side` squared pixels, without holding them."""
    lines, times = bytes(side // 8 + 2) * 100, side // 100
    # Packed once: what comes after a full flush refers to nothing before it.
    packer = zlib.compressobj(9, wbits=-15)
    part = packer.compress(lines) + packer.flush(zlib.Z_FULL_FLUSH)
    check = functools.reduce(lambda found, _: zlib.adler32(lines, found), range(times), 1)
    data = b"\x78\xda" + part * times + packer.flush() + struct.pack(">I", check)

    def chunk(kind, content):
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.slow
def test_damaged_medium(prepared):
    path = medium_of(prepared)
    content = path.read_bytes()
    damaged = {
        "empty": b"",
        "cut": content[: len(content) * 6 // 10],
        "text": b"no medium",
        "noise": bytes(range(256)) * 9,
        "bomb": bomb(),
    }
    assert len(damaged["bomb"]) < 200_000

    def check(how):
        path.write_bytes(damaged[how])
        (line,) = benchmarks.rows(prepared.name).problems(prepared)
        assert path.name in line
        assert line.isprintable()

    for_each(damaged, check)
