r"""The part of a reply that states its answer, as plain text, with a map back to the reply.

Reasoning in tags, lines of the prompt, and a list of all options are left out; if reasoning does not end, the
reply was cut off. Mark-up, HTML, LaTeX and struck words are removed, and Unicode is normalised.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, cast

from tempbench_lmms.parsing.lexicon import phrases

_END = 4_000  # of a longer reply the first and the last characters are read: an answer stands at one end
_GAP = "\n@\n"
_LONGEST_WORD = 64

_THINK = r"think|thinking|reasoning|thought|analysis|scratchpad"
_CLOSE = re.compile(rf"</(?:{_THINK})>|\[/think\]|◁/think▷|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_OPEN = re.compile(rf"<(?:{_THINK})>|\[think\]|◁think▷|<\|channel\|>", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<tag>answer|final_answer|conclusion|final)>(?P<inside>(?:(?!<(?P=tag)>).)*?)(?:</(?P=tag)>|$)"
    r"|<\|begin_of_box\|>(?P<box>.*?)(?:<\|end_of_box\|>|$)",
    re.IGNORECASE | re.DOTALL,
)
_BOX = re.compile(r"\\(?:fbox|boxed)\s*\{|[{}]")
_LONGEST_BOX = 2_000
_PUNCTUATION = str.maketrans(
    "「」『』【】《》“”«»„’‘‚´′ʼ≺≻≼≽∴➡➞⟶−‐‑№・", '"' * 13 + "''''''" + "<><>⇒→→→---#•", "\ufe0f\u200b\u200d"
)
# Letters that look like Latin ones; NFKC maps full-width and mathematical ones, but leaves these alone.
_LOOK_ALIKES = str.maketrans(
    "АВСЕНІКМОРТХасеіорхΑΒΕΗΙΚΜΝΟΡΤΧıİ🅰🅱🅲🅳🅴", "ABCEHIKMOPTXaceiopxABEHIKMNOPTXiIABCDE"
)
# Words in another script stay as they are: only single capitals and stray letters look like Latin ones.
_STRAY = re.compile(
    r"(?<![^\W\d_])[А-ЯΑ-Ωİ🅰🅱🅲🅳🅴](?![^\W\d_])|(?<=[A-Za-z])[^\W\d_a-zA-Z]|[^\W\d_a-zA-Z](?=[A-Za-z])"
)
_SIGNS = {
    **dict.fromkeys(("prec", "lt"), "<"),
    **dict.fromkeys(("succ", "gt"), ">"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "longrightarrow", "Longrightarrow", "implies"), "→"),
}

_SPACE = re.compile(r"\s{2,}|[^\S\n ]")  # all but a single space and a single end of line

At = Sequence[int]
Change = str | Callable[[re.Match[str]], str]
# What is changed, in this order.
_CHANGES: tuple[tuple[re.Pattern[str], Change], ...] = (
    (
        re.compile(
            r"<(del|strike)>[^<>]{0,200}</\1>|~~[^~\n]{0,200}~~|<[|｜][\w▁]{1,40}[|｜]>|</?[se]>", re.I
        ),
        " ",
    ),
    (
        re.compile(
            r"</?(?:(b|i|u|em|strong|mark|small|center|td|th|span|code|pre|option|choice)"
            r"|br|p|li|div|h[1-6]|tr|[uo]l|table|answer|final_answer|conclusion|final|think|response|output"
            r"|result|order|ranking)\s*/?>",
            re.I,
        ),
        lambda m: "" if m[1] else "\n",
    ),
    (re.compile(rf"\\({'|'.join(_SIGNS)})(?![A-Za-z])"), lambda m: _SIGNS[m[1]]),
    (re.compile(r"&#?\w{2,8};"), lambda m: html.unescape(m.group())),
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|mathit|displaystyle)\s*\{([^{}\\]{0,200})\}"), r"\1"),
    (re.compile(r"_(?<=[a-zA-Z]_)(?=[a-zA-Z])"), " "),
    (
        re.compile(
            r"\\[()\[\],;:!]|\\n(?![A-Za-z])|\\(?=[\s*_#])|```[a-z]{0,10}(?=\s|$)|`{1,3}|\$+"
            r"|(?:^|(?<=\n))(?:[ \t]*(?:#{1,6}|>)[ \t]+)+"
            r"|\*{2,3}|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)"
        ),
        "",
    ),
    (_SPACE, lambda run: "\n" * min(run.group().count("\n"), 2) or " "),
)
# Signs without which a reply has one part; and those without which nothing in a part is changed.
_SPECIAL = re.compile(r"[<\[◁\\\n]")
_MARKED = re.compile(r"[<>\\&_`$*~#]|\s\s|[^\S\n ]")


class Part(NamedTuple):
    """Plain text, and for each character of it, and its end, the index in the reply."""

    text: str
    at: At

    def where(self, start: int, end: int) -> tuple[int, int]:
        """Returns the stretch of the reply that a stretch of the text comes from."""
        return self.at[start], self.at[end - 1] + 1


class Cleaned(NamedTuple):
    """The parts of a reply that may state its answer, the narrowest first.

    They are: the content of an answer tag or a box (`tagged`); the text after the reasoning, up to a question
    that seems invented; all of that text. If the reply ends in its reasoning, there are none (`cut_off`).
    """

    parts: list[Part]
    tagged: bool
    cut_off: bool = False


def clean(reply: str, prompt: str | None = None, letters: str = "", texts: tuple[str, ...] = ()) -> Cleaned:
    r"""Returns the parts of a reply that may state its answer, without the question's own words.

    >>> clean("<think>A? B?</think> **Option B**").parts[0].text, clean("<think>It could be A").cut_off
    ('Option B', True)
    >>> clean("Which image is first?\nB", "Which image is first?").parts[0].text
    'B'
    """
    reply = _without_options(_without_prompt(reply, prompt), letters, texts)
    if not _SPECIAL.search(reply):
        return Cleaned([_plain(reply, 0, len(reply))], False)
    start = max((m.end() for m in _CLOSE.finditer(reply)), default=0)
    tags = list(_TAG.finditer(reply, start)) if "<" in reply else []
    if _OPEN.search(reply, tags[-1].start() if tags else start):
        return Cleaned([], False, cut_off=True)
    inside = tags[-1].span(2 if tags[-1]["box"] is None else "box") if tags else _box(reply, start)
    narrow = [_plain(reply, *inside)] if inside else []
    following = _next().search(reply, start)
    ends = dict.fromkeys((following.start() if following else len(reply), len(reply)))
    return Cleaned([*narrow, *(_plain(reply, start, end) for end in ends)], bool(narrow))


@cache
def _next() -> re.Pattern[str]:
    """Returns a pattern for where a model that has answered goes on to invent the next question."""
    head, tail = r"\n[ \t]{0,8}(?:#{1,6}[ \t]{0,4}|\*\*)?", r"[ \t]{0,4}\d{0,3}[ \t]{0,4}(?:\*\*)?[:：]"
    return re.compile(f"{head}(?:{phrases('next')}){tail}", re.IGNORECASE)


def final_answer(reply: str) -> str | None:
    """Returns the narrowest part of a reply that states its answer, clipped; None if there is none.

    This is the content of the last answer tag or box, or else the text after the reasoning.
    """
    parts = clean(reply).parts
    return clip(reply[parts[0].at[0] : parts[0].at[-1]].strip()) or None if parts else None


def clip(reply: str) -> str:
    """Returns the first and the last 4,000 characters of a longer reply, without words cut in two.

    The bound limits the cost of every later pattern, since a looping model can fill its whole token budget.
    """
    left, right = _ends(reply)
    return reply if left == right else reply[:left] + _GAP + reply[right:]


def squeeze(text: str) -> str:
    r"""Returns a text in which one space, line end or empty line replaces each run of white space.

    >>> squeeze("a \t b \n c \r\n\r\n\r\n d")
    'a b\nc\n\nd'
    """
    return _SPACE.sub(_CHANGES[-1][1], text)


_OPTION_LINE = re.compile(r"(?:(?:Caption|Option|Sentence) )?[(\[]?[A-G][).\]:]\s")
_ENTRY = re.compile(r"(?:(?:option|caption|sentence) )?[(\[]?([A-H])[).\]:] ?(.+)", re.IGNORECASE)
_MARKS = re.compile(r"[\s*_`#>]+")
_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 12


def _bare(line: str) -> str:
    return _MARKS.sub(" ", line).strip()


@lru_cache(maxsize=512)  # the tasks of a benchmark ask the same one after the other
def _lines(prompt: str) -> frozenset[str]:
    lines = map(_bare, prompt.split("\n"))
    return frozenset(line for line in lines if len(line) >= _SHORTEST or _OPTION_LINE.match(line))


def _blanked(text: str, rows: Iterable[re.Match[str]]) -> str:
    gone = {row.start() for row in rows}
    return _LINE.sub(lambda row: " " * len(row.group()) if row.start() in gone else row.group(), text)


def _without_prompt(text: str, prompt: str | None) -> str:
    """Returns a reply in which spaces replace the lines that it repeats from the prompt.

    An option's line stays if it is the only one or is repeated at the end, since it may be the answer.
    """
    if not prompt or ("\n" not in text and "\n" in prompt):
        return text  # a prompt of several lines is not repeated by one
    known = _lines(prompt)
    rows = [(row, _bare(row.group())) for row in _LINE.finditer(text)]
    repeated = [row for row, said in rows if said in known]
    options = [row for row, said in rows if said in known and _OPTION_LINE.match(said)]
    again = options and options[-1] is rows[-1][0] and rows[-1][1] in [said for _, said in rows[:-1]]
    if again or len(options) == 1:
        repeated.remove(options[-1])
    return _blanked(text, repeated)


def _without_options(text: str, letters: str, texts: tuple[str, ...]) -> str:
    """Returns a reply in which spaces replace the list of all options, one per line with its letter."""
    if len(texts) < 2 or text.count("\n") < len(texts):
        return text
    shown = {letter: _WORD.findall(said.lower()) for letter, said in zip(letters, texts, strict=False)}
    rows = [(row, _ENTRY.fullmatch(said)) for row in _LINE.finditer(text) if (said := _bare(row.group()))]
    options = [
        entry[1].upper() if entry and _WORD.findall(entry[2].lower()) == shown.get(entry[1].upper()) else ""
        for _, entry in rows
    ]
    first = next((i for i in range(len(rows)) if {*options[i : i + len(shown)]} == {*shown}), len(rows))
    headed = 0 < first < len(rows) and rows[first - 1][0].group().endswith(":")  # "The options:"
    return _blanked(text, (row for row, _ in rows[first - headed : first + len(shown)]))


def _box(reply: str, start: int) -> tuple[int, int] | None:
    """Returns the place of the content of the last LaTeX box; None if there is none, or two that differ."""
    if "\\" not in reply:
        return None
    found, opened = [], []
    for sign in _BOX.finditer(reply, max(start, len(reply) - 2 * _LONGEST_BOX)):
        if sign.group() != "}":
            opened.append(sign.end() if len(sign.group()) > 1 else 0)
        elif opened and (begin := opened.pop()):
            found.append((begin, sign.start()))
    found.sort()
    same_line = len(found) > 1 and "\n" not in reply[found[-2][1] : found[-1][0]]
    return None if not found or same_line else found[-1]


def _changed(text: str, at: At, pattern: re.Pattern[str], change: Change) -> tuple[str, At]:
    pieces, places, last = list[str](), list[int](), 0
    for found in pattern.finditer(text):
        new = found.expand(change) if isinstance(change, str) else change(found)
        if new == found.group():
            continue
        inside = found.group().find(new) if new.strip() else -1
        begin = found.start() + max(inside, 0)
        pieces += [text[last : found.start()], new]
        places += at[last : found.start()]
        places += [at[begin + i] if inside >= 0 else at[begin] for i in range(len(new))]
        last = found.end()
    if not pieces:
        return text, at
    return "".join([*pieces, text[last:]]), [*places, *at[last:]]


def _one_form(text: str, at: At) -> tuple[str, At]:
    """Returns a text in compatibility form, with one kind of quotes and look-alike letters as Latin ones."""
    signs, places = [], []
    for sign, place in zip(text, at, strict=False):
        kind = unicodedata.category(sign) if ord(sign) > 127 else ""
        sign = sign.translate(_PUNCTUATION)
        form = unicodedata.normalize("NFKC", sign) if kind else sign
        signs.append(form)
        places += [place] * len(form)
    text, at = "".join(signs), [*places, at[-1]]
    return _changed(text, at, _STRAY, lambda m: m.group().translate(_LOOK_ALIKES))


def _ends(text: str) -> tuple[int, int]:
    """Returns where the first and the last 4,000 characters of a long text end and begin, at a space.

    Cutting at a space keeps words whole: the end of "OMEGA." could be read as "A.", that of "12.5" as 5.
    """
    if len(text) <= 2 * _END + len(_GAP):
        return len(text), len(text)
    left, right = text.rfind(" ", _END - _LONGEST_WORD, _END), len(text) - _END
    behind = text.find(" ", right, right + _LONGEST_WORD)
    return left if left >= 0 else _END, behind if behind >= 0 else right


def _plain(reply: str, start: int, end: int) -> Part:
    text, at = reply[start:end], cast(At, range(start, end + 1))
    left, right = _ends(text)
    if left < right:
        text, at = text[:left] + _GAP + text[right:], [*at[:left], *[at[left]] * len(_GAP), *at[right:]]
    if not text.isascii():
        text, at = _one_form(text, at)
    for pattern, change in _CHANGES if _MARKED.search(text) else ():
        text, at = _changed(text, at, pattern, change)
    left, right = len(text) - len(text.lstrip()), len(text.rstrip())
    return Part(text[left:right], at[left : right + 1]) if right else Part("", at[:1])
