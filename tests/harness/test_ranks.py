"""What the processes of a run tell each other before a model is loaded."""

import dataclasses
from pathlib import Path

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import ranks


@pytest.mark.parametrize(
    ("rank", "size"), [("", "2"), ("1", "1"), ("one", "2"), ("-1", "2"), ("0", "none"), ("2", "2")]
)
def test_processes_with_senseless_numbers(rank, size, monkeypatch):
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setenv("WORLD_SIZE", size)
    with pytest.raises(TempbenchError, match=r"RANK|WORLD_SIZE"):
        ranks.Ranks()


@pytest.mark.slow
def test_processes_that_cannot_reach_each_other(monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    with pytest.raises(TempbenchError, match="MASTER_ADDR"):
        ranks.Ranks().tell("x", 1)


def test_a_follower_ends_with_the_status_that_was_decided(monkeypatch):
    own = ranks.Ranks()
    said = {}
    monkeypatch.setattr(own, "tell", said.__setitem__)
    monkeypatch.setattr(own, "hear", lambda name: {"status": 1})

    def stated():
        raise TempbenchError("no data here")

    with pytest.raises(SystemExit) as end:
        ranks.follow(own, stated)
    assert end.value.code == 1
    assert said["identity/0"]["error"] == "no data here"


@dataclasses.dataclass
class Heard:
    """Stands for the processes: what the second of two has said."""

    said: dict
    size: int = 2

    def hear(self, name, seconds):
        return self.said


def test_processes_decide_slice_by_slice_of_one_size():
    from tempbench_lmms.runs.safe_run import RunOptions

    def compare(**how):
        first, second = (RunOptions(slice_size=size, **how).process for size in (7, 20))
        ranks.compare(Heard({"host": "b", "identity": second}), first)

    compare()  # each keeps as many answers together as it likes
    with pytest.raises(TempbenchError, match=r"process 1 on b has another slice \(7, now 20\)"):
        compare(until_decided=Path("logs/old"))


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ({"host": "b", "error": "not prepared"}, "process 1 on b: not prepared; nothing was asked"),
        (
            {"host": "b", "identity": {"packages": {"av": "2"}}},
            r"process 1 on b has another packages: av \('1', now '2'\)",
        ),
    ],
)
def test_what_another_process_says_ends_the_run(said, line):
    with pytest.raises(TempbenchError, match=line):
        ranks.compare(Heard(said), {"packages": {"av": "1"}})
    ranks.compare(Heard({"host": "b", "identity": {"packages": {"av": "1"}}}), {"packages": {"av": "1"}})
