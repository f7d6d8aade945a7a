"""A release is found however its user has it, by one rule for every benchmark."""

import gzip
import io
import os
import shutil
import tarfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data import checksums, releases, roots, tables
from tempbench_lmms.errors import TempbenchError
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
    said = benchmarks.rows(benchmark).problems(root)
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


ENDINGS = [".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"]


def put(path, entries):
    """Writes an archive; an entry is (name, bytes), or for a tar file a `TarInfo` in the name's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries:
                archive.writestr(name, content)
        return path
    kind = {".gz": "gz", ".tgz": "gz", ".bz2": "bz2", ".xz": "xz"}.get(path.suffix, "")
    with tarfile.open(path, f"w:{kind}") as archive:
        for name, content in entries:
            entry = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def link(name, target, kind=tarfile.SYMTYPE):
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


@pytest.fixture
def source(tmp_path):
    (tmp_path / "source").mkdir()
    return tmp_path / "source"


@pytest.fixture
def root(tmp_path):
    return tmp_path / "home" / "tempvs"


def content(source, root):
    """Returns the files of a source by place, as its readers see them."""
    with releases.unpacked(source, root) as folder:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


def refused(source, root, match):
    before = {
        path: path.read_bytes() for path in source.rglob("*") if path.is_file() and not path.is_symlink()
    }
    with pytest.raises(TempbenchError, match=match) as error, releases.unpacked(source, root):
        pytest.fail("the archive was taken")
    assert "\n" not in str(error.value)
    assert str(source) in str(error.value)
    assert list(root.parent.iterdir()) == []
    for path, had in before.items():
        assert path.read_bytes() == had


def test_a_source_without_archives_is_read_where_it_is(source, root):
    (source / "a.json").write_text("[]")
    (source / "notes.gz").write_bytes(gzip.compress(b"no tar file"))
    with releases.unpacked(source, root) as folder:
        assert folder == source
    assert not root.parent.exists()


@pytest.mark.parametrize("ending", ENDINGS)
def test_content_lies_where_its_archive_does(source, root, ending):
    put(source / f"data/vist{ending}", [("images/1.jpg", b"one"), ("./images/2.jpg", b"two")])
    put(source / f"data/vwp{ending}", [("vwp/beta0/1.jpg", b"three")])  # the folder is not doubled
    (source / "data/list.json").write_bytes(b"[]")
    assert content(source, root) == {
        "data/list.json": b"[]",
        "data/vist/images/1.jpg": b"one",
        "data/vist/images/2.jpg": b"two",
        "data/vwp/beta0/1.jpg": b"three",
    }
    assert list(root.parent.iterdir()) == []  # nothing stays
    assert {path.name for path in source.rglob("*")} == {"data", "list.json", f"vist{ending}", f"vwp{ending}"}


def test_an_archive_alone(source, root):
    assert content(put(source / "release.tar", [("data/a.txt", b"a")]), root) == {"release/data/a.txt": b"a"}


def test_parts_of_a_set_share_a_folder(source, root):
    put(source / "part_1.zip", [("videos/1.mp4", b"one"), ("both.txt", b"same")])
    put(source / "part_2.zip", [("videos/2.mp4", b"two"), ("both.txt", b"same")])
    put(source / "other_1.zip", [("3.mp4", b"three")])
    assert content(source, root) == {
        "part/videos/1.mp4": b"one",
        "part/videos/2.mp4": b"two",
        "part/both.txt": b"same",
        "other_1/3.mp4": b"three",
    }
    put(source / "part_2.zip", [("videos/1.mp4", b"another")])
    refused(
        source,
        root,
        r"part_2\.zip: its 'videos/1\.mp4' differs from the file of this name in another archive",
    )


def test_what_the_user_unpacked_is_taken_once(source, root):
    put(source / "vist.zip", [("images/1.jpg", b"one"), ("images/2.jpg", b"two")])
    put(source / "here.zip", [("frames/1.jpg", b"frame")])
    for place, had in (("vist/images/1.jpg", b"one"), ("frames/1.jpg", b"frame")):
        (source / place).parent.mkdir(parents=True)
        (source / place).write_bytes(had)
    assert content(source, root) == {
        "frames/1.jpg": b"frame",
        "vist/images/1.jpg": b"one",
        "vist/images/2.jpg": b"two",
    }
    (source / "vist/images/1.jpg").write_bytes(b"other")
    refused(source, root, r"'images/1\.jpg' differs from the file of this name")


def test_links_inside_a_tar_file_are_the_files_that_they_name(source, root):
    entries = [
        (link("a/l.txt", "../m.txt"), b""),
        ("b/x.txt", b"x"),
        (link("m.txt", "b/x.txt", tarfile.LNKTYPE), b""),
    ]
    put(source / "t.tar.gz", entries)
    assert content(source, root) == dict.fromkeys(("t/a/l.txt", "t/m.txt", "t/b/x.txt"), b"x")


def test_what_a_mac_adds_is_left_out(source, root):
    put(
        source / "a.zip",
        [("a/1.jpg", b"one"), ("__MACOSX/a/._1.jpg", b""), ("a/._1.jpg", b""), ("a/.DS_Store", b"")],
    )
    assert content(source, root) == {"a/1.jpg": b"one"}


@pytest.mark.parametrize("ending", [".zip", ".tar.gz"])
@pytest.mark.parametrize(
    ("names", "match"),
    [
        (["../evil.txt"], r"'\.\./evil\.txt' leads out"),
        (["a/../../evil.txt"], "leads out"),
        (["..\\evil.txt"], "leads out"),
        (["/etc/evil.txt"], "leads out"),
        (["C:\\evil.txt"], "leads out"),
        (["a.txt", "./a.txt"], "is there twice"),
        (["a", "a/b"], "is there twice"),
        (["a/b", "a"], "is there twice"),
    ],
)
def test_names_that_lead_elsewhere(source, root, ending, names, match):
    put(source / f"bad{ending}", [("good.txt", b"good"), *((name, b"evil") for name in names)])
    refused(source, root, match)
    assert not list(source.parent.rglob("evil.txt"))


@pytest.mark.parametrize("target", ["/etc/passwd", "../../secret", "..", "nothing", "l"])
def test_links_that_name_no_file_of_the_archive(source, root, target):
    (source.parent / "secret").write_text("secret")
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        put(source / "bad.tar", [(link("l", target, kind), b"")])
        refused(source, root, "cannot be unpacked")


def test_an_encrypted_entry(source, root):
    path = put(source / "locked.zip", [("secret.txt", b"secret")])
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    path.write_bytes(data)
    refused(source, root, "is encrypted")


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_a_cut_archive(source, root, ending):
    noise = os.urandom(4000)
    whole = put(source / f"cut{ending}", [(f"{i}.bin", noise) for i in range(3)])
    data = whole.read_bytes()
    # Amid an entry, and of a tar file without compression exactly between two.
    for size in {len(data) // 2, 2 * (512 + 4096) if ending == ".tar" else 100, 0}:
        whole.write_bytes(data[:size])
        refused(source, root, rf"cut{ending} cannot be unpacked .*download it again")


def test_a_damaged_entry(source, root):
    path = put(source / "a.zip", [("a.bin", b"abc" * 1000)])
    data = bytearray(path.read_bytes())
    data[45] ^= 0xFF
    path.write_bytes(data)
    refused(source, root, r"a\.zip cannot be unpacked")
    path.unlink()
    path = put(source / "a.tar", [("a.bin", b"abc" * 1000), ("b.bin", b"abc")])
    data = bytearray(path.read_bytes())
    data[512 + 3072 + 20] ^= 0xFF  # in the second header: the library would stop there and say nothing
    path.write_bytes(data)
    refused(source, root, r"a\.tar cannot be unpacked")


@pytest.mark.parametrize("ending", [".zip", ".tar.gz"])
def test_an_archive_without_room(source, root, ending, monkeypatch):
    put(source / f"bomb{ending}", [("zeros", bytes(3_000_000))])
    monkeypatch.setattr(releases.shutil, "disk_usage", lambda _: SimpleNamespace(free=2_000_000))
    refused(source, root, "does not fit in")


def test_what_a_killed_run_left_is_not_taken(source, root):
    put(source / "a.zip", [("a.txt", b"a")])
    left = root.with_name(".tempvs.unpacked") / "a"
    left.mkdir(parents=True)
    (left / "old.txt").write_text("half of it")
    assert content(source, root) == {"a/a.txt": b"a"}
