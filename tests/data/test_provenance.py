"""The checksum of the code that makes numbers of replies."""

import shutil
from pathlib import Path

import pytest

import tempbench_lmms
from tempbench_lmms.data import provenance

PACKAGE = Path(tempbench_lmms.__file__).parent


@pytest.fixture
def of_copy(tmp_path, monkeypatch):
    """Returns what gives the checksum of a copy of the package elsewhere, as another checkout or a wheel."""
    copy = tmp_path / "tempbench_lmms"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "reference"))

    def found(change=lambda folder: None):
        change(copy)
        with monkeypatch.context() as patch:
            patch.setattr(provenance, "_PACKAGE", copy)
            patch.setattr(provenance, "home", lambda benchmark: copy / benchmark)
            return provenance.of_numbers.__wrapped__("tempvs")

    return found


def appended(name):
    def change(folder):
        with (folder / name).open("a", encoding="utf-8", newline="") as file:
            file.write("# changed\n")

    return change


def with_line_ends_of_windows(folder):
    for file in folder.rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def test_the_same_code_elsewhere_has_the_same_checksum(of_copy):
    assert of_copy() == provenance.of_numbers("tempvs")
    assert of_copy(with_line_ends_of_windows) == provenance.of_numbers("tempvs")


@pytest.mark.parametrize(
    "name",
    [
        *("parsing/stance.py", "parsing/mentions/options.py", "parsing/lexicon/en.txt"),
        *("metrics/ratio.py", "tempvs/scoring.py", "tempvs/parser.py"),
        *("tempvs/prompts.py", "record.py", "harness/adapter.py"),
    ],
)
def test_what_decides_a_number_counts(of_copy, name):
    assert of_copy(appended(name)) != provenance.of_numbers("tempvs")


@pytest.mark.parametrize("name", ["mateo/scoring.py", "report/page.py", "cli/runs.py", "media/video.py"])
def test_what_decides_no_number_of_a_benchmark_does_not_count(of_copy, name):
    assert of_copy(appended(name)) == provenance.of_numbers("tempvs")
