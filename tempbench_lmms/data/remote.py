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
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tempbench_lmms.data import bounds, tables
from tempbench_lmms.errors import MediaError, TempbenchError

VARIABLE = "TEMPBENCH_DATA"
HUB = "hf://"
_MANIFEST = "manifest.json"
_CHECKSUMS = "checksums.json"
_PIN = "pinned.json"
_MAX_JSON = 500_000_000  # bytes of a manifest, or of the checksums of all media
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_LOCAL = ("file://", "local://", "memory://")
"""Addresses that need no network."""
_OFFLINE = ("1", "true", "yes", "on")


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


def is_offline() -> bool:
    """Returns whether the user forbade the network, as for the Hub's own client."""
    return os.environ.get("HF_HUB_OFFLINE", "").lower() in _OFFLINE


@dataclass
class Mirror:
    """What of a data set elsewhere is on this machine.

    Attributes:
        root: The folder, in the form of a prepared one.
        url: Where the rest is, with the commit; without what may be secret.
        records: Size, time and SHA-256 of each medium, by place.
    """

    root: Path
    url: str
    records: Mapping[str, Any]
    _base: str = field(repr=False, default="")
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def has(self, path: Path) -> bool:
        """Returns whether a path is a medium of the data set, here or there."""
        return self._place(path) in self.records

    def sha256(self, path: Path) -> str | None:
        """Returns the promised checksum of a medium, fetched or not."""
        found = self.records.get(self._place(path), {}).get("sha256")
        return found if isinstance(found, str) else None

    def bring(self, path: Path) -> None:
        """Makes sure that a medium of the data set is on this machine; what is none is left alone.

        Raises:
            MediaError: It cannot be had, or is another one than the manifest promises.
        """
        place = self._place(path)
        if place not in self.records or path.is_file():
            return
        record = self.records[place]
        with self._lock:  # threads that decode ahead ask for the same file
            if path.is_file():
                return
            try:
                _fetch(f"{self._base}/{place}", path, str(record["sha256"]), int(record["size"]))
            except TempbenchError as error:
                raise MediaError(str(error), "missing") from None
            # By its recorded time a file is known for the recorded one, and not read again at each start.
            os.utime(path, ns=(record["changed"], record["changed"]))

    def _place(self, path: Path) -> str:
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return ""


_open: dict[Path, Mirror] = {}
_opening = threading.Lock()


def forget() -> None:
    """Makes this process ask anew what is where, as a new one would."""
    _open.clear()
    _opened.cache_clear()


def mirrors() -> list[Mirror]:
    """Returns the data sets elsewhere that this process has opened."""
    return [*_open.values()]


def mirror_of(root: Path) -> Mirror | None:
    """Returns the mirror whose folder this is; None where it is an ordinary folder."""
    return _open.get(root)


def is_open(benchmark: str) -> bool:
    """Returns whether this process reads a benchmark's data from elsewhere."""
    return any(root.name == benchmark for root in _open)


def bring(path: Path) -> None:
    """Makes sure that a medium is on this machine, where it is one of a data set elsewhere.

    Called wherever a picture or a video is opened.

    Raises:
        MediaError: It cannot be had.
    """
    for root, mirror in _open.items():
        if path.is_relative_to(root):
            mirror.bring(path)


def has(path: Path) -> bool:
    """Returns whether a path that need not exist is a medium of a data set elsewhere."""
    return any(mirror.has(path) for mirror in _open.values())


def opened(benchmark: str, at: str, cache: Path) -> Path:
    """Returns the folder with manifest and tables of a data set elsewhere, which are fetched where need be.

    Args:
        benchmark: Whose data it is.
        at: The address.
        cache: The folder for everything that is fetched.

    Raises:
        TempbenchError: It cannot be reached, is of another benchmark, or is damaged.
    """
    with _opening:
        return _opened(benchmark, at, cache, is_offline() and not at.startswith(_LOCAL))


