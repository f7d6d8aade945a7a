"""`tempbench new`: what it writes, and what it refuses."""

import ast
import csv
import itertools

import pytest
import yaml

import tempbench_lmms
from tempbench_lmms import benchmarks
from tempbench_lmms.cli.new import Answer, Media, texts_of
from tempbench_lmms.data import roots
from tempbench_lmms.data.tables import read_rows
from tests.command import complains, tempbench, tempbench_process
from tests.each import sample

KINDS = [
    (answer.value, media.value, groups)
    for answer, media, groups in itertools.product(Answer, Media, (True, False))
]
THREE = ("--answer", "yes-no", "--media", "none", "--no-groups", "--rows", "rows.csv")


@pytest.mark.parametrize(
    ("answer", "media", "groups"),
    sample(
        (pytest.param(*kind, marks=[pytest.mark.slow] * (n % 5 > 0)) for n, kind in enumerate(KINDS)),
        lambda *kind: kind,
        at_once=2,
    ),
)
def test_every_kind_is_code_without_gaps(answer, media, groups):
    texts = texts_of("some_name", answer, media, groups, 12, 'A "quoted" {title}')
    assert {path.parts[0] for path in texts} == {"some_name"}
    for path, text in texts.items():
        assert "NAME" not in path.as_posix()
        assert "{%" not in text
        if path.suffix == ".py":
            assert ast.get_docstring(ast.parse(text)), path
        if path.suffix == ".yaml":
            yaml.compose(text)
        assert (path.name == "scoring.py" and "group_accuracy" in text) <= groups


def test_what_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "some_name").mkdir()
    complains(tempbench("new", "some_name", "--into", tmp_path, *THREE), "already exists", "another name")
    assert not any((tmp_path / "some_name").iterdir())


@pytest.mark.parametrize(
    "name", ["Upper", "../x", "a__b", "mini", "a_mini", "a_rotated", "class", "a-b", "1a", "x" * 41]
)
def test_what_is_no_name(name, tmp_path):
    complains(tempbench("new", name, "--into", tmp_path, *THREE), "is not a usable name")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["json", "datasets", "numpy", "yaml", "mmmu", "harness"])
def test_a_folder_hides_no_module_that_commands_import(name, tmp_path):
    complains(tempbench("new", name, "--into", str(tmp_path), *THREE), f"is named {name}", "another name")
    assert not any(tmp_path.iterdir())


