"""A Python that has imported the harness already, for tests that start many processes.

To import the harness, to list its tasks and to look at the sample takes most of the time of a short run.
`start` starts one server for all test processes, which does each once and then forks for every command. The
`python` in its folder is given to a test in place of `sys.executable`: the command is a process of its own,
with its own arguments, environment, folder, output and exit status. What an import does is not tested with
it, nor what is read from the environment at import (`FIXED`): use `sys.executable` there. A command with
`FORGET` in its environment imports the harness and this package anew, from its own PYTHONPATH too; nothing
else is.
"""

import array
import atexit
import contextlib
import copy
import fcntl
import functools
import gc
import importlib
import json
import os
import runpy
import select
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types
import weakref
from pathlib import Path

import yaml

FIXED = ("HF_", "OMP_", "TRANSFORMERS_")
FORGET = "WARM_FORGET"
_FORGOTTEN = ("lmms_eval", "tempbench_lmms", "hf_datasets")
MODULES = (
    "lmms_eval.__main__",
    "lmms_eval.evaluator",
    "lmms_eval.models.chat.openai",
    "lmms_eval.models.chat.qwen2_5_vl",
    "accelerate.commands.accelerate_cli",
    "anyio._backends._asyncio",
    "av",
    "bert_score",
    "datasets",
    "nltk",
    "openai.resources.chat",
    "pytablewriter",
    "sklearn",
    "torch.distributed.run",
    "transformers.models.clip.modeling_clip",
    "transformers.models.qwen2_5_vl.modeling_qwen2_5_vl",
    "transformers.models.qwen2_5_vl.processing_qwen2_5_vl",
    "transformers.models.qwen2_vl.image_processing_qwen2_vl",
    "typer.rich_utils",
    "tempbench_lmms.cli.main",
    "tempbench_lmms.cli.repeats",
    "tempbench_lmms.cli.report",
    "tempbench_lmms.data.append_log",
    "tempbench_lmms.harness.cache",
    "tempbench_lmms.harness.printing",
    "tempbench_lmms.harness.respondents.chat",
    "tempbench_lmms.report.page",
    "tempbench_lmms.runs.model_check",
    "tempbench_lmms.runs.safe_run",
    "tempbench_lmms.runs.second_scores",
    "tempbench_lmms.runs.arguments",
)
# The harness tries to import this for every metric of every task, again and again where it cannot.
OPTIONAL = ("lmms_eval.tasks.amber_g.utils",)
_LAUNCHER = """#!/bin/sh
exec "{python}" -I -S "{client}" "{socket}" "$@"
"""


def works(folder: Path) -> bool:
    """True on Linux, where a process with these libraries can be forked; the socket needs a short path."""
    return sys.platform == "linux" and len(os.fsencode(folder)) < 80


