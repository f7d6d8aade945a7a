"""Replies in one alphabet and without mark-up, as the stand-in for the official code reads them; frozen."""

import re
import unicodedata
from functools import lru_cache

from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.text import squeeze

_INVISIBLE = lazy(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0f\u20e3\ufeff]")
_MARKUP = lazy(
    r"~~[^~\n]{0,200}~~|\*\*|__|``?`?|\\(?:text|mathrm|mathbf|textbf|mathit|displaystyle)(?=\{)"
    r"|\\[()\[\],;:!]|\\(?=\s)|\$|\|"
)
# The braces of LaTeX's text commands go with their names.
_NAMED_TEXT = lazy(r"\\(?:text|mathrm|mathbf|textbf|mathit)\{([^{}\\]{0,200})\}")
# Relations of LaTeX as the signs that a text has for them.
_RELATIONS = {
    **dict.fromkeys(("prec", "lt"), "<"),
    **dict.fromkeys(("succ", "gt"), ">"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "longrightarrow", "Longrightarrow", "implies"), "→"),
}
_RELATION = lazy(rf"\\({'|'.join(sorted(_RELATIONS, key=len, reverse=True))})(?![A-Za-z])")
# "t_{start}", "t_{\text{end}}"
_SUBSCRIPT = lazy(r"_\{(?:\\(?:text|mathrm)\{)?(\w{1,12})\}?\}")
# What a tokenizer leaves around a reply: <|im_end|>, </s>, <｜end▁of▁sentence｜>.
_SPECIAL = lazy(r"<\|\w{1,40}\|>|</?s>|<｜[\w▁]{1,40}｜>")
# "<option>C</option>", "<66.0><71.0>"
_TAGGED_LETTER = lazy(r"<(option|choice|letter|pair|item|label)>\s*([A-Ha-h])\s*</\1>", re.IGNORECASE)
# "<pair rank="1">B</pair>", and the element around several.
_TAGGED_PLACE = lazy(
    r"<(\w+)\s+(?:rank|position|place|order|step|index)\s*=\s*[\"']?(\d{1,2})[\"']?\s*>\s*((?:(?:pair|image)\s+)?[A-H\d])\s*</\1>",
    re.IGNORECASE,
)
_AROUND = lazy(
    r"</?(?:ranking|order|sequence|list|items|pairs|images)(?:\s+\w+\s*=\s*[\"']([^\"'<>]{1,60})[\"'])?\s*>",
    re.IGNORECASE,
)
# Mark-up of web pages: what strikes out, what ends a line, what only looks.
_HTML = lazy(
    r"<(?P<gone>del|strike)>[^<>]{0,200}</(?P=gone)>|(?P<line>\n?<(?:br|p|li|div|h[1-6]|tr|ul|ol)\s*/?>|</(?:p|div|h[1-6]|ul|ol)>)"
    r"|</?(?:b|i|u|em|strong|mark|small|center|li|tr)>",
    re.IGNORECASE,
)
_ENTITIES = {"nbsp": " ", "lt": "<", "gt": ">", "amp": "&", "quot": '"', "#39": "'", "rarr": "→"}
_ENTITY = lazy(rf"&({'|'.join(_ENTITIES)});")
_TAGGED_NUMBERS = lazy(r"(?<=\d)><(?=\d)")
_PUNCTUATION = str.maketrans("。、「」『』【】《》“”«»‘’≺≻≼≽∴", '.,""""""""""""' + "''<><>⇒")
# Cyrillic and Greek letters that look like Latin ones, and the Turkish ones that a pattern without regard to
# case takes for an i; NFKC maps full-width and mathematical letters, but leaves these alone.
_LOOK_ALIKES = str.maketrans(
    "АВСЕНІКМОРТХасеіорхΑΒΕΗΙΚΜΝΟΡΤΧıİ🅰🅱🅲🅳🅴", "ABCEHIKMOPTXaceiopxABEHIKMNOPTXiIABCDE"
)
# "45 с": the letter looks like a Latin c.
_CYRILLIC_SECOND = lazy(r"(?<=\d)\s?с(?!\w)")
# "（A）。12秒から": no ".12"
_FULL_STOP = lazy(r"。(?=\d)")
_LOOKS_ALIKE = lazy(f"[{''.join(map(chr, _LOOK_ALIKES))}]")
_WORD = lazy(r"\w+")


def _latin(word: re.Match[str]) -> str:
    # A word of another script stays as it is: only a letter alone, or a stray one among Latin letters, is
    # meant as a Latin letter.
    text = word.group()
    if text.isascii():
        return text
    return text.translate(_LOOK_ALIKES) if len(text) == 1 or re.search("[A-Za-z]", text) else text


def _without_elements(text: str) -> str:
    """Returns a text with the elements of HTML and XML as lines of plain text."""
    text = _HTML.sub(lambda found: "\n" if found["line"] else "", text)
    if "</" not in text:
        return text
    text = _TAGGED_PLACE.sub(r"\n\2th: \3\n", text)
    return _AROUND.sub(lambda found: f" {found[1]}: " if found[1] else "\n", text)


@lru_cache(maxsize=8)
def normalise(text: str) -> str:
    """Returns a text in compatibility form, look-alike letters as Latin ones, no mark-up or extra space."""
    if "&" in text and ";" in text:
        text = _ENTITY.sub(lambda found: _ENTITIES[found[1]], text)
    if "<" in text:
        text = _without_elements(text) if ">" in text else text
        text = _TAGGED_LETTER.sub(r"(\2)", _SPECIAL.sub(" ", text))
        text = _TAGGED_NUMBERS.sub("> <", text)
    if not text.isascii():
        text = text.replace("№", "#")  # which would be "No" and its number in one word
        text = _CYRILLIC_SECOND.sub("s", text)
        if "。" in text:
            text = _FULL_STOP.sub("。 ", text)
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_PUNCTUATION)
        text = text.replace("\u0130", "I")  # which would be two letters in lower case
        if _LOOKS_ALIKE.search(text):
            text = _WORD.sub(_latin, text)
    if "_{" in text:
        text = _SUBSCRIPT.sub(r"_\1", text)
    if "\\" in text:
        text = _NAMED_TEXT.sub(r"\1", _RELATION.sub(lambda sign: _RELATIONS[sign[1]], text))
    return squeeze(_MARKUP.sub("", text)).strip()
