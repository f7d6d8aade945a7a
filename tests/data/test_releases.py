"""A release is found however its user has it, by one rule for every benchmark."""

import shutil
import zipfile
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data import checksums, releases, roots, tables
from tests import contract
from tests.command import tempbench
from tests.each import sample

VIDEOS = ("coherence", "nextgqa", "rextime", "tempcompass_pairs", "timeblind")
RELEASES = [name for name in benchmarks.names() if name != "motion_only"]


def capitals(source, given):
    for path in [path for path in source.rglob("*") if path.is_file()]:
        path.rename(path.with_suffix(path.suffix.upper()))
    return given


def in_a_folder_above(source, given):
    """Each folder that is named lies three folders down; plans of one's own lie in folders themselves."""
    depth = releases.DEEPEST - 1 - ("--from" in given)
    found = []
    for number, word in enumerate(given):
        if Path(word).is_absolute():
            shutil.copytree(word, source.parent.joinpath(f"above{number}", *"ab"[:depth], Path(word).name))
            found.append(str(source.parent / f"above{number}"))
        else:
            found.append(word)
    return found


def videos_in_zips(source, given):
    folders = {path.parent for path in source.rglob("*.mp4")}
    for folder in folders:
        with zipfile.ZipFile(folder.with_name(f"{folder.name}.zip"), "w") as archive:
            for path in folder.rglob("*.mp4"):
                archive.write(path, f"{folder.name}/{path.name}")
        shutil.rmtree(folder)
    return [word if not Path(word).is_absolute() or Path(word).is_dir() else f"{word}.zip" for word in given]


def prepared(benchmark, change, folder, monkeypatch):
    """The rows of every table of what is prepared, and how many media each names."""
    given = contract.of(benchmark).SOURCE(folder / "source", 0)
    monkeypatch.setenv("TEMPBENCH_DATA", str(folder / "home"))
    given = change(folder / "source", given)
    done = tempbench("prepare", benchmark, *given)
    assert done.returncode == 0, done.stderr
    root = roots.prepared_root(benchmark)
    written = (root / roots.MANIFEST).stat().st_mtime_ns
    tempbench("prepare", benchmark, *given)  # nothing is to be done
    assert (root / roots.MANIFEST).stat().st_mtime_ns == written
    said = benchmarks.commands(benchmark)["verify"](root)
    assert [line for line in said if "complete the release" not in line] == []  # TempVS's has one source
    found = {}
    for path in sorted(root.rglob("*.parquet")):
        rows = tables.read_rows(path)
        media = {url for row in rows for url in checksums.urls_of(row)}
        if "view" in rows[0]:  # a video to caption is called by its file
            rows = [row | {"question_id": ""} for row in rows]
        rows = [{name: one for name, one in row.items() if "tempbench://" not in str(one)} for row in rows]
        found[path.relative_to(root)] = rows, len(media)
    return found


CHANGES = {one.__name__: one for one in (capitals, in_a_folder_above, videos_in_zips)}
CASES = [
    pytest.param(benchmark, change)
    for benchmark in RELEASES
    for change in CHANGES
    if change != "videos_in_zips" or benchmark in VIDEOS
]


@pytest.mark.slow
@pytest.mark.parametrize(("benchmark", "change"), sample(CASES, lambda *case: case))
def test_a_release_is_found(benchmark, change, tmp_path, monkeypatch):
    as_it_is = prepared(benchmark, lambda source, given: given, tmp_path / "plain", monkeypatch)
    assert prepared(benchmark, CHANGES[change], tmp_path / "changed", monkeypatch) == as_it_is
