"""Reads when a picture was taken: from a time stamp, or from the name of its file.

The forms are read by patterns of our own: `date.fromisoformat` reads one form in Python 3.10 and many from
3.11 on, and the same manifest must give the same questions everywhere.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

Moment = tuple[float, str, date | None]
"""What sorts a time stamp (UTC seconds, or a rank), its text, and its UTC date or None."""

_YEARS = range(1800, 2200)
"""Photographs are of these years; `0001-01-01` and `9999-12-31` stand for no date."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS_IN_FULL = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)

_CLOCK = (
    r"(?:(?:[T ] ?|, )(?P<hour>\d{1,2}):?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?"
    r" ?(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?"
)
_YEAR_FIRST = r"(?P<year>\d{4})(?P<between>[-/._ ])(?P<month>\d{1,2})(?P=between)(?P<day>\d{1,2})"
_DIGITS = r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)"
_YEAR_LAST = r"(?P<one>\d{1,2})(?P<between>[-/.])(?P<other>\d{1,2})(?P=between)(?P<year>\d{4})"
_IN_WORDS = (
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?[-. ]+(?P<name>[A-Za-z]{3,9})\.?[-, ]+(?P<year>\d{4})",
    r"(?P<name>[A-Za-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})",
)
_FORMS = tuple(
    re.compile(form + _CLOCK, re.ASCII | re.IGNORECASE)
    for form in (_YEAR_FIRST, _DIGITS, _YEAR_LAST, *_IN_WORDS)
)
_MONTH = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})", re.ASCII)

# In names a date stands between other words, and `:` is not used.
_NAMED_CLOCK = r"(?:[T_]?(?P<hour>[01]\d|2[0-3])-?(?P<minute>[0-5]\d)-?(?P<second>[0-5]\d)Z?)?"
_IN_NAMES = tuple(
    re.compile(rf"(?<!\d){form}(?!\d)", re.ASCII)
    for form in (
        r"(?P<year>\d{4})(?P<between>[-._ ])(?P<month>\d{1,2})(?P=between)(?P<day>\d{1,2})" + _NAMED_CLOCK,
        _DIGITS + _NAMED_CLOCK,
        r"(?P<one>\d{1,2})(?P<between>[-._ ])(?P<other>\d{1,2})(?P=between)(?P<year>\d{4})",
    )
)
_MONTH_IN_NAMES = re.compile(r"(?<!\d)(?P<year>\d{4})[-._ ](?P<month>\d\d)(?!\d)", re.ASCII)
_PRODUCTS = (
    re.compile(
        r"S2[A-D]_MSIL(?:1C|2A)_(?P<taken>\d{8}T\d{6})_N\d{4}_R\d{3}_(?P<place>T\d\d[A-Z]{3})_", re.ASCII
    ),
    re.compile(r"L[CEMOT]\d\d_L\w{3}_(?P<place>\d{6})_(?P<taken>\d{8})_\d{8}_", re.ASCII),
)
"""Names of Sentinel-2 and Landsat products: with the tile, and with a second date, that of processing."""

_DIRECTIVES = {
    "Y": r"\d{4}",
    "j": r"\d{3}",
    "f": r"\d{1,6}",
    "z": r"(?:Z|[+-]\d\d:?\d\d)",
    "%": "%",
    **dict.fromkeys("ymdHIMS", r"\d{1,2}"),
    **dict.fromkeys("bB", r"[^\W\d_]+"),
    "p": "[AaPp][Mm]",
}


class AmbiguousDateError(ValueError):
    """A date can be read in more than one way, and only the user knows which is meant."""


def parse_time(value: Any, form: str = "") -> Moment:
    """Returns what a time stamp says.

    Args:
        value: A date with or without a time (without a zone: UTC), a year and month, which give an order but
            no day, or an integer rank. A whole number of eight digits that is a date is one.
        form: The form of all time stamps as `datetime.strptime` takes it; "" for the ordinary ones.
    """
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError(f"{value!r} is not a time stamp")
    if isinstance(value, int):
        is_date = 18000101 <= value <= 21991231 and _of_digits(str(value))
        return is_date or (float(value), str(value), None)
    text = " ".join(value.split())
    try:
        return _in_form(text, form) if form else _in_ordinary_form(text)
    except AmbiguousDateError:
        raise
    except ValueError as error:
        raise ValueError(f"{value[:40]!r} is not a date ({error})") from None


def check_form(form: str) -> None:
    """Refuses a form that no date can be read by."""
    if form:
        _in_form(datetime(2019, 3, 7, 10, 20, 30, tzinfo=timezone.utc).strftime(form), form)


def _in_ordinary_form(text: str) -> Moment:
    for pattern in _FORMS:
        if found := pattern.fullmatch(text):
            return _moment(found.groupdict(), text)
    if found := _MONTH.fullmatch(text):
        return _month(int(found["year"]), int(found["month"]))
    raise ValueError("in no common form")


