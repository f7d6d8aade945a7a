"""Training data as the paper makes it, and its LoRA settings.

Source: section 5.4 and appendix A.1. Dependent pairs are asked in both orders, independent ones in the
original order only: swapped they would be the same example again, and change the balance of the classes.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tempbench_lmms.data.roots import resolve
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo import prompts
from tempbench_lmms.mateo.scoring import INDEPENDENT


def trained_on(rows: Iterable[Row]) -> list[Row]:
    """Returns the questions that the paper trains on: all but the swapped independent ones."""
    return [row for row in rows if row["version"] == "original" or row["label"] != INDEPENDENT]


def examples(rows: Sequence[Row], modality: str, setting: str) -> Iterator[dict[str, Any]]:
    """Yields conversations: the prompt and the three right answers.

    Args:
        rows: Rows of the data set.
        modality: One of `prompts.MODALITIES`.
        setting: One whose reply is three answers.

    Raises:
        TempbenchError: The setting asks for reasoning, of which the data set has none, or does not exist.
    """
    if prompts.FORMS.get(setting, "triple") != "triple":
        raise TempbenchError(f"the data has no reasoning to train {setting} on; choose instructions")
    for row in rows:
        content: list[dict[str, str]] = []
        images = []
        for part in prompts.parts(row, modality, setting):
            if isinstance(part, prompts.Picture):
                content.append({"type": "image"})
                images.append(resolve(part.url))
            else:
                content.append({"type": "text", "text": part})
        yield {
            "id": row["question_id"],
            "messages": [
                {"role": "user", "content": content},
                {"role": "assistant", "content": prompts.triple(row["label"])},
            ],
            "images": images,
        }
