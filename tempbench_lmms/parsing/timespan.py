"""Time spans of a video as models write them.

Everything that names a time is first replaced by a token, so that "from 1:05 to the end", "5 s - 10 s" and
"20% to 40%" are one pattern afterwards. Patterns are tried from the most explicit to the least; a pair of
bare numbers counts only where it cannot be anything else ("he lifts 2 to 3 weights" is no span).
A time point alone, or a start without an end, is no span and is not made one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing.expected import TimeSpan
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.numerals import CARDINALS, TENS
from tempbench_lmms.parsing.refusals import without_refusals
from tempbench_lmms.parsing.text import CaseBlind, holds, normalise, outer, squeeze
from tempbench_lmms.parsing.words import BEGINS, ENDS, MINUTE, OR, SECOND, any_of

Span = tuple[float, float]
"""Start and end in seconds, in the order in which they were stated; the end may lie before the start."""

MAX_SECONDS = 1e6
"""A larger number is a time stamp of another kind, or no time at all."""

_ONES = CARDINALS[:20]
_WORDS = {word: i for i, word in enumerate(_ONES)} | {word: 10 * i for i, word in enumerate(TENS, start=2)}
_NUMBER_WORD = re.compile(
    rf"\b(?:({'|'.join(TENS)})(?:[-\s]({'|'.join(_ONES[1:10])}))?|({'|'.join(_ONES)}))"
    r"(?=[-\s]*(?:seconds?|secs?|minutes?|mins?|percent|%|to|and|until|through)\b)",
    re.IGNORECASE,
)

_NUMBERS_IN_WORDS = tuple(word for word in (*TENS, *_ONES))
# Signs that a reply has no use for, and tokens are made of.
_NO_SIGNS = str.maketrans("\u27e8\u27e9\x02\x03", "<><>")
_DIGIT = re.compile(r"\d")
_DOTS = re.compile(r"\.{2,}|…")
_NUM = r"\d+(?:\.\d+)?|\.\d+"
_SEC = rf"(?:{'|'.join(sorted(SECOND, key=len, reverse=True))})(?![A-Za-z])"
_MIN = rf"(?:{'|'.join(sorted((*MINUTE, 'm'), key=len, reverse=True))})(?![A-Za-z])"
_HOUR = r"(?:hours?|hrs?|h)(?![A-Za-z])"
_AND = r"[\s,]*(?:and\s+)?"
# Longest forms first. No digit, letter or sign may stand directly before a time.
_TIME = re.compile(
    r"(?=[\d.])(?<![.+])(?<!\d:)(?<![^\W从到至第在は])(?:"
    r"(?P<clock>\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?)(?!\d|:\d)"
    r"(?:\s*(?:seconds?|secs?|s|minutes?|mins?)(?![A-Za-z]))?"
    rf"|(?:(?P<h>{_NUM})[-\s]*{_HOUR}{_AND})?(?P<m>{_NUM})[-\s]*{_MIN}(?:{_AND}(?P<ms>{_NUM})[-\s]*{_SEC})?"
    rf"|(?P<s>{_NUM})[-\s]*{_SEC}"
    rf"|(?P<p>{_NUM})\s*(?:%|percent\b|per\s+cent\b)"
    rf"|(?P<n>{_NUM})(?![\w%]|[.,:]\d)"
    r")",
    re.IGNORECASE,
)
_VIDEO = r"(?:\s+of\s+(?:the\s+|this\s+)?(?:video|clip|footage|recording))?"
# "end time: 5" names a field, and is not the end of the video.
_NO_FIELD = r"(?!\s*(?:time|timestamp|point|[:=_]|is\b|at\b))"
_START = re.compile(
    rf"\b(?:the\s+)?(?:very\s+)?(?:start|beginning|outset|onset)\b{_VIDEO}{_NO_FIELD}", re.IGNORECASE
)
_END = re.compile(
    rf"\b(?:the\s+)?(?:very\s+)?(?:end|ending|finish|conclusion)\b{_VIDEO}{_NO_FIELD}", re.IGNORECASE
)
_MIDDLE = re.compile(
    rf"\b(?:(?:the\s+)?(?:middle|midpoint|halfway\s+point){_VIDEO}|halfway\s+through)", re.IGNORECASE
)
# "Frame 5 (12.0 s)": the number of a frame is no time.
_NO_TIME = re.compile(
    r"\b(?:frames?|images?|options?|question|step|scene|clip|shot)\s*(?:numbers?"
    r"|nos?\.?)?\s*[\s#:=(\[]{0,4}\d+"
    r"(?:\s*(?:-|–|to|and|,)\s*\d+(?!\d|\s*(?:s|sec|m|:|%|\.)))*,?",
    re.IGNORECASE,
)
_NUMBERED = ("frame", "image", "option", "question", "step", "scene", "clip", "shot")
_MILLISECONDS = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(?:ms|msec|milliseconds?)\b", re.IGNORECASE)
# "1'05''", "1 minute 5"
_MINUTES_AND = re.compile(
    r"\b(\d{1,3})(?:\s*['′]\s*(?=\d{1,2}(?:''|″))|\s*(?:minutes?|min)\s+(?=\d{1,2}\b(?!\s*(?:s|m|h"
    r"|[.:%]))))(\d{1,2})(?:''|″)?",
    re.IGNORECASE,
)
# "[12,20]", "12.0,20.0"
_TIGHT_PAIR = re.compile(
    r"(?:(?<=\[)|(?<=\())(\d{1,6}(?:\.\d{1,4})?),(?=\d)|(?<!\d)(\d{1,6}\.\d{1,4}),(?=\d)"
)
_DECIMAL_COMMA = re.compile(
    r"\b(\d{1,4}),(\d{1,2})(?=\s*(?:s|sek|sec|sekunden|secondes|segundos|secondi)\b)", re.IGNORECASE
)
_EDGE_WORDS = (
    (
        re.compile(
            r"(?:开始|開始|起始|시작|anfang|beginn|début|inicio|inizio)(?:时间|時間|시간|zeit)?\s*(?=[:=])",
            re.IGNORECASE,
        ),
        "start",
        ("开始", "開始", "起始", "시작", "anfang", "beginn", "début", "inicio", "inizio"),
    ),
    (
        re.compile(
            r"(?:结束|終了|終わり|종료|끝|ende|fin|final|fine)(?:时间|時間|시간|zeit)?\s*(?=[:=])",
            re.IGNORECASE,
        ),
        "end",
        ("结束", "終了", "終わり", "종료", "끝", "ende", "fin"),
    ),
)
_PRIMES = re.compile(r"(?<=\d)(?:''|″|'′)")
_LONG_SECONDS = tuple(word for word in SECOND if len(word) > 3 and word.isascii() and not word.endswith("s"))
_NTH_SECOND = re.compile(
    rf"\b(\d+)(?:st|nd|rd|th|\.|e|º)\s+(?:{'|'.join(_LONG_SECONDS)})\b"
    rf"|\b(?:{'|'.join(_LONG_SECONDS)})\s+(\d+(?:\.\d+)?)\b(?!\s*(?:s|sec|%))",
    re.IGNORECASE,
)
# A cheap test: "th sec", "de 5".
_MAY_BE_NTH = re.compile(r"[tdhe.º]\s+se[ckg]|[deino]\s+\d")
# A minus before a number; "5-10" and "5 - 10" have none.
_NEGATIVE = re.compile(r"(?:(?<=[\[(,:=\"'])|(?<=^)|(?<=[\[(,:=]\s)|(?<=from\s)|(?<=between\s))[-−](?=\d)")
_OPTION_LIST = re.compile(r"(?m)^[ ]?\(?[A-D][.):]\s+(?=\D)[^\n]*$")

# Tokens: the index of a time between two control signs, which are ASCII so that the fast patterns serve.
# Between them only so many words are skipped that no honest reply has more: without a bound the cost of a
# pattern grows with the square of a reply's length.
_T = r"\x02(\d+)\x03"
_FILL = (
    r"\s*(?:(?:(?:approximately|approx|about|around|roughly|circa|nearly|almost|at|the|times?|timestamps?|"
    r"seconds?|sec|minute|marks?|point|on|t|is)(?![A-Za-z])\.?|[\[\]\"'()<>~≈=:第])\s*){0,12}"
)
_TO = (
    r"(?:-+>?|–|—|―|→|⇒|~|/|到|至|から|부터|에서|bis|à|a(?=\s)|hasta|jusqu'à|to|until|till|til|through|thru|up\s+to|"
    r"(?:all\s+the\s+way|right)\s+(?:to|until|through)|"
    r"(?:(?:(?:and|which|it|that|lasting|lasts|continu\w+|goes|going|runs|running|event|answer|span)\b"
    r"|[,;.])\s*){0,8}"
    r"\b(?:(?:ends?|ending|finish(?:es|ing)?|stops?|stopping|conclud\w+|clos\w+)(?:\s+(?:at|on|around|by))?|"
    r"(?:continu\w+|goes|going|runs|running|lasts|lasting|extend\w*)\s+(?:on\s+)?(?:to|until|till|through)))"
)
_ONLY_TIME = re.compile(rf"{_FILL}{_T}{_FILL}")
_RANGE = CaseBlind(rf"{_T}{_FILL},?\s*{_TO}{_FILL}{_T}")
_BETWEEN = CaseBlind(
    rf"\b(?:between|from|zwischen|entre){_FILL}{_T}{_FILL}(?:and|und|et|y|to|&|-|–|—|until|till"
    rf"|through){_FILL}{_T}"
)
_OPENED = re.compile(
    rf"\s*(?:(?:from|between)\b)?{_FILL}{_T}{_FILL}(?:{_TO}|and){_FILL}{_T}{_FILL}[,.:;-]*\s*", re.IGNORECASE
)
_ADJACENT = re.compile(rf"(?<![\x03\w]){_T}[>\])]?\s+[<\[(]?{_T}(?![\w\x02])")
_ANY_RANGE = CaseBlind(
    rf"(?:\b(?:from|between|von|de|desde|从)\b)?{_FILL}{_T}{_FILL}(?:{_TO}|and|,|;"
    rf"|\s)?{_FILL}{_T}\s*(?:seconds?|s|sec)?\b"
)
_LIST = re.compile(rf"[\[(<{{]\s*{_T}{_FILL}[,;]\s*{_FILL}{_T}\s*(?:[,;][^\])>}}]{{0,80}})?[\])>}}]")
# "He sets in 12 screws" names no time.
_AT = r"(?=\s+(?:at|around|about|by|near|from|after|bei|um|à|en|a)\b)"
_LABELLED_START = (
    rf"(?:\b(?:start(?:s|ing|ed)?|begin(?:s|ning)?|began|from|onset|opens?)|{any_of(BEGINS)}{_AT})"
    r"(?:[_\s-]*(?:time(?:[_\s-]?stamp)?|point|second|s|sec|seconds|at))?"
)
_LABELLED_END = (
    r"(?:\b(?:end(?:s|ing|ed)?|finish(?:es|ed|ing)?|stop(?:s|ped|ping)?|to|until|till|offset|concludes?|closes?)"
    rf"|{any_of(ENDS)}{_AT})"
    r"(?:[_\s-]*(?:time(?:[_\s-]?stamp)?|point|second|s|sec|seconds|at))?"
)
_GLUE = (
    r"[\s\"'*_(),:=>|~\[\]-]{0,20}"
    r"(?:(?:at|is|are|was|about|around|approximately|roughly|the|in|seconds?|s|secs?|video|of|after"
    r"|by|bei|um|à|a|en|el|la|le)\b"
    r"[\s\"':=()~\]-]{0,8}){0,8}"
)
_START_END = CaseBlind(rf"{_LABELLED_START}{_GLUE}{_T}[^\x02]{{0,80}}?{_LABELLED_END}{_GLUE}{_T}", re.DOTALL)
_END_START = CaseBlind(rf"{_LABELLED_END}{_GLUE}{_T}[^\x02]{{0,80}}?{_LABELLED_START}{_GLUE}{_T}", re.DOTALL)
_START_LENGTH = CaseBlind(
    rf"(?:{_LABELLED_START}|\bat){_GLUE}{_T}[^\x02]{{0,60}}?"
    rf"\b(?:lasts?|lasting|for|duration|length|next|during)\b{_GLUE}(?:for\s+)?{_T}"
)
_ONWARDS = CaseBlind(
    rf"{_T}\s*(?:mark|point)?\s*(?:and\s+)?(?:onwards?|on\b(?!\s+\w)|and\s+(?:beyond|later|after))"
)
_EDGE = CaseBlind(rf"\b(?P<edge>first|initial|opening|last|final|closing)\s+{_T}(?!\s*(?:to|-|–|until))")
_HALF = re.compile(r"\b(?P<which>first|second|last|latter)\s+(?P<part>half|third|quarter)\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:(?:the\s+)?(?:whole|entire|full|complete)\s+(?:video|clip|duration|length|footage|recording)|"
    r"throughout(?:\s+the\s+(?:whole\s+|entire\s+)?(?:video|clip))?|"
    r"(?:all|over|across)\s+(?:of\s+)?the\s+(?:video|clip))\b",
    re.IGNORECASE,
)
_LABEL = CaseBlind(
    r"(?:\b(?:choose|chose|pick|select|go\s+with|settle\s+on)\b(?!\s+(?:option\s+)?[a-d]\b)"
    r"|(?:final\s+answer|answer|relevant[\s_]*(?:time[\s_]*)?(?:span|window|segment|moment)s?|"
    r"time[\s_-]*(?:span|stamp|window|range|frame|interval)s?|timespan|span|window|interval|segment|moment)"
    r"(?:\s+(?!is\b|are\b)\w+){0,8}?\s*(?:in\s+seconds\s*)?(?:is|are|would\s+be|:|=)(?:\s+(?:therefore"
    r"|thus|then|hence|approximately|about|roughly))*)"
)
_LABELS = (
    "choose",
    "chose",
    "pick",
    "select",
    "go",
    "settle",
    "answer",
    "span",
    "stamp",
    "window",
    "range",
    "frame",
    "interval",
    "segment",
    "moment",
)
_VIDEOS = ("video", "clip", "duration", "length", "footage", "recording", "throughout")

_FRAMES = re.compile(
    r"\b(?:frames?|images?)\s*(?:numbers?|nos?\.?|#)?\s*(\d{1,4})\s*(?:-|–|—|to|through|until|and|→|bis|à"
    r"|a)\s*(?:frames?|images?)?\s*#?\s*(\d{1,4})\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:no,?\s+wait|wait|correction|actually|more precisely|i mean|sorry|scratch that|or rather"
    r"|let me correct|on second thought)\b",
    re.IGNORECASE,
)
_CORRECTING = (
    "wait",
    "correct",
    "actually",
    "precisely",
    "mean",
    "sorry",
    "scratch",
    "rather",
    "second thought",
)
_OR = re.compile(any_of(OR), re.IGNORECASE)
_TOKEN = re.compile(_T)
_MOST_TIMES = 120  # a reply that loops
_MOST_PARTS = 6
_MOST_LABELS = 12
_LONGEST_STATEMENT = 1_000
_LONGEST_OPENING = 300
_BEFORE = 40
_LONGEST_WORD = 12

_SPAN_KEYS = re.compile(
    r"^(?:pred_?)?(?:relevant|answer|predicted|evidence)?_?(?:(?:time|temporal)_?)?"
    r"(?:span|window|segment|interval|moment|range|timestamp|time|stamp|timing|location)s?"
    r"(?:_?(?:in_?)?(?:s|sec|seconds))?$"
)
_KEY_END = r"(?:_?time)?(?:_?stamp)?(?:_?(?:s|sec|second|seconds|at))?$"
_START_KEY = re.compile(rf"^(?:t_?)?(?:start|begin|beginning|from|s0|onset){_KEY_END}")
_END_KEY = re.compile(rf"^(?:t_?)?(?:end|stop|finish|to|until|e0|offset){_KEY_END}")


def parse_spans(reply: str, duration: float | None = None) -> list[Span]:
    """Returns the time spans that a reply states, in its order.

    Args:
        reply: The model's reply, reasoning included.
        duration: Of the video, in seconds; percentages, "until the end" and the like need it and are not
            read without it.

    Returns:
        Spans in seconds; none where the reply states none. Negative, infinite and absurd times are none.

    >>> parse_spans("around the 90-second mark until the end", duration=120.0)
    [(90.0, 120.0)]
    >>> parse_spans("From 00:05 to 01:10, B"), parse_spans("He jumps twice.")
    ([(5.0, 70.0)], [])
    """
    text = final_answer(reply)
    if text is None:
        return []
    text = normalise(text)
    video = TimeSpan(duration)
    values = json_values(text)
    spans = [span for value in values for span in _of_json(value, video)]
    if spans or any(isinstance(value, Mapping) and has_span_key(value) for value in values):
        # An object that says "span": null states that there is none; numbers elsewhere are no substitute.
        return spans
    return spans_of_text(without_refusals(text)[0], video)


def parse_span(reply: str, duration: float | None = None) -> Span | None:
    """Returns the first span of `parse_spans`, which is the one that is scored; None where there is none."""
    return next(iter(parse_spans(reply, duration)), None)


# JSON

_NO_SPAN_KEY = re.compile(r"conf|score|prob|question|query|duration|reason|expl|frame|rationale")
_LENGTH_KEY = re.compile(r"^(?:duration|length)(?:_?(?:in_?)?(?:s|sec|seconds))?$")
_ANSWER_SPAN = re.compile(r"answer|pred|relevant|evidence|final")


def _key(name: Any) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name)).strip().lower().replace("-", "_").replace(" ", "_")


def has_span_key(value: Mapping[Any, Any]) -> bool:
    """Whether an object has a field for a span, even an empty one."""
    return any(_SPAN_KEYS.match(_key(name)) or _START_KEY.match(_key(name)) for name in value)


def _of_json(value: Any, video: TimeSpan) -> list[Span]:
    """Returns the spans of a decoded object or array."""
    if isinstance(value, Mapping):
        keys = {_key(name): item for name, item in value.items() if not _NO_SPAN_KEY.search(_key(name))}
        starts = [item for name, item in keys.items() if _START_KEY.match(name)]
        ends = [item for name, item in keys.items() if _END_KEY.match(name)]
        if starts and ends:
            return _pair(starts[0], ends[0], video)
        if starts and (lengths := [item for name, item in value.items() if _LENGTH_KEY.match(_key(name))]):
            start, length = _seconds(starts[0], video), _seconds(lengths[0], video)
            return [] if start is None or length is None else [(start, start + length)]
        named = sorted(
            (name for name in keys if _SPAN_KEYS.match(name)), key=lambda name: not _ANSWER_SPAN.search(name)
        )
        for name in named:
            if spans := _of_value(keys[name], video):
                return spans
        if named:
            return []
        nested = [item for item in keys.values() if isinstance(item, (Mapping, list))]
        return [span for item in nested for span in _of_json(item, video)]
    if isinstance(value, list):
        return _of_value(value, video)
    return []


def _of_value(value: Any, video: TimeSpan) -> list[Span]:
    if isinstance(value, str):
        return spans_of_text(value, video, bare=True)
    if isinstance(value, Mapping):
        return _of_json(value, video)
    if not isinstance(value, list):
        return []
    # [start, end] or [start, end, score]
    if 2 <= len(value) <= 3 and all(_seconds(item, video) is not None for item in value[:2]):
        return _pair(value[0], value[1], video)
    return [
        span for item in value if isinstance(item, (list, Mapping, str)) for span in _of_value(item, video)
    ]


def _seconds(value: Any, video: TimeSpan) -> float | None:
    """Returns a JSON number or a string such as "00:05" or "5s" in seconds."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _sane(value)
    if isinstance(value, str):
        tokens, times = _tokenise(value)
        if _ONLY_TIME.fullmatch(tokens.strip()):
            return _sane(times[0].seconds(video))
    return None


