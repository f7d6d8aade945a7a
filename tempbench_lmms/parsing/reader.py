"""Reads the answer of a reply, in stages; `docs/reading_replies.md` has an example of each.

A short reply that is an answer by itself is read at once. Else the part that states the answer is cut out
(`final_answer`), the prompt's words and refusals are taken out of it (`echo`, `refusals`), and the rules of
`reading.RULES` are tried from the most explicit to the least.
"""

import re
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tempbench_lmms.parsing import echo, lines, plain, ticks
from tempbench_lmms.parsing.choices import breaks_off, fragment, told_in_turn
from tempbench_lmms.parsing.expected import Choice, Expected
from tempbench_lmms.parsing.final_answer import Part, before_next_question, final_part
from tempbench_lmms.parsing.json_values import json_values
from tempbench_lmms.parsing.kinds import Kind, in_short, kind_of
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.reading import Reading, Reread, none
from tempbench_lmms.parsing.refusals import (
    answers_open,
    asks_back,
    leaves_open,
    refuses,
    withdraws,
    without_questions,
    without_refusals,
)
from tempbench_lmms.parsing.statements import Verdict, corrects
from tempbench_lmms.parsing.text import holds, normalise, unboxed
from tempbench_lmms.parsing.words import IF, MAYBE, OR, any_of

