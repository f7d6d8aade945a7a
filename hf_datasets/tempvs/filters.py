"""TempVS's rules for choosing stories (section 3.2 and appendix A of the paper) as pure functions.

They see only words and numbers; `encoders.py` computes the numbers. Neither the paper's rules nor the
official scripts need a parser of sentences. A stative verb is any word of a list (so "like" as a preposition
counts, too), and a starting pronoun is one of four words.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tempbench_lmms.errors import TempbenchError

from . import characters
from .questions import NameTest
from .sources import Story

# Table 7. Section 3.2 also names "exist", which the table and the official list lack.
_STATIVE_WORDS = """
wish wishing wishes wished equal equaling equals equaled signify signifying signifies signified
feel feeling feels felt involve involving involves involved sense sensing senses sensed
sound sounding sounds sounded detest detesting detests detested want wanting wants wanted
see seeing sees saw seen forget forgetting forgets forgot matter mattering matters mattered
contain containing contains contained own owning owns owned taste tasting tastes tasted
dislike disliking dislikes disliked remember remembering remembers remembered
suppose supposing supposes supposed resemble resembling resembles resembled
think thinking thinks thought envy envying envies envied depend depending depends depended
hate hating hates hated know knowing knows knew known require requiring requires required
love loving loves loved appreciate appreciating appreciates appreciated need needing needs needed
concern concerning concerns concerned span spanning spans spanned appear appearing appears appeared
owe owing owes owed weigh weighing weighs weighed disagree disagreeing disagrees disagreed
become becoming becomes became fear fearing fears feared measure measuring measures measured
possess possessing possesses possessed like liking likes liked look looking looks looked
imagine imagining imagines imagined mind minding minds minded belong belonging belongs belonged
loathe loathing loathes loathed lack lacking lacks lacked deserve deserving deserves deserved
mean meaning means meant promise promising promises promised believe believing believes believed
prefer preferring prefers preferred cost costing costs costed hope hoping hopes hoped
recognize recognizing recognizes recognized include including includes included
support supporting supports supported understand understanding understands understood
comprise comprising comprises comprised agree agreeing agrees agreed realize realizing realizes realized
value valuing values valued seem seeming seems seemed hear hearing hears heard
doubt doubting doubts doubted consist consisting consists consisted smell smelling smells smelled
"""
STATIVE_VERBS = frozenset(_STATIVE_WORDS.split())

_STATIVE = re.compile(rf"\b(?:{'|'.join(sorted(STATIVE_VERBS))})\b")
# The official list. "We played on the swings." is in the paper's own example, so it is not all pronouns.
_PRONOUN = re.compile(r"\s*(?:it|they|he|she)\b", re.IGNORECASE)


def stative_verb(caption: str) -> bool:
    """Returns whether the caption contains a form of a stative verb (Table 7)."""
    return bool(_STATIVE.search(caption.lower()))


def starts_with_pronoun(caption: str) -> bool:
    """Returns whether the caption starts with it, they, he or she."""
    return bool(_PRONOUN.match(caption))


@dataclass(frozen=True)
class Thresholds:
    """Similarities above which two captions or two images are too similar."""

    precision: float  # BERTScore precision of one caption against a later one of its story
    recall: float  # BERTScore recall
    f1: float  # BERTScore F1
    image: float  # cosine of two CLIP image embeddings
    # the official scripts also call captions similar where all three numbers are above this one; the
    # paper does not mention it, so 1.0 stands for it there
    joint: float = 1.0


# Table 8 against the defaults of `select_*.py`: FlintstonesSV and PororoSV are swapped, VIST is stricter on
# images and laxer on captions.
THRESHOLDS: Mapping[str, Mapping[str, Thresholds]] = {
    "paper": {
        "flintstones": Thresholds(0.98, 0.98, 0.96, 0.94),
        "pororo": Thresholds(0.96, 0.96, 0.95, 0.90),
        "vwp": Thresholds(0.98, 0.98, 0.97, 0.95),
        "vist": Thresholds(0.92, 0.92, 0.90, 0.88),
    },
    "scripts": {
        "flintstones": Thresholds(0.96, 0.96, 0.95, 0.90, 0.91),
        "pororo": Thresholds(0.98, 0.98, 0.96, 0.94, 0.92),
        "vwp": Thresholds(0.97, 0.97, 0.95, 0.95, 0.92),
        "vist": Thresholds(0.95, 0.95, 0.93, 0.82, 0.90),
    },
}


def thresholds(name: str) -> Mapping[str, Thresholds]:
    """Returns the thresholds of each source: of the paper, or of its scripts."""
    if name not in THRESHOLDS:
        raise TempbenchError(f"--thresholds {name}: choose {' or '.join(THRESHOLDS)}")
    return THRESHOLDS[name]


def similar_captions(precision: float, recall: float, f1: float, limits: Thresholds) -> bool:
    """Returns whether two captions are too similar: not all three numbers are below Table 8's."""
    too_high = precision >= limits.precision or recall >= limits.recall or f1 >= limits.f1
    return too_high or min(precision, recall, f1) > limits.joint


