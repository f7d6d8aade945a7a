"""The papers' tables with runs in them, and the four ways in which they are written."""

import csv
import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard, Cluster, PrintedTable, Reference
from tempbench_lmms.report import numbers, page, tables, text
from tempbench_lmms.report.numbers import (
    CHANCE,
    MINI,
    MODEL,
    PARTIAL,
    RUN,
    Cell,
    Found,
    Grid,
    Heading,
    Number,
    Result,
)
from tempbench_lmms.report.printed import grid_of
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.timepercept.card import TRANSFER
from tests.command import complains, tempbench
from tests.report.runs import write_tasks

ALL = [(name, table) for name in benchmarks.names() for table in benchmarks.card(name).tables]
IDS = [f"{name}, {table.name}" for name, table in ALL]


def card(**more):
    known = {"chance": {"acc": 0.25}, "others": {"People": "human", "Random": "chance"}}
    known["cluster"] = Cluster("id", ("id",))
    return BenchmarkCard("x", "X", "", "", (), "1-A", primary=("acc",), full=("x", 100), **known | more)


def table(rows, metrics, models_are="rows", unit="percent", comparable=True, **more):
    """Returns a table: by row its cells, by column its metric, with the row's name for its part {}."""
    cells = {}
    for row, printed in rows.items():
        for (column, metric), value in zip(metrics.items(), printed, strict=True):
            cells[row, column] = Reference(
                table="Table 1",
                model=row.split(" / ")[0],
                metric=metric.format(row.rsplit(" / ", 1)[-1]),
                value=float(value) / (100 if unit == "percent" else 1)
                if value[:1].isdigit()
                else float("nan"),
                comparable=comparable,
                unit=unit,
                row=row,
                column=column,
                printed=value,
                **more,
            )
    return PrintedTable("Table 1", "A table", tuple(rows), tuple(metrics), cells, models_are)


def result(values, is_mini=False, is_complete=True, label="mine"):
    """Returns a run: by task and metric its values."""
    run_card, log = SimpleNamespace(is_complete=is_complete), SimpleNamespace(problems=())
    task = SimpleNamespace(is_mini=is_mini, run_card=run_card, log=log)
    found = tuple(
        Found(tuple(stem.split()), metric, f"x_{stem}", Number(value, None, 0.1, 0.9))
        for (stem, metric), value in values.items()
    )
    return Result(label, (task,), found)


def lines(made, kind=None):
    """Returns the rows of a grid as text, by heading."""
    return {
        row.label: [cell.text for cell in cells]
        for row, cells in zip(made.rows, made.cells, strict=True)
        if kind in (None, row.kind)
    }


def higher(metric):
    return "higher"


# ---- what stands in a table


def test_a_run_is_one_more_row_in_the_unit_of_the_paper():
    paper = table({"A": ["61.25", "50"], "B": ["-", "49.5"]}, {"Acc": "acc", "F": "cot_acc"})
    made = grid_of(card(), paper, [result({("", "acc"): 0.625, ("cot", "acc"): 0.5})], higher)
    assert lines(made) == {
        "A": ["61.25", "50"],
        "B": ["-", "49.5"],
        "chance": ["25.00", "25.0"],  # as many decimals as the column's numbers have
        "mine": ["62.50", "50.0"],
    }
    assert [cell.bounds for cell in made.cells[-1]] == ["[10.00, 90.00]", "[10.0, 90.0]"]


def test_a_model_s_lines_are_a_run_s_lines():
    paper = table(
        {"A / text": ["0.5", "0.4"], "A / image": ["0.3", "0.2"], "B / text": ["0.1", "0.9"]},
        {"Plain": "{}_plain_f1", "CoT": "{}_cot_f1"},
        unit="fraction",
    )
    mine = result({("image plain", "f1"): 0.75, ("text cot", "f1"): 0.5})
    made = grid_of(card(chance={}), paper, [mine], higher)
    assert lines(made, RUN) == {"mine / text": ["-", "0.50"], "mine / image": ["0.75", "-"]}


def test_models_in_columns_make_a_run_a_column():
    paper = PrintedTable(
        "Table 1",
        "",
        ("one", "two"),
        ("# questions", "Accuracy"),
        {
            (row, column): Reference(
                "Table 1", "", metric, 0.5, unit=unit, row=row, column=column, printed="50"
            )
            for row in ("one", "two")
            for column, metric, unit in (("# questions", "", "count"), ("Accuracy", f"{row}_acc", "percent"))
        },
        "columns",
    )
    made = grid_of(card(), paper, [result({("two", "acc"): 0.5})], higher)
    assert [column.label for column in made.columns] == ["# questions", "Accuracy", "chance", "mine"]
    assert lines(made) == {"one": ["50", "50", "25.0", "-"], "two": ["50", "50", "25.0", "50.0"]}