def test_a_stray_file_is_no_benchmark(tmp_path, monkeypatch, caplog):
    before = benchmarks.names()
    for name in ("stray", "harness", before[0], "Upper", "own_good"):
        (tmp_path / name / "task_yamls").mkdir(parents=True)
        (tmp_path / name / "card.py").touch()
        if name != "stray":
            (tmp_path / name / "task_yamls" / "tasks.yaml").touch()
    monkeypatch.setattr(tempbench_lmms, "__path__", [*tempbench_lmms.__path__, str(tmp_path)])
    assert benchmarks.names() == benchmarks.names() == sorted([*before, "own_good"])
    said = sorted(one.getMessage() for one in caplog.records)
    assert len(said) == 4
    for line, name in zip(said, sorted(["stray", "harness", before[0], "Upper"]), strict=True):
        assert line.startswith(f"TEMPBENCH_BENCHMARKS: {tmp_path / name} is left out: ")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Runs `tempbench new` in an empty folder, with rows of questions, and returns both."""
    monkeypatch.setattr(tempbench_lmms, "__path__", [*tempbench_lmms.__path__])
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))

    def new(name, *rows):
        table = tmp_path / "rows.csv"
        with table.open("w", newline="") as file:
            csv.writer(file).writerows([("id", "question", "options", "answer", "group"), *rows])
        words = ("--answer", "option", "--media", "none", "--groups", "--rows", str(table))
        return tempbench("new", name, *words, "--into", str(tmp_path / "own")), tmp_path / "own"

    return new


def asked(number, **change):
    row = {
        "id": f"a{number}", "question": f"What is {number}?", "options": "odd|even",
        "answer": ("even", "odd")[number % 2], "group": f"g{number // 2}",
    }  # fmt: skip
    return tuple((row | change).values())


@pytest.mark.slow
def test_a_benchmark_outside_a_checkout(elsewhere, tmp_path, monkeypatch):
    done, own = elsewhere("own_parity", *map(asked, range(7)))
    assert done.returncode == 0, done.stderr
    assert f"export TEMPBENCH_BENCHMARKS={own}" in done.stdout
    assert "1 of 4 groups have one question ('g3' is the first)" in done.stderr
    assert [path.name for path in own.iterdir()] == ["own_parity"]
    known = {"TEMPBENCH_BENCHMARKS": str(own), "TEMPBENCH_DATA": str(tmp_path / "data")}
    listed = tempbench_process("tasks", "own_parity", "--all", **known)
    lines = dict(line.split()[:2] for line in listed.stdout.splitlines()[1:])
    made = {"": (7, 4), "_rotated": (14, 8)}
    counts = {
        f"own_parity{word}{sample}": str(n)
        for word, two in made.items()
        for sample, n in zip(("", "_mini"), two, strict=True)
    }
    assert lines == counts, listed.stderr
    for root in (roots.mini_root("own_parity"), roots.prepared_root("own_parity")):
        assert not list(benchmarks.rows("own_parity").problems(root))
    monkeypatch.setattr(tempbench_lmms, "__path__", [*tempbench_lmms.__path__, str(own / "nowhere")])
    complains(tempbench("tasks", "own_parity"), "TEMPBENCH_BENCHMARKS names", "correct it")


FAULTS = [
    ({"id": "a1"}, "id: 'a1' is already used by line 3"),
    ({"options": "odd|odd"}, "options: two are the same"),
    ({"options": "Odd|odd "}, "options: two differ in case or space alone"),
    ({"options": "a|b|c|d|e|f|g|h|even"}, "options: 9, a question has 2 to 8"),
    ({"answer": "neither"}, "answer: 'neither' is none"),
    (
        {"options": "B|A|C", "answer": "A"},
        "answer: 'A' is a letter and another option's text; write 'A. B' or 'B. A'",
    ),
    ({"question": "What is 1?", "group": "g0"}, "asks the same as line 3; leave one of the two out"),
]


@pytest.mark.parametrize(
    "faults",
    [FAULTS, FAULTS[:1], *(pytest.param([one], marks=pytest.mark.exhaustive) for one in FAULTS[1:])],
    ids=len,
)
def test_nothing_is_left_of_rows_that_verify_would_refuse(elsewhere, tmp_path, faults):
    rows = [asked(number, **change) for number, (change, _) in enumerate(faults, 4)]
    name = f"own_wrong{FAULTS.index(faults[0])}_{len(faults)}"  # of its own: modules stay imported
    done, own = elsewhere(name, *map(asked, range(4)), *rows)
    complains(done, "faults" if faults[1:] else faults[0][1])
    for number, (_, said) in enumerate(faults, 6):
        assert f"line {number}: {said}" in done.stderr
    assert not any(own.iterdir())
    assert not (tmp_path / "data" / name / "manifest.json").exists()


def test_a_letter_that_is_an_option_too_is_written_with_its_text(elsewhere):
    options = {"options": "B|A|C"}
    given = ("A. B", "B. A", "C", "C. C", "A. B")
    rows = (asked(number, **options, answer=answer) for number, answer in enumerate(given))
    done, _ = elsewhere("own_both", *rows)
    assert done.returncode == 0, done.stderr
    found = read_rows(roots.prepared_root("own_both") / "questions")
    assert [row["answer"] for row in found] == ["A", "B", "C", "C", "A"]


def test_a_few_questions_are_too_few(tmp_path):
    (tmp_path / "rows.csv").write_text("question,answer\nIs it?,yes\n")
    words = ("--into", tmp_path, *THREE, "--rows", tmp_path / "rows.csv")
    complains(tempbench("new", "some_name", *words), "has 1 questions; write at least 5")
    assert not (tmp_path / "some_name").exists()
