"""Finds spans of a video: two ends that are joined, a start with a length, a part of the whole.

A text becomes a string of codes, one for each number, sign and word with a role, without filling words.
Patterns over the codes find points of time, and then pairs of points. No pattern contains a word.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from tempbench_lmms.parsing.expected import TimeSpan
from tempbench_lmms.parsing.lexicon import Word, numeral, roles
from tempbench_lmms.parsing.mentions import Mention
from tempbench_lmms.parsing.tokens import Text

MAX_SECONDS = 1e6  # more is a time stamp of another kind, or no time at all
_MOST = 40  # spans that are looked at in a reply that loops

Span = tuple[float, float]
_NUMBER = re.compile(
    r"(?P<clock>(?<!\d)(?<!\d:)(?<!\+)\d{1,3}(?::\d\d){1,2}(?:[.,]\d{1,3})?(?!\d|:\d))"
    r"|(?:(?<![A-Za-z_+])|(?<=\d[mhMH])|(?<=\dmin))(?P<number>\d+(?:\.\d+|,\d\d?(?!\d|[.,]\d))?|(?<![\w)\]])\.\d+)"
    r"(?:(?i:st|nd|rd|th|e|ème|-?[йюяе]|º|ª|°)(?!\w))?"
)
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_OTHER = re.compile(
    r"(?P<join>[-–—=]{1,4}>|[-–—―~→⇒〜…]|[≤<](?=\s?[tx]\s?[≤<])|\.{2,})"
    r"""|(?P<letter>[A-H](?!\w))|(?P<prime>(?<=\d)(?:'|(?<='\d\d)"))"""
    rf"|[{_CJK}]|[^\W\d_{_CJK}]+|\S|\n"
)
_SIGNS = dict(zip("([{<)]}>:=：,，、|.。!?？！;；%&\n", "(((()))):::,,,,......;;%&\n", strict=True))
# A word's code is that of its first role here; those that say no more than that a time follows fill.
_CODES = {
    role: code
    for code, roles in {
        "i": "unit.millisecond", "s": "unit.second", "m": "unit.minute", "h": "unit.hour", "M": "middle",
        "%": "unit.percent", "H": "half part.3 part.4", "Y": "share", "W": "whole", "L": "length",
        "G": "extent", "O": "onward", "$": "to_end", "T": "to", "F": "from", "S": "start", "E": "end",
        "B": "begins", "Z": "ceases", "&": "and", "@": "at", "1": "first_part first", "9": "last_part last",
        "K": "numbered step option", "I": "unit.frame image",
        ";": "or because turn conclude suppose courtesy ask note",
        "_": "near is video likely answer choose fill prep article right idiom back switch hedge",
    }.items()
    for role in roles.split()
}  # fmt: skip
_IS = roles("is")
_UNITS = roles("unit.second unit.minute unit.hour unit.percent to")
_TIMES = {"h": 3600.0, "m": 60.0, "s": 1.0, "i": 0.001, "%": 1.0}


class _Item(NamedTuple):
    """A number, sign or word: its code, its place, and the value of a number."""

    code: str
    start: int
    end: int
    amount: float = 0.0
    unit: str = ""


class _Codes:
    """The items of a text, and one string with the codes of all but the filling words."""

    def __init__(self, items: list[_Item]) -> None:
        self.items = items
        self.kept = [i for i, item in enumerate(items) if item.code != "_"]
        self.codes = "".join([items[i].code for i in self.kept])

    def at(self, place: int) -> _Item:
        """Returns the item of a place in the string."""
        return self.items[self.kept[place]]

    def all_of(self, match: re.Match[str]) -> list[_Item]:
        """Returns the items of a match, including filling words."""
        return self.items[self.kept[match.start()] : self.kept[match.end() - 1] + 1]


def find(text: Text, span: TimeSpan) -> list[Mention]:
    """Returns all places that name a span, with start and end in seconds.

    The form is `span` for two joined ends, `frames` for numbers of frames, and `told` for other words ("the
    first 10 s", "at 5 s, for 8 s").

    >>> [one.value for one in find(Text("from 1:05 until the end"), TimeSpan(duration=120.0))]
    [(65.0, 120.0)]
    """
    points = _points_of(text)
    found: list[Mention] = []
    for form, how, sure, pattern in _RULES:
        if found and form != found[0].form:
            break
        for match in pattern.finditer(points.codes):
            value = _value(points, match, span, how) if len(found) < _MOST else None
            if value is None or not (sure or _is_time(points, match)):
                continue
            first = match.start() + len(match[0]) - len(match[0].lstrip(":@,\n"))
            start, end = points.at(first).start, points.at(match.end() - 1).end
            if all(end <= other.start or start >= other.end for other in found):
                found.append(Mention(value, start, end, form))
    return sorted(found, key=lambda one: one.start)


