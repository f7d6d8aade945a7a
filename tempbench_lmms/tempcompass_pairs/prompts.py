"""The prompts: the official ones, to the letter.

Source: `answer_prompt` in `run_qwen2_vl.py`, `run_gpt_4o.py` and the other scripts of the official
repository, which is appended to the question of the files.
"""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.data.questions import Turned, moved
from tempbench_lmms.tempcompass_pairs import parser

SUFFIX = {
    "multi_choice": "\nPlease directly give the best option:",
    "yes_no": "\nPlease answer yes or no:",
    "caption_matching": "\nPlease directly give the best option:",
}


def build(doc: Mapping[str, Any]) -> str:
    """Returns the text of a question."""
    return f"{doc['question']}{SUFFIX[doc['kind']]}"


def rotated(doc: Mapping[str, Any], by: int) -> Turned | None:
    """Returns a question whose options, lines of its text, are moved on by some places; their labels stay.

    None for a question that is answered with yes or no.
    """
    asked, *lines = (line.rstrip() for line in doc["question"].split("\n"))
    if len(lines) < 2:
        return None
    options = [parser.option(line, number) for number, line in enumerate(lines)]
    labels, texts = [one.label for one in options], [one.text for one in options]
    heads = [line.removesuffix(text) for line, text in zip(lines, texts, strict=True)]
    new = [f"{head}{text}" for head, text in zip(heads, moved(texts, by), strict=True)]
    gold = (labels.index(doc["answer"]) + by) % len(labels)
    changes = {
        "question": "\n".join([asked, *new]),
        "answer": labels[gold],
        "target": new[gold],
        "choices": new,
    }
    return Turned(labels, moved(texts, by), changes)