def start(folder: Path) -> tuple[Path, socket.socket]:
    """Starts the server of this test session, where no other test process did.

    Args:
        folder: One folder for all processes of the session.

    Returns:
        The Python to call, and a connection: the server ends when nobody holds one.
    """
    address = folder / "warm.socket"
    with (folder / "warm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return folder / "python", _connected(address)
        except OSError:
            address.unlink(missing_ok=True)
        with (folder / "warm.log").open("a") as log:
            server = subprocess.Popen(
                [sys.executable, "-m", "tests.warm", str(address)],
                cwd=Path(__file__).parents[1],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        while not address.exists():
            if server.poll() is not None:
                raise RuntimeError((folder / "warm.log").read_text()[-3000:])
            time.sleep(0.05)
        client = Path(__file__).with_name("warm_client.py")
        launcher = folder / "python"
        launcher.write_text(_LAUNCHER.format(python=sys.executable, client=client, socket=address))
        launcher.chmod(0o755)
        return launcher, _connected(address)


def _connected(address: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(address))
    return connection


def read_yaml_quickly() -> None:
    """Lets the harness parse its nearly two thousand task files by libyaml, where PyYAML has it."""
    if not yaml.__with_libyaml__:
        return

    def quickly(stream):
        loader = yaml.CFullLoader(stream)
        # Its constructors are those that the harness has added by now, and ask where the file lies.
        loader.yaml_constructors, loader.name = yaml.FullLoader.yaml_constructors, stream.name
        return loader.get_single_data()

    yaml.full_load = quickly


def read_certificates_once() -> None:
    """Lets all clients of a process share a context: each else reads every certificate there is."""
    ssl.create_default_context = functools.cache(ssl.create_default_context)


def import_all() -> None:
    """Imports what a command needs and lists the harness's tasks, for all forks of this process."""
    # timm, and with it accelerate, imports it where it is there: seconds, for nothing that is asked here.
    sys.modules["wandb"] = None  # type: ignore[assignment]
    for name in MODULES:
        importlib.import_module(name)
    del sys.modules["wandb"]
    for name in OPTIONAL:
        try:
            importlib.import_module(name)
        except Exception:
            sys.modules[name] = None
    import httpx
    from lmms_eval import tasks

    # The index of a folder of YAMLs is made once; what a run changes in it is its own copy.
    make = tasks.TaskManager._get_task_and_group
    made: dict[str, dict] = {}

    @functools.wraps(make)
    def remembered(self, folder):
        if folder in made:
            return copy.deepcopy(made[folder])
        found = make(self, folder)
        if os.getpid() == server:
            made[folder] = copy.deepcopy(found)
        return found

    server = os.getpid()
    tasks.TaskManager._get_task_and_group = remembered
    # Of what the harness reads in a fork, too: a test of the installed script reads by PyYAML's own code.
    read_yaml_quickly()
    assert tasks.TaskManager().all_tasks  # an index may be made when it is asked for
    look_at_the_sample()
    read_replies()
    look_at_a_run()
    ask_git_once()
    lay_out_no_more_than_is_printed()
    look_up_folders_once()
    lay_out_pages()
    read_certificates_once()
    httpx.create_ssl_context()
    name_no_methods()
    # transformers compiles a thousand patterns before a process loads its first model.
    with contextlib.suppress(ImportError):
        from transformers.conversion_mapping import get_checkpoint_conversion_mapping

        get_checkpoint_conversion_mapping("qwen2_5_vl")


def look_at_the_sample() -> None:
    """Does what every run does before it begins, which also compiles the parsers' patterns."""
    from tempbench_lmms.harness.tasks import data_problems, load_task, task_files

    for config in (load_task(name) for name in task_files() if name.endswith("_mini")):
        if "group" not in config:
            assert data_problems(config) == ()


def read_replies() -> None:
    """Compiles the patterns of all parsers, as long replies need them."""
    from tests.parsing import replies

    for one in replies.dev()[::75]:
        one.readings()


def look_at_a_run() -> None:
    """Does what every `tempbench run` does first: reads all options, adds up the code, asks for versions."""
    import typer
    from PIL import Image

    from tempbench_lmms.cli import main
    from tempbench_lmms.runs import starting

    # All commands' parameters are read from their functions for any one of them.
    typer.main.get_params_from_function = functools.cache(typer.main.get_params_from_function)
    typer.main.get_command(main.app)
    Image.preinit()
    with tempfile.TemporaryDirectory() as folder:
        task = "tempvs_mt1_two_mini"
        starting.check(starting.Command("tempbench_chance", task, Path(folder)))


def ask_git_once() -> None:
    """Spares each run a dozen processes that tell the harness of which commit it is, if of any."""
    from lmms_eval import utils

    if not hasattr(utils, "_git_output"):  # another harness
        return
    ask, answers = utils._git_output, {}

    def answered(*arguments: str) -> str:
        if arguments not in answers:
            try:
                answers[arguments] = ask(*arguments)
            except (OSError, subprocess.CalledProcessError) as error:
                answers[arguments] = error
        if isinstance(found := answers[arguments], Exception):
            raise found
        return found

    utils._git_output = answered
    utils.get_git_commit_hash()
    utils.get_git_branch_name()


def lay_out_no_more_than_is_printed() -> None:
    """Spares each cell of the harness's tables a deep copy of the names of all codecs, which are strings.

    The harness fills a second table, for LaTeX, which it gives to nobody.
    """
    with contextlib.suppress(ImportError):
        import pytablewriter
        from mbstrdecoder import _mbstrdecoder

        _mbstrdecoder.copy = types.SimpleNamespace(deepcopy=list)
        pytablewriter.LatexTableWriter = types.SimpleNamespace


def look_up_folders_once() -> None:
    """Spares each log that a run begins the names of Python's folders, which need those of all variables."""
    with contextlib.suppress(ImportError):
        from loguru._better_exceptions import ExceptionFormatter

        found = ExceptionFormatter._get_lib_dirs()
        ExceptionFormatter._get_lib_dirs = staticmethod(lambda: found)


def lay_out_pages() -> None:
    """Compiles the reports' templates."""
    from tempbench_lmms.report import templates

    for file in templates.HERE.glob("*.html"):
        templates._environment().get_template(file.name)


def name_no_methods() -> None:
    """Spares `torchrun` what it does for its log alone: to look for each caller's source in every module."""
    from torch.distributed.elastic.rendezvous import dynamic_rendezvous

    dynamic_rendezvous.get_method_name = lambda depth=2: ""


def end_as_it_is() -> None:
    """Spares each fork what libraries do at the end, for hundreds of torch's operators."""
    for one in list(weakref.finalize._registry):
        one.atexit = False


def forget_index() -> None:
    """Undoes in a fork what keeps the index: the harness reads its task files again."""
    from lmms_eval.tasks import TaskManager

    TaskManager._get_task_and_group = TaskManager._get_task_and_group.__wrapped__


def _received(connection: socket.socket) -> tuple[dict, list[int]] | None:
    """Returns a request and its three files; None where somebody only holds the connection, and let go."""
    files = array.array("i")
    head, ancillary, _, _ = connection.recvmsg(8, socket.CMSG_SPACE(3 * files.itemsize))
    if not head:
        return None
    for _, _, data in ancillary:
        files.frombytes(data)
    text = b""
    while len(text) < int.from_bytes(head, "big"):
        text += connection.recv(1 << 16)
    return json.loads(text), list(files)


def _answer(running: dict[int, tuple[socket.socket, dict]]) -> None:
    """Sends the status of every command that has ended, and logs its time."""
    while running:
        child, status, used = os.wait4(-1, os.WNOHANG)
        if not child:
            return
        if child not in running:  # what an import started
            continue
        connection, request = running.pop(child)
        test = request["environment"].get("PYTEST_CURRENT_TEST", "")
        seconds = used.ru_utime + used.ru_stime
        print(f"{seconds:.2f} s CPU: {test}: {shlex.join(request['arguments'])[:200]!r}")
        with connection, contextlib.suppress(OSError):  # nobody waits for one that was killed
            connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _become(request: dict, files: list[int]) -> None:
    """Makes this process what the request wants: its files, folder and environment."""
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(request["folder"])
    environment = request["environment"]
    for name in {*os.environ, *environment}:
        if name.startswith(FIXED) and os.environ.get(name) != environment.get(name):
            raise SystemExit(f"{name} is read when the harness is imported; start sys.executable here")
    os.environ.clear()
    os.environ.update(environment)
    if os.environ.pop(FORGET, ""):
        _forget()


def _forget() -> None:
    """Has the next imports of `_FORGOTTEN` run their code, from where this command's PYTHONPATH leads."""
    for name in [name for name in sys.modules if name.partition(".")[0] in _FORGOTTEN]:
        del sys.modules[name]
    # One of our finders waits for the import of the harness.
    sys.meta_path[:] = [one for one in sys.meta_path if one.__module__.partition(".")[0] not in _FORGOTTEN]
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    importlib.invalidate_caches()


def _serve(listening: socket.socket) -> list[str]:
    """Forks for every request. Returns in the forks alone, with their arguments."""
    ended, ends = socket.socketpair()
    for one in (ended, ends):
        one.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ends.fileno())
    holders: list[socket.socket] = []
    running: dict[int, tuple[socket.socket, dict]] = {}
    began = time.monotonic()
    while holders or running or time.monotonic() < began + 60:
        waiting = {connection: child for child, (connection, _) in running.items()}
        ready, _, _ = select.select([listening, ended, *holders, *waiting], [], [], 5)
        for one in ready:
            if one is listening:
                holders.append(listening.accept()[0])
            elif one is ended:
                ended.recv(4096)
            elif one in waiting:  # nobody waits for it any more
                os.kill(waiting[one], signal.SIGKILL)
            else:
                # A request comes on a connection of its own; what only holds one sends nothing and ends.
                holders.remove(one)
                request = _received(one)
                if request is None:
                    one.close()
                elif child := os.fork():
                    running[child] = one, request[0]
                    for file in request[1]:
                        os.close(file)
                else:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    others = (connection for connection, _ in running.values())
                    for other in (listening, ended, ends, one, *holders, *others):
                        other.close()
                    _become(*request)
                    return request[0]["arguments"]
        _answer(running)
    os._exit(0)


def _run(arguments: list[str]) -> None:
    """Runs what `python *arguments` runs."""
    while arguments[0] in ("-u", "-B"):
        arguments = arguments[1:]
    kind, *rest = arguments
    if kind == "-m":
        sys.argv, sys.path[0] = rest, os.getcwd()
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), vars(main))
    else:
        sys.argv, sys.path[0] = arguments, str(Path(kind).parent)
        runpy.run_path(kind, run_name="__main__")


def main() -> None:
    address = sys.argv[1]
    # What a request prints is its own: nothing waits in a buffer when it is forked.
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(line_buffering=True)
    gc.disable()  # what is imported stays
    import_all()
    end_as_it_is()
    gc.collect()
    gc.freeze()
    gc.enable()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"{address}.new")
    listening.listen(64)
    os.rename(f"{address}.new", address)
    _end(_serve(listening))


def _end(arguments: list[str]) -> None:
    """Runs a command and ends as Python does, but for taking a thousand modules apart."""
    status: object = 0
    try:
        _run(arguments)
    except SystemExit as end:
        status = 0 if end.code is None else end.code
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
    main()