def _points_of(text: Text) -> _Codes:
    return _Codes(_without_glosses(_points(_Codes(list(_items(text))))))


def _items(text: Text) -> Iterator[_Item]:
    """Yields the items of a text; words of the lexicon have priority, except single capital letters."""
    words = {word.start: word for word in text.words}
    place, said = 0, _Item("_", 0, 0)
    while place < len(text.text):
        match = _NUMBER.match(text.text, place) or _OTHER.match(text.text, place)
        if match is None:
            place += 1
            continue
        word = words.get(place) if match.lastgroup in (None, "letter") else None
        word = word if word and (match.lastgroup is None or word.end > match.end()) else None
        place = word.end if word else match.end()
        for one in [_word(text, word)] if word else _token(text, match, said, words):
            yield said
            said = one
            place = max(place, one.end)
    yield said


@cache
def _code(roles: frozenset[str]) -> str:
    return next((code for role, code in _CODES.items() if role in roles), "w")


def _word(text: Text, word: Word) -> _Item:
    (start, end, roles), number = word, word.number
    code = _code(roles)
    if code == "H":
        return _Item("H", start, end, numeral(roles, "part.") or 2.0)
    if code == "K" and _is_before(text, end, _IS):
        code = "_"  # "the span of the question is 12 to 20"
    if code == "T" and text.text[start:end].lower() == "a" and not text.text[end + 1 : end + 2].isdigit():
        code = "_"  # "12 a 20" joins, and any other "a" is an article
    if code in "_w" and number is not None and ("fill" not in roles or _is_before(text, end, _UNITS)):
        return _Item("n", start, end, number, "word")
    return _Item(code, start, end)


def _is_before(text: Text, end: int, roles: frozenset[str]) -> bool:
    return any(word.roles & roles and word.start <= end + 1 for word in text.within(end, end + 12))


def _token(text: Text, match: re.Match[str], said: _Item, words: Mapping[int, Word]) -> list[_Item]:
    kind, start, end = match.lastgroup, *match.span()
    if kind == "number":
        exact = "exact" if {*".,"} & {*match[kind]} else ""
        return [_Item("n", start, end, float(match[kind].replace(",", ".")), exact)]
    if kind == "clock":
        amount = 0.0
        for part in match[kind].replace(",", ".").split(":"):
            amount = amount * 60 + float(part)
        return [_Item("c", start, end, amount)]
    if kind == "join":
        return _join(text, match, said, words)
    if kind == "prime":
        return [_Item("m" if match[0] == "'" else "s", start, end)]
    rest = "l" if kind else "w" if match[0].isalpha() else "_"
    return [_Item(_SIGNS.get(match[0], rest), start, end)]


def _join(text: Text, match: re.Match[str], said: _Item, words: Mapping[int, Word]) -> list[_Item]:
    """Returns the item of a dash or an arrow; None for a hyphen as in "12-second"."""
    start, end = match.span()
    around = text.text[start - 1 : start] + text.text[end : end + 1]
    if match[0] == "-" and len(around) == 2 and around[0].isalnum() and around[1].isalpha():
        counted = end in words and any(
            role.startswith(("unit.", "number.", "ordinal.")) for role in words[end].roles
        )
        return [] if counted or said.code not in "nsmc%" else [_Item("T", start, end)]
    negative = match[0] == "-" and around[-1:].isdigit() and (not said.end or said.code in "(:,F")
    return [_Item("x" if negative else "T", start, end)]


# A frame's number, a clock, a percentage, "the 10 first seconds", "half a minute", minutes and seconds
_POINT = re.compile(
    r"(?P<kind>[KI])n(?![smih%])|c(?:[sm](?!n))?|n[i%]|(?:n?&?HG?)n?m|nm&H"
    r"|(?:nh[&,]?)?nm(?:[&,]?ns|n(?![smih%]))?|ns|[sm]n(?![sm])|(?P<second>s)(?=H)|M|n|x."
)
# "1:05 (65 s)", "frame 3, 12 s"; "(the video is 100 s long)"; "lasts 24 s" beside two other times
_GLOSS = re.compile(
    r"(?P<a>[Ppd])\((?P<b>[Ppd#])\)|#[,(]?@?(?P<time>P)\)?|(?P<aside>\((?=[^()]*G)[^()Ppd]*P[^()Ppd]*\))"
    r"|L[:@G]*(?P<length>P)(?!T)"
)


