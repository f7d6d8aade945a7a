"""Frames of a part of a video."""

from pathlib import Path

from PIL import Image

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.decoding import open_container
from tempbench_lmms.media.video import Frames


def segment_frames(path: Path, start: float, end: float, n: int) -> Frames:
    """Returns the frames that are shown at n times spread evenly over a part of a video.

    Args:
        path: The file.
        start: Seconds; the first frame is shown then.
        end: Seconds; the last one.
        n: How many.

    Raises:
        MediaError: The file is missing or damaged, or has no frame there.
    """
    import av

    wanted = [start + (end - start) * i / max(1, n - 1) for i in range(n)]
    images: list[Image.Image] = []
    times: list[float] = []
    try:
        with open_container(path) as container:
            stream = container.streams.video[0]
            if stream.time_base:
                container.seek(int(start / float(stream.time_base)) + (stream.start_time or 0), stream=stream)
            shown = None
            for frame in container.decode(stream):
                moment = float(frame.time or 0.0)
                # A frame is shown until the next one.
                while len(images) < n and moment > wanted[len(images)] and shown is not None:
                    images.append(shown.to_image())
                    times.append(float(shown.time or 0.0))
                shown = frame
                if len(images) == n:
                    break
            while shown is not None and len(images) < n:
                images.append(shown.to_image())
                times.append(float(shown.time or 0.0))
    except FileNotFoundError:
        raise MediaError(f"{path.name}: the video is missing") from None
    except (av.error.FFmpegError, IndexError, OSError, ValueError) as error:
        raise MediaError(f"{path.name}: the video is damaged ({error}); replace it") from None
    if not images:
        raise MediaError(f"{path.name}: there is no frame from {start:g} to {end:g} seconds; check the times")
    return Frames(tuple(images), tuple(times))
