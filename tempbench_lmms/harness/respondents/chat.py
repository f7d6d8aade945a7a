"""The respondents as models of the harness's chat kind, which get a conversation."""

from typing import Any

from tempbench_lmms.harness.respondents import simple


class _Chat:
    is_simple = False

    def _look(self, request: Any, doc: Any) -> None:
        request.args[1](doc)


class Oracle(_Chat, simple.Oracle):
    """Right throughout."""


class Chance(_Chat, simple.Chance):
    """Draws from the possible answers."""


class Constant(_Chat, simple.Constant):
    """Always the first possible answer."""


class Garbage(_Chat, simple.Garbage):
    """Answers nothing, in words."""


class Empty(_Chat, simple.Empty):
    """Answers nothing."""


class Failing(_Chat, simple.Failing):
    """Every request fails."""
