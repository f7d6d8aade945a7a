"""A Python that has imported the harness: to import it takes most of the time of a short run.

`serve` imports it once for all test processes, and forks for each command. A test starts the fixture
`warm_python` in place of `sys.executable`: the command is a process of its own, with its own arguments,
environment, folder, output and exit status. What an import does, or reads from the environment, is not tested
with it: start `sys.executable` there.
"""

import json
import os
import select
import signal
import socket
import sys

MODULES = (
    *("lmms_eval.__main__", "lmms_eval.evaluator", "lmms_eval.models.chat.openai"),
    *("lmms_eval.models.chat.qwen2_5_vl", "accelerate.commands.accelerate_cli", "torch.distributed.run"),
    *("bert_score", "datasets", "sklearn", "transformers.models.clip.modeling_clip"),
    *("transformers.models.qwen2_5_vl.modeling_qwen2_5_vl", "tempbench_lmms.cli.main"),
    *("tempbench_lmms.report.page", "tempbench_lmms.runs.starting", "tempbench_lmms.runs.second_scores"),
)


def ask(address: str, arguments: list[str]) -> int:
    """Has a command run by the server, on this process's own streams; returns its exit status."""
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    text = json.dumps(request).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [len(text).to_bytes(8, "big")], [0, 1, 2])
        connection.sendall(text)
        status = int(connection.recv(16) or 70)
    if status < 0 and status != -signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    if status < 0:
        os.kill(os.getpid(), -status)
    return status


def serve(address: str, session: int) -> None:
    """Answers until the process of the test session has ended."""
    import gc
    import importlib

    for name in MODULES:
        importlib.import_module(name)
    _index_once()
    gc.freeze()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"{address}.new")
    listening.listen(64)
    listening.settimeout(1)
    os.rename(f"{address}.new", address)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    while True:
        try:
            connection, _ = listening.accept()
        except TimeoutError:
            try:
                os.kill(session, 0)
            except ProcessLookupError:
                return
            continue
        if os.fork() == 0:
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(connection)
        connection.close()


def _index_once() -> None:
    """Keeps what the harness reads in its nearly two thousand task files: seconds for each run."""
    import copy

    from lmms_eval.tasks import TaskManager

    read = TaskManager._get_task_and_group
    found: dict[str, dict] = {}

    def remembered(self: TaskManager, folder: str) -> dict:
        if folder not in found:
            found[folder] = read(self, folder)
        return copy.deepcopy(found[folder])

    TaskManager._get_task_and_group = remembered
    TaskManager()


def _answer(connection: socket.socket) -> None:
    """Runs a request in a fork, which ends with the process that asks for it; sends its exit status."""
    head, files, _, _ = socket.recv_fds(connection, 8, 3)
    text = b""
    while len(text) < int.from_bytes(head, "big"):
        text += connection.recv(1 << 16)
    command = os.fork()
    if not command:
        connection.close()
        _become(json.loads(text), files)
    for file in files:
        os.close(file)
    ended = os.pidfd_open(command)
    if ended not in select.select([connection, ended], [], [])[0]:  # nobody waits for it any more
        os.kill(command, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    try:
        connection.sendall(str(status).encode())
    finally:
        os._exit(0)


def _become(request: dict, files: list[int]) -> None:
    """Runs what `python *arguments` runs, and ends this process."""
    import atexit
    import runpy
    import threading
    import traceback
    import types

    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    kind, *rest = [one for one in request["arguments"] if one not in ("-u", "-B")]
    status: object = 0
    try:
        if kind == "-m":
            sys.argv, sys.path[0] = rest, os.getcwd()
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif kind == "-c":
            sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
            main = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(rest[0], "<string>", "exec"), vars(main))
        else:
            sys.argv, sys.path[0] = [kind, *rest], os.path.dirname(kind)
            runpy.run_path(kind, run_name="__main__")
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    if not isinstance(status, int):
        print(status, file=sys.stderr)
        status = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    what, where, *words = sys.argv[1:]
    if what == "serve":
        serve(where, int(words[0]))
    else:
        raise SystemExit(ask(where, words))
