"""Reads the official TempVS tables: annotations and predictions, as JSON."""

from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds, releases
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import frame_rows, json_or_lines, text_or_none
from tempbench_lmms.errors import TempbenchError

ENDINGS = (".json", ".jsonl", ".pkl")
"""Of a table; a pickle is refused."""
_LARGE = ("72b", "78b", "110b")


def load_rows(folder: Path, name: str) -> list[Row] | None:
    """Returns the rows of one annotation or prediction file, or None.

    Args:
        folder: Its folder.
        name: Without ending; `name.json` and `name.jsonl` are looked for.

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
        return _as_rows(data, path)
    if pickled is not None:
        raise TempbenchError(
            f"{pickled} is a pickle, which runs any code in it when it is read; get the JSON file or, if you "
            "trust its origin, make it with pandas: read_pickle(...).to_json(..., orient='records')"
        )
    return None


def is_there(folder: Path, name: str) -> bool:
    """Returns whether a table exists in any form."""
    return releases.file(folder, *(f"{name}{ending}" for ending in ENDINGS)) is not None


def answered(folder: Path, model: str, source: str, task: str) -> list[Row] | None:
    """Returns the answered rows of one model, source and task, or None.

    For models whose name has 72 billion parameters or more, it is `*_preds_8bit`, as officially.

    Raises:
        TempbenchError: The file cannot be read, or lacks a column.
    """
    size = "8bit" if any(size in model.lower() for size in _LARGE) else "full"
    rows = load_rows(folder / model, f"{source}_{task}_preds_{size}")
    wanted = {"preds", "gt_option", "img_seq_id"}
    for number, row in enumerate(rows or ()):
        where = f"{folder / model}: {source}_{task}: row {number}"
        if missing := sorted(wanted - set(row)):
            raise TempbenchError(
                f"{where}: {', '.join(missing)} missing; write annotation rows with a column preds"
            )
        try:
            text_or_none(row["preds"], "preds")
        except TempbenchError as error:
            raise TempbenchError(f"{where}: {error}") from None
    return rows


def _as_rows(data: Any, path: Path) -> list[Row]:
    rows = frame_rows(data, "img_seq_id")
    if rows is None:
        raise TempbenchError(f"{path} is not a table of rows; download it again")
    return [row for _, row in rows]
