"""The respondents as models of the harness's chat kind, which get a conversation."""

from typing import Any

from tempbench_lmms.harness.respondents import NAMES, simple


class ChatRespondent(simple.Respondent):
    """Answers from the document alone; with `media`, it reads the conversation too."""

    is_simple = False

    def _look(self, request: Any, doc: Any) -> None:
        request.args[1](doc)


Oracle, Chance, Constant, Garbage, Empty, Failing = (
    type(name.capitalize(), (ChatRespondent,), {"reply": name}) for name in NAMES
)
