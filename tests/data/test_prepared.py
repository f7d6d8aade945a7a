"""Data that was damaged after it was prepared is not called prepared."""

import functools
import os
import shutil

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data import provenance, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo.rows import SCHEMA
from tempbench_lmms.runs import starting
from tests import contract
from tests.bundled import kinds_of_files
from tests.command import complains, tempbench
from tests.each import sample


def damage(path):
    """Changes one bit in the middle; the file's size stays."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def one_of_each_kind(root):
    """Returns every JSON file, and the last file of each other kind."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return [path for path in files if path.suffix == ".json"] + list(
        {path.suffix: path for path in files if path.suffix != ".json"}.values()
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Prepares data of a benchmark's source once. Returns the home, and the command."""

    @functools.cache
    def make(name, version=0, *more):
        folder = tmp_path_factory.mktemp(name)
        words = ("prepare", name, *contract.get(name, "SOURCE")(folder / "source", version), *more)
        done = tempbench(*words, TEMPBENCH_DATA=str(folder / "home"))
        assert done.returncode == 0, done.stderr
        return folder / "home", words

    return make


@pytest.fixture
def copied(made, tmp_path, monkeypatch):
    """Puts a copy of prepared data where commands look for it. Returns the command that prepared it."""
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))

    def copy(name, *more):
        home, words = made(name, 0, *more)
        shutil.copytree(home, tmp_path / "home", symlinks=True)
        return words

    return copy


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(benchmarks.names(), kinds_of_files))
def test_a_changed_bit_of_any_file_is_found_and_mended(name, tree, tmp_path, copied):
    root = tmp_path / "home" / name
    # A link is the source's own file: damaged with it, and mended by nothing.
    words = copied(name, *(("--copy",) if name in ("coherence", "rextime") else ()))
    before, refused = tree(root), 0
    for path in one_of_each_kind(root):
        damage(path)
        done = tempbench(*words)
        if done.returncode:
            refused += 1
            complains(done, str(path), "damaged", "--force")
            assert tempbench(*words, "--force").returncode == 0, path
        assert tree(root) == before, path
    assert refused >= 2  # what is not refused is made anew, as the records of ReXTime's videos are


def sums_of_tables(root):
    """What runs note of each table, by its place."""
    places = [path.relative_to(root).as_posix() for path in root.rglob("*.parquet")]
    sha256 = provenance.origin_of(root).get("sha256")
    return {place: provenance.sum_of_table(sha256, f"tempbench://{root.name}/{place}") for place in places}


@pytest.mark.parametrize("name", benchmarks.names())
def test_a_table_that_is_gone_is_named(name, tree, tmp_path, copied):
    words = copied(name)
    before = tree(tmp_path / "home")
    noted = sums_of_tables(tmp_path / "home" / name)
    assert noted
    assert all(isinstance(one, str) for one in noted.values())  # a run tells its data from other data
    table = sorted((tmp_path / "home").rglob("*.parquet"))[-1]
    times = table.stat()
    content = table.read_bytes()
    table.unlink()
    complains(tempbench(*words), f"{table} is missing", "--force")
    table.write_bytes(content)
    os.utime(table, ns=(times.st_atime_ns, times.st_mtime_ns + 10**9))
    assert tempbench(*words).returncode == 0  # the same bytes at another time
    assert tree(tmp_path / "home") == before


def test_no_run_asks_about_a_damaged_table(tmp_path, copied, monkeypatch):
    copied("mateo")
    table = tmp_path / "home/mateo/pairs/test.parquet"
    content = table.read_bytes()
    rows = tables.read_rows(table)
    tables.write_rows(rows[::-1], table, SCHEMA)  # sound by itself, and not the one prepared
    monkeypatch.setattr(starting, "check_data", lambda names: None)
    with pytest.raises(TempbenchError, match=r"pairs/test.parquet is damaged.*--force"):
        starting.checked_data(["mateo_both_baseline"])
    done = tempbench("verify", "mateo")
    complains(done, "problems in")
    assert f"{table} is damaged" in done.stdout
    table.write_bytes(content)
    assert tempbench("verify", "mateo").returncode == 0


@pytest.mark.parametrize("name", benchmarks.names())
def test_other_data_is_noted_as_other_data(name, made):
    roots = [made(name, version)[0] / name for version in (0, 1)]
    first, second = map(sums_of_tables, roots)
    others = {
        place
        for place in first.keys() & second.keys()
        if len({(root / place).read_bytes() for root in roots}) > 1
    }
    media = [provenance.origin_of(root).get("media") for root in roots]
    assert others or media[0] != media[1]
    assert not {place for place in others if first[place] == second[place]}
