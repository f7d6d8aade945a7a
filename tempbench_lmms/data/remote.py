"""Prepared data that lies elsewhere: on the Hub, in a bucket, behind any address that fsspec opens.

`TEMPBENCH_DATA=hf://ORG/NAME[@REVISION]`, or `s3://bucket/folder` and its like. Manifest, checksums and
tables are fetched when a benchmark is first asked for, a picture or a video when it is opened. Everything is
kept in a folder of the cache that has the form of a prepared one, so that all else reads it as such; a second
run needs no network. Nothing of what a server sends is believed: names are places below that folder, a file
has the SHA-256 that the manifest promises, and no more of it is read than its recorded size.
"""

import contextlib
import hashlib
import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tempbench_lmms.data import bounds, checksums, hub, manifests, outputs, tables
from tempbench_lmms.data.resources import MANIFEST
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import MediaError, TempbenchError

VARIABLE = "TEMPBENCH_DATA"
HUB = "hf://"
_PIN = "pinned.json"
_MAX_JSON = 500_000_000  # bytes of a manifest, or of the checksums of all media
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_LOCAL = ("file://", "local://", "memory://")
"""Addresses that need no network."""
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


def address(benchmark: str) -> str | None:
    """Returns the address of a benchmark's data; None where it is on this machine.

    `$TEMPBENCH_DATA_TEMPVS` is for TempVS alone and goes before `$TEMPBENCH_DATA`.
    """
    given = given_for(benchmark)
    return given.rstrip("/") if is_address(given) else None


def given_for(benchmark: str) -> str:
    """Returns what the user set for a benchmark's data; "" where nothing."""
    return os.environ.get(f"{VARIABLE}_{benchmark.upper()}") or os.environ.get(VARIABLE, "")


def is_address(given: str) -> bool:
    """Returns whether a value is an address and no path.

    >>> is_address("hf://org/name"), is_address("/data"), is_address("C:/data")
    (True, False, False)
    """
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+(::[^/]+)*://", given) is not None


def _is_offline(at: str) -> bool:
    """Returns whether the user forbade the network, as for the Hub's own client, and an address needs it."""
    forbidden = os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on")
    return forbidden and not at.startswith(_LOCAL)


@dataclass(frozen=True)
class Mirror:
    """What of a data set elsewhere is on this machine.

    Attributes:
        url: Where the rest is, with the commit; without what may be secret.
        records: Size, time and SHA-256 of each medium, by place.
        base: The address that places stand behind.
    """

    url: str
    records: Mapping[str, Any]
    base: str


_open: dict[Path, Mirror] = {}
_opening = threading.Lock()
_bringing = threading.Lock()


def forget() -> None:
    """Makes this process ask anew what is where, as a new one would."""
    _open.clear()
    _opened.cache_clear()


def mirror_of(root: Path) -> Mirror | None:
    """Returns the mirror whose folder this is; None where it is an ordinary folder."""
    return _open.get(root)


def is_open(benchmark: str) -> bool:
    """Returns whether this process reads a benchmark's data from elsewhere."""
    return any(root.name == benchmark for root in _open)


def _known(path: Path) -> tuple[str, Any] | None:
    """Returns the address and the record of a medium of a data set elsewhere, fetched or not."""
    for root, mirror in _open.items():
        if path.is_relative_to(root) and (place := path.relative_to(root).as_posix()) in mirror.records:
            return f"{mirror.base}/{place}", mirror.records[place]
    return None


def has(path: Path) -> bool:
    """Returns whether a path that need not exist is a medium of a data set elsewhere."""
    return _known(path) is not None


def promised(path: Path) -> str | None:
    """Returns the checksum of a medium of a data set elsewhere, fetched or not."""
    known = _known(path)
    return str(known[1]["sha256"]) if known else None


def bring(path: Path) -> None:
    """Makes sure that a medium is on this machine, where it is one of a data set elsewhere.

    Called wherever a picture or a video is opened.
    """
    if (known := _known(path)) is None or path.is_file():
        return
    url, record = known
    with _bringing:  # threads that decode ahead ask for the same file
        if path.is_file():
            return
        try:
            _fetch(url, path, record["sha256"], record["size"])
        except TempbenchError as error:
            raise MediaError(str(error), "missing") from None
        # By its recorded time a file is known for the recorded one, and not read again at each start.
        os.utime(path, ns=(record["changed"], record["changed"]))