def _pair(start: Any, end: Any, video: TimeSpan) -> list[Span]:
    one, other = _seconds(start, video), _seconds(end, video)
    return [] if one is None or other is None else [(one, other)]


def _sane(seconds: float | None) -> float | None:
    # Infinity and NaN fail the comparison. JSON holds whole numbers that no float does.
    return float(seconds) if seconds is not None and 0 <= seconds <= MAX_SECONDS else None


# Text


class _Time:
    """A time found in a text: an amount in some unit."""

    __slots__ = ("amount", "said", "unit")

    def __init__(self, amount: float, unit: str, said: str = "") -> None:
        self.amount = amount
        self.unit = unit
        self.said = said

    def seconds(self, video: TimeSpan) -> float | None:
        """Returns seconds; None where the duration is needed and unknown."""
        if self.unit == "percent" or (self.unit == "bare" and video.unit != "seconds"):
            return None if video.duration is None else self.amount / 100 * video.duration
        return self.amount * {"minutes": 60.0}.get(self.unit, 1.0)


def _read_time(match: re.Match[str]) -> _Time:
    if number := match["n"]:
        return _Time(float(number), "bare")
    if clock := match["clock"]:
        amount = 0.0
        for part in clock.replace(",", ".").split(":"):
            amount = amount * 60 + float(part)
        return _Time(amount, "clock")
    if match["m"]:
        if match["h"] or match["ms"]:
            seconds = float(match["h"] or 0) * 3600 + float(match["m"]) * 60 + float(match["ms"] or 0)
            return _Time(seconds, "seconds")
        return _Time(float(match["m"]), "minutes")
    if match["s"]:
        return _Time(float(match["s"]), "seconds")
    return _Time(float(match["p"]), "percent")


