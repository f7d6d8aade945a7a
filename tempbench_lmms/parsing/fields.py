"""Several answers in one reply: the letter of an option and a time span.

JSON is decoded once, and both fields come from one object. A field that the object has is the answer, even
where it says null; only one that it lacks is looked for in the text around it.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing import plain, reader
from tempbench_lmms.parsing.beside import Chosen
from tempbench_lmms.parsing.echo import may_repeat, without_placeholders, without_prompt
from tempbench_lmms.parsing.expected import Choice, Fields, TimeSpan
from tempbench_lmms.parsing.final_answer import before_next_question, final_part
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.kinds import kind_of
from tempbench_lmms.parsing.lines import lines, sentences
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.reading import Reading, Reread, none
from tempbench_lmms.parsing.refusals import without_questions, without_refusals
from tempbench_lmms.parsing.statements import corrects
from tempbench_lmms.parsing.text import holds, normalise
from tempbench_lmms.parsing.timespan import (
    fields_of,
    has_span_key,
    only_described,
    spans_of_text,
    without_times,
)

_TAG = lazy(r"<((?:\w*span|time\w*|segment|interval|glue|window))>([^<]{1,200})</\1>", re.IGNORECASE)
_TABLE = lazy(
    r"^[ ]*\|(?P<head>[^\n]+)\|[ ]*\n[ ]*\|[-:| ]+\|[ ]*\n[ ]*\|(?P<row>[^\n]+)\|[ ]*$(?!\n[ ]*\|)",
    re.MULTILINE,
)
# Rows of a name and a value: "| Start | 1:35 |".
_ROW = lazy(r"^[ ]*\|([^|\n]{1,60})\|([^|\n]{1,120})\|[ ]*$", re.MULTILINE)
_RULE = lazy(r"[\s:|-]*")
_UNIT = lazy(r"\s*[(\[](?:s|sec|secs|seconds?)[)\]]$", re.IGNORECASE)
# "start,end,answer", and a line of as many values below it
_COMMAS = lazy(
    r"[ ]*(?P<head>[A-Za-z_]\w*(?:,[ ]*[A-Za-z_]\w*){1,3})\n[ ]*(?P<row>[^\s,][^,\n]*(?:,[^,\n]+){1,3})\s*"
)
_PLACEHOLDERS = lazy(
    r"\[\s*<?start[\w ]{0,12}>?\s*,\s*<?end[\w ]{0,12}>?\s*\]"
    r"|<(?:start|end)(?:[_ ](?:time|seconds?|s))?>(?!\s*\d)",
    re.IGNORECASE,
)
# "paints the sky,60,90"
_ENDS_IN_PAIR = lazy(r"([^\n\d]{0,160}[^\W\d][\"')]?),(\d{1,4}(?:\.\d{1,3})?),(\d{1,4}(?:\.\d{1,3})?)\.?\s*")
# "Time: 72-81 | Answer: B | Frames used: 16"
_BARRED = lazy(r"[ \t]?\|[ \t]{0,8}(?=[A-Za-z][\w ]{0,24}:)")
_TICKED = lazy(r"[✓✔✅☑]")
_CROSSED = lazy(r"[✗✘❌✖×☒]")
# "B, but I don't know when": the letter is an answer.
_BUT_WHEN = lazy(
    r"[,;.]?\s*\b(?:but|though|although|however|yet|and\s+(?:i['’]?m\s+)?(?:not\s+sure|unsure|uncertain))\b[^.!?\n]{0,60}"
    r"\b(?:where|when|time|times|moment|span|segment|second|seconds|timestamps?|interval|window|exact\w*)\b[^.!?\n]*",
    re.IGNORECASE,
)
# "I can't give the exact start and end of this, since ...": a whole sentence that refuses only the times.
_TIMES = (
    r"(?:start|end|beginning|times?|timestamps?|timing|time\s*(?:span|stamps?|window|range)|spans?|segment"
    r"|interval|window|seconds?|duration)"
)
_NO_TIMES = lazy(
    r"(?:(?<=[.!?]\s)|(?<=\n)|^)(?:[^.!?\n,;]{0,60}[,;]\s*)?(?:(?:but|however|unfortunately|still),?\s+)?"
    r"(?:i|we|it)\b(?:(?!\b(?:which|what|option|options|answer|choice|letter)\b)[^.!?\n,;]){0,24}?"
    r"(?:can(?:\s?not|['’]?t)|could(?:\s+not|n['’]t)|unable\s+to|not\s+able\s+to|impossible\s+to|not\s+possible\s+to|don['’]t\s+know|hard\s+to|difficult\s+to)"
    r"(?:\s+(?:reliably|really|also|say|exactly|precisely))*(?:\s+(?:give|tell|state|provide|determine|name|specify|pinpoint|read|say|estimate|identify|know))?"
    r"(?:\s+(?:you|the|its|any|an?|this|exact|exactly|precise|precisely|corresponding|relevant|matching|reliable|of"
    rf"|(?:(?:at|in|from|to)\s+)?(?:which|what)(?=\s+(?:exact\s+|precise\s+)?(?:second|minute|moment|time)s?\b)))*\s+(?:{_TIMES}|when|minute|moment)\b"
    r"(?:(?!\b(?:which|option|options|answer|choice|letter)\b)[^.!?\n])*[.!?]?"
    r"|\bich\s+kann\s+(?:\w+\s+){0,2}?nicht\s+(?:\w+\s+)?(?:sagen|angeben|erkennen),\s+(?:wann|(?:in|zu|ab)\s+welche[mnr]\s+(?:sekunde|zeitpunkt))\b[^.!?\n]*[.!?]?"
    r"|[^.!?。，,\n]{0,40}(?:无法|無法|不能)[^.!?。，,\n]{0,12}(?:几秒|哪一秒|时间|時間|时刻)[^.!?。\n]*[.!?。]?",
    re.IGNORECASE,
)
_NO_SPAN = lazy(
    r"\bno\s+(?:\w+\s+){0,3}?(?:span|segment|window|moment|interval|times?|range)s?\b[^.!?\n]{0,30}"
    r"\b(?:given|found|determined|identified|stated|named|seen|fits|matches|applies|exists)\b"
    r"|\b(?:cannot|can['’]?t|can\s+not|could\s+not|couldn['’]t)\s+be\s+(?:\w+\s+)?(?:narrowed|pinned|located"
    r"|localis\w+|localiz\w+|given|named|specified|stated|found|pinpointed|restricted)\b",
    re.IGNORECASE,
)
_GUESSED = lazy(
    r"\b(?:guess|estimate|say|think|believe|suppose|likely|probably|answer|relevant|vermut\w+)\b",
    re.IGNORECASE,
)
_CONCEDED = lazy(r",?\s+(?:although|though|even\s+though|even\s+if|but|while|however)\b.*", re.IGNORECASE)
_BUT_THEN = lazy(r"[,;]\s*(?:but|however|yet|though|although)\b(.+)$", re.IGNORECASE | re.DOTALL)
# "B, on which the folding depends" leaves nothing open.
_IT_DEPENDS = lazy(
    r"\b(?:it|that|this|answer|choice)\s+(?:\w+\s+)?depends\b"
    r"|\bdepends\s+(?:up)?on\s+(?:how|what|whether|which|where|when|who|your|one's|the\s+(?:definition|interpretation|perspective))\b"
    r"|\bif\b[^.!?]{3,80}\b(?:is|are)\s+meant\b",
    re.IGNORECASE,
)
_OR_LINE = lazy(r"\W*(?:or|oder|ou|o)\b", re.IGNORECASE)
_CLAUSES = lazy(r"[;.!?]\s+|\n+")
_OBJECT = lazy(r"(?:```(?:json)?\s*)?\{[\s\S]*\}(?:\s*```)?")


def read(
    reply: str, both: Fields, prompt: str | None = None, at_limit: bool = False
) -> tuple[Reading[str], Reading[tuple[float, float]]]:
    """Reads a letter and a span.

    Args:
        reply: The model's reply, reasoning included.
        both: The options and the video.
        prompt: The prompt, whose words in the reply are no answer.
        at_limit: Whether the reply ended because its token limit was reached.

    >>> from tempbench_lmms.parsing.expected import Choice, Fields, TimeSpan
    >>> letter, span = read("B, from 12 to 20 seconds", Fields(Choice("ABCD"), TimeSpan()))
    >>> letter.value, span.value
    ('B', (12.0, 20.0))
    """
    if isinstance(reply, Reread):
        ours = read(str(reply), both, prompt, at_limit)
        return reply.instead(both.choice, ours[0]), reply.instead(both.span, ours[1])
    if len(reply) <= _SHORT and (plain := _at_once(reply, both)):
        return _ended(*plain, at_limit)
    if not may_repeat(reply, prompt) and (letter := _letter_alone(reply, both.choice)):
        return _ended(letter, none("nothing"), at_limit or reader.looks_cut(reply))
    part = final_part(reply)
    if part.cut_off:
        return none("cut_off"), none("cut_off")
    if part.wide is None:
        reason = "cut_off" if at_limit else "empty"
        return none(reason), none(reason)
    wide = _plain(part.wide, both.choice.letters)
    texts = [part.tagged, wide] if part.tagged else [wide]
    where = part.start, part.end
    if (answered := before_next_question(part)) and answered.wide:
        # What is invented behind an answer is not read.
        head = _plain(answered.wide, both.choice.letters)
        found = _of_part(normalise(head), head, both, prompt, where)
        if any(reading.value is not None for reading in found):
            return _ended(*found, at_limit)
    letter = none("nothing")
    span: Reading[tuple[float, float]] = none("nothing")
    for text in texts:
        found_letter, found_span = _of_part(normalise(text), text, both, prompt, where)
        letter = found_letter if letter.value is None else letter
        span = found_span if span.value is None else span
        if letter.value is not None and span.value is not None:
            break
    if span.how == "answer" and only_described(part.wide):
        span = none("nothing")
    return _ended(letter, span, at_limit or reader.looks_cut(part.wide))


def _ended(
    letter: Reading[str], span: Reading[tuple[float, float]], cut: bool
) -> tuple[Reading[str], Reading[tuple[float, float]]]:
    """Returns both readings; where the text is cut, what it does not say is cut off."""
    if not cut:
        return letter, span
    return (
        none("cut_off") if letter.reason == "nothing" else letter,
        none("cut_off") if span.reason == "nothing" else span,
    )


_SHORT = 48
_POINT = r"(?:\d{1,2}:\d{2}:\d{2}|\d{1,2}:\d{2}|\d{1,4})(?:\.\d{1,3})?"


class _Lettered:
    """The patterns for one set of letters."""

    def __init__(self, letters: str) -> None:
        # "B, from 12 to 20 seconds", "[12, 20]", "62,97"
        self.plain = lazy(
            r"\s*(?P<lead>(?:the\s)?answer(?:\sis)?:?\s)?"
            # "a span: 12 to 20" names no option: before the word, a letter needs a sign of its own.
            rf"(?:(?P<own>option\s+\(?|\()?(?P<letter>[{letters}])\)?"
            r"(?:[.,:;|]\s*|(?(own)|(?!\s*(?:time\s)?span:))\s+[-–|]?\s*))?"
            r"(?:(?:time\s)?span:\s)?(?P<tag><span>)?(?:from\s+)?(?P<open>[\[(])?"
            rf"(?P<start>{_POINT})(?P<s>\s?s)?(?:\s*[-–]\s*|\s+to\s+|,\s+|(?<=\d\d),(?=\d\d))(?P<end>{_POINT})"
            r"(?(open)[\])])(?:\s?s|\s+seconds)?(?(tag)</span>)\.?\s*",
            re.IGNORECASE,
        )
        # "[A, 66.6, 74.0]"
        self.in_list = lazy(
            rf"\s*[\[(]\s*[\"']?([{letters}])[\"']?\s*[,;]\s*(\d{{1,4}}(?:\.\d{{1,3}})?\s*[,;]\s*\d{{1,4}}(?:\.\d{{1,3}})?)\s*[\])]\s*"
        )
        self.entry = lazy(rf"(?<![A-Za-z])([{letters}])(?![A-Za-z'’])")
        self.alone = lazy(rf"\W*([{letters}{letters.lower()}])\W*")


_lettered = lru_cache(maxsize=16)(_Lettered)


def _at_once(reply: str, both: Fields) -> tuple[Reading[str], Reading[tuple[float, float]]] | None:
    """Reads a short reply that is nothing but an answer; None for any other one."""
    found = _lettered(both.choice.letters).plain.fullmatch(reply)
    if not found or both.span.unit != "seconds" or holds(reply, both.choice.texts):
        return None
    if found["lead"] and "," in reply and not found["open"] and (not found["letter"] or "ption" in reply):
        return None  # "The answer is 3, 5" may be two numbers
    where = 0, len(reply)
    how = "answer" if found["lead"] else "whole"
    letter = Reading(found["letter"].upper(), how, where) if found["letter"] else none("nothing")
    return letter, Reading((_seconds(found["start"]), _seconds(found["end"])), "answer", where)


def _letter_alone(reply: str, choice: Choice) -> Reading[str] | None:
    """Reads a reply that is a letter and gives no span; None for any other one."""
    found = plain.read(reply, choice)
    if found is None:
        return None
    how = "json" if "{" in reply and "\\" not in reply else "whole" if reply[0] == "<" else found.how
    return Reading(found.value, how, (0, len(reply)))


_HAS_DIGIT = lazy(r"\d")


def _seconds(point: str) -> float:
    """Returns a clock or a number in seconds."""
    total = 0.0
    for part in point.split(":"):
        total = total * 60 + float(part)
    return total


def _plain(text: str, letters: str) -> str:
    """Returns a text with tables and tags as lines of "name: value", and without placeholders."""
    if "," in text or ";" in text:
        if (listed := _lettered(letters).in_list.fullmatch(text)) is not None:
            return f"{listed[1]} [{listed[2]}]"
        if (pair := _ENDS_IN_PAIR.fullmatch(text)) is not None and float(pair[2]) < float(pair[3]):
            return f"{pair[1]} [{pair[2]}, {pair[3]}]"
        table = _COMMAS.fullmatch(text)
        if table is not None and table["head"].count(",") == table["row"].count(","):
            return _rows(table, ",")
    if " | " in text and "\n" not in text and text[0] != "|":
        text = _BARRED.sub("; ", text)
    if "|" in text:
        text = _TABLE.sub(_rows, text)
        if len(_ROW.findall(text)) > 1:
            text = _ROW.sub(_row, text)
    if "<" in text or "[" in text:
        if "start" in text.lower():
            text = _PLACEHOLDERS.sub(" ", text)
        text = _TAG.sub(r" span: [\2]\n", text)
    return text


def _row(row: re.Match[str]) -> str:
    return "" if _RULE.fullmatch(row.group()) else f"{_name(row[1])}: {row[2].strip()}"


def _name(head: str) -> str:
    """Returns the name of a field without its unit: "Start (s)" becomes "Start"."""
    return _UNIT.sub("", head.strip())


def _rows(table: re.Match[str], sign: str = "|") -> str:
    """Returns a table of one row as lines of "head: cell"."""
    cells = zip(table["head"].split(sign), table["row"].split(sign), strict=False)
    return "\n".join(f"{_name(head)}: {cell.strip()}" for head, cell in cells)


def _of_part(
    text: str, raw: str, expected: Fields, prompt: str | None, where: tuple[int, int]
) -> tuple[Reading[str], Reading[tuple[float, float]]]:
    objects = _objects(text) if "{" in text or "[" in text else []
    value = _answering(objects, expected)
    letter: Reading[str] | None = None
    span: Reading[tuple[float, float]] | None = None
    if value is not None:
        letter = _letter_of(value, expected.choice, where)
        spans = fields_of(value, expected.span)
        if spans:
            span = Reading(spans[0], "json", where)
        elif has_span_key(value):
            span = none("nothing")
        if letter is None or span is None:
            text = raw = _OBJECT.sub(" ", text)
    if letter is None:
        letter = _letter_in(text, raw, expected, prompt, where)
    if span is None:
        span = _span_in(text, expected, letter.value, prompt, where)
        if letter.reason == "several" and _IT_DEPENDS.search(text):
            span = none("several")
    return letter, span


def _objects(text: str) -> list[Any]:
    found: list[Any] = []
    for value in json_values(text)[-reader.MOST_OBJECTS :]:
        nested = value if isinstance(value, list) and value and isinstance(value[0], Mapping) else [value]
        found += [one for one in nested[:1] if isinstance(one, Mapping)]
    return found


def _answering(objects: list[Any], expected: Fields) -> Mapping[Any, Any] | None:
    """Returns the last object that has a field of an answer."""
    for value in reversed(objects):
        if (
            reader.of_object(kind_of(expected.choice), value)
            or fields_of(value, expected.span)
            or has_span_key(value)
        ):
            inner = [item for item in value.values() if isinstance(item, Mapping)]
            # {"result": {"answer": ..., "span": ...}}
            deeper = _answering(inner, expected) if len(value) == 1 else None
            return deeper or dict(value)
    return None


def _letter_of(value: Mapping[Any, Any], choice: Choice, where: tuple[int, int]) -> Reading[str] | None:
    found = reader.of_object(kind_of(choice), value)
    if found is None:
        return None
    if found.value is None or not kind_of(choice).offers(found.value):
        return none(found.how if found.value is None else "nothing")
    return Reading(found.value, "json", where)


def _letter_in(
    text: str, raw: str, expected: Fields, prompt: str | None, where: tuple[int, int]
) -> Reading[str]:
    patterns = _lettered(expected.choice.letters)
    if letter := _ticked(text, patterns.entry):
        return Reading(letter, "answer", where)
    found = reader.read(raw, expected.choice, prompt)
    if found.value is None and (rest := _BUT_WHEN.sub(".", text)) != text:
        found = reader.read(rest, expected.choice, prompt)
    if found.reason == "refused" and (rest := _NO_TIMES.sub(" ", raw)) != raw and rest.strip():
        found = reader.read(rest, expected.choice, prompt)
    if found.value is None:
        rest = without_times(text)
        if rest != text and rest.strip():
            alone = patterns.alone.fullmatch(rest)
            found = reader.read(alone[1].upper() if alone else rest, expected.choice, prompt)
    if found.reason in ("several", "nothing") and (letter := _in_front(text, patterns.plain)):
        return Reading(letter, "first line", where)
    if (
        found.value is not None
        and found.how != "whole"
        and _IT_DEPENDS.search(text)
        and len({*patterns.entry.findall(text)}) > 1
    ):
        return none("several")
    return found if found.value is None else Reading(found.value, found.how, where)


def _in_front(text: str, plain: re.Pattern[str]) -> str | None:
    """Returns the letter of a first line that is a letter and a span, where no other line is that."""
    first, *others = lines(text) or [""]
    found = plain.fullmatch(first) if others else None
    if found is None or not found["letter"] or corrects("\n".join(others)) or _OR_LINE.match(others[0]):
        return None
    return None if any(plain.fullmatch(row) for row in others) else found["letter"].upper()


def _ticked(text: str, entry: re.Pattern[str]) -> str | None:
    """Returns the one option that has a tick where others are crossed out."""
    if not _TICKED.search(text) or not _CROSSED.search(text):
        return None
    ticked = [
        next(iter(entry.findall(line[:_LONGEST_ENTRY])), None)
        for line in re.split(r"(?<=[✓✔✅☑✗✘❌✖×☒])|\n", text)
        if _TICKED.search(line)
    ]
    return ticked[0] if len(ticked) == 1 else None


_LONGEST_ENTRY = 30


def _span_in(
    text: str, expected: Fields, letter: str | None, prompt: str | None, where: tuple[int, int]
) -> Reading[tuple[float, float]]:
    text = without_placeholders(without_prompt(text, prompt))
    text, refused = _without_span_refusals(without_questions(text))
    choice = expected.choice
    for option in choice.texts if _HAS_DIGIT.search(text) else ():
        if _HAS_DIGIT.search(option):
            text = re.sub(re.escape(option), " ", text, flags=re.IGNORECASE)
    chosen = Chosen(letter, choice.letters, choice.texts)
    spans = spans_of_text(text, expected.span, chosen=chosen)
    if spans and not (refused and _is_whole(spans[0], expected.span)):
        return Reading(spans[0], "answer", where)
    return none("refused" if refused else "nothing")


def _without_span_refusals(text: str) -> tuple[str, bool]:
    """Returns a text without the sentences that give no span; what they guess before "although" stays."""
    kept, refused = without_refusals(text)
    if refused and (
        guesses := [part for part in sentences(text) if part not in kept and _GUESSED.search(part)]
    ):
        before = [_CONCEDED.sub(".", part) for part in guesses if _CONCEDED.search(part)]
        before = [part for part in before if _GUESSED.search(part) and not without_refusals(part)[1]]
        kept = "\n".join([kept, *before])
    if refused:
        kept = "\n".join([kept, *_conceded_times(text, kept)])
    if "no " in kept or "be " in kept:
        rest = [part for part in sentences(kept) if not _NO_SPAN.search(part)]
        if len(rest) < len(sentences(kept)):
            return "\n".join(rest), True
    return kept, refused


def _conceded_times(text: str, kept: str) -> list[str]:
    """Returns the times behind "but" in a refusal: "I can't decide, but it takes place from 5 to 9 s"."""
    behind = [found[1] for part in sentences(text) if part not in kept and (found := _BUT_THEN.search(part))]
    return [part for part in behind if _HAS_DIGIT.search(part) and not without_refusals(part)[1]]


def _is_whole(span: tuple[float, float], video: TimeSpan) -> bool:
    """Whether a span is all of the video, of which a refusal speaks."""
    return video.duration is not None and span[0] <= 0 and span[1] >= video.duration - 1


def read_span(
    reply: str, video: TimeSpan, prompt: str | None = None, at_limit: bool = False
) -> Reading[tuple[float, float]]:
    """Reads the time span of a reply that was asked for nothing else."""
    return read(reply, Fields(Choice("ABCD"), video), prompt, at_limit)[1]
