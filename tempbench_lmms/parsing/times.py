r"""Points of time in a text, each replaced by a token.

"1:05", "1'05", "one minute five", "1分5秒", "the 65th second", "half a minute", "20 %", "the end of the
video" and bare numbers all become tokens, so that a span is one pattern afterwards whatever its two ends look
like. What only looks like a time gets none: the numbers of frames, steps and list entries, confidences.
"""

import re
from functools import lru_cache

from tempbench_lmms.parsing.expected import TimeSpan
from tempbench_lmms.parsing.number_words import with_digits
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, squeeze
from tempbench_lmms.parsing.words import MINUTE, SECOND, VIDEO_END, VIDEO_START, any_of

MAX_SECONDS = 1e6
"""A larger number is a time stamp of another kind, or no time at all."""

TOKEN = r"\x02(\d+)\x03"
"""A token: the index of a time between two control signs, which are ASCII so that the fast patterns serve."""


class Time:
    """A time found in a text: an amount in some unit.

    Attributes:
        amount: How much.
        unit: `bare`, `clock`, `seconds`, `minutes` or `percent` of the video.
        said: Its words.
    """

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


def sane(seconds: float | None) -> float | None:
    """Returns seconds that a video may have; None for what is negative, infinite or absurd."""
    # Infinity and NaN fail the comparison. JSON holds whole numbers that no float does.
    return float(seconds) if seconds is not None and 0 <= seconds <= MAX_SECONDS else None


# Numbers

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_NUM = r"\d+(?:\.\d+)?|(?<!\w)\.\d+"
_SEC = rf"(?:{'|'.join(sorted(SECOND, key=len, reverse=True))})(?![A-Za-z])"
_MIN = rf"(?:{'|'.join(sorted((*MINUTE, 'm'), key=len, reverse=True))})(?![A-Za-z])"
_HOUR = r"(?:hours?|hrs?|h)(?![A-Za-z])"
_AND = r"\.?[\s,]*(?:(?:and|und|et|y|e)\s+)?"
# Longest forms first. No digit, letter or sign may stand directly before a time.
_TIME = lazy(
    rf"(?=[\d.])(?<!\d\.)(?<!\+)(?<!\d:)(?<![^\W{_CJK}])(?:"
    r"(?P<clock>\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?)(?!\d|:\d)"
    r"(?:\s*(?:seconds?|secs?|s|minutes?|mins?)(?![A-Za-z]))?"
    rf"|(?:(?P<h>{_NUM})[-\s]*{_HOUR}{_AND})?(?P<m>{_NUM})[-\s]*{_MIN}(?:{_AND}(?P<ms>{_NUM})[-\s]*{_SEC})?"
    rf"|(?P<s>{_NUM})[-\s]*{_SEC}"
    rf"|(?P<p>{_NUM})\s*(?:%|percent\b|per\s+cent\b|prozent\b|por\s+ciento\b)"
    rf"|(?P<n>{_NUM})(?![^\W{_CJK}]|%|[.,:]\d)"
    r")",
    re.IGNORECASE,
)
_DIGIT = lazy(r"\d")


def _read_time(match: re.Match[str]) -> Time:
    said = match.group()
    if number := match["n"]:
        return Time(float(number), "bare", said)
    if clock := match["clock"]:
        amount = 0.0
        for part in clock.replace(",", ".").split(":"):
            amount = amount * 60 + float(part)
        return Time(amount, "clock", said)
    if match["m"]:
        if match["h"] or match["ms"]:
            seconds = float(match["h"] or 0) * 3600 + float(match["m"]) * 60 + float(match["ms"] or 0)
            return Time(seconds, "seconds", said)
        return Time(float(match["m"]), "minutes", said)
    if match["s"]:
        return Time(float(match["s"]), "seconds", said)
    return Time(float(match["p"]), "percent", said)


# What is written in another form first