def _number_word(match: re.Match[str]) -> str:
    tens, ones, small = match.groups()
    return str(
        _WORDS[small.lower()] if small else _WORDS[tens.lower()] + (_WORDS[ones.lower()] if ones else 0)
    )


def _plain(text: str) -> str:
    """Returns a text with milliseconds, "12''" and "the 12th second" written as seconds."""
    small = text.lower()
    if "ms" in small or "milli" in small:
        text = _MILLISECONDS.sub(lambda match: f"{float(match[1].replace(',', '')) / 1000:g} s", text)
    if "min" in small or "'" in text or "′" in text:
        text = _MINUTES_AND.sub(lambda match: f"{match[1]}:{int(match[2]):02d}", text)
    if "," in text:
        text = _TIGHT_PAIR.sub(lambda match: f"{match[1] or match[2]}, ", text)
    if "'" in text or "″" in text:
        text = _PRIMES.sub("s ", text)
    if "," in text:
        text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    if ":" in text or "=" in text:
        for pattern, word, words in _EDGE_WORDS:
            if holds(small, words):
                text = pattern.sub(word, text)
    if _MAY_BE_NTH.search(small):
        text = _NTH_SECOND.sub(lambda match: f"{match[1] or match[2]} s", text)
    return text


@lru_cache(maxsize=32)
def _tokenise(text: str) -> tuple[str, list[_Time]]:
    """Returns the text with each time replaced by a token of its index, and the times."""
    times: list[_Time] = []

    def token(time: _Time, said: str = "") -> str:
        time.said = said
        times.append(time)
        return f"\x02{len(times) - 1}\x03"

    text = text.translate(_NO_SIGNS)
    if ".." in text or "…" in text:
        text = _DOTS.sub(" - ", text)
    if _DIGIT.search(text):
        text = _plain(text)
        if holds(text.lower(), _NUMBERED):
            text = _NO_TIME.sub(" ", text)
    elif ":" in text or "=" in text:
        text = _plain(text)
    text = squeeze(text)
    if holds(text.lower(), _NUMBERS_IN_WORDS):
        text = _NUMBER_WORD.sub(_number_word, text)
    if _DIGIT.search(text):
        if "-" in text or "−" in text:
            text = _NEGATIVE.sub("minus", text)
        text = _TIME.sub(lambda match: token(_read_time(match), match.group()), text)
    # Units of a list: "[5, 10] seconds" reads as it stands. Words stand for the video's edges.
    small = text.lower()
    if "mid" in small or "halfway" in small:
        text = _MIDDLE.sub(lambda _: token(_Time(50.0, "percent")), text)
    if "start" in small or "beginning" in small or "set" in small:
        text = _START.sub(lambda _: token(_Time(0.0, "clock")), text)
    if "end" in small or "finish" in small or "conclusion" in small:
        text = _END.sub(lambda _: token(_Time(100.0, "percent")), text)
    return text, times


