"""Finds how two steps stand to each other: the class by its name, or by what is said of Step A and Step B."""

import re

from tempbench_lmms.parsing.lexicon import Word
from tempbench_lmms.parsing.mention import Mention
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.tokens import Text

CLASSES = ("before", "after", "independent")
_STEP = lazy(
    r"(?<![^\W_])([AB])(?![^\W_]|'[^\W_])|(?<![^\W_])step\s+([ab])(?![^\W_])", re.IGNORECASE | re.ASCII
)
_OTHER = {"A": "B", "B": "A"}
_QUESTION = lazy(
    r"(?:^|(?<=[\s(*\"'{,;|]))(?:(?:Q(?:uestion)?|P|F|A|Answer|问题|問|質問|질문|В)\s?\.?([123])(?!\d|[^\W\d_])"
    r"|([123])(?:\s*(?:[.:)=|-]|->|→|–|—)))",
    re.IGNORECASE,
)
_ANSWERS = frozenset(("yes", "no", "unsure", "true", "false"))


def steps(text: Text) -> list[tuple[int, int, str]]:
    """Returns where the two steps are named."""
    found = []
    for one in _STEP.finditer(text.text):
        letter = (one[1] or one[2]).upper()
        if one[1] == "a" or (
            one[1] == "A" and re.match(r"\s[a-z]", text.text[one.end() :]) and not _verb(text, one.end())
        ):
            continue
        if one[1] == "b":
            continue
        found.append((one.start(), one.end(), letter))
    for word in text.words:
        after = next(iter(text.within(word.end, word.end + 10)), None)
        if after and "step" in after.roles and after.start <= word.end + 1:
            if "ordinal.1" in word.roles:
                found.append((word.start, after.end, "A"))
            elif "ordinal.2" in word.roles:
                found.append((word.start, after.end, "B"))
    return sorted(found)


def _verb(text: Text, place: int) -> bool:
    after = next(iter(text.within(place, place + 16)), None)
    return (
        after is not None
        and after.start <= place + 1
        and bool(
            after.roles
            & {"is", "before", "after", "and", "or", "must", "deny", "first", "last", "because", "prep"}
        )
    )


def compared(text: Text, named: list[tuple[int, int, str]], more: str = "", less: str = "") -> list[Mention]:
    """Returns what is said of which of two named things comes first: "before" where it is the first.

    With the roles `more` and `less`, what is said of which has more: "before" where the first has.
    """
    found = []
    for word in text.words:
        if any(start <= word.start < end for start, end, _ in named):
            continue
        if more:
            if word.roles & {more, less}:
                found += _placed(text, word, named, more in word.roles)
            continue
        early, late = bool(word.roles & {"before", "early"}), bool(word.roles & {"after", "late"})
        if early != late:
            found += [one for one in _ordered(text, word, named, early) if one.form == "stated"]
        elif word.roles & {"first", "last"}:
            found += _placed(text, word, named, "first" in word.roles)
    if not more:
        found += _arrows(text, named)
    return found


def _arrows(text: Text, named: list[tuple[int, int, str]]) -> list[Mention]:
    """Returns what an arrow, or "then", between two things says."""
    found = []
    for (start, end, one), (begin, stop, other) in zip(named, named[1:], strict=False):
        between = text.text[end:begin].strip(" ,\"'")
        then = text.has(frozenset(("then",)), end, begin) and len(between) < 10
        if one != other and (between in {"→", "->", "⇒", "=>"} or then):
            found.append(Mention("before" if one == "A" else "after", start, stop, "stated"))
    return found


def find(text: Text) -> list[Mention]:
    """Returns the places that state a class."""
    named = steps(text)
    found = []
    for word in text.words:
        early, late = bool(word.roles & {"before", "early"}), bool(word.roles & {"after", "late"})
        if "parallel" in word.roles:
            found.append(Mention("independent", word.start, word.end, "class"))
        elif early != late:
            found += _ordered(text, word, named, early)
        elif word.roles & {"first", "last"} and word.roles.isdisjoint({"image"}):
            found += _placed(text, word, named, "first" in word.roles)
    return found


