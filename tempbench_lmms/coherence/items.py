"""The scores of single answers and captions, for `tempbench rescore --items`."""

from collections.abc import Sequence

from tempbench_lmms.coherence import captioning, scoring
from tempbench_lmms.metrics.text import clip_gain
from tempbench_lmms.record import Record

Scores = dict[str, float | None]
_SCORED = ("bertscore", "bertscore_answer", "numeric_distance", "numeric_distance_official")
_CLIP = {"": captioning.clip_scores, "_official": captioning.clip_scores_official}


def scores(records: Sequence[Record]) -> list[Scores]:
    """Returns the scores of a task's records: of questions, or of captions.

    A caption has the CLIPScores that its metrics are means of; that of the whole video also has the video's
    CLIPGain. A score whose encoder cannot be loaded is None.
    """
    if "view" not in records[0]:
        columns = (scoring.SCORES[name](records) for name in _SCORED)
        return [dict(zip(_SCORED, row, strict=True)) for row in zip(*columns, strict=True)]
    out: list[Scores] = [{} for _ in records]
    for suffix, score in _CLIP.items():
        found = captioning.by_video(score, records)
        for row, record in zip(out, records, strict=True):
            pair, is_video = found.get(record["video"]), record["view"] == "video"
            row[f"clipscore{suffix}"] = pair[0 if is_video else 1] if pair else None
            if is_video:
                row[f"clipgain{suffix}"] = clip_gain(*pair) if pair else None
    of_captions = captioning.bertscores(records)
    return [
        {**row, "caption_bertscore": of_captions.get(record["id"])}
        for row, record in zip(out, records, strict=True)
    ]
