"""Makes ReXTime questions from time-aligned captions with a language model, as section 3 of the paper does.

Steps for each video: find related events, score each pair, write a question and its answer, add three wrong
options, and let the model check its own result where the relation is causal. The paper's prompts are in an
unpublished supplement; these are ours. What a model answers is read strictly: a step whose reply is no usable
JSON drops its pair, and the reason is counted.
"""

import base64
import io
import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import outputs, run_files, tables
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.text import final_answer
from tempbench_lmms.rextime import rows
from tempbench_lmms.rextime.prompts import LETTERS

from ..endpoint import Endpoint, Kept
from . import pipeline
from .pipeline import Event

N_PIVOT_FRAMES = 10
"""Frames of an extended pivotal event that a vision model sees. Source: section 3.2."""

_BYTES_A_VIDEO = 10_000

_STYLE = {
    "sequential": 'Ask what happens before or after the first event, e.g. "What does the man do after ...?"',
    "cause_effect": 'Ask for the cause or the effect, e.g. "What happens because ...?"',
    "means_end": 'Ask for the means or the purpose, e.g. "How does she ...?" or "What does he do to ...?"',
}


def _image_part(image: Any) -> dict[str, Any]:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG")
    data = base64.b64encode(buffer.getvalue()).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}}


def _reply_json(reply: str) -> Any:
    values = json_values(final_answer(reply) or "")
    return values[-1] if values else None


def _timed(events: Sequence[Event]) -> str:
    return "\n".join(
        f"{number}. [{event.span[0]:g} to {event.span[1]:g} s] {event.text}"
        for number, event in enumerate(events)
    )


def find_pairs(endpoint: Endpoint, events: Sequence[Event]) -> list[tuple[int, int, int]]:
    """Returns pairs of related events as (first, second, similarity from 0 to 3)."""
    reply = endpoint.ask(
        "These are the events of a video with their times:\n"
        f"{_timed(events)}\n"
        "List the pairs of events that happen at different times and where one may lead to the other. Give "
        "for each pair how similar the two events are, from 0 (different) to 3 (the same).\n"
        'Reply with JSON only: [{"first": <number>, "second": <number>, "similarity": <0 to 3>}]'
    )
    found = _reply_json(reply)
    pairs = []
    for item in found if isinstance(found, list) else []:
        first, second, similarity = (
            item.get(key) if isinstance(item, dict) else None for key in ("first", "second", "similarity")
        )
        if isinstance(first, int) and isinstance(second, int) and isinstance(similarity, int):
            pairs.append((first, second, similarity))
    return pairs


def find_related(endpoint: Endpoint, video: Path, duration: float, pivot: Event) -> list[tuple[Event, int]]:
    """Returns events around a pivotal one that a vision model sees in the video, with their similarity to it.

    For videos with few captions: the model gets ten frames of the event extended by ten seconds on both
    sides.
    """
    from tempbench_lmms.media.segment import segment_frames

    start, end = pipeline.pivot_window(pivot.span, duration)
    frames = segment_frames(video, start, end, N_PIVOT_FRAMES)
    times = ", ".join(f"{moment:.1f}" for moment in frames.times)
    prompt = (
        f"These frames of a video were taken at {times} seconds. From {pivot.span[0]:g} to {pivot.span[1]:g} "
        f"seconds this happens: {pivot.text}\n"
        "What else is to be seen that led to it, and what followed from it? Give for each such event its "
        "span in seconds, and how similar it is to the one above, from 0 (different) to 3 (the same).\n"
        "Reply with JSON only: "
        '[{"event": "<text>", "start": <seconds>, "end": <seconds>, "similarity": <0 to 3>}]'
    )
    reply = endpoint.ask([*map(_image_part, frames.images), {"type": "text", "text": prompt}])
    found = _reply_json(reply)
    related = []
    for item in found if isinstance(found, list) else []:
        if not isinstance(item, dict) or not isinstance(item.get("similarity"), int):
            continue
        try:
            related.append(
                (_event({"text": item["event"], "span": [item["start"], item["end"]]}), item["similarity"])
            )
        except (TempbenchError, KeyError):
            continue
    return related


def score_pair(endpoint: Endpoint, first: Event, second: Event) -> dict[str, int] | None:
    """Returns the four scores of a pair, each from 0 to 3; None where the reply has none."""
    reply = endpoint.ask(
        f"First event: {first.text}\nSecond event: {second.text}\n"
        "Score from 0 to 3:\n"
        "directness: how direct the causal link from the first to the second event is;\n"
        "necessity: how far the second event is bound to happen because of the first;\n"
        "proactiveness: how deliberate the first event is;\n"
        "purpose: how far the second event is what the first was intended to bring about.\n"
        'Reply with JSON only: {"directness": _, "necessity": _, "proactiveness": _, "purpose": _}'
    )
    found = _reply_json(reply)
    if not isinstance(found, dict):
        return None
    scores = {name: found.get(name) for name in pipeline.SCORES}
    try:
        pipeline.relation(**scores)  # type: ignore[arg-type]
    except TempbenchError:
        return None
    return scores  # type: ignore[return-value]