def opened(benchmark: str, at: str, cache: Path) -> Path:
    """Returns the folder with manifest and tables of a data set elsewhere, fetched where need be."""
    with _opening:
        return _opened(benchmark, at, cache, _is_offline(at))


@lru_cache(maxsize=64)
def _opened(benchmark: str, at: str, cache: Path, offline: bool) -> Path:
    shown = without_user(at)
    slug = re.sub(r"[^A-Za-z0-9]+", "-", shown).strip("-")[:80]
    home = cache / f"{slug}-{hashlib.sha256(at.encode()).hexdigest()[:12]}" / benchmark
    revision = at.partition("@")[2] if at.startswith(HUB) else ""
    if offline or (_COMMIT.fullmatch(revision) and (home / _PIN).is_file()):
        state, folder = _read_pin(home / _PIN, shown, offline)
    else:
        state, folder = _newest(benchmark, at)
        tables.write_json({"revision": state, "folder": folder}, home / _PIN)
    root, base = home / state[:40] / benchmark, _base(at, state, folder)
    if not (root / MANIFEST).is_file():
        _bring_tables(benchmark, root, base, shown)
    where = f"{shown.partition('@')[0]}@{state}" if at.startswith(HUB) else shown
    _open[root] = Mirror(where, _media(root), base)
    return root


def _read_pin(pin: Path, shown: str, offline: bool) -> tuple[str, str]:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        found = tables.read_json(pin)
        if _COMMIT.fullmatch(found["revision"]) and found["folder"] in ("", pin.parent.name):
            return found["revision"], found["folder"]
    why = "HF_HUB_OFFLINE is set and nothing of it is here yet" if offline else "what is kept is damaged"
    raise TempbenchError(f"{shown}: {why}; run once with a network, or set {VARIABLE} to a folder")


def _newest(benchmark: str, at: str) -> tuple[str, str]:
    """Returns which state of a data set is read, and in which folder of the repository or bucket it is."""
    commit = ""
    if at.startswith(HUB):
        name, revision = _hub_name(at)
        with hub.downloading(name):
            commit = str(hub.dataset_info(name, revision).sha)
    shown, found = without_user(at), "no prepared data"
    for folder in ("", benchmark):
        content = _read(f"{_base(at, commit, folder)}/{MANIFEST}", shown)
        if content is None:
            continue
        whose = _parsed(content, f"{shown}/{MANIFEST}").get("benchmark")
        if whose == benchmark:
            return commit or hashlib.sha256(content).hexdigest(), folder
        found = f"the data of {str(whose)[:40]!r}"
    raise TempbenchError(
        f"{shown} holds {found}, and none of {benchmark}; name its data with {VARIABLE}_{benchmark.upper()}"
    )


def _hub_name(at: str) -> tuple[str, str]:
    name, _, revision = at.removeprefix(HUB).removeprefix("datasets/").partition("@")
    if not _REPOSITORY.fullmatch(name) or ".." in name:
        raise TempbenchError(
            f"{at!r} is no data set of the Hub; write hf://ORG/NAME or hf://ORG/NAME@REVISION"
        )
    return name, revision or "main"


def _base(at: str, state: str, folder: str) -> str:
    base = f"{HUB}datasets/{_hub_name(at)[0]}@{state}" if at.startswith(HUB) else at
    return f"{base}/{folder}" if folder else base


def _bring_tables(benchmark: str, root: Path, base: str, shown: str) -> None:
    """Fetches the manifest last, so that a folder with one is whole."""
    content = _read(f"{base}/{MANIFEST}", shown)
    manifest = _parsed(content or b"", f"{shown}/{MANIFEST}")
    if not checksums.is_whole(manifest) or manifest.get("benchmark") != benchmark:
        raise TempbenchError(f"{shown}/{MANIFEST} is damaged; it is not as it was written")
    wanted = manifests.sums_of_tables(manifest)
    if not wanted:
        raise TempbenchError(
            f"{shown}: the manifest has no checksums of tables; prepare the data again and publish that"
        )
    for place, sha256 in wanted.items():
        path = root / checked_place(place, shown)
        if not path.is_file() or tables.sha256_of([path]) != sha256:
            _fetch(f"{base}/{place}", path, str(sha256), bounds.max_bytes())
    for name, one in ((checksums.FILE, _read(f"{base}/{checksums.FILE}", shown)), (MANIFEST, content)):
        if one is not None:
            with outputs.replacing(root / name) as partial:
                partial.write_bytes(one)
    if problem := next(checksums.damaged(root, manifest, ()), None):
        (root / MANIFEST).unlink()
        raise TempbenchError(f"{shown}: {problem}")


