"""Removes the question's own words from a reply, since they are not an answer.

An option's line stays if it is the only one or is repeated at the end, since it may be the answer.
"""

import re
from functools import lru_cache

_OPTION_LINE = re.compile(r"(?:(?:Caption|Option|Sentence) )?[(\[]?[A-G][).\]:]\s")
_MARKS = re.compile(r"[\s*_`#>]+")
_LINE = re.compile(r"[^\n]+")
_SHORTEST = 12


def _plain(line: str) -> str:
    return _MARKS.sub(" ", line).strip()


@lru_cache(maxsize=512)  # the tasks of a benchmark ask the same one after the other
def _lines(prompt: str) -> frozenset[str]:
    lines = map(_plain, prompt.split("\n"))
    return frozenset(line for line in lines if len(line) >= _SHORTEST or _OPTION_LINE.match(line))


def without_prompt(text: str, prompt: str | None = None) -> str:
    r"""Returns a reply in which spaces replace the lines that it repeats from the prompt.

    >>> without_prompt("Which image is first?\nB", "Which image is first?")
    '                     \nB'
    """
    if not prompt or ("\n" not in text and "\n" in prompt):
        return text  # a prompt of several lines is not repeated by one
    known = _lines(prompt)
    rows = [(row, _plain(row.group())) for row in _LINE.finditer(text)]
    repeated: list[re.Match[str]] = [row for row, said in rows if said in known]
    options = [row for row in repeated if _OPTION_LINE.match(_plain(row.group()))]
    last = rows[-1][1] if rows else ""
    again = options and options[-1] is rows[-1][0] and last in [said for _, said in rows[:-1]]
    if again or len(options) == 1:
        repeated.remove(options[-1])
    gone = {row.start() for row in repeated}
    return _LINE.sub(lambda row: " " * len(row.group()) if row.start() in gone else row.group(), text)


_ENTRY = re.compile(r"(?:(?:option|caption|sentence) )?[(\[]?([A-H])[).\]:] ?(.+)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def without_options(text: str, letters: str, texts: tuple[str, ...]) -> str:
    r"""Returns a reply in which spaces replace the list of all options, one per line with its letter.

    >>> without_options("B. run\nA. walk\n\nwalk", "AB", ("walk", "run"))
    '      \n       \n\nwalk'
    """
    if len(texts) < 2 or text.count("\n") < len(texts):
        return text
    shown = {letter: _WORD.findall(said.lower()) for letter, said in zip(letters, texts, strict=False)}
    listed: dict[str, re.Match[str]] = {}
    for row in _LINE.finditer(text):
        entry = _ENTRY.fullmatch(_plain(row.group()))
        if entry and _WORD.findall(entry[2].lower()) == shown.get(entry[1].upper()):
            listed.setdefault(entry[1].upper(), row)
    gone = {row.start() for row in listed.values()}
    rest = _LINE.sub(lambda row: " " * len(row.group()) if row.start() in gone else row.group(), text)
    return rest if len(listed) == len(shown) else text
