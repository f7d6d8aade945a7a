"""The scores of single questions, whose means are the metrics."""

import csv
import io
import math
from pathlib import Path

import pytest

from tempbench_lmms.coherence import captioning, items, scoring
from tempbench_lmms.harness.respondents import REPLIES
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.record import evaluate
from tests.command import complains, tempbench
from tests.runs.test_logs import write_run


def records_of(task: str) -> list[dict]:
    config = load_task(task)
    return [
        config["process_results"](doc, [REPLIES["chance"](doc, task, 0)])["record"] for doc in docs_of(config)
    ]


def mean(values: list) -> float:
    kept = [value for value in values if value is not None and not math.isnan(value)]
    return math.fsum(kept) / len(kept)


@pytest.mark.slow
def test_the_metrics_are_means_of_the_questions_scores(text_encoder: object) -> None:
    records = records_of("coherence_qa_8f_mini")
    scores = items.scores(records)
    for name in ("bertscore", "bertscore_answer", "numeric_distance"):
        assert mean([row[name] for row in scores]) == pytest.approx(evaluate(scoring.METRICS[name], records))
    counting = [row["numeric_distance"] is not None for row in scores]
    assert counting == [record["type"] == "count" for record in records]


@pytest.mark.slow
def test_the_metrics_are_means_of_the_captions_scores(text_encoder: object, clip_encoder: object) -> None:
    records = records_of("coherence_caption_mini")
    scores = items.scores(records)
    views = [record["view"] for record in records]
    for view in ("video", "frame"):
        for suffix in ("", "_official"):
            own = [row[f"clipscore{suffix}"] for row, one in zip(scores, views, strict=True) if one == view]
            assert mean(own) == pytest.approx(
                evaluate(captioning.METRICS[f"clipscore_{view}{suffix}"], records)
            )
    for name in ("clipgain", "clipgain_official", "caption_bertscore"):
        own = [row.get(name) for row in scores]
        assert mean(own) == pytest.approx(evaluate(captioning.METRICS[name], records))


@pytest.mark.slow
def test_a_table_of_the_questions(tmp_path: Path, text_encoder: object) -> None:
    write_run(tmp_path / "a", "oracle", "coherence_qa_8f_mini")
    write_run(tmp_path / "b", "chance", "mateo_text_cot_mini")
    file = tmp_path / "items.csv"
    done = tempbench("rescore", tmp_path / "a", tmp_path / "b", "--items", file)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [row["task"] for row in rows] == ["coherence_qa_8f_mini"] * 44 + ["mateo_text_cot_mini"] * 208
    assert {row["correct"] for row in rows[:44]} == {"1"}
    assert 0 < float(rows[0]["bertscore"]) <= 1
    assert rows[0]["prediction"] == ""
    assert {row["prediction"] for row in rows[44:]} == set(CLASSES)
    assert rows[44]["whole_reply"].startswith("Q1: ")
    done = tempbench("rescore", tmp_path / "a", "--items", file)
    assert "exists" in done.stderr
    other = tmp_path / "items.json"
    complains(
        tempbench("rescore", tmp_path / "a", "--items", other), "only CSV is possible", "end the name in .csv"
    )
    assert not other.exists()
    assert tempbench("rescore", tmp_path / "a", "--items", file, "--force").returncode == 0
    assert len(list(csv.DictReader(io.StringIO(file.read_text())))) == 44
