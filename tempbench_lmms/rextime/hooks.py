"""Adapts ReXTime to the harness. The files `task_yamls/rextime/_*.yaml` name these functions."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tempbench_lmms.data import video_texts
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter, one_video
from tempbench_lmms.record import UNDEFINED
from tempbench_lmms.rextime import prompts, scoring, videos

_LISTED = 5
Kwargs = Mapping[str, Any] | None


def _prompt(doc: Mapping[str, Any], given: one_video.Setting, times: Sequence[float]) -> str:
    return prompts.build(doc, given.media, given.ask, times, given.style)


_visual, _text, _messages = one_video.hooks(_prompt, video_texts.frame_label, timed=True, find=videos.locate)


def _official(kwargs: Kwargs) -> int:
    """Returns the number of frames of the released request; 0 for another style."""
    given = one_video.setting(kwargs)
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


@adapter.shows_frames(_visual.frames)  # type: ignore[attr-defined]
def doc_to_visual(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Kwargs = None) -> list[Any]:
    """Returns the video's path, its frames, or nothing; the released request's frames are smaller."""
    shown = _visual(doc, lmms_eval_specific_kwargs)
    for image in shown if _official(lmms_eval_specific_kwargs) else ():
        image.thumbnail((prompts.OFFICIAL_PIXELS, prompts.OFFICIAL_PIXELS))
    return shown


@adapter.signed
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


def all_questions(dataset: Any) -> Any:
    """Returns every question, whether its video is here or not."""
    return _counted(dataset, 0)


def _counted(dataset: Any, n_left_out: int) -> Any:
    dataset = dataset.add_column("n_missing_media", [n_left_out] * len(dataset))
    return dataset.add_column("n_questions", [len(dataset) + n_left_out] * len(dataset))


@adapter.looks_at_media(all_questions)
def with_videos(dataset: Any) -> Any:
    """Looks at every video before the first question is asked.

    Each question gets the number of questions of the task and of those left out, so that the scores can say
    what they are over.

    Raises:
        TempbenchError: Videos are missing or damaged and are not to be skipped, or none is there.
    """
    urls = dataset["video"]
    found = videos.problems(urls)
    keep = [i for i, url in enumerate(urls) if url not in found]
    if found:
        skip = videos.skipping()
        n_out = len(urls) - len(keep)
        summary = (
            f"rextime: {len(found)} of {len(set(urls))} videos are missing or damaged, for {n_out} of "
            f"{len(urls)} questions ({_listed(list(found.values()))})"
        )
        if not skip or not keep:
            raise TempbenchError(
                f"{summary}; list them with `tempbench verify rextime` and repair them, or set "
                f"{videos.MISSING_MEDIA}=skip to go on without these questions"
            )
        _warn(f"{summary}; continuing without them, see n_missing_media and completeness beside the scores")
        dataset = dataset.select(keep)
    return _counted(dataset, len(urls) - len(keep))


def _same(dataset: Any) -> Any:
    return dataset


@adapter.looks_at_media(_same)
def with_options(dataset: Any) -> Any:
    """Returns every question, if all have the texts of their options.

    Raises:
        TempbenchError: One has none: a model would choose among four letters that stand for nothing.
    """
    lacking = sum(not options for options in dataset["options"])
    if lacking:
        raise TempbenchError(
            f"rextime: {lacking} of {len(dataset)} questions have no option texts, as in the scorer's "
            "rextime_val.jsonl; prepare rextime_val.json, or ask for the span alone with rextime_moment"
        )
    return dataset


@adapter.looks_at_media(all_questions)
def with_options_and_videos(dataset: Any) -> Any:
    """Does what `with_options` and `with_videos` do."""
    return with_videos(with_options(dataset))


def all_as_requested(dataset: Any) -> Any:
    """Returns every question with its answers in the form that the released request asks for."""
    return _as_requested(all_questions(dataset))


@adapter.looks_at_media(all_as_requested)
def with_videos_as_requested(dataset: Any) -> Any:
    """Does what `with_options_and_videos` does, with answers in the form that the request asks for."""
    return _as_requested(with_options_and_videos(dataset))


def _as_requested(dataset: Any) -> Any:
    targets = [prompts.as_requested(target) for target in dataset["target"]]
    choices = [[prompts.as_requested(choice) for choice in own] for own in dataset["choices"]]
    rest = dataset.remove_columns(["target", "choices"])
    return rest.add_column("target", targets).add_column("choices", choices)


process_results, METRIC_LIST = adapter.scored(
    scoring.record, scoring.METRICS.of(scoring.BOTH), scoring.details
)
process_results_official, OFFICIAL_METRIC_LIST = adapter.scored(
    scoring.official_record, scoring.METRICS.of(scoring.OFFICIAL), scoring.details
)
process_results_vqa, VQA_METRIC_LIST = adapter.scored(
    partial(scoring.record, ask="answer"), scoring.METRICS.of(scoring.VQA), scoring.details
)
process_results_blind, BLIND_METRIC_LIST = adapter.scored(
    partial(scoring.record, ask="answer"), scoring.METRICS.of(scoring.BLIND), scoring.details
)
process_results_moment, MOMENT_METRIC_LIST = adapter.scored(
    partial(scoring.record, ask="span"), scoring.METRICS.of(scoring.MOMENT), scoring.details
)


def aggregate_n_submitted(items: Sequence[Any], args: Any = None) -> float | str:
    """Writes the submission file of a run and returns its number of lines.

    Args:
        items: Of every question.
        args: The harness's command line; without an output path nothing is written.
    """
    import logging

    try:
        from tempbench_lmms.rextime import submission

        lines = submission.of_records(adapter.records_of(items))
        output = getattr(args, "output_path", None)
        if output and lines:
            jsonl, archive = submission.write_run(lines, output, args)
            _warn(f"rextime: the submission is in {jsonl} and {archive}. {submission.CLOSED}")
        return len(lines)
    except Exception as error:  # an exception here would lose the finished run
        logging.getLogger(__name__).exception("the submission could not be written: %r", error)
        return UNDEFINED


_process_results_test, TEST_METRIC_LIST = adapter.scored(
    scoring.record,
    scoring.METRICS.of(scoring.TEST),
    scoring.details,
    n_submitted=aggregate_n_submitted,
)


def process_results_test(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """Reads a reply of the test split; nothing in it is a score."""
    out = _process_results_test(doc, results)
    for name in ("gold", "windows", "iou", "iou_official", "correct"):
        del out["record"][name]
    del out["score"]
    return out


def _listed(lines: Sequence[str]) -> str:
    more = f"; and {len(lines) - _LISTED} more" if len(lines) > _LISTED else ""
    return "; ".join(lines[:_LISTED]) + more


def _warn(message: str) -> None:
    import logging

    logging.getLogger(__name__).warning("%s", message)
