"""JSON Lines of replies: ends of lines, faults, and questions that have no reply."""

import json

import pytest

from tempbench_lmms.data.replies import check_complete, json_values
from tempbench_lmms.errors import TempbenchError

ENDS = "one\u2028two\u2029three\u0085four\x0bfive\rsix"


def read(file):
    return [(value["question_id"], value["reply"]) for _, value in json_values(file)]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (f'{{"question_id": "a", "reply": {json.dumps(ENDS, ensure_ascii=False)}}}\n\n', ENDS),
        ('{"question_id": "a", "reply": "x"}\r\n\r\n', "x"),
        ('\ufeff{"question_id": "a", "reply": "x"}', "x"),
        ('\ufeff[{"question_id": "a", "reply": "x"}]', "x"),
    ],
)
def test_a_line_ends_at_a_line_feed_alone(content, found, tmp_path):
    file = tmp_path / "replies.jsonl"
    file.write_bytes(content.encode())
    assert read(file) == [("a", found)]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"question_id": "a"}'.encode("utf-16"), "is not UTF-8 text"),
        (
            '{"question_id": "é"}'.encode("latin-1"),
            r"is not UTF-8 text \(it has the byte 0xe9\); save it as UTF-8",
        ),
        (b'{"question_id": "a", "reply": "x", "question_id": "b"}', "line 1: the key 'question_id' appears"),
    ],
)
def test_what_is_no_text_or_says_two_things_is_named(content, says, tmp_path):
    file = tmp_path / "replies.jsonl"
    file.write_bytes(content)
    with pytest.raises(TempbenchError, match=says):
        read(file)


def test_a_folder_is_no_file_of_replies(tmp_path):
    with pytest.raises(TempbenchError, match="is a folder; give a file"):
        read(tmp_path)


def test_what_has_no_reply_is_refused_or_said():
    assert check_complete({"a", "b"}, {"a", "b"}, partial=False) == []
    with pytest.raises(TempbenchError, match=r"1 of 2 questions have no reply, first 'b'; add --partial"):
        check_complete({"a"}, {"a", "b"}, partial=False)
    assert check_complete({"a"}, {"a", "b"}, partial=True) == [
        "scored 1 of 2 questions; the others have no reply (first 'b')"
    ]
    for partial in (False, True):
        with pytest.raises(TempbenchError, match="1 reply to unknown questions, first 'c'"):
            check_complete({"a", "c"}, {"a", "b"}, partial)
