"""Every number of the papers' tables is in `reference/`, where the texts of the papers are at hand.

The texts are extractions: captions stand below or above the lines of a table, and MATEO's are lost. A table's
lines are found by these rules; its numbers, read line by line, are those of our table, row by row.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.card import NO_NUMBER, BenchmarkCard, PrintedTable
from tempbench_lmms.report import page, tables
from tempbench_lmms.report.numbers import BEST, CHANCE, HUMAN, Section
from tests import contract

PAPERS = {name: paper for name in benchmarks.names() if (paper := contract.get(name, "PAPER"))}
"""The texts that are at hand."""

CAPTION = re.compile(r"\W*table (\d+)[.:]\W*(.*)", re.IGNORECASE)
FIRST_OF_MATEO = 2
"""Its Table 1 has the three questions, and no numbers."""

OF_THE_PAPER = ("Table", "Section", "Footnote")
"""How names of tables begin whose numbers stand in the paper; others are named after another source."""


def text_of(shared: Path, benchmark: str) -> str:
    text = (shared / "papers" / PAPERS[benchmark]).read_text(encoding="utf-8")
    return text.replace(r"\geq", "≥")


def tables_in(benchmark: str, text: str) -> dict[str, tuple[str, list[str]]]:
    """Returns caption and lines of every table in the text of a paper, by its name."""
    lines = text.splitlines()
    if benchmark == "mateo":
        found = [line for line in lines if len(numbers(line)) > len(line.split()) / 4 > 5]
        return {f"Table {n}": ("", [line]) for n, line in enumerate(found, FIRST_OF_MATEO)}
    out = {}
    for i, line in enumerate(lines):
        if match := CAPTION.fullmatch(line):
            below = benchmark != "tempvs"
            out[f"Table {match[1]}"] = match[2], list(body(lines, i, below))
    return out


def body(lines: list[str], caption: int, below: bool) -> Iterator[str]:
    """Yields the lines of a table: up to an empty line or another caption."""
    rest = lines[caption + 1 :] if below else lines[:caption][::-1]
    if below:
        rest = rest[next(i for i, line in enumerate(rest) if line.strip()) :]
    found = []
    for line in rest:
        if not line.strip() or re.match(r"(Table|Figure) \d+:", line):
            break
        found.append(line)
    yield from found if below else found[::-1]


def numbers(text: str) -> list[str]:
    """Returns the words that are numbers, or stand for one that is not there, without their marks."""
    words = (re.sub(r"\\ul|[*%†<]", "", word) for word in text.split())
    return [word for word in words if re.fullmatch(r"[+-]?\d[\d,]*(\.\d+)?", word) or word in NO_NUMBER]


def without_headings(text: str, table: PrintedTable) -> str:
    """Returns a table's text without those headings and words of its cells that hold a number."""
    headings = {part for heading in (*table.rows, *table.columns) for part in heading.split(" / ")}
    headings |= {cell.printed for cell in table.cells.values() if cell.unit == "text"}
    for heading in sorted(filter(numbers, headings), key=len, reverse=True):
        text = text.replace(heading, " ")
    return text


def cells(table: PrintedTable) -> list[str]:
    """Returns the numbers of our table row by row."""
    places = ((row, column) for row in table.rows for column in table.columns)
    found = (table.cells[place] for place in places if place in table.cells)
    return [cell.printed for cell in found if cell.unit != "text"]


def ours(benchmark: str) -> dict[str, PrintedTable]:
    return {table.name: table for table in benchmarks.card(benchmark).tables}


@pytest.mark.parametrize("benchmark", PAPERS)
def test_every_number_of_every_table_is_in_our_files(benchmark: str, shared: Path) -> None:
    known = ours(benchmark)
    found = tables_in(benchmark, text_of(shared, benchmark))
    assert {name for name in known if name.startswith("Table")} <= set(found)
    missing = {}
    for name, (_, lines) in found.items():
        if name in {**contract.get(benchmark, "LEFT_OUT"), **contract.get(benchmark, "PARTLY")}:
            continue
        printed = "\n".join(lines)
        if name not in known:
            missing[name] = numbers(printed)
        elif (there := numbers(without_headings(printed, known[name]))) != cells(known[name]):
            missing[name] = [a for a, b in zip(there, cells(known[name]), strict=False) if a != b] or there
    assert {name: left for name, left in missing.items() if left} == {}