def fields_of(value: Mapping[Any, Any], video: TimeSpan) -> list[Span]:
    """Returns the spans that the fields of a decoded object give."""
    return list(_of_json(value, video))


def spans_of_text(text: str, video: TimeSpan, bare: bool = False) -> list[Span]:
    """Returns the spans of running text.

    Args:
        text: The text.
        video: As for `spans_of_text`.
        bare: Whether the text is known to be about a span, so that bare numbers are times.
    """
    parts = _CORRECTS.split(text)[-_MOST_PARTS:] if holds(text.lower(), _CORRECTING) else [text]
    for part in reversed(parts):
        # What comes behind "no, wait" counts; what came before it, only where nothing comes behind.
        if spans := _stated(part, video, bare):
            return spans
    return _of_frames(text, video.times)


def _stated(text: str, video: TimeSpan, bare: bool) -> list[Span]:
    labels = [match.end() for match in _LABEL.finditer(text)] if holds(text.lower(), _LABELS) else []
    # A reply may think aloud before it states its answer; the last labelled statement is the answer.
    for place in reversed(labels[-_MOST_LABELS:]):
        statement = _without_options(text[place : place + _LONGEST_STATEMENT].lstrip()).split("\n\n")[0]
        if statement and (spans := _ranges(statement, video, bare=True)):
            return spans
    return _ranges(_without_options(text), video, bare)


