"""What the system refuses to write is a line with the file's name, and nothing half-written is left."""

import contextlib
import errno
import os

import pytest

from tempbench_lmms.data import outputs, tables
from tests.command import complains, tempbench

resource = pytest.importorskip("resource")


@contextlib.contextmanager
def room_for(n_bytes):
    """A block in which no file grows beyond so many bytes, as where the disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


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
        (errno.ENOSPC, "make room and give the same command again"),
        (errno.EDQUOT, "make room and give the same command again"),
        (errno.EROFS, "choose another place"),
        (errno.EACCES, "choose another place"),
    ],
)
def test_a_refusal_says_what_to_do(number, advice, tmp_path):
    def write():
        with outputs.replacing(tmp_path / "file"):
            raise OSError(number, "a whole paragraph\nof a library")

    with pytest.raises(OSError, match="paragraph") as raised:
        write()
    line = outputs.refused(raised.value)
    assert line.startswith(f"{tmp_path / 'file'}: {os.strerror(number)}; ")
    assert advice in line
    assert "\n" not in line


def test_what_is_read_in_the_block_keeps_its_own_name(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        tables.copy_file(tmp_path / "source", tmp_path / "target")
    assert raised.value.filename == str(tmp_path / "source")


def test_a_page_that_has_no_room_is_a_line(tmp_path):
    page = tmp_path / "page.html"
    with room_for(1000):
        done = tempbench("show", "tempvs_mt1_two_mini", "-o", page)
    complains(done, str(page), "File too large")
    assert not list(tmp_path.iterdir())
