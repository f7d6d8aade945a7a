"""Finds the order of two steps: the name of the class, a statement about the steps, or three answers."""

import bisect
import itertools
import re

from tempbench_lmms.parsing.lexicon import Word, roles
from tempbench_lmms.parsing.mentions import Mention
from tempbench_lmms.parsing.tokens import Span, Text, is_empty

Named = list[tuple[int, int, str]]
Asked = list[tuple[int, int, tuple[str, ...]]]
_STEP = re.compile(
    r"(?<![^\W_\u2e80-\uffff])(?<![^\W_]['.])([AB])(?![^\W_\u2e80-\uffff]|'[^\W_])"
    r"|(?<![^\W_])(?i:steps?)\s+([abAB12])(?![^\W_])",
)
_OTHER = {"A": "B", "B": "A"}
_HEAD = re.compile(
    r"(?:(?:^|(?<=[\n.;,|]))[\s(*\"'|-]{0,8}|(?<=\s)\(|(?<=\s)(?=\d\)\s))([123])(?:\s*(?:[.:)=|-]|->|→|–|—))(?!\d)"
)
_NUMBER = re.compile(r"\W{0,3}([123])(?!\d)")
_LISTED_BEFORE = re.compile(r"(?<!/)(?:/|\bor)\W{0,3}$")
_LISTED = re.compile(r"[^\w/]{0,2}/(?!/|\s*\d)|\W{0,3}\bor\b")
_MOST_BETWEEN = 90
_JUDGES = roles("is right wrong than and or")
_LENGTHS, _LATE = roles("long short"), roles("after late needs once short")
_TWO = roles("fill image option step total number.2 prep than")
_PLAIN = (
    _TWO
    | roles("is covers between deny not aux likely conclude that relative article only turn also first last")
    | _LENGTHS
)
_NOT_PLAIN = roles("hedge unsure suppose refuse ask deny wrong back switch")


def steps(text: Text) -> Named:
    """Returns where the two steps are named."""
    found = []
    for one in _STEP.finditer(text.text):
        letter = one[1] or one[2].upper()
        found.append((one.start(), one.end(), {"1": "A", "2": "B"}.get(letter, letter)))
    return found


def compared(text: Text, named: Named, longer: bool = False) -> list[Mention]:
    """Returns the statements about which of two named things comes first: "before" if the first does.

    With `longer`, those about which is the longer one: "before" if the first is.
    """
    if longer:
        lengths = (word for word in text.words if word.roles & _LENGTHS and "equal" not in text.roles)
        return [one for word in lengths if _of_time(text, word) for one in _ordered(text, word, named)]
    return [one for one in _stated(text, named) if one.form == "stated"]


def _of_time(text: Text, word: Word) -> bool:
    """Returns whether a word for a length speaks of time: not "in pair 1 shadows are longer"."""
    noun = text.after(word.end, 1) if "than" not in word.roles else None
    return not (noun and noun.roles & roles("image option")) and not re.search(
        r"[^\W\d_]", text.without(*_scope(text, word)[1], _PLAIN)
    )


def find(text: Text) -> list[Mention]:
    """Returns the places that state a class; if a reply reviews its answer, only those that count."""
    found = _stated(text, steps(text))
    last = max((one.end for one in found), default=len(text.text))
    return [] if text.has("refuse undecided", last, len(text.text)) else _reviewed(text, found)


def _reviewed(text: Text, found: list[Mention]) -> list[Mention]:
    """Returns the mentions after a reply's reflection, or those before it if the reflection keeps them."""
    heads = [w.end for w in text.words if "review" in w.roles]
    if not heads:
        return found
    head = heads[-1]
    before, behind = [o for o in found if o.end <= head], [o for o in found if o.start >= head]
    said = "answer conclude final"
    announced = [one for one in behind if text.has(said, max(head, one.start - 40), one.start)]
    if announced:
        return announced
    plain = [
        sentence
        for i, sentence in enumerate(text.sentences)
        if sentence.end > head and not text.asks[i] and not text.said(i) & _NOT_PLAIN
    ]
    keeps = any(text.has("keep", max(head, start), end) for start, end in plain)
    return before if keeps else behind