def _of_frames(text: str, times: Sequence[float]) -> list[Span]:
    """Returns the span of a range of numbered frames whose times are known."""
    found = _FRAMES.search(text) if times else None
    if not found:
        return []
    first, last = int(found[1]), int(found[2])
    return [(float(times[first - 1]), float(times[last - 1]))] if 1 <= first <= last <= len(times) else []


def _without_options(text: str) -> str:
    """Returns the text without a list of lettered options; "A. From 5 to 10" alone is none."""
    return _OPTION_LIST.sub("", text) if len(_OPTION_LIST.findall(text)) > 1 else text


def _ranges(text: str, video: TimeSpan, bare: bool) -> list[Span]:
    tokens, times = _tokenise(text)
    if len(times) < 2:  # no pattern of a start and an end
        return _described(tokens, times, video)
    stripped = tokens.strip(" \t\r\n.;\"'`")

    def seconds(start: str, end: str) -> Span | None:
        first, second = times[int(start)], times[int(end)]
        unit = first.unit
        if unit == "bare" and second.unit in ("minutes", "seconds", "percent") and second.amount != 100.0:
            unit = second.unit  # "5 to 10 seconds", "20 to 40%"
        one = _sane(_Time(first.amount, unit).seconds(video))
        unit = second.unit
        if unit == "bare" and first.unit == "minutes":
            unit = "minutes"  # "1 min to 2"
        other = _sane(_Time(second.amount, unit).seconds(video))
        return None if one is None or other is None else (one, other)

    def marked(match: re.Match[str]) -> bool:
        """Whether a range is one of times, and not of any two numbers."""
        units = {times[int(match.group(group))].unit for group in (1, 2)}
        return units != {"bare"} or (bare and _AFTER.match(tokens, match.end()) is not None)

    found: dict[int, Span] = {}

    def add(matches: Iterable[re.Match[str]], explicit: bool = False, swap: bool = False) -> None:
        for match in matches:
            if match.start(1) in found or not (explicit or marked(match)):
                continue
            first, second = match.group(1), match.group(2)
            span = seconds(second, first) if swap else seconds(first, second)
            if span:
                found[match.start(1)] = span

    ranges, betweens = outer(_RANGE.finditer(tokens)), outer(_BETWEEN.finditer(tokens))
    add(ranges)
    add(betweens)
    if not found:
        add((match for match in betweens if _stands_alone(tokens, match)), explicit=True)
    if not found:
        add(outer(_LIST.finditer(tokens)), explicit=True)
    if not found:
        add(outer(_START_END.finditer(tokens)), explicit=True)
    if not found:
        add(outer(_END_START.finditer(tokens)), explicit=True, swap=True)
    if not found:
        # "5 to 10" alone, or at the head of a clause of its own.
        add((match for match in ranges if _stands_alone(tokens, match)), explicit=True)
    if not found and (match := re.fullmatch(rf"(?:[A-D]\W{{1,3}})?{_T}\s*(?:,|\n|\s)\s*{_T}", stripped)):
        add([match], explicit=True)
    if not found:
        add(
            (
                match
                for match in outer(_ADJACENT.finditer(tokens))
                if all(
                    "." in times[int(match.group(g))].said or times[int(match.group(g))].unit != "bare"
                    for g in (1, 2)
                )
            ),
            explicit=True,
        )
    if found:
        first, *others = sorted(found)
        if others and found[others[0]] != found[first] and _OR.search(tokens[first : others[0]]):
            return []  # "either from 5 to 9 or from 21 to 27"
        return [found[place] for place in (first, *others)]
    return _described(tokens, times, video)


