"""Agreement of several respondents beyond what chance gives: Cohen's and Fleiss' kappa."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def same_share(answers: Sequence[Sequence[Hashable]]) -> float:
    """Returns the share of pairs of respondents who gave the same answer, averaged over the questions.

    Args:
        answers: One row a question with one answer a respondent, at least two.

    Returns:
        From 0 to 1; NaN for no question.

    >>> same_share([["A", "A"], ["A", "B"]])
    0.5
    """
    if not answers:
        return math.nan
    pairs = [len(row) * (len(row) - 1) for row in answers]
    agreeing = [sum(n * (n - 1) for n in Counter(row).values()) for row in answers]
    return sum(a / p for a, p in zip(agreeing, pairs, strict=True)) / len(answers)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Returns Cohen's kappa of two respondents.

    (p_o - p_e) / (1 - p_e), where p_o is the share of equal answers, and p_e the share that two respondents
    would have who answer by chance, each with the frequencies of their own answers.

    Args:
        first: The first one's answers; categories without an order.
        second: The second one's, to the same questions.

    Returns:
        From -1 to 1, 0 for as much as by chance; NaN where both give one same answer throughout, or nothing.

    Source: Cohen 1960, A coefficient of agreement for nominal scales.

    >>> cohen_kappa("AABB", "AABA")
    0.5
    """
    n, of_second = len(first), Counter(second)
    differing = sum(one != other for one, other in zip(first, second, strict=True))
    by_chance = n * n - sum(count * of_second[value] for value, count in Counter(first).items())
    return 1 - n * differing / by_chance if by_chance else math.nan


def fleiss_kappa(answers: Sequence[Sequence[Hashable]]) -> float:
    """Returns Fleiss' kappa of any number of respondents.

    (P - P_e) / (1 - P_e), where P is `same_share`, and P_e the sum of the squared frequencies of the
    categories over all answers.

    Args:
        answers: One row a question with one answer a respondent; rows of one length, at least two.

    Returns:
        At most 1, 0 for as much as by chance; NaN where all answers are one, or there is none.

    Raises:
        ValueError: Rows differ in length, or have fewer than two answers.

    Source: Fleiss 1971, Measuring nominal scale agreement among many raters.

    >>> fleiss_kappa([["A", "A", "A"], ["B", "B", "B"]])
    1.0
    """
    if len({len(row) for row in answers}) > 1 or any(len(row) < 2 for row in answers):
        raise ValueError("every question needs the same number of answers, at least two")
    counts = Counter(value for row in answers for value in row)
    if len(counts) < 2:
        return math.nan
    total = sum(counts.values())
    by_chance = sum((n / total) ** 2 for n in counts.values())
    return (same_share(answers) - by_chance) / (1 - by_chance)
