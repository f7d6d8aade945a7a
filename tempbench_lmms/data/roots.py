"""Folders of the package, the cache and data sets; `tempbench://` URLs, which never leave a data set.

tempbench://tempvs/mini/mt1_two/test.parquet   the bundled sample
tempbench://tempvs/mt1_two/test.parquet        data prepared by `tempbench prepare tempvs`
"""

import os
from functools import cache
from pathlib import Path

import tempbench_lmms
from tempbench_lmms.card import home
from tempbench_lmms.data import outputs
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError

SCHEME = "tempbench://"
MINI = "mini"
MANIFEST = "manifest.json"


@cache
def resource_dir(name: str) -> Path:
    """Returns the folder `task_yamls` or `hf_datasets`."""
    package = Path(__file__).resolve().parents[1]
    return package / name if (package / name).is_dir() else package.parent / name


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
    return expanded(os.environ.get("HF_HOME", f"{os.environ.get('XDG_CACHE_HOME', '~/.cache')}/huggingface"))


def data_home(benchmark: str) -> Path:
    """Returns the folder that contains a benchmark's prepared data, along with others'.

    It is `$TEMPBENCH_DATA_<BENCHMARK>`, else `$TEMPBENCH_DATA`, else one in the Hugging Face cache.
    """
    home = os.environ.get(f"TEMPBENCH_DATA_{benchmark.upper()}") or os.environ.get("TEMPBENCH_DATA", "")
    if "://" in home:
        raise TempbenchError(
            "TEMPBENCH_DATA is an address; run `hf download ORG/NAME --repo-type dataset --local-dir "
            f"FOLDER/{benchmark}` and set it to FOLDER"
        )
    return expanded(home) if home else cache_home() / "tempbench"


def home_to_write(benchmark: str) -> Path:
    """Returns the folder of a benchmark's prepared data, which `prepare` may write to."""
    root = data_home(benchmark) / benchmark
    outputs.check_folder(root, "set TEMPBENCH_DATA to another folder")
    return root


def datasets_cache() -> Path:
    """Returns the folder into which the harness copies every table that it reads.

    The harness uses these variables; if they name a network drive, it may use another folder.
    """
    for name in ("LMMS_EVAL_DATASETS_CACHE", "HF_DATASETS_CACHE"):
        if (folder := os.environ.get(name, "")).strip():
            return expanded(folder)
    return expanded(os.environ.get("HF_HOME", "~/.cache/huggingface")) / "datasets"


def mini_root(benchmark: str) -> Path:
    """Returns the folder of a benchmark's bundled sample."""
    return folder_of(MINI, benchmark)


def prepared_root(benchmark: str, instead: str = "") -> Path:
    """Returns the folder of a benchmark's prepared data."""
    root = data_home(benchmark) / benchmark
    try:
        if (root / MANIFEST).is_file():
            with os.scandir(root):
                return root
    except OSError as error:
        raise TempbenchError(
            f"{root} cannot be read ({error.strerror}); check its permissions or set TEMPBENCH_DATA to "
            "another folder"
        ) from None
    raise DataNotPreparedError(benchmark, str(root), instead)


def resolve(url: str) -> Path:
    """Returns the local path of a `tempbench://` URL; the file itself need not exist."""
    parts = [part for part in url.removeprefix(SCHEME).split("/") if part not in ("", ".")]
    if not parts or "\0" in url:
        raise TempbenchError(f"{url!r} is not the URL of a data set; write tempbench://BENCHMARK/...")
    benchmark, *rest = parts
    if benchmark == "..":
        raise TempbenchError(f"{url!r} points outside its data set; correct the row that names it")
    if rest[:1] == [MINI]:
        root, rest = mini_root(benchmark), rest[1:]
        if not root.is_dir():
            raise TempbenchError(f"no bundled sample named {benchmark!r}; see `tempbench tasks`")
    else:
        root = prepared_root(benchmark)
    path = root.joinpath(*rest)
    if ".." in rest or not path.resolve().is_relative_to(root.resolve()):
        raise TempbenchError(f"{url!r} points outside its data set; correct the row that names it")
    return path
