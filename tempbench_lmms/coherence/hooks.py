"""Adapts the benchmark to the harness. `task_yamls/coherence/tasks.yaml` names these functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms.coherence import captioning, encoders, prompts, scoring
from tempbench_lmms.coherence.card import BUDGETS, LARGER, RATES
from tempbench_lmms.data.roots import resolve
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.record import UNDEFINED

Doc = Mapping[str, Any]
Kwargs = Mapping[str, Any] | None

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

    def asked(dataset: Any) -> Any:
        rows = []
        for row in dataset:
            for condition in conditions:
                n, order = CONDITIONS.get(condition) or (_at_rate(row["video"], condition), "ordered")
                id_ = row["question_id"]
                own = {"question_id": f"{id_}/{condition}", "base_id": id_, "condition": condition}
                rows.append({**row, **own, "n_frames": n, "order": order})
        return type(dataset).from_list(rows)

    return asked


def _at_rate(url: str, condition: str) -> int:
    """Returns how many frames of a video are shown at a rate; at least one."""
    from tempbench_lmms.media.video import probe

    return max(1, round(probe(resolve(url)).duration * RATES[condition]))


ask_budgets = _asks(*scoring.BUDGET_CONDITIONS)
ask_controls = _asks(*scoring.CONTROL_CONDITIONS)
globals().update({f"ask_{one}": _asks(one) for one in (*CONDITIONS, *RATES)})  # ask_1f, ask_blind, ...


def doc_to_text(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the prompt of a question."""
    return prompts.question(doc)


def _how(kwargs: Kwargs) -> str:
    how = str((kwargs or {}).get("frames", "images"))
    if how not in HOW:
        raise TempbenchError(f"frames is {how!r}; choose from {', '.join(HOW)}")
    return how


def _shown(doc: Doc, kwargs: Kwargs) -> list[tuple[Any, float]]:
    from tempbench_lmms.media.video import Taken, sample_frames

    n = doc["n_frames"]
    if not n:
        return []
    how = _SEGMENTS.get(_how(kwargs))
    # Questions are asked with all budgets, one after the other.
    together = BUDGETS if n in (1, *BUDGETS) and not how else ()
    frames = sample_frames(resolve(doc["video"]), Taken(n, how) if how else n, together)
    order = prompts.frame_order(doc, len(frames.images))
    # With shuffled or reversed frames the times stay those of the positions: they would give the order away.
    return [(frames.images[i], time) for i, time in zip(order, frames.times, strict=True)]


def doc_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
    """Returns a question's frames as pictures in the order shown."""
    return [image for image, _ in _shown(doc, lmms_eval_specific_kwargs)]


def doc_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model; `frames` in the task's kwargs is one of `HOW`."""
    how = _how(lmms_eval_specific_kwargs)
    shown = _shown(doc, lmms_eval_specific_kwargs)
    content: list[dict[str, Any]] = []
    if how in ("video", "video_ccam") and shown:
        content.append({"type": "video", "url": [image for image, _ in shown]})
    else:
        for number, (image, time) in enumerate(shown, start=1):
            labels = {"times": prompts.frame_label(number, time), "internvl": prompts.internvl_label(number)}
            if how in labels:
                content.append({"type": "text", "text": labels[how]})
            content.append({"type": "image", "url": image})
    before = "\n" if how in _SEGMENTS and shown else ""
    content.append({"type": "text", "text": before + prompts.question(doc)})
    user = {"role": "user", "content": content}
    system = {"role": "system", "content": [{"type": "text", "text": prompts.SYSTEM}]}
    return [user] if how in _SEGMENTS else [system, user]


def caption_to_text(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> str:
    """Returns the request for a caption."""
    return prompts.CAPTION[doc["view"]]


def caption_to_visual(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
    """Returns the frames to caption: n of them, or the middle one of these n."""
    from tempbench_lmms.media.video import sample_frames

    images = list(sample_frames(resolve(doc["video"]), doc["n_frames"]).images)
    return images if doc["view"] == "video" else [images[captioning.middle(len(images))]]


def caption_to_messages(doc: Doc, lmms_eval_specific_kwargs: Kwargs = None) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model."""
    content: list[dict[str, Any]] = [{"type": "image", "url": image} for image in caption_to_visual(doc)]
    return [{"role": "user", "content": [*content, {"type": "text", "text": caption_to_text(doc)}]}]


def _name_of(function: Callable[[], str]) -> Callable[[Sequence[Any]], str]:
    """Returns the aggregation that names an encoder, so that a result says what its scores were made with."""

    def aggregate(items: Sequence[Any]) -> str:
        try:
            return function()
        except Exception:  # an exception in an aggregation loses the run; a missing encoder was reported
            return UNDEFINED

    return aggregate


_BERTSCORE, _CLIP = _name_of(encoders.bertscore_hash), _name_of(encoders.clip_model)
process_results, METRIC_LIST = adapter.scored(
    scoring.record, scoring.METRICS.of(scoring.ONCE), scoring.details, bertscore_hash=_BERTSCORE
)
process_results_budgets, BUDGETS_METRIC_LIST = adapter.scored(
    scoring.record, scoring.METRICS.of(scoring.BUDGETED), scoring.details, bertscore_hash=_BERTSCORE
)
process_results_controls, CONTROLS_METRIC_LIST = adapter.scored(
    scoring.record, scoring.METRICS.of(scoring.CONTROLLED), scoring.details
)
process_results_caption, CAPTION_METRIC_LIST = adapter.scored(
    captioning.record, captioning.METRICS, scoring.details, bertscore_hash=_BERTSCORE, clip_model=_CLIP
)
