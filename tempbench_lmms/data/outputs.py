"""Whether a result can be written where it is wanted, before the work for it begins."""

import tempfile
from pathlib import Path

from tempbench_lmms.errors import TempbenchError

ELSEWHERE = "choose another place"


def check_file(path: Path, force: bool = False) -> None:
    """Checks that a file can be written; its folder must be there.

    Args:
        path: The file.
        force: Overwrite one that is there.

    Raises:
        TempbenchError: It cannot, or is there already.
    """
    if path.is_dir():
        raise TempbenchError(f"{path} is a folder; give the name of a file")
    if path.exists() and not force:
        raise TempbenchError(f"{path} exists; choose another name or add --force")
    if not path.parent.is_dir():
        raise TempbenchError(f"the folder {path.parent} does not exist; make it or choose another name")
    _try(path.parent, path, ELSEWHERE)


def check_folder(path: Path, advice: str = ELSEWHERE) -> None:
    """Checks that a folder can be made, or written to; it is not made.

    Args:
        path: The folder.
        advice: What to do where it cannot.

    Raises:
        TempbenchError: It cannot.
    """
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        what = "is a file" if there == path else f"lies below the file {there}"
        raise TempbenchError(f"{path} {what}; {advice}")
    _try(there, path, advice)


def _try(folder: Path, wanted: Path, advice: str) -> None:
    # Permissions alone say too little: of a user who may do everything, of a full disk, of /proc.
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".tempbench"):
            pass
    except OSError as error:
        raise TempbenchError(f"{wanted} cannot be written ({error.strerror or error}); {advice}") from None