def _stated(text: Text, named: Named) -> list[Mention]:
    pairs = itertools.pairwise(named)
    arrows = [(a, b) for a, b in pairs if text.text[a[1] : b[0]].strip(" ()") in ("→", "->", "=>", ">")]
    found = [_of(a[2], False, a[0], b[1]) for a, b in arrows]
    starts = {start for start, _, _ in named}
    for word in text.words:
        if word.start in starts:
            continue
        if "parallel" in word.roles:
            found.append(Mention("independent", word.start, word.end, "class"))
        elif word.roles & roles("first last"):
            left, right = _beside(text, word, named)
            found += [_of(one[2], "first" not in word.roles, *word[:2]) for one in (left or right)[:1]]
        elif word.roles & roles("before early feeds after late needs once then"):
            found += _ordered(text, word, named)
    return sorted(found, key=lambda one: one.start)


def _scope(text: Text, word: Word) -> tuple[Span, Span]:
    number = text.sentence(word.start)
    clauses = text.clauses(text.sentences[number])
    return text.sentences[number], clauses[bisect.bisect_right(clauses, (word.start, len(text.text))) - 1]


def _beside(text: Text, word: Word, named: Named) -> tuple[Named, Named]:
    """Returns the steps that belong to a word: left of it and right of it, the nearest first."""
    clause = _scope(text, word)[1]
    first = bisect.bisect_left(named, (word.start - 2 * _MOST_BETWEEN, 0, ""))
    named = named[first : bisect.bisect_left(named, (word.end + 2 * _MOST_BETWEEN, 0, ""))]
    left = [one for one in named if clause.start <= one[0] and one[1] <= word.start][::-1]
    right = [one for one in named if word.end <= one[0] and one[1] <= max(clause.end, word.end)]
    if len(left) > 1:
        # "The relation of A to B is after", and "A [is] B after" in Chinese, Japanese and Korean.
        joins = text.within(left[0][1], word.start)
        to = joins and "is" in joins[-1].roles
        left = left[1:] if to or text.text[word.start] >= "\u2e80" else left
    return left, right


def _ordered(text: Text, word: Word, named: Named) -> list[Mention]:
    left, right = _beside(text, word, named) if named else ([], [])
    late = bool(word.roles & _LATE) and not ("then" in word.roles and right)  # "A, danach B"
    if not left and not right:
        return _class(text, word, late)
    behind, clause = "postposed" in word.roles, _scope(text, word)[1]
    late = late != bool(left and right and behind)  # "先B后A"
    adjective = (
        word.roles & (_LENGTHS | roles("early late"))
        and text.text[word.start] < "\u2e80"
        and "than" not in word.roles
    )
    ended = behind or text.filled(word.end, clause.end, _TWO if adjective else "fill")
    if not right and (word.roles & roles("needs feeds") or not ended):
        return []
    itself = not left and (text.has("is", word.end, right[0][0]) or (adjective and word.roles & _LENGTHS))
    step = left[0][2] if left else right[0][2] if itself else _OTHER[right[0][2]]
    unable = _unable(text, word, clause.start)
    turned = unable is not word and "once" not in word.roles
    return [_of(step, late != turned, unable.start, word.end)]


def _unable(text: Text, word: Word, start: int) -> Word:
    """Returns the "cannot" that a statement depends on, or the statement's own word.

    "B cannot be done before A" puts it after, as "B can't start until A is done" does.
    """
    apart = word.roles & roles("needs feeds") or text.has(
        "and that relative conclude turn because suppose", start, word.start
    )
    found = [one for one in text.within(start, word.start) if "unable" in one.roles and not apart]
    return found[-1] if found else word


def _of(step: str, late: bool, start: int, end: int) -> Mention:
    return Mention("after" if (step == "A") == late else "before", start, end, "stated")


def _class(text: Text, word: Word, late: bool) -> list[Mention]:
    sentence, clause = _scope(text, word)
    before, behind = text.before(word.start, word.start - clause.start), text.after(word.end, 2)
    start, rest = before.end if before else clause.start, text.text[word.end : sentence.end]
    leads = "then" in word.roles and rest[:1] == ","  # "After that, "
    ends = not leads and not re.match(r"[ \"'*]{0,2}[^\W_\u2e80-\uffff]", rest)
    ends = ends or bool(behind and behind.roles & _JUDGES)
    if not (is_empty(text.text[start : word.start]) and ends and word.roles & roles("before after")):
        return []
    return [Mention("after" if late else "before", word.start, word.end, "class")]