def similar_images(embeddings: Any, limit: float) -> bool:
    """Returns whether any two images of a story are too similar."""
    cosines = embeddings @ embeddings.T
    n = len(cosines)
    return any(cosines[i, j] >= limit for i, j in itertools.combinations(range(n), 2))


def enough_persons(scores: Sequence[float], least_score: float, least_share: float) -> bool:
    """Returns whether a person is seen in enough images of a story."""
    seen = sum(score >= least_score for score in scores)
    # Rounded: 0.6 of five is three images, and 0.6 * 5 a little less or more than 3.
    return seen >= round(least_share * len(scores), 9)


def unambiguous_groups(
    similarity: Any, margin: float = 0.0
) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
    """Returns the pairs and triples of positions whose images and texts cannot be confused.

    Source: footnote 5 of the paper: in a pair, each image is more similar to its own text than to the other
    one, and each text to its own image. A triple holds if its three pairs do, which is what the official
    `check_triple_similarity` asks for.
    """
    n = len(similarity)

    def apart(i: int, j: int) -> bool:
        own = min(similarity[i, i], similarity[j, j])
        return bool(own - max(similarity[i, j], similarity[j, i]) > margin)

    pairs = [pair for pair in itertools.combinations(range(n), 2) if apart(*pair)]
    held = set(pairs)
    triples = [
        (i, j, k) for i, j, k in itertools.combinations(range(n), 3) if {(i, j), (i, k), (j, k)} <= held
    ]
    return pairs, triples


def one_of_each_sequence(stories: Iterable[Story]) -> list[Story]:
    """Returns one story of each image sequence: the shortest, for VIST the longest; sorted by sequence.

    Of equally long ones the first; the official scripts draw one at random with a fixed seed.
    """
    groups: dict[tuple[str, str], list[Story]] = {}
    for story in stories:
        groups.setdefault((story.source, story.group), []).append(story)

    def length(story: Story) -> int:
        words = sum(len(caption.split()) for caption in story.captions)
        return -words if story.source == "vist" else words

    return [min(group, key=length) for _, group in sorted(groups.items())]


def name_test(texts: Iterable[str]) -> NameTest:
    """Returns the test whether a sentence begins with a proper name.

    The official generator uses spaCy's tagger. Here a word is a name if it has a capital in more than half of
    its places in `texts` that are not the beginning of a sentence. The cartoons' characters are
    always names, because their captions are in lower case.
    """
    capital: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            for word in re.findall(r"[^\W\d_]+", sentence)[1:]:
                total[word.lower()] += 1
                capital[word.lower()] += word[0].isupper()
    names = {word for word, count in total.items() if capital[word] > count / 2}

    def opens_with_name(event: str) -> bool:
        first = re.match(r"\W*([^\W\d_]+)", event)
        return characters.opens_with_name(event) or bool(first and first[1].lower() in names)

    return opens_with_name
