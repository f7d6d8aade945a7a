"""The metrics of captions: CLIPScore and CLIPGain, BERTScore against a reference, and the order of events.

Source: the paper, section 3.2. A video is captioned twice: from n frames, and from the middle one of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from tempbench_lmms import record as common
from tempbench_lmms.coherence import encoders, prompts
from tempbench_lmms.coherence.card import CLUSTER
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics import text as clip_metrics
from tempbench_lmms.metrics.ratio import Floats, Ratio, ratio
from tempbench_lmms.metrics.text import event_order
from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.parsing.clean import clean, final_answer, squeeze
from tempbench_lmms.parsing.expected import Reading, none
from tempbench_lmms.record import Metric, Metrics, Record, n_failed, pooled


def record(doc: Mapping[str, Any], reply: str, failed: bool = False) -> Record:
    """Returns the record of one caption."""
    caption = "" if failed else squeeze(final_answer(reply) or "")
    references = list(doc.get("references") or [doc["target"]])
    read = Reading(caption, "whole") if caption else none("cut_off" if clean(reply).cut_off else "empty")
    return {
        "id": doc["question_id"],
        CLUSTER.field: CLUSTER.of(doc),
        **{name: doc[name] for name in ("view", "n_frames")},
        "caption": caption,
        "reference": doc["target"],
        "events": list(doc["events"]),
        "correct": int(bool(doc["target"]) and caption in references),
        "parsed": int(bool(caption)),
        "failed": int(failed),
        **({"references": references} if len(references) > 1 else {}),
        **common.fields(None if failed else read),
    }


def middle(n: int) -> int:
    """Returns the position of the middle one of n frames: 4 of 8, as in the official code."""
    return n // 2


def _pairs(records: Sequence[Record]) -> dict[str, dict[str, Record]]:
    """Returns both captions of each video that has both, neither of them from a failed request."""
    videos = grouped((item["video"], (item["view"], item)) for item in records if not item["failed"])
    return {video: views for video, own in videos.items() if len(views := dict(own)) == 2}


@cache
def _embeddings(model: str, url: str, n: int) -> tuple[Floats, Floats] | None:
    """Returns the embeddings of a video's frames, and of those with red and blue swapped; None if it is gone.

    Each is of shape (n_frames, dim).
    """
    from tempbench_lmms.data.roots import resolve
    from tempbench_lmms.media.images import channels_reversed
    from tempbench_lmms.media.video import sample_frames

    try:
        images = sample_frames(resolve(url), n).images
    except TempbenchError:  # counted in `n_skipped`
        return None
    return encoders.clip_images(images), encoders.clip_images(map(channels_reversed, images))


def _embedded(records: Sequence[Record]) -> Iterator[tuple[str, dict[str, Record], tuple[Floats, Floats]]]:
    """Yields each video that can be shown, with its two captions and the embeddings of its frames."""
    model = encoders.clip_model()
    for video, views in _pairs(records).items():
        if (found := _embeddings(model, video, views["video"]["n_frames"])) is not None:
            yield video, views, found


def clip_scores(records: Sequence[Record]) -> dict[str, tuple[float, float]]:
    """Returns the CLIPScore of each video's caption, and of its middle frame's, by video.

    A caption is compared with its own video. An empty caption scores 0.
    """
    captions = list(dict.fromkeys(item["caption"] for item in records if item["caption"]))
    texts = dict(zip(captions, encoders.clip_texts(captions), strict=True))

    def score(picture: Floats, caption: str) -> float:
        return clip_metrics.clip_score(picture, texts[caption]) if caption else 0.0

    return {
        video: (
            score(clip_metrics.video_embedding(frames), views["video"]["caption"]),
            score(frames[middle(len(frames))], views["frame"]["caption"]),
        )
        for video, views, (frames, _) in _embedded(records)
    }


def clip_scores_official(records: Sequence[Record]) -> dict[str, tuple[float, float]]:
    """Returns what the official code takes for the two CLIPScores, by video.

    Every video is compared with the captions of all videos at once, by one norm for all, and the frames have
    red and blue swapped.
    """
    pairs = _pairs(records)
    captions = {
        view: encoders.clip_texts([pairs[video][view]["caption"] for video in sorted(pairs)])
        for view in prompts.CAPTION
    }
    return {
        video: (
            clip_metrics.official_clip_score(clip_metrics.video_embedding(swapped), captions["video"]),
            clip_metrics.official_clip_score(swapped[middle(len(swapped))], captions["frame"]),
        )
        for video, _, (_, swapped) in _embedded(records)
    }


Scores = Callable[[Sequence[Record]], Mapping[str, tuple[float, float]]]


def by_video(scores: Scores, records: Sequence[Record]) -> Mapping[str, tuple[float, float]]:
    """Returns the scores of each video; none without an encoder, which was reported when it was loaded."""
    try:
        return scores(records)
    except encoders.EncoderUnavailableError:
        return {}


def _over(scores: Scores, value: Callable[[float, float], float]) -> Metric:
    def metric(records: Sequence[Record]) -> Ratio:
        values = {video: value(*pair) for video, pair in by_video(scores, records).items()}
        kept = {video: number for video, number in values.items() if np.isfinite(number)}
        return ratio(((number, 1) for number in kept.values()), kept, bounded=False)

    return metric


def bertscore(records: Sequence[Record]) -> Ratio:
    """BERTScore F1 of the video captions against the reference captions, if there are any.

    Of several references, the nearest counts, as in the library.
    """
    scores = bertscores(records)
    kept = [item for item in records if item["id"] in scores]
    return ratio(((scores[item["id"]], 1) for item in kept), (item[CLUSTER.field] for item in kept))


def bertscores(records: Sequence[Record]) -> dict[str, float]:
    """Returns BERTScore F1 of the videos' captions by id, by the nearest reference; none without encoder."""
    kept = [item for item in records if item["view"] == "video" and item["reference"]]
    pairs = [(item, one) for item in kept for one in item.get("references") or [item["reference"]]]
    try:
        scores = encoders.bertscore([(item["caption"], one) for item, one in pairs])
    except encoders.EncoderUnavailableError:
        return {}
    by_id = grouped((item["id"], score) for (item, _), score in zip(pairs, scores, strict=True))
    return {id_: max(own) for id_, own in by_id.items()}


