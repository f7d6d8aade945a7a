"""Scores prediction files in the layout of the official runner, without the harness.

`DIR/{combined|separate|blind}/MODEL/{source}_{task}_preds_{full|8bit}.json` (or .pkl), each an annotation
table with the column `preds`.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tempbench_lmms.data.replies import text_or_none
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.parsing import reader
from tempbench_lmms.record import Record
from tempbench_lmms.tempvs import official, parser, scoring
from tempbench_lmms.tempvs.card import SOURCES
from tempbench_lmms.tempvs.files import ENDINGS, load_rows
from tempbench_lmms.tempvs.official import Row

_LARGE = ("72b", "78b", "110b")


def _sizes(model: str) -> tuple[str, str]:
    """Returns which files of a model the official scorer reads, by its name, and which it does not."""
    return ("8bit", "full") if any(size in model.lower() for size in _LARGE) else ("full", "8bit")


def _unread(folder: Path, model: str) -> list[str]:
    """Returns what to say of a model's files that are not read."""
    size, other = _sizes(model)
    files = sorted(
        path.name for path in (folder / model).glob(f"*_preds_{other}.*") if path.suffix in ENDINGS
    )
    if not files:
        return []
    return [
        f"{len(files)} files of {folder / model} are not read, {files[0]} first: of a model of this name the "
        f"official scorer takes *_preds_{size}; to score the others, name them so in a folder of their own"
    ]


def table(folder: Path, model: str, source: str, task: str, allow_pickle: bool) -> Sequence[Row] | None:
    """Returns the answered rows of one model, source and task; None where there is no such file.

    Raises:
        TempbenchError: The file cannot be read, or lacks a column.
    """
    suffix = _sizes(model)[0]
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
            try:
                text_or_none(row["preds"], "preds")
            except TempbenchError as error:
                raise TempbenchError(f"{folder / model}: {source}_{task}: row {number}: {error}") from None
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
    notes = _unread(folder / setting, model)
    for task, grounding_task in official.GROUNDING_TASK.items():
        sources: dict[str, official.Predictions] = {}
        for source in SOURCES:
            main = table(folder / setting, model, source, task, allow_pickle)
            if main is None:
                continue
            gates = table(folder / setting, model, source, grounding_task, allow_pickle)
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
            "; ".join(notes)
            or f"no predictions in {folder / setting / model}; expected files like "
            f"flintstones_paired_event_discrimination_preds_{_sizes(model)[0]}.json"
        )
    return {"model": model, "setting": setting, "tasks": tasks, "notes": notes}


def _text_only(folder: Path, source: str, task: str, n: int, allow_pickle: bool) -> list[Sequence[Row]]:
    """Returns the n answers of each of the text-only models; nothing where one of them is missing."""
    found = [table(folder, name, source, task, allow_pickle) for name in official.TEXT_MODELS]
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
        gates = _records(predictions.grounding, gate, source)
        mains = _records(predictions.main, task, source)
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


def _records(rows: Sequence[Row], task: str, source: str) -> list[Record]:
    kind = official.kind_of(task)
    role = "grounding" if kind == "gt" else "main"
    out: list[Record] = []
    for number, row in enumerate(rows):
        gold = str(row["gt_option"]).rpartition(" ")[2]
        answer = _answer(row, kind)
        out.append(
            {
                "id": f"{source}/{task}/{number}",
                "role": role,
                "source": source,
                "sequence": f"{source}/{row['img_seq_id']}",
                "answer": answer,
                "gold": gold,
                "correct": int(answer == gold),
                "parsed": int(answer is not None),
                "failed": int(text_or_none(row["preds"], "preds") is None),
            }
        )
    return out


def _answer(row: Row, kind: str) -> str | None:
    """Returns what a row's reply answers; many a short reply comes again, and is looked up."""
    reply = text_or_none(row["preds"], "preds") or ""
    n_images = len(row.get("img_path_list") or row.get("gt_answer") or "123456789")
    options = str(row.get("option_text" if kind == "mt1" else "options") or "") if kind != "gt" else ""
    if len(reply) > reader.QUICK:
        return parser.parse(reply, kind, _options(kind, options), n_images)
    if kind == "mt2":
        # Every row has options of its own, and a letter by itself is one of them whatever they say.
        letter = reader.letter_alone(reply, "ABCDE"[: options.count(_BETWEEN[kind]) + 1 if options else 5])
        return letter or parser.parse(reply, kind, _options(kind, options), n_images)
    return _looked_up(reply, kind, options, n_images)


@lru_cache(maxsize=1024)
def _looked_up(reply: str, kind: str, options: str, n_images: int) -> str | None:
    return parser.parse(reply, kind, _options(kind, options), n_images)


_BETWEEN = {"mt1": "; ", "mt2": ";\n"}


def _options(kind: str, text: str) -> list[str]:
    """Returns the texts of the options that a row lists: "A. True; B. False."."""
    if not text:
        return ["True", "False"] if kind == "mt1" else [""] * 5
    listed = text.rstrip(".") if kind == "mt1" else text
    return [option.partition(". ")[2] for option in listed.split(_BETWEEN[kind])]
