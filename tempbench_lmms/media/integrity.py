"""Whether a video can be played to its end, found out without decoding all of it."""

from pathlib import Path

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media.decoding import Video, open_container
from tempbench_lmms.media.video import VideoInfo, probe, uniform_places


def check_video(path: Path, thorough: bool = False) -> VideoInfo:
    """Returns what is known of a video after decoding a frame at its start and those near its end.

    A download that was cut off often has a whole header, so that only its end shows it.

    Args:
        path: The file.
        thorough: Decode every frame; as slow as that is, only it finds damage in the middle.

    Raises:
        MediaError: The file is missing, empty or damaged, ends early, or has no video; one line with its
        name.
    """
    import av

    try:
        if path.is_file() and not path.stat().st_size:
            raise MediaError(f"{path.name}: the file is empty; replace it")
        info = probe(path)
        with open_container(path) as container:
            stream = container.streams.video[0]
            if next(container.decode(stream), None) is None:
                raise MediaError(f"{path.name}: no frame can be decoded; replace the video")
            if stream.duration and stream.time_base:
                begin = stream.start_time or 0
                # To the key frame before the last tenth; from there on everything must be there and decode.
                container.seek(begin + int(stream.duration * (0 if thorough else 0.9)), stream=stream)
                end, n_decoded = begin, 0
                for packet in container.demux(stream):
                    n_decoded += len(packet.decode())
                    if packet.pts is not None:
                        end = max(end, packet.pts + (packet.duration or 0))
                if not n_decoded or end - begin < stream.duration * 0.95:
                    raise MediaError(f"{path.name}: the video ends early; download it again")
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise MediaError(f"{path.name}: the video is damaged ({error}); replace it") from None
    return info


def frame_times(path: Path, n: int) -> tuple[float, ...]:
    """Returns when the n frames of `sample_frames` are shown, in seconds, without decoding them.

    The packets of a file carry the times of its frames; where they do not, it is decoded.

    Raises:
        MediaError: The file is missing, damaged, or has no video.
    """
    with Video(path) as video:
        index = video.index()
        if not index.seekable:
            index, _ = video.read_through(lambda n_frames: ())
    return tuple(index.time(place) for place in uniform_places(index.n_frames, n))
