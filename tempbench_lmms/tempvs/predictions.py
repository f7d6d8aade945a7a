"""Scores prediction files in the layout of the official runner, without the harness.

`DIR/{combined|separate|blind}/MODEL/{source}_{task}_preds_{full|8bit}.json` (or .pkl), each an annotation
table with the column `preds`.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import Record
from tempbench_lmms.tempvs import official, parser, scoring
from tempbench_lmms.tempvs.card import SOURCES
from tempbench_lmms.tempvs.files import load_rows
from tempbench_lmms.tempvs.official import Row

_LARGE = ("72b", "78b", "110b")


def _table(folder: Path, model: str, source: str, task: str, allow_pickle: bool) -> Sequence[Row] | None:
    suffix = "8bit" if any(size in model.lower() for size in _LARGE) else "full"
    if Path(model).name != model:
        raise TempbenchError(f"{model!r} is not the name of a folder; give --model as it is called there")
    rows: Sequence[Row] | None = load_rows(folder / model, f"{source}_{task}_preds_{suffix}", allow_pickle)
    if rows is not None:
        wanted = {"preds", "gt_option", "img_seq_id"}
        for number, row in enumerate(rows):
            if not wanted <= set(row):
                missing = ", ".join(sorted(wanted - set(row)))
                raise TempbenchError(
                    f"{folder / model}: {source}_{task}: row {number}: {missing} missing; write annotation "
                    "rows with a column preds"
                )
    return rows


def score_folder(
    folder: Path, model: str, setting: str, blind_filter: bool, allow_pickle: bool
) -> dict[str, Any]:
    """Scores one model's files.

    Args:
        folder: The folder of all predictions.
        model: The model's folder.
        setting: combined, separate or blind.
        blind_filter: Apply the official scorer's blind filter to the strict numbers too.
        allow_pickle: Whether to unpickle.

    Returns:
        `tasks`: for each official task with files, the `official` columns and the `strict` ones (robust
        parser, missing groundings failed); `notes`: what was missing.

    Raises:
        TempbenchError: There are no files, or one cannot be read.
    """
    tasks: dict[str, Any] = {}
    notes: list[str] = []
    for task, grounding_task in official.GROUNDING_TASK.items():
        sources: dict[str, official.Predictions] = {}
        for source in SOURCES:
            main = _table(folder / setting, model, source, task, allow_pickle)
            if main is None:
                continue
            gates = _table(folder / setting, model, source, grounding_task, allow_pickle)
            if gates is None:
                notes.append(f"{task}, {source}: no predictions for {grounding_task}: nothing is grounded")
            text_only: list[Sequence[Row]] = []
            if "images" not in task:
                text_only = _text_only(folder / "blind", source, task, len(main), allow_pickle)
                if not text_only:
                    notes.append(
                        f"{task}, {source}: a text-only model's predictions lack: nothing is filtered"
                    )
            sources[source] = official.Predictions(main, gates or [], text_only)
        if sources:
            tasks[task] = {
                "official": official.score(task, sources, model),
                "strict": strict(task, sources, blind_filter),
            }
    if not tasks:
        raise TempbenchError(
            f"no predictions in {folder / setting / model}; expected files like "
            "flintstones_paired_event_discrimination_preds_full.json"
        )
    return {"model": model, "setting": setting, "tasks": tasks, "notes": notes}


def _text_only(folder: Path, source: str, task: str, n: int, allow_pickle: bool) -> list[Sequence[Row]]:
    """Returns the n answers of each of the text-only models; nothing where one of them is missing."""
    found = [_table(folder, name, source, task, allow_pickle) for name in official.TEXT_MODELS]
    there = [rows for rows in found if rows is not None]
    if len(there) < len(found):
        return []
    if any(len(rows) != n for rows in there):
        raise TempbenchError(
            f"{task}, {source}: the text-only models answered another number of rows than the model that is "
            "scored; the files belong to different releases"
        )
    return there


def strict(
    task: str, sources: Mapping[str, official.Predictions], blind_filter: bool
) -> dict[str, float | None]:
    """Returns our numbers for official rows: robust parser, missing groundings failed, nothing left out.

    Args:
        task: An official task name.
        sources: Predictions by source.
        blind_filter: Leave out what at least two of three text-only models solve.
    """
    records: list[Record] = []
    n_unfiltered = 0
    for source, predictions in sources.items():
        gate = official.GROUNDING_TASK[task]
        gates = [_record(row, gate, source, i) for i, row in enumerate(predictions.grounding)]
        mains = [_record(row, task, source, i) for i, row in enumerate(predictions.main)]
        n_unfiltered += len(mains)
        by_position: dict[Any, dict[int, str]] = {}
        for row, record in zip(predictions.grounding, gates, strict=True):
            position = int(str(row["gt_option"]).rpartition(" ")[2]) - 1
            by_position.setdefault(row["img_seq_id"], {}).setdefault(position, record["id"])
        for row, record in zip(predictions.main, mains, strict=True):
            asked = by_position.get(row["img_seq_id"], {})
            positions = _positions(task, row, asked)
            record["grounding"] = [asked[position] for position in positions if position in asked]
            record["n_events"] = len(positions)
        if blind_filter and predictions.text_only:
            solved = official.solved_blind(task, predictions.text_only)
            mains = [record for record, blind in zip(mains, solved, strict=True) if not blind]
        records += [*gates, *mains]
    out: dict[str, float | None] = {"n_unfiltered": n_unfiltered}
    for name, metric in scoring.METRICS.of(scoring.ANSWERS).items():
        value = metric(records)
        number = float(value) if isinstance(value, int) else value.value
        out[name] = None if math.isnan(number) else number
    return out


def _positions(task: str, row: Row, asked: Mapping[int, str]) -> list[int]:
    """Returns the positions of the events that gate a main row."""
    if official.kind_of(task) == "mt1":
        return list(row.get("event_pair_tuple") or row["event_triple_tuple"])
    if answer := row.get("gt_answer"):
        return list(range(len(answer)))
    # Bare rows do not say how many images there are; the questions about the sequence do.
    return sorted(asked) or [0]


def _record(row: Row, task: str, source: str, number: int) -> Record:
    kind = official.kind_of(task)
    n_images = len(row.get("img_path_list") or row.get("gt_answer") or "123456789")
    options = ["True", "False"] if kind == "mt1" else ["", "", "", "", ""]
    if kind == "mt1" and row.get("option_text"):
        options = [text.partition(". ")[2] for text in str(row["option_text"]).rstrip(".").split("; ")]
    elif kind == "mt2" and row.get("options"):
        options = [text.partition(". ")[2] for text in str(row["options"]).split(";\n")]
    gold = str(row["gt_option"]).rpartition(" ")[2]
    answer = parser.parse(str(row["preds"]), kind, options, n_images)
    return {
        "id": f"{source}/{task}/{number}",
        "role": "grounding" if kind == "gt" else "main",
        "source": source,
        "sequence": f"{source}/{row['img_seq_id']}",
        "answer": answer,
        "gold": gold,
        "correct": int(answer == gold),
        "parsed": int(answer is not None),
        "failed": 0,
    }
