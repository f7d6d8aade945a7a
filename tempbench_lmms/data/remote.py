"""Prepared data on the Hub: `TEMPBENCH_DATA=hf://ORG/NAME[@REVISION]`.

It is downloaded into one cache folder per commit, and every file is compared with its checksum once. After
that it is read like any other prepared folder, and a second run needs no network.
"""

import contextlib
import os
import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from tempbench_lmms.data import checksums, hub, manifests, prepared
from tempbench_lmms.data.resources import MANIFEST
from tempbench_lmms.errors import TempbenchError

VARIABLE = "TEMPBENCH_DATA"
HUB = "hf://"
_FILES = (MANIFEST, checksums.FILE, "videos.json", "media/*", "*/*.parquet")
_WHOLE = ".whole"
"""The file beside a data set that marks it as complete."""
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_NAME = re.compile(r"hf://(?:datasets/)?(?P<name>[\w-][\w.-]*/[\w-][\w.-]*)(?:@(?P<revision>.+))?", re.ASCII)

_states: dict[Path, str] = {}
_opening = threading.Lock()


def given_for(benchmark: str) -> str:
    """Returns the user's setting for a benchmark's data, or "".

    `$TEMPBENCH_DATA_TEMPVS` is only for TempVS and comes before `$TEMPBENCH_DATA`.
    """
    return os.environ.get(f"{VARIABLE}_{benchmark.upper()}") or os.environ.get(VARIABLE, "")


def is_address(given: str) -> bool:
    """Returns whether a value is an address, not a path."""
    return "://" in given


def forget() -> None:
    """Makes this process look up all addresses again, as a new process would."""
    _states.clear()
    _opened.cache_clear()


def source_of(root: Path) -> str | None:
    """Returns the address and the commit of data in the cache; None for an ordinary folder."""
    return _states.get(root)


def is_open(benchmark: str) -> bool:
    """Returns whether this process reads a benchmark's data from the Hub."""
    return any(root.name == benchmark for root in _states)


def opened(benchmark: str, at: str, cache: Path) -> Path:
    """Returns the folder with a data set from the Hub, downloaded if needed."""
    with _opening:
        return _opened(benchmark, at, cache)


@lru_cache(maxsize=64)
def _opened(benchmark: str, at: str, cache: Path) -> Path:
    found = _NAME.fullmatch(at)
    if not found or ".." in found["name"]:
        shown = at if at.startswith(HUB) else f"{at.partition('://')[0]}://..."  # it may hold a password
        raise TempbenchError(
            f"{VARIABLE} is {shown}, which is not a data set of the Hub; write hf://ORG/NAME or "
            "hf://ORG/NAME@REVISION, or give a folder"
        )
    name, revision = found["name"], found["revision"] or "main"
    home = cache / name.replace("/", "--")
    commit = revision if _COMMIT.fullmatch(revision) else _newest(name, revision, home)
    root, whole = home / commit / benchmark, home / commit / _WHOLE
    if not whole.is_file() or not root.is_dir():
        _download(name, commit, root, benchmark)
        whole.touch()
    _states[root] = f"{HUB}{name}@{commit}"
    return root


def _newest(name: str, revision: str, home: Path) -> str:
    """Returns the commit of a revision; without a network, the last downloaded one."""
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        there = max(home.glob(f"*/{_WHOLE}"), key=lambda file: file.stat().st_mtime, default=None)
        if there is None:
            raise TempbenchError(
                f"{HUB}{name}: HF_HUB_OFFLINE is set and the data is not in the cache; run once with a "
                f"network, or set {VARIABLE} to a folder"
            )
        return there.parent.name
    with hub.downloading(name, _ADVICE):
        return str(hub.dataset_info(name, revision).sha)


_ADVICE = f"set {VARIABLE} to a folder that holds the data"


def _download(name: str, commit: str, root: Path, benchmark: str) -> None:
    _bring(name, commit, root, [MANIFEST])  # only this file: the rest may belong to another benchmark
    manifest = manifests.read(root)
    if manifest is None or manifest.get("benchmark") != benchmark:
        held = f"the data of {str(manifest.get('benchmark'))[:40]!r}" if manifest else "no prepared data"
        raise TempbenchError(
            f"{HUB}{name} holds {held}, but not {benchmark}; name its data with "
            f"{VARIABLE}_{benchmark.upper()}"
        )
    _bring(name, commit, root, _FILES)
    wrong = [*prepared.table_problems(root, manifest), *checksums.damaged(root, manifest, ("",))]
    if wrong:
        raise TempbenchError(f"{HUB}{name}@{commit}: {wrong[0]}; remove {root} and try again")
    records = checksums.read(root)
    for path in (root / "media").rglob("*"):
        changed = records.get(path.relative_to(root).as_posix(), {}).get("changed")
        # With its recorded time, a file is accepted without reading it again at each start.
        with contextlib.suppress(OSError, OverflowError, TypeError):
            os.utime(path, ns=(changed, changed))


def _bring(name: str, commit: str, root: Path, files: Sequence[str]) -> None:
    from huggingface_hub import snapshot_download

    with hub.downloading(name, _ADVICE):
        snapshot_download(
            name, repo_type="dataset", revision=commit, local_dir=root, allow_patterns=list(files)
        )
