"""Turns `tempbench://` URLs into paths, without ever leaving a data set's folder.

tempbench://tempvs/mini/mt1_two/test.parquet   the bundled sample
tempbench://tempvs/mt1_two/test.parquet        data prepared by `tempbench prepare tempvs`

Data elsewhere (`data.remote`) is read in the folder that keeps what was fetched of it.
"""

import os
import stat
import time
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

_TRUSTED_SECONDS = 1.0
_MOST_FOLDERS = 4096
_NO_NAMES = ("", ".", "..")
_trusted: dict[tuple[str | None, ...], tuple[str, float]] = {}
"""Folders that a path was checked in a moment ago, a slash behind them, and until when they need no other
check."""


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


def prepared_root(benchmark: str, instead: str = "") -> Path:
    """Returns the folder of a benchmark's prepared data; of data elsewhere, the one that it is kept in.

    Args:
        benchmark: Its name.
        instead: What the user can do without it, for the error.

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
    raise DataNotPreparedError(benchmark, str(root), instead)


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
    return Path(looked_up(url)[0])


def looked_up(url: str) -> tuple[str, bool]:
    """Returns what `resolve` does, as text, and whether a plain file is known to be there.

    A data set has many files in a few folders, and is asked for several at a time: that the data is prepared
    and no part of a folder is a link is looked at once a second, whether the file is a link each time.
    """
    folder, _, name = url.removeprefix(SCHEME).rpartition("/")
    key = (folder, *_where(folder.partition("/")[0]))
    known, until = _trusted.get(key, ("", 0.0))
    if not known or name in _NO_NAMES or "\0" in name or time.monotonic() > until:
        return str(_checked(url, key)), False
    path = known + name
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):  # there is none, or there can be none of this name
        return path, False
    return (str(_checked(url, key)), False) if stat.S_ISLNK(mode) else (path, stat.S_ISREG(mode))


def _where(benchmark: str) -> tuple[str | None, ...]:
    """Returns the settings that the place of a benchmark's data goes by."""
    from tempbench_lmms.data import remote

    given = remote.given_for(benchmark)
    plain = given and "~" not in given
    return (given,) if plain else (given, *map(os.environ.get, ("HF_HOME", "XDG_CACHE_HOME", "HOME")))


def _checked(url: str, key: tuple[str | None, ...]) -> Path:
    """Returns the path of a URL, every part of which is looked at; `key` stands for its folder."""
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
    # With a slash at its end a URL names a folder where others name a file, and beside a benchmark's tables
    # `BENCHMARK/mini` is elsewhere. What is at an address is opened anew after `remote.forget`; a relative
    # path goes by the current folder.
    is_plain = "/".join(parts[:-1]) == key[0] and "://" not in (key[1] or "")
    if len(parts) > 2 and is_plain and path.is_absolute() and not _has_links(root, rest[:-1]):
        if len(_trusted) >= _MOST_FOLDERS:
            _trusted.clear()
        _trusted[key] = f"{path.parent}/", time.monotonic() + _TRUSTED_SECONDS
    return path


def _leads_out(root: Path, names: Sequence[str]) -> bool:
    """Returns whether a path of names below a folder, none of them "..", ends outside it.

    Only a link could lead out, so the whole path is resolved only where a part of it is one.
    """
    return _has_links(root, names) and not root.joinpath(*names).resolve().is_relative_to(root.resolve())


def _has_links(root: Path, names: Sequence[str]) -> bool:
    r"""Returns whether a part of a path below a folder may be a link.

    On Windows a name can hold a drive or "..\\" as well, so there each path may have one.
    """
    parents = accumulate(names, os.path.join, initial=str(root))
    next(parents)  # the folder itself may be a link
    return os.name != "posix" or any(map(os.path.islink, parents))