def _media(root: Path) -> dict[str, Any]:
    """Returns the records of the media, of which every place is checked before it becomes a path."""
    found = {}
    for place, record in checksums.read(root).items():
        checked_place(place, str(root / checksums.FILE))
        if not isinstance(record.get("sha256"), str):
            continue  # a video that could not be used when the data was prepared
        if not all(isinstance(record.get(key), int) and record[key] >= 0 for key in ("size", "changed")):
            raise TempbenchError(f"{root / checksums.FILE}: {place!r} has no size and time; it is damaged")
        found[place] = record
    return found


def checked_place(place: Any, where: str) -> str:
    """Returns the place of a file in a data set, which is safe to put behind a folder."""
    parts = str(place).split("/")
    if (
        not isinstance(place, str)
        or any(ord(char) < 32 for char in place)
        or any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts)
        or any(char in place for char in ("\\:" if os.name == "nt" else "\\"))
        or PurePosixPath(place).is_absolute()
        or len(place) > 1000
    ):
        raise TempbenchError(f"{where}: {str(place)[:80]!r} is no place in a data set; its source is damaged")
    return place


def _parsed(content: bytes, name: str) -> dict[str, Any]:
    try:
        found = tables.parse_json(content.decode("utf-8"))
    except ValueError as error:
        raise TempbenchError(f"{name} is damaged ({tables.first_line(error)})") from None
    if not isinstance(found, dict):
        raise TempbenchError(f"{name} is damaged: it is no JSON object")
    return found


def _read(url: str, shown: str) -> bytes | None:
    """Returns a JSON file's content; None where there is no such file."""
    try:
        with _reaching(shown), _stream(url) as stream:
            content: bytes = stream.read(_MAX_JSON + 1)
    except _ABSENT:
        return None
    if len(content) > _MAX_JSON:
        raise TempbenchError(f"{shown}: {url.rpartition('/')[2]} is larger than {_MAX_JSON:,} bytes")
    return content


def _fetch(url: str, path: Path, sha256: str, most: int) -> None:
    """Downloads a file, and gives it its name when it is whole and the promised one."""
    name = without_user(url)
    found, size = hashlib.sha256(), 0
    try:
        with outputs.replacing(path) as partial, partial.open("wb") as out:
            with _reaching(name), _stream(url) as stream:
                while block := stream.read(1 << 20):
                    size += len(block)
                    if size > most:
                        raise TempbenchError(f"{name} is larger than the {most:,} bytes that are promised")
                    found.update(block)
                    out.write(block)
            if found.hexdigest() != sha256:
                raise TempbenchError(
                    f"{name} is not the promised file: its checksum differs; try again later"
                )
    except _ABSENT:
        raise TempbenchError(f"{name} is missing, and the manifest names it; check {VARIABLE}") from None


def _stream(url: str) -> Any:
    import fsspec

    # The Hub's and the web's files are read in one request, from their beginning to their end.
    whole = {"block_size": 0} if url.startswith((HUB, "http://", "https://")) else {}
    filesystem, path = fsspec.core.url_to_fs(url)
    return filesystem.open(path, "rb", **whole)


@contextlib.contextmanager
def _reaching(shown: str) -> Iterator[None]:
    """Turns every error of a connection into one line."""
    if _is_offline(shown):
        raise TempbenchError(
            f"{shown} is not on this machine yet, and HF_HUB_OFFLINE is set; run once without it"
        )
    try:
        yield
    except (TempbenchError, *_ABSENT):
        raise
    except Exception as error:  # each file system raises its client's errors
        reason = re.sub(r"//[^/@\s]+@", "//", one_line(str(error) or repr(error)))  # no name and password
        raise TempbenchError(
            f"{shown} cannot be read ({reason}); check {VARIABLE}, the network "
            "and your access, or set HF_HUB_OFFLINE=1 to read what is here already"
        ) from None


def without_user(url: str) -> str:
    """Returns an address without name and password, and without the parameters that a signed one has."""
    parts = urlsplit(url)
    if url.startswith(HUB) or not parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
