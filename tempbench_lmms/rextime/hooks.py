"""Adapts ReXTime to the harness. `task_yamls/rextime/tasks.yaml` names these functions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.data import questions
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.harness.media_hooks import Doc, Kwargs, Part
from tempbench_lmms.rextime import prompts, scoring

_, _text, _messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc, given.media, given.ask, times, given.style),
    questions.frame_label,
    timed=True,
)


def _is_official(kwargs: Kwargs) -> bool:
    given = media_hooks.setting(kwargs)
    if given.style == "official" and (given.media, given.ask) != ("frames", "both"):
        raise TempbenchError(
            f"the official request has frames and asks for both; not {given.media} and {given.ask}"
        )
    return given.style == "official"


def _prompt(doc: Doc, kwargs: Kwargs) -> str:
    """Returns the prompt for a runner that takes all media before the text.

    In the task's kwargs `media` is `video`, `frames` or `none`, `ask` one of `prompts.ASKS`, `style` one of
    `prompts.STYLES`, and `frames` the number of frames.
    """
    if _is_official(kwargs):
        return prompts.official(doc, media_hooks.setting(kwargs).frames)
    return _text(doc, kwargs)


def _content(doc: Doc, kwargs: Kwargs) -> list[Part]:
    """Returns media and prompt; the official request has its text first, then smaller frames."""
    if not _is_official(kwargs):
        found: list[Part] = _messages(doc, kwargs)[0]["content"]
        return found
    shown = media_hooks.video(doc, media_hooks.setting(kwargs))
    for part in shown:
        part["url"].thumbnail((prompts.OFFICIAL_PIXELS, prompts.OFFICIAL_PIXELS))
    return [media_hooks.said(_prompt(doc, kwargs)), *shown]


doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_content(
    _prompt, _content, lambda kwargs: prompts.SYSTEM if _is_official(kwargs) else ""
)


def as_requested(dataset: Any) -> Any:
    """Returns every question with its answers in the form that the released request asks for."""
    targets = [prompts.as_requested(target) for target in dataset["target"]]
    choices = [[prompts.as_requested(choice) for choice in own] for own in dataset["choices"]]
    rest = dataset.remove_columns(["target", "choices"])
    return rest.add_column("target", targets).add_column("choices", choices)


process_results, METRIC_LIST = adapter.of_kind(scoring, scoring.BOTH)
process_results_official, OFFICIAL_METRIC_LIST = adapter.of_kind(scoring, scoring.OFFICIAL, requested=True)
process_results_vqa, VQA_METRIC_LIST = adapter.of_kind(scoring, scoring.VQA, ask="answer")
process_results_moment, MOMENT_METRIC_LIST = adapter.of_kind(scoring, scoring.MOMENT, ask="span")
_process_results_test, TEST_METRIC_LIST = adapter.of_kind(scoring, scoring.TEST)


def process_results_test(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Reads a reply of the test split; nothing in it is a score."""
    out = _process_results_test(doc, results)
    for name in ("gold", "windows", "iou", "iou_official", "correct"):
        del out["record"][name]
    del out["score"]
    return out