def in_name(name: str, form: str = "") -> tuple[Moment, str]:
    """Returns the date in a file's name, and the name without it.

    >>> in_name("harbour_2019-03-07")[1]
    'harbour'
    """
    for product in _PRODUCTS:
        if found := product.match(name):
            return parse_time(found["taken"]), found["place"]
    dates = list(_with_form(name, form) if form else _all_in(name))
    if not dates:
        raise ValueError(f"{name[:80]!r} has no date")
    if len({moment[2] or moment[1] for moment, _ in dates}) > 1:
        raise AmbiguousDateError(
            f"{name[:80]!r} has several dates ({', '.join(sorted({moment[1][:10] for moment, _ in dates}))})"
        )
    return dates[0][0], _without(name, [span for _, span in dates])


def _without(name: str, spans: list[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        name = f"{name[:start].rstrip('-_. ')}_{name[end:].lstrip('-_. ')}".strip("_")
    return name


def _all_in(name: str) -> Iterator[tuple[Moment, tuple[int, int]]]:
    taken: list[tuple[int, int]] = []
    for pattern in (*_IN_NAMES, _MONTH_IN_NAMES):
        if pattern is _MONTH_IN_NAMES and taken:
            return  # `_2019-03` beside a whole date is something else
        for found in pattern.finditer(name):
            if any(start < found.end() and found.start() < end for start, end in taken):
                continue
            try:
                if pattern is _MONTH_IN_NAMES:
                    moment = _month(int(found["year"]), int(found["month"]))
                else:
                    moment = _moment(found.groupdict(), found[0])
            except AmbiguousDateError:
                raise
            except ValueError:
                continue  # a number that is no date
            taken.append(found.span())
            yield moment, found.span()


def _with_form(name: str, form: str) -> Iterator[tuple[Moment, tuple[int, int]]]:
    for found in _form_in_names(form).finditer(name):
        try:
            yield _in_form(found[0], form), found.span()
        except ValueError:
            continue


@lru_cache(maxsize=16)
def _form_in_names(form: str) -> re.Pattern[str]:
    pieces = re.split(r"%(.)", form)
    pattern = "".join(
        _DIRECTIVES.get(piece, "(?!)") if i % 2 else re.escape(piece) for i, piece in enumerate(pieces)
    )
    return re.compile(rf"(?<!\d){pattern}(?!\d)", re.IGNORECASE)


def _in_form(text: str, form: str) -> Moment:
    moment = datetime.strptime(text, form)
    if re.search("%[dj]", form):
        return _at(moment)
    if re.search("%[mbB]", form):
        return _month(moment.year, moment.month)
    raise ValueError(f"the form {form!r} has neither day nor month")


def _of_digits(digits: str) -> Moment | None:
    try:
        return parse_time(digits)
    except ValueError:
        return None


def _moment(found: dict[str, str | None], text: str) -> Moment:
    """Returns what the groups of a pattern say; raises ValueError where there is no such day or time."""
    year, month, day = int(found["year"] or 0), found.get("month"), found.get("day")
    if found.get("one"):
        day, month = _day_and_month(found["one"] or "", found["other"] or "", text)
    if name := found.get("name"):
        month = str(_number(name))
    hour, minute, second = (int(found.get(part) or 0) for part in ("hour", "minute", "second"))
    moment = datetime(year, int(month or 0), int(day or 0), hour, minute, second)
    moment += timedelta(seconds=float(f"0.{found.get('fraction') or 0}"))
    return _at(moment.replace(tzinfo=_zone(found.get("zone") or "Z")))


def _day_and_month(one: str, other: str, text: str) -> tuple[str, str]:
    if int(one) > 12 or one.zfill(2) == other.zfill(2):
        return one, other
    if int(other) > 12:
        return other, one
    raise AmbiguousDateError(f"{text[:40]!r} can be {one}/{other} or {other}/{one}, day first or month first")


def _number(name: str) -> int:
    lower = name.lower()
    for names in (_MONTHS, _MONTHS_IN_FULL):
        if lower in names:
            return names.index(lower) + 1
    if lower == "sept":
        return 9
    raise ValueError(f"{name!r} is not a month")


def _zone(text: str) -> timezone:
    if text.upper() in ("Z", "UTC", "GMT"):
        return timezone.utc
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _at(moment: datetime) -> Moment:
    if moment.year not in _YEARS:
        raise ValueError(f"no picture was taken in the year {moment.year}")
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    _check_past(moment.date())
    return moment.timestamp(), moment.strftime("%Y-%m-%dT%H:%M:%SZ"), moment.date()


def _month(year: int, month: int) -> Moment:
    first = date(year, month, 1)
    if year not in _YEARS:
        raise ValueError(f"no picture was taken in the year {year}")
    _check_past(first)
    return float(12 * year + month), first.strftime("%Y-%m"), None


def _check_past(day: date) -> None:
    """Refuses what is to come; a day is left for clocks and zones."""
    if day > datetime.now(timezone.utc).date() + timedelta(days=1):
        raise ValueError(f"{day} is in the future")
