"""`tempbench new`: what it writes, and what it refuses."""

import ast
import itertools

import pytest
import yaml

from tempbench_lmms import benchmarks
from tempbench_lmms.cli.new import _ANSWERS, _MEDIA, texts_of
from tests.command import REPOSITORY, complains, tempbench

KINDS = [
    (answer, media, groups)
    for answer, media, groups in itertools.product(_ANSWERS, _MEDIA, (True, False))
    if answer != "span" or media == "video"
]
THREE = ("--answer", "yes-no", "--media", "none", "--no-groups")


@pytest.mark.parametrize(("answer", "media", "groups"), KINDS)
def test_every_kind_is_code_without_gaps(answer, media, groups):
    texts = texts_of("some_name", answer, media, groups, 12, 'A "quoted" {title}')
    assert {path.parts[0] for path in texts} == {
        "docs",
        "hf_datasets",
        "task_yamls",
        "tempbench_lmms",
        "tests",
    }
    for path, text in texts.items():
        assert "NAME" not in path.as_posix()
        assert "{%" not in text
        if path.suffix == ".py":
            assert ast.get_docstring(ast.parse(text)), path
        if path.suffix == ".yaml":
            yaml.compose(text)
        assert (path.name == "scoring.py" and "group_accuracy" in text) <= groups


def test_what_is_there_is_not_overwritten():
    name = benchmarks.names()[0]
    before = {path: path.read_bytes() for path in (REPOSITORY / "tempbench_lmms" / name).glob("*.py")}
    complains(tempbench("new", name, "--into", str(REPOSITORY), *THREE), "is there already", "another name")
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    "name", ["Upper", "../x", "a__b", "mini", "a_mini", "a_rotated", "class", "a-b", "1a", "x" * 41]
)
def test_what_is_no_name(name):
    complains(tempbench("new", name, "--into", str(REPOSITORY), *THREE), "is no name")


def test_a_name_of_the_harness_is_left_to_it():
    complains(tempbench("new", "mmmu", "--into", str(REPOSITORY), *THREE), "named mmmu", "another name")
    assert not (REPOSITORY / "tempbench_lmms" / "mmmu").exists()


def test_only_a_checkout_is_written_to(tmp_path):
    complains(tempbench("new", "some_name", "--into", str(tmp_path), *THREE), "is no checkout", "--into")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--answer", "essay", "--media", "none", "--groups"), "--answer 'essay' is unknown"),
        (("--answer", "order", "--media", "sound", "--groups"), "--media 'sound' is unknown"),
        (("--answer", "span", "--media", "none", "--groups"), "a time span is asked of a video"),
        (("--answer", "order"), "nobody can be asked here"),
    ],
)
def test_what_cannot_be_chosen(words, said):
    complains(tempbench("new", "some_name", "--into", str(REPOSITORY), *words), said)


def test_a_few_questions_are_too_few(tmp_path):
    (tmp_path / "rows.csv").write_text("question,answer\nIs it?,yes\n")
    words = ("--into", str(REPOSITORY), *THREE, "--rows", str(tmp_path / "rows.csv"))
    complains(tempbench("new", "some_name", *words), "has 1 questions; write at least 5")
    assert not (REPOSITORY / "tempbench_lmms" / "some_name").exists()