def _beside(text: Text, word: Word, named: list[tuple[int, int, str]]) -> tuple[str, str]:
    """Returns the steps named next to a word, left in its sentence and right in its clause; empty for none."""
    sentence = text.sentences[text.sentence(word.start)]
    clause = next(c for c in text.clauses(sentence) if c.start <= word.start < c.end)
    left = [one for one in named if sentence.start <= one[0] and one[1] <= word.start]
    right = [one for one in named if word.end <= one[0] and one[1] <= max(clause.end, word.end)]
    if (
        len(left) > 1
        and left[-2][2] != left[-1][2]
        and text.has(frozenset(("than",)), left[-2][1], left[-1][0])
    ):
        return left[-2][2], left[-1][2]
    return (left[-1][2] if left else "", right[0][2] if right else "")


def _ordered(text: Text, word: Word, named: list[tuple[int, int, str]], early: bool) -> list[Mention]:
    left, right = _beside(text, word, named)
    if left == right != "":
        return []
    # "Before B, ..." leaves the other step first, and "earlier is B" B itself.
    step = left or (right if right and _is_between(text, word, named) else _OTHER[right] if right else "A")
    ends = text.text[word.end : word.end + 2].strip(" \"'")[:1]
    if bool(left) != bool(right) and not right and (ends.isalnum() or ends == ":"):
        return []
    form = "stated" if left or right else "class"
    return [Mention("before" if (step == "A") == early else "after", word.start, word.end, form)]


def _placed(text: Text, word: Word, named: list[tuple[int, int, str]], first: bool) -> list[Mention]:
    left, right = _beside(text, word, named)
    step = left or right
    return (
        [Mention("before" if (step == "A") == first else "after", word.start, word.end, "stated")]
        if step
        else []
    )


def triple(text: Text) -> str | None:
    """Returns the class that three answers make, "other" where they make none; None where one lacks.

    A question that is answered again behind words that take back counts as it was answered last; a new set of
    questions behind a whole one is an invented example.
    """
    answers: dict[str, str] = {}
    heads = list(_QUESTION.finditer(text.text))
    for i, one in enumerate(heads):
        end = heads[i + 1].start() if i + 1 < len(heads) else len(text.text)
        said = _answer(text, one.end(), end)
        number = one[1] or one[2]
        again = number in answers
        if (
            again
            and len(answers) == 3
            and not text.has(
                frozenset(("back", "switch", "turn", "final")), heads[0].start(), one.start() + 30
            )
        ):
            break
        if said:
            answers[number] = said
    if set(answers) != {"1", "2", "3"}:
        return _bare(text) if not heads else None
    return _class_of([answers[n] for n in "123"])


def _bare(text: Text) -> str | None:
    """Returns the class that three answers in a row make."""
    said = [w for w in text.words if w.roles & {"yes", "no", "unsure"}]
    for i in range(len(said) - 2):
        run = said[i : i + 3]
        between = text.text[run[0].end : run[1].start] + text.text[run[1].end : run[2].start]
        if not any(sign.isalpha() for sign in between) and len(said) == 3:
            return _class_of([_kind(word) for word in run])
    return None


def _class_of(given: list[str]) -> str:
    return CLASSES[given.index("yes")] if sorted(given) == ["no", "no", "yes"] else "other"


def _kind(word: Word) -> str:
    return "unsure" if "unsure" in word.roles else "yes" if word.roles & {"yes", "true"} else "no"


def _answer(text: Text, start: int, end: int) -> str:
    """Returns the first answer in a stretch: yes, no or unsure; empty where there is none."""
    if re.match(r"[^\n]{0,40}/", text.text[start:end]):
        return ""
    for word in text.within(start, end):
        if word.roles & _ANSWERS and (word.roles & {"yes", "true", "unsure"}) != (
            word.roles & {"no", "false"}
        ):
            return _kind(word)
    return ""


def _is_between(text: Text, word: Word, named: list[tuple[int, int, str]]) -> bool:
    right = next((one[0] for one in named if one[0] >= word.end), word.end)
    return text.has(frozenset(("is",)), word.end, right) or text.text[word.end : right].strip(" \"'*") == ":"
