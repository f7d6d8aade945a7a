"""What the tests share."""

import os

# The Hub's client reads this once, when something first imports it: no test reaches a network.
os.environ["HF_HUB_OFFLINE"] = "1"

import contextlib
import fcntl
import gc
import importlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from tempbench_lmms.data import extent, redaction
from tempbench_lmms.harness import evaluation
from tests import warm

# On tiny models threads only wait for each other, for minutes where other work keeps the cores busy. torch
# reads this when it is imported, here and in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Where nothing compiled is kept, every process that a test starts compiles this package again, and every test
# process rewrites the assertions of all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

warm.read_certificates_once()


def _write_to_memory() -> None:
    """Has pytest make its folders in memory, where there is enough: files are many and small.

    On a disk each takes the system more time. TMPDIR puts them elsewhere.
    """
    memory = "/dev/shm"
    if "TMPDIR" not in os.environ and os.access(memory, os.W_OK | os.X_OK):
        there = os.statvfs(memory)
        if there.f_bavail * there.f_frsize >= 2 << 30 and not there.f_flag & os.ST_NOEXEC:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", memory)


_write_to_memory()

# A busy machine is no failure.
hypothesis.settings.register_profile("any machine", deadline=None)
# `--hypothesis-profile campaign`: more than the test command has time for.
hypothesis.settings.register_profile("campaign", deadline=None, max_examples=4000)
hypothesis.settings.load_profile("any machine")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and the official scorers' outputs, which is no part of the project."""
    folder = Path(os.environ.get("TEMPBENCH_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"{folder} is missing; set TEMPBENCH_SHARED to the folder with the reference data")
    return folder


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all test processes."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


_began: dict[int, str] = {}
"""The child processes of this one, each with the test after which it was there first."""
# They serve all tests: the Python of tests/warm.py ends with the last test process that holds it, the decoder
# of tempbench_lmms/media/sandbox.py with this one.
_OF_ALL_TESTS = (b"tests.warm", b"tempbench_lmms.media.worker")


def _children() -> set[int]:
    """Returns the child processes of this one that go on; Linux only, elsewhere none."""
    found = set()
    with contextlib.suppress(OSError):  # no Linux
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):  # a thread that has ended
                found |= set(map(int, _read(f"/proc/self/task/{thread}/children").split()))
    return {child for child in found if _goes_on(child)}


def _read(path: str) -> bytes:
    """Returns a short file of the system: asked after every test, and in a quarter of the time of `Path`."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


def _goes_on(process: int) -> bool:
    try:
        state = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()[0]
        command = _read(f"/proc/{process}/cmdline")
        return state != b"Z" and not any(name in command for name in _OF_ALL_TESTS)
    except OSError:  # it has ended
        return False


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Runs a test as pytest does, but a test process tells in one report that it passed, not in three.

    To send these reports, and word that a test begins, takes longer than most of the tests do.
    """
    options, hook = item.config.option, item.ihook
    short = hasattr(item.config, "workerinput") and options.durations is None and options.xmlpath is None
    if not short:
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, nextitem=nextitem, log=not short):
        if short and (report.when == "call" or not report.passed):
            hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    for child in _children():
        _began.setdefault(child, item.nodeid)
    return True


