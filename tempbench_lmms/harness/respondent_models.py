"""The respondents as models of the harness, and `tempbench_reader`.

Each respondent is a class of the harness's simple kind, which gets pictures and text separately (`Oracle`),
and one of its chat kind, which gets a conversation (`ChatOracle`).
"""

from collections.abc import Sequence
from typing import Any

import torch
from lmms_eval.api.model import lmms

from tempbench_lmms.check import questions
from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.respondents import REPLIES, cannot_answer

_SWITCH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def whole(name: str, value: int | str, least: int = 0) -> int:
    """Returns an argument as a whole number.

    Raises:
        TempbenchError: It is not a whole number, or too small.
    """
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise TempbenchError(f"{name}={value}: give a whole number of at least {least}")
    return number


class Respondent(lmms):  # type: ignore[misc]
    """Answers from the document alone.

    Args:
        seed: For the respondents that draw.
        media: Whether to request the media too, as a real model does, which reveals missing or damaged ones.
        batch_size: The harness's option, like the others; respondents do not use them.

    Raises:
        TempbenchError: An argument has the wrong type.
    """

    reply = "empty"

    def __init__(
        self,
        seed: int | str = 0,
        media: bool | str = False,
        batch_size: int | str = 1,
        max_batch_size: Any = None,
        device: Any = None,
    ) -> None:
        super().__init__()
        self.seed = whole("seed", seed)
        if str(media).lower() not in _SWITCH:
            raise TempbenchError(f"media={media}: give true or false")
        self.media = _SWITCH[str(media).lower()]
        # The harness gathers the metrics of several processes on this device.
        self.device = torch.device("cpu")

    def generate_until(self, requests: list[Any]) -> list[str]:
        """Returns one reply a request, in order."""
        replies = []
        for request in requests:
            doc_id, task, split = request.args[-3:]
            doc = {"question_id": doc_id, **self.task_dict[task][split][doc_id]}
            if self.media:
                self._look(request, doc)
            try:
                replies.append(REPLIES[self.reply](doc, task, self.seed))
            except KeyError:
                raise TempbenchError(cannot_answer(f"tempbench_{self.reply}", task)) from None
        return replies

    def _look(self, request: Any, doc: Any) -> None:
        request.args[2 if self.is_simple else 1](doc)

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        """Not supported: no task of this package needs it."""
        raise TypeError("respondents answer questions; they give no likelihoods")

    def generate_until_multi_round(self, requests: list[Any]) -> list[str]:
        """Answers each round like a single question."""
        return self.generate_until(requests)


globals().update(
    {
        f"{kind}{name.capitalize()}": type(
            f"{kind}{name.capitalize()}",
            (Respondent,),
            {"reply": name, "is_simple": not kind, "__doc__": reply.__doc__},
        )
        for name, reply in REPLIES.items()
        for kind in ("", "Chat")
    }
)


class Reader(Respondent):
    """`tempbench_reader`: really sees the coded pictures of `tempbench check-model`.

    It needs no weights: it decodes the codes from the pixels and knows the check's questions. So the check
    itself is tested from end to end.
    """

    is_simple = False

    def __init__(
        self, batch_size: int | str = 1, frames: int | str = questions.FRAMES, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.batch_size = whole("batch_size", batch_size or 1, 1)
        self.frames = whole("frames", frames, 1)

    def generate_until(self, requests: list[Any]) -> list[str]:
        """Returns one reply a request, in order."""
        replies: list[str] = []
        for start in range(0, len(requests), self.batch_size):
            replies += self.read([self._inputs(one) for one in requests[start : start + self.batch_size]])
        return replies

    def _inputs(self, request: Any) -> Inputs:
        _, to_messages, generation, doc_id, task, split = request.args
        doc = self.task_dict[task][split][doc_id]
        return questions.inputs_of(to_messages(doc), generation, self.frames)

    def read(self, batch: Sequence[Inputs]) -> list[str]:
        """Returns the replies to questions as they arrived."""
        return [questions.reply(inputs) for inputs in batch]
