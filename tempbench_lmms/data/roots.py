"""Turns `tempbench://` URLs into paths, without ever leaving a data set's folder.

tempbench://tempvs/mini/mt1_two/test.parquet   the bundled sample
tempbench://tempvs/mt1_two/test.parquet        data prepared by `tempbench prepare tempvs`

Data elsewhere (`data.remote`) is read in the folder that keeps what was fetched of it.
"""

import os
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from tempbench_lmms.data import outputs
from tempbench_lmms.data.resources import folder_of
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError

SCHEME = "tempbench://"
MINI = "mini"
MANIFEST = "manifest.json"


def data_home(benchmark: str) -> Path:
    """Returns the folder that a benchmark's prepared data lies in, with that of others.

    It is `$TEMPBENCH_DATA_<BENCHMARK>`, else `$TEMPBENCH_DATA`, else one in the Hugging Face cache.

    Raises:
        TempbenchError: The variable is an address.
    """
    from tempbench_lmms.data import remote

    home = remote.given_for(benchmark)
    if remote.is_address(home):
        raise TempbenchError(
            f"the data of {benchmark} is at {remote.without_user(home)}, which is only read; set "
            "TEMPBENCH_DATA to a folder"
        )
    return _expanded(home) if home else cache_home() / "tempbench"


def home_to_write(benchmark: str) -> Path:
    """Returns the folder of a benchmark's prepared data, which `prepare` may write to.

    Raises:
        TempbenchError: It may not.
    """
    root = data_home(benchmark) / benchmark
    outputs.check_folder(root, "set TEMPBENCH_DATA to another folder")
    return root


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # a user of a container may be in no list of users
        raise TempbenchError(
            f"{path}: this user has no home folder; set HOME, or TEMPBENCH_DATA to the folder for the data"
        ) from None


def cache_home() -> Path:
    """Returns the Hugging Face cache."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return _expanded(os.environ.get("HF_HOME", f"{cache}/huggingface"))


def datasets_cache() -> Path:
    """Returns the folder into which the harness copies every table that it reads.

    It goes by these variables itself; where they name a network drive it may take another folder.
    """
    for name in ("LMMS_EVAL_DATASETS_CACHE", "HF_DATASETS_CACHE"):
        if (folder := os.environ.get(name, "")).strip():
            return _expanded(folder)
    return _expanded(os.environ.get("HF_HOME", "~/.cache/huggingface")) / "datasets"


def mini_root(benchmark: str) -> Path:
    """Returns the folder of a benchmark's bundled sample."""
    return folder_of(MINI, benchmark)


def prepared_root(benchmark: str) -> Path:
    """Returns the folder of a benchmark's prepared data; of data elsewhere, the one that it is kept in.

    Raises:
        DataNotPreparedError: There is none, or an interrupted `prepare` has not written its manifest.
        TempbenchError: The folder cannot be read, or the address cannot be reached.
    """
    from tempbench_lmms.data import remote

    given = remote.given_for(benchmark)
    if remote.is_address(given):
        return remote.opened(benchmark, given.rstrip("/"), cache_home() / "tempbench-remote")
    plain = given and "~" not in given
    root, manifest = _places(given if plain else str(data_home(benchmark)), benchmark)
    try:
        if manifest.is_file():
            with os.scandir(root):
                return root
    except OSError as error:
        raise TempbenchError(
            f"{root} cannot be read ({error.strerror}); give yourself access to it or set TEMPBENCH_DATA to "
            "another folder"
        ) from None
    raise DataNotPreparedError(benchmark, str(root))


@lru_cache(maxsize=64)
def _places(home: str, benchmark: str) -> tuple[Path, Path]:
    """Returns the paths of a folder of data and of its manifest; whether they are there is not known."""
    root = Path(home) / benchmark
    return root, root / MANIFEST


def resolve(url: str) -> Path:
    """Returns the local path of a `tempbench://` URL; the file itself need not exist.

    Args:
        url: With or without the scheme.

    Raises:
        DataNotPreparedError: The URL names prepared data that is not there.
        TempbenchError: The URL points outside its data set, by `..`, an absolute part or a symbolic link.
    """
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
    if ".." in rest or _leads_out(root, rest):
        raise TempbenchError(f"{url!r} points outside its data set; correct the row that names it")
    return path


def _leads_out(root: Path, names: Sequence[str]) -> bool:
    r"""Returns whether a path of names below a folder, none of them "..", ends outside it.

    Only a link could lead out, so the whole path is resolved only where a part of it is one: this is called
    for every picture. On Windows a name can hold a drive or "..\\", so there it always is.
    """
    parents = accumulate(names, os.path.join, initial=str(root))
    next(parents)  # the folder itself may be a link
    if os.name == "posix" and not any(map(os.path.islink, parents)):
        return False
    return not root.joinpath(*names).resolve().is_relative_to(root.resolve())
