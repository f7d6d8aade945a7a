"""Adapts the benchmark to the harness. The YAMLs under `task_yamls/coherence` name these functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tempbench_lmms.coherence import captioning, encoders, prompts, scoring
from tempbench_lmms.coherence.card import BUDGETS
from tempbench_lmms.harness import adapter
from tempbench_lmms.record import UNDEFINED, Record

_DETAILS = ("details",)

METRICS = {
    **scoring.TASK_METRICS,
    **scoring.BUDGET_METRICS,
    **scoring.CONTROL_METRICS,
    **captioning.CAPTION_METRICS,
}

_NAMES = {
    "bertscore_hash": encoders.bertscore_hash,
    "clip_model": encoders.clip_model,
}
"""Rows that name an encoder, so that a result says what its scores were made with."""

CONDITIONS: dict[str, tuple[int, str]] = {
    **{f"{n}f": (n, "ordered") for n in BUDGETS},
    "1f": (1, "ordered"),
    "shuffled": (BUDGETS[-1], "shuffled"),
    "reversed": (BUDGETS[-1], "reversed"),
    "blind": (0, "blind"),
}
"""How a question can be asked: number of frames, and how they are shown."""

_ASKED = {
    **{name: (name,) for name in CONDITIONS},
    "budgets": scoring.BUDGET_CONDITIONS,
    "controls": scoring.CONTROL_CONDITIONS,
}


def asked(dataset: Any, conditions: Sequence[str]) -> Any:
    """Returns the questions as a task asks them: each once a condition, one after the other.

    Args:
        dataset: A `datasets.Dataset` with the columns of the question table.
        conditions: Names in `CONDITIONS`.
    """
    import datasets

    rows = []
    for row in dataset:
        for condition in conditions:
            n_frames, order = CONDITIONS[condition]
            rows.append(
                {
                    **row,
                    "question_id": f"{row['question_id']}/{condition}",
                    "base_id": row["question_id"],
                    "condition": condition,
                    "n_frames": n_frames,
                    "order": order,
                }
            )
    return datasets.Dataset.from_list(rows)


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """Returns the prompt of a question."""
    return prompts.question(doc)


def doc_to_visual(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[Any]:
    """Returns a question's frames as pictures in the order shown."""
    return [image for image, _ in _shown(doc)]


def doc_to_messages(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model.

    `frames` in the task's kwargs is `images` (the official way), `times` (each picture after its number and
    time), or `video` (one native video of exactly these frames, where the runner takes a list of pictures).
    """
    how = str((lmms_eval_specific_kwargs or {}).get("frames", "images"))
    shown = _shown(doc)
    content: list[dict[str, Any]] = []
    if how == "video" and shown:
        content.append({"type": "video", "url": [image for image, _ in shown]})
    else:
        for number, (image, time) in enumerate(shown, start=1):
            if how == "times":
                content.append({"type": "text", "text": prompts.frame_label(number, time)})
            content.append({"type": "image", "url": image})
    content.append({"type": "text", "text": prompts.question(doc)})
    system = [{"type": "text", "text": prompts.SYSTEM}]
    return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def _shown(doc: Mapping[str, Any]) -> list[tuple[Any, float]]:
    from tempbench_lmms.data.roots import resolve
    from tempbench_lmms.media.video import sample_frames

    n = doc["n_frames"]
    if not n:
        return []
    frames = sample_frames(resolve(doc["video"]), n, BUDGETS)
    # With shuffled or reversed frames the times stay those of the places: they would give the order away.
    return [
        (frames.images[place], time) for place, time in zip(prompts.places(doc, n), frames.times, strict=True)
    ]


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for a task that asks each question once."""
    return _emit(_record(doc, results), scoring.TASK_METRICS)


def process_results_budgets(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for the task over all budgets."""
    return _emit(_record(doc, results), scoring.BUDGET_METRICS)


def process_results_controls(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one answer for the task of the controls."""
    return adapter.emit(_record(doc, results), list(scoring.CONTROL_METRICS), _DETAILS)


def _record(doc: Mapping[str, Any], results: Sequence[Any]) -> Record:
    reply = adapter.reply_of(results)
    return scoring.record(doc, reply, adapter.request_failed(reply))


def _emit(
    record: Record, metrics: Mapping[str, Any], names: Sequence[str] = ("bertscore_hash",)
) -> dict[str, Any]:
    out = adapter.emit(record, list(metrics), _DETAILS)
    return out | {name: out[next(iter(metrics))] for name in names}


def caption_to_text(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> str:
    """Returns the request for a caption."""
    return prompts.CAPTION[doc["view"]]


def caption_to_visual(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[Any]:
    """Returns the frames to caption: n of them, or the middle one of these n."""
    from tempbench_lmms.data.roots import resolve
    from tempbench_lmms.media.video import sample_frames

    images = list(sample_frames(resolve(doc["video"]), doc["n_frames"]).images)
    return images if doc["view"] == "video" else [images[captioning.middle(len(images))]]


def caption_to_messages(
    doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Returns the conversation for a chat model."""
    content: list[dict[str, Any]] = [{"type": "image", "url": image} for image in caption_to_visual(doc)]
    content.append({"type": "text", "text": prompts.CAPTION[doc["view"]]})
    return [{"role": "user", "content": content}]


def process_results_caption(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Scores one caption."""
    reply = adapter.reply_of(results)
    record = captioning.record(doc, reply, adapter.request_failed(reply))
    return _emit(record, captioning.CAPTION_METRICS, ("bertscore_hash", "clip_model"))


def aggregate_details(items: Sequence[Any]) -> adapter.Details:
    """Returns the position bias; the harness keeps it in its results file."""
    return adapter.details(scoring.details, items)


def _name(function: Callable[[], str]) -> Callable[[Sequence[Any]], str]:
    def aggregate(items: Sequence[Any]) -> str:
        try:
            return function()
        except encoders.EncoderUnavailableError:
            return UNDEFINED
        except Exception as error:  # an exception in an aggregation loses the run
            import logging

            logging.getLogger(__name__).warning("the encoder has no name: %r", error)
            return UNDEFINED

    return aggregate


def __getattr__(name: str) -> Callable[..., Any]:
    """Resolves `aggregate_<metric>` in a YAML to that metric's aggregation, and `ask_<how>` to `asked`."""
    if (conditions := _ASKED.get(name.removeprefix("ask_"))) and name.startswith("ask_"):
        return lambda dataset: asked(dataset, conditions)
    if function := _NAMES.get(name.removeprefix("aggregate_")):
        return _name(function)
    return adapter.aggregation(name, METRICS)
