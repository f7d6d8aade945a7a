"""Compares a data set with the Hub's, and uploads it with the client's resumable upload."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms.data import checksums, tables
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError

_ADVICE = "log in with `hf auth login`, check the name and your permissions"


@dataclass
class Change:
    """The changes of a push to a repository."""

    exists: bool = False
    private: bool = False
    new: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    same: int = 0
    compared: bool = True


def change_of(repo: str, folder: Path) -> Change:
    """Compares a staged data set with the repository."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    wanted = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    try:
        api = HfApi()
        info = api.dataset_info(repo)
        there = {
            one.path: one for one in _files(api.list_repo_tree(repo, recursive=True, repo_type="dataset"))
        }
    except RepositoryNotFoundError:
        return Change(new=sorted(wanted))
    except Exception as error:  # the client raises its own, httpx's and Python's errors
        raise TempbenchError(
            f"{repo} cannot be compared ({one_line(str(error) or repr(error))}); check the connection; or "
            f"{_ADVICE}"
        ) from None
    change = Change(exists=True, private=bool(info.private))
    for place, path in sorted(wanted.items()):
        if place not in there:
            change.new.append(place)
        elif _is_same(there[place], path):
            change.same += 1
        else:
            change.replaced.append(place)
    change.kept = sorted(set(there) - set(wanted) - {".gitattributes"})
    return change


def _files(entries: Iterable[Any]) -> Iterable[Any]:
    return (entry for entry in entries if hasattr(entry, "blob_id"))


def _is_same(entry: Any, path: Path) -> bool:
    if entry.size != path.stat().st_size:
        return False
    if entry.lfs is not None:
        return bool(entry.lfs.sha256 == tables.sha256_of([path]))
    content = path.read_bytes()
    return bool(entry.blob_id == hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest())


def upload(repo: str, folder: Path, private: bool) -> str:
    """Uploads a staged data set and returns its commit."""
    from huggingface_hub import HfApi

    api = HfApi()
    try:
        api.create_repo(repo, repo_type="dataset", private=private, exist_ok=True)
        if private and not api.dataset_info(repo).private:
            raise TempbenchError(f"{repo} is public, but this data may not be; nothing was uploaded")
        if hasattr(
            api, "upload_large_folder"
        ):  # before version 2 of the client, the other function started over
            api.upload_large_folder(repo_id=repo, folder_path=folder, repo_type="dataset", print_report=False)
        else:
            api.upload_folder(
                repo_id=repo,
                folder_path=folder,
                repo_type="dataset",
                commit_message="Publish prepared data (tempbench-lmms)",
            )
        return str(api.dataset_info(repo).sha)
    except TempbenchError:
        raise
    except Exception as error:  # refusals, and connection errors of whatever HTTP library it uses
        reason = one_line(str(error) or repr(error))
        raise TempbenchError(
            f"{repo} was not published completely ({reason}); {_ADVICE}; the same command continues"
        ) from None


def fingerprint(repo: str) -> str:
    """Returns a name for the files of a push to a repository."""
    return checksums.digest(repo)[:12]
