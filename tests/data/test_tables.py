"""Files that only grow hold whole lines, whatever the disk takes."""

import pytest

from tempbench_lmms.data import outputs, tables
from tests.disk import room_for


def test_a_line_that_has_no_room_is_taken_back(tmp_path):
    file = tmp_path / "deep" / "lines"
    tables.append(file, "one\n")
    with room_for(6), pytest.raises(OSError, match="too large") as raised:
        tables.append(file, "two\n")
    assert outputs.refused(raised.value).startswith(f"{file}: File too large; allow larger files")
    assert file.read_bytes() == b"one\n"
    tables.append(file, "half a surrogate \ud83d\n")
    assert file.read_bytes() == b"one\nhalf a surrogate \\ud83d\n"


@pytest.mark.parametrize(("found", "whole"), [(b"a\nb", b"a\n"), (b"a\n", b"a\n"), (b"a", b""), (b"", b"")])
def test_a_torn_line_is_dropped(found, whole, tmp_path):
    file = tmp_path / "lines"
    assert tables.drop_torn_line(file) == b""
    assert not file.exists()
    file.write_bytes(found)
    assert tables.drop_torn_line(file) == whole
    assert file.read_bytes() == whole