@lru_cache(maxsize=64)
def _opened(benchmark: str, at: str, cache: Path, offline: bool) -> Path:
    shown = without_user(at)
    home = cache / f"{_slug(shown)}-{hashlib.sha256(at.encode()).hexdigest()[:12]}"
    pin = home / benchmark / _PIN
    if offline or (_named_commit(at) and pin.is_file()):
        pinned = _read_pin(pin, shown, offline)
    else:
        pinned = _pinned(benchmark, at)
        pin.parent.mkdir(parents=True, exist_ok=True)
        tables.write_json(pinned, pin)
    root = home / benchmark / pinned["revision"][:40] / benchmark
    base = _base(at, pinned)
    _bring_tables(benchmark, root, base, shown, pinned)
    where = f"{shown.partition('@')[0]}@{pinned['revision']}" if at.startswith(HUB) else shown
    _open[root] = Mirror(root, where, _media(root), base)
    return root


def _read_pin(pin: Path, shown: str, offline: bool) -> dict[str, str]:
    try:
        found = tables.read_json(pin)
        if _COMMIT.fullmatch(found["revision"]) and found["folder"] in ("", pin.parent.name):
            return {key: found[key] for key in ("revision", "folder")}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    why = (
        "HF_HUB_OFFLINE is set and nothing of it is here yet" if offline else "what is kept of it is damaged"
    )
    raise TempbenchError(f"{shown}: {why}; run once with a network, or set {VARIABLE} to a folder") from None


def _pinned(benchmark: str, at: str) -> dict[str, str]:
    """Returns which state of a data set is read, and in which folder of the repository or bucket it is."""
    commit = _commit(at) if at.startswith(HUB) else ""
    found = "no prepared data"
    for folder in ("", benchmark):
        base = _base(at, {"revision": commit, "folder": folder})
        content = _read(f"{base}/{_MANIFEST}", without_user(at))
        if content is None:
            continue
        whose = _parsed(content, f"{without_user(at)}/{_MANIFEST}").get("benchmark")
        if whose == benchmark:
            return {"revision": commit or hashlib.sha256(content).hexdigest(), "folder": folder}
        if folder:
            raise TempbenchError(f"{without_user(at)}: the manifest in {folder} is not of {benchmark}")
        found = f"the data of {str(whose)[:40]!r}"
    raise TempbenchError(
        f"{without_user(at)} holds {found}, and none of {benchmark}; name its data with "
        f"{VARIABLE}_{benchmark.upper()}"
    )


def _named_commit(at: str) -> str | None:
    revision = at.partition("@")[2] if at.startswith(HUB) else ""
    return revision if _COMMIT.fullmatch(revision) else None


def _hub_name(at: str) -> tuple[str, str]:
    name, _, revision = at.removeprefix(HUB).removeprefix("datasets/").partition("@")
    if not _REPOSITORY.fullmatch(name) or ".." in name:
        raise TempbenchError(
            f"{at!r} is no data set of the Hub; write hf://ORG/NAME or hf://ORG/NAME@REVISION"
        )
    return name, revision or "main"


def _commit(at: str) -> str:
    from tempbench_lmms.data import hub

    name, revision = _hub_name(at)
    with hub.downloading(name):
        return str(hub.dataset_info(name, revision).sha)


def _base(at: str, pinned: Mapping[str, str]) -> str:
    folder = f"/{pinned['folder']}" if pinned["folder"] else ""
    if not at.startswith(HUB):
        return at + folder
    return f"{HUB}datasets/{_hub_name(at)[0]}@{pinned['revision']}{folder}"


