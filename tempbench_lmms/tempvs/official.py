"""The official TempVS tables of annotations and predictions, and the official scorer's numbers.

Source: `run_evaluation.py`. Where it differs from `scoring`: it takes the first letter or number anywhere in
a reply; a main question without grounding rows counts as grounded; rows with a non-event are left out;
two-choice and sentence-ordering questions that at least two of three text-only models solve are left out;
an ordering question is gated by every grounding row of its sequence. Its per-source table is not computed
here: it divides nothing that the pooled numbers do not.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.tempvs import card

UNREADABLE = "UNK"
FAMILIES = ("generic", "internvl", "deepseek", "llava", "llama")

_NUMBER = re.compile(r"(\d+)")
_LETTER = {"mt1": re.compile(r"\b([AB])\b"), "mt2": re.compile(r"\b([ABCDE])\b")}
_DEEPSEEK_END = " <｜end▁of▁sentence｜>"
# What these models put before their answer.
_MARKERS = {"llava": "assistant", "llama": "the answer is"}
_INTERNVL = tuple(
    re.compile(pattern)
    for pattern in (
        r"Option\s+([AB])",
        r"\b([AB])\.\s*(?:True|False)",
        r"\b([AB])\s*$",
        r"Option\s*\[([AB])\]",
    )
)

TEXT_MODELS = tuple(sorted(name.rpartition("/")[2] for name in card.TEXT_MODELS))
GROUNDING_TASK = {
    "paired_event_discrimination": "single_grounding_paired",
    "triple_event_discrimination": "single_grounding_triple",
    "ordering_texts_opt_event": "single_grounding_all",
    "ordering_texts_opt_story": "single_grounding_all_story",
    "ordering_images_opt_event": "single_grounding_all",
    "ordering_images_opt_story": "single_grounding_all_story",
}
"""Main tasks by their official names, with the grounding task that gates each."""

TEST_OF = dict(zip(GROUNDING_TASK, card.MAIN_TESTS, strict=True))


def family_of(model: str) -> str:
    """Returns the official scorer's branch for a model name; `generic` for a name it does not know.

    Source: `run_evaluation.py`, the chain of tests on the name, in its order. The official scorer stops
    with an error at an unknown name.
    """
    if "deepseek" in model or "Janus" in model:
        return "deepseek"
    if model == "Llama-3.1-8B":
        return "llama"
    if model in ("Phi-3.5-mini-instruct", "Qwen2.5-72B-Instruct"):
        return "generic"
    if "InternVL" in model:
        return "internvl"
    return "llava" if "interleave" in model or "LLaVA-NeXT-Video" in model else "generic"


def parse_official(reply: str, kind: str, family: str = "generic") -> str:
    """Returns what the official scorer reads for one of `FAMILIES`: the first match, or "UNK".

    Its faults are part of it: the article in "A man and B" is option A. Source: `run_evaluation.py`.
    """
    if family == "deepseek":
        reply = reply.replace(_DEEPSEEK_END, "")
    elif family in _MARKERS and (marker := re.search(_MARKERS[family], reply, re.IGNORECASE)):
        reply = reply[marker.end() :]
    if kind == "gt":
        match = _NUMBER.search(reply)
    elif kind == "mt1" and family == "internvl":
        match = next((found for pattern in _INTERNVL if (found := pattern.search(reply))), None)
    else:
        match = _LETTER["mt1" if kind == "mt1" else "mt2"].search(reply)
    return match.group(1) if match else UNREADABLE


@dataclass(frozen=True)
class Predictions:
    """The answered rows of one source and task; each row is an annotation row with `preds`."""

    main: Sequence[Row]  # main rows
    grounding: Sequence[Row]  # grounding rows
    # the main rows as answered by each of `TEXT_MODELS`, in the same order as `main`; empty where they
    # are not at hand, and then nothing is filtered
    text_only: Sequence[Sequence[Row]] = ()


def kind_of(task: str) -> str:
    """Returns `gt`, `mt1` or `mt2` (the form of an answer) for an official task name."""
    return "gt" if "grounding" in task else "mt1" if "discrimination" in task else "mt2"


def is_valid(row: Row) -> bool:
    """Returns False if a column that begins with "event" names a non-event."""
    texts = [str(value).lower() for name, value in row.items() if name.startswith("event")]
    return not any(phrase in text for text in texts for phrase in card.NON_EVENTS)


def passes(rows: Iterable[Row], task: str, model: str) -> list[bool]:
    """Returns whether each row's answer is right, as the official scorer reads it."""
    kind, family = kind_of(task), family_of(model)
    return [parse_official(str(row["preds"] or ""), kind, family) == row["gt_option"][-1] for row in rows]


