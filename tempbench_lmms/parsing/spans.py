"""Two points of time that a text joins to a span.

Two neighbouring points are a span by what stands between them ("to", a dash), around them (brackets), or
before each ("start: ... end: ...", "begins at ... is over at ..."). The ways are tried from the most explicit
to the least. A pair of bare numbers counts only where it can't be anything else: "he lifts 2 to 3 weights" is
no span. A point alone, or a start without an end, is no span and is not made one.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tempbench_lmms.parsing.expected import TimeSpan
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds
from tempbench_lmms.parsing.times import TOKEN, Time, sane, tokenise
from tempbench_lmms.parsing.words import BEGINS, ENDS, any_of

Span = tuple[float, float]
"""Start and end in seconds, in the order in which they were stated; the end may lie before the start."""

_POINT = lazy(TOKEN)
# What stands between two points, and before the first, is looked at only so far.
_WIDEST = 130
_BEFORE = 70
_MOST = 30

FILL = (
    r"\s*(?:(?:(?:approximately|approx|about|around|roughly|circa|ca|nearly|almost|exactly|just|at|the|times?"
    r"|timestamps?|seconds?|sec|secs|minute|marks?|markers?|point|on|t|is|etwa|ungefähr|zirka|environ|aprox"
    r"|aproximadamente|el|la|le|der|die|das|dem|den|zum|zur|gegen|al|circa|unos|los|las|les|dai|an|video|video's|in|into|it)"
    r"(?![^\W\d_])\.?|[\[\]\"'()<>~≈=:@第약约約])\s*){0,12}"
)
_TO = (
    r"(?:-+>?|–+>?|—+|(?:≤|<=?|⩽)\s*[tx]\s*(?:≤|<=?|⩽)|―|→|⇒|~+|/|〜|까지|到|至|から|부터|에서|bis|à|au|a(?=\s)|al(?=\s)|hasta|jusqu'(?:à|au)|fino|até|tot"
    r"|do(?=\s)|до|по|to|until|untill|till|til|'til|through|thru|up\s+to|up\s+until|"
    r"(?:all\s+the\s+way|right|on)\s+(?:to|until|through)|"
    r"(?:(?:(?:and|which|it|that|lasting|lasts|continu\w+|goes|going|runs|running|event|answer|span)\b"
    r"|[,;.])\s*){0,8}"
    r"\b(?:(?:ends?|ending|finish(?:es|ing)?|stops?|stopping|conclud\w+|clos\w+)(?:\s+(?:at|on|around|by))?|"
    r"(?:continu\w+|goes|going|runs|running|lasts|lasting|extend\w*)\s+(?:on\s+)?(?:to|until|till|through)))"
)
_RANGE = lazy(rf"{FILL}(?:开始|開始)?,?\s*{_TO}{FILL}")
_OPENS_PAIR = lazy(
    rf"(?<![^\W\d_])(?:between|from|zwischen|von|entre|desde|de|del|dal|tra|fra|从|在|介于){FILL}$"
)
_AND = lazy(rf"{FILL}(?:and|und|et|y|e|и|和|与|到|to|&|-|–|—|until|till|through){FILL}")
# "from the blink (62 s) to the impact (71 s)"
_BRACKETED = lazy(
    rf"\s*\)\s*(?:{_TO}|and\s+(?:goes\s+on\s+|lasts\s+)?until)(?:\s+[^\W\d_][^.;:()\x02\n]{{0,60}})?\({FILL}"
)
# "from 7 s, when he starts, to 11 s"
_DESCRIBED = lazy(
    rf"{FILL},\s*(?:when|where|as|with|which)\b[^.;:!?\x02\n]{{1,80}},\s*(?:and\s+)?(?:to|until|till|through|up\s+to){FILL}"
)
_OPEN_BRACKET = lazy(rf"[\[(<{{]{FILL}$")
_IN_LIST = lazy(rf"{FILL}[,;]{FILL}")
_CLOSES_LIST = lazy(r"\s*(?:seconds?|secs?|s)?\s*(?:[,;][^\])>}\x02]{0,80})?[\])>}]")

_LABEL_END = r"(?:[_\s-]*(?:time(?:[_\s-]?stamp)?|point|second|s|sec|seconds|at|zeit|时间|時間|시간))?"
# "He sets in 12 screws" names no time.
_AT_A_TIME = r"(?=\s+(?:at|around|about|by|near|from|after|bei|um|à|en|a)\b)"
_STARTS = (
    r"(?:(?<![^\W\d_])(?:start(?:s|ing|ed)?|begin(?:s|ning)?|began|begun|from|onset|opens?|starttime|t0|s0|t_?start|anfang|beginn|beginnt|startet|fängt|début|commence"
    r"|inicio|comienzo|empieza|comienza|inizio|inizia|início|начало|начинается|start_s)|起始|开始|開始|起点|始点|始まり|시작"
    rf"|{any_of(BEGINS)}{_AT_A_TIME}){_LABEL_END}"
)
_ENDS = (
    r"(?:(?<![^\W\d_])(?:end(?:s|ing|ed)?|finish(?:es|ed|ing)?|stop(?:s|ped|ping)?|to|until|till|offset"
    r"|concludes?|concluding|closes?"
    r"|endtime|t1|e0|t_?end|ende|endet|fin|finit|termine|termina|finaliza|acaba|fine|finisce|fim|конец|заканчивается|final|bis)"
    r"|结束|結束|終了|終わり|终点|終点|종료|끝"
    rf"|{any_of(ENDS)}{_AT_A_TIME}){_LABEL_END}"
)
_GLUE = (
    r"[\s\"'*_(),:=>→|~≈<\[\]–—-]{0,20}"
    r"(?:(?:at|is|are|was|about|around|approximately|roughly|the|in|seconds?|s|secs?|video|of|after|by|with|it"
    r"|bei|um|à|a|en|el|alle|t|ca)(?![^\W\d_])[\s\"':=()~≈\]-]{0,8}){0,8}"
)
_STARTED = lazy(rf"{_STARTS}{_GLUE}$")
_ENDED = lazy(rf"{_ENDS}{_GLUE}$")
_TO_BEFORE = lazy(rf"\bto{FILL}$")
_LENGTHENED = lazy(
    rf"(?<![^\W\d_])(?:lasts?|lasting|for|duration|length|next|during|takes?|dauert){_GLUE}(?:for\s+|another\s+)?$"
)
_AT = lazy(r"(?:\bat\b|\b(?:on|around|about|after)\b|\bby\b)" + FILL + "$")
_LASTS = lazy(
    r"\b(?:lasts?|lasting|lasted|takes?|took|duration|length)\s+(?:of\s+|is\s+|for\s+)?(?:about\s+|around\s+|roughly\s+|another\s+)?$"
)
_UNTIL = lazy(rf"(?<![^\W\d_])(?:until|till|up\s+to|bis|hasta|jusqu'(?:à|au)){FILL}$")
_DONE = lazy(
    r"(?<![^\W\d_])(?:over|done|completed?|finished|ends?|ended|stops?|stopped|back|through)\b"
    rf"(?:\s+\w+){{0,4}}?\s+(?:at|by|around|about){FILL}$"
)
_UNTIL_AT = lazy(
    rf"(?<![^\W\d_])(?:until|till|bis|hasta)\s+[^\x02.;:!?\n]{{1,60}}\s(?:at|by|around|bei|um|en|a){FILL}$"
)
_AND_AT = lazy(rf"\s*,?\s+and\s+[^\x02.;:!?\n]{{1,90}}\s(?:at|by){FILL}")
_OVER_BEHIND = lazy(
    r"\.?,?\s*(?:(?:it|this|that|she|he|they|the\s+(?!video|clip)\w+)\b(?:['’]s|\s+is|\s+are)?\s+(?:\w+\s+){0,3}?)(?:and\s+(?:it['’]s|is)\s+)?(?:ends|over(?!\s+the\b)|stops|finish(?:ed|es)(?!\s+(?:his|her|their)\b)|done)\b"
)
_ON = lazy(r"\.?\s*(?:on|onwards?)\b")
_COLON = lazy(r"\n[^\S\n]*[-*•]?[^\x02\n]{1,60}:\s*$|^[^\S\n]*[-*•]?[^\x02\n]{1,60}:\s*$")
_NEXT_LINE = lazy(r"[\s.;,]*\n[^\x02\n]{1,60}:\s*")
_ENDS_LINE = lazy(r"[ .;]*(?:$|\n)")
_INTO = lazy(r"\s*(?:seconds\s+|minutes?\s+)?in(?:to)?\b")

SOME_LETTERS = "ABCDE"
"""The letters that options may have where it isn't known which are on offer."""