def write_question(
    endpoint: Endpoint, first: Event, second: Event, kind: str
) -> tuple[str, str, bool] | None:
    """Returns a question, its answer, and whether the second event is the answer; None if unreadable."""
    reply = endpoint.ask(
        f"First event: {first.text}\nSecond event: {second.text}\n"
        f"The relation of the two is {kind.replace('_', ' and ')}. Write a question that names only one of "
        f"the two events and whose answer is the other. {_STYLE[kind]}\n"
        'Reply with JSON only: {"question": "<text>", "answer": "<text>", "answer_event": <1 or 2>}'
    )
    found = _reply_json(reply)
    if not isinstance(found, dict) or found.get("answer_event") not in (1, 2):
        return None
    question, answer = (str(found.get(key) or "").strip() for key in ("question", "answer"))
    return (question, answer, found["answer_event"] == 2) if question and answer else None


def wrong_options(endpoint: Endpoint, question: str, answer: str) -> list[str] | None:
    """Returns three wrong options; None where the reply has not three different ones."""
    reply = endpoint.ask(
        f"Question about a video: {question}\nRight answer: {answer}\n"
        "Write three wrong answers that are as plausible and as long as the right one.\n"
        'Reply with JSON only: ["<text>", "<text>", "<text>"]'
    )
    found = _reply_json(reply)
    if isinstance(found, dict):
        found = next((value for value in found.values() if isinstance(value, list)), None)
    texts = [str(text).strip() for text in found] if isinstance(found, list) else []
    usable = len(texts) == 3 and all(texts) and len({text.lower() for text in [*texts, answer]}) == 4
    return texts if usable else None


def holds(endpoint: Endpoint, first: Event, second: Event, question: str, answer: str) -> bool:
    """Returns whether the model finds its question and answer sound. Source: section 3.3."""
    reply = endpoint.ask(
        f"First event: {first.text}\nSecond event: {second.text}\n"
        f"Question: {question}\nAnswer: {answer}\n"
        "Does the answer follow from the two events, and does the question not give it away?\n"
        'Reply with JSON only: {"valid": true or false}'
    )
    found = _reply_json(reply)
    return isinstance(found, dict) and found.get("valid") is True


def _event(record: Mapping[str, Any]) -> Event:
    try:
        start, end = (float(value) for value in record["span"])
        text = str(record["text"]).strip()
    except (KeyError, TypeError, ValueError):
        raise TempbenchError(f"{str(record)[:80]} is not an event with text and span; correct it") from None
    if not text or not 0 <= start <= end < float("inf"):
        raise TempbenchError(f"{str(record)[:80]} is not an event with text and span; correct it")
    return Event(text, (start, end))


def questions_of(
    endpoint: Endpoint, video: Mapping[str, Any], counts: Counter[str], folder: Path
) -> Iterator[dict[str, Any]]:
    """Yields the questions about one video, in the form of the official release.

    Args:
        endpoint: The model.
        video: `vid`, `duration` in seconds, `events` (`text` and `span`), and perhaps `source`; with `file`,
        a
            video beside the captions, related events are looked for in its frames.
        counts: Counts what became of the pairs.
        folder: Where `file` is.
    """
    duration = float(video["duration"])
    events, candidates = _candidates(endpoint, video, counts, folder)
    for number, (one, other, similarity) in enumerate(candidates):
        if why := pipeline.keep_pair(events, one, other, similarity):
            counts[f"pairs dropped: {why}"] += 1
            continue
        # Causes come before effects.
        first, second = sorted((events[one], events[other]), key=lambda event: event.span)
        scores = score_pair(endpoint, first, second)
        if scores is None:
            counts["pairs dropped: no scores"] += 1
            continue
        kind = pipeline.relation(**scores)
        if why := pipeline.keep_pair(events, one, other, similarity, kind):
            counts[f"pairs dropped: {why}"] += 1
            continue
        qid = f"{video['vid']}_{number}"
        found = _question_about(endpoint, first, second, kind, qid)
        if isinstance(found, str):
            counts[f"pairs dropped: {found}"] += 1
            continue
        counts[f"questions: {kind}"] += 1
        yield {
            "qid": qid,
            "vid": str(video["vid"]),
            "duration": duration,
            **found,
            "category": kind,
            "source": str(video.get("source", "")),
            "scores": scores,
        }


