"""Adapts the benchmark to the harness. `task_yamls/coherence/tasks.yaml` names these functions."""

from collections.abc import Callable, Sequence
from typing import Any

from tempbench_lmms.coherence import captioning, encoders, prompts, scoring
from tempbench_lmms.coherence.card import BUDGETS, LARGER, RATES
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.harness.media_hooks import Doc, Kwargs, Part
from tempbench_lmms.record import UNDEFINED

CONDITIONS: dict[str, tuple[int, str]] = {
    **{f"{n}f": (n, "ordered") for n in (1, *BUDGETS, *LARGER)},
    "shuffled": (BUDGETS[-1], "shuffled"),
    "reversed": (BUDGETS[-1], "reversed"),
    "blind": (0, "blind"),
}
"""How a question can be asked: number of frames, and how they are shown. By rate (`RATES`) the number is the
video's."""

HOW = ("images", "times", "video", "internvl", "video_ccam")
"""How a chat model is given the frames of a question, `frames` in a task's kwargs: `images` (as TOMATO asks
GPT-4o, but for the text's place), `times` (each after its number and time), `video` (one native video of
exactly these frames, where the runner takes a list of pictures). `internvl` and `video_ccam` are TOMATO's
requests to these two models: frames from the middle of segments, each after its number or as one video, and
no system prompt."""

_SEGMENTS = {"internvl": "segments", "video_ccam": "halves"}


def _asks(*conditions: str) -> Callable[[Any], Any]:
    """Returns a task's `process_docs`, which asks each question once a condition, one after the other."""
    return lambda dataset: type(dataset).from_list(
        [_asked(row, condition) for row in dataset for condition in conditions]
    )


def _asked(row: Doc, condition: str) -> dict[str, Any]:
    n, order = CONDITIONS.get(condition) or (_at_rate(row["video"], condition), "ordered")
    id_ = row["question_id"]
    own = {"question_id": f"{id_}/{condition}", "base_id": id_, "condition": condition}
    return {**row, **own, "n_frames": n, "order": order}


def _at_rate(url: str, condition: str) -> int:
    """Returns how many frames of a video are shown at a rate; at least one."""
    from tempbench_lmms.media.video import probe

    return max(1, round(probe(resolve(url)).duration * RATES[condition]))


ask_budgets = _asks(*scoring.BUDGET_CONDITIONS)
ask_controls = _asks(*scoring.CONTROL_CONDITIONS)
globals().update({f"ask_{one}": _asks(one) for one in (*CONDITIONS, *RATES)})  # ask_1f, ask_blind, ...


def _how(kwargs: Kwargs) -> str:
    how = str((kwargs or {}).get("frames", "images"))
    if how not in HOW:
        raise TempbenchError(f"frames is {how!r}; choose from {', '.join(HOW)}")
    return how


def _shown(doc: Doc, how: str) -> list[tuple[float, Any]]:
    from tempbench_lmms.media.video import Taken, sample_frames

    n, segments = doc["n_frames"], _SEGMENTS.get(how)
    if not n:
        return []
    # Questions are asked with all budgets, one after the other.
    together = BUDGETS if n in (1, *BUDGETS) and not segments else ()
    frames = sample_frames(resolve(doc["video"]), Taken(n, segments) if segments else n, together)
    order = prompts.frame_order(doc, len(frames.images))
    # With shuffled or reversed frames the times stay those of the positions: they would give the order away.
    return [(time, frames.images[i]) for i, time in zip(order, frames.times, strict=True)]


def _content(doc: Doc, kwargs: Kwargs) -> list[Part]:
    how = _how(kwargs)
    shown, question = _shown(doc, how), prompts.question(doc)
    if how in _SEGMENTS and shown:
        question = f"\n{question}"
    if how in ("video", "video_ccam") and shown:
        return [{"type": "video", "url": [image for _, image in shown]}, media_hooks.said(question)]
    label = {"times": prompts.frame_label, "internvl": prompts.internvl_label}.get(how)
    images = media_hooks.labelled(
        (label(number, time) if label else "", image) for number, (time, image) in enumerate(shown, start=1)
    )
    return [*images, media_hooks.said(question)]


def _caption_content(doc: Doc, kwargs: Kwargs) -> list[Part]:
    """Returns the frames to caption, n of them or the middle one of these n, and the request."""
    from tempbench_lmms.media.video import sample_frames

    images = list(sample_frames(resolve(doc["video"]), doc["n_frames"]).images)
    shown = images if doc["view"] == "video" else [images[captioning.middle(len(images))]]
    request = media_hooks.said(prompts.CAPTION[doc["view"]])
    return [*media_hooks.labelled(("", image) for image in shown), request]


doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_content(
    lambda doc, kwargs: prompts.question(doc),
    _content,
    lambda kwargs: "" if _how(kwargs) in _SEGMENTS else prompts.SYSTEM,
)
caption_to_visual, caption_to_text, caption_to_messages = media_hooks.of_content(
    lambda doc, kwargs: prompts.CAPTION[doc["view"]], _caption_content
)


def _name_of(function: Callable[[], str]) -> Callable[[Sequence[Any]], str]:
    """Returns the aggregation that names an encoder, so that a result says what its scores were made with."""

    def aggregate(items: Sequence[Any]) -> str:
        try:
            return function()
        except Exception:  # an exception in an aggregation loses the run; a missing encoder was reported
            return UNDEFINED

    return aggregate


_BERTSCORE, _CLIP = _name_of(encoders.bertscore_hash), _name_of(encoders.clip_model)
_MORE = {"bertscore_hash": _BERTSCORE}
process_results, METRIC_LIST = adapter.of_kind(scoring, scoring.ONCE, more=_MORE)
process_results_budgets, BUDGETS_METRIC_LIST = adapter.of_kind(scoring, scoring.BUDGETED, more=_MORE)
process_results_controls, CONTROLS_METRIC_LIST = adapter.of_kind(scoring, scoring.CONTROLLED)
process_results_caption, CAPTION_METRIC_LIST = adapter.scored(
    captioning.record, captioning.METRICS, scoring.details, bertscore_hash=_BERTSCORE, clip_model=_CLIP
)