def test_a_table_with_a_row_for_chance_has_no_second_one():
    paper = table({"Random": ["20"], "A": ["30"]}, {"Acc": "acc"})
    made = grid_of(card(), paper, [], higher)
    assert lines(made) == {"Random": ["20"], "A": ["30"]}
    assert [row.kind for row in made.rows] == [CHANCE, MODEL]


@pytest.mark.parametrize(
    ("better", "run", "best"),
    [
        ("higher", result({("", "acc"): 0.5}), {"B"}),
        ("higher", result({("", "acc"): 0.9}), {"mine"}),
        ("higher", result({("", "acc"): 0.61}), {"B", "mine"}),
        ("lower", result({("", "acc"): 0.5}), {"A"}),
        ("neither", result({("", "acc"): 0.9}), set()),
        ("higher", result({("", "acc"): 0.9}, is_mini=True), {"B"}),
        ("higher", result({("", "acc"): 0.9}, is_complete=False), {"B"}),
    ],
)
def test_best_of_a_metric(better, run, best):
    """People and chance are never the best, nor is a run that did not ask every question."""
    paper = table({"People": ["99"], "Random": ["1"], "A": ["30"], "B": ["61"]}, {"Acc": "acc"})
    made = grid_of(card(), paper, [run], lambda metric: better)
    marked = {
        row.label.removesuffix(", mini")
        for row, cells in zip(made.rows, made.cells, strict=True)
        if cells[0].is_best
    }
    assert marked == best


@pytest.mark.parametrize("models_are", ["rows", "columns"])
def test_a_run_has_a_number_where_the_paper_s_cannot_be_read(models_are):
    paper = table({"A": ["50"]}, {"Acc": "acc"})
    blank = replace(paper.cells["A", "Acc"], column="F", metric="f1", printed="", value=float("nan"))
    paper = replace(paper, columns=("Acc", "F"), blank={("A", "F"): blank})
    if models_are == "columns":
        turned = [{(c, r): cell for (r, c), cell in own.items()} for own in (paper.cells, paper.blank)]
        paper = PrintedTable("T", "", paper.columns, paper.rows, turned[0], "columns", turned[1])
    mine = result({("", "acc"): 0.5, ("", "f1"): 0.25})
    made = grid_of(card(chance={}), paper, [mine], higher)
    made = made.transposed() if models_are == "columns" else made
    assert lines(made) == {"A": ["50", "-"], "mine": ["50.0", "25.0"]}


def test_a_run_stands_once_where_a_metric_stands_twice():
    paper = table({"A": ["10", "20"], "B": ["30", "40"]}, {"Before": "acc", "After": "acc"})
    made = grid_of(card(chance={}), paper, [result({("", "acc"): 0.5})], higher)
    assert lines(made, RUN) == {"mine": ["50.0", "-"]}
    later = dict(paper.cells)
    later["A", "Before"] = Reference("Table 1", "A", "acc", 0.1, False, "a part", "percent", printed="10")
    other = PrintedTable("Table 1", "", ("A",), ("Before", "After"), later)
    made = grid_of(card(chance={}), other, [result({("", "acc"): 0.5})], higher)
    assert lines(made, RUN) == {"mine": ["-", "50.0"]}  # where it can be compared


def test_variants_and_repeated_tasks_are_rows_apart():
    paper = table({"A": ["10"]}, {"Acc": "acc"})
    mine = result({("", "acc"): 0.1, ("vqa", "acc"): 0.2})
    made = grid_of(card(chance={}), paper, [mine], higher)
    assert lines(made, RUN) == {"mine": ["10.0"], "mine, vqa": ["20.0"]}
    again = result({("one", "acc"): 0.1, ("one ", "acc"): 0.2})  # two tasks of one name's parts
    names = [label.split(", ")[0] for label in lines(grid_of(card(chance={}), paper, [again], higher), RUN)]
    assert names == ["mine", "mine"]