def _candidates(
    endpoint: Endpoint, video: Mapping[str, Any], counts: Counter[str], folder: Path
) -> tuple[list[Event], list[tuple[int, int, int]]]:
    """Returns a video's events, those found in its frames too, and the pairs that may be related."""
    events = [_event(record) for record in video["events"]]
    duration = float(video["duration"])
    candidates: list[tuple[int, int, int]] = []
    if video.get("file"):
        file = (folder / str(video["file"])).resolve()
        if not file.is_relative_to(folder.resolve()):
            raise TempbenchError(f"{video['vid']}: file points outside {folder}; correct it")
        for index, pivot in enumerate(list(events)):
            for event, similarity in find_related(endpoint, file, duration, pivot):
                events.append(event)
                candidates.append((index, len(events) - 1, similarity))
    elif not pipeline.keep_video(events, duration):
        counts["videos without events that lie apart and cover them"] += 1
        return events, []
    else:
        candidates = find_pairs(endpoint, events)
    counts["pairs proposed"] += len(candidates)
    return events, candidates


def _question_about(
    endpoint: Endpoint, first: Event, second: Event, kind: str, qid: str
) -> dict[str, Any] | str:
    """Returns what the release has of a question about two events; or why there is none."""
    written = write_question(endpoint, first, second, kind)
    wrong = wrong_options(endpoint, written[0], written[1]) if written else None
    if written is None or wrong is None:
        return "no usable question or options"
    question, answer, answered_by_second = written
    if kind != "sequential" and not holds(endpoint, first, second, question, answer):
        return "the model rejects its own question"
    asked, answer_event = (first, second) if answered_by_second else (second, first)
    letter = LETTERS[random.Random(qid).randrange(len(LETTERS))]
    index = LETTERS.index(letter)
    return {
        "question": question,
        "answer": "From <s0> to <e0>, <option>.",
        "options": [*wrong[:index], answer, *wrong[index:]],
        "ans": letter,
        "span": list(answer_event.span),
        "question_span": list(asked.span),
    }


def build_file(
    captions: Path,
    output: Path,
    model: str,
    base_url: str,
    limit: int | None = None,
    force: bool = False,
    console: Any = None,
) -> dict[str, int]:
    """Writes questions for every video of a captions file; an interrupted run goes on where it stopped.

    Returns:
        What became of videos and pairs.
    """
    from rich.progress import Progress

    endpoint = Endpoint(base_url, model, os.environ.get("OPENAI_API_KEY", ""))
    known = _known(output, force)
    videos = _videos(captions, limit)
    left = {str(video["vid"]) for video in videos} - known.values.keys()
    output.parent.mkdir(parents=True, exist_ok=True)
    what = f"the questions of {counted(len(left), 'video')}"
    outputs.check_room(output.parent, len(left) * _BYTES_A_VIDEO, what)
    counts: Counter[str] = Counter()
    try:
        with Progress(console=console, transient=True, disable=console is None) as bar:
            for video in bar.track(videos, description="asking the model"):
                if (vid := str(video["vid"])) in known.values:
                    counts["videos done before"] += 1
                    continue
                known.add(vid, list(questions_of(endpoint, video, counts, captions.parent)))
                counts["videos"] += 1
    finally:
        tables.write_text(_text_of(known), output)
    return dict(counts)


def _text_of(known: Kept) -> str:
    found = (one for several in known.values.values() for one in several)
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in found)


def _known(output: Path, anew: bool) -> Kept:
    """Returns the questions by video that an interrupted run left beside an output; none to start anew."""
    if output.is_dir():
        raise TempbenchError(f"{output} is a folder; give the name of a file")
    outputs.check_folder(output.parent)
    progress_file = output.with_name(f"{output.stem}.progress.jsonl")
    if anew:
        for file in (output, progress_file):
            run_files.check_foreign(file)
        for file in (output, progress_file):
            file.unlink(missing_ok=True)
    known = Kept(progress_file)
    if output.exists() and not _text_of(known).startswith(output.read_text(encoding="utf-8")):
        raise TempbenchError(
            f"{output} holds other questions than {progress_file.name}; move it, or add --force to replace it"
        )
    return known


def _videos(captions: Path, limit: int | None) -> list[dict[str, Any]]:
    videos = rows.load_records(captions)[:limit]
    if not videos:
        raise TempbenchError(f"{captions} holds no video; give one with captions a line")
    for video in videos:
        if not isinstance(video.get("events"), list) or not {"vid", "duration"} <= video.keys():
            raise TempbenchError(f"{captions}: {str(video)[:80]} needs vid, duration and events; correct it")
    return videos