@pytest.fixture(scope="session", autouse=True)
def _no_process_is_left() -> Iterator[None]:
    """What a test starts ends with it: the first fixture, so that it looks when all others have ended."""
    yield
    end = time.monotonic() + 10
    while (left := _children()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left, "processes outlive their tests: " + ", ".join(
        f"{child} ({_began.get(child, 'the last test, or a fixture')})" for child in sorted(left)
    )


@pytest.fixture(scope="session", autouse=True)
def _offline(session_folder: Path, _no_process_is_left: None) -> None:
    """No test touches the user's caches."""
    os.environ["HF_HOME"] = str(session_folder / "hf")
    os.environ["XDG_CONFIG_HOME"] = str(session_folder / "config")  # the key of hashes
    os.environ.pop("TEMPBENCH_DATA", None)
    # Whether a default encoder could be had here, or not, takes an import of torch to find out.
    os.environ["TEMPBENCH_BERTSCORE_MODEL"] = os.environ["TEMPBENCH_CLIP_MODEL"] = "/nowhere"


_SIZES = extent.of


@pytest.fixture(scope="session", autouse=True)
def _stand_ins_are_whole() -> Iterator[None]:
    """Has the tests' own releases, of a few questions, pass for whole ones; see `by_the_numbers`."""
    with mock.patch.object(extent, "of", return_value=[]):
        yield


@pytest.fixture
def by_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the test's data measured by the numbers of the benchmarks' cards, as in use."""
    monkeypatch.setattr(extent, "of", _SIZES)


@pytest.fixture(autouse=True)
def _no_key_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that one test gives is a word of another's."""
    monkeypatch.setattr(redaction, "_noted", {})


@pytest.fixture(scope="session")
def warm_python(session_folder: Path, _offline: None) -> Iterator[str]:
    """What to start in place of `sys.executable`: a Python that has imported the harness (tests/warm.py).

    Where it does not work it is `sys.executable` itself, and the tests take longer.
    """
    if not warm.works(session_folder):
        yield sys.executable
        return
    python, connection = warm.start(session_folder)
    yield str(python)
    connection.close()


@pytest.fixture(scope="session")
def run_harness(warm_python: str) -> Callable[..., evaluation.Run]:
    """`evaluation.run` that starts the warm Python."""

    def run(*args: object, **kwargs: object) -> evaluation.Run:
        # `torchrun` takes its workers' Python from this variable.
        environment = mock.patch.dict(os.environ, PYTHON_EXEC=warm_python)
        with environment, mock.patch.object(evaluation, "sys", SimpleNamespace(executable=warm_python)):
            return evaluation.run(*args, **kwargs)

    return run


@pytest.fixture(scope="session")
def tiny_vlm(session_folder: Path, warm_python: str) -> Path:
    """A tiny Qwen2.5-VL with random weights."""
    folder = session_folder / "tiny"
    code = (
        "import pathlib, sys; from tempbench_lmms.harness import tiny; tiny.build(pathlib.Path(sys.argv[1]))"
    )
    with (session_folder / "tiny.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([warm_python, "-c", code, str(folder)], check=True)
    return folder


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One process more than cores: a test that starts a run waits for its processes, servers and limits.

    Without these tests a process more has only to collect all tests once more.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # as the user says
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return cores + ("not slow" not in config.option.markexpr)


# They import torch, or the harness on top of it, into the tests' own process, which takes ten seconds and
# more: one process runs them all.
WITH_TORCH = (
    "check/test_architectures.py",
    "check/test_runners.py",
    "check/test_command.py",
    "check/test_upstream.py",
    "check/test_watching_vllm.py",
    "coherence/test_captioning.py",
    "coherence/test_commands.py",
    "coherence/test_encoders.py",
    "coherence/test_harness.py",
    "coherence/test_items.py",
    "coherence/test_scoring.py",
    "harness/test_cache.py",
    "harness/test_identity.py",
    "runs/test_repeats.py",
    "tempvs/test_build.py",
    "tempvs/test_build_encoders.py",
    "tempvs/test_build_language.py",
    "timepercept/test_training.py",
)
# The longest files: one of them alone at the end keeps all processes but one waiting. What the second process
# begins with needs no warm Python, which the first one starts.
FIRST = (
    "e2e/test_distribution.py",
    *WITH_TORCH,
    "contracts/test_checks.py",
    "e2e/test_harness.py",
    "report/test_boxes.py",
    "runs/test_ends.py",
    "rextime/test_harness.py",
    "publishing/test_stand_ins.py",
    "contracts/test_bad_media.py",
    "runs/test_rereading.py",
    "contracts/test_layout.py",
    "runs/test_safe_run.py",
    "contracts/test_samples.py",
    "report/test_browser.py",
    "contracts/test_bad_data.py",
    "runs/test_every_benchmark.py",
    "contracts/test_lines.py",
    "e2e/test_api_faults.py",
    "media/test_matrix.py",
    "mateo/test_harness.py",
    "data/test_interrupted_prepare.py",
    "runs/test_fault_campaign.py",
    "contracts/test_derived.py",
    "parsing/test_every_parser.py",
    "data/test_two_at_once.py",
    "runs/test_comparison.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Gives the files to the processes one by one, and those `WITH_TORCH` as if they were one file."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "with torch" if file.endswith(WITH_TORCH) else file

    return Files(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is `exhaustive`; puts the longest files first, and then those that run the harness."""
    if not config.getoption("exhaustive"):
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    harness = {item.path for item in items if item.get_closest_marker("harness")}

    def place(item: pytest.Item) -> int:
        name = f"{item.path.parent.name}/{item.path.name}"
        return FIRST.index(name) if name in FIRST else len(FIRST) + (item.path not in harness)

    items.sort(key=place)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Shares out what collecting all tests costs where they were changed, or are new.

    Every test process imports every test. To rewrite their assertions takes longer than all the rest, and
    pytest keeps what it has rewritten: each process begins with files of its own, and then finds the others'.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for path in sorted(Path(__file__).parent.rglob("test_*.py"))[number::count]:
        # What cannot be imported is imported again when it is collected, and said there.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(
                ".".join(path.relative_to(Path(__file__).parents[1]).with_suffix("").parts)
            )


def pytest_collection_finish() -> None:
    """Spares each search for garbage the thousands of tests that are there until the end."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--exhaustive", action="store_true", help="every case of which a sample is run otherwise"
    )
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))
