"""Tables that strangers hand in: no cell is cut, shifted or computed without a word."""

import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.data import bounds
from tempbench_lmms.data.user_files import check_complete, json_values, read_table, storable
from tempbench_lmms.errors import TempbenchError


def read(path):
    return [(where, row["prediction"]) for where, row in read_table(path, "prediction", ("index",))]


def table(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def book(folder, *rows):
    from openpyxl import Workbook

    made = Workbook()
    for row in rows:
        made.active.append(row)
    path = folder / "t.xlsx"
    made.save(path)
    return path


def with_xml(path, *changes):
    """Changes the first sheet of an .xlsx as other writers would have written it."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = members["xl/worksheets/sheet1.xml"].decode()
    for old, new in changes:
        assert old in sheet, sheet
        sheet = sheet.replace(old, new)
    members["xl/worksheets/sheet1.xml"] = sheet.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("index,prediction\n1,A\n2,B, because it falls\n", "line 3 has 3 cells and the first 2"),
        ("index,prediction\n1,A\n2\n", "line 3 has 1 cells and the first 2"),
        ('index,prediction\n1,"A\n2,B\n', r'line 2 has a quote \("\) that is not closed'),
        ('index,prediction\n1,A\n2,"B\n3,"C"\n', r'line 3 has a quote \("\) that is not closed'),
        ("index,prediction,prediction\n1,A,B\n", "two columns prediction; remove one"),
        ("index,prediction, index \n1,A,2\n", "two columns index; remove one"),
        ("index,prediction,\n1,B, because\n", "line 2 has a cell in no column"),
        ("index,Predicted\n1,A\n", r"no column prediction \(it has index, Predicted\)"),
        ("Index;prediction;PREDICTION\n1;A;B\n", "two columns prediction; remove one"),
        ("index,prediction\n1,A\0B\n", "holds NUL"),
        ("", "is empty"),
        ("index,prediction\n1,A\n".encode("utf-16"), "is not UTF-8 text .*; save it as UTF-8"),
        ("index,prediction\n1,café\n".encode("cp1252"), "is not UTF-8 text .*; save it as UTF-8"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_by_its_line(content, says, tmp_path):
    with pytest.raises(TempbenchError, match=says):
        read(table(tmp_path, content))


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffindex,prediction\n1,A\n2,B\n",
        "index;prediction\n1;A\n2;B\n",
        "index\tprediction\r\n1\tA\r\n2\tB\r\n",
        ",index,prediction\n0,1,A\n1,2,B\n",  # with the number of the row, as pandas writes it
        '"index";"prediction"\n1;A\n\n2;B\n;\n',
        "index,prediction,\n1,A,\n2,B,\n",
    ],
)
def test_tables_as_programs_write_them(content, tmp_path):
    assert [reply for _, reply in read(table(tmp_path, content))] == ["A", "B"]


def test_quoted_texts_are_whole_and_their_lines_counted(tmp_path):
    reply = 'one, "two"\nthree\r\n'
    quoted = reply.replace('"', '""')
    path = table(tmp_path, f'index,prediction\n1,"{quoted}"\n2,B\n')
    assert read(path) == [("line 2", reply), ("line 5", "B")]
    assert read(table(tmp_path, "index,prediction\n")) == []


def test_texts_that_a_spreadsheet_takes_for_formulas(tmp_path):
    path = book(tmp_path, ["index", "prediction"], [1, "=B"], [2, "==> B"])
    assert read(path) == [("row 2", "=B"), ("row 3", "==> B")]
    with pytest.raises(TempbenchError, match="row 4 has a formula; put its value"):
        read(book(tmp_path, ["index", "prediction"], [1, "A"], [2, "B"], ["=A3+1", "C"]))


def test_what_writers_of_spreadsheets_do(tmp_path):
    path = book(tmp_path, ["index", "prediction"], [1, "A_x000D_"], [None, None], [3, "C"])
    assert read(path) == [("row 2", "A\r"), ("row 4", "C")]
    with_xml(path, ('<dimension ref="A1:B4"', '<dimension ref="A1"'))
    assert len(read(path)) == 2
    with pytest.raises(TempbenchError, match="row 2 has a cell in no column"):
        read(book(tmp_path, ["prediction"], ["A", "and more"]))
    with pytest.raises(TempbenchError, match="two columns prediction"):
        read(book(tmp_path, ["prediction", "prediction"], ["A", "B"]))


def test_rows_far_down_a_sheet_are_rows_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "MAX_ROWS", 1000)
    path = book(tmp_path, ["prediction"], ["A"])
    with_xml(path, ('<row r="2"', '<row r="2000000000"'))
    with pytest.raises(TempbenchError, match="holds more than 1,000 rows"):
        read(path)


COLUMNS = {"prediction": {"q1": "A", "q2": "B"}}
INDEX = {"q1": {"prediction": "A"}, "q2": {"prediction": "B"}}


@pytest.mark.parametrize("value", [COLUMNS, INDEX])
def test_rows_of_json_tables_keep_their_names(value, tmp_path):
    path = table(tmp_path, json.dumps(value), "t.json")
    assert [(row["index"], row["prediction"]) for _, row in read_table(path, "prediction")] == [
        ("q1", "A"),
        ("q2", "B"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.json", '{"prediction": {"q1": "A", "q1": "B"}}', "the key 'q1' appears twice"),
        (
            "t.json",
            '[{"prediction": "A"}, {"reply": "B"}]',
            r"entry 2 has no column prediction \(it has reply\)",
        ),
        ("t.jsonl", '{"prediction": "A", "prediction": "B"}\n', "line 1: the key 'prediction' appears twice"),
        ("t.jsonl", '{"prediction": "A"}\n3\n', "line 2 is not an object"),
        ("t.jsonl", '{"prediction": "A"\n', "line 1: not JSON"),
        ("t.json", '"text"', "is neither a list of rows"),
    ],
)
def test_json_tables_that_say_two_things(name, content, says, tmp_path):
    with pytest.raises(TempbenchError, match=says):
        read(table(tmp_path, content, name))


def test_json_lines_under_another_name(tmp_path):
    path = table(tmp_path, '{"prediction": "A"}\n{"prediction": "B"}\n', "t.json")
    assert read(path) == [("entry 1", "A"), ("entry 2", "B")]


def test_folders_and_missing_files_are_said(tmp_path):
    (tmp_path / "f.csv").mkdir()
    with pytest.raises(TempbenchError, match="is a folder; give a file"):
        read(tmp_path / "f.csv")
    with pytest.raises(TempbenchError, match=r"cannot be read \(No such file or directory\); check the path"):
        read(tmp_path / "none.csv")


def test_columns_are_known_in_any_case(tmp_path):
    made = [book(tmp_path, ["INDEX", "Prediction"], [1, "A"])]
    made.append(table(tmp_path, "INDEX;Prediction\n1;A\n"))
    made.append(table(tmp_path, '{"INDEX": {"a": 1}, "Prediction": {"a": "A"}}', "t.json"))
    made.append(table(tmp_path, '{"INDEX": 1, "Prediction": "A"}', "t.jsonl"))
    for path in made:
        ((_, row),) = read_table(path, "prediction", ("index",))
        assert (str(row["index"]), row["prediction"]) == ("1", "A")
    with pytest.raises(TempbenchError, match="line 1 has two columns prediction"):
        read(table(tmp_path, '{"prediction": "A", "Prediction": "B"}', "t.jsonl"))


ENDS = "one\u2028two\u2029three\u0085four\x0bfive\rsix"


def replies_in(file):
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
    assert replies_in(file) == [("a", found)]


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
        replies_in(file)


def test_a_folder_is_no_file_of_replies(tmp_path):
    with pytest.raises(TempbenchError, match="is a folder; give a file"):
        replies_in(tmp_path)


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


@given(st.text(st.characters() | st.characters(categories=["Cs", "Co", "Cn"])))
def test_every_text_can_be_stored_and_a_parser_takes_it_for_what_it_is(text):
    stored = storable(text)
    assert stored.encode().decode() == stored
    for one, other in zip(text, stored, strict=True):
        assert one == other or "\ud800" <= one <= "\udfff"
        for test in (str.isalpha, str.isdigit, str.isalnum, str.isspace, str.isprintable):
            assert test(other) == test(one)
