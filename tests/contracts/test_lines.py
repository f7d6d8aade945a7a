"""Every command, found by walking the application, is given every wrong thing of its kind.

Whatever it is, the command says in one line what is wrong, ends with a status, and shows no traceback.
What a parameter takes is read from its type and its name, so a new command is covered when it is added.
"""

import functools
import itertools
import re
import typing
from enum import Enum
from pathlib import Path

import pytest

from tempbench_lmms.cli import main
from tests import contract
from tests.command import commands, complains, tempbench
from tests.each import for_each
from tests.runs.test_logs import write_run

LOGS = {"logs", "run_a", "run_b"}
DATA = ("prepare", "verify", "build")


COMMANDS = commands()


def types_of(annotation):
    """Yields the classes that an annotation like `Annotated[list[Path] | None, ...]` is made of."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        yield annotation
    for one in typing.get_args(annotation):
        yield from types_of(one)


@functools.cache
def annotations(function):
    """Returns the annotations of a command's parameters, with those that a wrapper adds."""
    inner = getattr(function, "__wrapped__", None)
    return (annotations(inner) if inner else {}) | typing.get_type_hints(function)


OUTPUTS = ("output", "plot", "items", "work")
"""The parameters, of any command, that name what it writes."""


def kind_of(path, parameter):
    """Returns what a parameter takes."""
    if parameter.name in OUTPUTS:
        return "output"
    if parameter.name in LOGS:
        return "logs"
    types = set(types_of(annotations(COMMANDS[path].callback)[parameter.name]))
    for kind, classes in KINDS.items():
        if types & classes:
            return kind
    return "choice" if any(issubclass(one, Enum) for one in types) else "name"


KINDS = {"input": {Path}, "flag": {bool}, "number": {int, float}}
PARAMETERS = [
    (path, parameter)
    for path, command in COMMANDS.items()
    for parameter in command.params
    if parameter.name != "help"
]
_KIND = {one: kind_of(*one) for one in PARAMETERS}


def of_kind(*kinds, path=None):
    """Returns the parameters of some kinds, of one command or of all, each with its command."""
    return [one for one, kind in _KIND.items() if kind in kinds and path in (None, one[0])]


def test_the_walk_finds_what_there_is():
    assert {"run", "report", "show", "prepare tempvs", "score mateo", "submit hub", "build tempvs"} <= set(
        COMMANDS
    )
    assert all(issubclass(type(command), main.SafeCommand) for command in COMMANDS.values())
    for kind in ("output", "logs", "number", "input", "name", "choice"):
        assert of_kind(kind), kind


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Sound things to give, so that a command comes as far as the wrong one."""
    folder = tmp_path_factory.mktemp("place")
    write_run(folder / "rextime", "oracle", "rextime_test_mini")
    (folder / "file").write_text("a file")
    (folder / "noise").write_bytes(bytes(range(256)) * 9)
    (folder / "empty").write_text("")
    (folder / "none").mkdir()
    (folder / "20260101_000000_results.json").write_text(DAMAGED)
    return folder


@pytest.fixture
def afresh(tmp_path, monkeypatch):
    """Returns what makes an empty folder, with data in it that is not there, and goes there."""
    numbers = itertools.count()

    def make():
        folder = tmp_path / f"case{next(numbers)}"
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("TEMPBENCH_DATA", str(folder / "data"))
        return folder

    return make


@pytest.fixture(autouse=True)
def _elsewhere(afresh, monkeypatch):
    """No test is where the user is, has the user's data, or waits for a person."""
    afresh()
    monkeypatch.setattr("tempbench_lmms.runs.answering.Server.serve_forever", lambda self: None)


SOUND_NAMES = {
    "model": "org/name",
    "tasks": f"tempvs_{'nothing' * 12}",  # so long that no name is like it: to look for one takes longest
    "task": "tempvs_mt1_two_mini",
    "reader": "reader",
    "reply": "A",
    "setting": "cot",
    "format_": "replies",
    "base_url": "http://127.0.0.1:9/v1",
}
# What says how long a command waits, or how much it makes.
FEW = {"retries": 0, "timeout": 1, "pairs": 1}


def sound(path, command, place, tmp_path):
    """Returns arguments by parameter that are all right, as far as they are needed."""
    found = {}
    for parameter in command.params:
        kind = kind_of(path, parameter)
        if parameter.name == "accept_license":
            found[parameter.name] = ["--accept-license"]
        elif parameter.name == "mini" and path not in ("verify",):
            found[parameter.name] = ["--mini"]
        elif parameter.name in FEW:
            found[parameter.name] = given(parameter, FEW[parameter.name])
        elif parameter.name in ("dry_run", "references"):
            found[parameter.name] = [parameter.opts[0]]
        elif parameter.required or parameter.name == "base_url":
            value = {
                "output": tmp_path / "output",
                "logs": place / "rextime",  # six questions
                "number": "1",
                "input": place / "file",
            }.get(kind, SOUND_NAMES.get(parameter.name, "x"))
            found[parameter.name] = given(parameter, value)
    return found


def given(parameter, value):
    option = parameter.opts[0]
    return [option, str(value)] if option.startswith("-") else [str(value)]


def call(path, arguments, **environment):
    """Runs a command; what begins with a dash and is an argument stands behind `--`."""
    words = [word for some in arguments.values() for word in some]
    return tempbench(*path.split(), *words, **environment)