def _points(codes: _Codes) -> list[_Item]:
    items: list[_Item] = []
    place = 0
    for match in _POINT.finditer(codes.codes):
        some = codes.all_of(match)
        items += codes.items[place : codes.kept[match.start()]]
        items += _named(some, match) or _point(some, [item for item in some if item.code in "nc"])
        place = codes.kept[match.end() - 1] + 1
    items += codes.items[place:]
    return [one._replace(code="_") if one.code in "sm%iIK" else one for one in items]


def _named(items: list[_Item], match: re.Match[str]) -> list[_Item]:
    """Returns the items of something that only looks like a time, or of a part; empty for other points."""
    start, end, code = items[0].start, items[-1].end, items[0].code
    if code in "xM" or match["second"]:
        return [_Item({"x": "w", "M": "P"}.get(code, "2"), start, end, 50.0, "%")]
    if match["kind"]:
        return [_Item("#" if code == "I" else "w", start, end, items[-1].amount)]
    halves = [item.amount for item in items if item.code == "H"]
    if halves:
        whole = items[0].amount if code == "n" else 0.0
        return [_Item("P", start, end, (whole + 1 / halves[0]) * 60, "s")]
    return []


def _point(items: list[_Item], numbers: list[_Item]) -> list[_Item]:
    """Returns the point of a clock time or of numbers with units; bare numbers are "p", decimals "d"."""
    start, end, first = items[0].start, items[-1].end, numbers[0]
    units = ["s"] if first.code == "c" else [item.code for item in items if item.code in "smhi%"]
    if not units:
        return [_Item("d" if first.unit == "exact" else "p", start, end, first.amount)]
    units += ["s"] * (len(numbers) - len(units))
    amount = sum(one.amount * _TIMES[unit] for one, unit in zip(numbers, units, strict=False))
    return [_Item("P", start, end, amount, units[0] if len(numbers) == 1 else "s")]


def _without_glosses(items: list[_Item]) -> list[_Item]:
    """Returns the items without points that repeat another one or give a length."""
    codes = _Codes(items)
    few = len(re.findall("[Ppd]", codes.codes)) < 3
    for match in _GLOSS.finditer(codes.codes):
        kept = None
        if match["a"]:
            one, other = codes.at(match.start("a")), codes.at(match.start("b"))
            kept = one if one.code == "P" or other.code != "P" else other
        elif match["time"]:
            kept = codes.at(match.start("time"))
        elif match["length"] and few:
            continue
        places = range(codes.kept[match.start()], codes.kept[match.end() - 1] + 1)
        for place in places:
            items[place] = items[place]._replace(code="_")
        if kept:
            items[places[0]] = kept._replace(start=items[places[0]].start, end=items[places[-1]].end)
    return items


def _sane(seconds: float) -> float | None:
    """Returns seconds that a video may have; None for negative, infinite or absurd values."""
    return float(seconds) if 0 <= seconds <= MAX_SECONDS else None


def _of(point: _Item, span: TimeSpan, unit: str = "") -> float | None:
    """Returns a point or an edge of the video in seconds; a bare number has the unit of the other end."""
    if point.code in "SE$":
        return 0.0 if point.code == "S" else span.duration
    if point.code == "#":
        return float(span.times[int(point.amount) - 1]) if 1 <= point.amount <= len(span.times) else None
    marked = point.code == "P"
    if point.unit == "%" if marked else unit == "%" or (not unit and span.unit != "seconds"):
        return None if span.duration is None else _sane(point.amount / 100 * span.duration)
    return _sane(point.amount * (1.0 if marked else _TIMES.get(unit, 1.0)))


def _ends(points: _Codes, match: re.Match[str]) -> tuple[_Item, _Item]:
    for kind in ("Ppd#", "Ppd#SE$"):
        places = [i for i in range(*match.span()) if points.codes[i] in kind]
        if len(places) > 1:
            break
    one, other = points.at(places[0]), points.at(places[-1])
    return one, other._replace(code="#") if one.code == "#" else other  # "frames 3 to 7"