def _gate_of(task: str, row: Row, groundings: Sequence[tuple[str, bool]]) -> list[bool]:
    """Returns what passed of the answers and results of a sequence: all of it, or for MT1 by event."""
    if kind_of(task) == "mt2":
        return [right for _, right in groundings]
    events = row.get("event_pair_tuple") or row["event_triple_tuple"]
    # "image 11" ends in "1" as well: so the official scorer, which takes the first row that fits.
    found = ([right for gold, right in groundings if gold.endswith(str(event + 1))] for event in events)
    return [passed[0] for passed in found if passed]


def score(task: str, sources: Mapping[str, Predictions], model: str) -> dict[str, float | None]:
    """Returns the official scorer's row for one task and model.

    Args:
        task: A key of `GROUNDING_TASK`.
        sources: Predictions by source; missing sources are left out.
        model: The model's name, which chooses the parser.

    Returns:
        The official columns, shares rounded to 4 decimals and None where undefined; and `n_unfiltered`,
        the number of main rows before the blind filter.
    """
    steps = {"paired": 1, "triple": 2}.get(task.split("_")[0], 4)
    n_unfiltered = 0
    found: list[tuple[bool, list[bool]]] = []  # of each main row, whether it and its groundings are right
    for predictions in sources.values():
        gates = [row for row in predictions.grounding if is_valid(row)]
        passed = zip(gates, passes(gates, GROUNDING_TASK[task], model), strict=True)
        of = grouped((row["img_seq_id"], (row["gt_option"], right)) for row, right in passed)
        kept = [i for i, row in enumerate(predictions.main) if is_valid(row)]
        n_unfiltered += len(kept)
        if "images" not in task and predictions.text_only:
            solved = solved_blind(task, predictions)
            kept = [i for i in kept if not solved[i]]
        mains = [predictions.main[i] for i in kept]
        found += [
            (right, _gate_of(task, row, of.get(row["img_seq_id"], ())))
            for row, right in zip(mains, passes(mains, task, model), strict=True)
        ]
    grounded = [right for right, gate in found if all(gate)]
    out: dict[str, float | None] = {
        "total_cases": len(found),
        "all_grounding_success": len(grounded),
        "main_task_success": sum(right for right, _ in found),
        "all_grounding_and_main_success": sum(grounded),
        "grounding_acc": _share([all(gate) for _, gate in found]),
        "main_task_acc": _share([right for right, _ in found]),
        "both_tasks_acc": None,  # a column that the official scorer never fills
        "main_acc_given_grounding_pass": _share(grounded),
        "main_acc_given_grounding_fail": _share([right for right, gate in found if not all(gate)]),
    }
    for k in range(1, steps + 1):
        given = [right for right, gate in found if sum(gate) >= k]
        out |= {f"{k}_pass_count": len(given), f"main_acc_given_{k}_pass": _share(given)}
    return out | {"n_unfiltered": n_unfiltered}


def solved_blind(task: str, predictions: Predictions) -> list[bool]:
    """Returns for each main row whether at least two of the three text-only models solve it."""
    if (lengths := {len(rows) for rows in predictions.text_only}) != {len(predictions.main)}:
        raise TempbenchError(
            f"{task}: the text-only models answered {lengths} rows, not {len(predictions.main)}; the files "
            "belong to different releases"
        )
    right = (passes(rows, task, one) for rows, one in zip(predictions.text_only, TEXT_MODELS, strict=True))
    return [sum(votes) >= 2 for votes in zip(*right, strict=True)]


def _share(found: Sequence[bool]) -> float | None:
    # numpy and not round(): pandas rounds so, and the two differ in the last digit now and then.
    return float(np.round(sum(found) / len(found), 4)) if found else None
