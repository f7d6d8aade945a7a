"""Room for models that think before they answer: a higher limit of tokens, by the harness's `--gen_kwargs`.

The limit is one of the run's arguments, so it is part of what the run is and of the keys of its answers.
"""

from collections.abc import Sequence

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import load_task

_OPTION, _LIMIT = "--gen_kwargs", "max_new_tokens"
# Its parser takes the beginning of a long option, up to the letter that tells it from others.
_SHORTEST = "--ge"


def with_room(further: Sequence[str], tokens: int, tasks: Sequence[str] = ()) -> list[str]:
    """Returns the harness's arguments with `tokens` as every task's limit.

    Args:
        further: The arguments after `--`; other settings in their `--gen_kwargs` are kept.
        tokens: How many tokens a reply may have, thinking included.
        tasks: The tasks whose limits this must not lower.

    Raises:
        TempbenchError: A task has a higher limit already, or `further` sets one.

    >>> with_room(["--limit", "8", "--gen_kwargs", "temperature=0.6"], 16384)
    ['--limit', '8', '--gen_kwargs', 'temperature=0.6,max_new_tokens=16384']
    """
    for task in tasks:
        own = (load_task(task).get("generation_kwargs") or {}).get(_LIMIT, 0)
        if own > tokens:
            raise TempbenchError(
                f"--thinking {tokens} would lower the limit of {task}, {own}; give at least that"
            )
    kept: list[str] = []
    given = ""
    words = iter(further)
    for word in words:
        name, equals, value = word.partition("=")
        if name.startswith(_SHORTEST) and _OPTION.startswith(name):
            given = value if equals else next(words, "")
        else:
            kept.append(word)
    if f"{_LIMIT}=" in given:
        raise TempbenchError(f"--thinking and {_LIMIT} in {_OPTION} both set the limit; give one of them")
    return [*kept, _OPTION, ",".join(filter(None, (given, f"{_LIMIT}={tokens}")))]
