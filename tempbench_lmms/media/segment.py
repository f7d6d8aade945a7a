"""Frames of a part of a video."""

from pathlib import Path

import numpy as np

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.decoding import Index
from tempbench_lmms.media.video import Frames, frames_at


def segment_frames(path: Path, start: float, end: float, n: int) -> Frames:
    """Returns the frames that are shown at n times spread evenly over a part of a video.

    Args:
        path: The file.
        start: Seconds from the video's first frame; the first frame given is shown then.
        end: Seconds; the last one. After the video's end its last frame is shown.
        n: How many.
    """

    def shown(index: Index) -> list[int]:
        times = [index.time(place) for place in range(index.n_frames)]
        if not -1e-6 <= start <= end or start > index.length:
            raise MediaError(
                f"{path.name}: there is no frame from {start:g} to {end:g} seconds in a video of "
                f"{index.length:g} seconds; check the times"
            )
        # A frame is shown until the next one.
        wanted = np.linspace(start, end, n) + 1e-6
        return [max(0, int(place) - 1) for place in np.searchsorted(times, wanted, side="right")]

    return frames_at(path, shown)
