"""The respondents as models of the harness's simple kind, which get pictures and text apart."""

from typing import Any

import torch
from lmms_eval.api.model import lmms

from tempbench_lmms.harness.respondents import REPLIES


class _Respondent(lmms):  # type: ignore[misc]
    """Answers from the document alone.

    Args:
        seed: For the respondents that draw.
        media: Whether to ask for the pictures too, as a real model does, and so find the ones that are
            missing or damaged.
    """

    reply = "empty"

    def __init__(self, seed: int | str = 0, media: bool | str = False, **kwargs: Any) -> None:
        super().__init__()
        self.seed = int(seed)
        self.media = str(media).lower() in ("true", "1", "yes")
        # The harness gathers the metrics of several processes on this device.
        self.device = torch.device("cpu")

    def generate_until(self, requests: list[Any]) -> list[str]:
        """Returns one reply a request, in order."""
        replies = []
        for request in requests:
            doc_id, task, split = request.args[-3:]
            doc = self.task_dict[task][split][doc_id]
            if self.media:
                self._look(request, doc)
            replies.append(REPLIES[self.reply](doc, task, self.seed))
        return replies

    def _look(self, request: Any, doc: Any) -> None:
        request.args[2](doc)

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        """Not offered: no task of this package asks for it."""
        raise TypeError("respondents answer questions; they give no likelihoods")

    def generate_until_multi_round(self, requests: list[Any]) -> list[str]:
        """Answers each round as the only one."""
        return self.generate_until(requests)


class Oracle(_Respondent):
    """Right throughout."""

    reply = "oracle"


class Chance(_Respondent):
    """Draws from the possible answers."""

    reply = "chance"


class Constant(_Respondent):
    """Always the first possible answer."""

    reply = "constant"


class Garbage(_Respondent):
    """Answers nothing, in words."""

    reply = "garbage"


class Empty(_Respondent):
    """Answers nothing."""

    reply = "empty"


class Failing(_Respondent):
    """Every request fails."""

    reply = "failing"
