"""Reads JSON Lines: predictions and replies that were obtained elsewhere."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import bounds
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.data.texts import storable
from tempbench_lmms.errors import TempbenchError

Partial = Annotated[
    bool,
    typer.Option("--partial", help="Score the questions that are there instead of stopping at missing ones."),
]
"""The option of every `tempbench score` that `check_complete` takes."""


def json_lines(file: Path, advice: str = "check the path") -> Iterator[tuple[int, str]]:
    """Yields the lines of a file that aren't blank, with their numbers, counted from 1.

    A line ends at a line feed alone: a reply may hold U+2028, U+0085 and other ends of lines as they are.

    Raises:
        TempbenchError: The file cannot be read, with the advice; or a line is longer than is read.
    """
    try:
        with file.open(encoding="utf-8", newline="\n") as stream:
            for number, line in enumerate(bounds.lines(stream, file), start=1):
                if line.strip():
                    yield number, line
    except (OSError, UnicodeDecodeError) as error:
        raise TempbenchError(f"{file} cannot be read ({error}); {advice}") from None


def read_replies(
    file: Path, of: Callable[[Any], tuple[Any, Any]] = lambda line: (line["question_id"], line["reply"])
) -> dict[str, str]:
    """Returns replies by question from JSON lines, in the form that every file can hold (`data.texts`).

    Args:
        file: One object a line.
        of: Returns an object's question and reply; raises where it has none.

    Raises:
        TempbenchError: The file is missing or empty, or a line is not such an object or repeats a question.
    """
    replies: dict[str, str] = {}
    for number, line in json_lines(file, "give JSON lines"):
        try:
            key, reply = of(parse_json(line))
        except (ValueError, KeyError, TypeError, IndexError):
            key = reply = None
        if not isinstance(key, str) or not isinstance(reply, str):
            raise TempbenchError(f"{file}: line {number} has no question_id and reply as text; correct it")
        if key in replies:
            raise TempbenchError(f"{file}: line {number} answers {key} again; leave one answer")
        replies[key] = storable(reply)
    if not replies:
        raise TempbenchError(f"{file} holds no reply; give a line for each question")
    return replies


def check_complete(
    replies: Collection[str], asked: Collection[str], partial: bool, what: str = "questions"
) -> list[str]:
    """Compares the questions that have a reply with those that were asked.

    Args:
        replies: Ids of the questions with a reply.
        asked: Ids of all questions.
        partial: Whether questions may lack a reply.
        what: What the ids name.

    Returns:
        A line that says how many are not scored; nothing where all are.

    Raises:
        TempbenchError: A reply belongs to no question; or one is missing and `partial` is not given.
    """
    unknown, missing = sorted(set(replies) - set(asked)), sorted(set(asked) - set(replies))
    if unknown:
        raise TempbenchError(
            f"{len(unknown)} replies to unknown {what}, first {unknown[0]!r}; score them with the data that "
            "the model was asked"
        )
    if missing and not partial:
        raise TempbenchError(
            f"{len(missing)} of {len(asked)} {what} have no reply, first {missing[0]!r}; add --partial to "
            f"score the other {len(asked) - len(missing)}"
        )
    if not missing:
        return []
    return [
        f"scored are {len(asked) - len(missing)} of {len(asked)} {what}; the others have no reply "
        f"(first {missing[0]!r})"
    ]
