"""Paths of folders: the package's own, in a wheel or a checkout, and the user's cache."""

import os
from functools import cache
from pathlib import Path

import tempbench_lmms
from tempbench_lmms.card import home
from tempbench_lmms.errors import TempbenchError

SCHEME = "tempbench://"
MINI = "mini"
MANIFEST = "manifest.json"


@cache
def resource_dir(name: str) -> Path:
    """Returns the folder `task_yamls` or `hf_datasets`."""
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / name, package.parent / name):
        if candidate.is_dir():
            return candidate
    raise TempbenchError(
        f"the folder {name} is missing next to {package}; reinstall with `pip install --force-reinstall "
        "tempbench-lmms`"
    )


def folder_of(name: str, benchmark: str) -> Path:
    """Returns the folder of a benchmark in `task_yamls`, or of its sample in `mini`.

    Benchmarks of this package have it in the package's data, the user's benchmarks in their own folder.
    """
    if (own := home(benchmark)).parent != Path(tempbench_lmms.__path__[0]):
        return own / name
    return (resource_dir("hf_datasets") / name if name == "mini" else resource_dir(name)) / benchmark


def expanded(path: str) -> Path:
    """Returns a user's path with their home folder in place of `~`."""
    try:
        return Path(path).expanduser()
    except RuntimeError:  # a container's user may not be in the list of users
        raise TempbenchError(
            f"{path}: this user has no home folder; set HOME, or TEMPBENCH_DATA to the folder for the data"
        ) from None


def cache_home() -> Path:
    """Returns the Hugging Face cache."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return expanded(os.environ.get("HF_HOME", f"{cache}/huggingface"))
