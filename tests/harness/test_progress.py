"""The one progress bar of a run."""

import io
import sys

from tempbench_lmms.harness.progress import Pace, Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_bars_of_runners_move_the_bar_of_the_run(monkeypatch):
    from tqdm import tqdm

    monkeypatch.setattr(sys, "stderr", Terminal())
    pace = Pace()
    with pace.bar():
        pace(Progress(30, 10))
        for done in (20, 30):
            own = tqdm(total=10, disable=False, desc="Model Responding")
            for _ in range(12):  # two questions are asked again
                own.update(1)
            own.close()
            pace(Progress(30, done))
        other = tqdm(total=2, desc="Loading", mininterval=0)
        other.update(1)
        other.close()
    shown = sys.stderr.getvalue()
    assert "Model Responding" not in shown
    assert all(words in shown for words in ("tempbench:  33%", " 30/30 ", "Loading"))
    assert "31/30" not in shown
    tqdm(total=1, desc="Model Responding").close()
    assert "Model Responding" in sys.stderr.getvalue()


def test_without_a_terminal_there_is_no_bar(monkeypatch, capsys):
    pace = Pace()
    with pace.bar():
        pace(Progress(30, 10))
    assert "10 of 30 answered" in capsys.readouterr().err
