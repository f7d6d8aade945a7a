"""Reads the official TempVS tables: annotations and predictions, as JSON or, where asked for, as pickles."""

from pathlib import Path
from typing import Any

from tempbench_lmms.data.tables import Row, read_json
from tempbench_lmms.errors import TempbenchError


def load_rows(folder: Path, name: str, allow_pickle: bool) -> list[Row] | None:
    """Returns the rows of one annotation or prediction file, or None where there is none.

    Args:
        folder: Its folder.
        name: Its name without ending; `name.json` is looked for, and `name.pkl` where allowed.
        allow_pickle: Whether to unpickle, which executes any code in the file.

    Raises:
        TempbenchError: The file cannot be read, or exists only as a pickle.
    """
    path, pickled = folder / f"{name}.json", folder / f"{name}.pkl"
    if path.is_file():
        try:
            data = read_json(path)
        except (ValueError, OSError) as error:
            raise TempbenchError(f"{path} cannot be read ({error}); download it again") from None
        return _as_rows(data, path)
    if pickled.is_file():
        if not allow_pickle:
            raise TempbenchError(
                f"{pickled} is a pickle, and reading it executes any code in it; if you trust its "
                "origin add --allow-pickle"
            )
        import pandas

        frame = pandas.read_pickle(pickled)  # noqa: S301 (asked for by name)
        return [dict(row) for row in frame.to_dict("records")]
    return None


def _as_rows(data: Any, path: Path) -> list[Row]:
    """Accepts the three ways in which pandas writes a frame as JSON, and JSON lines wrapped in a list."""
    if isinstance(data, list) and all(isinstance(row, dict) for row in data):
        return data
    if isinstance(data, dict) and data and all(isinstance(column, dict) for column in data.values()):
        keys = list(next(iter(data.values())))
        if all(list(column) == keys for column in data.values()):
            # {column: {row: value}}, pandas' default; {row: {column: value}} has rows with equal keys too,
            # but names of ours among the inner keys.
            if "img_seq_id" in data:
                return [{name: column[key] for name, column in data.items()} for key in keys]
            return list(data.values())
    raise TempbenchError(f"{path} is not a table of rows; download it again")
