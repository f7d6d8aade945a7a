"""The prompt's own words in a reply: they are no answer.

Where the prompt is known its lines are taken out; an option's line stays where it is the only one, or comes
again at the end, since it may be the answer. Where it isn't, only what no reply says of its own: placeholders
such as "Option [Letter]", and the choice itself ("True or False").
"""

import re
from functools import lru_cache

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import holds, normalise, table

_PLACEHOLDER = lazy(
    r"[\"'(]?\b(?:option|answer|choice|image|pair|letter|span|position)?\s*[:.]?\s*"
    r"(?:[\[<]\s*(?:your\s+)?(?:letter|choice|answer|number|option|n|x|start|end|your_reflection"
    r"|final_answer|yes/no/i don.?t know|true/false|final answer|reflection|image number)(?:\s+(?:here"
    r"|letter))?\s*[\]>])[\"')]?",
    re.IGNORECASE,
)
# Each of them has this.
_PLACEHOLDER_SIGN = lazy(r"[\[<]\s*[A-Za-z]")
_FORM = lazy(r"[\"']?\bimage N\b(?!\s?[°º])[\"']?|\bN/A\b", re.IGNORECASE)
_CHOICE = lazy(
    r"\bneither\s+true\s+nor\s+false\b|\b(?:either\s+)?(?:true\s*(?:or|/|\|)\s*(?:the\s+word\s+)?false"
    r"|false\s*(?:or|/|\|)\s*true|yes\s*(?:or|/|\|)\s*no)\b(?:\s*/\s*i don.?t know)?",
    re.IGNORECASE,
)
_OR_SIGNS = ("or", "/", "|")
# "A/B/C/D": no reply names all letters so.
_ALL_LETTERS = lazy(r"[\[<(]?\bA\s*(?P<sign>[/|])\s*B\s*(?P=sign)\s*C(?:\s*(?P=sign)\s*[D-H])*\b[\]>)]?")
_EACH = lazy(r"\b(?:each|every)\s+(?:\w+\s+)?(?:option|choice|answer|statement)\s*:", re.IGNORECASE)
# "Options: (A) ..., (B) ...", "Select one answer: A. 7, B. 5": the list on the line of its heading.
_OPTIONS = lazy(
    r"\b(?:(?:answer\s+)?(?:options|choices)|(?:select|choose|pick)\s+one(?:\s+(?:answer|option))?)\s*:\s*"
    r"(?:pair\s+A,[^.;\n]*\bPair\s+[B-H]\b|\(?A[.):](?!\s*\n)[^\n]*?(?<!\w)[B-H][.):]\s?(?:[^.;:,()\n]+(?:\([^()\n]*\))?|\([^()\n]*\))(?=\s*(?:[.;\n]|$)(?!\s*\(?[B-H][.):])))"
    r"[.;]?",
    re.IGNORECASE,
)
_OPTIONS_SIGNS = ("ptions:", "hoices:", "one:", "answer:", "option:")
# "Answer with the letter."
_TASK = lazy(
    r"(?:^|(?<=[.!?;\n]\s)|(?<=\n))(?:please\s+)?(?:answer|reply|respond)\s+with\s+(?:only\s+)?(?:the|one|a|just|either|A,)\b(?![^.!?\n]*letter:?\s+[(*]*[A-H][)*]*[.!]?\s*$)[^.!?\n]*(?:letter|number|[B-H])\b[^.!?\n]*[.!?]?",
    re.IGNORECASE,
)
# "True or False: The images are shown in chronological order.", "Statement: ..."
_ASKED_CLAIM = lazy(
    r"(?:\btrue\s+or\s+false\s*[:?]|(?:^|(?<=\n))\W*(?:statement|claim|aussage|behauptung|affirmation|énoncé|afirmación|陈述|陳述|命题|说法|記述|文|진술)\s*:)"
    r"\s*(?!\s)(?P<said>[^\n.!?]{8,}[.!?]?)[\"')]*(?=\s*(?:\n|$))",
    re.IGNORECASE,
)
_CLAIM_SIGNS = table(
    "true|statement|claim|aussage|behauptung|affirmation|énoncé|afirmación|陈述|陳述|命题|说法|記述|文|진술"
)
_JUDGES = lazy(
    r"\b(?:true|false|correct|incorrect|wrong|right|not|yes|no|holds?|wahr|falsch|richtig|nicht|vrai|faux|pas)\b|n['’]t\b|不|错|錯|正确|誤|正し|거짓|참",
    re.IGNORECASE,
)
_OPTION_LINE = lazy(r"(?:(?:Caption|Option|Sentence) )?[(\[]?[A-G][).\]:]\s")
_SHORTEST = 12


@lru_cache(maxsize=512)  # the tasks of a benchmark ask the same one after the other
def _prompt_lines(prompt: str) -> frozenset[str]:
    lines = (" ".join(line.split()) for line in normalise(prompt).split("\n"))
    return frozenset(line for line in lines if len(line) >= _SHORTEST or _OPTION_LINE.match(line))


def without_placeholders(text: str) -> str:
    """Returns a text without the forms that a prompt gives for an answer.

    >>> without_placeholders("Option [Letter]: B"), without_placeholders("True or False?")
    (' : B', ' ?')
    """
    small = text.lower()
    if holds(small, _OPTIONS_SIGNS):
        text = _OPTIONS.sub(" ", text)
    if " with " in small:
        text = _TASK.sub(" ", text)
    if (":" in text or "false?" in small) and holds(small, _CLAIM_SIGNS):
        text = _ASKED_CLAIM.sub(lambda found: found.group() if _JUDGES.search(found["said"]) else " ", text)
    if "B/" in text or "B|" in text:
        text = _ALL_LETTERS.sub(" ", text)
    if ("[" in text or "<" in text) and _PLACEHOLDER_SIGN.search(text):
        text = _PLACEHOLDER.sub(" ", text)
    two = ("true" in small and "false" in small) or ("yes" in small and "no" in small)
    if two and holds(small, _OR_SIGNS):
        text = _CHOICE.sub(" ", text)
    if "image n" in small or "n/a" in small:
        text = _FORM.sub(" ", text)
    if ":" in text and ("each" in small or "every" in small):
        text = _EACH.sub(" ", text)
    return text


def may_repeat(text: str, prompt: str | None = None) -> bool:
    """Whether a text may hold a line of its prompt: a prompt of several lines is not repeated by one."""
    return bool(prompt) and ("\n" in text or "\n" not in (prompt or ""))


def without_prompt(text: str, prompt: str | None = None) -> str:
    """Returns a reply without the lines that it repeats from its prompt.

    Args:
        text: The reply, normalised.
        prompt: The prompt, or None where it isn't known.
    """
    if prompt is None or not may_repeat(text, prompt):
        return text
    known = _prompt_lines(prompt)
    lines = text.split("\n")
    repeated = [i for i, line in enumerate(lines) if " ".join(line.split()) in known]
    options = [i for i in repeated if _OPTION_LINE.match(lines[i].strip())]
    if len(options) == 1 or (options and options[-1] == len(lines) - 1 and lines[-1] in lines[:-1]):
        repeated.remove(options[-1])
    taken = set(repeated)
    return "\n".join(line for i, line in enumerate(lines) if i not in taken) if taken else text
