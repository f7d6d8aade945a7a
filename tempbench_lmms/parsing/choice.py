"""The letter of a multiple-choice answer.

The patterns are tried from the most explicit to the least. A tier decides where it names exactly one
option; where it names several the reply is ambiguous and None is returned. A letter alone in running text
counts only where it cannot be a word: "A man ..." is not option A.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from tempbench_lmms.parsing.boolean import parse_boolean
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.text import normalise

_NEGATION = re.compile(
    r"(?:\bnot|n't|\bneither|\bnor|\bexcept|\bexclud\w*|\beliminat\w*|\brule[sd]? out|\bunlike|\bthan)\s*"
    r"(?:be\s*|is\s*|option\s*|choice\s*|answer\s*|the\s*)*[\"'(\[]?$",
    re.IGNORECASE,
)
# "It might be A", "if so, it would be A" state nothing, and take its weight from what else is stated alike.
_HEDGE = re.compile(
    r"\b(?:(?:might|may|could)\s+(?:also\s+|well\s+)?be|if\b(?!\s+(?:I|we)\b)[^.!?\n]{0,100}\bwould\s+be)"
    r"\s*(?:option\s*|choice\s*|answer\s*|the\s*)*[\"'(\[]*$",
    re.IGNORECASE,
)
_REJECTED_AFTER = re.compile(
    r"^[\])\"'.:]*\s*(?:is|are|was|would be|seems|can be)\s+(?:\w+\s+)?"
    r"(?:not|incorrect|wrong|false(?![\w;])|inaccurate|out|ruled|eliminated|excluded|impossible)\b",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"^[\])\"'.]*\s*(?:/|,|or\b|and\b|&)\s*(?:(?:maybe|perhaps|possibly|even)\s+)?(?:option\s*|choice\s*)?[\"'(\[]*([A-Z])\b"
)
_CORRECTION = re.compile(
    r"\b(?:wait|actually|final(?:ly)? answer|correction|on second thought|instead)\b", re.IGNORECASE
)
# "The answer is A. True or B. False."
_OTHER = re.compile(r"^[\])\"'.:]*\s*[^.!?\n]{0,40}?\bor\s+(?:option\s*|choice\s*)?[\"'(\[]*([A-Z])[.:)\]]")
# What comes next is a list, and no answer.
_EACH = re.compile(r"\b(?:each|every)\s+(?:\w+\s+)?(?:option|choice|answer|statement)\s*:", re.IGNORECASE)
_BARE = " \t\r\n.,;:!?\"'()[]{}<>*#`-|:"
_NOT_WORDS = re.compile(r"[^\w>]+")
# Where a reply says that its answer comes now, perhaps in the words of an option.
_LEAD = re.compile(
    r"(?:\b(?:answer|option|choice|order|sequence|statement)|答案|答え|정답)\b[\"']*\s*"
    r"(?:is|would be|should be|must be|是|[:：=])+\s*:?\s*",
    re.IGNORECASE,
)
# "Whether the statement is true" says nothing.
_OPEN = re.compile(r"\b(?:whether|if)\s+(?:\w+\s+)?$", re.IGNORECASE)
_BOXED = re.compile(r"\\(?:fbox|boxed)\s*\{+([^{}]{0,300})\}")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_NO_WORD_AFTER = rf"(?!['’]|[^\W{_CJK}])"
_NO_WORD_BEFORE = rf"(?<!['’\-])(?<![^\W{_CJK}])(?<!\bN/)"
# A letter that a word precedes is a name ("Plan B", "vitamin C") unless the word is one of these.
_BEFORE_A_LETTER = re.compile(
    r"is|be|s|so|thus|hence|therefore|say|think|believe|guess|with|over|choose|chose|pick|select|letter|only|then|not|nor|or|and|neither"
    r"|either|both|than|but|as|option|choice|answer|to|for|ist|est|es|è|é|lautet|donc|la|là|adalah",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[ \t]+[\"'(\[]*$")
# What may follow a capital A that is a letter and not an article.
_AFTER_A = (
    "because|since|as|and|or|but|is|not|rather|with|for|due|which|it|here|in|based|where|from|the|on|at|given"
    "|when|while|so|to|by|that|this|if|instead|seems|would|must|matches|fits|describes|over|than"
)


class _Patterns:
    """The patterns for one set of letters, from the most explicit to the least."""

    def __init__(self, letters: str) -> None:
        one = f"[{letters}]"
        any_case = f"[{letters}{letters.lower()}]"
        rest = f"[{letters[1:]}{letters[1:].lower()}]"
        # An "a" is a letter only where no noun can follow it.
        article = (
            rf"(?-i:(A){_NO_WORD_AFTER}(?!\s+(?!(?:{_AFTER_A})\b)[a-z])"
            r"|(a)(?=\s*(?:[.)\]}\"';,:!?](?!\w)|$)))"
        )
        letter = rf"(?:({rest}){_NO_WORD_AFTER}|{article})"
        opening = r"[\"'(\[{<]*\s*"
        verb = r"(?:(?:should|must|would|will)\s+be|is|are|was|ist|est|es|è|é|是|为|は|은|는|[:：=])"
        filler = r"(?:(?:the|most likely|probably|therefore|clearly|definitely)\s+)*:?\s*"
        option = r"(?:option|choice|letter|opci[oó]n|opç[aã]o|opzione|optie|选项|選項|選択肢|选择|选)"
        noun = (
            r"(?:answer|selection|antwort|réponse|respuesta(?: correcta)?|risposta(?: corretta)?|resposta|"
            rf"答案|答え|正解|정답|답|{option})"
        )
        # After "option", any letter is one: "Option A describes ...".
        named = (
            rf"(?:(?:{option})\s*{opening}(?-i:([{letters}{letters[1:].lower()}])){_NO_WORD_AFTER}|{letter})"
        )
        self.option_alone = re.compile(
            rf"(?:option|choice|answer)?\s*:?\s*{opening}({any_case})$", re.IGNORECASE
        )
        self.statements = tuple(
            re.compile(pattern, re.IGNORECASE)
            for pattern in (
                rf"\\(?:fbox|boxed)\s*\{{{{0,3}}\s*(?:option\s*)?{opening}({any_case}){_NO_WORD_AFTER}",
                rf"{noun}[\"']*\s*{verb}\s*:?\s*{filler}{opening}{named}",
                r"\b(?:choose|chose|select|selected|pick|picked|go(?:ing)? with|opt for|would say"
                rf"|leav(?:es|ing))\s+(?:(?:the|answer|only)\s+)*{opening}{named}",
                rf"(?:^|[\s(\[\"'])(?-i:({one}))[)\]\"']*\s+(?:is|seems|would be|must be|appears to be)\s+"
                r"(?:the\s+)?(?:most\s+\w+\s+)?(?:correct|right|best|accurate|answer|true one)\b"
                rf"|{_NO_WORD_BEFORE}(?-i:({one}))\s?(?:(?:选项|選項)?\s?是?(?:正确|正確)|[가이]\s?정답|が正解)",
            )
        )
        # "Option C" somewhere, with no word that it is the answer.
        self.mentioned = re.compile(
            rf"(?:{option}\s*-?\s*{opening}(?-i:([{letters}{letters[1:].lower()}])){_NO_WORD_AFTER}"
            rf"|{noun}\s*-?\s*{opening}{letter})",
            re.IGNORECASE,
        )
        # A line of a letter alone; where the first paragraph is one, what follows explains it.
        line = rf"^(?:[Oo]ption |[Aa]nswer:? )?[\"'(\[]*({one})[\"')\].]*$"
        self.first_line = re.compile(rf"{line}\n\n", re.MULTILINE)
        self.lines = re.compile(line, re.MULTILINE)
        # "B. True", "(B) ..." or "B:" where a line begins.
        self.heads = re.compile(
            rf"^[ ]?[-*>]?[ ]?(?:[\"'(\[]\s*({one})\s*[\"')\]]|({one})\s*[.):\]])(?!\w)", re.MULTILINE
        )
        self.inline_heads = re.compile(rf"(?<!\w)({one})\s*[.):\]]\s*\w")
        self.bracketed = re.compile(rf"[(\[\"']\s*({one})\s*[)\]\"']")
        # A letter in running text may be a word or a name ("Person B enters"): it counts at the end of a
        # clause or next to another one, and where it opens the reply and a reason follows.
        self.standing = re.compile(
            rf"{_NO_WORD_BEFORE}({one})(?=\s*(?:[.,;:!?/)}}&]|$|\n|\b(?:or|and|nor)\b|\b{one}(?!['’\w])))"
            rf"|^({one})(?=\s*(?:[-–—(]|because\b|since\b|as\b|it is\b|rather than\b))"
        )


_patterns = lru_cache(maxsize=8)(_Patterns)


def _options(before: str, letter: str, after: str, letters: str) -> list[str]:
    """Returns the options that `letter` names between two pieces of text.

    None where it is rejected; where it is only held possible, the empty option beside it.
    """
    if _NEGATION.search(before) or _REJECTED_AFTER.match(after):
        return []
    # "Option A or B" names both.
    other = _ALTERNATIVE.match(after) or _OTHER.match(after)
    hedge = [""] if _HEDGE.search(before) else []
    return [*hedge, letter.upper(), *([other.group(1)] if other and other.group(1) in letters else [])]


def _is_name(before: str, after: str, letters: str) -> bool:
    """True where a letter in running text belongs to a name, like "Plan B"."""
    word = _WORD_BEFORE.search(before)
    if not word or word.group(1)[0] > "\u024f" or word.group(1) in letters:
        return False  # no word, one of another script, or another letter
    return not _ALTERNATIVE.match(after) and not _BEFORE_A_LETTER.fullmatch(word.group(1))


def _named(pattern: re.Pattern[str], text: str, letters: str, names: bool = False) -> list[str]:
    """Returns the options that `pattern` names in `text`, in order.

    Args:
        pattern: Its last group that matched is the letter.
        text: The reply.
        letters: The letters on offer.
        names: Whether what it finds may be part of a name.
    """
    found: list[str] = []
    known: dict[tuple[str, str, str], list[str]] = {}  # a reply that loops is looked at once
    for match in pattern.finditer(text):
        start, end = match.span(match.lastindex or 0)
        place = text[max(0, start - 120) : start], text[start:end], text[end : end + 60]
        if place not in known:
            is_name = names and _is_name(place[0], place[2], letters)
            known[place] = [] if is_name else _options(*place, letters)
        found += known[place]
    return found


def _squash(text: str) -> str:
    return _NOT_WORDS.sub(" ", text.replace("->", " > ").replace("→", " > ")).lower().strip()


def _only(found: Iterable[str]) -> str | None:
    """Returns the one option found, None where there are several or none."""
    distinct = set(found)
    return distinct.pop() if len(distinct) == 1 else None


def _in_words(text: str, letters: str, options: Sequence[str]) -> str | None:
    """Returns the option whose words a reply repeats as its answer."""
    parts = [text]
    leads = list(_LEAD.finditer(text))
    if leads and not _OPEN.search(text[max(0, leads[-1].start() - 40) : leads[-1].start()]):
        rest = text[leads[-1].end() :]
        parts += [rest, _SENTENCE_END.split(rest, maxsplit=1)[0]]
    if boxed := _BOXED.findall(text):
        parts.append(boxed[-1])
    known: dict[str, list[str]] = {}
    for letter, option in zip(letters, options, strict=False):
        known.setdefault(_squash(option), []).append(letter)
        known.setdefault(_squash(f"{letter} {option}"), []).append(letter)
    if len(options) == 2 <= len(letters):
        (first, one), (second, other) = zip(letters, map(_squash, options), strict=False)
        known |= {f"not {one}": [second], f"not {other}": [first]}
    for part in parts:
        if same := _only(known.get(_squash(part), ())):
            return same
    return None


def parse_choice(reply: str, letters: str, options: Sequence[str] = ()) -> str | None:
    """Returns the option letter that a reply chooses.

    Args:
        reply: The model's reply, reasoning included.
        letters: The letters on offer, e.g. "ABCDE"; upper case, from A on.
        options: The options' texts in the order of the letters; a reply that repeats one of them word for
            word is read as its letter.

    Returns:
        One of `letters`, or None where the reply names no option, several, or one not on offer.

    >>> parse_choice("The answer is (B).", "AB")
    'B'
    >>> parse_choice("A man opens the door.", "AB") is None
    True
    """
    text = final_answer(reply)
    if text is None:
        return None
    text = _EACH.sub(" ", normalise(text))
    bare = text.strip(_BARE)
    if len(bare) == 1:
        return bare.upper() if bare.upper() in letters else None
    patterns = _patterns(letters)
    if match := patterns.option_alone.match(bare):
        return match.group(1).upper()
    if options and (same := _in_words(text, letters, options)):
        return same
    for pattern in patterns.statements:
        if named := _named(pattern, text, letters):
            # A reply may correct itself; then its last statement counts.
            return _only(named) or (named[-1] if _CORRECTION.search(text) else None)
    if patterns.first_line.match(text) and (alone := _only(patterns.lines.findall(text))):
        return alone
    if named := _named(patterns.mentioned, text, letters):
        return _only(named) or (named[-1] if _CORRECTION.search(text) else None)
    if found := [match.group(match.lastindex or 0) for match in patterns.heads.finditer(text)]:
        return _only([*found, *patterns.inline_heads.findall(text), *patterns.bracketed.findall(text)])
    if found := patterns.bracketed.findall(text):
        return _only(found)
    if found := _named(patterns.standing, text, letters, names=True):
        return _only(found)
    truth = parse_boolean(text) if {*map(_squash, options)} == {"true", "false"} else None
    return None if truth is None else _in_words(str(truth), letters, options)
