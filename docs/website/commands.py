"""The page of the commands, from what `--help` prints."""

from collections.abc import Iterator
from typing import Any

import typer

from tempbench_lmms.cli import main


def every() -> dict[str, Any]:
    """Returns every command by its name, with the benchmarks' commands below the verbs."""
    found: dict[str, Any] = {}
    for verb in ("", *main.VERBS):
        main._add_verbs(verb)
        root: Any = typer.main.get_command(main.app)
        found |= {name: one for name, one in root.commands.items() if verb in ("", name)}
    return found


def page() -> str:
    """Returns a section for each command: what it does, its options, and an example."""
    head = "# Commands\n\n`tempbench COMMAND --help` prints the same. The exit status is 0 only on success.\n"
    commands = every()
    parts = [head]
    for group, names in main.PANELS.items():
        parts += [f"\n## {group}\n", *(_section(name, commands[name]) for name in names)]
    return "".join(parts)


def _section(name: str, command: Any) -> str:
    parts = [f"\n### {name}\n\n{_words(command)}\n"]
    for below, one in sorted(getattr(command, "commands", {}).items()):
        parts.append(f"\n#### {name} {below}\n\n{_words(one)}\n{''.join(_options(one))}")
    return "".join([*parts, *_options(command)])


def _words(command: Any) -> str:
    texts = (command.help or "", getattr(command, "epilog", None) or "")
    return "\n\n".join(" ".join(text.split()).replace("<", "&lt;") for text in texts if text)


def _options(command: Any) -> Iterator[str]:
    shown = [one for one in command.params if getattr(one, "help", None) and "--help" not in one.opts]
    if shown:
        yield "\n| option | what it does |\n|---|---|\n"
    for one in shown:
        name = ", ".join(one.opts) if one.param_type_name == "option" else one.name.upper()
        words = " ".join(one.help.split()).replace("|", "\\|").replace("<", "&lt;")
        yield f"| `{name}` | {words} |\n"
