"""How TempVS makes questions from a story: statements, options, and the prompts' wording.

Source: the official generator (`generate_prompts.py`); every choice is a function of a question's running
number `index` within its source and test, so that a release can be checked against the rule. See
`tempbench_lmms/tempvs/README.md` for where the generator differs from the paper.
"""

import functools
import itertools
import random
import re
import string
from collections.abc import Callable, Sequence

from tempbench_lmms.tempvs.card import NON_EVENTS, STATEMENTS

PAIR_TYPES = STATEMENTS["mt1_two"]
TRIPLE_TYPES = STATEMENTS["mt1_three"]
TRUE_FALSE = (("True", "False"), ("True", "False"), ("False", "True"), ("False", "True"))

INVALID_EVENT = re.compile("|".join(NON_EVENTS), re.IGNORECASE)

NameTest = Callable[[str], bool]


def _capital(event: str) -> str:
    # str.capitalize also lowers the rest ("A dog barked at dino"): so the official generator.
    return event.capitalize().rstrip(".,;!?")


def _inner(event: str, is_name: NameTest) -> str:
    """Returns an event for the middle of a sentence: with a small first letter unless it is a name."""
    bare = event.rstrip(".,;!?")
    return bare if is_name(event) else bare[:1].lower() + bare[1:]


def pair_statement(first: str, second: str, kind: str, is_name: NameTest) -> str:
    """Returns the statement of Table 1 that puts `first` before `second`.

    Args:
        first: The event that the statement puts first. For a false statement, pass the events swapped.
        second: The event that the statement puts second.
        kind: One of `PAIR_TYPES`.
        is_name: Whether an event opens with a name; the official generator asks a part-of-speech tagger.
    """
    if kind == "after":
        return f"{_capital(second)} after {_inner(first, is_name)}."
    if kind == "before":
        return f"{_capital(first)} before {_inner(second, is_name)}."
    if kind == "then":
        return f"{_capital(first)}. Then, {_inner(second, is_name)}."
    if kind == "earlier":
        return f"{_capital(second)}. Earlier, {_inner(first, is_name)}."
    return f"{_capital(first)}. {_capital(second)}."


def triple_statement(events: Sequence[str], kind: str, is_name: NameTest) -> str:
    """Returns the statement of Table 1 that gives three events in this order.

    As in the official generator, "Thereafter" replaces the paper's "Finally", and a comma follows the second
    event only if it begins with a name.
    """
    one, two, three = events
    if kind == "beforeafter":
        comma = "," if is_name(two) else ""
        return (
            f"{_capital(one)} before {_inner(two, is_name)}{comma} and after that, {_inner(three, is_name)}."
        )
    if kind == "laterfinally":
        return f"{_capital(one)}. Later, {_inner(two, is_name)}. Thereafter, {_inner(three, is_name)}."
    if kind == "firstsecondthird":
        return f"First, {_capital(one)}. Second, {_inner(two, is_name)}. Third, {_inner(three, is_name)}."
    return f"{_capital(one)}. {two.rstrip('.,;!?')}. {three.rstrip('.,;!?')}."


def wrong_triple(events: Sequence[str], index: int) -> list[str]:
    """Returns one of the five wrong orders of three events, as the official generator draws it."""
    pre, mid, post = events
    orders = [[mid, pre, post], [mid, post, pre], [pre, post, mid], [post, pre, mid], [post, mid, pre]]
    return random.Random(index).choice(orders)


def true_false(index: int, truth: bool) -> tuple[tuple[str, str], str]:
    """Returns the two options of the `index`-th MT1 question and the letter of the right one."""
    options = TRUE_FALSE[index % 4]
    return options, "AB"[options.index("True" if truth else "False")]


def shuffled_order(n: int, index: int) -> tuple[list[int], list[str]]:
    """Returns how the `index`-th ordering question presents n items.

    Returns:
        The 0-based items in the order shown; the letters a, b, ... of the shown items in true order.
    """
    order = list(range(n))
    random.Random(index).shuffle(order)
    return order, [string.ascii_lowercase[order.index(item)] for item in range(n)]


@functools.lru_cache(maxsize=64)
def _first_orders(n: int, index: int) -> tuple[tuple[str, ...], ...]:
    """Returns the orders that come first when all are shuffled, by the state that `shuffled_order` leaves.

    Four tests ask it with one number, and of nine letters there are 362,880 orders to shuffle.
    """
    generator = random.Random(index)
    generator.shuffle(list(range(n)))
    # The official generator permutes the labels in the order of the right answer, not a, b, c, ...
    permutations = list(itertools.permutations(string.ascii_lowercase[:n]))
    generator.shuffle(permutations)
    return tuple(permutations[:10])


def ordering_options(letters: Sequence[str], index: int, prefix: str) -> tuple[list[str], str]:
    """Returns the five options of the `index`-th ordering question and the letter of the right one."""
    right = tuple(letters)
    wrong = [order for order in _first_orders(len(letters), index) if order != right][:4]
    position = index % 5
    orders = [*wrong[:position], right, *wrong[position:]]
    return [" -> ".join(f"{prefix} {letter}" for letter in order) for order in orders], "ABCDE"[position]
