"""Distances between answers: numbers, events described in order, and embeddings of pictures and captions.

CLIPScore and CLIPGain: Deshpande et al. 2024, section 3.2.2 (equations 1 to 3), with scale w = 1; the
`official` forms follow their code (`clipgain_dev.py`), which does something else.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tempbench_lmms.metrics.ratio import Floats


def numeric_distance(predicted: int | None, gold: int, clamp: bool = True) -> float:
    """Returns 1 - |predicted - gold| / (gold + 1).

    Source: Deshpande et al. 2024, section 3.1.3. The paper says the range is (0, 1]; unclamped it is
    (-inf, 1]. The official code clamps at 0, so the score is above 0 for predicted < 2 gold + 1.

    Args:
        predicted: None (nothing could be read) scores 0.
        gold: 0 or more.
        clamp: Whether negative scores become 0.

    >>> numeric_distance(5, 3), numeric_distance(8, 3), numeric_distance(8, 3, clamp=False)
    (0.5, 0.0, -0.25)
    """
    if predicted is None:
        return 0.0
    # Whole numbers of any size: a reply may hold one that no float does.
    score = float(1 - min(abs(predicted - gold), 10**9) / (gold + 1))
    return max(0.0, score) if clamp else score


_STOP = frozenset(
    """
    a an and are as at be been being by does doing finally first for from has have her his into is
    it its next of onto or over second that the their then there third this to two until was were
    which while who with video shows shown show see seen scene clip frame frames begins starts
    """.split()  # noqa: SIM905
)
_SENTENCE = re.compile(r"[.!?;\n]+(?:\s+|$)")
# An item of a list begins a sentence. A line break by itself does not: captions are wrapped, too.
_ITEM = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+", re.MULTILINE)
_CLAUSE = re.compile(
    r",\s*(?:and\s+)?(?:then\s+|next\s+|finally\s+|later\s+)?|\s+and\s+then\s+|\s+then\s+|\s+followed\s+by\s+|"
    r"\s+and\s+finally\s+|\s+and\s+",
)
_LEAD = re.compile(
    r"^(?:first|second|third|next|then|finally|lastly|later|and|afterwards?|initially)\b[\s,:]*"
)
_BACK = re.compile(
    r"^(?:before (?:that|this)|before it(?=,)|earlier|previously|prior to (?:that|this))\b[\s,:]*"
)
_MAX_DEPTH = 4
_AFTER_THAT = re.compile(r"\bafter (?:that|this|which)\b[\s,:]*|\bafterwards?\b[\s,:]*")


def clauses_in_order(caption: str) -> list[str]:
    """Returns a caption's clauses in the order in which it says that they happened.

    This is the order of the words, except with "after", "before", "earlier" and the like.

    >>> clauses_in_order("After the ball rolls, the lamp goes on. Before that, the bell rings.")
    ['the bell rings', 'the ball rolls', 'the lamp goes on']
    """
    clauses: list[str] = []
    previous: list[str] = []
    described = _AFTER_THAT.sub("then ", _ITEM.sub("\n\n ", caption.lower().replace("**", "")))
    for sentence in _SENTENCE.split(described):
        text = sentence.strip(" ,")
        if not text:
            continue
        back = _BACK.match(text)
        own = _in_sentence(text[back.end() :] if back else text)
        at = len(clauses) - len(previous) if back else len(clauses)
        clauses[at:at] = own
        previous = own if not back else previous
    return clauses


def _in_sentence(text: str, depth: int = 0) -> list[str]:
    if depth == _MAX_DEPTH:
        return [text]
    if match := re.match(r"(?:after|once|when|as soon as)\s+([^,]+),\s*(.+)", text):
        return _in_sentence(match.group(1), depth + 1) + _in_sentence(match.group(2), depth + 1)
    if match := re.match(r"(?:before|until)\s+([^,]+),\s*(.+)", text):
        return _in_sentence(match.group(2), depth + 1) + _in_sentence(match.group(1), depth + 1)
    for word, first, second in ((r"\s+after\s+", 2, 1), (r"\s+(?:before|until)\s+", 1, 2)):
        if match := re.fullmatch(rf"(.+?){word}(.+)", text):
            return _in_sentence(match.group(first), depth + 1) + _in_sentence(match.group(second), depth + 1)
    return [part for part in [_LEAD.sub("", part.strip(" ,:")) for part in _CLAUSE.split(text)] if part]


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _words(text: str) -> list[str]:
    return [_stem(word) for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in _STOP]


def event_positions(
    caption: str, events: Sequence[str], threshold: float = 0.5
) -> list[tuple[int, int] | None]:
    """Returns where a caption describes each event: indices of the clause and of the word in it, or None.

    An event is described by the clause that holds most of its words, at least `threshold` of their weight.
    The more events share a word, the less it weighs: it does not distinguish them.
    """
    clauses = [_words(clause) for clause in clauses_in_order(caption)]
    wanted = [list(dict.fromkeys(_words(event))) for event in events]
    found: list[tuple[int, int] | None] = []
    for words in wanted:
        weights = {word: 1 / sum(word in other for other in wanted) for word in words}
        best, position = threshold * sum(weights.values()), None
        for number, clause in enumerate(clauses):
            score = sum(weight for word, weight in weights.items() if word in clause)
            if score > best or (score == best and position is None and score > 0):
                hits = [clause.index(word) for word in words if word in clause]
                best, position = score, (number, min(hits))
        found.append(position)
    return found


def event_order(caption: str, events: Sequence[str]) -> tuple[int, int]:
    """Returns the number of event pairs that a caption tells in the right order, and the number of pairs.

    The ratio is 1 if a caption tells all events in order, 0 if it tells them backwards, and lower for each
    missing event; with all events it is (1 + Kendall's tau) / 2. Words are compared by their stems, so a
    paraphrase in other words is not recognised.

    Args:
        caption: A model's.
        events: Short descriptions in the order in which they happen.

    >>> event_order("The lamp goes on, then the ball rolls.", ["the ball rolls", "the lamp goes on"])
    (0, 1)
    """
    positions = event_positions(caption, events)
    pairs = [(one, other) for i, one in enumerate(positions) for other in positions[i + 1 :]]
    return sum(one is not None and other is not None and one < other for one, other in pairs), len(pairs)


def video_embedding(frames: ArrayLike) -> Floats:
    """Returns a video's embedding: the mean of its frames', not normalised before.

    Args:
        frames: Shape (n_frames, dim).
    """
    return np.asarray(np.asarray(frames, np.float64).mean(axis=0))


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
