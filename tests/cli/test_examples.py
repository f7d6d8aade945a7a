"""The help of every command ends with an example that the command takes."""

import functools
import re
import shlex

import pytest
import typer

from tempbench_lmms.cli import main
from tempbench_lmms.cli.examples import example


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
    for name, command in commands().items():
        words = shlex.split(example(name, command.params).removeprefix("Example: tempbench "))
        assert words[: len(name.split())] == name.split()
        # Reads the words as the command line would; an unknown or missing option is an error.
        with command.make_context(name, words[len(name.split()) :]) as context:
            assert context.command is command


@pytest.mark.slow
def test_every_help_has_its_example(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    for name, command in commands().items():
        context = typer.Context(command)
        for word in name.split():
            context = typer.Context(command, info_name=word, parent=context)
        said = command.get_help(context) + capsys.readouterr().out
        assert example(name, command.params) in said
        assert said.count("Example:") == 1, name
        flat = re.sub(r"[\s│]+", "", said)
        for one in command.params:  # brackets in it are no markup
            assert re.sub(r"\s+", "", getattr(one, "help", None) or "") in flat, (name, one.name)
