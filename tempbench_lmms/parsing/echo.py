"""The prompt's own words in a reply: they are no answer.

An option's line stays where it is the only one, or comes again at the end, since it may be the answer.
"""

from functools import lru_cache

from tempbench_lmms.parsing.clean import Cleaned, Part, plain
from tempbench_lmms.parsing.patterns import lazy

_OPTION_LINE = lazy(r"(?:(?:Caption|Option|Sentence) )?[(\[]?[A-G][).\]:]\s")
_SHORTEST = 12


@lru_cache(maxsize=512)  # the tasks of a benchmark ask the same one after the other
def _lines(prompt: str) -> frozenset[str]:
    lines = plain(prompt).text.split("\n")
    return frozenset(line.strip() for line in lines if len(line) >= _SHORTEST or _OPTION_LINE.match(line))


def without_prompt(cleaned: Cleaned, prompt: str | None) -> Cleaned:
    r"""Returns what was cleaned without the lines that it repeats from the prompt.

    >>> from tempbench_lmms.parsing.clean import clean
    >>> without_prompt(clean("Which image is first?\nB"), "Which image is first?").parts[0].text
    'B'
    """
    if not prompt or cleaned.cut_off:
        return cleaned
    return cleaned._replace(parts=[_without(part, prompt) for part in cleaned.parts])


def _without(part: Part, prompt: str) -> Part:
    if "\n" not in part.text and "\n" in prompt:
        return part  # a prompt of several lines is not repeated by one
    known, rows = _lines(prompt), part.text.split("\n")
    repeated = [i for i, row in enumerate(rows) if row.strip() in known]
    options = [i for i in repeated if _OPTION_LINE.match(rows[i])]
    if len(options) == 1 or (options and options[-1] == len(rows) - 1 and rows[-1] in rows[:-1]):
        repeated.remove(options[-1])
    if not repeated:
        return part
    kept, at, place = [], [], 0
    for i, row in enumerate(rows):
        if i not in repeated:
            kept.append(row)
            at += part.at[place : place + len(row) + 1]
        place += len(row) + 1
    text = "\n".join(kept)
    return Part(text, at or part.at[-1:]).cut(0, len(text))