def test_notes_stand_where_they_belong():
    rows = {"A": ["10", "20"], "B": ["30", "40"]}
    paper = table(rows, {"One": "one_acc", "Two": "two_acc"}, note="of all; of A")
    cells = dict(paper.cells)
    for (row, column), cell in cells.items():
        note = "of all" + ("; of A" if row == "A" else "") + ("; of one" if column == "One" else "")
        note += "; alone" if (row, column) == ("B", "Two") else ""
        cells[row, column] = Reference(**{**vars(cell), "note": note})
    paper = PrintedTable("Table 1", "", paper.rows, paper.columns, cells)
    runs = [result({("one", "acc"): 0.5}, is_mini=True), result({("one", "acc"): 0.4}, is_complete=False)]
    made = grid_of(card(chance={}), paper, runs, higher)
    assert made.remarks == ("of all",)
    assert [row.notes for row in made.rows] == [("of A",), (), (MINI,), (PARTIAL,)]
    assert [column.notes for column in made.columns] == [("of one",), ()]
    assert [[cell.notes for cell in line] for line in made.cells[:2]] == [[(), ()], [(), ("alone",)]]
    assert made.marks == {"of one": "a", "of A": "b", "alone": "c", MINI: "d", PARTIAL: "e"}


# ---- every table of the papers


@pytest.mark.parametrize("name", benchmarks.names())
def test_others_are_in_the_tables(name):
    own = benchmarks.card(name)
    assert set(own.others) <= {cell.model for one in own.tables for cell in one.cells.values()}
    assert set(own.others.values()) <= {"human", "chance", "best", "other"}


@pytest.mark.parametrize("name", benchmarks.names())
def test_notes_say_why_to_a_reader_who_has_the_table_alone(name):
    own = benchmarks.card(name)
    cells = [cell for one in own.tables for cell in one.cells.values()]
    assert all(cell.comparable or not cell.metric or cell.note or own.apart for cell in cells)
    assert not [cell.note for cell in cells if "docs/" in cell.note]


@pytest.mark.parametrize(("name", "printed"), ALL, ids=IDS)
def test_every_printed_cell_stands_in_its_row_and_column(name, printed):
    (made,) = tables.papers(benchmarks.card(name), [], [printed])
    rows, columns = [row.label for row in made.rows], [column.label for column in made.columns]
    assert tuple(rows[: len(printed.rows)]) == printed.rows
    assert tuple(columns[: len(printed.columns)]) == printed.columns
    for row, own in zip(printed.rows, made.cells, strict=False):
        for column, cell in zip(printed.columns, own, strict=False):
            known = printed.cells.get((row, column))
            assert cell.text == (known.printed if known else "-")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "printed"), ALL, ids=IDS)
def test_every_table_can_be_written(name, printed):
    (made,) = tables.papers(benchmarks.card(name), [], [printed])
    check_latex(text.latex(made), made)
    check_markdown(text.markdown(made), made)
    rows = list(csv.reader(io.StringIO(text.sheet(made))))
    assert {len(row) for row in rows if row[0] or row[1] == "what"} == {len(made.columns) + 2}
    assert [row[0].lstrip("'") for row in rows[1:] if row[1] == "value"] == [row.label for row in made.rows]
    for width in (60, 200):
        plain = text.plain(made, width)
        # One column alone may need more.
        assert max(map(len, plain.splitlines())) <= max(width, 105)
        shown = {cell.text for line in made.cells for cell in line if " " not in cell.text}
        assert all(one in plain for one in shown)


def check_latex(written, made):
    """Checks what a compiler would: environments, braces, and as many cells in each line as columns."""
    opened = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", written):
        if what == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    bare = re.sub(r"\\[{}&%$#_\\]", "", written)
    assert bare.count("{") == bare.count("}")
    words = written.replace(r"\\", "")  # a $ after an end of a line is one that opens
    assert words.count("$") % 2 == words.count(r"\$") % 2
    assert written.isascii()
    n_columns = len(made.columns) + (2 if made.has_row_groups else 1)
    (form,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", written)
    assert len(form) == n_columns
    body = [line for line in written.splitlines() if line.endswith(r" \\")]
    for line in body:
        cells = re.sub(r"\\&", "", line).count("&") + 1
        spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
        assert cells + spans == n_columns, line
        assert not line.lstrip().startswith(("[", "*"))
    heads = 2 if any(group for group, _ in made.column_groups) else 1
    n_lines = len(made.rows) + sum(any(cell.bounds for cell in cells) for cells in made.cells) + heads
    assert len(body) == n_lines
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert rule in written


def check_markdown(written, made):
    body = [line for line in written.splitlines() if line.startswith("|")]
    assert len(body) == len(made.rows) + 2
    n_columns = len(made.columns) + (2 if made.has_row_groups else 1)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in body} == {n_columns + 1}