@lru_cache(maxsize=16)
def _after(letters: str) -> re.Pattern[str]:
    """Returns the pattern of what may follow the two numbers of a span, one of some letters included."""
    return lazy(
        rf"\s*(?:$|[.,;:)\]<>\"'}}\n!?]|(?-i:[{letters}])\b|(?:where|when|while|as|because|since|which|with|is|for|in|thus|so)\b"
        # "3 to 5 or 9 to 11"
        rf"|or\s+(?:from\s+)?{TOKEN}\s*(?:to\b|-|–)"
        r"|seconds?\b|secs?\b|s\b|(?:in|of|within)\s+the\s+(?:video|clip)|and\b|-|–|—|/|\(|[^\x00-\u25ff])",
        re.IGNORECASE,
    )


_CLOSES_ALL = lazy(r"\)[\s.]*$")
_LEADING_WORD = lazy(
    r"\b(?:from|between|at|is|span|seconds?|time|timestamps?|interval|window|during|in|von|de|desde|guess|say"
    r"|i'd\s+say|roughly|about|around|therefore|hence|so|thus|to|or)$",
    re.IGNORECASE,
)
_FROM = lazy(r"(?<![^\W\d_])(?:from|between|von|zwischen|de|del|desde|entre|从)" + FILL + "$")
_LONGEST_WORD = 14