_AFTER = re.compile(
    r"\s*(?:$|[.,;:)\]<>\"'}\n]|(?-i:[A-D])\b|(?:where|when|while|as|because|since|which|with|is|for)\b"
    r"|seconds?\b|secs?\b|s\b|(?:in|of|within)\s+the\s+(?:video|clip)|and\b|-|–|—|\()",
    re.IGNORECASE,
)


_LEADING_WORD = re.compile(
    r"\b(?:from|between|at|is|span|seconds?|time|timestamps?|interval|window|during|in)$", re.IGNORECASE
)


def _stands_alone(tokens: str, match: re.Match[str]) -> bool:
    """Whether nothing follows that the numbers could count ("2 to 3 weights"), and a clause begins before."""
    if not _AFTER.match(tokens, match.end()):
        return False
    before = tokens[max(0, match.start() - _BEFORE) : match.start()].rstrip(" \t[(\"'~")
    return (
        not before
        or before[-1] in ".,;:=\n-–—*•>"
        or _LEADING_WORD.search(before[-_LONGEST_WORD:]) is not None
        or match.group().lower().startswith(("from", "between"))
    )


def _described(tokens: str, times: list[_Time], video: TimeSpan) -> list[Span]:
    """Returns the one span that is described rather than given by its two ends."""
    if len(times) > 1 and (match := _START_LENGTH.search(tokens)):
        first, length = times[int(match.group(1))], times[int(match.group(2))]
        one, other = first.seconds(video), length.seconds(video)
        if one is not None and other is not None and length.unit != "clock":
            end = _sane(one + other)
            return [] if end is None else [(one, end)]
    duration = video.duration
    if duration is None:
        return []
    small = tokens.lower()
    if times and (match := _EDGE.search(tokens)):
        amount = times[int(match.group(2))].seconds(video)
        if amount is not None and times[int(match.group(2))].unit != "bare" and amount <= duration:
            at_start = match["edge"].lower() in ("first", "initial", "opening")
            return [(0.0, amount) if at_start else (duration - amount, duration)]
    if holds(small, ("half", "third", "quarter")) and (match := _HALF.search(tokens)):
        part = {"half": 2, "third": 3, "quarter": 4}[match["part"].lower()]
        which = match["which"].lower()
        index = 0 if which == "first" else 1 if which == "second" else part - 1
        return [(duration * index / part, duration * (index + 1) / part)]
    if times and (match := _ONWARDS.search(tokens)):
        start = _sane(times[int(match.group(1))].seconds(video))
        return [] if start is None else [(start, duration)]
    said = holds(small, _VIDEOS) and _WHOLE.search(tokens)
    return [(0.0, duration)] if said else []