def _value(points: _Codes, match: re.Match[str], span: TimeSpan, how: str) -> Span | None:
    if how == "part":
        return _part(points, match, span)
    one, other = _ends(points, match)
    shared = "Y" in points.codes[max(0, match.start() - 4) : match.end() + 3]
    if shared and one.code in "pd" and other.code in "pd" and max(one.amount, other.amount) <= 1:
        one, other = (end._replace(code="P", amount=100 * end.amount, unit="%") for end in (one, other))
    start = _of(one, span, other.unit * (other.code == "P"))
    end = _of(other, span, one.unit * (one.code == "P"))
    if start is None or end is None:
        return None
    if how == "lasting":
        return None if (end := _sane(start + end)) is None else (start, end)
    if how == "swapped":
        start, end = end, start
    return None if how != "pair" and start >= end else (start, end)


def _part(points: _Codes, match: re.Match[str], span: TimeSpan) -> Span | None:
    """Reads "the first 10 seconds", "the last 10 %", "the second half", "from 90 s on", "the whole video"."""
    duration, which = span.duration, match[0][0]
    if duration is None or which == "W":
        return None if duration is None else (0.0, duration)
    item = next(item for item in points.all_of(match) if item.code in "PpdH")
    if item.code == "H":
        number = {"1": 1.0, "2": 2.0}.get(which, item.amount)
        return duration * (number - 1) / item.amount, duration * number / item.amount
    amount = _of(item, span)
    if amount is None or amount > duration:
        return None
    return (0.0, amount) if which == "1" else (duration - amount if which == "9" else amount, duration)


_OR_ONE = re.compile(r";[F@]?[Ppd](?!T)")


def _is_time(points: _Codes, match: re.Match[str]) -> bool:
    """Returns whether two numbers are times: not in "lifts 2 to 3 weights", but in "12 to 20, he falls"."""
    one, other = _ends(points, match)
    if one.code not in "pd" or other.code not in "pd":
        return True
    first, last = points.kept[match.start()], points.kept[match.end() - 1]
    behind = points.items[last + 1] if last + 1 < len(points.items) else points.items[last]
    if _OR_ONE.match(points.codes, match.end()):
        return False
    before = points.items[first - 1]
    return behind.code not in "wnhx" and (first == 0 or match[0][0] in "FSB(:@" or before.code != "w")


# In the patterns below: a point, no point, what stands before one, what joins two, a start, an end.
_SHORT: dict[str, str | int | None] = {
    "A": "[Ppd]", "N": "[^Ppd#]", "Q": "[:@(),T]{0,5}", "J": r"[,&OLSY]{0,3}T[T@:]{0,2}",
    "U": r"(?:[Ppd]|(?<!\()S(?![:@(),]{0,5}[Ppd]))", "V": r"(?:[Ppd]|(?<!\()E(?![:@(),]{0,5}[Ppd]))",
}  # fmt: skip
# The form; how two points are read: as told, only if the first lies before the second, with the end first, as
# start and length, or one as a part of the video; whether bare numbers are surely times; the pattern.
_RULES = tuple(
    (form, how, sure, re.compile(pattern.translate(str.maketrans(_SHORT))))
    for form, how, sure, pattern in (
        # "start: 5, end: 10"; "from: 5", and below it "to: 10"
        ("span", "pair", True, r"SQA(?!:)N{0,25}?EQA[)]?|[BF][:@(T]+AN{0,25}?[ZT][:@(T]+A"),
        # "between 5 and 10", "5 to 10", "from the start until 0:15", "90 s till the end"
        ("span", "pair", False, r"F[:@(]{0,2}A[)]?,?&Z?[@(]?A"),
        ("span", "pair", False, r"F?[:@]?[(]?U[)]?(?:J[(]?V[)]?|[,&OLSYT]{0,3}\$)"),
        # "[5, 10]", "[A, 5, 10]"
        ("span", "pair", True, r"[()](?:l[,;])?@?A[)]?[,;][(]?@?A(?:[,;][^()]{0,40})?[()]"),
        # nothing but two numbers, perhaps with a letter; "5.0 10.0"; two entries of a list
        ("told", "pair", True, r"^[(]?l?[):,.\n]*A[,;\n]?A[:,.;()\n]*l?[).]*(?:$|;)"),
        ("told", "ordered", True, r"(?<![PpdT])[Pd][\n()T&]{0,6}[Pd](?![Ppdw])|:\nTA\nTA(?=\n|$)"),
        ("told", "lasting", True, r"[SFB@]QA[)]?[^Ppd#\n]{0,12}?L[:@(]*[Pp]"),
        # "starts at 5 s and lasts 8 s"; "at 1:05 he turns and goes on until 1:20"
        ("told", "ordered", True, r"(?:[@FSB(]Q|^|(?<=[.\n]))P[^Ppd#\n]{1,40}?[TZ](?:w{1,8}[@(])?[:@(]*P"),
        # "it ends at 20 s and starts at 12 s"; "until the end, starting at 2:10"
        ("told", "swapped", False, r"(?<![Ppd])[EZT]QAN{0,25}?[SBF]QA|\$,?FP|(?<![Ppd])TQA,?S$"),
        # "the first 10 seconds", "the second half", "from 90 s on", "the whole video"
        ("told", "part", True, r"[19]P(?!T)|(?<!;)[129]H|(?:F[pd]|P)[)]?&?O(?!w)|W"),
        ("frames", "ordered", True, r"F?#(?:T|&)[#p]"),
    )
)


