"""How far numbers spread over paraphrases."""

import statistics

import pytest

from tempbench_lmms.report import tables, text
from tempbench_lmms.report.numbers import of_logs
from tempbench_lmms.report.spreads import PARAPHRASED as TITLE
from tempbench_lmms.report.spreads import grids_of
from tempbench_lmms.runs.logs import read_runs
from tests.report.runs import write_tasks

TASK = "motion_only_mini"
ASKED = [TASK, *(f"motion_only_paraphrase_{number}_mini" for number in (1, 2))]


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paraphrased")
    write_tasks(folder, "chance", [*ASKED, "motion_only_rotated_mini"])
    return list(of_logs(read_runs([folder])))


def test_a_task_stands_beside_its_paraphrases(tasks):
    (grid,) = grids_of(tasks, next(one for one in tasks if one.log.task == TASK))
    numbers = {one.log.task: one for one in tasks}
    assert [row.name for row in grid.rows][:2] == ["accuracy", "pair_accuracy"]
    for row, cells in zip(grid.rows, grid.cells, strict=True):
        values = [numbers[name].number(row.name).value for name in ASKED]
        assert [cell.number.value for cell in cells[:3]] == values
        assert cells[3].number.value == max(values) - min(values)
        assert cells[4].number.value == pytest.approx(statistics.stdev(values))
    assert len({cell.number.value for cell in grid.cells[0][:3]}) > 1  # chance draws anew for each task


def test_others_have_no_spread(tasks):
    assert all(not list(grids_of(tasks, one)) for one in tasks if one.log.task != TASK)
    assert not list(grids_of(tasks[:1], tasks[0]))


def test_it_stands_in_every_report_in_text(tasks):
    sections = tables.sections_of(tasks)
    assert text.as_markdown(sections, everything=True).count(TITLE) == 1
    lines = text.as_csv(sections).splitlines()
    assert sum("largest less smallest" in line and "pair_accuracy" in line for line in lines) == 1
