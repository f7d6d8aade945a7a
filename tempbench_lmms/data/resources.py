"""Where the package's own data folders are: inside a wheel, or beside the package in a checkout."""

from functools import cache
from pathlib import Path

from tempbench_lmms.errors import TempbenchError


@cache
def resource_dir(name: str) -> Path:
    """Returns the folder `task_yamls` or `hf_datasets`.

    Raises:
        TempbenchError: The installation is incomplete.
    """
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / name, package.parent / name):
        if candidate.is_dir():
            return candidate
    raise TempbenchError(
        f"the folder {name} is missing next to {package}; reinstall with `pip install --force-reinstall "
        "tempbench-lmms`"
    )