_KEY_END = r"(?:_?time)?(?:_?stamp)?(?:_?(?:in_?)?(?:s|secs?|seconds?|at))?"
_SPAN_KEY = re.compile(
    r"(?:pred_?|final_?|my_?|the_?)?(?:relevant|answer|predicted|evidence|correct)?_?(?:(?:time|temporal)_?)?"
    rf"(?:span|window|segment|interval|moment|range|timestamp|time|stamp|timing|location)s?{_KEY_END}"
)
_START_KEY = re.compile(
    rf"(?:t_?)?(?:start|begin|beginning|from|s0|t_?0|onset|anfang|beginn|début|inicio|开始){_KEY_END}"
)
_END_KEY = re.compile(rf"(?:t_?)?(?:end|stop|finish|to|until|e0|t_?[12]|offset|ende|fin|结束){_KEY_END}")


def has_field(value: Mapping[Any, Any]) -> bool:
    """Returns whether an object has a field for a span; an empty one states that there is no span."""
    return any(_SPAN_KEY.fullmatch(name) or _START_KEY.fullmatch(name) for name in _fields(value))


def of_json(value: Any, span: TimeSpan) -> list[Span]:
    """Returns the spans of a decoded value: an object, a pair, a list of pairs, a string.

    >>> of_json({"answer": "B", "span": ["0:05", "12.5 s"]}, TimeSpan())
    [(5.0, 12.5)]
    """
    if isinstance(value, str):
        return [one.value for one in find(Text(value), span)]
    if isinstance(value, Mapping):
        return _of_object(_fields(value), span)
    items = value if isinstance(value, list) else []
    start, end = (_seconds(item, span) for item in [*items, None, None][:2])
    if start is not None and end is not None and len(items) <= 3:  # a third may be a score
        return [(start, end)]
    return [one for item in items if isinstance(item, (list, Mapping, str)) for one in of_json(item, span)]


def _fields(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {re.sub(r"[-\s]+", "_", str(name).strip()).lower(): item for name, item in value.items()}


def _of_object(fields: Mapping[str, Any], span: TimeSpan) -> list[Span]:
    starts, ends = (
        [item for name, item in fields.items() if key.fullmatch(name)] for key in (_START_KEY, _END_KEY)
    )
    starts = starts or ends[:-1]  # "t1" is the end behind "t0", and the start before "t2"
    if starts and ends:
        start, end = _seconds(starts[0], span), _seconds(ends[-1], span)
        return [] if start is None or end is None else [(start, end)]
    named = [name for name in fields if _SPAN_KEY.fullmatch(name)]
    for name in named:
        if found := of_json(fields[name], span):
            return found
    nested = [one for one in fields.items() if isinstance(one[1], (Mapping, list))] if not named else []
    times = [item for name, item in nested if not Text(name).has("unit.frame image", 0, len(name))]
    return [one for item in times for one in of_json(item, span)]


def _seconds(value: Any, span: TimeSpan) -> float | None:
    """Returns a number, or a string such as "00:05" or "5s", in seconds; None for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        sane = _sane(value)
        return sane if sane is None else _of(_Item("p", 0, 0, sane), span)
    points = _points_of(Text(value)) if isinstance(value, str) else None
    return _of(points.at(0), span) if points and points.codes in ("P", "p", "d") else None
