"""The time span that a reply states: in JSON, or in its words.

`times` finds the points of time, `spans` joins two of them. Here it is decided which span counts where a
reply gives several: the corrected one, the one that it calls its answer, not one that it rejects; none where
nothing tells.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing.beside import Chosen, beside
from tempbench_lmms.parsing.choices import fragment
from tempbench_lmms.parsing.expected import TimeSpan
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.refusals import without_refusals
from tempbench_lmms.parsing.spans import FILL, SOME_LETTERS, Found, Points, Span, joined
from tempbench_lmms.parsing.text import CaseBlind, holds, normalise
from tempbench_lmms.parsing.times import TOKEN, sane, tokenise
from tempbench_lmms.parsing.words import OR, any_of

_ONLY_TIME = lazy(rf"{FILL}{TOKEN}{FILL}", re.IGNORECASE)
_MOST_PARTS = 6
_MOST_LABELS = 12
_LONGEST_STATEMENT = 1_000
_LONGEST_OPENING = 300

_LABEL = CaseBlind(
    r"(?:\b(?:choose|chose|pick|select|go\s+with|settle\s+on)\b(?!\s+(?:option\s+)?[a-z]\b)"
    r"|(?:final\s+answer|answer|relevant[\s_]*(?:time[\s_]*)?(?:span|window|segment|moment)s?|"
    r"time[\s_-]*(?:span|stamp|window|range|frame|interval)s?|timespan|span|window|interval|segment|moment|part\s+in\s+question)"
    r"(?:\s+(?!is\b|are\b|\d{1,3}:\d)\w+){0,8}?\s*(?:in\s+seconds\s*)?(?:is|are|would\s+be|:|=)(?:\s+(?:therefore"
    r"|thus|then|hence|approximately|about|roughly))*)"
)
_LABELS = (
    "part",
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

_FRAMES = lazy(
    r"\b(?:frames?|images?)\s*(?:numbers?|nos?\.?|#)?\s*(\d{1,4})\s*(?:-|–|—|to|through|until|and|→|bis|à"
    r"|a)\s*(?:frames?|images?)?\s*#?\s*(\d{1,4})\b",
    re.IGNORECASE,
)
_CORRECTS = lazy(
    r"\b(?:no,?\s+wait|wait|correction|actually|more precisely|i mean|sorry|scratch that|or rather"
    r"|let me correct|corrected|on second thought)\b",
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
_OR = lazy(any_of(OR), re.IGNORECASE)

_SPAN_KEYS = lazy(
    r"^(?:pred_?|final_?|my_?|the_?)?(?:relevant|answer|predicted|evidence|correct)?_?(?:(?:time|temporal)_?)?"
    r"(?:span|window|segment|interval|moment|range|timestamp|time|stamp|timing|location)s?"
    r"(?:_?(?:in_?)?(?:s|sec|seconds))?$"
)
_KEY_END = r"(?:_?time)?(?:_?stamp)?(?:_?(?:s|sec|second|seconds|at))?$"
_START_KEY = lazy(rf"^(?:t_?)?(?:start|begin|beginning|from|s0|t_?0|onset){_KEY_END}")
_END_KEY = lazy(rf"^(?:t_?)?(?:end|stop|finish|to|until|e0|t_?1|offset){_KEY_END}")


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

_NO_SPAN_KEY = lazy(r"conf|score|prob|question|query|duration|reason|expl|frame|rationale")
_LENGTH_KEY = lazy(r"^(?:duration|length)(?:_?(?:in_?)?(?:s|sec|seconds))?$")
_ANSWER_SPAN = lazy(r"answer|pred|relevant|evidence|final")


@lru_cache(maxsize=512)
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
        return sane(value)
    if isinstance(value, str):
        tokens, times = tokenise(value)
        if _ONLY_TIME.fullmatch(tokens.strip()):
            return sane(times[0].seconds(video))
    return None


def _pair(start: Any, end: Any, video: TimeSpan) -> list[Span]:
    one, other = _seconds(start, video), _seconds(end, video)
    return [] if one is None or other is None else [(one, other)]


# Text


def fields_of(value: Mapping[Any, Any], video: TimeSpan) -> list[Span]:
    """Returns the spans that the fields of a decoded object give."""
    return list(_of_json(value, video))


def spans_of_text(text: str, video: TimeSpan, bare: bool = False, chosen: Chosen | None = None) -> list[Span]:
    """Returns the spans of running text; none where it gives several and nothing tells which one counts.

    Args:
        text: The text.
        video: Its duration and the unit of bare numbers.
        bare: Whether the text is known to be about a span, so that bare numbers are times.
        chosen: The options and the one that the reply chooses: of several spans, the one that stands with it
            counts.
    """
    text = _without_lengths(_of_fractions(text))
    parts = _CORRECTS.split(text)[-_MOST_PARTS:] if holds(text.lower(), _CORRECTING) else [text]
    for part in reversed(parts):
        # What comes behind "no, wait" counts; what came before it, only where nothing comes behind.
        if spans := _stated(part, video, bare, chosen):
            return [*spans]
    return _of_frames(text, video.times)


# "0.28 to 0.45 of the video", "Normalized: 0.1 to 0.3"
_SHARE = r"(?:0?\.\d{1,4}|[01](?:\.0{1,4})?)"


def _shares(which: int) -> str:
    """Returns the pattern of two fractions, its groups marked by a number."""
    return (
        rf"(?<![\d.:])(?P<a{which}>{_SHARE})(?P<gap{which}>\s*(?:to|and|-|–|,)\s*)(?P<b{which}>{_SHARE})"
        r"(?![\d.:%]|\s*s)"
    )


# "Relative to the start" counts seconds.
_TO_ANOTHER = r"\s+to\b(?!\s+(?:the\s+)?(?:[\w'’]+\s+){0,2}?(?:length|duration)\b)"
_OF_ALL = rf"(?:normali[sz]ed|as\s+a\s+fraction|relative(?!{_TO_ANOTHER}))\b"
_FRACTIONS = lazy(
    rf"{_shares(1)}(?P<close>[\])]?)\s*(?:of\s+(?:the\s+)?(?:\w+\s+){{0,2}}?(?:video|clip|recording|footage|duration|length)(?:['’]s)?(?:\s+(?:length|duration))?"
    rf"|[(,]?\s*{_OF_ALL}(?:\s+(?:time|units|coordinates))?\)?)"
    rf"|\b{_OF_ALL}[^.!?\n\d]{{0,24}}{_shares(2)}",
    re.IGNORECASE,
)
_FRACTION_SIGNS = (" of ", "normali", "fraction", "relative")
# "(12 s long video)", "(the video is 100 s long)", "(of 100 s)"
_LENGTH = lazy(
    r"\((?:of|out\s+of)\s+[\d.]{1,8}\s*(?:s|sec|seconds?)\)"
    r"|\((?=[^()\n]*\b(?:long|length|duration|in\s+total|in\s+all)\b)[^()\d\n]{0,40}[\d.]{1,8}\s*-?(?:s|sec|seconds?)\b[^()\d\n]{0,40}\)",
    re.IGNORECASE,
)


def _of_fractions(text: str) -> str:
    """Returns a text with a span that is given in fractions of the video in percent."""
    if "." not in text or not holds(text.lower(), _FRACTION_SIGNS):
        return text

    def percent(match: re.Match[str]) -> str:
        which = "1" if match["a1"] else "2"
        first, second = (100 * float(match[name + which]) for name in "ab")
        return f"{first:.6g}%{match['gap' + which]}{second:.6g}%{match['close'] or ''} of the video"

    return _FRACTIONS.sub(percent, text)


def _without_lengths(text: str) -> str:
    """Returns a text without the brackets that say how long the video is."""
    return _LENGTH.sub(" ", text) if "(" in text else text


@lru_cache(maxsize=8)
def _stated(text: str, video: TimeSpan, bare: bool, chosen: Chosen | None) -> list[Span]:
    letters = chosen.letters if chosen else SOME_LETTERS
    labels = [match.end() for match in _LABEL.finditer(text)] if holds(text.lower(), _LABELS) else []
    # A reply may think aloud before it states its answer; the last labelled statement is the answer.
    for place in reversed(labels[-_MOST_LABELS:]):
        statement = text[place : place + _LONGEST_STATEMENT].lstrip()
        if place != labels[0] and _of_other_times(statement):
            continue
        statement = _without_options(statement, letters).split("\n\n")[0]
        if statement and (spans := _spans(statement, video, True, chosen)):
            return spans
    return _spans(_without_options(text, letters), video, bare, chosen)


# "What I see in this segment: he holds a fish. Before that (1:10-1:31), he reels it in."
_A_RANGE = lazy(r"\d[\d:.]{0,8}\s?s?\s?(?:[-–—]|to\b)\s?\d")


def _of_other_times(statement: str) -> bool:
    """Whether the first range of times in a statement is of what comes before or after the one at issue."""
    first = _A_RANGE.search(statement)
    near = statement[max(0, first.start() - _NEAR) : first.start()].lower() if first else ""
    in_brackets = first is not None and statement[first.start() - 1 : first.start()] == "("
    if first and not in_brackets and not _A_RANGE.search(statement, first.end()):
        return False  # no other range is there
    return bool(_OF_BEFORE.search(near) or _OF_AFTER.search(near))


def _of_frames(text: str, times: Sequence[float]) -> list[Span]:
    """Returns the span of a range of numbered frames whose times are known."""
    found = _FRAMES.search(text) if times else None
    if not found:
        return []
    first, last = int(found[1]), int(found[2])
    return [(float(times[first - 1]), float(times[last - 1]))] if 1 <= first <= last <= len(times) else []


@lru_cache(maxsize=16)
def _option_list(letters: str) -> re.Pattern[str]:
    return lazy(rf"(?m)^[ ]?\(?[{letters}][.):]\s+(?=\D)[^\n]*$")


def _without_options(text: str, letters: str) -> str:
    """Returns the text without a list of lettered options; "A. From 5 to 10" alone is none."""
    pattern = _option_list(letters)
    return pattern.sub("", text) if len(pattern.findall(text)) > 1 else text


def _spans(text: str, video: TimeSpan, bare: bool, chosen: Chosen | None) -> list[Span]:
    points = Points(text, video, bare, chosen.letters if chosen else SOME_LETTERS)
    found = points.found()
    if not found:
        return [one.span for one in points.described()]
    return [one.span for one in _chosen(points, found, chosen)]


def _chosen(points: Points, found: list[Found], chosen: Chosen | None) -> list[Found]:
    """Returns the spans that count, the answer first; none where several stand beside each other."""
    text = points.small
    kept = [one for one in found if not _rejected(text, one)]
    if len({one.span for one in kept}) < 2:
        return kept
    if chosen and chosen.letter and (with_it := beside(points.tokens, kept, chosen)):
        return [with_it]
    if one := _alone_at_end(text, kept):
        return [one]
    for one in reversed(kept):
        if _CALLED.match(text, one.end) or _CONCLUDED.search(text[max(0, one.start - _NEAR) : one.start]):
            others = [other for other in kept if other is not one]
            if any(_ALTERNATIVE.fullmatch(text, one.end, other.start) for other in others):
                return []  # "So it's C (65 to 100 s) or D (20 to 65 s)."
            return [one, *others]
    # "5-10? No, 12-20."
    sure = [one for one in kept if not text[one.end : one.end + _NEAR].lstrip(" )sec.").startswith("?")]
    if len({one.span for one in sure}) == 1:
        return sure
    if one := _alone_in_front(text, kept):
        return [one]
    plain = [one for one in kept if not _ASIDE.search(text[max(0, one.start - 2 * _NEAR) : one.start])]
    if len({one.span for one in plain}) == 1:
        return plain
    if (at_issue := _between_others(text, kept)) is not None:
        return [at_issue]
    first, other = kept[0], next(one for one in kept if one.span != kept[0].span)
    between = text[first.end : other.start]
    # Several spans are an answer only where they are one list: "from 5 to 9, and from 21 to 27".
    return kept if not _OR.search(between) and _IN_A_LIST.fullmatch(between) else []


# "Start: 36 s, End: 55 s" as the last line, below a list of what happens when
_BEFORE_ALONE = lazy(r"[\W_]*(?:(?:start\w*|begin\w*|from|time|span|segment|answer)\b[\W_]*){0,3}")
_BEHIND_ALONE = lazy(r"[\W_]*(?:s|secs?|seconds?)?[\W_]*")


def _alone_at_end(text: str, kept: list[Found]) -> Found | None:
    """Returns the span that is the last line by itself, where no other one is a line by itself."""
    alone = [one for one in kept if _is_line(text, one)]
    if len(alone) != 1 or not _BEHIND_ALONE.fullmatch(text, alone[0].end):
        return None
    before = text[: alone[0].start]
    # "The answer is 2 to 5 s.", and on two lines "Video length:", "0 - 20 s"
    above = before.rpartition("\n")[0]
    if before.rstrip(" \n*_").endswith((":", " from", " at", " is")) and _LABEL.search(above):
        return None
    return alone[0] if "\n" in before else None


_ENDS_ALONE = lazy(r"[ \t\"')\]]*(?:s|secs?|seconds?)?[ \t\"')\]]*(?:\.\s|\.?$|\.?\n)")


def _is_line(text: str, one: Found) -> bool:
    """Whether a span is a line, or the first sentence of one, by itself."""
    start = text.rfind("\n", 0, one.start) + 1
    return bool(_BEFORE_ALONE.fullmatch(text, start, one.start) and _ENDS_ALONE.match(text, one.end))


def _alone_in_front(text: str, kept: list[Found]) -> Found | None:
    """Returns the span that is the first line by itself, where no other one is a line by itself.

    "140 to 162 seconds.": spans in the prose behind it are there to explain.
    """
    first, *others = kept
    if "\n" in text[: first.start] or not _is_line(text, first):
        return None
    return None if any(_is_line(text, one) for one in others) else first


# "At 65-110 (she serves the guests from 140 to 178)."
_ASIDE = lazy(r"\((?:[^\W\d_]+\s+){3,12}$")
# "Before this (0 to 19 s) ..., and afterwards (57 to 95 s)": the times around the one at issue.
_OPENS_SPAN = r"\W{0,3}(?:(?:from|between|at)\s+)?\W{0,2}$"
_OF_BEFORE = lazy(
    rf"\b(?:(?:before|prior\s+to|preceding)\s+(?:this|that|it)|beforehand|earlier){_OPENS_SPAN}"
)
_OF_AFTER = lazy(
    rf"\b(?:(?:after|following)\s+(?:this|that|it)|afterwards?|thereafter|later(?:\s+on)?){_OPENS_SPAN}"
)


def _between_others(text: str, kept: list[Found]) -> Found | None:
    """Returns the one span that a text sets between one before it and one after it; None where it doesn't."""
    sides: dict[str, list[Found]] = {"before": [], "after": [], "": []}
    for one in kept:
        near = text[max(0, one.start - _NEAR) : one.start]
        sides["before" if _OF_BEFORE.search(near) else "after" if _OF_AFTER.search(near) else ""].append(one)
    left = sides[""]
    if not (sides["before"] and sides["after"]) or len({one.span for one in left}) != 1:
        return None
    return left[0]


