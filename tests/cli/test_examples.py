"""The help of commands: examples that they take, and all texts as they are written."""

import functools
import re
import shlex

import pytest
import typer

from tempbench_lmms.cli import main


@functools.cache
def commands():
    """Returns every command with its names, those below the verbs too; what is not for users is left out."""
    found = {}
    for verb in main.VERBS:
        main._add_verbs(verb)
        group = typer.main.get_command(main.app)
        for name, command in group.commands.items():
            if name == verb:
                found |= {f"{verb} {below}": one for below, one in command.commands.items()}
            elif name not in main.VERBS:
                found[name] = command
    return found


def test_every_command_takes_its_example():
    for name, example in main.EXAMPLES.items():
        command = commands()[name]
        # Reads the words as the command line would; an unknown or missing option is an error.
        with command.make_context(name, shlex.split(example)) as context:
            assert context.command is command


@pytest.mark.slow
def test_every_help_has_its_texts(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    for name, command in commands().items():
        said = command.get_help(typer.Context(command)) + capsys.readouterr().out
        assert said.count("Example:") == (name in main.EXAMPLES), name
        flat = re.sub(r"[\s│]+", "", said)
        for one in command.params:  # brackets in it would be markup
            assert re.sub(r"\s+", "", getattr(one, "help", None) or "") in flat, (name, one.name)
