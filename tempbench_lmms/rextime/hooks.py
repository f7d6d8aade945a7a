"""Adapts ReXTime to the harness. `task_yamls/rextime/tasks.yaml` names these functions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tempbench_lmms.data import questions
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.rextime import prompts, scoring

Kwargs = Mapping[str, Any] | None

_visual, _text, _messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc, given.media, given.ask, times, given.style),
    questions.frame_label,
    timed=True,
)


def _official(kwargs: Kwargs) -> int:
    """Returns the number of frames of the released request; 0 for another style."""
    given = media_hooks.setting(kwargs)
    if given.style == "official" and (given.media, given.ask) != ("frames", "both"):
        raise TempbenchError(
            f"the official request has frames and asks for both; not {given.media} and {given.ask}"
        )
    return given.frames if given.style == "official" else 0


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the prompt for a runner that takes all media before the text.

    In the task's kwargs `media` is `video`, `frames` or `none`, `ask` one of `prompts.ASKS`, `style` one of
    `prompts.STYLES`, and `frames` the number of frames.
    """
    n_frames = _official(lmms_eval_specific_kwargs)
    return prompts.official(doc, n_frames) if n_frames else _text(doc, lmms_eval_specific_kwargs)


def doc_to_visual(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
    """Returns the video's path, its frames, or nothing; the released request's frames are smaller."""
    shown = _visual(doc, lmms_eval_specific_kwargs)
    for image in shown if _official(lmms_eval_specific_kwargs) else ():
        image.thumbnail((prompts.OFFICIAL_PIXELS, prompts.OFFICIAL_PIXELS))
    return shown


def doc_to_messages(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model; each frame follows its number and time.

    The official request has a system prompt, and the text before the frames, which are not labelled.
    """
    if not _official(lmms_eval_specific_kwargs):
        return _messages(doc, lmms_eval_specific_kwargs)
    system = {"role": "system", "content": [{"type": "text", "text": prompts.SYSTEM}]}
    images = [{"type": "image", "url": image} for image in doc_to_visual(doc, lmms_eval_specific_kwargs)]
    text = {"type": "text", "text": doc_to_text(doc, lmms_eval_specific_kwargs)}
    return [system, {"role": "user", "content": [text, *images]}]


def as_requested(dataset: Any) -> Any:
    """Returns every question with its answers in the form that the released request asks for."""
    targets = [prompts.as_requested(target) for target in dataset["target"]]
    choices = [[prompts.as_requested(choice) for choice in own] for own in dataset["choices"]]
    rest = dataset.remove_columns(["target", "choices"])
    return rest.add_column("target", targets).add_column("choices", choices)


_of = scoring.METRICS.of
process_results, METRIC_LIST = adapter.scored(scoring.record, _of(scoring.BOTH), scoring.details)
process_results_official, OFFICIAL_METRIC_LIST = adapter.scored(
    scoring.official_record, _of(scoring.OFFICIAL), scoring.details
)
process_results_vqa, VQA_METRIC_LIST = adapter.scored(
    partial(scoring.record, ask="answer"), _of(scoring.VQA), scoring.details
)
process_results_moment, MOMENT_METRIC_LIST = adapter.scored(
    partial(scoring.record, ask="span"), _of(scoring.MOMENT), scoring.details
)
_process_results_test, TEST_METRIC_LIST = adapter.scored(scoring.record, _of(scoring.TEST), scoring.details)


def process_results_test(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Reads a reply of the test split; nothing in it is a score."""
    out = _process_results_test(doc, results)
    for name in ("gold", "windows", "iou", "iou_official", "correct"):
        del out["record"][name]
    del out["score"]
    return out
