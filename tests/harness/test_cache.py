"""The safe response cache: what it takes over from interrupted runs, and what it keeps."""

import contextlib
import sqlite3
from types import SimpleNamespace

import pytest

from tempbench_lmms.errors import TempbenchError

pytestmark = pytest.mark.harness


@pytest.fixture
def cache():
    return pytest.importorskip("tempbench_lmms.harness.cache")


def shard(path, answers):
    """Writes the file of a process that stored `answers` and was killed."""
    from lmms_eval.caching.response_cache import _SCHEMA_SQL

    path.parent.mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.executescript(_SCHEMA_SQL)
        rows = [(key, "generate_until", "task", 0, 0, "{}", reply, 0.0) for key, reply in answers.items()]
        database.executemany("INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def collected(root):
    with contextlib.closing(sqlite3.connect(root / "cache.db")) as database:
        return dict(database.execute("SELECT cache_key, response FROM responses"))


def test_answers_of_interrupted_runs_are_collected(cache, tmp_path):
    shard(tmp_path / "runs/a/rank_0.db", {"1": "A"})
    shard(tmp_path / "runs/b/rank_3.db", {"2": "B"})
    cache.collect(tmp_path)
    assert collected(tmp_path) == {"1": "A", "2": "B"}
    assert not list((tmp_path / "runs").iterdir())


def test_a_process_that_ended_before_its_first_answer_is_no_hindrance(cache, tmp_path):
    shard(tmp_path / "runs/a/rank_0.db", {"1": "A"})
    (tmp_path / "runs/b").mkdir()
    sqlite3.connect(tmp_path / "runs/b/rank_0.db").execute("PRAGMA journal_mode=WAL").close()
    (tmp_path / "runs/c").mkdir()  # killed while it was cleared away
    (tmp_path / "runs/c/rank_0.db-wal").write_bytes(b"")
    cache.collect(tmp_path)
    assert collected(tmp_path) == {"1": "A"}
    assert not list((tmp_path / "runs").iterdir())


def test_a_damaged_file_is_named_and_kept(cache, tmp_path):
    file = tmp_path / "runs/a/rank_0.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 100)
    with pytest.raises(TempbenchError, match=r"rank_0.db is damaged .* remove it"):
        cache.collect(tmp_path)
    assert file.is_file()


@pytest.mark.parametrize("content", ["text", "cut", "zeros", "empty"])
def test_a_damaged_cache_is_named_or_empty(cache, tmp_path, content):
    shard(tmp_path / "runs/a/rank_0.db", {str(n): "A" for n in range(300)})
    cache.collect(tmp_path)
    file = tmp_path / "cache.db"
    whole = file.read_bytes()
    file.write_bytes(
        {"text": b"a text\n" * 50, "cut": whole[: len(whole) // 2], "zeros": bytes(len(whole)), "empty": b""}[
            content
        ]
    )
    if content == "empty":
        cache.collect(tmp_path)  # as a process leaves it that was killed when it had just made it
        return
    with pytest.raises(TempbenchError, match=r"cache.db is damaged .* remove it"):
        cache.collect(tmp_path)
    assert file.is_file()


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("B", True),
        ("", True),
        (None, False),
        ("[LMMS_EVAL_REQUEST_FAILED after 5 retries] x", False),
        ("[LMMS_EVAL_BUDGET_EXCEEDED]", False),
    ],
)
def test_answers_are_kept_and_failures_are_not(cache, reply, kept):
    from lmms_eval.api.instance import GenerationResult

    for response in (reply, GenerationResult(text=reply)):
        assert cache.SafeCache._is_valid_response(response, "generate_until") is kept


@pytest.mark.parametrize(
    ("error", "is_shown"),
    [
        (OSError(28, "No space left on device"), False),
        (sqlite3.OperationalError("database or disk is full"), False),
        (TempbenchError("one line"), False),
        (RuntimeError("out of memory"), True),
    ],
)
def test_what_one_line_says_has_no_traceback(cache, monkeypatch, capsys, error, is_shown):
    def fail(args):
        raise error

    def evaluate():  # as the harness does
        with contextlib.suppress(Exception):
            cache.command_line.cli_evaluate_single(SimpleNamespace(tasks="mme"))

    monkeypatch.setattr(cache.command_line, "cli_evaluate_single", fail)
    monkeypatch.setattr(cache.command_line, "cli_evaluate", evaluate)
    assert cache.evaluate(cache.SafeRun()) is error
    assert ("Traceback" in capsys.readouterr().err) == is_shown
    assert cache.command_line.cli_evaluate_single is fail