@lru_cache(maxsize=16)
def _one_line_pair(letters: str) -> re.Pattern[str]:
    """Returns the pattern of two numbers and perhaps one of some small letters, and nothing else."""
    letter = rf"\(?[{letters}]\)?"
    return lazy(rf"(?:{letter}\W{{1,3}})?{TOKEN}\s*(?:,|;|\n|\s|/)\s*{TOKEN}(?:\W{{1,3}}{letter})?")


class Found(NamedTuple):
    """A span and the place of its words among the tokens of a text."""

    span: Span
    start: int
    end: int


class _Pair(NamedTuple):
    """Two neighbouring points and what stands around them, in lower case."""

    first: Time
    second: Time
    start: int
    end: int
    before: str
    gap: str


class Points:
    """The points of time of a text and the pairs of neighbours among them.

    Args:
        text: The text.
        video: Its duration, and the unit of bare numbers.
        bare: Whether the text is known to be about a span, so that bare numbers are times.
        letters: Those of the options, which may stand beside a span.
    """

    def __init__(self, text: str, video: TimeSpan, bare: bool = False, letters: str = SOME_LETTERS) -> None:
        self.tokens, self.times = tokenise(text)
        self.video, self.bare, self.letters = video, bare, letters
        small = self.tokens.lower()
        # "İ" is the one character that becomes two in lower case; places would shift.
        self.small = small if len(small) == len(self.tokens) else self.tokens
        self.pairs = list(self._pairs()) if len(self.times) > 1 else []

    def _pairs(self) -> Iterator[_Pair]:
        points = list(_POINT.finditer(self.small))
        if len(points) > 2:
            # "at 101 s and lasts for 24 s, ending at 125 s": a length is no point
            some = [one for one in points if not self._is_length(one)]
            points = some if len(some) > 1 else points
        if len(points) > 2 * _MOST:  # a reply that loops
            points = [*points[:_MOST], *points[-_MOST:]]
        for one, other in itertools.pairwise(points):
            if other.start() - one.end() <= _WIDEST:
                before = self.small[max(0, one.start() - _BEFORE) : one.start()]
                yield _Pair(
                    self.times[int(one[1])],
                    self.times[int(other[1])],
                    one.start(),
                    other.end(),
                    before,
                    self.small[one.end() : other.start()],
                )

    def _is_length(self, point: re.Match[str]) -> bool:
        """Whether a time says how long something lasts."""
        time = self.times[int(point[1])]
        return time.unit in ("seconds", "minutes") and bool(
            _LASTS.search(self.small[max(0, point.start() - _BEFORE) : point.start()])
            and not re.match(rf"{FILL}(?:-|–|to\b|until\b)", self.small[point.end() :])
        )

    def found(self) -> list[Found]:
        """Returns the spans of the most explicit form that the text has, in its order."""
        for tests in _TESTS:
            some: list[Found] = []
            for pair in self.pairs:
                if some and pair.start < some[-1].end:
                    continue  # a point belongs to one span
                if found := next(filter(None, (test(self, pair) for test in tests)), None):
                    some.append(found)
            if some:
                return some
        stripped = self.small.strip(" \t\r\n.;\"'`!")
        if len(self.pairs) == 1 and _one_line_pair(self.letters.lower()).fullmatch(stripped):
            return _list(self._span(self.pairs[0]))
        return []

    # Whether a pair is a span, one test a form

    def ranged(self, pair: _Pair) -> Found | None:
        """Such as "5 s to 10 s", "between 5 s and 10 s"."""
        joined: object = _RANGE.fullmatch(pair.gap) or (
            _AND.fullmatch(pair.gap) and _OPENS_PAIR.search(pair.before)
        )
        if not joined and "," in pair.gap and _FROM.search(pair.before):
            joined = _DESCRIBED.fullmatch(pair.gap)
        if not joined:
            joined = pair.gap.lstrip().startswith(")") and _BRACKETED.fullmatch(pair.gap)
        return self._span(pair) if joined and self._marked(pair) else None

    def bare_range(self, pair: _Pair) -> Found | None:
        """Such as "5 to 10" at the head of a clause of its own, "between 5 and 10"."""
        if _RANGE.fullmatch(pair.gap) or (_AND.fullmatch(pair.gap) and _OPENS_PAIR.search(pair.before)):
            return self._span(pair) if self._stands_alone(pair) else None
        return None

    def listed(self, pair: _Pair) -> Found | None:
        """Such as "[5, 10]"."""
        brackets = _OPEN_BRACKET.search(pair.before) and _IN_LIST.fullmatch(pair.gap)
        return self._span(pair) if brackets and _CLOSES_LIST.match(self.small, pair.end) else None

    def labelled(self, pair: _Pair) -> Found | None:
        """Such as "start: 5, end: 10", in either order."""
        if _STARTED.search(pair.before) and _ENDED.search(pair.gap):
            return self._span(pair)
        if _ENDED.search(pair.before) and not _TO_BEFORE.search(pair.before) and _STARTED.search(pair.gap):
            found = self._span(pair, swap=True)
            return found if found and found.span[0] <= found.span[1] else None
        return None

    def adjacent(self, pair: _Pair) -> Found | None:
        """Such as "5.0 10.0"."""
        spaced = re.fullmatch(r"[>\])]?\s+[<\[(]?", pair.gap)
        exact = all("." in time.said or time.unit != "bare" for time in (pair.first, pair.second))
        alone = not re.search(r"[\x03\w]$", pair.before) and not re.match(r"[\w\x02]", self.small[pair.end :])
        return self._span(pair) if spaced and exact and alone else None

    def told(self, pair: _Pair) -> Found | None:
        """Such as "at 1:05 he turns and goes on until 1:20", "13 seconds in ... is over at 25 seconds"."""
        if "bare" in (pair.first.unit, pair.second.unit) or re.search(r"\n\s*\n|\n\W*[a-d][.):]", pair.gap):
            return None
        began = (
            _AT.search(pair.before)
            or _FROM.search(pair.before)
            or _STARTED.search(pair.before)
            or _INTO.match(pair.gap)
        )
        over = _UNTIL.search(pair.gap) or _DONE.search(pair.gap) or _UNTIL_AT.search(pair.gap)
        if not began or not (over or (len(self.times) == 2 and _AND_AT.fullmatch(pair.gap))):
            return None
        found = self._span(pair)
        return found if found and found.span[0] < found.span[1] else None

    def ended(self, pair: _Pair) -> Found | None:
        """Such as "from 21 s on; at 39 s it's done", "at 42 s it ends. It starts at 37 s"."""
        if "bare" in (pair.first.unit, pair.second.unit) or len(self.times) != 2:
            return None
        found = None
        if _AT.search(pair.before) and _OVER_BEHIND.match(pair.gap) and _STARTED.search(pair.gap):
            found = self._span(pair, swap=True)
        elif _AT.search(pair.gap) and _OVER_BEHIND.match(self.small, pair.end):
            began = _STARTED.search(pair.before) or (_FROM.search(pair.before) and _ON.match(pair.gap))
            found = self._span(pair) if began else None
        return found if found and found.span[0] < found.span[1] else None

    def in_lines(self, pair: _Pair) -> Found | None:
        """Such as "- He appears: 88 s" and below it "- He has left: 101 s", with no other time."""
        if len(self.times) != 2 or "bare" in (pair.first.unit, pair.second.unit):
            return None
        if not _COLON.search(pair.before) or not _NEXT_LINE.fullmatch(pair.gap):
            return None
        found = self._span(pair) if _ENDS_LINE.match(self.small, pair.end) else None
        return found if found and found.span[0] < found.span[1] else None

    def _marked(self, pair: _Pair) -> bool:
        """Whether a range is one of times, and not of any two numbers."""
        return {pair.first.unit, pair.second.unit} != {"bare"} or (
            self.bare and _after(self.letters).match(self.tokens, pair.end) is not None
        )

    def _stands_alone(self, pair: _Pair) -> bool:
        """Whether nothing follows that the numbers could count, and a clause begins before."""
        if not _after(self.letters).match(self.tokens, pair.end):
            return False
        if pair.before[-1:] == "(" and _CLOSES_ALL.match(self.tokens, pair.end):
            return True
        before = pair.before.rstrip(" \t[(\"'~")
        return (
            not before
            or before[-1] in ".,;:!=\n-–—*•>→⇒"
            or before[-1] > "\u2fff"
            or ("." in pair.first.said and "." in pair.second.said)
            or _LEADING_WORD.search(before[-_LONGEST_WORD:]) is not None
            or _FROM.search(pair.before) is not None
        )

    def _span(self, pair: _Pair, swap: bool = False) -> Found | None:
        """Returns a pair in seconds: "5 to 10 seconds" and "1 min to 2" share a unit."""
        first, second = pair.first, pair.second
        unit = first.unit
        if unit == "bare" and second.unit in ("minutes", "seconds", "percent") and second.amount != 100.0:
            unit = second.unit
        one = sane(Time(first.amount, unit).seconds(self.video))
        unit = "minutes" if second.unit == "bare" and first.unit == "minutes" else second.unit
        other = sane(Time(second.amount, unit).seconds(self.video))
        if one is None or other is None:
            return None
        return Found((other, one) if swap else (one, other), pair.start, pair.end)

    # A span that is described rather than given by its two ends

    def described(self) -> list[Found]:
        """Returns the one span of "the first 10 seconds", "from 90 s onwards", "at 5 s, for 8 s"."""
        for pair in self.pairs:
            if (_STARTED.search(pair.before) or _AT.search(pair.before)) and _LENGTHENED.search(pair.gap):
                one, length = pair.first.seconds(self.video), pair.second.seconds(self.video)
                if one is not None and length is not None and pair.second.unit != "clock":
                    end = sane(one + length)
                    return [] if end is None else [Found((one, end), pair.start, pair.end)]
        duration = self.video.duration
        if duration is None:
            return []
        if self.times and (span := self._edge(duration)):
            return _list(span)
        if holds(self.small, _PARTS) and (match := _HALF.search(self.small)):
            around = self.small[max(0, match.start() - _NEAR_PART) : match.end() + _NEAR_PART]
            if _OTHER_PART.search(around):
                return []  # "in the first or in the second half"
            part = _SHARES[match["part"]]
            index = {"first": 0, "initial": 0, "opening": 0, "second": 1}.get(match["which"], part - 1)
            return [Found((duration * index / part, duration * (index + 1) / part), *match.span())]
        if self.times and (match := _ONWARDS.search(self.small)):
            start = sane(self.times[int(match.group(1))].seconds(self.video))
            return [] if start is None else [Found((start, duration), *match.span())]
        whole = holds(self.small, _VIDEOS) and _WHOLE.search(self.small)
        return [Found((0.0, duration), *whole.span())] if whole else []

    def _edge(self, duration: float) -> Found | None:
        match = _EDGE.search(self.small)
        if not match:
            return None
        time = self.times[int(match["before"] or match["after"])]
        amount = time.seconds(self.video)
        if time.unit == "bare" and match["after"]:
            amount = time.amount
        elif time.unit == "bare":
            return None
        if amount is None or amount > duration:
            return None
        at_start = (match["edge"] or match["edge_after"]).startswith(_FIRST)
        span = (0.0, amount) if at_start else (duration - amount, duration)
        return Found(span, *match.span())