def test_signs_of_words_do_not_steer_a_table():
    words = "[x] & 100 % \\ | * ^ _ # $ {~}"
    made = Grid(
        words,
        words,
        (Heading((words,), notes=(words,)), Heading(("*", words))),
        (Heading((words, words)), Heading((words, "b"))),
        ((Cell(words, words, (words,), True),) * 2,) * 2,
        (words,),
    )
    check_latex(text.latex(made), made)
    check_markdown(text.markdown(made), made)


# ---- with runs


@pytest.fixture(scope="module")
def section(runs):
    (found,) = page.sections_of(list(numbers.of_logs(read_runs([runs]))))
    return found


@pytest.mark.slow
def test_runs_stand_in_the_paper_s_tables(section):
    """Chance answered the suite, the oracle one test; their numbers are the results files'."""
    names = [made.name for made in tables.printed_of(section)]
    assert names == [f"Table {n}" for n in (3, 4, 5, 6, 14, 15, 16, 18, 19)]
    (table_3,) = (made for made in tables.printed_of(section) if made.name == "Table 3")
    own = lines(table_3, RUN)
    assert own["tempbench_oracle, mini"] == ["100.0"] * 3 + ["-"] * 13
    chance = section.rows[0].numbers
    assert own["tempbench_chance, mini"][1] == f"{chance['mt1_two_mt'].value * 100:.1f}"
    assert all(row.notes == (MINI,) for row in table_3.rows if row.kind == RUN)
    assert not any(
        c.is_best for r, line in zip(table_3.rows, table_3.cells, strict=True) for c in line if r.kind == RUN
    )
    assert table_3.signatures
    for made in tables.printed_of(section):
        check_latex(text.latex(made), made)


def test_statements_of_table_5_are_those_of_the_breakdown(section):
    (table_5,) = (made for made in tables.printed_of(section) if made.name == "Table 5")
    place = [column.label for column in table_5.columns].index("tempbench_chance, mini / Pos")
    (after,) = (
        cells[place]
        for row, cells in zip(table_5.rows, table_5.cells, strict=True)
        if row.label == "Two-event Relation / after"
    )
    (task,) = (task for task in section.tasks if task.run == "tempbench_chance")
    known = task.log.details["mt1_two"]["by_statement"]["after_gt"]
    assert (after.number.value, after.number.n) == (known["value"], known["n"])
    assert after.bounds


def test_nested_tables_of_any_form():
    details = {
        "run": {"packages": {"x": 1}},
        "readings": {"how": {"whole": 1.0}},
        "confusion": {"given": {"a": {"a": 3, "b": 1}, "b": {"a": 0, "b": 2}}, "swapped": {"a": {"a": 1}}},
        "by_kind": {"tal": {"time": {"share": 0.5, "n": 4}}, "sov": {"ordered": {"share": None, "n": 0}}},
        "answers": {"A": 0.25, "B": 0.75},
        "empty": {},
    }
    made = {one.name: lines(one) for one in tables.breakdowns_of(details)}
    assert made == {
        "confusion, given": {"a": ["3", "1"], "b": ["0", "2"]},
        "confusion, swapped": {"a": ["1"]},
        "by kind": {"tal": ["0.5000 (4)", "-"], "sov": ["-", "- (0)"]},
        "answers": {"A": ["0.2500"], "B": ["0.7500"]},
    }


# ---- the command


@pytest.mark.slow
def test_a_table_of_a_paper(tmp_path):
    runs = write_tasks(tmp_path / "runs", "oracle", ["tempvs_mt1_two_mini"], 20).parent
    listed = tempbench("table", "mateo")
    assert listed.returncode == 0
    assert "Footnote 11" in listed.stdout
    printed = tempbench("table", "mateo", "3")
    assert "Accuracy scores across prompting strategies" in printed.stdout
    assert "*0.69*" in printed.stdout
    for name, start in (
        ("t.md", "**Table 3.**"),
        ("t.tex", "% needs"),
        ("t.csv", "row,what,"),
    ):
        file = tmp_path / name
        done = tempbench("table", "tempvs", "table 3", str(runs), "--no-intervals", "-o", str(file))
        assert done.returncode == 0, done.stderr
        content = file.read_text(encoding="utf-8")
        assert content.startswith(start)
        assert "oracle, mini" in content
    complains(tempbench("table", "tempvs", "3", "-o", str(tmp_path / "t.md")), "exists", "--force")


