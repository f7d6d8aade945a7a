"""Downloads from the Hub: checks what a server sends, and reports errors in one line.

The client itself refuses a repository's files outside its folder. It does not check the other parts of its
paths: a file's ETag, which names the stored content, and the commit, which names the folder.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tempbench_lmms.data.roots import cache_home
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError

_BY_HAND = "download it elsewhere from https://huggingface.co/datasets/{} and give its folder with --source"
# Returns (address, ETag, commit, ...) of a file, or None in their place with an error.
_METADATA = "_get_metadata_or_catch_error"
# Checksums, in the forms of the Hub and other servers; no separator, and not "." or "..".
_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._=+-]{0,199}")


@contextlib.contextmanager
def downloading(repository: str, by_hand: str = "") -> Iterator[None]:
    """Turns every download error into one line, and makes the client refuse what is no plain name.

    ETags and commits are checked where the client receives them, because a server may answer a second request
    differently. The client has no public place for it.
    """
    from huggingface_hub import file_download

    client: Any = file_download
    original = getattr(client, _METADATA, None)
    if original is None:
        raise TempbenchError(
            "this version of huggingface_hub would write to paths that a server chooses; install another "
            "version, or download the data elsewhere and give its folder with --source"
        )

    def checked(*args: Any, **kwargs: Any) -> Any:
        found = original(*args, **kwargs)
        for name in found[1:3]:
            if name is not None and not _NAME.fullmatch(str(name)):
                raise TempbenchError(
                    f"{repository}: the server names a file's content {str(name)[:80]!r}, a path outside "
                    "the cache; check HF_ENDPOINT"
                )
        return found

    setattr(client, _METADATA, checked)
    try:
        yield
    except TempbenchError:
        raise
    except Exception as error:  # the client raises its own, httpx's and Python's errors
        raise TempbenchError(
            f"{repository} cannot be downloaded ({one_line(str(error) or repr(error))}); check the network, "
            f"HF_ENDPOINT and HF_HUB_OFFLINE, or {by_hand or _BY_HAND.format(repository)}"
        ) from None
    finally:
        setattr(client, _METADATA, original)


@contextlib.contextmanager
def tried_once(model: str, seconds: float = 5.0) -> Iterator[None]:
    """Checks once whether the Hub answers; if not, the block uses only this machine's cache.

    The client would try each file six times, with 23 seconds of waiting.
    """
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    before = constants.HF_HUB_OFFLINE
    try:
        if not os.path.isdir(model) and not before:
            get_hf_file_metadata(hf_hub_url(model, "config.json"), timeout=seconds)
    except (HfHubHTTPError, HFValidationError):
        pass  # any answer will do
    except Exception as error:  # httpx's, requests' or Python's own
        if not isinstance(try_to_load_from_cache(model, "config.json"), str):
            why = f"{constants.ENDPOINT} does not answer ({one_line(str(error) or repr(error))})"
            raise TempbenchError(f"it is not in this machine's cache, and {why}") from None
        constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def dataset_info(repository: str, revision: str = "main") -> Any:
    """Returns the Hub's information on a data set; its `sha` is a commit."""
    from huggingface_hub import HfApi

    info = HfApi().dataset_info(repository, revision=revision)
    if not re.fullmatch(r"[0-9a-f]{40,64}", str(info.sha)):
        raise TempbenchError(
            f"{repository}: the server did not send a commit id ({str(info.sha)[:80]!r}); check HF_ENDPOINT"
        )
    return info


def cached(name: str, task: str, *repositories: str) -> Path:
    """Returns the folder in the Hub's cache of a data set that one of the harness's own tasks loads."""
    cache = Path(os.environ.get("HF_HUB_CACHE") or cache_home() / "hub").expanduser()
    folders = [cache / f"datasets--{repository.replace('/', '--')}" for repository in repositories]
    if there := next(filter(Path.is_dir, folders), None):
        return there
    raise TempbenchError(
        f"the harness has no {name}: {folders[0]} is missing; run its task `{task}` once, or give --source"
    )


def snapshot(folder: Path) -> Path:
    """Returns the folder of files for a repository in the Hub's cache; any other folder unchanged."""
    if not (folder / "snapshots").is_dir():
        return folder
    main = folder / "refs" / "main"
    name = main.read_text(encoding="utf-8").strip() if main.is_file() else ""
    there = [one for one in (folder / "snapshots").iterdir() if one.is_dir() and one.name[0] != "."]
    found = [one for one in there if one.name == name] or there
    if len(found) != 1:
        raise TempbenchError(
            f"{folder} holds {len(found)} snapshots but no main one; give the folder of one snapshot"
        )
    return found[0]


def around(folder: Path) -> Path:
    """Returns the folder that must contain the files; in the Hub's cache they are links to `blobs`."""
    parents = [folder, *folder.absolute().parents]
    cache = next((one.parent for one in parents if one.name == "snapshots"), None)
    return cache if cache and (cache / "blobs").is_dir() else folder
