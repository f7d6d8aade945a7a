"""Makes replies comparable: one alphabet, no mark-up, a bounded length."""

import re
import unicodedata

_HEAD = 4_000
_TAIL = 4_000
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MARKUP = re.compile(
    r"~~[^~\n]{0,200}~~|\*\*|__|``?`?|\\(?:text|mathrm|mathbf|textbf|mathit|displaystyle)(?=\{)|\\[()\[\]]|\\(?=\s)|\$|\|"
)
# What a tokenizer leaves around a reply: <|im_end|>, </s>, <｜end▁of▁sentence｜>.
_SPECIAL = re.compile(r"<\|\w{1,40}\|>|</?s>|<｜[\w▁]{1,40}｜>")
_PUNCTUATION = str.maketrans("。、「」『』【】《》“”«»‘’", '.,""""""""""""' + "''")
# Cyrillic and Greek letters that look like Latin ones; NFKC maps full-width and mathematical letters, but
# leaves these alone.
_LOOK_ALIKES = str.maketrans("АВСЕНІКМОРТХасеіорхΑΒΕΗΙΚΜΝΟΡΤΧ", "ABCEHIKMOPTXaceiopxABEHIKMNOPTX")
_WORD = re.compile(r"\w+")


def clip(reply: str) -> str:
    """Returns the beginning and the end of a very long reply; an answer stands in one of them.

    It bounds what every later pattern costs: a model that loops can fill its whole token budget.
    """
    if len(reply) <= _HEAD + _TAIL:
        return reply
    return reply[:_HEAD] + "\n" + reply[-_TAIL:]


def _latin(word: re.Match[str]) -> str:
    # A word of another script stays as it is: only a letter alone, or a stray one among Latin letters, is
    # meant as a Latin letter.
    text = word.group()
    return text.translate(_LOOK_ALIKES) if len(text) == 1 or re.search("[A-Za-z]", text) else text


def normalise(reply: str) -> str:
    """Returns the reply in compatibility form, look-alike letters as Latin ones, mark-up removed."""
    text = _SPECIAL.sub(" ", clip(reply))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_PUNCTUATION)
        text = _WORD.sub(_latin, text)
    return _MARKUP.sub("", text).strip()