def triple(text: Text) -> str | None:
    """Returns the class that three answers make, "other" if they make none; None if one is missing.

    If a question is answered again after words that retract, the last answer counts. A further set of
    questions after a complete one is an invented example.
    """
    asked, said = _questions(text), _answers(text)
    if not asked:
        if len(said := _answers(text, single=False)) != 3:
            return None
        gaps = "".join(text.text[a[1] : b[0]] for a, b in itertools.pairwise(said)).replace(" and ", "")
        own = {n for one in said if _stands(text, n := text.sentence(one[0]), *one[:2])}
        alone = not any(sign.isalpha() for sign in gaps) or len(own) == 3
        return _class_of([one[2] for one in said]) if alone else None
    answers: dict[str, str] = {}
    example = re.match(r"\W*Examples?\b", text.text, re.IGNORECASE)
    start = said[0] if said else (0, 0, "")
    forward = asked[0][0] <= start[0] or bool(re.search(r"[.:;\n]", text.text[start[1] : asked[0][0]]))
    for end, numbers, kind in _paired(text, asked, said, forward):
        if "rest" in numbers:
            numbers = tuple(n for n in "123" if (n in numbers or len(numbers) == 1) and n not in answers)
        # A new set of questions behind a whole one is an invented example.
        if len(answers) == 3 and not example and not text.has("back switch turn final", asked[0][0], end):
            break
        answers.update(dict.fromkeys(numbers, kind))
    return _class_of([answers[n] for n in "123"]) if len(answers) == 3 else None


def _stands(text: Text, sentence: int, start: int, end: int) -> bool:
    """Returns whether an answer is the first or the last thing in its sentence."""
    return text.begins(sentence, start) or is_empty(text.text[end : text.sentences[sentence].end])


def _questions(text: Text) -> Asked:
    found: Asked = []
    places: Asked = []
    for word in text.words:
        if "question" in word.roles and (number := _NUMBER.match(text.text, word.end)):
            found.append((word.start, number.end(), (number[1],)))
        elif "rest" in word.roles:
            found.append((word.start, word.end, ("rest",)))
        elif place := next((n for n in "123" if f"ordinal.{n}" in word.roles), ""):
            places.append((word.start, word.end, (place,)))
    found += [(one.start(1), one.end(), (one[1],)) for one in _HEAD.finditer(text.text)]
    if not any(one[2] != ("rest",) for one in found):
        found += places
    joined: Asked = []
    for one in sorted(found):
        gap = text.text[joined[-1][1] : one[0]] if joined else "."
        if not re.search(r"[.:;\n]", gap) and not text.has("yes no unsure", joined[-1][1], one[0]):
            joined[-1] = (joined[-1][0], one[1], (*joined[-1][2], *one[2]))
        else:
            joined.append(one)
    return joined


def _answers(text: Text, single: bool = True) -> list[tuple[int, int, str]]:
    found = []
    for word in text.words:
        kind = next((k for k in ("unsure", "yes", "no") if k in word.roles), "")
        if "affirm" in word.roles and not re.match(r"\w|:", text.text[word.end : word.end + 1]):
            kind = "yes"
        before = text.text[max(0, word.start - 8) : word.start]
        listed = kind and single and (_LISTED_BEFORE.search(before) or _LISTED.match(text.text, word.end))
        if kind and not listed and not text.asks[text.sentence(word.start)]:
            found.append((word.start, word.end, kind))
    return found


def _paired(text: Text, asked: Asked, said: Named, forward: bool) -> list[tuple[int, tuple[str, ...], str]]:
    """Returns, for each answered question, its end, its number and the answer."""
    pairs = []
    for i, (start, end, numbers) in enumerate(asked):
        until = asked[i + 1][0] if i + 1 < len(asked) else len(text.text)
        until = min([until, *(w.start for w in text.words if "note" in w.roles and w.start > end)])
        here = [one for one in said if (end <= one[0] < until if forward else one[1] <= start)]
        after = zip([end, *(one[1] for one in here)], here, strict=False)
        announced = [one for last, one in after if text.has("answer back", max(last, one[0] - 24), one[0])]
        if here:
            picked = announced[-1] if forward and announced else here[0 if forward else -1]
            pairs.append((picked[1], numbers, picked[2]))
    return pairs


def _class_of(given: list[str]) -> str:
    if sorted(given) != ["no", "no", "yes"]:
        return "other"
    return "before" if given[0] == "yes" else "after" if given[1] == "yes" else "independent"