_ALTERNATIVE = lazy(
    rf"[\s)\],]*(?:s|sec|seconds?)?[\s)\],]*{any_of(OR)}(?:[\s([:,]|\b(?:it['’]s|option|from|between|at|maybe|perhaps|[a-h])\b){{0,12}}"
)
_IN_A_LIST = lazy(r"(?:[\W\d]|(?:and|then|from|s|sec|seconds?|und|et|y|von|de|at)\b){0,20}")
_NEAR = 40
_OR = lazy(any_of(OR))
_REJECTED_BEFORE = lazy(
    r"(?<![^\W\d_])(?:not|nicht|pas|isn't|wasn't|rather\s+than|instead\s+of|statt|except|ignor\w+|forget|discard"
    r"|disregard|at\s+first|initially|first\s+(?:thought|guess\w*|answer|idea|impression|estimate)(?:\s+was)?|(?:i|we)\s+(?:had\s+)?(?:considered|thought\s+of)|e\.g\.|for\s+example|for\s+instance|such\s+as|不是|而不是)(?:\s+(?:the|in|at|from|between|during|my|von|de|des|first|span|segment|window|interval)\b)*"
    r"[\s:\"'(\[]*$|(?:\b(?:ignor\w+|forget|discard|disregard|drop)\b[^.;!?\n]*)$|\b(?:not|n['’]t)\s+(?:what\s+(?:is|was)\s+)?(?:asked|relevant|meant)\b[^.;!?\n\x02]*$"
)
_REJECTED_AFTER = lazy(
    r"[\s\"')\],]*(?:(?:is|was|are|were|would\s+be|shows?)\s+(?:not\b|wrong|only\b|just\b|too\s|another|(?:the\s+)?other\b"
    r"|\w+\s+\w*\s*itself)|isn't|wasn't|belongs?\s+to|ではな|じゃな|不是|[^\x02.;]{0,30}\bbelongs?\s+to\s+(?:another|the\s+other))"
)
_CALLED = lazy(
    r"[\s\"')\]]*(?:seconds?\s+)?[,;–—]\s*(?:and\s+|so\s+)?(?:that['’]s|that\s+is|this\s+is|which\s+is)\s+(?:\w+\s+){0,2}(?:span|answer|segment|window|moment|interval|one)\b"
    r"|[\s\"')\]]*(?:seconds?\s+)?(?:is|are|would\s+be|must\s+be)\s+(?:\w+\s+){0,3}(?:span|answer|segment|window|moment"
    r"|interval|one)\b"
)
_CONCLUDED = lazy(
    r"(?:\b(?:(?:revis|chang|correct|updat)\w+\s+(?:\w+\s+)?to|so|thus|therefore|hence|namely|i\.e\.|that\s+is|also|daher|donc|choose|pick|answer|span|window|segment"
    r"|interval|final\w*)\b|=>|[→⇒]|因此|所以|答案)[^.;!?\n\x02]{0,25}$"
)


