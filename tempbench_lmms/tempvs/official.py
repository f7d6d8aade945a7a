"""The official TempVS tables of annotations and predictions, and the official scorer's numbers.

Source: `run_evaluation.py`. Where it differs from `scoring`: it takes the first letter or number anywhere in
a reply; a main question without grounding rows counts as grounded; rows with a non-event are left out;
two-choice and sentence-ordering questions that at least two of three text-only models solve are left out;
an ordering question is gated by every grounding row of its sequence. Its per-source table is not computed
here: it divides nothing that the pooled numbers do not.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tempbench_lmms.data import bounds, releases
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import frame_rows, json_or_lines, text_or_none
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import card
from tempbench_lmms.tempvs.parser import family_of, parse_official

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


@dataclass(frozen=True)
class Predictions:
    """The answered rows of one source and task; each row is an annotation row with `preds`."""

    main: Sequence[Row]  # main rows
    grounding: Sequence[Row]  # grounding rows
    # the main rows as answered by each of `TEXT_MODELS`, in the same order as `main`; empty where they
    # are not at hand, and then nothing is filtered
    text_only: Sequence[Sequence[Row]] = field(default=())


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


def _groundings_of(task: str, rows: Sequence[Row], passed: Sequence[bool]) -> dict[Any, list[bool]]:
    """Returns what passed, by sequence for ordering tasks and by sequence and event for MT1."""
    table: dict[Any, list[bool]] = defaultdict(list)
    for row, right in zip(rows, passed, strict=True):
        if kind_of(task) == "mt2":
            table[row["img_seq_id"]].append(right)
        else:
            # "image 11" ends in "1" as well: so the official scorer, which takes the first row that fits.
            digits = row["gt_option"].rpartition(" ")[2]
            for start in range(len(digits)):
                table[row["img_seq_id"], digits[start:]].append(right)
    return table


def _gate_of(task: str, row: Row, table: Mapping[Any, list[bool]]) -> list[bool]:
    if kind_of(task) == "mt2":
        return table.get(row["img_seq_id"], [])
    events = row.get("event_pair_tuple") or row["event_triple_tuple"]
    found = (table.get((row["img_seq_id"], str(event + 1))) for event in events)
    return [rows[0] for rows in found if rows]


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
    filtered = "images" not in task
    total = grounded = solved = both = n_unfiltered = 0
    at_least = [[0, 0] for _ in range(steps)]
    for predictions in sources.values():
        gates = [row for row in predictions.grounding if is_valid(row)]
        table = _groundings_of(task, gates, passes(gates, GROUNDING_TASK[task], model))
        kept = [i for i, row in enumerate(predictions.main) if is_valid(row)]
        n_unfiltered += len(kept)
        if filtered and predictions.text_only:
            kept = _not_solved_blind(task, predictions, kept)
        mains = [predictions.main[i] for i in kept]
        for row, right in zip(mains, passes(mains, task, model), strict=True):
            gate = _gate_of(task, row, table)
            total += 1
            solved += right
            grounded += all(gate)
            both += all(gate) and right
            for k in range(min(sum(gate), steps)):
                at_least[k][0] += right
                at_least[k][1] += 1
    out: dict[str, float | None] = {
        "total_cases": total,
        "all_grounding_success": grounded,
        "main_task_success": solved,
        "all_grounding_and_main_success": both,
        "grounding_acc": _share(grounded, total),
        "main_task_acc": _share(solved, total),
        "both_tasks_acc": None,  # a column that the official scorer never fills
        "main_acc_given_grounding_pass": _share(both, grounded),
        "main_acc_given_grounding_fail": _share(solved - both, total - grounded),
    }
    for k, (right_count, count) in enumerate(at_least, start=1):
        out[f"{k}_pass_count"] = count
        out[f"main_acc_given_{k}_pass"] = _share(right_count, count)
    return out | {"n_unfiltered": n_unfiltered}


def solved_blind(task: str, text_only: Sequence[Sequence[Row]]) -> list[bool]:
    """Returns for each main row whether at least two of the three text-only models solve it."""
    right = (passes(rows, task, model) for rows, model in zip(text_only, TEXT_MODELS, strict=True))
    return [sum(votes) >= 2 for votes in zip(*right, strict=True)]


def _not_solved_blind(task: str, predictions: Predictions, kept: Sequence[int]) -> list[int]:
    if (lengths := {len(rows) for rows in predictions.text_only}) != {len(predictions.main)}:
        raise TempbenchError(
            f"{task}: the text-only models answered {lengths} rows, not {len(predictions.main)}; the files "
            "belong to different releases"
        )
    solved = solved_blind(task, predictions.text_only)
    return [i for i in kept if not solved[i]]


def _share(part: int, whole: int) -> float | None:
    # numpy and not round(): pandas rounds so, and the two differ in the last digit now and then.
    return float(np.round(part / whole, 4)) if whole else None


_LARGE = ("72b", "78b", "110b")


def load_rows(folder: Path, name: str) -> list[Row] | None:
    """Returns the rows of an annotation or prediction file, `name.json` or `name.jsonl`, or None.

    Raises:
        TempbenchError: The file cannot be read, or is a pickle, which could run any code.
    """
    path = releases.file(folder, f"{name}.json", f"{name}.jsonl")
    pickled = releases.file(folder, f"{name}.pkl")
    if path is not None:
        try:
            data = json_or_lines(bounds.read_text(path))
        except bounds.NotText as error:
            raise TempbenchError(f"{path} {error}") from None
        except (ValueError, OSError) as error:
            raise TempbenchError(f"{path} cannot be read ({error}); download it again") from None
        if (rows := frame_rows(data, "img_seq_id")) is None:
            raise TempbenchError(f"{path} is not a table of rows; download it again")
        return [row for _, row in rows]
    if pickled is not None:
        raise TempbenchError(
            f"{pickled} is a pickle, which runs any code in it when it is read; get the JSON file or, if you "
            "trust its origin, make it with pandas: read_pickle(...).to_json(..., orient='records')"
        )
    return None


def is_there(folder: Path, name: str) -> bool:
    """Returns whether a table exists in any form."""
    return releases.file(folder, *(f"{name}{ending}" for ending in (".json", ".jsonl", ".pkl"))) is not None


def answered(folder: Path, model: str, source: str, task: str) -> list[Row] | None:
    """Returns the answered rows of one model, source and task, or None.

    For models whose name has 72 billion parameters or more, it is `*_preds_8bit`, as officially.

    Raises:
        TempbenchError: The file cannot be read, or lacks a column.
    """
    size = "8bit" if any(size in model.lower() for size in _LARGE) else "full"
    rows = load_rows(folder / model, f"{source}_{task}_preds_{size}")
    for number, row in enumerate(rows or ()):
        where = f"{folder / model}: {source}_{task}: row {number}"
        if missing := sorted({"preds", "gt_option", "img_seq_id"} - set(row)):
            raise TempbenchError(
                f"{where}: {', '.join(missing)} missing; write annotation rows with a column preds"
            )
        try:
            text_or_none(row["preds"], "preds")
        except TempbenchError as error:
            raise TempbenchError(f"{where}: {error}") from None
    return rows