def _without(pattern: CaseBlind, text: str) -> str:
    """Returns a text with a space for each match of a pattern."""
    parts, place = [], 0
    for match in pattern.finditer(text):
        parts.append(text[place : match.start()])
        place = match.end()
    return " ".join([*parts, text[place:]])


def without_times(text: str) -> str:
    """Returns a text without its ranges of times, so that what else it says can be read.

    >>> without_times("he climbs to the roof (12s - 20s)")
    'he climbs to the roof ( )'
    """
    tokens, times = _tokenise(text)
    if len(times) > _MOST_TIMES:
        return _TOKEN.sub(" ", tokens)
    if len(times) > 1:
        tokens = _without(_ANY_RANGE, tokens)
    return _TOKEN.sub(lambda match: times[int(match[1])].said, tokens)


def without_spans(text: str) -> str:
    """Returns a text without the range of times that it opens with.

    >>> without_spans("From 0 to 28, they eat spicy food.")
    'they eat spicy food.'
    """
    opening, _ = _tokenise(text[:_LONGEST_OPENING])
    opened = _OPENED.match(opening)
    if not opened or "\x02" in opening[opened.end() :]:
        return text
    tokens, _ = _tokenise(text)
    opened = _OPENED.match(tokens)
    # A tokenised remainder is no longer what the model wrote.
    rest = tokens[opened.end() :] if opened else ""
    return rest if rest and "\x02" not in rest else text