METRICS = Metrics("caption")
"""Every metric of captions. CLIPGain is a fraction: the mean over videos of CLIPScore(video) /
CLIPScore(frame) - 1."""
for _suffix, _scores in (("", clip_scores), ("_official", clip_scores_official)):
    METRICS.add(f"clipscore_video{_suffix}", _over(_scores, lambda video, frame: video), headline=True)
    METRICS.add(f"clipscore_frame{_suffix}", _over(_scores, lambda video, frame: frame), headline=True)
    METRICS.add(f"clipgain{_suffix}", _over(_scores, clip_metrics.clip_gain), headline=True)
METRICS.add("caption_bertscore", bertscore, headline=True)
METRICS.add(
    "event_order",
    pooled(
        lambda item: event_order(item["caption"], item["events"]),
        CLUSTER,
        lambda item: item["view"] == "video" and len(item["events"]) > 1,
    ),
    "Share of pairs of events that the video captions describe in the right order.",
    headline=True,
)
METRICS.add("caption_parse_rate", common.parse_rate_per(CLUSTER), headline=True)
common.add_metrics(METRICS, CLUSTER, reasons=("empty", "cut_off"), prefix="caption_")


@METRICS.count(headline=True)
def n_videos(records: Sequence[Record]) -> int:
    """Number of videos."""
    return len({item["video"] for item in records})


@METRICS.count(better="lower", headline=True)
def n_cut(records: Sequence[Record]) -> int:
    """Number of videos without one of the captions, because of `--limit` or a failed request."""
    return n_videos(records) - len(_pairs(records))


@METRICS.count(better="lower")
def n_skipped(records: Sequence[Record]) -> int:
    """Number of captioned videos without a gain: the frame's CLIPScore is 0, or the video is gone."""
    return len(_pairs(records)) - sum(frame > 0 for _, frame in by_video(clip_scores, records).values())


METRICS.add_count("n_failed_captions", n_failed, better="lower", headline=True)
METRICS.score_by_encoder(
    [_name for _name in METRICS if _name.startswith("clip")] + ["caption_bertscore", "n_skipped"]
)
