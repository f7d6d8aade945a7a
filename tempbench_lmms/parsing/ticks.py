"""Marks behind the entries of a list: "A ✗, B ✓"."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, squeeze, table

_YES = ("✓", "✔", "✅", "☑")
_NO = ("✗", "✘", "❌", "✖", "❎")
_ENTRY = lazy(r"\n+|(?<=[✓✔✅☑✗✘❌✖❎])[,;|]?\s+(?=\S)")
_END = lazy(r"([✓✔✅☑✗✘❌✖❎])[\W_]{0,4}$")

# "Option A: True - incorrect"
_WORD_END = lazy(
    r"(?:\s|(?<![-–—:=\s]))[-–—:=]{1,3}>?\s?(correct|incorrect|right|wrong|yes|no)\W{0,3}(?=$|\n|[.;,])",
    re.IGNORECASE,
)
_WORD_ENTRY = lazy(r"\n+|[.;,]\s+")
_LONGEST_MARK = 20


def ticked(listing: str, head: Callable[[str], Any], odd: bool = False) -> Any:
    """Returns the value whose entry alone has a tick, where other entries have a cross; else None.

    Args:
        listing: The text with the entries, one a line, or each behind the mark of the one before it.
        head: Returns the value that an entry begins with, or None.
        odd: Whether the one is looked for that does not fit: the only cross among several ticks says it, too.
    """
    marks: dict[Any, bool] = {}
    is_yes: tuple[str, ...]
    entry = _ENTRY
    if not listing.isascii() and holds(listing, _YES) and holds(listing, _NO):
        sign, is_yes = _END, _YES
    elif _WORD_END.search(listing):
        sign, is_yes, entry = _WORD_END, ("correct", "right", "yes"), _WORD_ENTRY
    else:
        return None
    for line in entry.split(listing):
        found = sign.search(line[-_LONGEST_MARK:])
        value = head(line) if found else None
        if found and value is not None:
            if value in marks:
                return None
            marks[value] = found[1].lower() in is_yes
    yes = [value for value, mark in marks.items() if mark]
    no = [value for value, mark in marks.items() if not mark]
    if odd and len(no) == 1 and len(yes) > 1:
        return no[0]
    return yes[0] if len(yes) == 1 and len(marks) > 1 else None


_JUDGED = lazy(
    r"(?:^|(?<=[\s.;,|*•]))(?:(?:image|picture|photo|bild|imagen)[ ]*)?#?"
    r"(?P<item>\d{1,2})(?:[ ]*[.:)–|-]+[ ]*|(?<=^\d)[ ]+|(?<=\n\d)[ ]+|(?<=\n[ ]\d)[ ]+)"
    r"(?P<word>[^\W\d_]+(?:[ ][^\W\d_]+)?)(?=[ ]*(?:[.,;\n(|–!-]|$|\d))",
    re.IGNORECASE,
)
_SAYS_YES = table(
    "yes|match|matches|matching|correct|true|ja|oui|sí|anomalous|anomaly|abnormal|odd|wrong|outlier|inconsistent|misplaced"
)
_SAYS_NO = table(
    "no|no match|not matching|false|nein|non|normal|fine|ok|okay|consistent|not anomalous|no anomaly|in order"
)
_ODD_ONLY = table(
    "anomalous|anomaly|abnormal|odd|wrong|outlier|inconsistent|misplaced"
    "|normal|fine|ok|okay|consistent|in order"
)
_FEWEST = 3
_CHECK = lazy(
    r"(?<![^\s*•>-])(?:(?P<done>\[[xX]\]|\([xX]\)|[☑☒])|(?P<open>\[ \]|\( \)|☐))\s*(?P<entry>[^\n☐☑☒\[(]*)"
)
_EMPTY_BOXES = ("[ ]", "( )", "☐")
# What may stand before the first box of a line: "Answer: [ ] A [x] B", and not "A [ ] B [x]".
_BEFORE_BOX = lazy(r"(?:^|\n)(?:[^\n]*:)?[\s*•>-]*$")


def checked(text: str) -> str:
    r"""Returns a list of check boxes as the entries that are checked, one a line; any other text as it is.

    >>> checked("- [ ] A\n- [x] B"), checked("[ ] True [ ] False")
    ('\n\nB', '[ ] True [ ] False')
    """
    if not holds(text, _EMPTY_BOXES):
        return text
    boxes = list(_CHECK.finditer(text))
    sides = [bool(box["done"]) for box in boxes]
    if len(set(sides)) < 2 or not _BEFORE_BOX.search(text, 0, boxes[0].start()):
        return text
    kept, place = [], 0
    for box in boxes:
        kept.append(text[place : box.start()].rstrip(" *•>-"))
        kept.append(f"\n{box['entry'].strip()}\n" if box["done"] else "")
        place = box.end()
    return squeeze("".join([*kept, text[place:]])).rstrip()


def judged(listing: str, odd: bool) -> dict[int, bool]:
    """Returns what a list with one word for each image says: which is the one, and which are not.

    Args:
        listing: The text.
        odd: Whether the one is looked for that does not fit.

    >>> judged("1. No. 2. Yes. 3. No.", False), judged("Image 1: fine, image 2: odd", True)
    ({1: False, 2: True, 3: False}, {})
    """
    found: dict[int, bool] = {}
    for match in _JUDGED.finditer(listing):
        word = match["word"].lower()
        says = word in _SAYS_YES
        if (not says and word not in _SAYS_NO) or (word in _ODD_ONLY and not odd):
            continue
        if found.setdefault(int(match["item"]), says) != says:
            return {}
    return found if len(found) >= _FEWEST else {}


_VERDICT = lazy(
    r"[.:;–—-]\W{1,4}(?P<neg>not\s+)?(?P<word>correct|incorrect|right|wrong)\W*?(?=[.,:;!–—-]|$|\s-)",
    re.IGNORECASE,
)


def verdicts(listing: str, head: Callable[[str], Any], values: Sequence[Any]) -> Any:
    """Returns the value whose line alone calls it correct, where the lines of all others call them wrong.

    Args:
        listing: The text with one entry a line.
        head: Returns the value that an entry begins with, or None.
        values: All values on offer.
    """
    if not holds(listing.lower(), _VERDICT_SIGNS):
        return None
    marks: dict[Any, bool] = {}
    for line in listing.split("\n"):
        value = head(line)
        found = _VERDICT.search(line) if value is not None else None
        if found is None:
            continue
        is_it = (found["word"].lower() in ("correct", "right")) != bool(found["neg"])
        if marks.setdefault(value, is_it) != is_it:
            return None
    yes = [value for value, mark in marks.items() if mark]
    return yes[0] if len(yes) == 1 and set(marks) == set(values) else None


_VERDICT_SIGNS = ("correct", "right")