def test_names_of_tables():
    assert tempbench("table", "coherence", "3").stdout.startswith("Table 3.")
    assert tempbench("table", "coherence", "tomato 7").stdout.startswith("TOMATO, Table 7.")
    assert tempbench("table", "rextime", "VideoMind").stdout.startswith("VideoMind.")
    complains(tempbench("table", "rextime", "9"), "has no table '9'", "Table 2, Table 3")
    complains(tempbench("table", "rextime", "3", "--format", "pdf"), "unknown format pdf")
    complains(tempbench("table", "rextime", "--format", "md"), "name a table")


def test_runs_of_another_benchmark_are_no_rows(runs):
    complains(tempbench("table", "mateo", "3", str(runs)), "none of the runs has a task of mateo")


@pytest.mark.slow
def test_a_run_that_has_no_line_is_named(runs, tmp_path):
    own, other = tmp_path / "own", tmp_path / "other"
    write_tasks(own, "oracle", ["mateo_text_baseline_mini"], 20)
    write_tasks(other, "chance", ["mateo_both_icl_mini"], 20)
    done = tempbench("table", "mateo", "3", own, runs, "--no-intervals", "--format", "md")
    assert done.returncode == 0
    assert "oracle, mini" in done.stdout
    assert done.stderr.strip() == f"tempbench: {runs} has no number for Table 3 of mateo"
    done = tempbench("table", "mateo", "footnote 11", own, other, "--no-intervals", "--format", "md")
    assert done.returncode == 0
    assert done.stderr.strip() == f"tempbench: {own} has no number for Footnote 11 of mateo"


# ---- runs of several tasks


def test_both_transfer_tests_together(tmp_path):
    write_tasks(tmp_path, "chance", [f"timepercept_{name}_mini" for name in TRANSFER])
    (own,) = page.sections_of(list(numbers.of_logs(read_runs([tmp_path]))))
    made = {one.name: one for one in tables.printed_of(own)}
    order, lapse = (task.log.records for task in own.tasks)
    right = sum(record["correct"] for record in (*order, *lapse))
    both = [
        one["correct"] + other["correct"] == 2 for one, other in zip(order[::2], order[1::2], strict=True)
    ]
    (mine,) = lines(made["Table 4"], RUN).values()
    assert mine[1::2] == ["-"] * 3  # "After"
    assert mine[4] == f"{100 * right / (len(order) + len(lapse)):.2f}"  # 720 + 125 questions in the paper
    (of_temporalvqa,) = lines(made["TemporalVQA, abstract"], RUN).values()
    assert of_temporalvqa[0] == f"{100 * sum(both) / len(both):.1f}"


@pytest.mark.slow
def test_a_report_s_csv_has_rows_and_columns_as_printed(section):
    found = list(csv.DictReader(io.StringIO(text.as_csv([section]))))
    (cell,) = (
        line
        for line in found
        if line["source"] == "Table 4"
        and line["row"] == "Image Ordering (event)"
        and line["column"] == "Accuracy"
    )
    assert (cell["value"], cell["printed"], cell["metric"]) == ("0.791", "79.1", "mt3_event_mt")
    assert cell["note"].startswith("the paper's numbers cannot be compared with a run's")
    details = [line for line in found if line["source"] == "details"]
    names = {line["metric"] for line in details if line["task"] == "tempvs_mini"}
    assert {"mt1_two.by_statement.after_gt", "mt1_two.by_distance.1", "mt3_event.answers.A"} <= names


def test_latex_s_captions_say_what_a_table_is_of(section):
    """LaTeX numbers its tables itself: the paper's number must not look like that number."""
    (table_14,) = (made for made in tables.printed_of(section) if made.name == "Table 14")
    head = r"\caption{Full results for MT1: event relation inference (as Table 14 of the paper"
    assert head in text.latex(table_14)
    captions = re.findall(r"\\caption\{(.*?)\.\}\\", text.as_latex([section], everything=True))
    assert len(captions) > 20
    assert not [words for words in captions if re.match(r"(Table|Section|Footnote) \d", words)]
    assert "Main numbers: tempvs" in captions
    assert r"mt1 two, by source: tempvs\_mini, tempbench\_chance" in captions
    apart = replace(table_14, name="TOMATO, Table 7", caption="Accuracy.")
    assert r"\caption{Accuracy (as in TOMATO, Table 7" in text.latex(apart)
