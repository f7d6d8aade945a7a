"""When prepared data is whole, a part that was asked for, or incomplete: one rule for every benchmark."""

import contextlib
import functools
import os
import shutil

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.coherence import card as coherence
from tempbench_lmms.data import manifests, provenance, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo.rows import SCHEMA
from tempbench_lmms.nextgqa import card as nextgqa_card
from tempbench_lmms.rextime import card as rextime_card
from tempbench_lmms.runs import starting
from tempbench_lmms.tempcompass_pairs import card as tempcompass
from tempbench_lmms.tempvs.card import TABLE_2
from tempbench_lmms.timepercept.card import TESTS
from tests import contract
from tests.bundled import kinds_of_files
from tests.command import complains, tempbench
from tests.each import sample

TOMATO, KINDS = coherence.COUNTS, tempcompass.COUNTS
PLANS = {split: {"plans": n} for split, n in (("test", 60), ("validation", 30), ("train", 210))}
VWP = {test: {"vwp": by_source["vwp"]} for test, by_source in TABLE_2.items()}


def tomato(by_type, types=tuple(TOMATO)):
    return {"parts": {"tomato": {"by_type": by_type, "types": [*types]}}}


def mateo(counts, **source):
    return {"edition": "official release", "source": source, "counts": counts}


def nextgqa(splits, **rows):
    return {"splits": splits, "rows": rows}


def rextime(*files, **rows):
    return {"annotations": dict.fromkeys(files, "sha256"), "rows": rows}


def series(tests, own=None, **rows):
    built = {**dict.fromkeys(tests, 200), **rows}
    return {"parts": {"series": {"request": {"series": own, "test": 200, "train": 0}, "rows": built}}}


CASES = [
    ("coherence", tomato(TOMATO), "", ""),
    ("coherence", tomato({**TOMATO, "count": 5}), "1,197 of 1,484 questions (count 5 of 292)", ""),
    (
        "coherence",
        tomato({"count": 292, "rotation": 0}, ("count",)),
        "",
        "292 of 578 questions (rotation 0 of 286)",
    ),
    ("mateo", mateo(PLANS), "", ""),
    ("mateo", mateo({"test": {"plans": 60}}, splits=["test"]), "", "60 of 300 plans"),
    ("mateo", mateo({**PLANS, "test": {"plans": 7}}), "247 of 300 plans (test 7 of 60)", ""),
    ("mateo", {"edition": "plans of one's own", "source": {}, "counts": {}}, "", ""),
    ("motion_only", {"settings": {"pairs": 100}, "rows": {"test": 200}}, "", ""),
    ("motion_only", {"settings": {"pairs": 2}, "rows": {"test": 4}}, "", "4 of 200 questions"),
    ("motion_only", {"settings": {"pairs": 2}, "rows": {"test": 3}}, "3 of 4 questions", "3 of 200"),
    ("nextgqa", nextgqa(nextgqa_card.SPLITS, test=5553, validation=3358), "", ""),
    ("nextgqa", nextgqa(["test"], test=5553), "", "5,553 of 8,911 questions (validation 0 of 3,358)"),
    ("nextgqa", nextgqa(["test"], test=9), "9 of 5,553 questions (test 9 of 5,553)", "9 of 8,911"),
    ("rextime", rextime(*rextime_card.EVALUATED, validation=921, test=2143), "", "3,064 of 12,759"),
    ("rextime", rextime("validation", validation=900), "900 of 921 questions", "900 of 12,759"),
    ("tempcompass_pairs", {"parts": {"tempcompass": {"by_kind": KINDS}}}, "", ""),
    (
        "tempcompass_pairs",
        {"parts": {"tempcompass": {"by_kind": {**KINDS, "yes_no": 1200}}}},
        "4,283 of 5,536 questions (yes_no 1,200 of 2,453)",
        "",
    ),
    ("tempvs", {"sources": ["flintstones", "pororo", "vwp", "vist"], "questions": TABLE_2}, "", ""),
    ("tempvs", {"sources": ["vwp"], "questions": VWP}, "", "(mt1_two of flintstones 0 of 2,104, "),
    ("tempvs", {"sources": ["vwp"], "questions": VWP | {"mt2_event": {}}}, "mt2_event of vwp 0 of 274", "("),
    ("timeblind", {"parts": {"timeblind": {"rows": 2400}}}, "", ""),
    ("timeblind", {"parts": {"timeblind": {"rows": 1200}}}, "1,200 of 2,400 questions", ""),
    ("timepercept", series(TESTS), "", ""),
    ("timepercept", series(("isr",)), "", "200 of 1,800 questions (tal 0 of 200, "),
    ("timepercept", series(TESTS, tal=150), "1,750 of 1,800 questions (tal 150 of 200)", ""),
    ("timepercept", series(TESTS, own="places", tal=150), "", ""),
    ("timepercept", {"parts": {"ucm": {"rows": {"ucm": 9}}}}, "9 of 200 questions (ucm 9 of 200)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("benchmark", "manifest", "short", "part"), CASES)
def test_the_extent_is_told_with_its_numbers(benchmark, manifest, short, part, by_the_numbers):
    sizes = manifests.sizes_in(manifest, benchmarks.sizes(benchmark))
    for expected, said in ((short, manifests.incomplete(sizes)), (part, manifests.part_asked(sizes))):
        assert bool(expected) == bool(said), said
        assert expected in said


def test_a_manifest_from_elsewhere_raises_nothing_but_one_line(by_the_numbers):
    with pytest.raises(TempbenchError, match="prepare the data again with --force"):
        manifests.sizes_in({"parts": []}, lambda manifest: manifest["parts"].items())
    for benchmark in benchmarks.names():
        for wrong in ({"parts": []}, {"parts": {"tomato": {"by_type": 3}}}, {"splits": 7, "rows": []}):
            with contextlib.suppress(TempbenchError):
                manifests.sizes_in(wrong, benchmarks.sizes(benchmark))


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
