"""The training split as conversations, and the paper's settings for fine-tuning on it."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data.finetuning import write_conversations
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timepercept import prompts
from tempbench_lmms.timepercept.card import LORA, TESTS
from tempbench_lmms.timepercept.hooks import conversation


def examples(root: Path, tests: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yields one conversation a training question, in the order of the tables.

    The questions are asked exactly as in the evaluation, and for the answer alone: the data has no reasoning
    that a chain of thought could be trained on.

    Raises:
        TempbenchError: A test has no training split under `root`.
    """
    for test in tests:
        table = root / "train" / test / "train.parquet"
        if not table.is_file():
            raise TempbenchError(f"{table} is missing; prepare the data with --train above 0")
        for row in read_rows(table):
            yield {
                "id": row["question_id"],
                "messages": [
                    {"role": "user", "content": conversation(row, prompts.build(row, "direct"))},
                    {"role": "assistant", "content": row["target"]},
                ],
                "images": [resolve(url) for url in row["images"]],
            }


def export(folder: Path, root: Path, tests: Sequence[str], force: bool) -> dict[str, int]:
    """Writes the training data of some tests, mixed in a fixed order, to `folder`.

    Source: section V: fine-tuned on "a comprehensive temporal task training set composed of all subtask
    training sets".

    Returns:
        The numbers of `conversations` and `images`.

    Raises:
        TempbenchError: There is no such test, no training split, or `folder` is in use.
    """
    tests = tests or TESTS
    if unknown := sorted(set(tests) - set(TESTS)):
        raise TempbenchError(f"unknown test {', '.join(unknown)}; choose from {', '.join(TESTS)}")
    mixed = list(examples(root, tests))
    random.Random(0).shuffle(mixed)
    return write_conversations(mixed, folder, LORA, force, "timepercept")
