"""Commands that run in forks of this process, the disk that they write to, and the clock that they read."""

import atexit
import contextlib
import ctypes
import hashlib
import importlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ASKED, DONE = "tempbench.asked", "tempbench.done"
_CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "sqlite3.connect", ASKED, DONE}
_WRITING = os.O_WRONLY | os.O_RDWR

Arm = Callable[[], Callable[[], Sequence[str]] | None]
"""Called in a start, first; what it returns is called at the end, and its lines are noted."""

_IMPORTED = """av lmms_eval.__main__ lmms_eval.evaluator lmms_eval.tasks pandas PIL.JpegImagePlugin
    PIL.PngImagePlugin pyarrow.parquet rich.progress scipy.sparse.csgraph scipy.spatial typer.rich_utils"""

SECONDS = 120
"""How long one start may take: an undisturbed one takes two to ten on an idle machine."""

_MNT_DETACH = 2
_MS_REMOUNT, _MS_REC, _MS_PRIVATE, _CLONE_NEWNS, _CLONE_NEWUSER = 32, 1 << 14, 1 << 18, 1 << 17, 1 << 28


class Disk:
    """The disk of the plans, which can be full.

    Attributes:
        how: In words.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._mounted = self._namespace() and self._mount(0, 2 << 30)
        self.how = "a small tmpfs" if self._mounted else "a limit on the size of every file (RLIMIT_FSIZE)"

    def _namespace(self) -> bool:
        """Lets this process mount what no other process sees."""
        user, group = os.getuid(), os.getgid()
        flags = _CLONE_NEWNS | (_CLONE_NEWUSER if user else 0)
        if not hasattr(self._libc, "unshare") or self._libc.unshare(flags):
            return False
        if user:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {user} 1")
            Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        return not self._libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)

    def _mount(self, flags: int, size: int) -> bool:
        path = os.fsencode(self.folder)
        return not self._libc.mount(b"tmpfs", path, b"tmpfs", flags, f"size={size}".encode())

    def fill(self, room: int) -> None:
        """Leaves that many bytes; called in the start that is to be disturbed."""
        if not self._mounted:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
            return
        disk = os.statvfs(self.folder)
        used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
        if not self._mount(_MS_REMOUNT, used + room):
            raise OSError(ctypes.get_errno(), "cannot make the disk small")

    def leave(self) -> None:
        """Takes the disk away."""
        if self._mounted:
            self._libc.umount2(os.fsencode(self.folder), _MNT_DETACH)

    def empty(self) -> None:
        """Makes room again."""
        if self._mounted and not self._mount(_MS_REMOUNT, 2 << 30):
            raise OSError(ctypes.get_errno(), "cannot make the disk large")


class Start:
    """A command that runs in a fork, with what it printed, and the questions that it asked."""

    def __init__(self, words: Sequence[str], arm: Arm, environment: Mapping[str, str]) -> None:
        pipes = [os.pipe() for _ in range(3)]
        self.began = time.time_ns()
        self.status: int | None = None
        self.ended_by_us = self.late = False
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if not self.pid:
            os.setpgid(0, 0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(pipes[0][1], 1)
            os.dup2(pipes[1][1], 2)
            _become(words, arm, environment, pipes[2][1])
        self._files = [read for read, _ in pipes]
        self._parts: list[list[bytes]] = [[], [], []]
        for read, write in pipes:
            os.close(write)
            os.set_blocking(read, False)

    def ended(self) -> bool:
        """Reads what was printed; True where the process has ended."""
        if self.status is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            self._read()
            if done:
                self.status = os.waitstatus_to_exitcode(status)
                self._kill_group()  # what it has left behind
                self._read()
                for file in self._files:
                    os.close(file)
        return self.status is not None

    def kill(self) -> None:
        """Ends the process as a launcher does that has lost another one."""
        self.ended_by_us = True
        self._kill_group()
        while not self.ended():
            time.sleep(0.005)

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def _read(self) -> None:
        for file, parts in zip(self._files, self._parts, strict=True):
            try:
                while part := os.read(file, 1 << 16):
                    parts.append(part)
            except BlockingIOError:
                pass

    @property
    def printed(self) -> str:
        """Its standard output."""
        return b"".join(self._parts[0]).decode(errors="replace")

    @property
    def errors(self) -> str:
        """Its standard error output."""
        return b"".join(self._parts[1]).decode(errors="replace")

    @property
    def asked(self) -> list[str]:
        """The questions asked."""
        return [line for line in self._lines if not line.startswith("end: ")]

    @property
    def at_end(self) -> list[str]:
        """The lines that were noted at its end, where it came so far."""
        return [line.removeprefix("end: ") for line in self._lines if line.startswith("end: ")]

    @property
    def _lines(self) -> list[str]:
        return b"".join(self._parts[2]).decode().splitlines()


def _become(words: Sequence[str], arm: Arm, environment: Mapping[str, str], notes: int) -> None:
    """Makes this fork the command `tempbench WORDS`, and ends it."""
    status: object = 0
    end_lines = None
    try:
        os.environ.update(environment)
        _notice(notes)
        end_lines = arm()
        from tempbench_lmms.cli import main

        sys.argv = ["tempbench", *words]
        main.main()
    except SystemExit as end:
        status = end.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.audit(DONE)
    for line in end_lines() if end_lines else ():
        os.write(notes, f"end: {line}\n".encode())
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(int(str(status)) & 0xFF)


def _notice(notes: int) -> None:
    """Makes the replies of `tempbench_chance` depend on all that a question shows, and notes the question."""
    from tempbench_lmms.data.roots import resolve
    from tempbench_lmms.harness.respondents import REPLIES

    reply = REPLIES["chance"]

    def seen(doc: Mapping[str, Any], task: str, seed: int) -> str:
        sys.audit(ASKED)
        os.write(notes, f"{task} {doc['question_id']}\n".encode())
        digest = hashlib.sha256()
        for name in sorted(doc):
            digest.update(f"{name}={doc[name]!r}".encode())
            if isinstance(doc[name], str) and doc[name].startswith("tempbench://"):
                digest.update(resolve(doc[name]).read_bytes())
        return reply(doc, task, int(digest.hexdigest()[:12], 16) + seed)

    REPLIES["chance"] = seen


def change_clock(seconds: Callable[[], float]) -> None:
    """Moves this process's clock by what `seconds` returns, as far as the harness and the package read it."""
    import datetime

    from lmms_eval import utils

    real = time.time

    class Moved(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) + timedelta(seconds=seconds())

    time.time = lambda: real() + seconds()
    for name in ("localtime", "gmtime"):
        true = getattr(time, name)
        setattr(time, name, lambda at=None, true=true: true(time.time() if at is None else at))
    strftime = time.strftime
    time.strftime = lambda form, at=None: strftime(form, at or time.localtime())
    utils.datetime = SimpleNamespace(**{**vars(datetime), "datetime": Moved})


