"""Scoring ReXTime at the size of its validation split, against the official scorer's way of working.

The yardstick is written anew after `evaluation/rextime_eval.py` and does the same work: for every question
one numpy intersection over union with the true windows to choose one, then all of them at once against the
windows chosen, a pass over the recalls and a loop over the questions for each gated accuracy. Its output is
checked to be ours.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import timing

from tempbench_lmms.rextime import official, scoring
from tempbench_lmms.rextime.card import CATEGORIES, COUNTS, SOURCES

N = COUNTS["validation"]


def questions(n: int, generator: random.Random) -> list[dict[str, Any]]:
    """Returns documents as the task has them, with lengths as in the validation split."""
    docs = []
    for number in range(n):
        duration = round(generator.uniform(2, 267), 2)
        start = generator.randint(0, int(duration))
        docs.append(
            {
                "question_id": f"q{number}",
                "video_id": f"v{number * 3 // 4}",
                "source": SOURCES[number % 5 == 0],
                "category": CATEGORIES[number % 3],
                "duration": duration,
                "question": "What does the person do before the dog runs?",
                "options": ["sits down", "opens the door", "drinks some water", "walks to the car"],
                "answer": generator.choice("ABCD"),
                "windows": [[start, generator.randint(start, int(duration) + 1)]],
            }
        )
    return docs


def reply(doc: dict[str, Any], generator: random.Random) -> str:
    """Returns an answer as models write it, different for every question."""
    start = generator.uniform(0, doc["duration"])
    letter, end = generator.choice("ABCD"), generator.uniform(start, doc["duration"])
    return generator.choice(
        (
            f'{{"answer": "{letter}", "span": [{start:.1f}, {end:.1f}]}}',
            f"The answer is ({letter}). It can be seen from {start:.1f} to {end:.1f} seconds.",
            f"{letter}\\nFrom {start:.0f}s to {end:.0f}s",
            "I cannot tell from these frames.",
        )
    )


def yardstick(lines: Sequence[dict[str, Any]], truths: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the official numbers, found as the official scorer finds them."""
    if {line["qid"] for line in lines} != {truth["qid"] for truth in truths}:
        raise ValueError("other questions")
    windows = {line["qid"]: line["pred_relevant_windows"][0][:2] for line in lines}
    answers = {line["qid"]: line["ans"] for line in lines}
    right = {truth["qid"]: truth["ans"] for truth in truths}
    chosen = {}
    for truth in truths:
        one, all_true = np.array([windows[truth["qid"]]]), np.array(truth["relevant_windows"])
        lengths, true_lengths = one[:, 1] - one[:, 0], all_true[:, 1] - all_true[:, 0]
        left = np.maximum(one[:, None, 0], all_true[None, :, 0])
        shared = np.clip(np.minimum(one[:, None, 1], all_true[None, :, 1]) - left, 0, None)
        ious = shared / (lengths[:, None] + true_lengths[None, :] - shared)
        chosen[truth["qid"]] = truth["relevant_windows"][np.argmax(ious[0])]
    ids = list(windows)
    predicted = np.array([windows[qid] for qid in ids]).astype(float)
    true = np.array([chosen[qid] for qid in ids]).astype(float)
    left, right_end = np.maximum(predicted[:, 0], true[:, 0]), np.minimum(predicted[:, 1], true[:, 1])
    shared = np.maximum(0, right_end - left)
    hull = np.maximum(predicted[:, 1], true[:, 1]) - np.minimum(predicted[:, 0], true[:, 0])
    iou = np.divide(shared, hull, out=np.zeros_like(shared), where=hull != 0)
    gated = {}
    for threshold in official.GATES:
        n_right = 0
        for i, value in enumerate(iou):
            if value >= threshold and answers[ids[i]] == right[ids[i]]:
                n_right += 1
        gated[f"VQA,mIoU@{threshold}"] = n_right / len(ids)
    return {
        "MR-mIoU": float(f"{np.mean(iou) * 100:.2f}"),
        "MR-R1": {str(t): float(f"{np.mean(iou >= t) * 100:.2f}") for t in official.THRESHOLDS},
        "VQA,mIoU": gated,
    }


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields how many times faster our scores are than the official way."""
    generator = random.Random(0)
    docs = questions(N, generator)
    records = [scoring.record(doc, reply(doc, generator)) for doc in docs]
    truths = [
        {"qid": doc["question_id"], "relevant_windows": doc["windows"], "ans": doc["answer"]} for doc in docs
    ]
    lines = [
        {"qid": one["id"], "pred_relevant_windows": one["spans"] or [[0.0, 0.0]], "ans": one["answer"] or ""}
        for one in records
    ]
    with np.errstate(invalid="ignore"):
        ways = {"theirs": lambda: yardstick(lines, truths), "ours": lambda: official.score(lines, truths)}
        times = timing.side_by_side(ways, 5 if quick else 15)
        expected, got = yardstick(lines, truths), official.score(lines, truths)["full"]
    if expected != got:
        raise AssertionError(f"the yardstick gives {expected}, ours {got}")
    ratio = timing.over(times["theirs"], times["ours"])
    yield timing.Row("ReXTime, validation split: official scorer / ours", ratio, "x", at_least=5)
