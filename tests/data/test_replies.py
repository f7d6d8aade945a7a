"""JSON Lines of replies: ends of lines, faults, and questions that have no reply."""

import json

import pytest

from tempbench_lmms.data.replies import check_complete, json_lines, read_replies
from tempbench_lmms.errors import TempbenchError

ENDS = "one\u2028two\u2029three\u0085four\x0bfive\rsix"


def test_a_line_ends_at_a_line_feed_alone(tmp_path):
    file = tmp_path / "replies.jsonl"
    lines = [{"question_id": "a", "reply": ENDS}, {"question_id": "b", "reply": "x"}]
    file.write_text("\n\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    assert [number for number, _ in json_lines(file)] == [1, 3]
    assert read_replies(file) == {"a": ENDS, "b": "x"}


def test_ends_of_lines_of_windows(tmp_path):
    file = tmp_path / "replies.jsonl"
    file.write_bytes(b'{"question_id": "a", "reply": "x"}\r\n\r\n{"question_id": "b", "reply": "y"}\r\n')
    assert read_replies(file) == {"a": "x", "b": "y"}


def test_what_has_no_reply_is_refused_or_said():
    assert check_complete({"a", "b"}, {"a", "b"}, partial=False) == []
    with pytest.raises(TempbenchError, match=r"1 of 2 questions have no reply, first 'b'; add --partial"):
        check_complete({"a"}, {"a", "b"}, partial=False)
    assert check_complete({"a"}, {"a", "b"}, partial=True) == [
        "scored are 1 of 2 questions; the others have no reply (first 'b')"
    ]
    for partial in (False, True):
        with pytest.raises(TempbenchError, match="1 replies to unknown questions, first 'c'"):
            check_complete({"a", "c"}, {"a", "b"}, partial)
