"""CLIPScore and CLIPGain over embeddings.

Source: Deshpande et al. 2024, section 3.2.2 (equations 1 to 3), with scale w = 1; the `official` forms follow
their code (`clipgain_dev.py`), which does something else.
"""

import numpy as np
from numpy.typing import ArrayLike

from tempbench_lmms.metrics.ratio import Floats


def pooled(frames: ArrayLike) -> Floats:
    """Returns a video's embedding: the mean of its frames', not normalised before.

    Args:
        frames: Shape (n_frames, dim).
    """
    mean: Floats = np.asarray(frames, np.float64).mean(axis=0)
    return mean


def clip_score(picture: ArrayLike, caption: ArrayLike) -> float:
    """Returns max(0, cosine) of two embeddings of shape (dim,); 0 where one is zero. From 0 to 1."""
    one, other = np.asarray(picture, np.float64), np.asarray(caption, np.float64)
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return max(0.0, float(one @ other) / lengths) if lengths else 0.0


def official_clip_score(picture: ArrayLike, captions: ArrayLike) -> float:
    """Returns what the official code takes for CLIPScore.

    It compares a picture with the captions of all videos at once: the matrix of captions is divided by its
    Frobenius norm, and the products are summed. For one caption that is `clip_score`; for N captions it is
    max(0, v . sum(c)) / (|v| |C|), from 0 to sqrt(N).

    Args:
        picture: Shape (dim,).
        captions: Shape (n_videos, dim).
    """
    one, matrix = np.asarray(picture, np.float64), np.asarray(captions, np.float64)
    lengths = float(np.linalg.norm(one) * np.linalg.norm(matrix))
    return max(0.0, float((matrix @ one).sum()) / lengths) if lengths else 0.0


def clip_gain(video_score: float, frame_score: float) -> float:
    """Returns video_score / frame_score - 1 (equation 3); NaN where the frame's score is not above 0.

    A fraction: the paper's Table 5 prints percent.

    >>> round(clip_gain(0.8320502943378437, 0.9899494936611665), 6)
    -0.159502
    """
    return video_score / frame_score - 1 if frame_score > 0 else float("nan")