def _list(found: Found | None) -> list[Found]:
    return [found] if found else []


_TESTS: tuple[tuple[Callable[[Points, _Pair], Found | None], ...], ...] = (
    (Points.ranged, Points.listed, Points.labelled),
    (Points.bare_range,),
    (Points.adjacent,),
    (Points.told,),
    (Points.ended,),
    (Points.in_lines,),
)
_FIRST = (
    "first",
    "initial",
    "opening",
    "erste",
    "primer",
    "primi",
    "premi",
    "最初",
    "前",
    "开头",
    "처음",
    "첫",
)
_POINT_BEFORE = r"\x02(?P<before>\d+)\x03"
_POINT_AFTER = r"\x02(?P<after>\d+)\x03"
_EDGE = lazy(
    r"(?:(?<![^\W\d_])(?P<edge>first|initial|opening|last|final|closing|ersten?|letzten?|primer[oa]s|últim[oa]s|primi|ultimi"
    rf"|最初の?|最后的?|最後の?|前|开头|처음|마지막|첫)\s*(?:the\s+|about\s+)?{_POINT_BEFORE}"
    r"(?!\s*(?:to|-|–|until)(?![^\W\d_]))"
    rf"|{_POINT_AFTER}\s+(?P<edge_after>premières|dernières|primer[oa]s|últim[oa]s|first|last)\s+se[cg])"
)
_ONWARDS = lazy(
    rf"{TOKEN}\s*(?:mark|point)?\s*(?:and\s+)?(?:onwards?|on\b(?!\s+\w)|and\s+(?:beyond|later|after)|以降|开始到最后)"
)
_HALF = lazy(
    r"\b(?P<which>first|second|last|latter|final|closing|initial|opening)\s+(?P<part>half|third|quarter)\b"
)
_PARTS = ("half", "third", "quarter")
_NEAR_PART = 40
_OTHER_PART = lazy(
    r"\b(?:first|second|last)\b[^.;!?\n]{0,24}?\bor\b[^.;!?\n]{0,16}?\b(?:first|second|last|latter|other)\b"
)
_SHARES = {"half": 2, "third": 3, "quarter": 4}
_WHOLE = lazy(
    r"\b(?:(?:the\s+)?(?:whole|entire|full|complete)\s+(?:video|clip|duration|length|footage|recording)|"
    r"throughout(?:\s+the\s+(?:whole\s+|entire\s+)?(?:video|clip))?|"
    r"(?:all|over|across)\s+(?:of\s+)?the\s+(?:video|clip))\b"
)
_VIDEOS = ("video", "clip", "duration", "length", "footage", "recording", "throughout")


def joined(points: Points) -> list[tuple[int, int]]:
    """Returns the places of all pairs that some sign or word of a range joins, with what opens them."""
    places = []
    for pair in points.pairs:
        if _RANGE.fullmatch(pair.gap) or re.fullmatch(rf"{FILL}(?:and|und|et|y|e|,|;|)?{FILL}", pair.gap):
            opens = _FROM.search(pair.before)
            start = pair.start - (len(pair.before) - opens.start() if opens else 0)
            places.append((start, pair.end))
    return places
