"""What the system refuses to write is a line with the file's name, and nothing half-written is left."""

import errno
import os

import pytest

from tempbench_lmms.data import outputs, tables
from tempbench_lmms.errors import TempbenchError
from tests.command import complains, tempbench
from tests.disk import room_for


def rows(path):
    import pyarrow as pa

    schema = pa.schema([("text", pa.string())])
    tables.write_rows([{"text": os.urandom(3000).hex()}], path, schema)


def film(path):
    from PIL import Image

    from tempbench_lmms.media import encoding

    encoding.encode([Image.effect_noise((64, 64), 90).convert("RGB") for _ in range(9)], path, 5, crf=0)


def copy(path):
    source = path.with_name("source")
    source.write_bytes(b"x" * 5000)
    with room_for(1000):
        tables.copy_file(source, path)


def text(path):
    tables.write_text("x" * 5000, path)


@pytest.mark.parametrize("write", [rows, film, copy, text])
def test_a_disk_without_room_is_named_and_leaves_what_was_there(write, tmp_path):
    path = tmp_path / "deep" / "file"
    path.parent.mkdir()
    path.write_bytes(b"before")
    with pytest.raises(OSError, match="too large") as raised, room_for(1000 if write is not copy else 5000):
        write(path)
    assert outputs.refused(raised.value).startswith(f"{path}: File too large; allow larger files")
    assert path.read_bytes() == b"before"
    assert {file.name for file in path.parent.iterdir()} <= {"file", "source"}


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free space and give the same command again"),
        (errno.EDQUOT, "free space and give the same command again"),
        (errno.EROFS, "check the path, its permissions and the disk"),
        (errno.EACCES, "check the path, its permissions and the disk"),
    ],
)
def test_a_refusal_says_what_to_do(number, advice, tmp_path):
    def write():
        with outputs.replacing(tmp_path / "file") as partial:
            # A file that cannot be opened is named by the system, a full disk is not.
            named = partial if number == errno.EACCES else None
            raise OSError(number, "a whole paragraph\nof a library", named and str(named))

    with pytest.raises(OSError, match="paragraph") as raised:
        write()
    line = outputs.refused(raised.value)
    assert line.startswith(f"{tmp_path / 'file'}: {os.strerror(number)}; ")
    assert advice in line
    assert "\n" not in line


def test_a_link_stays_and_its_file_is_written(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in ("a", "b"):  # a link to nothing is followed too
        tables.write_text(content, link)
        assert link.is_symlink()
        assert target.read_text() == content
    outputs.check_file(link, force=True)


def test_a_copy_over_a_link_to_its_source_is_a_file(tmp_path):
    source, link = tmp_path / "source", tmp_path / "link"
    source.write_text("a")
    link.symlink_to(source)
    tables.copy_file(source, link)
    assert not link.is_symlink()
    assert (source.read_text(), link.read_text()) == ("a", "a")


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        tables.write_text("words", pipe)
        assert os.read(reader, 100) == b"words"
        with pytest.raises(ValueError, match="amiss"), outputs.replacing(pipe):
            raise ValueError("amiss")
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_the_mode_stays_and_a_new_file_has_the_usual_one(tmp_path):
    before = os.umask(0o027)
    try:
        tables.write_text("a", tmp_path / "a")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    for mode in (0o600, 0o664):
        (tmp_path / "a").chmod(mode)
        tables.write_text("b", tmp_path / "a")
        assert (tmp_path / "a").stat().st_mode & 0o777 == mode


def test_two_writers_and_a_file_of_the_users(tmp_path):
    mine, path = tmp_path / "a.partial", tmp_path / "a"
    mine.write_text("mine")
    with outputs.replacing(path) as first, outputs.replacing(path) as second:
        first.write_text("first")
        second.write_text("second")
        assert first != second
        assert {first.suffix, second.suffix} == {".partial"}  # what counts a folder's files leaves them out
    assert path.read_text() == "first"
    assert mine.read_text() == "mine"
    longest = tmp_path / ("x" * 255)
    tables.write_text("long", longest)
    assert sorted(tmp_path.iterdir()) == [path, mine, longest]


STAMP = "20260101_000000"
OF_A_RUN = [
    f"run/{STAMP}_results.json",
    f"run/{STAMP}_samples_mateo_mini.jsonl",
    f"run/{STAMP}_reread_mateo_mini.reader.jsonl",
    "run/mine_results.json",
    "run/mine_samples_mateo_mini.jsonl",
    "run/tempbench_run.json",
    "run/check.json",
    "run/.lock",
    "run/cache/cache.db",
    "run/cache/runs/x/rank_0.db",
    "copied/tempbench_run.json",
    "copied/check.json",
    "repeated/repeat_1/tempbench_run.json",
    "repeated/check.json",
    "answers/anna/.lock",
    "answers/anna/mateo_mini.jsonl",
]
NOT_OF_A_RUN = [
    "run/report.html",
    "run/table.csv",
    "run/scores.json",
    "check.json",
    "scores_results.json",
    "replies.jsonl",
    "cache/scores.json",
]


@pytest.fixture
def place(tmp_path):
    for name in (*OF_A_RUN, *NOT_OF_A_RUN):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("kept")
    return tmp_path


@pytest.mark.parametrize("name", OF_A_RUN)
def test_a_file_of_a_run_is_never_overwritten(name, place):
    (place / "link").symlink_to(place / name)
    for path in (place / name, place / "link"):
        with pytest.raises(TempbenchError, match="belongs to a run and is never overwritten"):
            outputs.check_foreign(path)


@pytest.mark.parametrize("name", [*NOT_OF_A_RUN, f"{STAMP}_results.json", "new.html"])
def test_any_other_file_may_be(name, place):
    outputs.check_foreign(place / name)


# How each command that writes a file is given one; the file is refused before anything is read.
WRITERS = {
    "report": ("report", "run", "--force", "-o"),
    "table": ("table", "tempvs", "Table 3", "--format", "csv", "--force", "-o"),
    "show": ("show", "tempvs_mt1_two_mini", "--force", "-o"),
    "check-model": ("check-model", "--model", "m", "--tasks", "tempvs_mt1_two_mini", "--force", "-o"),
}


@pytest.mark.parametrize("command", WRITERS)
def test_every_command_that_writes_a_file_refuses(command, place, monkeypatch):
    monkeypatch.chdir(place)
    results = f"run/{STAMP}_results.json"
    complains(tempbench(*WRITERS[command], results), "belongs to a run and is never overwritten")
    assert (place / results).read_text() == "kept"
    before = sorted(place.rglob("*"))
    complains(tempbench(*WRITERS[command], ""), "the name is empty")
    assert sorted(place.rglob("*")) == before


def test_a_folder_without_a_name_is_not_the_one_that_one_is_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    complains(
        tempbench("run", "--model", "tempbench_oracle", "--tasks", "tempvs_mt1_two_mini", "-o", ""),
        "output: the name is empty",
    )
    assert not [*tmp_path.iterdir()]