_SECOND_WORDS = tuple(word for word in SECOND if len(word) > 3 and word.isascii())
_MILLISECONDS = lazy(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(?:ms|msec|milliseconds?)\b", re.IGNORECASE)
# "1'05''", "1'05\"", "1 minute 5"
_MINUTES_AND = lazy(
    r"\b(\d{1,3})(?:\s*['′]\s*(?=\d{1,2}(?:''|″|′′|\"))"
    r"|\s*(?:minutes?|min|m|minuten|minutos?|分|분)\.?\s*(?:(?:and|und|et|y)\s+)?"
    r"(?=\d{1,2}\b(?!\s*(?:s|m|h|秒|초|分|분|[:%]|\.\d))))(\d{1,2})(?:''|″|′′|\")?",
    re.IGNORECASE,
)
_PRIMES = lazy(r"(?<=\d)(?:''|″|'′|′′)")
# "[12,20]", "12.0,20.0"
_TIGHT_PAIR = lazy(r"(?:(?<=\[)|(?<=\())(\d{1,6}(?:\.\d{1,4})?),(?=\d)|(?<!\d)(\d{1,6}\.\d{1,4}),(?=\d)")
_DECIMAL_COMMA = lazy(
    r"\b(\d{1,4}),(\d{1,2})(?=\s*(?:s|sek|sec|sekunden|secondes|segundos|secondi|сек\w*|секунд\w*)\b)"
    r"|(?<![\d.,])(\d{1,4}),(\d{1,2})(?=\s*(?:-|–|—|bis|à|a|hasta|до|al)\s*\d{1,4},\d{1,2}(?![\d.,]))"
    r"|(?:(?<=[-–—sàa]\s)|(?<=al\s)|(?<=to\s)|(?<=ta\s))(\d{1,4}),(\d{1,2})(?![\d.,])|(?<=\d[-–—])(\d{1,4}),(\d{1,2})(?![\d.,])",
    re.IGNORECASE,
)
_NTH = r"(?:st|nd|rd|th|\.|e|ème|º|ª|°)"
_NTH_SECOND = lazy(
    rf"\b(\d+){_NTH}\s+(?:{'|'.join(_SECOND_WORDS)})\b"
    rf"|\b(?:{'|'.join(_SECOND_WORDS)})\s+(\d+(?:[.,]\d+)?)\b(?!\s*(?:s|sec|%|(?:{'|'.join(_SECOND_WORDS)})\b))",
    re.IGNORECASE,
)
_OTHER_NTH = lazy(
    rf"\b(\d+){_NTH}(?=\s*(?:$|[.,;)!]|(?:to|until|till|through|and|und|bis|à|et|a|y|-|–)(?!\w)))",
    re.IGNORECASE,
)
# A cheap test: "th sec", "e 5".
_MAY_BE_NTH = lazy(
    r"[tdhe.º]\s+se[ckg]|(?:second|seconde|sekunde|segundos?|secondo|seconds|secondes|sekunden|secondi)\s+\d"
)
# A minus before a number; "5-10" and "5 - 10" have none.
_NEGATIVE = lazy(r"(?:(?<=[\[(,:=\"'])|(?<=^)|(?<=[\[(,:=]\s)|(?<=from\s)|(?<=between\s))[-−](?=\d)")
_MINUTE_PARTS = (
    (lazy(r"\bthree[-\s]quarters?\s+of\s+a\s+minute\b", re.IGNORECASE), "45 s"),
    (
        lazy(r"\b(?:(?:a|one)\s+)?quarter\s+(?:of\s+a\s+)?minute\b|\bviertelminute\b", re.IGNORECASE),
        "15 s",
    ),
    (
        lazy(
            r"\b(?:a\s+)?half[-\s](?:a[-\s])?minute\b|\b(?:einer?\s+)?halben?\s+minute\b|\bune\s+demi-minute\b"
            r"|\bmedio\s+minuto\b|半分钟|半分間",
            re.IGNORECASE,
        ),
        "30 s",
    ),
    (
        lazy(
            r"\b(?:an?|one|1)\s+minutes?\s+and\s+a\s+half\b|\b(?:one|1)\s+and\s+a\s+half\s+minutes?\b"
            r"|\b(?:eineinhalb|anderthalb)\s+minuten\b|\bune\s+minute\s+et\s+demie\b"
            r"|\bun\s+minuto\s+y\s+medio\b|一分半|1分半",
            re.IGNORECASE,
        ),
        "90 s",
    ),
)
# "She oils her hands (B).14 to 20 seconds.": a sentence ends there; "[B].25 - 3.5" has two decimals.
_ENDS_AT_BRACKET = lazy(
    r"(?<=[)\]])\.(?=\d{2,}(?:\s*s\w*)?\s*(?:-|–|—|to|until|and)\s*\d+(?!\d*\.\d))", re.IGNORECASE
)
_AND_A_HALF = lazy(r"\b(\d{1,2})\s+(?:and\s+a\s+half\s+minutes?|minutes?\s+and\s+a\s+half)\b", re.IGNORECASE)
_A_MINUTE = lazy(r"\b(?:an?|eine[rn]?|une|un)(?=\s+minut[eo]\b)|(?<=\bthe\s)(?=minute\s+mark)", re.IGNORECASE)
_FRACTIONS = lazy(
    r"\b(\d{1,2})/(\d{1,2})(?=\s*(?:-|–|to|and|of|through|into)\b(?:\s+\d{1,2}/\d{1,2}\s+of)?"
    r"\s+(?:the\s+|its\s+)?(?:video|clip|duration|length|way))",
    re.IGNORECASE,
)


def _plain(text: str) -> str:
    """Returns a text with milliseconds, "12''", "half a minute" and "the 12th second" in a common form."""
    small = text.lower()
    if "ms" in small or "milli" in small:
        text = _MILLISECONDS.sub(lambda match: f"{float(match[1].replace(',', '')) / 1000:g} s", text)
    if "m" in small or "'" in text or "′" in text or not text.isascii():
        text = _MINUTES_AND.sub(lambda match: f"{match[1]}:{int(match[2]):02d}", text)
        if "minute" in small:
            text = _NTH_MINUTE.sub(r" \1 min", text)
    if ")." in text or "]." in text:
        text = _ENDS_AT_BRACKET.sub(". ", text)
    if "," in text:
        text = _TIGHT_PAIR.sub(lambda match: f"{match[1] or match[2]}, ", text)
        text = _DECIMAL_COMMA.sub(lambda match: match.group().replace(",", "."), text)
    if "'" in text or "″" in text or "′" in text:
        text = _PRIMES.sub("s ", text)
    if _MAY_BE_NTH.search(small):
        before = text
        text = _NTH_SECOND.sub(lambda match: f"{match[1] or match[2].replace(',', '.')} s", text)
        if text != before:
            text = _OTHER_NTH.sub(r"\1 s", text)
    return text


def _parts_of_minutes(text: str, small: str) -> str:
    """Returns a text with halves and quarters of minutes as seconds."""
    if holds(small, ("half", "quarter", "halb", "viertel", "demi", "medio", "半")):
        for pattern, seconds in _MINUTE_PARTS:
            text = pattern.sub(seconds, text)
    return _A_MINUTE.sub("1 ", text)


# What is no time

_NUMBERED = (
    *(
        "frame",
        "image",
        "option",
        "question",
        "step",
        "scene",
        "clip",
        "shot",
        "round",
        "part",
        "phase",
        "set",
    ),
    *("bild", "第"),
)
# "Frame 5 (12.0 s)": the number of a frame is no time.
_NO_TIME = lazy(
    r"(?:\b(?:frames?|images?|options?|question|step|scene|clip|shot|round|part|phase|set|bild|bilder"
    r"|fotogramas?)\s*(?:numbers?|nos?\.?|used\s*:|sampled\s*:|shown\s*:)?\s*[\s#:=(\[]{0,4}\d+"
    r"(?:\s*(?:-|–|to|and|,|bis|a)\s*\d+(?!\d|\s*(?:s|sec|m|:|%|\.)))*,?)"
    r"|第\s*\d+\s*(?:到|至|-)?\s*(?:第?\s*\d+\s*)?(?:帧|幀|フレーム|張|张|枚)",
    re.IGNORECASE,
)
_CONFIDENCE = lazy(
    r"\b(?:confidence|probability|certainty|konfidenz|confiance|confianza)\b(?:\s*(?:score|level))?"
    r"\W{0,4}(?:(?:is|of|about|around)\s+)?\d+(?:\.\d+)?\s*(?:%|percent\b)?"
    r"|\b\d+(?:\.\d+)?\s*(?:%|percent)\s*(?:sure|certain|confiden\w+|probab\w+|likely|sicher)\b",
    re.IGNORECASE,
)
_CLOCK_ON_A_WALL = lazy(r"\b\d{1,2}(?::\d{2})?\s*(?:[ap]\.?m\b\.?|o['’]clock\b|uhr\b)(?!\w)", re.IGNORECASE)
_NTH_MINUTE = lazy(
    r"(?<![\d\s])\s*\bminutes?\s+(\d{1,3}(?:\.\d+)?)(?![\d:.]|\s*(?:s|m|se[cgk]\w*|minut\w*)\b)",
    re.IGNORECASE,
)
_DASHED_LABELS = lazy(r"\b(start|end)\s*[-–]\s*(?=\d)", re.IGNORECASE)
_LIST_HEADS = lazy(r"(?m)^[ ]*[1-9][.)][ ]+(?=\S)")
# Signs that a reply has no use for, and tokens are made of.
_NO_SIGNS = str.maketrans("\u27e8\u27e9\x02\x03\u301c\u3030", "<><>~~")
_DOTS = lazy(r"\.{2,}|…")

# The edges of the video

_VIDEO = r"(?:\s+(?:of|of\s+the|of\s+this)\s+(?:video|clip|footage|recording))?"
# "end time: 5" and "Start 1:35" name a field, and are not the edge of the video.
_NO_FIELD = (
    r"(?![\"'*)\]>]*\s*(?:time|timestamp|point|zeit|时间|時間|시간|[:=_]|is\b|at\b|bei\b|um\b|(?:[~≈<\[]\s*)?[\d\x02]"
    r"|(?:s|sec|seconds?)\b\W*[\d\x02]))"
)
# "the finish line", "the end of the rope"
_NO_EDGE = r"(?!\s+(?:line|of\s+(?!(?:the\s+|this\s+)?(?:video|clip|footage|recording)\b)))"
_START = lazy(
    rf"(?<!/)\b(?:the\s+)?(?:video['’]s\s+)?(?:very\s+)?(?:start|beginning|outset|onset){_VIDEO}\b{_NO_EDGE}{_NO_FIELD}",
    re.IGNORECASE,
)
_END = lazy(
    rf"(?<!/)\b(?:the\s+)?(?:(?:video|clip)['’]s\s+)?(?:very\s+)?(?:end|ending|finish|conclusion){_VIDEO}\b{_NO_EDGE}{_NO_FIELD}",
    re.IGNORECASE,
)
# "until the clip is over"
_OVER = lazy(
    r"(?:(?<=until\s)|(?<=till\s))(?:the\s+)?(?:clip|video|recording|footage)\s+(?:is\s+over|ends|stops|finishes|runs\s+out)\b",
    re.IGNORECASE,
)
# A sign directly behind a time says what begins then: "1分04秒开始".
_OTHER_START = lazy(r"(?<!\x03)" + any_of(VIDEO_START) + _NO_FIELD, re.IGNORECASE)
_OTHER_END = lazy(r"(?<!\x03)" + any_of(VIDEO_END) + _NO_FIELD, re.IGNORECASE)
_OTHER_EDGES = tuple({word[:4].lower() for word in (*VIDEO_START, *VIDEO_END) if word.isascii()})
_MIDDLE = lazy(
    r"\b(?:(?:the\s+)?(?:middle|midpoint|halfway\s+(?:point|mark))"
    r"(?:\s+of\s+(?:the\s+|this\s+)?(?:video|clip|footage|recording))?|halfway(?:\s+through)?)",
    re.IGNORECASE,
)
_GLOSS = lazy(
    rf"{TOKEN}\s*\(\s*(?P<until>(?:=\s*)?(?:until|to|at|till)\s+)?(?:=|i\.?e\.?,?|or)?\s*{TOKEN}\s*\)"
)


@lru_cache(maxsize=32)
def tokenise(text: str) -> tuple[str, list[Time]]:
    """Returns the text with each time replaced by a token of its index, and the times.

    >>> tokens, times = tokenise("from 1:05 to the end")
    >>> [(time.amount, time.unit) for time in times]
    [(65.0, 'clock'), (100.0, 'percent')]
    """
    times: list[Time] = []

    def token(time: Time) -> str:
        times.append(time)
        return f"\x02{len(times) - 1}\x03"

    text = _without_other_numbers(text.translate(_NO_SIGNS))
    if _DIGIT.search(text):
        if "-" in text or "−" in text:
            text = _NEGATIVE.sub("minus", text)
        text = _TIME.sub(lambda match: token(_read_time(match)), text)
    small = text.lower()
    if "mid" in small or "halfway" in small:
        text = _MIDDLE.sub(lambda match: token(Time(50.0, "percent", match.group())), text)
    if "until" in small or "till" in small:
        text = _OVER.sub("the end of the video", text)
        small = text.lower()
    if "start" in small or "beginning" in small or "set" in small:
        text = _START.sub(lambda match: token(Time(0.0, "clock", match.group())), text)
    if "end" in small or "finish" in small or "conclusion" in small:
        text = _END.sub(lambda match: token(Time(100.0, "percent", match.group())), text)
    if not small.isascii() or holds(small, _OTHER_EDGES):
        text = _OTHER_START.sub(lambda match: token(Time(0.0, "clock", match.group())), text)
        text = _OTHER_END.sub(lambda match: token(Time(100.0, "percent", match.group())), text)
    if len(times) > 1 and "(" in text:
        text = _GLOSS.sub(lambda match: _one_of(match, times), text)
    return text, times


def _without_other_numbers(text: str) -> str:
    """Returns a text whose times are in a common form, without the numbers that are none."""
    if ".." in text or "…" in text:
        text = _DOTS.sub(" - ", text)
    small = text.lower()
    if not small.isascii() or holds(small, ("minut", "quarter")):
        text = _parts_of_minutes(text, small)
    text = squeeze(with_digits(text))
    if "half" in small:
        text = _AND_A_HALF.sub(r"\1.5 minutes", text)
    if not _DIGIT.search(text):
        return text
    small = text.lower()
    if "\n" in text and len(_LIST_HEADS.findall(text)) > 1:
        text = _LIST_HEADS.sub("", text)
    if holds(small, ("am", "a.m", "pm", "p.m", "clock", "uhr")):
        text = _CLOCK_ON_A_WALL.sub(" ", text)
    if "start" in small and len({match[1].lower() for match in _DASHED_LABELS.finditer(text)}) > 1:
        text = _DASHED_LABELS.sub(r"\1: ", text)
    if "%" in text or holds(small, ("conf", "prob", "certain", "konf")):
        text = _CONFIDENCE.sub(" ", text)
    if "/" in text:
        text = _FRACTIONS.sub(lambda match: f"{100 * int(match[1]) / max(1, int(match[2])):g} %", text)
    text = _plain(text)
    return squeeze(_NO_TIME.sub(" ", text)) if holds(small, _NUMBERED) else text


def _one_of(match: re.Match[str], times: list[Time]) -> str:
    """Returns one token for "1:05 (65 s)", and both where they are two times."""
    first, second = times[int(match[1])], times[int(match[3])]
    if match["until"] and second.amount == 100.0 and second.unit == "percent":
        return match.group()[: match.end(1) + 1 - match.start()]  # "30 to 40 (until the end)"
    same = {first.unit, second.unit} <= {"clock", "seconds", "minutes", "bare"}
    video = TimeSpan(None)
    apart = abs((first.seconds(video) or 0) - (second.seconds(video) or 0)) if same else 1.0
    if apart >= 1 and same and first.unit == "bare" != second.unit:
        return f"\x02{match[3]}\x03"  # "frames 13 (105 s) to 15 (122 s)"
    if apart < 1 and not (first.unit == "bare" and second.unit == "bare"):
        return match.group()[: match.end(1) + 1 - match.start()]
    return match.group()