def _bring_tables(benchmark: str, root: Path, base: str, shown: str, pinned: Mapping[str, str]) -> None:
    """Fetches the manifest last, so that a folder with one is whole."""
    from tempbench_lmms.data import checksums, prepared

    if (root / _MANIFEST).is_file():
        return
    content = _read(f"{base}/{_MANIFEST}", shown)
    if content is None:
        raise TempbenchError(f"{shown}: the manifest is gone; check {VARIABLE}")
    manifest = _parsed(content, f"{shown}/{_MANIFEST}")
    if not checksums.is_whole(manifest) or manifest.get("benchmark") != benchmark:
        raise TempbenchError(f"{shown}/{_MANIFEST} is damaged; it is not as it was written")
    parts = manifest.get("parts")
    entries = [manifest, *(parts.values() if isinstance(parts, dict) else ())]
    wanted: dict[str, str] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get(prepared.KEY), dict):
            wanted |= entry[prepared.KEY]
    if not wanted:
        raise TempbenchError(
            f"{shown}: the manifest has no checksums of tables; prepare the data again and publish that"
        )
    for place, sha256 in wanted.items():
        path = root / checked_place(place, shown)
        if not path.is_file() or tables.sha256_of([path]) != sha256:
            _fetch(f"{base}/{place}", path, str(sha256), bounds.max_bytes())
    sums = _read(f"{base}/{_CHECKSUMS}", shown)
    if sums is not None:
        _keep(root / _CHECKSUMS, sums)
    _keep(root / _MANIFEST, content)
    if problem := next(checksums.damaged(root, manifest, ()), None):
        (root / _MANIFEST).unlink()
        raise TempbenchError(f"{shown}: {problem}")


def _media(root: Path) -> dict[str, Any]:
    """Returns the records of the media, of which every place is checked before it becomes a path."""
    from tempbench_lmms.data import checksums

    found = {}
    for place, record in checksums.read(root).items():
        checked_place(place, str(root / _CHECKSUMS))
        if not isinstance(record.get("sha256"), str):
            continue  # a video that could not be used when the data was prepared
        if not all(isinstance(record.get(key), int) and record[key] >= 0 for key in ("size", "changed")):
            raise TempbenchError(f"{root / _CHECKSUMS}: {place!r} has no size and time; it is damaged")
        found[place] = record
    return found


def checked_place(place: Any, where: str) -> str:
    """Returns the place of a file in a data set, which is safe to put behind a folder.

    Raises:
        TempbenchError: It would lead elsewhere.
    """
    parts = str(place).split("/")
    steering = any(ord(char) < 32 for char in str(place))
    if (
        not isinstance(place, str)
        or steering
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
    with _reaching(shown):
        try:
            with _stream(url) as stream:
                content: bytes = stream.read(_MAX_JSON + 1)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
    if len(content) > _MAX_JSON:
        raise TempbenchError(f"{shown}: {url.rpartition('/')[2]} is larger than {_MAX_JSON:,} bytes")
    return content


def _fetch(url: str, path: Path, sha256: str, most: int) -> None:
    """Downloads a file, and gives it its name when it is whole and the promised one."""
    name = without_user(url)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    found, size = hashlib.sha256(), 0
    try:
        with _reaching(name), _stream(url) as stream, partial.open("wb") as out:
            while block := stream.read(1 << 20):
                size += len(block)
                if size > most:
                    raise TempbenchError(f"{name} is larger than the {most:,} bytes that are promised")
                found.update(block)
                out.write(block)
        if found.hexdigest() != sha256:
            raise TempbenchError(f"{name} is not the promised file: its checksum differs; try again later")
        os.replace(partial, path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise TempbenchError(f"{name} is missing, and the manifest names it; check {VARIABLE}") from None
    finally:
        partial.unlink(missing_ok=True)


def _keep(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_bytes(content)
    os.replace(partial, path)


def _stream(url: str) -> Any:
    import fsspec

    # The Hub's and the web's files are read in one request, from their beginning to their end.
    whole = {"block_size": 0} if url.startswith((HUB, "http://", "https://")) else {}
    filesystem, path = fsspec.core.url_to_fs(url)
    return filesystem.open(path, "rb", **whole)


@contextlib.contextmanager
def _reaching(shown: str) -> Iterator[None]:
    """Turns every error of a connection into one line."""
    from tempbench_lmms.data.terminal import one_line

    if is_offline() and not shown.startswith(_LOCAL):
        raise TempbenchError(
            f"{shown} is not on this machine yet, and HF_HUB_OFFLINE is set; run once without it"
        )
    try:
        yield
    except (TempbenchError, FileNotFoundError, NotADirectoryError, IsADirectoryError):
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


def _slug(shown: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", shown).strip("-")[:80]
