"""A model for the harness whose replies are made up: right, wrong, rambling, refusing and empty ones."""

import os
import random

import torch
from lmms_eval.api.model import lmms
from lmms_eval.models.registry_v2 import ModelManifest

REFUSAL = "I'm sorry, but I can't help with that."
_ODD = ("", REFUSAL, "It is hard to tell from what is shown here, as several things happen at once.")
_LETTER = ("{}", "{}", "{}.", "({})", "The answer is {}.", "**{}**", "{}. That is what the frames show.")
_MODULE = __name__


class Simple(lmms):
    """Answers from the columns `right`, `wrong` and `odd` (what it may say besides) of a document.

    Args:
        share: Of right replies, about.
        odd: Of replies that answer nothing, about.
        seed: Of two models with one share.
    """

    def __init__(self, share=0.6, odd=0.1, seed=0, **kwargs):
        super().__init__()
        self.share, self.odd, self.seed = float(share), float(odd), int(seed)
        self.device, self.asked = torch.device("cpu"), 0

    def _drawn(self, request):
        doc_id, task, split = request.args[-3:]
        doc, own = self.task_dict[task][split][doc_id], random.Random(f"{self.seed}|{task}|{doc_id}")
        request.args[2 if self.is_simple else 1](doc)  # it looks at the pictures
        hard = random.Random(f"{task}|{doc_id}").random()  # for every model
        return doc, own, (hard + own.random()) / 2

    def reply(self, request):
        self.asked += 1
        if self.asked == int(os.environ.get("MADE_UP_BREAKS_AT", 0)):
            raise KeyboardInterrupt
        doc, own, place = self._drawn(request)
        right, wrong, odd = doc["right"], doc["wrong"], doc["odd"]
        if own.random() < self.odd:
            return own.choice(odd if odd is not None else _ODD)
        said = right if place < self.share else own.choice(wrong)
        return own.choice(_LETTER).format(said) if len(said) == 1 and odd is None else said

    def generate_until(self, requests):
        return [self.reply(request) for request in requests]

    generate_until_multi_round = generate_until

    def loglikelihood(self, requests):
        raise NotImplementedError


class Chat(Simple):
    is_simple = False


def manifest():
    """The entry point."""
    return ModelManifest("made_up", f"{_MODULE}.Simple", f"{_MODULE}.Chat")
