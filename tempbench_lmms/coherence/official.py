"""The letter that stands in for the official code's call of Gemini, frozen.

The official numeric distance is a number to compare with the paper's, so it must not move when our reading
of replies gets better. What it reads is kept here as it was before `parsing.reader`, and nothing else uses
it: the patterns are tried from the most explicit to the least, a tier decides where it names exactly one
option, and where it names several the reply is ambiguous.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from tempbench_lmms.coherence.official_text import normalise
from tempbench_lmms.parsing.text import clip

CARDINALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    "twenty",
)
"""From 0 to 20: a word's place is its value."""

_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<digits>-?\d{{1,9}})(?:\.0+)?(?![\w%]|[.,]\d)"
    rf"|\b(?P<word>{'|'.join(CARDINALS)}|once|twice|none)\b",
    re.IGNORECASE,
)
_VALUES = {word: value for value, word in enumerate(CARDINALS)} | {"once": 1, "twice": 2, "none": 0}
_REASONING = ("think", "thinking", "reasoning", "thought")
_TAGS_CLOSING = (*(f"</{tag}>" for tag in _REASONING), "[/think]", "◁/think▷", "<|channel|>final<|message|>")
_TAGS_OPENING = (*(f"<{tag}>" for tag in _REASONING), "[think]", "◁think▷", "<|channel|>")
_TAGS_ANSWER = {
    **{f"<{tag}>": f"</{tag}>" for tag in ("answer", "final_answer", "conclusion")},
    "<|begin_of_box|>": "<|end_of_box|>",
}
# What every one of these tags begins with; most replies have none of it.
_TAG_SIGNS = "<[◁"


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
        rest = f"[{letters[1:]}]"
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
        self.option_alone = re.compile(rf"(?:option|choice|answer)?\s*:?\s*{opening}({one})$", re.IGNORECASE)
        self.statements = tuple(
            re.compile(pattern, re.IGNORECASE)
            for pattern in (
                rf"\\(?:fbox|boxed)\s*\{{{{0,3}}\s*(?:option\s*)?{opening}({one}){_NO_WORD_AFTER}",
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


def _only(found: Iterable[str]) -> str | None:
    """Returns the one option found, None where there are several or none."""
    distinct = set(found)
    return distinct.pop() if len(distinct) == 1 else None


def _end_of_last(text: str, tags: Iterable[str]) -> int:
    """Returns the index behind the last of `tags` in `text`, 0 where there is none."""
    return max(place + len(tag) if (place := text.rfind(tag)) >= 0 else 0 for tag in tags)


def final_answer(text: str) -> str | None:
    """Returns the part of a reply that states the answer.

    The content of the last `<answer>` tag, or of another that means the same; else what follows the last
    closing reasoning tag; else the whole reply. Where reasoning begins and does not end there is no answer. A
    very long answer comes clipped, so that what reads it need not mind its length.

    >>> final_answer("<think>A? B?</think> Option B")
    'Option B'
    >>> final_answer("<think>It could be A") is None
    True
    """
    if not any(sign in text for sign in _TAG_SIGNS):
        return clip(text.strip()) or None
    # "İ" is the one character that becomes two in lower case; places would shift.
    lower = text.replace("İ", "I").lower()
    # A tag that a model only talks about inside its reasoning is not its answer.
    start = _end_of_last(lower, _TAGS_CLOSING)
    answer = _end_of_last(lower[start:], _TAGS_ANSWER)
    end = len(text)
    if answer:
        start += answer
        ends = (lower.find(tag, start) for tag in _TAGS_ANSWER.values())
        end = min((place for place in ends if place >= 0), default=end)
    if any(lower.find(tag, start, end) >= 0 for tag in _TAGS_OPENING):
        return None
    return clip(text[start:end].strip()) or None


def letter(text: str, letters: str) -> str | None:
    """Returns the option letter that a reply chooses.

    Args:
        text: The reply.
        letters: The letters on offer, e.g. "ABCDE"; upper case, from A on.

    Returns:
        One of `letters`, or None where the reply names no option, several, or one not on offer.

    >>> letter("The answer is (B).", "AB")
    'B'
    >>> letter("A man opens the door.", "AB") is None
    True
    """
    final = final_answer(text)
    if final is None:
        return None
    text = _EACH.sub(" ", normalise(final))
    patterns = _patterns(letters)
    if match := patterns.option_alone.match(text.strip(_BARE)):
        return match.group(1).upper()
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
    return _only(_named(patterns.standing, text, letters, names=True))


def integers(text: str) -> list[int]:
    """Returns the whole numbers of a reply's final answer in order, written in digits or as words.

    >>> integers("First two, no: 3 times."), integers("3.5 or 50%")
    ([2, 3], [])
    """
    final = final_answer(text)
    if final is None:
        return []
    return [
        int(match["digits"]) if match["digits"] else _VALUES[match["word"].lower()]
        for match in _NUMBER.finditer(normalise(final))
    ]
