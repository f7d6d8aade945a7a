"""No command writes over a file of a run, or over what it reads; and what is no name of a file is refused."""

import pytest

from tempbench_lmms.data import outputs
from tempbench_lmms.errors import TempbenchError
from tests.command import complains, tempbench

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