QUICK = 24
"""A reply that is no longer is looked up where it came before."""
# A short reply without one of these is in its final form.
_NOT_PLAIN = ("\n", "  ", "\t", "\r", *"\\<[{*_`$|~@")
_NO_ANSWER_KEY = lazy(
    r"reason|expl|conf|think|thought|analysis|descr|evidence|comment|note|summary|duration|time|span"
    r"|score|prob|runner|second|reject|initial|exclu|eliminat|alternativ",
    re.IGNORECASE,
)
_CUT = lazy(r"[^\W\d_]\s*$|[,:;(\-–]\s*$")
# The last entry of a list of labels: "4. Pair C"
_ENTRY = lazy(r"\n[ \t]*\d{1,2}[.)][ \t]+(?:[^\W\d_]+[ \t]+)?[A-H]\s*$")
MOST_OBJECTS = 200
"""A reply with more objects loops; the last ones are read."""
_EXPLICIT = ("whole", "box", "json", "answer", "last line", "first line")
_ASKS = ("?", "[", "<")
# "No changes, answer D."
_ANSWER_CLAUSE = lazy(
    r"[,;–—]\s*((?:final\s+)?(?:answer|antwort|réponse|respuesta|risposta|resposta|答案|答え|정답)[\s:]{0,3}[^\s,;]{1,12})$",
    re.IGNORECASE,
)
# "Image 4 < Image 2, hence F."
_CONCLUDING_CLAUSE = lazy(
    r"[,;–—:]\s*(?:(?:and|which)\s+)?((?:so|thus|hence|therefore|daher|also|donc|quindi|por\s+(?:lo\s+)?tanto|因此|所以|だから|따라서|meaning|makes?\s+it|i\.e\.|(?:namely|nämlich|à\s+savoir|a\s+saber)(?!\s+(?:in|from|at|on|between|for|by|of)\b))"
    r"[\s,:]+[^,;]{1,40})$",
    re.IGNORECASE,
)
# "At first glance the first image, but no: ...": what stands before is taken back. "But no cat" goes on.
_BUT_NO = lazy(
    r"(?:[.!?]\s+|[\s,;–—-])(?:but\s+no|aber\s+nein|mais\s+non|pero\s+no)\s*(?:[,:;–—]|\.{3}|\s-)(?=\s*\S)",
    re.IGNORECASE,
)
_NOES = ("but no", "But no", "aber nein", "mais non", "pero no")
# "a square that stands on a corner, in other words a diamond"
_IN_OTHER_WORDS = lazy(
    r"[,;:–—(]\s*(?:or\s+)?(?:in\s+other\s+words|that\s+is\s+to\s+say|that\s+is(?=,)|i\.\s?e\.|mit\s+anderen\s+Worten|das\s+heißt"
    r"|d\.\s?h\.|autrement\s+dit|c'est-à-dire|es\s+decir|en\s+otras\s+palabras)[\s,:]+([^.!?\n]+)",
    re.IGNORECASE,
)
# A call is the last line: "submit_answer(image=2)", "answer(choice='B')"
_CALL = lazy(
    r"(?:^|(?<=\n)) *(?P<name>(?:[a-z]\w*\.)?(?:submit\w*|select_\w+|choose_\w+|(?:\w+_)?answer|finish)[(\[])"
    r"\s*(?:[a-z]\w*\s*[=:]\s*)?"
    r"(?:(?P<quote>[\"'])(?P<quoted>[^\"'\n]{1,80})(?P=quote)"
    r"|(?P<bare>[\w.-]{1,24}|\[[^\[\]\n]{1,80}\]))\s*[)\]][ ;]*$",
    re.IGNORECASE,
)
# "Note: if you consider a left-right pair as one kick, the number would be 3."
_NOTE = lazy(
    r"\n[^\w\n]{0,6}(?:(?:side\s+note|(?:please\s+)?note|hinweis|anmerkung|remark|remarque|nota|caveat|注意?|備考|補足|참고)\b|(?:if|had|counting)\b)"
    r"(?=[^\n]*$)[^\n]*?(?:\b(?:would|could|might|würden?|wären?|könnten?|serait|sería)\b|如果|若|なら|라면|하면)",
    re.IGNORECASE,
)
_WOULD = (
    *("ould", "might", "würde", "wäre", "Würde", "Wäre", "könnte", "serait", "sería"),
    *("如果", "若", "なら", "라면", "하면"),
)
_IF_NOTED = lazy(
    r"\b(?:if|had|were|counting|when|wenn|würde|should|viewed|seen|si|s'il|unless|reader|interpretation)\b"
    r"|(?:如果|若|なら|라면|하면)(?!.{0,30}(?:正确|正しい))",
    re.IGNORECASE,
)
# "Let me know if you need anything else!"
_COURTESY = lazy(
    r"(?:(?:(?<=[.!?*>)])\s|\n|(?<=[.!?]))[^\w\n]*(?:(?:(?:just|please)\s+)?let\s+me\s+know\s+(?:if|whether)\s+(?:you(?:['’]d|\s+would)?\s+(?:like|need|want|have)|there|anything|more)"
    r"|(?:please\s+)?feel\s+free\s+to\s+(?:ask|send|share)|(?:i\s+)?hope\s+(?:this|that|it)(?:\s+(?:helps|answers)|(?:['’]s|\s+is|\s+was)\s+(?:clear|helpful|useful))(?=[^.!?,\n]*(?:[.!?\n]|$))"
    r"|(?:(?:many\s+)?thank(?:s|\s+you)\s+for|have\s+a\s+(?:nice|great|good)\s+day)\b(?=[^.!?,:;\n–—]*(?:[.!?\n]|$))(?![^.!?\n]*\s-\s)|¡?espero\s+que\s+(?:(?:esto|eso)\s+)?(?:(?:te|le|les|os)\s+)?(?:ayud|sirv|sea\s+(?:útil|claro))\w*|j['’]espère\s+que\s+(?:cela|ça|ceci)"
    r"|if\s+(?:you|there|anything)\b(?=[^.!?:\n]*\b(?:let\s+me\s+know|feel\s+free|just\s+(?:say|ask|tell)|i(?:['’](?:d|m|ll)|\s+(?:can|could|will|would|am))\s+(?:(?:also|gladly|be|always|try\s+to)\s+)*(?:happy|glad|here|help|assist|provide|explain|elaborate|clarify|check|go\s+through|look|describe|walk|list|share|summari[sz]e|refine|revise|update|adjust|redo|recheck)\b))|just\s+ask\s+if"
    r"|ich\s+hoffe,\s+(?:das|dies)\s+hilft|bei\s+(?:weiteren\s+)?(?:rück)?fragen\b(?=[^.!?:\n]*\bmeld)|(?:i['’](?:d\s+be|m)\s+)?happy\s+to\s+(?:help|explain|elaborate))\b(?:[^.!?:\n]|\bvs\.)*[.!?]*)+[^\w\n]*$",
    re.IGNORECASE,
)
_COURTEOUS = (
    *(
        "me know",
        "free to ",
        "appy to ",
        "hilft",
        "ope th",
        "ope it",
        "f you ",
        "f there",
        "f anything",
        "ust ask",
    ),
    *("ave a ", "melde", "spère", "hank", "spero"),
)
# "Why not the others?": behind it stands why the other options are out.
_WHY_NOT = lazy(
    r"(?<=\S)(?:\n|\s)\W*why\s+(?:not\s+)?(?:the\s+)?(?:others?|rest|remaining|other\s+\w+)(?:\s+(?:are|is|were|do|don['’]t)\s+(?:\w+\s+)?(?:\w+))?\W*\n"
    r"(?![\s\S]*\b(?:answer\s*(?:is\b|:)|actually|therefore)|[\s\S]*\n\W*so\b)[\s\S]*",
    re.IGNORECASE,
)
# "I was about to say 1": no answer, whatever comes next.
_NEARLY = lazy(
    r"\bwas\s+(?:about|going|tempted|inclined)\s+to\b|\bI\s+(?:nearly|almost)\s+(?!certain)", re.IGNORECASE
)
_NEARLY_SIGNS = ("was about", "was going", "was tempted", "was inclined", "I nearly", "I almost")
_HEADING = lazy(r"(?P<noun>\D*?)(?P<item>(?<!\w)[A-H]|\d{1,2})")
_OPEN = lazy(f"{any_of(IF)}|{any_of(OR)}|{any_of(MAYBE)}|\\?", re.IGNORECASE)
# "Q: ... A: (C)": the letter before the colon is no option.
_ANSWERED = lazy(r"\nA:(?=\s*\S)")
# "BEFORE (confidence: 0.82; after: 0.10)"
_CONFIDENCES = lazy(r"\((?:[^()\n]{0,40}\b)?[Cc]onfidence[^()\n]{0,120}\)")
# "Answer: 3 (the dog is in 4, too)"; "B (or C)" is no remark.
_REMARK = lazy(rf"\s+\((?!\s*(?:{any_of(OR)}|\w\W))[^()\n]{{12,}}\)\W{{0,3}}$")
_REMARK_END = 5
_EITHER = lazy(rf"(?:{any_of(MAYBE)}|\b(?:must\s+be|either)\b)[^.!?\n]*{any_of(OR)}", re.IGNORECASE)
_LAST_CLAUSE = lazy(r",\s*(?:but|so|aber|mais|pero)\s+([^.!?\n]+)$", re.IGNORECASE)
# "It could be a circle, but there is a hole in it, so it is a ring."
_CONCLUDED_IN = lazy(
    r"(.*)[,;]\s*(?:(?:and|but)\s+)?(?:so|thus|therefore|hence|but|yet|on\s+(?:a\s+)?closer\s+look|daher|aber|donc|mais|pero|así\s+que)\s+([^.!?\n,;]+)[.!]?$",
    re.IGNORECASE,
)
_MANY_WORDS = 12
_LONGEST_ENTRY = 40
_LONGEST_SENTENCE = 600
# "4, as the runway isn't built there yet", but not "4, as well as 3"
_AS = (
    r"(?:as(?!\s+(?:well|in|if|shown|seen|described|opposed|soon|long|far|for|to|with|expected|mentioned|noted|can|could|is|do|does|did|usual|always|a)\b)"
    r"|da|puisque|car(?=\s(?:l|il|elle|on|c|un|dans|sur)))"
)
_PARTS = lazy(rf"[.;\n]\s+|,\s+(?!(?:because|since|weil|denn|porque|parce que|(?<=\d,\s){_AS})\b)")
_OPENS = lazy(
    r"([^:(–—\n,]{1,40}?)\s*(?::|\(|[–—](?!\s*\w(?!\w))| - "
    rf"|,?\s(?:because|since|weil|denn|porque|parce que)\b|(?<=\d),\s{_AS}\b)(?=\s*\S)"
)
# "B (on stones) or D (on shoulders)"
_OR_ANOTHER = lazy(rf"\)\s*,?\s*(?:{any_of(OR)})")
# "4, as the others show Fred, or 3"
_OR_NUMBER = lazy(r"^\W*\d+,\s+as\b[^.!?\n]*,?\s+or\s+(?:image\s+)?\d+\W*$", re.IGNORECASE)
_MOST_OPENINGS = 30
# "Pair C.": the sign belongs to what follows it where it heads an entry of a list.
_NAMED_FIRST = lazy(r"\W*([^\W\d_]{3,}\s[A-H])\.\s+(?=\S)")
# "A. The farm in this pair is new, while B and C look alike."
_LETTER_FIRST = lazy(r"\W*([A-H])\.\s+(?=[A-Z][a-z])")
_SET_AGAINST = lazy(
    r"(?:(?<=[a-z,]\s)(?:while|whereas|unlike|compared)|\b(?:by|in)\s+contrast)\b[^.!?\n]*$", re.IGNORECASE
)
# "Pair C. Wrong.", "Pair C. A road. Pair A. A field.", "Pair C. A road. Pair A changes more."
_WEIGHED = lazy(
    r"(?:[.!?]\s+[^\W\d_]{3,}\s[A-H]\.\s)|\b(?:incorrect|wrong|no|not|false|unlikely|longer|longest|larger|better|best|more|most|fits?|match(?:es)?"
    r"|correct|right|answer|falsch|länger|längste|besser|mehr|kein\w*|nicht|faux|plus|pas|más|mejor|falso)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIED = lazy(r"\bnot\b|n't\b", re.IGNORECASE)
_HELD_POSSIBLE = lazy(any_of(MAYBE), re.IGNORECASE)
_HEDGED = lazy(rf"\bnot?\b|n['’]t\b|{any_of(MAYBE)}|{any_of(OR)}", re.IGNORECASE)
# "In image 5": the sentence about one more image ends before it says something.
_UNFINISHED = lazy(r"\s*in\s[^.!?]{1,20}\w\s*", re.IGNORECASE)
_DIGITS = lazy(r"\d+")
_OPENING = 3
# "The correct order of the images is:"
_ANNOUNCES = lazy(
    r"^(?![^\n]*(?:\bnot\b|n['’]t\b))[^\n]*\b(?:correct|right|answer|best|final|matching|chronological)\b[^.!?\n]*:\W*$",
    re.IGNORECASE,
)
_CONCLUDES = lazy(
    r"\b(?:so|thus|therefore|hence|daher|deshalb|donc|por\s+lo\s+tanto)\b|所以|因此|だから|따라서",
    re.IGNORECASE,
)
# "An overpass is what fits best.", "The image that happened first is the second image."
_BEST = lazy(
    r"\b(?:is|was)\s+(?:what|the\s+one\s+that)\s+(?:fits|matches)\s+best\b"
    r"|\b(?:image|picture|photo|one)\s+(?:(?:that|which)\s+(?:happened|came|comes|(?:was|is)\s+taken)|taken)\s+(?:first|earlier)\s+(?:is|was|must\s+be)\b",
    re.IGNORECASE,
)
# "Either could have been first."
# "My assessment is that it is the second image", "I would choose the red one"
_PICKS = lazy(
    r"\bmy\s+(?:\w+\s+)?(?:assessment|guess|choice|pick|answer|conclusion)\s+(?:is|would\s+be)\b"
    r"|\bI\s*(?:would|['’]d|will|['’]ll)\s+(?:\w+\s+)?(?:choose|pick|select|say|guess|go\s+with|lean\s+towards?)\b",
    re.IGNORECASE,
)
# Behind "I would say", what is too blurry to be picked, too
_OF_ALL = lazy(r"\b(?:all|both|any|either|each|none|neither|every|too|blurr\w*|unclear)\b", re.IGNORECASE)
_LEFT_OPEN = lazy(
    r"\b(?:either|both|any|equally)\b[^.!?]*\b(?:could|can|may|might|possible|plausible)\b", re.IGNORECASE
)


def read(reply: str, expected: Expected, prompt: str | None = None, at_limit: bool = False) -> Reading[Any]:
    """Reads the one answer of a reply.

    Args:
        reply: The model's reply, reasoning included.
        expected: What kind of answer the question expects.
        prompt: The prompt, whose words in the reply are no answer; None where it isn't known.
        at_limit: Whether the reply ended because its token limit was reached.

    >>> from tempbench_lmms.parsing.expected import Choice
    >>> read("I first thought A, but the answer is B.", Choice("AB")).value
    'B'
    >>> read("The answer could be either A or B.", Choice("AB")).reason
    'several'
    """
    if isinstance(reply, Reread):
        return reply.instead(expected, read(str(reply), expected, prompt, at_limit))
    if not echo.may_repeat(reply, prompt) and (one_word := plain.read(reply, expected)):
        return one_word
    if len(reply) > QUICK:
        return _read(reply, expected, prompt, at_limit)
    if isinstance(expected, Choice) and expected.texts:
        # Options differ from question to question; a letter by itself names one of them whatever they say.
        letter = _alone(reply, Choice(expected.letters, (), expected.noun))
        if letter and letter.value:
            return letter
        expected = in_short(expected, reply)
    # No line of it can be the prompt's where it is but one.
    return _short(reply, expected, prompt if "\n" in reply else None, at_limit)


@lru_cache(maxsize=1024, typed=True)
def _short(reply: str, expected: Expected, prompt: str | None, at_limit: bool) -> Reading[Any]:
    """Returns the reading of a short reply; many a reply of a run is the same."""
    found = None if "\\boxed" in reply else _alone(reply, expected)
    return _ended(found, at_limit) if found else _read(reply, expected, prompt, at_limit)


def _ended(found: Reading[Any], at_limit: bool) -> Reading[Any]:
    """Returns a reading of a reply that may have ended at its limit: "1" may be the beginning of "12"."""
    return none("cut_off") if at_limit and found.reason == "nothing" else found


def letter_alone(reply: str, letters: str) -> str | None:
    """Returns the letter that a short reply names by itself, so that the texts of the options don't matter.

    >>> letter_alone("Option B.", "ABC"), letter_alone("The dog barks", "ABC")
    ('B', None)
    """
    found = _alone(reply, Choice(letters)) if len(reply) <= QUICK else None
    return found.value if found else None


@lru_cache(maxsize=1024, typed=True)
def _alone(reply: str, expected: Expected) -> Reading[Any] | None:
    """Returns what a short reply is without the marks around it; None where that is no answer."""
    kind = kind_of(expected)
    found = _is(kind, lines.bare(reply))
    return _reading(kind, found, "whole", (0, len(reply))) if found else None


def _read(reply: str, expected: Expected, prompt: str | None, at_limit: bool) -> Reading[Any]:
    kind = kind_of(expected)
    if (
        len(reply) <= lines.SHORT
        and reply.isascii()
        and not holds(reply, _NOT_PLAIN)
        and not kind.rules_out(reply)
        and (said := _whole(kind, reply.strip()))
    ):
        return _ended(_reading(kind, said, "whole", (0, len(reply))), at_limit)
    part = final_part(reply)
    if part.cut_off:
        return none("cut_off")
    if part.wide is None:
        return none("cut_off" if at_limit else "empty")
    found = _answered(kind, part, prompt) or read_part(kind, part, prompt)
    if found.value is None:
        if found.how == "nothing" and (at_limit or looks_cut(part.wide)):
            return none("cut_off")
        return none("several" if found.how == "open" else found.how)
    if _only_described(found, part.wide):
        return none("cut_off")
    return Reading(found.value, found.how, _where(reply, part, found))


def _only_described(found: Verdict, text: str) -> bool:
    """Whether a text stops within a sentence, and only described by then what a reading rests on."""
    if found.how not in ("words", "only one"):
        return False
    if told_in_turn(text):
        return True
    if not (last := fragment(text)):
        return False
    # "C. The man runs ..." opens with its answer.
    return found.start > _OPENING if found.how == "only one" else found.text.endswith(last)


def _answered(kind: Kind, part: Part, prompt: str | None) -> Verdict | None:
    """Returns the answer behind which a model invents a question; None where it states none there."""
    head = before_next_question(part) if part.tagged is None else None
    found = read_part(kind, head, prompt) if head else None
    return found if found and found.value is not None and found.how in _EXPLICIT else None


def read_part(kind: Kind, part: Part, prompt: str | None = None) -> Verdict:
    """Reads an answer tag, then a box, then everything behind the reasoning."""
    for inner in (part.tagged, part.boxed):
        if inner and (found := _read_text(kind, unboxed(normalise(inner)), prompt)).how != "nothing":
            return _named(found, "box")
    wide = part.wide or ""
    if part.tagged:
        wide = wide.replace(part.tagged, " ")
    return _read_text(kind, unboxed(normalise(wide)), prompt)


def _named(found: Verdict, how: str) -> Verdict:
    return found if found.value is None else Verdict(found.value, how, found.start, found.end, found.text)


def looks_cut(text: str) -> bool:
    """Whether a text ends in the middle of a sentence: a long one without its sign, any in a phrase."""
    if breaks_off(text, ()) and len(text.split()) > 1:
        return True
    return (
        len(text.split()) >= _MANY_WORDS
        and _CUT.search(text) is not None
        and not _ENTRY.search(text, max(0, len(text) - _LONGEST_ENTRY))
    )


def _reading(kind: Kind, values: list[Any], how: str, where: tuple[int, int]) -> Reading[Any]:
    distinct = list(dict.fromkeys(values))
    if len(distinct) > 1:
        return none("several")
    return Reading(distinct[0], how, where) if kind.offers(distinct[0]) else none("nothing")


def _where(reply: str, part: Part, found: Verdict) -> tuple[int, int]:
    """Returns where the words that decided stand in the reply; the part where normalising changed them."""
    find = reply.rfind if found.how == "last line" else reply.find
    place = find(found.text, part.start, part.end) if found.text else -1
    return (place + found.start, place + found.end) if place >= 0 else (part.start, part.end)


def within(found: Reading[Any], text: str, reply: str, part: Part) -> Reading[Any]:
    """Returns a reading of a text that a reply holds as a reading of the reply.

    Args:
        found: The reading of the text.
        text: The text.
        reply: The reply.
        part: The part of the reply that holds the text; the place of all of it is given where the text is
            not in the reply as it stands.
    """
    place = reply.find(text, part.start, part.end) if found.where else -1
    start, end = found.where or (0, 0)
    where = (place + start, place + end) if place >= 0 else (part.start, part.end)
    return found if found.value is None else Reading(found.value, found.how, where)


def _read_text(kind: Kind, text: str, prompt: str | None) -> Verdict:
    if "onfiden" in text:
        text = _CONFIDENCES.sub(" ", text)
    if text[:2] == "Q:":
        text = _ANSWERED.sub("\nAnswer:", text)
    if (
        text[-3:].rstrip(" ;")[-1:] in (")", "]")
        and (call := _CALL.search(text))
        and call["name"] not in text[: call.start()]
    ):
        text = f"{text[: call.start()]}Answer: {call['quoted'] or call['bare']}"
    if holds(text, _COURTEOUS):
        text = _COURTESY.sub("", text)
    if text.endswith("ight: a") and "eft:" in text:
        text = text[:-1]  # "Left: a lake. Right: a", cut off
    text = ticks.checked(text)
    # First of all: a prompt may have its options in the form of JSON.
    found = _staged(kind, echo.without_prompt(text, prompt))
    if found.value is not None and not kind.offers(found.value):
        return Verdict(None, "nothing")
    return found


def _one(values: list[Any], how: str, text: str = "") -> Verdict | None:
    """Returns a verdict on the values that one place, of some text, gives; None where it gives none."""
    distinct = list(dict.fromkeys(values))
    if not distinct:
        return None
    return Verdict(distinct[0], how, 0, len(text), text) if len(distinct) == 1 else Verdict(None, "several")


def _staged(kind: Kind, text: str) -> Verdict:
    if found := _by_itself(kind, text, "whole"):
        return found
    if "{" in text or "[" in text:
        if found := _of_json(kind, text):
            return found
        if _is_object(text):
            return Verdict(None, "nothing")
    if found := _at_end(kind, text) or _before_note(kind, text):
        return found
    if holds(text, _NOES) and not kind.is_claim:
        text = _without_taken_back(text)
    if "hy " in text:
        text = _WHY_NOT.sub("", text)
    text = kind.without_remarks(echo.without_placeholders(text))
    whole, asked = text, without_questions(text)
    text, refused = without_refusals(asked)
    rows = lines.lines(text)
    if not rows:
        return Verdict(None, "refused" if refused else "nothing")
    listing = [kind.lists(text, row) for row in (rows[0], rows[-1])]
    if not listing[1] and (found := _last_line(kind, rows)):
        return found
    said = kind.verdict(text)
    if refused and answers_open(asked):
        return Verdict(None, "refused")
    if said.how in ("answer", "several"):
        return said
    opens = not listing[0] or kind.answers_before_list(rows)
    if opens and (first := _first_line(kind, rows, said)):
        return first
    if leaves_open(rows[-1]) or (refused and (withdraws(asked) or asks_back(whole))):
        return Verdict(None, "refused")
    if said.how == "conclusion":
        return said
    if refused:
        if picked := _picked(kind, text):
            return picked
        # "Yes, he does. Why he does so cannot be determined."
        opened = None if said.how == "open" or corrects(asked) else kind.opened(rows[0])
        if opened is None or said.value not in (None, opened):
            return Verdict(None, "refused")
        return Verdict(opened, "first line", 0, len(rows[0]), rows[0])
    if said.value is not None and corrects(text):
        return said
    if (kind.ranks or said.how not in ("several", "open")) and (stated := _one(kind.by_text(text), "words")):
        return stated
    ends = [row for row, lists in zip((rows[0], rows[-1]), listing, strict=True) if not lists]
    return _in_words(kind, ends, said) or said


def _picked(kind: Kind, text: str) -> Verdict | None:
    """Returns the answer of a sentence that picks it in words, beside one that refuses; None for two."""
    said = [
        (value, sentence)
        for sentence in lines.sentences(text)
        if (picks := _PICKS.search(sentence)) and not _OF_ALL.search(sentence)
        for value in _stated(kind, sentence[picks.start() :])
    ]
    found = _one([value for value, _ in said], "conclusion")
    return found and _named(Verdict(found.value, found.how, 0, len(said[-1][1]), said[-1][1]), "conclusion")


def _without_taken_back(text: str) -> str:
    """Returns a text without the sentence, or its part, that stands before the last "but no"."""
    found = deque(_BUT_NO.finditer(text), 1)
    if not found:
        return text
    start, end = found[0].span()
    before = max(text.rfind(sign, 0, start) for sign in ".!?\n")
    return f"{text[: before + 1]} {text[end:]}".strip()


def by_itself(kind: Kind, line: str) -> bool:
    """Whether a line is an answer, or several, by itself, perhaps with words that announce it."""
    return _by_itself(kind, line, "last line") is not None


def _by_itself(kind: Kind, line: str, how: str) -> Verdict | None:
    """Returns the answer that a line is by itself, perhaps with words that announce it."""
    if holds(line, _NEARLY_SIGNS) and _NEARLY.search(line):
        return None
    if not lines.is_short(line):
        first = line.split(None, 2)[:2]
        if len({*first} - {"@"}) > 1:
            return None
        words = {*line.split()} - {"@"}
        if len(words) > 1:
            return None
        line = words.pop()  # a reply that loops
    if kind.rules_out(line):
        return None
    return _one(_whole(kind, line), how, line)


@lru_cache(maxsize=32)
def _whole(kind: Kind, line: str) -> list[Any]:
    bare = lines.bare(line) or line.strip()
    rest = lines.without_lead(line)
    if found := kind.plainly(rest) or _is(kind, bare):
        return found
    if rest != bare and (found := _is(kind, rest)):
        return found
    remark = _REMARK.search(line) if kind.allows_remark and ")" in line[-_REMARK_END:] else None
    return _whole(kind, line[: remark.start()]) if remark and lines.has_lead(line) else []


@lru_cache(maxsize=32)
def _is(kind: Kind, text: str) -> list[Any]:
    return kind.whole(text)


def _first_line(kind: Kind, rows: list[str], said: Verdict) -> Verdict | None:
    """Returns the answer that the first line or sentence is by itself; none that is corrected later.

    What a reply only opens with gives way to another value that it concludes (`said`).
    """
    parts = lines.sentences(rows[0])
    if rows[0].endswith("?") and len(rows) > 1:
        return None
    if found := _by_itself(kind, rows[0], "first line"):
        return None if _any_corrects(rows[1:]) or _is_heading(rows) else found
    if found := _behind_announcement(kind, rows):
        return found
    if parts[0].endswith("?") or _any_corrects([*parts[1:], *rows[1:]]):
        return None
    if found := _by_itself(kind, parts[0], "first line"):
        return found
    found = _opening(kind, rows) or _named_first(kind, rows)
    return None if found and said.how == "conclusion" and said.value != found.value else found


def _is_heading(rows: list[str]) -> bool:
    """Whether the first line is a heading like that of a later one: "Pair A", and below it "Pair B"."""
    first = _HEADING.fullmatch(lines.bare(rows[0]))
    if first is None:
        return False
    others = (_HEADING.fullmatch(lines.bare(row)) for row in rows[1:] if len(row) <= len(rows[0]) + 2)
    return any(
        other and other["noun"] == first["noun"] and other["item"] != first["item"] for other in others
    )


def _behind_announcement(kind: Kind, rows: list[str]) -> Verdict | None:
    """Returns the answer that the second line is by itself, where the first one says that it comes now."""
    if (
        len(rows) < 2
        or not lines.is_short(rows[0])
        or not _ANNOUNCES.search(rows[0])
        or _OPEN.search(rows[0])
    ):
        return None
    found = _by_itself(kind, rows[1], "first line")
    listed = kind.lists("\n".join(rows), rows[1]) and not kind.answers_before_list(rows[1:])
    if listed or (rows[2:] and _by_itself(kind, rows[2], "first line")):
        return None
    return None if _any_corrects(rows[2:]) else found


def _any_corrects(rows: list[str]) -> bool:
    """Whether one of some lines corrects; no phrase goes over the sign between them."""
    return bool(rows) and corrects("\n@\n".join(rows))


def _opening(kind: Kind, rows: list[str]) -> Verdict | None:
    """Returns the answer that a reply opens with: "Image 3: Fred sits ..."; none where parts differ."""
    said: list[Any] = []
    if _OR_NUMBER.search(rows[0]):
        return None
    for part in _PARTS.split("\n".join(rows[:_MOST_OPENINGS]))[:_MOST_OPENINGS]:
        head = _OPENS.match(part)
        if head and _NEARLY.search(head[1]):
            return None
        bracket = head is not None and head.group().endswith("(")
        if bracket and (_OR_ANOTHER.search(part) or not kind.allows_remark):
            return None
        said += _whole(kind, head[1]) if head else []
        if not said:
            return None
    return _one(said, "first line") if len(set(said)) == 1 else None


def _named_first(kind: Kind, rows: list[str]) -> Verdict | None:
    """Returns the option that the first line names and then explains: "Pair C. In pair C ..."."""
    row = rows[0]
    head = _NAMED_FIRST.match(row) if kind.all_values else None
    if head is None and (letter := _LETTER_FIRST.match(row)):
        rest = row[letter.end() :]
        if _set_apart(kind, letter[1], rest) or (len(rows) == 1 and _retold(kind, letter[1], rest)):
            return _one(_whole(kind, letter[1]), "first line", letter[1])
    if head is None or _OPEN.search(row, head.end()) or _WEIGHED.search(row, head.end()):
        return None
    return _one(_whole(kind, head[1]), "first line", head[1])


def _retold(kind: Kind, letter: str, rest: str) -> bool:
    """Whether a text says what an option says, and names no other: "A. It goes to the left."."""
    return not (kind.mentions(rest) or _OPEN.search(rest)) and kind.retells(letter, rest)


def _set_apart(kind: Kind, letter: str, rest: str) -> bool:
    """Whether a text names other options only to set them against the one that it is about."""
    others = [named for named in kind.mentions(rest) if named.value != letter]
    return (
        bool(others)
        and not _OPEN.search(rest)
        and all(_SET_AGAINST.search(rest, 0, named.start) for named in others)
    )


def _last_line(kind: Kind, rows: list[str]) -> Verdict | None:
    """Returns the answer that the last line, or its last sentence, is by itself."""
    parts = rows if (found := _by_itself(kind, rows[-1], "last line")) else lines.sentences(rows[-1])
    if found is None and len(parts) > 1:
        found = _by_itself(kind, parts[-1], "last line")
    if (
        found is None
        and (clause := _ANSWER_CLAUSE.search(parts[-1]) or _CONCLUDING_CLAUSE.search(parts[-1]))
        and not _OPEN.search(parts[-1])
    ):
        found = _by_itself(kind, clause[1], "last line")
    if found is None or len(parts) < 2:
        return found
    if _unfinished(parts[-2], parts[-1]):
        return None
    other = _by_itself(kind, parts[-2], "last line")
    # Two answers one after the other, and no word which one is meant.
    if (
        other
        and other.value != found.value
        and lines.has_lead(parts[-1]) == lines.has_lead(parts[-2])
        and not corrects(parts[-1])
    ):
        return Verdict(None, "several")
    return found


def _unfinished(sentence: str, last: str) -> bool:
    """Whether a last sentence breaks off behind the words, but for numbers, with which another one begins."""
    return _UNFINISHED.fullmatch(last) is not None and _DIGITS.sub("0", sentence).strip().startswith(
        _DIGITS.sub("0", last).strip()
    )


def _at_end(kind: Kind, text: str) -> Verdict | None:
    """Returns the answer of a last line that announces it, where nothing before it could change that."""
    rows = lines.lines(text)
    if not rows:
        return None
    parts = rows[-2:]
    if not lines.is_short(rows[-1]) or not lines.has_lead(rows[-1]) or len(rows) == 1:
        parts = list(lines.sentences(rows[-1])[-2:])
    if len(parts) < 2 or holds(parts[1], _ASKS) or not lines.has_lead(parts[1]):
        return None
    found = _by_itself(kind, parts[1], "last line")
    before = lines.sentences(parts[0])[-1]
    if (
        not found
        or _unfinished(before, parts[1])
        or "?" in before
        # An option may say that nothing can be told: what stands before it says so, too.
        or (without_refusals(before)[1] and not refuses(parts[1]))
        or _by_itself(kind, before, "last line")
    ):
        return None
    return None if kind.lists(text, rows[-1]) else found


def _before_note(kind: Kind, text: str) -> Verdict | None:
    """Returns the answer of a line by itself behind which only a note says what would be if."""
    note = _NOTE.search(text) if holds(text, _WOULD) else None
    if note is None or not _IF_NOTED.search(text, note.start()):
        return None
    if corrects(text[note.start() :]) or _CONCLUDES.search(text, note.start()):
        return None
    *rows, last = lines.lines(text[: note.start()]) or [""]
    found = _by_itself(kind, last, "last line") if last else None
    others = (_by_itself(kind, row, "last line") for row in rows)
    if found is None or any(other and other.value != found.value for other in others):
        return None
    return found


def _in_words(kind: Kind, rows: list[str], named: Verdict) -> Verdict | None:
    """Returns what the first or the last sentence states, where it states just one.

    Where they state two, the one that the reply names (`named`).
    """
    if not rows:
        return None
    first, last = (
        lines.sentences(rows[0])[0][:_LONGEST_SENTENCE],
        lines.sentences(rows[-1])[-1][-_LONGEST_SENTENCE:],
    )
    if first != last and _EITHER.search(last) and len(set(kind.by_words(last))) > 1:
        return None  # "So it could be B or D."
    sentences = (first, last) if first != last else (first,)
    said = [_stated(kind, sentence) for sentence in sentences]
    found = [
        (values[0], sentence) for values, sentence in zip(said, sentences, strict=True) if len(values) == 1
    ]
    if not found or (len(said) > 1 and not kind.agree(first, last, *said)):
        return None
    value, sentence = next((one for one in found if one[0] == named.value), found[0])
    if _BEST.search(last):
        value, sentence = found[-1]
    # "First image: a puddle. Second image: an ice cube. Ice melts, so the second image."
    concludes = [match.end() for match in _CONCLUDES.finditer(last)]
    if concludes and len({one for one, _ in found}) > 1 and not _DENIED.search(last, concludes[-1]):
        behind = _stated(kind, last[concludes[-1] :])
        if behind == [found[-1][0]]:
            value, sentence = found[-1]
    return Verdict(value, "words", 0, len(sentence), sentence)


def _stated(kind: Kind, sentence: str) -> list[Any]:
    """Returns the values that a sentence states in words; nothing where it asks or leaves them open."""
    if sentence.endswith("?") or _LEFT_OPEN.search(sentence):
        return []
    said = list(dict.fromkeys(kind.by_words(sentence)))
    if len(said) > 1 and (clause := _LAST_CLAUSE.search(sentence)) and not _DENIED.search(clause[1]):
        # "Image 2 shows how it is made, but the throw is in image 5."
        behind = list(dict.fromkeys(kind.by_words(clause[1])))
        return behind if len(behind) == 1 else said
    if len(said) > 1 and (clause := _IN_OTHER_WORDS.search(sentence)) and not _HEDGED.search(clause[1]):
        behind = list(dict.fromkeys(kind.by_words(clause[1])))
        return behind if len(behind) == 1 else said
    if not said or (clause := _CONCLUDED_IN.match(sentence)) is None:
        return said
    if not _HELD_POSSIBLE.search(clause[1]):
        return said  # "He is walking, but not walking fast."
    if len(said) > 1 and not _HEDGED.search(clause[2]):
        behind = list(dict.fromkeys(kind.by_words(clause[2])))
        return behind if len(behind) == 1 else said
    # "He could be walking, but he is too fast, so he is not walking."
    if len(said) == 1 and _DENIED.search(clause[2]) and kind.by_words(_DENIED.sub(" ", clause[2])) == said:
        return []
    return said


def _of_json(kind: Kind, text: str) -> Verdict | None:
    """Returns what the fields of JSON objects in a text answer; None where there is no such field."""
    values = json_values(text)[-MOST_OBJECTS:]
    for value in reversed(values):
        for candidate in (
            reversed(value)
            if isinstance(value, list) and value and isinstance(value[0], Mapping)
            else (value,)
        ):
            if found := of_object(kind, candidate):
                return found
    return None


def _is_object(text: str) -> bool:
    """Whether a text is one JSON object, whose names are no words of an answer, and which announces none."""
    if "answer is" in text:
        return False
    values = json_values(text) if text[:1] == "{" and text[-1:] == "}" else []
    return len(values) == 1 and isinstance(values[0], Mapping)


def of_object(kind: Kind, value: Any) -> Verdict | None:
    """Returns what the fields of one decoded object answer; None where it has no such field."""
    if not isinstance(value, Mapping):
        return _one(kind.of_field(value), "json")
    names = {re.sub(r"[\s-]+", "_", str(key).strip().lower()): item for key, item in value.items()}
    for pattern in kind.keys:
        for name, item in names.items():
            if re.fullmatch(pattern, name):
                if item is None:
                    return Verdict(None, "refused")
                return _one(kind.of_named_field(name, item), "json") or Verdict(None, "nothing")
    if found := _one(kind.of_field(value), "json"):
        return found
    others = [
        found
        for name, item in names.items()
        if not _NO_ANSWER_KEY.search(name)
        for found in (kind.of_key(name, item) or kind.of_named_field(name, item))
    ]
    if not others:
        # {"description": "the text of an option"}
        others = [
            found
            for item in names.values()
            if isinstance(item, str) and len(item) > QUICK // 2
            for found in kind.whole(item)
        ]
    return _one(others, "json")