def test_scrambled_columns_hold_no_other_number(shared: Path) -> None:
    found = tables_in("timepercept", text_of(shared, "timepercept"))
    assert found["Table 2"][1] == found["Table 1"][1]
    table = ours("timepercept")["Table 1"]
    lines = {line.split("\t")[0]: line for line in found["Table 1"][1]}
    for row in table.rows:
        printed = numbers(without_headings(lines[row], table))
        readable = [table.cells[row, column].printed for column in table.columns[:6]]
        assert printed[:6] == readable
        assert set(printed) == {cell.printed for (name, _), cell in table.cells.items() if name == row}


@pytest.mark.parametrize("benchmark", PAPERS)
def test_numbers_of_sections_are_in_the_text(benchmark: str, shared: Path) -> None:
    text = text_of(shared, benchmark)
    for name, table in ours(benchmark).items():
        if name.startswith("Table") or not name.startswith(OF_THE_PAPER):
            continue
        absent = [
            one for one in cells(table) if not re.search(rf"(?<![\d.,]){re.escape(one)}(?![\d]|[.,]\d)", text)
        ]
        assert absent == [], name


@pytest.mark.parametrize("benchmark", PAPERS)
def test_what_cannot_be_compared_is_of_no_metric_or_says_why(benchmark: str) -> None:
    for table in ours(benchmark).values():
        assert table.caption, table.name
        for cell in table.cells.values():
            assert cell.table == table.name
            assert cell.metric or not cell.comparable, cell
            assert (cell.model != "") >= (cell.metric != ""), cell
        if not table.name.startswith(OF_THE_PAPER):
            assert "not " in table.caption or "TOMATO" in table.caption


@pytest.mark.parametrize("name", benchmarks.names())
def test_the_first_screen_has_the_best_that_the_main_table_marks(name: str) -> None:
    """The value in bold of `tempbench table`, with the table's name."""
    card = benchmarks.card(name)
    metric = card.headline or card.primary[0]
    column = page.Column(Section(card, (), ()), metric)
    printed = {
        one.table for one in card.reference if one.metric == metric and one.model not in not_models(card)
    }
    if not printed:
        assert column.mark(BEST).text in ("not in the paper", "only for single tasks")
        return
    found = column.marks[BEST]
    (table,) = (one for one in card.tables if f", {found.label}".endswith(f", {one.name}"))
    cells = [
        cell
        for cells in next(tables.papers(card, [], [table])).cells
        for cell in cells
        if cell.metric == metric
    ]
    own = [cell for cell in cells if cell.number]
    marked = [cell.number.number for cell in own if cell.number and cell.is_best]
    assert found.value in (marked or [one.number.number for one in own if one.number])
    assert not any(value > found.value for value in marked if value is not None)
    assert column.mark(BEST).notes[0].startswith(found.label)


def not_models(card: BenchmarkCard) -> set[str]:
    return {model for model, kind in card.others.items() if kind in (CHANCE, HUMAN)}


@pytest.mark.parametrize("benchmark", ["nextgqa", "timeblind"])
def test_a_benchmark_whose_paper_is_not_at_hand_has_results_of_models(benchmark: str) -> None:
    """Tables of several sources, which agree where they print one number."""
    card = benchmarks.card(benchmark)
    printed: dict[tuple[str, str], set[float]] = {}
    for cell in card.reference:
        printed.setdefault((cell.model, cell.metric), set()).add(cell.value)
    assert [what for what, values in printed.items() if len(values) > 1] == []
    named = {model for model, metric in printed if metric == card.primary[0]} - set(card.others)
    assert len(named) > 15
