"""The training questions as conversations: frames with their times, and the answer in the prompt's own form.

Source: Table 4, whose models were fine-tuned on the 9,695 training questions (machine-made, not checked by
people). The paper prints no settings for it.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tempbench_lmms.data import video_texts
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.rextime import prompts, videos

_QUALITY = 95


def with_videos(rows: Sequence[Row]) -> list[tuple[Row, Path]]:
    """Returns the questions whose videos `prepare` found, those about one video one after the other.

    Raises:
        TempbenchError: Videos are missing and are not to be skipped, or none is there.
    """
    paths = {row["video"]: videos.brought(row["video"]) for row in rows}
    lost = [url for url, path in paths.items() if not path.is_file()]
    if lost and (not videos.skipping() or len(lost) == len(paths)):
        raise TempbenchError(
            f"{len(lost)} of {len(paths)} videos are missing, the first is {lost[0].rpartition('/')[2]}; "
            f"bring it, or set {videos.MISSING_MEDIA}=skip to leave out their questions"
        )
    return sorted(
        ((row, paths[row["video"]]) for row in rows if row["video"] not in lost), key=lambda one: one[1]
    )


def examples(rows: Sequence[tuple[Row, Path]], n_frames: int) -> Iterator[dict[str, Any]]:
    """Yields conversations as `rextime_frames` asks them, each with the right letter and span.

    Args:
        rows: Questions and their videos.
        n_frames: How many frames of each.

    Raises:
        MediaError: A video cannot be decoded.
    """
    shown: tuple[Path | None, list[bytes], tuple[float, ...]] = None, [], ()
    for row, path in rows:
        if shown[0] != path:
            shown = path, *_frames(path, n_frames)
        _, pictures, times = shown
        yield {
            "id": row["question_id"],
            "messages": [
                {"role": "user", "content": content(row, times)},
                {"role": "assistant", "content": row["target"]},
            ],
            "images": pictures,
        }


def content(row: Mapping[str, Any], times: Sequence[float]) -> list[dict[str, str]]:
    """Returns the parts of a question with its frames at `times`, as `rextime_frames` has them."""
    parts: list[dict[str, str]] = []
    for number, time in enumerate(times, start=1):
        parts += [{"type": "text", "text": video_texts.frame_label(number, time)}, {"type": "image"}]
    return [*parts, {"type": "text", "text": prompts.build(row, "frames", "both")}]


def _frames(path: Path, n: int) -> tuple[list[bytes], tuple[float, ...]]:
    from tempbench_lmms.media.video import sample_frames

    frames = sample_frames(path, n)
    files = []
    for image in frames.images:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=_QUALITY)
        files.append(file.getvalue())
    return files, frames.times
