"""The prompts of TimePerceptBench, written for this project: the paper prints none.

Every prompt says in which direction an ordering goes and in which form the answer is wanted. The paper's
GPT-4o mini got a PNR of 0.31, which is an order given backwards ("systematic misunderstanding of the ordering
direction", section V.2).
"""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.data.questions import Turned, turned
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.timepercept.card import INTERVALS, LAPSES, PAIRS

STYLES = ("direct", "cot")

_QUESTIONS = {
    "tal": (
        "The {n} satellite images are numbered in the order shown. All but one show the same place and "
        "are in chronological order, from the earliest to the latest. One image does not belong where it "
        "stands: it was taken at another time than its position says, or it shows another place. Which "
        "one is it?"
    ),
    "isr": (
        "The {n} satellite images show the same place at different times. They are numbered in the order "
        "shown, which is not the order in which they were taken. Put them in chronological order, from "
        "the earliest (oldest) image to the latest (newest) image."
    ),
    "sov": (
        "The {n} satellite images show the same place at different times. Statement: the images are shown "
        "in chronological order, Image 1 being the earliest and Image {n} the latest. Is the statement "
        "true or false?"
    ),
    "pov": (
        "The two satellite images show the same place at different times. Statement: Image 1 was taken "
        "before Image 2. Is the statement true or false?"
    ),
    "tpl": (
        "The satellite images show the same place. A sequence of five images at about equal intervals of "
        "time, in chronological order, has lost two of its images. The first three images shown are those "
        "at positions 1, 3 and 5 of the sequence. The fourth image, the query image, is one of the lost "
        "ones. At which position does it stand?"
    ),
    "ice": (
        "The two satellite images show the same place; Image 1 was taken before Image 2. How much time "
        "lies between them?"
    ),
    "pic": (
        "There are two pairs of satellite images. The two images of a pair show the same place at "
        "different times, the earlier one first; the pairs show different places. The first two images "
        "shown are Pair 1, the next two are Pair 2. Statement: more time lies between the two images of "
        "Pair 1 than between the two images of Pair 2. Is the statement true or false?"
    ),
    "ipr": (
        "There are three pairs of satellite images, A, B and C, shown one after the other. The two images "
        "of a pair show the same place at different times, the earlier one first; the pairs show "
        "different places. Rank the pairs by the time between their two images, from the shortest to the "
        "longest."
    ),
    "eii": (
        "There are four pairs of satellite images, A, B, C and D, shown one after the other. The two "
        "images of a pair show the same place at different times, the earlier one first; the pairs show "
        "different places. In which pair does the longest time lie between the two images?"
    ),
    "ucm": "Which class of land use does the aerial image show?",
    "transfer_order": "Which of the two images shows what happened first?",
    "transfer_lapse": (
        "The two images show the same thing at two times. Estimate how much time has passed between the "
        "first image and the second."
    ),
}

_LETTER = "the letter of the option"
_BOOLEAN = "the word True or the word False"
_FORMATS = {
    "tal": 'the number of that image, in the form "Image N"',
    "isr": "the image numbers in that order, separated by commas, the earliest first and the latest last",
    "sov": _BOOLEAN,
    "pov": _BOOLEAN,
    "pic": _BOOLEAN,
    "ipr": (
        "the letters of the three pairs in that order, separated by commas, the shortest time first and the "
        "longest last"
    ),
    "eii": "the letter of that pair",
}
_POSITIONS = (
    "position 2, between the first and the second image shown",
    "position 4, between the second and the third image shown",
)
_FIXED_OPTIONS = {
    "tpl": _POSITIONS,
    "ice": tuple(name for name, _ in INTERVALS),
    "transfer_order": ("the first image", "the second image"),
    "transfer_lapse": LAPSES,
}


def options(doc: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the texts of options A, B, ...; empty where the answer is no option."""
    return tuple(doc.get("options") or ()) or _FIXED_OPTIONS.get(doc["test"], ())


def rotated(doc: Mapping[str, Any], by: int) -> Turned | None:
    """Returns a question with its options moved by some places; None where the answer is no option.

    The pictures stay where they are: an option that names one by its place still names it.
    """
    return turned(doc, by, options(doc))


def labels(doc: Mapping[str, Any]) -> list[str]:
    """Returns what is written before each image when text and images alternate."""
    test, n = doc["test"], len(doc["images"])
    if test == "ucm":
        return ["Image"]
    if test == "tpl":
        return ["Position 1", "Position 3", "Position 5", "Query image"]
    if PAIRS.get(test, 0) > 1:
        names = "12" if test == "pic" else "ABCD"
        return [f"Pair {names[i // 2]}, {('earlier', 'later')[i % 2]} image" for i in range(n)]
    return [f"Image {i + 1}" for i in range(n)]


def wording(doc: Mapping[str, Any]) -> str:
    """Returns the lines of a question in all styles: who reads a reply need not know how it was asked."""
    return "\n".join(build(doc, style) for style in STYLES)


def build(doc: Mapping[str, Any], style: str = "direct") -> str:
    """Returns the text of a question, which follows the images; `cot` asks for reasoning first."""
    if style not in STYLES:
        raise TempbenchError(f"unknown style {style!r}; choose one of {', '.join(STYLES)}")
    test = doc["test"]
    lines = [_QUESTIONS[test].format(n=len(doc["images"]))]
    lines += [f"{letter}. {text}" for letter, text in zip("ABCDEF", options(doc), strict=False)]
    wanted = _FORMATS.get(test, _LETTER)
    if style == "cot":
        lines.append(
            "Think step by step: describe what changes from image to image and what it says about time. Then "
            f'give your answer in a last line that begins with "Answer:" and goes on with {wanted}.'
        )
    else:
        lines.append(f"Answer with {wanted}, and nothing else.")
    return "\n".join(lines)