def wait(starts: Sequence[Start], together: bool = False) -> None:
    """Waits for processes; kills those that take too long, and all others of a run that has lost one."""
    deadline = time.monotonic() + SECONDS
    while True:
        over = [start.ended() for start in starts]  # each is read
        if all(over):
            return
        if together and any(start.status for start in starts):
            for start in starts:
                if not start.ended():
                    start.kill()
        if time.monotonic() > deadline:
            for start in starts:
                if not start.ended():
                    start.late = True
                    start.kill()
        time.sleep(0.005)


def refusal(start: Start) -> str:
    """Returns why the end of a start is no clear refusal; "" where it is one."""
    lines = [line for line in start.errors.splitlines() if line.strip()]
    if "Traceback (most recent call last)" in start.errors + start.printed:
        inner = [line for line in lines if re.match(r"\w[\w.]*(Error|Exception|Interrupt)\b", line)]
        return f"a traceback, {inner[-1][:150] if inner else '?'}"
    if not lines or not lines[-1].startswith("tempbench: "):
        return f"status {start.status} without a line that says why ({lines[-1][:150] if lines else ''!r})"
    return ""


def cut_and_kill(written: str) -> None:
    """Cuts the file that is being written in half and kills this process."""
    path = Path(written)
    written_in_steps = path.suffix in (".partial", ".json", ".jsonl", ".html") and path.is_file()
    if written_in_steps and path.stat().st_nlink == 1:  # a second name of a file is made whole
        os.truncate(path, path.stat().st_size // 2)
    os.kill(os.getpid(), signal.SIGKILL)


def watch_changes(folder: Path, at: int, act: Callable[[str], None] = cut_and_kill) -> Callable[[], int]:
    """Makes this process kill itself before the change of a file below `folder` with that number, from 1.

    With 0 nothing is done. A question that is asked and the command's end count, too. `act` is what is done
    instead of the kill; it gets the file that is being written. Returns what tells the number of changes.
    """
    count, written = 0, ""

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count, written
        path = arguments[0] if arguments else None
        if event == "open":
            if not (
                isinstance(path, str) and path.startswith(f"{folder}{os.sep}") and arguments[2] & _WRITING
            ):
                return
        elif event not in _CHANGES:
            return
        count += 1
        if count == at:
            act(str(path) if event == "os.rename" else written)
        if event == "open":
            written = str(path)

    sys.addaudithook(watch)
    return lambda: count


def _look_here(known: Path, path: Path, **request: Any) -> dict[str, Any]:
    """Looks at a file in this process: one apart writes nothing, and its start takes most of the time.

    Of the same bytes every look finds the same: what one process found, in `known`, the next one takes.
    """
    from tempbench_lmms.media import sandbox

    asked = {"path": str(path), **request}
    key = hashlib.sha256(path.read_bytes() + path.name.encode() + json.dumps(request).encode())
    kept = known / key.hexdigest()
    # Whole to the end of the line, and not renamed: a change of a name would count as one of the data's.
    if not (kept.exists() and kept.read_text().endswith("\n")):
        kept.write_text(json.dumps(sandbox.look(asked, lambda n: None)) + "\n")
    found: dict[str, Any] = json.loads(kept.read_text())
    return found


def import_all() -> None:
    """Imports once, for all forks, what the commands import."""
    # The checkout's folder beside this one, wherever the package is installed.
    sys.path.insert(1, str(Path(__file__).parents[2]))
    for name in _IMPORTED.split():
        importlib.import_module(name)
    from tempbench_lmms import benchmarks
    from tempbench_lmms.cli import datasets, main
    from tempbench_lmms.harness import plugin
    from tempbench_lmms.media import encoding, sandbox

    encoding.PRESET = "ultrafast"  # what is rendered is as good a file as any
    known = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, known)  # forks end without it

    def ask(self: sandbox.Inspector, path: Path, **request: Any) -> dict[str, Any]:
        return _look_here(known, path, **request)

    sandbox.Inspector.ask = ask  # type: ignore[method-assign]
    for benchmark in benchmarks.names():
        main.commands_of(benchmark)
        benchmarks.rows(benchmark)
        datasets.module(benchmark, "prepare")
    plugin.shadowed_names()  # remembered
