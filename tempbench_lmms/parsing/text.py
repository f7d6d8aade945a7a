"""Makes replies comparable: one alphabet, no mark-up, a bounded length."""

import re
import unicodedata

_HEAD = 4_000
_TAIL = 4_000
# Between what is left of a long reply: a line of its own with a sign that no pattern skips.
_CUT = "\n@\n"
_LONGEST_WORD = 64
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MARKUP = re.compile(
    r"~~[^~\n]{0,200}~~|\*\*|__|``?`?|\\(?:text|mathrm|mathbf|textbf|mathit|displaystyle)(?=\{)"
    r"|\\[()\[\]]|\\(?=\s)|\$|\|"
)
# What a tokenizer leaves around a reply: <|im_end|>, </s>, <｜end▁of▁sentence｜>.
_SPECIAL = re.compile(r"<\|\w{1,40}\|>|</?s>|<｜[\w▁]{1,40}｜>")
_PUNCTUATION = str.maketrans("。、「」『』【】《》“”«»‘’", '.,""""""""""""' + "''")
# Cyrillic and Greek letters that look like Latin ones, and the Turkish ones that a pattern without regard to
# case takes for an i; NFKC maps full-width and mathematical letters, but leaves these alone.
_LOOK_ALIKES = str.maketrans("АВСЕНІКМОРТХасеіорхΑΒΕΗΙΚΜΝΟΡΤΧıİ", "ABCEHIKMOPTXaceiopxABEHIKMNOPTXiI")
_BOX = re.compile(r"\\(?:fbox|boxed)\b\s*\{{0,3}\s*")
_WORD = re.compile(r"\w+")
# All white space but a single space and a single end of line.
_SPACE = re.compile(r"\s{2,}|[^\S\n ]")


def clip(reply: str) -> str:
    """Returns the first and the last 4,000 characters of a longer reply, without the words that a cut halves.

    An answer stands in one of them. It bounds what every later pattern costs: a model that loops can fill its
    whole token budget.
    """
    if len(reply) <= _HEAD + len(_CUT) + _TAIL:
        return reply
    # The end of "OMEGA." could be read as "A.", and that of "12.5" as 5.
    left, right = _HEAD - _LONGEST_WORD, len(reply) - _TAIL + _LONGEST_WORD
    before = re.sub(r"\S+$", "", reply[left:_HEAD])
    after = re.sub(r"^\S+", "", reply[-_TAIL:right])
    return reply[:left] + before + _CUT + after + reply[right:]


def squeeze(text: str) -> str:
    r"""Returns a text with one space, one end of line or one empty line for each run of white space.

    Patterns with optional space in several places would try every way to share a long run among them.

    >>> squeeze("a \\t b \\n c \\r\\n\\r\\n\\r\\n d")
    'a b\\nc\\n\\nd'
    """
    return _SPACE.sub(lambda run: "\n" * min(run.group().count("\n"), 2) or " ", text)


def unboxed(text: str) -> str:
    r"""Returns a text with what stands in a `\boxed{...}` without the command before it.

    >>> unboxed(r"The answer is: \boxed{Yes}")
    'The answer is: Yes}'
    """
    return _BOX.sub("", text)


def _latin(word: re.Match[str]) -> str:
    # A word of another script stays as it is: only a letter alone, or a stray one among Latin letters, is
    # meant as a Latin letter.
    text = word.group()
    if text.isascii():
        return text
    return text.translate(_LOOK_ALIKES) if len(text) == 1 or re.search("[A-Za-z]", text) else text


def normalise(text: str) -> str:
    """Returns a text in compatibility form, look-alike letters as Latin ones, no mark-up or extra space."""
    text = _SPECIAL.sub(" ", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_PUNCTUATION)
        text = _WORD.sub(_latin, text)
    return squeeze(_MARKUP.sub("", text)).strip()
