"""The answers of TimePerceptBench: an image's number, an ordering, True or False, or an option letter."""

from collections.abc import Callable, Sequence

from tempbench_lmms.parsing.boolean import parse_boolean
from tempbench_lmms.parsing.choice import parse_choice
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.number import parse_index
from tempbench_lmms.parsing.permutation import parse_permutation
from tempbench_lmms.parsing.stated import stated_answer


def parse(reply: str, test: str, options: Sequence[str], n_images: int) -> str | None:
    """Returns the answer in the form of the column `answer`, or None where the reply states none.

    Args:
        reply: The model's reply, reasoning included.
        test: One of `prompts.TESTS` or `prompts.CONTROLS`.
        options: The options' texts; empty where the question has none.
        n_images: The number of images shown.

    >>> parse("Image 3 has fewer houses. Answer: 2, 1, 3", "isr", (), 3)
    '2, 1, 3'
    """
    if test == "isr":
        return _joined(parse_permutation(reply, [str(i + 1) for i in range(n_images)]))
    if test == "ipr":
        return _joined(parse_permutation(reply, "ABC", quantities=True))
    if test in ("sov", "pov", "pic"):
        truth = parse_boolean(reply)
        return None if truth is None else str(truth)
    if test == "tal":
        index = _stated_first(lambda text: parse_index(text, n_images), reply)
        return None if index is None else str(index)
    letters = "ABCD" if test == "eii" else "ABCDEF"[: len(options)]
    shown = [f"Pair {letter}" for letter in letters] if test == "eii" else options
    return _stated_first(lambda text: parse_choice(text, letters, shown), reply)


def _joined(order: tuple[str, ...] | None) -> str | None:
    return None if order is None else ", ".join(order)


def _stated_first(read: Callable[[str], int | str | None], reply: str) -> str | None:
    """Reads what stands behind the last "Answer:", and the whole reply where that says nothing.

    A reasoning names many images and options on its way.
    """
    text = final_answer(reply)
    if text is None:
        return None
    stated = stated_answer(text)
    found = read(stated) if stated else None
    if found is None:
        found = read(text)
    return None if found is None else str(found)