def _rejected(text: str, found: Found) -> bool:
    """Whether the words around a span say that it isn't the answer."""
    before = text[max(0, found.start - 2 * _NEAR) : found.start]
    return bool(_REJECTED_BEFORE.search(before) or _REJECTED_AFTER.match(text, found.end))


def only_described(text: str) -> bool:
    """Whether a text stops within a sentence, and tells of several times by then, none called the answer.

    >>> only_described("The man on the left sits from 2 to 5 s, and stands up at 7 s. After that")
    True
    >>> only_described("Answer: 2 to 5 s. He stands up at 7 s. After that")
    False
    """
    if (last := fragment(text)) is None or _LABEL.search(text):
        return False
    points = Points(text, TimeSpan(None))
    opens = "\x02" in points.tokens[:_OPENING]  # "B, from 2 to 5 s. ..."
    if not opens and _OF_OPTION.search(text[: -len(last)]):
        return True
    return not opens and len({time.said for time in points.times}) >= _MANY_TIMES


# "Option A: In the", where a reply compares the options one by one
_OF_OPTION = lazy(r"\bOption\s+\(?[A-H]\)?\s*:\s*$")
_MANY_TIMES = 3
_OPENING = 24


def without_times(text: str) -> str:
    """Returns a text without its ranges of times, so that what else it says can be read.

    >>> without_times("he climbs to the roof (12s - 20s)")
    'he climbs to the roof ( )'
    """
    points = Points(text, TimeSpan(None))
    parts, place = [], 0
    for start, end in joined(points):
        if start >= place:
            parts.append(points.tokens[place:start])
            place = end
    tokens = " ".join([*parts, points.tokens[place:]])
    return re.sub(TOKEN, lambda match: points.times[int(match[1])].said, tokens)


def without_spans(text: str) -> str:
    """Returns a text without the range of times that it opens with.

    >>> without_spans("From 0 to 28, they eat spicy food.")
    'they eat spicy food.'
    """
    opening = Points(text[:_LONGEST_OPENING], TimeSpan(None))
    places = joined(opening)
    if not places or len(opening.times) != 2 or opening.tokens[: places[0][0]].strip(" \t\n([\"'"):
        return text
    # A tokenised remainder is no longer what the model wrote.
    rest = re.sub(r"^\s*(?:s|sec|seconds?)?[\s\])\"']*[,.:;-]*\s*", "", tokenise(text)[0][places[0][1] :])
    return rest if rest and "\x02" not in rest else text
