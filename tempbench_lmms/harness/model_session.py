"""Asks the questions of `tempbench check-model` through a runner of the harness, and records what arrives."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.check import probes
from tempbench_lmms.check.faults import of_error
from tempbench_lmms.check.inputs import Inputs, cards_of
from tempbench_lmms.check.probes import Probe
from tempbench_lmms.check.procedure import Answer
from tempbench_lmms.data.redaction import parts
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import watching
from tempbench_lmms.harness.adapter import request_failed
from tempbench_lmms.harness.patches import mend_client

_TASK, _SPLIT = "tempbench_check", "test"


def runner(
    model: str, model_args: str, batch_size: int = 1, device: str | None = None, force_simple: bool = False
) -> Any:
    """Returns a runner of the harness, created as the harness's command line does.

    Args:
        model: As for `--model`.
        model_args: As for `--model_args`.
        batch_size: As for `--batch_size`.
        device: As for `--device`.
        force_simple: As for `--force_simple`.

    Raises:
        TempbenchError: The runner is unknown, or its model cannot be loaded.
    """
    from lmms_eval import models

    try:
        lm = models.get_model(model, force_simple).create_from_arg_string(
            model_args, {"batch_size": batch_size, "max_batch_size": None, "device": device}
        )
        mend_client(lm, model_args)
        return lm
    except Exception as error:  # any error of a runner comes from the user's --model or --model-args
        why = one_line(f"{type(error).__name__}: {error}")[:300]
        name = dict(part.strip().partition("=")[::2] for part in parts(model_args)).get("pretrained", "")
        if name and not Path(name).exists() and re.search("hugging ?face", str(error), re.IGNORECASE):
            absent = one_line(f"pretrained={name}")[:100]
            why = f"{absent} cannot be loaded from this machine or the Hub; {why}"
        advice = of_error(str(error)) or "correct --model or --model-args"
        raise TempbenchError(f"{model} cannot be loaded: {why}; {advice}") from None


@dataclass(frozen=True)
class Session:
    """Asks questions of one runner, `lm`."""

    lm: Any

    def ask(self, asked: Sequence[Probe]) -> list[Answer]:
        """Asks several questions in one call, as `procedure.Ask`."""
        seen: list[Inputs] = []
        self.lm.task_dict[_TASK] = {_SPLIT: list(asked)}
        try:
            with watching.watching(self.lm, seen.extend):
                replies = list(self.lm.generate_until(list(map(self._request, range(len(asked)), asked))))
        except Exception as error:  # a runner may raise anything; the check reports it
            return [Answer("", None, one_line(f"{type(error).__name__}: {error}"))] * len(asked)
        finally:
            del self.lm.task_dict[_TASK]
        if len(replies) != len(asked):
            why = f"another number of replies: {len(replies)} to {len(asked)} questions"
            return [Answer("", None, why)] * len(asked)
        return list(map(_answer, replies, _by_question(asked, seen)))

    def _request(self, number: int, probe: Probe) -> Any:
        from lmms_eval.api.instance import Instance

        # The same as our tasks' `generation_kwargs`; runners change what they get.
        generation: dict[str, Any] = {
            "max_new_tokens": probe.settings.max_new_tokens,
            "temperature": 0,
            "do_sample": False,
            "until": [],
        }
        text, place = probes.text_of(probe), (number, _TASK, _SPLIT)
        is_simple = getattr(self.lm, "is_simple", True)
        middle = (generation, probes.visuals_of) if is_simple else (probes.messages_of, generation)
        return Instance(
            "generate_until", (text, *middle, *place), 0, {"task": _TASK, "doc_id": number, "repeats": 1}
        )


def _by_question(asked: Sequence[Probe], seen: Sequence[Inputs]) -> list[Inputs | None]:
    """Returns what arrived of each question, identified by the name in its text, else by its pictures."""
    owners = probes.numbers_of(asked)
    left, found = list(range(len(asked))), dict[int, Inputs]()
    # Requests without a name come last, and failures come after those that were tried again.
    names = {probe.name for probe in asked}
    for inputs in sorted(seen, key=lambda one: (not any(name in one.text for name in names), one.error)):
        owner = next((owners[card.number] for card in cards_of(inputs) if card.number in owners), None)
        own = [i for i in left if asked[i].name in inputs.text]
        own = own or [i for i in left if asked[i] is owner or len(seen) == 1]
        if own:  # two with the same name are asked in any order
            place = next((i for i in own if asked[i] is owner), own[0])
            left.remove(place)
            found[place] = inputs
    return [found.get(i) for i in range(len(asked))]


def _answer(reply: Any, inputs: Inputs | None) -> Answer:
    if inputs is not None and inputs.error:
        return Answer("", None, one_line(inputs.error))
    text = getattr(reply, "text", reply)
    text = text if isinstance(text, str) else ""
    return Answer("", inputs, text[:300]) if request_failed(text) else Answer(text, inputs)