def tried(path, parameter, value, place, tmp_path):
    arguments = sound(path, COMMANDS[path], place, tmp_path)
    if (path, parameter.name) == ("run", "tasks"):
        value = f"tempvs_{value}"  # else it is one of the harness's 1,985 tasks, or none, as the harness says
    arguments[parameter.name] = given(parameter, value)
    return call(path, arguments)


def refused(done):
    """Asserts that a command says in one line what is wrong: ours, or that the command line is none."""
    if done.returncode == 2:
        assert "Traceback" not in done.stderr
        assert "Usage: " in done.stderr
        return
    complains(done)
    # What a command does it may say before; what is wrong it says once.
    assert not re.search(r"^\s+File ", done.stderr, re.MULTILINE)


DAMAGED = '{"results": [], "configs": {"tempvs_mini": {}}}'
WRONG = {
    "output": {
        "below a file": lambda place: place / "file" / "x.md",
        "of a process": lambda place: "/proc/tempbench.md",
        "a file that is there": lambda place: "there.md",
    },
    "input": {
        "missing": lambda place: place / "missing",
        "noise": lambda place: place / "noise",
        "a folder": lambda place: place / "none",
        "too long a name": lambda place: "x" * 5000,
    },
    "logs": {
        "missing": lambda place: place / "missing",
        "noise": lambda place: place / "noise",
        "a folder": lambda place: place / "none",
        "damaged": lambda place: place / "20260101_000000_results.json",
    },
    "number": {word[:9]: lambda place, word=word: word for word in ("x", "1e400", "9" * 5000)},
    "name": {
        "none": lambda place: "nothing",
        "steering": lambda place: "\x1b[2J\u202e",
        "too long": lambda place: "x" * 5000,
    },
}
WRONG["choice"] = WRONG["name"]
CASES = {}
for (_path, _parameter), _its_kind in _KIND.items():
    for _what in WRONG.get(_its_kind, ()):
        CASES.setdefault((_path.split()[0], _its_kind, _what), []).append((_path, _parameter))


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_a_wrong_thing_is_refused_in_a_line(case, place, afresh):
    _, kind, what = case

    def check(one):
        folder = afresh()
        (folder / "there.md").write_text("what is there")
        done = tried(*one, WRONG[kind][what](place), place, folder)
        assert "Traceback" not in done.stderr
        assert not re.search("[\x1b\u202e]", done.stdout + done.stderr)
        if kind in ("output", "input", "logs"):
            assert done.returncode != 0, done.stdout
        if done.returncode:
            refused(done)
        assert (folder / "there.md").read_text() == "what is there"

    for_each(CASES[case], check)


def of_verb(verb):
    return [path for path in COMMANDS if path.split()[0] == verb]


@pytest.mark.parametrize("verb", DATA)
def test_data_that_cannot_be_there(verb, place, afresh):
    def check(path):
        arguments = sound(path, COMMANDS[path], place, afresh())
        arguments.pop("mini", None)
        for parameter in COMMANDS[path].params:
            if path == "verify" and parameter.name == "benchmark":
                arguments[parameter.name] = ["tempvs"]
            elif path.startswith("prepare") and kind_of(path, parameter) == "input":
                arguments[parameter.name] = given(parameter, place / "none")
        arguments.pop("from_folder", None)
        done = call(path, arguments, TEMPBENCH_DATA=str(place / "file" / "x"))
        assert done.returncode != 0, done.stdout
        refused(done)

    for_each(of_verb(verb), check)


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "9" * 30])
def test_a_rank_that_is_no_number(value, tmp_path):
    done = tempbench("run", "--model", "m", "--tasks", "tempvs_nothing", "-o", tmp_path / "o", RANK=value)
    complains(done, "RANK")


def test_an_empty_rank_is_that_of_a_single_process(tmp_path):
    done = tempbench("run", "--model", "dummy", "--tasks", "tempvs_nothing", "-o", tmp_path / "o", RANK="")
    complains(done, "tempvs_nothing")


def test_what_the_system_refuses_is_a_line(place, monkeypatch):
    def refuse(*args):
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr("tempbench_lmms.harness.variants.task_dir", refuse)
    complains(tempbench("path"), "/somewhere", "Permission denied")


MANIFESTS = ["{", "[]", '{"rows": 3, "parts": 3}']


@pytest.mark.parametrize("content", MANIFESTS)
@pytest.mark.parametrize("path", [path for path in COMMANDS if path.startswith("prepare ")])
def test_a_damaged_manifest_is_not_taken_for_one(path, content, place, afresh):
    folder = afresh()
    name = path.split()[1]
    root = folder / "data" / name
    root.mkdir(parents=True)
    (root / "manifest.json").write_text(content)
    arguments = sound(path, COMMANDS[path], place, folder)
    for parameter in COMMANDS[path].params:
        if parameter.name in ("source", "captions", "ucm"):
            arguments[parameter.name] = given(parameter, empty_source(name, folder))
    done = call(path, arguments)
    complains(done, "manifest.json is damaged", "--force")
    done = call(path, {**arguments, "force": ["--force"]})
    assert "manifest.json is damaged" not in done.stderr
    if done.returncode:
        complains(done)
    if content != MANIFESTS[-1]:
        (root / "manifest.json").write_text(content)
        done = tempbench("verify", name)
        complains(done, "problems in")
        assert "manifest.json is damaged" in done.stdout
        assert f"{root}: ok" not in done.stdout


def empty_source(name, folder):
    """Writes a source in which there is nothing, as far as a command must find one."""
    (folder / "source").mkdir(exist_ok=True)
    for file, content in contract.get(name, "EMPTY_SOURCE").items():
        (folder / "source" / file).write_text(content)
    return folder / "source"
