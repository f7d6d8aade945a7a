"""The kinds of answers: how each is recognised as a whole, in running text, in a JSON field, by its words.

The stages of `reader` are the same for all kinds; a kind tells them only where a text names which value.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from tempbench_lmms.parsing import (
    choices,
    claims,
    comparisons,
    durations,
    letters,
    motion,
    numbers,
    option_words,
    orders,
    places,
    ranks,
    relations,
    sequences,
    steps,
    ticks,
    truth,
)
from tempbench_lmms.parsing.ends import backwards
from tempbench_lmms.parsing.expected import Choice, Count, Item, Order, Relation, Truth
from tempbench_lmms.parsing.letters import headed
from tempbench_lmms.parsing.lines import bare, lead_end
from tempbench_lmms.parsing.patterns import lazy
from tempbench_lmms.parsing.statements import Mention, Verdict, corrects, resolve, singles
from tempbench_lmms.parsing.text import holds, mistyped_as, normalise, signs
from tempbench_lmms.parsing.words import (
    AND,
    CARDINAL,
    CHOOSE,
    CIRCLED,
    IF,
    IMAGE,
    LAST,
    LONGEST,
    MAYBE,
    OR,
    ORDINAL,
    TAKES_BACK,
    any_of,
)

ANSWER_KEYS = (
    r"(?:final_?|my_?|the_?|correct_?|selected_?|predicted_?|chosen_?|best_?|revised_?|corrected_?)*"
    r"(?:final|answer|ans|choice|option|letter|prediction|response|label|result|output|selection|conclusion"
    r"|solution|event|antwort|réponse|respuesta|答案|答え|回答|정답|답)"
    r"(?:_?(?:letter|id|choice|option|value))?"
)
"""A pattern for the names of JSON fields that hold an answer."""


_ODD = lazy(
    r"[\s\"')*]*(?:\w+\s+){0,3}?(?:(?:does|do|did)\s*(?:not|n['’]t)\s+(?:\w+\s+)?(?:belong|fit|match)\w*"
    r"|doesn['’]t\s+(?:\w+\s+)?(?:belong|fit|match)\w*"
    r"|(?:where|which|that)\s+(?:\w+\s+){0,2}(?:goes|went)\s+wrong"
    r"|(?:must|should|has\s+to|needs\s+to|can|could)\s+be\s+(?:removed|taken\s+out|excluded|moved|dropped|left\s+out|replaced)"
    r"|(?:is|was|ist|seems|appears|stands)\s+(?:(?!not\b)\w+\s+){0,4}?(?:out\s+of\s+(?:place|order|sequence)|misplaced"
    r"|wrong|anomal\w*|odd\w*|outlier|inconsistent|different|another\s+place|too\s+(?:early|late))|breaks"
    r"|,?\s*(?:(?:though|however),?\s+)?(?:jumps|leaps|goes|steps|falls)\s+(?:(?:\w+\s+)?back|ahead)\b(?!\s+(?:from|as|with)\b)"
    r"|passt\s+nicht|gehört\s+nicht|ist\s+falsch\s+(?:eingeordnet|einsortiert|platziert)|ne\s+(?:correspond|va|fait)\s+pas|no\s+(?:encaja|pertenece)"
    r"|(?:was|is)\s+(?:taken|shot|photographed)\s+(?:somewhere\s+else|elsewhere)|disrupts|contradicts|shows?\s+(?:a\s+|an\s+)?(?:different|another|other))",
    re.IGNORECASE,
)
# "up to and including the third picture", "The fourth, though, jumps back"
_UP_TO = lazy(
    rf"\b(?:up\s+(?:to|until)|until|till)\s+(?:and\s+including\s+)?(?:the\s+)?(?:(?:image|picture|photo)\s+\d|{any_of(ORDINAL)}\s+(?:image|picture|photo))\b"
    rf"|\bbis\s+(?:einschließlich\s+)?(?:zum\s+)?(?:{any_of(ORDINAL)}\s+bild|bild\s+\d)\b",
    re.IGNORECASE,
)
_THE_NTH = lazy(
    rf"\bthe\s+({any_of(ORDINAL)})(?:\s+one)?(?=,\s*(?:though|however),?\s+(?!(?:is|was|does)(?:\s+not|n['’]t)\b))",
    re.IGNORECASE,
)
_ALL_BUT = lazy(
    r"\b(?:all|every\w*|each|others?|rest)\b[^.!?;\n]*\b(?:except(?:\s+for)?|apart\s+from|but|besides|other\s+than|save)"
    r"\s+(?:for\s+)?(?:the\s+)?$",
    re.IGNORECASE,
)
# "Remove image 3 and the rest is in order."
_BUT_FOR = lazy(
    r"\b(?:without|remov(?:e|ing)|drop(?:ping)?|leav(?:e|ing)\s+out|tak(?:e|ing)\s+out|omit(?:ting)?|delet(?:e|ing)|setting\s+aside)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_REST_FITS = lazy(
    r"[^.!?\n]{0,60}\b(?:works?|fits?|makes?\s+sense|consistent\w*|in\s+order|order|sequence|coherent|fine|falls?\s+into\s+place|lines?\s+up|adds?\s+up)\b",
    re.IGNORECASE,
)
# "So it's the railway yard that doesn't belong here.": the odd one in words of its own.
_ODD_ONE = lazy(
    r"\b(?:doesn['’]t|does\s+not|don['’]t)\s+(?:\w+\s+)?(?:belong|fit|match)|\b(?:odd|outlier|intruder|anomal\w+|misplaced)\b|\bout\s+of\s+place\b",
    re.IGNORECASE,
)
_LONGEST_ALL_BUT = 80
# "Anomalous image: 5", "The anomaly lies in Image 5"
_ODD_LABEL = lazy(
    r"\b(?:anomalous|anomaly|odd|misplaced|wrong|inconsistent|outlier|mismatched|out-of-place)\s+$",
    re.IGNORECASE,
)
_LABEL_ENDS = lazy(r"(?:image|picture|photo|frame)(?:\s+number)?\s*[:=]", re.IGNORECASE)
_ODD_LIES = lazy(
    r"\b(?:anomaly|odd\s+one(?:\s+out)?|outlier|intruder|inconsistency)\s+(?:(?:therefore|thus|clearly|actually)\s+)?"
    r"(?:lies|sits|occurs|appears|(?:is|was)\s+(?:found|located|seen|visible))\s+(?:in|at|with)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
# "1, 3 and 4 go together; 2 does not."
_DOES_NOT = lazy(r"[\s\"')*]*(?:does|do|did|is|was)(?:\s+not|n['’]t)\s*(?:[.;!]|$)", re.IGNORECASE)
_NEAR = 24
_IS_IT = lazy(r"\s*(?:です|だ(?!け)|である|[.。]|$)")
# "4 is misplaced, 5 is fine": no list of 4 and 5.
_NEXT_CLAUSE = lazy(r",\s*(?=(?:\w+\s+)?\d{1,2}\s+(?:is|are|was|were|looks?|seems?|fits?)\b)")
_LISTED = lazy(
    rf"\s*(?:,\s*)?(?:&|,|{any_of(AND)}|{any_of(OR)})\s*(?P<n>\d{{1,2}})(?!\w|[.,]\d|\s*%)", re.IGNORECASE
)
_OR = lazy(any_of(OR))
_LONGEST_CLASS = 80
_CLASS_BORDER = lazy(r"[\s/,]+|\bor\b|\bsteps?\b|\bcan be executed\b|\bin\b|[()]")
# Of two letters or more: a word may be spelled.
_FIRST_WORD = lazy(r"[\s/,()]*([^\W\d_]{2,})(?=[\s/,()])")
# More than "I guess", "most likely" or the like behind an answer.
_MANY_WORDS = 5
# Where a remark in brackets ends, what stands before it may be the answer.
_REMARK_END = 5
_BESIDE_CLASS = frozenset(("or", "step", "steps", "can", "in"))
_INITIALS = frozenset(name[0] for name in relations.CLASSES)
_SEQUENCE = lazy(r"(?:image|sentence|event) [a-g] >")
_PLURAL = lazy(r"(?:images|pictures|photos|bilder|imágenes|pics)\b", re.IGNORECASE)
_THAT = lazy(r"\b(?:true|false)\s+that\b.*\b(?:true|false)\s+that\b", re.IGNORECASE | re.DOTALL)
# "The fireman climbs the ladder: 5."
_ANNOUNCED = lazy(r"[\W_]*(?:\w+\s*){0,2}\d{1,2}\W{0,3}[:–—]")
_NOT_IT = lazy(r"(?:n['’]t|\bnot)\s+(?:it|the\s+one|a\s+match)\W*$", re.IGNORECASE)
_BEHIND_COLON = lazy(r"^\D*[^\W\d_]:\s*(\d{1,2})\W{0,3}$")
# "### Conclusion", and below it the last line; "Conclusion: ..."
_CONCLUDING_LINE = lazy(
    r"\n\W*(?:(?:final\s+)?(?:conclusion|result|answer|summary)|overall|in\s+(?:sum|short)|so|therefore|thus|hence)\b\W*([^\n]+)$",
    re.IGNORECASE,
)
_RANKS = lazy(r"[<>→]|\b(?:short|long|rank|order|increas|ascend|least|most)\w*", re.IGNORECASE)
_COUNTED = lazy(
    r"(?<!image )(?<!picture )(?<!photo )(?<!number )(?<![\w.])(?:one|two|[12])(?![\w.])", re.IGNORECASE
)
_COMPARED = lazy(
    r"\b(?:before|after|than|because|since|while|whereas|but|like|unlike|compared)\b", re.IGNORECASE
)
# "2, 5 and 1 could be in any order"
_ANY_ORDER = lazy(
    r"\b(?:could|can|may|might)\s+(?:be|come|go|stand)\s+in\s+any\s+order\b(?![^.!?\n]*\b(?:but|however|though|yet)\b)",
    re.IGNORECASE,
)
_ORDINAL_PAIR = lazy(
    rf"^\W*(?:it\s+is\s+|it's\s+)?(?:the|das|la|le|el)\s+(?:(?P<place>{any_of(ORDINAL)})"
    rf"|(?P<last>{any_of(LAST)}))"
    r"\s+(?:pair|paar|paire|par|pareja|one)\b"
    # "has less time", but not "has the longer interval because there are fewer trees"
    r"(?!(?:\s+(?!(?:because|since|as|longer|longest|more|most)\b)\w+){0,6}?\s+(?:short(?:er|est)|less|least|fewer|fewest)\b)",
    re.IGNORECASE,
)
# "I'd say the second pair", "I think the first pair is longer": all that is said
_SAYS_PAIR = lazy(
    r"\W*i(?:['’]d|\s+would)?\s+(?:say|pick|choose|think)\s+"
    r"(the\s+\w+\s+\w+(?:\s[^.!?;,\n]*\b(?:longer|longest|most)\b[^.!?;\n]*)?[.!]?\s*)",
    re.IGNORECASE,
)
_FITS = lazy(
    r"\b(?:form\w*\s+(?:a|one)|(?:are|is)\s+(?:all\s+)?(?:in\s+(?:\w+\s+)?(?:order|sequence)|consistent|fine|correct|right)|belong\s+together"
    r"|fit\s+together|fit|match|agree|show\s+the\s+same|go\s+together)\b",
    re.IGNORECASE,
)
_NO_FIT = lazy(r"\b(?:not|or|but|if|whether|maybe|perhaps|either|neither|both|pairs?)\b|n't\b", re.IGNORECASE)
# "In Image 4, the musicians start to play, which matches the event."
_MATCHING = lazy(
    r"\b(?:image|picture|photo|panel)\s+(\d{1,2})\b(?:(?!\b(?:image|picture|photo|panel)\b)[^.!?\n]){0,160}?,?\s*\b(?:which|this|that)\s+(?:exactly\s+)?"
    r"(?:matches|fits|corresponds\s+to|describes|is)\s+(?:exactly\s+)?(?:the|what)\s+(?:\w+\s+)?(?:event|description|caption|sentence|statement)\b",
    re.IGNORECASE,
)
_SMALL_NUMBER = lazy(r"(?<![\w.])\d{1,2}(?![\w%]|\.\d)")
# "The shortest one is Pair A, and the longest one is Pair B."
_LONGEST_IS = lazy(
    rf"(?<!not\sthe\s){any_of(LONGEST)}\s+(?:\w+\s+){{0,2}}?(?:between\s+(?:its|the|both|their)\s+(?:two\s+)?images\s+)?"
    r"(?:is|ist|est|es|belongs\s+to|lies|liegt|zeigt|hat|gehört|se\s+trouve|se\s+encuentra|está|has\s+passed|passed|has\s+elapsed|elapsed)"
    r"(?:\s+(?:therefore|thus|hence|then|clearly|likely|probably|definitely|most\s+likely|also|daher|eindeutig|donc))?"
    r"(?:\s+(?:(?:shown|found|seen)\s+)?(?:that\s+of|by|in|between|for|from|within|with|beim?|zu[mr]?|im|zwischen|dans|chez|entre|en)(?:\s+the\s+(?:two\s+)?images\s+(?:of|in))?)?"
    r"\s+(?:(?:the|das|dem|la|le|el)\s+)?(?:(?:pair|paar|paire|par|pareja)\s+)?([A-D])\b"
    rf"(?!\s*(?:{any_of((*AND, *OR))}|/)\s*(?:\w+\s+)?[A-D]\b)",
    re.IGNORECASE,
)
# "가장 긴 시간 간격은 B 쌍입니다.", "最も長い時間間隔はペアCです。", "时间间隔最长的是C对。"
_LONGEST_IS_CJK = lazy(
    r"(?:가장\s?긴|가장\s?오랜|最も長い|一番長い|最長の|最长|最長|最大)[^.,;!?\nA-D]{0,16}?(?<!不)(?:[은는이가はが是]|のは)\s*(?:(?:ペア|配对|组)\s*)?([A-D])"
    r"\s*(?:쌍|ペア|组|組|对|対|配对)?\s*(?:입니다|이다|예요|です|だ|である)?(?=\s*(?:[.!\n]|$))"
)
_INTERVAL = lazy(
    r"interval|time|gap|span|lapse|duration|zeit|abstand|dauer|durée|temps|tiempo", re.IGNORECASE
)
# "C > B > D > A"
_LONGER_CHAIN = lazy(r"\W*(?:pair\s+)?([A-D])(?:\s*>\s*(?:[Pp]air\s+)?[A-D]){1,3}\W*")
# "Shortest: A, then D. Longest interval: C."
_LONGEST_NAMED = lazy(
    rf"(?:^|[.;,\n])\W{{0,8}}(?:the\s+)?{any_of(LONGEST)}(?:\s+\w+){{0,2}}?\s*[:=–]\s*(?:pair\s+)?([A-D])(?=\s*(?:[.;(\n]|$))",
    re.IGNORECASE,
)
# "D has the shortest interval, C the longest."
_HAS_LONGEST = lazy(
    rf"(?:^|[.;,]\s|\band\s)(?:pair\s+)?([A-D])\s+(?:(?:has|shows|is|covers|spans)\s+)?(?:by\s+far\s+)?(?:the\s+)?{any_of(LONGEST)}"
)
_SURELY = (
    r"(?:(?:clearly|probably|likely|definitely|obviously|certainly|apparently|undoubtedly|evidently)\s+)?"
)
# "Pair B is the one with the longest time between its images.", "Pair A has the longest interval"
_IS_LONGEST = lazy(
    rf"(?:^|[.!\n]\s?)\W{{0,4}}(?:the\s+)?pair\s+([A-H])\s+{_SURELY}(?:is|has|shows|covers|spans|contains|exhibits|features|represents|stands\s+out\s+with)\s+{_SURELY}(?:the\s+(?:one|pair)\s+(?:with|(?:that|which)\s+(?:has|shows|spans))\s+)?"
    rf"(?:by\s+far\s+)?the\s+{any_of(LONGEST)}\s+(?:\w+\s+){{0,2}}?(?:interval|time|gap|span|period|lapse|duration)"
    rf"(?![^.!?\n]*{any_of((*OR, *IF))})",
    re.IGNORECASE,
)
# "Pair A has the longest interval so far. Pair D exceeds it."
_OUTDONE = lazy(
    r"\b(?:but|though|however|yet|exceed\w*|covers\s+more|even|longer|apart|except|after\s+pair|so\s+far|among"
    r"|first|of\s+(?:[A-D]|the\s+(?:first|other))|false|wrong|answer|choice|choose|pick)\b|\?",
    re.IGNORECASE,
)
_LONGEST_SIGNS = signs((*LONGEST, "最も長い", "一番長い", "最大", "가장 오랜"))
# "Pair A has the shortest interval.", and no word of the longest one
_SHORTEST = ("shortest", "kürzest", "plus court", "más cort", "più cort", "最短", "最も短い", "가장 짧")
_LONG = lazy(
    r"long|large|great|most|läng|größ|meist|larg|may|maggior|lung|[长長大多]|긴|오래|길", re.IGNORECASE
)
_LONGEST_REST = 200
_OF_TWO = lazy(
    r"(?<!not\s)(?<!n['’]t\s)\b(?:(?:go|going|stay|stick)\s+with|choose|pick|prefer|take)\s+the\s+(former|latter)\b",
    re.IGNORECASE,
)
_PLACED_OPTION = lazy(r"(?:option|choice)\s+(?:number\s+)?(one|two|three|four|five|six)", re.IGNORECASE)
# "It isn't \"No rotation\" (A)."
_DENIED_QUOTE = lazy(r"((?:n['’]t|\bnot)\s+([\"'])[^\"'\n]{1,80}\2)\s*\([A-H]\)")
_NUMBERED = lazy(r"\b(?:option|choice)\s+([1-9])(?![\w%]|[.,]\d)", re.IGNORECASE)
_NUMBERED_NOUNS = ("ption ", "hoice ")
_SUBJECT_STARTS = 12
# "We can eliminate 1 (rain), 2 (sunset) and 3 (snow)", "I'd exclude A (no sun) and B (no gas)": the brackets
# stand between what one word leaves out.
_EXCLUDING = r"\b(?:exclud\w+|eliminat\w+|rul\w+\s+out|discard\w*|reject\w*|dismiss\w*)"
_EXCLUDES = lazy(rf"{_EXCLUDING}\b", re.IGNORECASE)
_LEAVES_OUT = lazy(rf"{_EXCLUDING}\s+\d{{1,2}}\b", re.IGNORECASE)
# "..., although none of the listed options matches", "This isn't among the choices."
_UNLISTED = lazy(
    r"(?:[,;(]\s*(?:although|though|but|and|even\s+though|which)?\s*|(?:^|(?<=[.!?]\s))(?=(?:this|that|it|which|the|none)\b))"
    r"[^.!?\n,;]{0,40}?(?:\bnone\s+of\s+the\s+(?:\w+\s+)?(?:options|choices|answers)\b"
    r"|(?:\bnot|n['’]t)\s+(?:\w+\s+){0,2}?(?:among|listed|in\s+the\s+list|offered|one\s+of\s+the\s+(?:options|choices)))[^.!?\n]*",
    re.IGNORECASE,
)
_LIST_NOUNS = (
    "option",
    "choice",
    "answers",
    "list",
    "offered",
    "optionen",
    "antwort",
    "opcion",
    "opzion",
    "选项",
    "選",
    "선택지",
    "values",
    "numbers",
)
# "The options are 2, 0, 1, 3."
_OPTIONS_ARE = lazy(
    r"(?:^|(?<=[.!?\n]\s)|(?<=\n)|(?<=[.](?=[\u2e80-\uffff])))[^.!?\n]{0,40}?(?:(?:options|choices|(?:possible|candidate|given|offered)\s+(?:answers|values|numbers)|optionen|antwortmöglichkeiten"
    r"|opciones|opzioni)\W|选项|選項|選択肢|선택지)"
    r"[^.!?\n\d]{0,24}(?P<all>\d[^.!?\n]*)[.!?\n]",
    re.IGNORECASE,
)
_ALL_COUNTS = lazy(r"\d+")
_NO_MORE = lazy(
    r"(?:\d+|\b(?:or|and|oder|und|ou|et|o|y|e)\b|[\s,;、/()和与と또는와과]|\b[A-H][.):]|或)*", re.IGNORECASE
)
_BUT_COUNTS = lazy(r"\d[^.!?\n]*,\s*but\b[^.!?\n]*\d")
_REASONS = lazy(r"\([^()\n]{2,120}\)")
_MOST_COUNTS = 60
_ORDERED = lazy(
    r"before (?:that|this|it)|order|sequence|follow|first|then|→|->|chronolog|reihenfolge|ordre|orden",
    re.IGNORECASE,
)
_TOLD_BACKWARDS = lazy(r"\bbefore (?:that|this|it)\b", re.IGNORECASE)
_LABEL = lazy(r"\b[a-g]\b")
_LABELLED = lazy(r"(?<![A-Za-z'’])([a-g])(?![A-Za-z'’])")
_NAMED_LABEL = lazy(r"\b(?:sentence|image|event|satz|bild|frase|imagen|picture)s?\s+([a-g])\b", re.IGNORECASE)
_ONE_LETTER = lazy(r"(?<![A-Za-z])[A-Ga-g](?![A-Za-z'])")
_CAPITALS = lazy(r"[A-G\W]*")
_AND = lazy(r"\band\b")


class Kind:
    """What the stages ask of a kind of answer."""

    keys: Sequence[str] = (ANSWER_KEYS,)
    """Patterns for the names of the JSON fields that hold it, the surest first."""
    allows_remark = True
    """Whether a remark in brackets behind an answer leaves it as it is."""
    ranks = False
    """Whether a ranking of all options answers, though it names them all."""

    def whole(self, text: str) -> list[Any]:
        """Returns the values that a text, without marks around it, is by itself."""
        raise NotImplementedError

    def plainly(self, text: str) -> list[Any]:
        """Returns the values that a text is in their plainest form, found faster than by `whole`."""
        return []

    def rules_out(self, line: str) -> bool:
        """Whether a cheap look tells that a line is no value by itself, whatever announces it."""
        return False

    def mentions(self, text: str) -> list[Mention]:
        """Returns where a text names values."""
        raise NotImplementedError

    def opened(self, line: str) -> Any:
        """Returns the answer that a line begins with and then explains; None where there is no such form."""
        return None

    def by_words(self, sentence: str) -> list[Any]:
        """Returns the values that a sentence states in words of its own."""
        return []

    is_claim = False
    """Whether a "no" may be the answer."""
    all_values: Sequence[Any] = ()
    """All values on offer, where a reply may choose one by rejecting all others."""

    def _of_answer_keys(self, fields: Mapping[Any, Any]) -> list[Any]:
        """Returns the values that the fields of an object hold whose names are those of an answer."""
        inner = [
            found
            for key, item in fields.items()
            if re.fullmatch(ANSWER_KEYS, str(key).lower())
            for found in self.of_field(item)
        ]
        return list(dict.fromkeys(inner))

    def by_text(self, text: str) -> list[Any]:
        """Returns the values that a whole reply states in words of its own, one sentence after the other."""
        return []

    def verdict(self, text: str) -> Verdict:
        """Returns what a text says about the values that it names."""
        return resolve(text, self.mentions(text), values=self.all_values)

    def without_remarks(self, text: str) -> str:
        """Returns a text without what it says about the options as such."""
        return text

    def of_field(self, value: Any) -> list[Any]:
        """Returns the values that a JSON field holds."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, Mapping):
            return []
        text = (
            normalise(str(value))
            if isinstance(value, (str, int, float)) and not isinstance(value, bool)
            else ""
        )
        if not text:
            return []
        found = self.whole(bare(text)) or self.by_words(text)
        if not found and (verdict := self.verdict(text)).value is not None:
            found = [verdict.value]
        return found

    def of_named_field(self, name: str, value: Any) -> list[Any]:
        """Returns the values that a JSON field holds, by its name, too."""
        return self.of_field(value)

    def of_key(self, key: str, value: Any) -> list[Any]:
        """Returns the values that the name of a field states: {"C": "the text of option C"}."""
        return []

    def lists(self, text: str, line: str) -> bool:
        """Whether a line is an entry in a list of all options, and chooses none of them."""
        return False

    def answers_before_list(self, rows: Sequence[str]) -> bool:
        """Whether the first line is an option that a list of all options, further below, has once more."""
        return False

    def agree(self, first: str, last: str, said_first: Sequence[Any], said_last: Sequence[Any]) -> bool:
        """Whether the first sentence may be read beside what the last one says."""
        return True

    def retells(self, value: Any, text: str) -> bool:
        """Whether a text has all words that tell an option from the others."""
        return False

    def offers(self, value: Any) -> bool:
        """Whether a value is on offer."""
        return True


_ANNOUNCES = lazy(
    r"\banswer\b\W*(?:is\b\W*)?(?:option\s*)?$|\b(?:is|be|choose|select|pick|say)\s*:[\s\"'(*]*$"
    rf"|{any_of(CHOOSE)}\s*(?:that\s+)?(?:option\s+)?[\s\"'(*]*$",
    re.IGNORECASE,
)
_BEHIND = (".", ")", ":")
# "(A) point A"
_LABEL_TWICE = lazy(r"(?<=\S )([(\[]([A-H])[)\]])\s*option\s+\2\b")


class ChoiceKind(Kind):
    """One of lettered options."""

    def __init__(self, expected: Choice) -> None:
        self.letters, self.asks = expected.letters, expected.asks
        self.all_values = tuple(expected.letters)
        if self.asks == "first before second":
            self.keys = (ANSWER_KEYS, r"(?:\w+_)?(?:first|earlier|earliest|older|oldest)(?:_in_time|_taken)?")
        if self.asks == "longest":
            self.ranks = True
            self.keys = (ANSWER_KEYS, r"(?:the_?)?(?:longest|largest|greatest)(?:_.*)?", expected.noun)
        self.texts = expected.texts[: len(expected.letters)]
        own = letters.own_noun(self.letters, self.texts)
        self.noun = expected.noun or own or ""
        # "Box A", "Box B": the options have no words, but for their noun.
        self.has_words = bool(self.texts) and own is None

    # A reply that is a letter needs none of these.

    @cached_property
    def truths(self) -> dict[bool, str]:
        """The letters of True and False, where these are the options."""
        said = letters.squashed(self.texts)
        if sorted(said) != ["false", "true"]:
            return {}
        return {said[i] == "true": letter for i, letter in enumerate(self.letters[: len(said)])}

    @property
    def is_claim(self) -> bool:  # type: ignore[override]
        """Whether a "no" may be the answer."""
        return bool(self.truths)

    @cached_property
    def sequences(self) -> bool:
        """Whether the options are sequences of labels."""
        said = letters.squashed(self.texts)
        return bool(said) and all(_SEQUENCE.match(text) for text in said)

    @cached_property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """The order of labels that each letter stands for, where the options are such."""
        if not self.sequences:
            return {}
        return {letter: _labels_of(text) for letter, text in zip(self.letters, self.texts, strict=False)}

    @cached_property
    def labels(self) -> list[str]:
        """The labels that the options put in order."""
        return sorted({label for order in self.orders.values() for label in order})

    @cached_property
    def numeric(self) -> bool:
        """Whether every option is a number."""
        return bool(self.texts) and all(numbers.value_of(text) is not None for text in self.texts)

    @cached_property
    def _has_places(self) -> bool:
        """Whether "the first one" can only be the first option, since no option's text speaks of places."""
        return not self.asks and not self.truths and not self.sequences and not self.noun.startswith("pair")

    @cached_property
    def _own_noun(self) -> re.Pattern[str] | None:
        """The options' own noun before a letter, where no table has it: "caption B", "box B"."""
        if self.has_words and self.noun not in ("caption", "sentence", "statement", "description"):
            return None
        if not self.noun or self.asks:
            return None
        return lazy(rf"\b{self.noun}(?=\s+[\"'(\[]*[{self.letters}](?!\w))", re.IGNORECASE)

    @cached_property
    def _all_labels(self) -> re.Pattern[str]:
        """The labels of all options in brackets, which say only what there is: "the points (A, B, C)"."""
        labels = r"[,/\s]+(?:and\s+|or\s+)?".join(self.letters)
        return lazy(rf"(?<!is )(?<!are )(?<!: )\({labels}\)")

    def _breaks_off(self, text: str) -> bool:
        return choices.breaks_off(text, self.texts)

    @cached_property
    def _circled(self) -> dict[int, str]:
        return {ord(sign): self.letters[i] for sign, i in CIRCLED.items() if i < len(self.letters)}

    def plainly(self, text: str) -> list[Any]:
        """Returns the letter of a text that is one with its option's text behind it: "B. A man"."""
        return letters.whole(text, self.letters, self.noun, self.texts) if text[1:2] in _BEHIND else []

    def whole(self, text: str) -> list[Any]:
        """Returns the letters that a text is by itself, by letter or by the text of an option."""
        if not text.isascii():
            text = text.translate(self._circled)
        text = letters.apart(text)
        found = letters.whole(text, self.letters, self.noun, self.texts)
        if found or not self.texts:
            return found
        found = [self.letters[i] for i in option_words.same(text, self.texts)]
        if not found and not self.asks and (better := choices.compared(text, self.letters)):
            return [better]
        if not found and len(self.letters) == 2 and (self.asks != "longest" or not self.noun):
            number = choices.of_two(text, self.asks == "first before second")
            found = [] if number is None else [self.letters[number]]
        if not found and option_words.has_positions(self.texts):
            number = choices.slot(text, len(self.letters))
            found = [] if number is None else [self.letters[number]]
        if not found and self._has_places and (number := choices.placed(text, len(self.letters))) is not None:
            return [self.letters[number]]
        if not found and self.truths:
            found = [self.truths[value] for value in truth.whole(text)]
        if not found and self.asks == "first before second":
            found = [self.letters[number - 1] for number in numbers.whole_item(text, 2) if 1 <= number <= 2]
        if not found and (one := self._numbered(text)) and one[0].end - one[0].start == len(text):
            return [one[0].value]
        if not found and (place := _PLACED_OPTION.fullmatch(text)):
            return list(self.letters[CARDINAL[place[1].lower()] - 1 :][:1])
        if not found and self.sequences and ". " not in text:
            found = self._sequence(text)
        if not found and self.sequences and len(text) == len(self.labels):
            found = [laid] if (laid := self._laid_out(text)) else []
        if (
            not found
            and self.has_words
            and len(text.split()) <= 6
            and not self.sequences
            and not self._breaks_off(text)
        ):
            some = option_words.repeated(text, self.texts) or option_words.mistyped(text, self.texts)
            found = [self.letters[some[0]]] if len(some) == 1 else []
        return found

    def mentions(self, text: str) -> list[Mention]:
        """Returns where a text names letters, places in the list, or True and False."""
        heads = letters.own_heads(text, self.letters, self.texts) if self.texts else []
        if len({text[start].upper() for start, _ in heads}) > 1:
            # "Options: A: False B: True. Answer: B: True": the last one is no entry of the list.
            if _ANNOUNCES.search(text, max(0, heads[-1][0] - _NEAR), heads[-1][0]):
                heads = heads[:-1]
            for start, end in heads:
                text = text[:start] + " " * (end - start) + text[end:]
        found = letters.mentions(text, self.letters, self.noun)
        if (
            heads
            and len({text[start] for start, _ in heads}) == 1
            and (letter := text[heads[0][0]].upper()) in self.letters
        ):
            # "The motion is C. zooming in": the letter with its own text.
            found.append(Mention(letter, *heads[-1], cue=2))
        if self.truths:
            found += [
                Mention(self.truths[said.value], said.start, said.end, said.sure)
                for said in truth.mentions(text)
            ]
            found.sort(key=lambda mention: mention.start)
        if self.texts:
            upper = len(self.texts)
            found += [
                Mention(self.letters[place.value - 1], place.start, place.end)
                for place in numbers.place_mentions(text)
                if -1 <= place.value <= upper
            ]
            found += self._numbered(text)
            found.sort(key=lambda mention: mention.start)
        return found

    def _numbered(self, text: str) -> list[Mention]:
        """Returns where a text names one option by its number, "option 3", and no other one so."""
        if not any(noun in text for noun in _NUMBERED_NOUNS) or not self._has_places:
            return []
        found = list(_NUMBERED.finditer(text))
        if len({match[1] for match in found}) != 1 or not 1 <= (n := int(found[0][1])) <= len(self.letters):
            return []
        if any(character.isdigit() for option in self.texts for character in option):
            return []  # "option 3" may be the one that says 3
        return [Mention(self.letters[n - 1], *match.span()) for match in found]

    def by_words(self, sentence: str) -> list[Any]:
        """Returns the letters of the options whose words a sentence states."""
        if self.truths:
            return [self.truths[value] for value in claims.said(sentence)]
        if self.ranks:
            place = _ORDINAL_PAIR.search(sentence) if not option_words.denies(sentence) else None
            if place is None:
                return []
            number = len(self.letters) if place["last"] else ORDINAL[place["place"].lower()]
            return [self.letters[number - 1]] if number <= len(self.letters) else []
        if self.asks and (said := comparisons.compared(sentence, self.asks)):
            return [self.letters[0 if said[0] else 1]]
        if not self.has_words or self._breaks_off(sentence):
            return []
        if self.sequences:
            return self._sequence(sentence)
        if motion.has_other_phases(sentence, self.texts):
            return []
        if self.asks == "first before second":
            sentence = _COUNTED.sub(" ", sentence)  # "Number two shows two cups."
        found = option_words.stated(sentence, self.texts) or durations.within(sentence, self.texts)
        return [self.letters[i] for i in found]

    def verdict(self, text: str) -> Verdict:
        """Returns what a text says about the options, or which one's order it lays out."""
        if (
            self.asks == "longest"
            and holds(text.lower(), _LONGEST_SIGNS)
            and (
                named := _longest_is(text)
                or _LONGEST_NAMED.search(text)
                or _HAS_LONGEST.search(text)
                or _is_longest(text)
            )
        ):
            return Verdict(named[1].upper(), "answer", *named.span(), text)
        text = letters.apart(text)
        if "(" in text:
            text = _DENIED_QUOTE.sub(r"\1", text)
        if not self.asks and choices.only_compares(text, self.letters):
            better = choices.compared(text, self.letters)
            return Verdict(better, "answer" if better else "open", 0, len(text), text)
        if self._own_noun:
            # A noun that every language's table has, and no longer a text than before.
            text = self._own_noun.sub(lambda match: "option".ljust(len(match.group())), text)
        if not self.has_words and self.texts:
            text = _LABEL_TWICE.sub(r"\1", text)
            text = self._all_labels.sub(lambda match: f"({'.' * (len(match.group()) - 2)})", text)
        found = self.mentions(text)
        if ticked := ticks.ticked(text, lambda line: headed(line, self.letters, self.noun)):
            return Verdict(ticked, "answer", 0, len(text))
        judged = ticks.verdicts(text, lambda line: headed(line, self.letters, self.noun), self.letters)
        if judged and not self.truths:
            return Verdict(judged, "answer", 0, len(text))
        said = resolve(text, found, values=self.letters)
        if (
            said.how == "only one"
            and self.ranks
            and holds(text.lower(), _SHORTEST)
            and not _LONG.search(text)
        ):
            return Verdict(None, "open")
        if said.value is None and (listed := _without_reasons(text)) != text:
            said = resolve(listed, self.mentions(listed), values=self.letters)
        if (
            said.how in ("open", "nothing")
            and not self.truths
            and (one := choices.concluded(text, found, not self.has_words))
        ):
            said = Verdict(one.value, "conclusion", one.start, one.end, text)
        if self.sequences and said.value is None and (laid := self._laid_out(text)):
            return Verdict(laid, "words", 0, len(text))
        return said

    def _laid_out(self, text: str) -> str | None:
        """Returns the option whose order a text lays out, or its last line does."""
        if letters.listed(text, self.letters, self.noun):
            return None
        for part in dict.fromkeys((text, text.rsplit("\n", 1)[-1])):
            orders_of = sequences.stated(part, self.labels)
            found = [letter for letter, order in self.orders.items() if order in orders_of]
            if found or orders_of:
                return found[0] if len(found) == len(orders_of) == 1 else None
        return None

    def by_text(self, text: str) -> list[Any]:
        """Returns the letter of the option whose moves a reply names, or that a ranking of all puts last."""
        if self.asks == "longest":
            if chain := _LONGER_CHAIN.fullmatch(text):
                return [chain[1]]
            if says := _SAYS_PAIR.fullmatch(text):
                return self.by_words(says[1])
            ranked = [found.value for found in orders.orders(orders.tidy(text), tuple(self.letters), True)]
            return [order[-1] for order in ranked if order and not _in_turn(text, order)]
        if not self.has_words or self._breaks_off(text):
            return []
        if self.sequences:
            order = ranks.by_ends(text, self.labels)
            if order is not None:
                return [letter for letter, own in self.orders.items() if own == order]
            return self._sequence(text) if _TOLD_BACKWARDS.search(text) else []
        found = motion.stated(text, self.texts)
        if not found and (concluded := _CONCLUDING_LINE.search(text)):
            found = motion.stated(concluded[1], self.texts)
        return [self.letters[i] for i in found]

    def of_field(self, value: Any) -> list[Any]:
        """Returns the values that a JSON field holds."""
        if isinstance(value, bool):
            return [self.truths[value]] if self.truths else []
        if isinstance(value, Mapping):
            return self._of_answer_keys(value) or self._of_shares(value)
        return super().of_field(value)

    def _of_shares(self, fields: Mapping[Any, Any]) -> list[str]:
        """Returns the letter of the largest number, or of the only true, in {"A": 0.1, "B": 0.9}."""
        if len(fields) < 2 or not all(str(key).upper() in self.letters for key in fields):
            return []
        if not all(isinstance(share, (int, float)) for share in fields.values()):
            return []
        most = max(fields.values())
        found = [str(key).upper() for key, share in fields.items() if share == most]
        return found if len(found) == 1 else []

    def of_key(self, key: str, value: Any) -> list[Any]:
        """Returns the values that the name of a field states."""
        found = letters.whole(key, self.letters)
        return found if found and isinstance(value, str) and value.strip() else []

    def lists(self, text: str, line: str) -> bool:
        """Whether a line is an entry in a list of all options."""
        head = letters.headed(line, self.letters, self.noun)
        return head is not None and head in letters.listed(text, self.letters, self.noun)

    def answers_before_list(self, rows: Sequence[str]) -> bool:
        """Whether the first line is an option that a list of all options, further below, has once more."""
        if len(rows) < 3:
            return False
        first, second = (letters.headed(row, self.letters, self.noun) for row in rows[:2])
        if first is None or second not in (None, self.letters[0]):
            return False  # one option after the other
        return self.lists("\n".join(rows[1:]), rows[0])

    def retells(self, value: str, text: str) -> bool:
        """Whether a text has all words that tell an option from the others, and denies nothing."""
        place = self.letters.find(value)
        if not self.has_words or not 0 <= place < len(self.texts) or option_words.denies(text):
            return False
        return {*option_words.telling_words(self.texts)[place]} <= {*option_words.stems(text)}

    def offers(self, value: Any) -> bool:
        """Whether a value is on offer."""
        return value in self.letters

    def _sequence(self, text: str) -> list[str]:
        """Returns the option whose sequence of labels a text gives: "d, c, b, e, a"."""
        # Capital letters without a noun are options and no labels.
        if len(_ONE_LETTER.findall(text)) < len(self.labels) or _CAPITALS.fullmatch(text):
            return []
        if _AND.search(text) and not _ORDERED.search(text):
            return []  # "Images a, b and c" only lists them
        tidied = _LABELLED.sub(lambda match: match[1].upper(), orders.tidy(_NAMED_LABEL.sub(r"\1", text)))
        labels = tuple(label.upper() for label in self.labels)
        found = [mention.value for mention in orders.orders(tidied, labels)]
        wanted = tuple(label.lower() for label in found[-1]) if found and found[-1] else ()
        return [letter for letter, order in self.orders.items() if order == wanted]


def _in_turn(text: str, order: Sequence[str]) -> bool:
    """Whether an order is that in which one describes all pairs, under a heading each."""
    return list(order) == sorted(order) and "\n" in text and not _RANKS.search(text)


@lru_cache(maxsize=4096)
def _labels_of(option: str) -> tuple[str, ...]:
    """Returns the labels that an option puts in order."""
    return tuple(_LABEL.findall(option.lower()))


def in_short(expected: Choice, text: str) -> Choice:
    """Returns a choice that reads a short text as the given one does, and is the same for more questions.

    Options that are orders are in most questions orders of the same labels. A text that lacks two of the
    labels states none of them.
    """
    said = letters.squashed(expected.texts)
    if not _SEQUENCE.match(said[0]) or not all(_SEQUENCE.match(text) for text in said):
        return expected
    labels = {label for text in expected.texts for label in _labels_of(text)}
    if len(labels.intersection(text.lower())) > len(labels) - 2:
        return expected
    return expected._replace(texts=(_any_order(frozenset(labels)),) * len(expected.texts))


@lru_cache(maxsize=32)
def _any_order(labels: frozenset[str]) -> str:
    return " > ".join(f"image {label}" for label in sorted(labels))


def _longest_is(text: str) -> re.Match[str] | None:
    """Returns where a text names the longest pair, and not the one with the largest change beside it."""
    found = list(_LONGEST_IS.finditer(text))
    if not text.isascii():
        found += _LONGEST_IS_CJK.finditer(text)
    if len({match[1].upper() for match in found}) > 1:
        found = [match for match in found if _INTERVAL.search(match.group())]
    return found[0] if len({match[1].upper() for match in found}) == 1 else None


def _is_longest(text: str) -> re.Match[str] | None:
    """Returns where a sentence calls the pair that it begins with the longest; none where others are, too."""
    found = [] if corrects(text) else list(_IS_LONGEST.finditer(text))
    if len({match[1].upper() for match in found}) != 1 or _OUTDONE.search(text, found[0].end()):
        return None
    return found[0]


def _without_reasons(text: str) -> str:
    """Returns a text with blanks for the brackets behind what it names, where it leaves some of it out."""
    if "(" not in text or not _EXCLUDES.search(text):
        return text
    return _REASONS.sub(lambda match: " " * len(match.group()), text)


def _called_the_one(text: str, mention: Mention) -> Mention:
    """Returns a mention with the Japanese words that call it the one: "...のは1枚目です"."""
    called = text[: mention.start].rstrip().endswith("のは") and _IS_IT.match(text, mention.end)
    return mention._replace(cue=2) if called else mention


def _called_odd(text: str, mention: Mention) -> Mention:
    """Returns a mention with the words that call it the odd one: "all but image 2", "4 is misplaced"."""
    if match := _ODD.match(text, mention.end):
        following = _NEXT_CLAUSE.match(text, match.end())
        return mention._replace(end=(following or match).end(), cue=2)
    if _DOES_NOT.match(text, mention.end) and _FITS.search(text[: mention.start]):
        return mention._replace(cue=2, end=text.find("t", mention.end + 4) + 1 or mention.end)
    pattern = _ODD_LABEL if _LABEL_ENDS.match(text, mention.start) else _ODD_LIES
    if match := pattern.search(text, max(0, mention.start - _LONGEST_ALL_BUT), mention.start):
        return mention._replace(start=match.start(), cue=2)
    if (match := _BUT_FOR.search(text, max(0, mention.start - _NEAR), mention.start)) and _REST_FITS.match(
        text, mention.end
    ):
        return mention._replace(start=match.start(), cue=2)
    if match := _ALL_BUT.search(text, max(0, mention.start - _LONGEST_ALL_BUT), mention.start):
        return mention._replace(start=match.start(), cue=2)
    return mention


# "2. Image 2: Betty pours the juice."
_ENTRY = lazy(
    rf"[\W_]*(?:\d{{1,2}}[.)]\s*)?[\W_]*(?:the\s+)?(?:{any_of(IMAGE)}|第)\s*#?(?P<n>\d{{1,2}})\s*(?:[张張枚]\w{{0,3}}|번째\s*\w{{0,3}})?\s*[:.–—-]",
    re.IGNORECASE,
)
_ABOUT_ONE = lazy(rf"[\W_]*(?:\d{{1,2}}[.)]\s*)?[\W_]*(?:{any_of(IMAGE)}|第)\s*#?\d", re.IGNORECASE)
_FEWEST_LISTED = 3


@lru_cache(maxsize=8)
def _entries(text: str, upper: int) -> Sequence[str]:
    """Returns the lines that list all images in turn; none where the line behind them is about one."""
    rows = text.split("\n")
    heads = [(int(found["n"]), row) for row in rows if (found := _ENTRY.match(row))]
    if [n for n, _ in heads] != [*range(1, upper + 1)]:
        return ()
    return [row for _, row in heads] if heads[-1][1] == rows[-1] or not _ABOUT_ONE.match(rows[-1]) else ()


def _with_listed(text: str, found: list[Mention]) -> list[Mention]:
    """Returns mentions with the further numbers of "images 2 and 3 both ..."."""
    known = {mention.end for mention in found}
    listed = []
    for mention in found:
        if not _PLURAL.match(text, mention.start):
            continue
        end = mention.end
        while match := _LISTED.match(text, end):
            end = match.end()
            if end not in known:
                listed.append(Mention(int(match["n"]), match.start("n"), end))
    return sorted([*found, *listed], key=lambda mention: mention.start) if listed else found


class ItemKind(Kind):
    """One of numbered images."""

    keys = (r"(?:image|picture|photo|img)(?:_?(?:number|id|index|no))?|number|index|position", ANSWER_KEYS)

    def __init__(self, expected: Item) -> None:
        self.upper, self.odd = expected.upper, expected.odd
        self.all_values = () if expected.odd else tuple(range(1, expected.upper + 1))
        self.noun = (
            lazy(rf"\b{re.escape(expected.noun)}(s?)\b", re.IGNORECASE) if expected.noun != "image" else None
        )

    def _plain(self, text: str) -> str:
        text = text.replace("_", " ")
        if self.odd:
            text = _THE_NTH.sub(lambda match: f"image {ORDINAL[match[1].lower()]}", text)
            text = _UP_TO.sub(" ", text)
        return places.numbered(self.noun.sub(r"image\1", text) if self.noun else text, self.upper)

    def whole(self, text: str) -> list[Any]:
        """Returns the numbers of images that a text is by itself."""
        return numbers.whole_item(self._plain(text), self.upper)

    def mentions(self, text: str, opens: bool = False) -> list[Mention]:
        """Returns where a text names images; `opens` tells that a number may open it."""
        found = _with_listed(text, numbers.item_mentions(text, self.upper, opens))
        if out := {match.end() for match in _LEAVES_OUT.finditer(text)}:
            found = [mention._replace(sure=True) if mention.end in out else mention for mention in found]
        if not text.isascii():
            found = [_called_the_one(text, mention) for mention in found]
        if not self.odd:
            return found
        return [_called_odd(text, mention) for mention in found]

    def of_field(self, value: Any) -> list[Any]:
        """Returns the values that a JSON field holds, or one field of its own of an image's number."""
        if isinstance(value, Mapping):
            inner = [item for key, item in value.items() if re.fullmatch(self.keys[0], str(key).lower())]
            return super().of_field(inner[0]) if len(inner) == 1 else []
        return super().of_field(value)

    def verdict(self, text: str) -> Verdict:
        """Returns what a text says about the values that it names."""
        text = self._plain(text)
        if _LEAVES_OUT.search(text):
            text = _without_reasons(text)
        if ticked := ticks.ticked(text, self._headed, self.odd):
            return Verdict(ticked, "answer", 0, len(text))
        if judged := ticks.judged(text, self.odd):
            chosen = [item for item, is_it in judged.items() if is_it]
            if len(chosen) == 1:
                return Verdict(chosen[0], "answer", 0, len(text))
            if chosen or len(judged) == self.upper:
                return Verdict(None, "several")
        found = self.mentions(text, opens=True)
        named = list(dict.fromkeys(mention.value for mention in found if mention.sure))
        return resolve(text, found, values=named if len(named) == 2 else self.all_values)

    def lists(self, text: str, line: str) -> bool:
        """Whether a line is an entry of a list of all images in turn, behind which more is said."""
        if self.odd or text.count("\n") < max(self.upper, _FEWEST_LISTED) - 1 or not _ENTRY.match(line):
            return False
        return line in _entries(text, self.upper)

    def _headed(self, line: str) -> int | None:
        """Returns the image that a line opens with."""
        found = self.mentions(line[:_SUBJECT_STARTS])
        return found[0].value if found and found[0].start < 3 else None

    def by_words(self, sentence: str) -> list[Any]:
        """Returns the one image that a sentence is about."""
        sentence = self._plain(sentence)
        found = self.mentions(sentence)
        if self.odd and found and found[0].start < _SUBJECT_STARTS:
            # "Image 4 was taken before Image 2": its subject is the one.
            sentence = _COMPARED.split(sentence, maxsplit=1)[0]
            found = self.mentions(sentence)
        said = singles(sentence, found)
        if not said and (match := _BEHIND_COLON.search(sentence)):
            return [int(match[1])]
        return said

    def agree(self, first: str, last: str, said_first: Sequence[Any], said_last: Sequence[Any]) -> bool:
        """Whether the first sentence may be read beside what the last one says.

        Not where they name one image each, and neither is announced or denied; and not where they describe
        all images in turn.
        """
        if self.odd:
            return bool(said_last) or not _ODD_ONE.search(last)
        if len(said_first) == len(said_last) == 1 and said_first != said_last:
            return bool(_ANNOUNCED.match(first) or _NOT_IT.search(last))
        return not (len({*said_first, *said_last}) == len(said_first) + len(said_last) == self.upper > 2)

    def by_text(self, text: str) -> list[Any]:
        """Returns the image of which a reply says that it matches, or that it leaves as the only one."""
        if not self.odd and (matching := [found[1] for found in _MATCHING.finditer(text)]):
            return [int(number) for number in matching]
        if not self.odd or len(text) > _LONGEST_REST or not _FITS.search(text) or _NO_FIT.search(text):
            return []
        named = {int(number) for number in _SMALL_NUMBER.findall(text)}
        left = set(range(1, self.upper + 1)) - named
        return [*left] if len(left) == 1 and max(named, default=0) <= self.upper else []

    def offers(self, value: Any) -> bool:
        """Whether a value is on offer."""
        return bool(1 <= value <= self.upper)


# "5, 4, 1, 2, 3 — no wait, the quay in image 1 is unfinished, so it comes before 4: 5, 1, 4, 2, 3."
_REVISED = lazy(
    rf"[\s,;.:!–—()\"'-]*(?:(?:hmm+|oh|ah)\W+)?{any_of(TAKES_BACK)}.*(?:[:→⇒]|[-=–—]+>|\b(?:so|thus|therefore|hence|also|daher|donc)\b,?)\W*",
    re.IGNORECASE | re.DOTALL,
)
_REVISED_SIGNS = signs(TAKES_BACK)
_LONGEST_REVISION = 400
_LEFT_OPEN = lazy(f"{any_of(MAYBE)}|{any_of(OR)}|{any_of(IF)}|\\?", re.IGNORECASE)


def _revised(text: str, start: int, end: int) -> bool:
    """Whether what stands between two orders takes the first one back, and announces the second one."""
    between = text[start:end]
    if len(between) > _LONGEST_REVISION or not holds(between.lower(), _REVISED_SIGNS):
        return False
    if not _REVISED.fullmatch(between):
        return False
    return _LEFT_OPEN.search(between) is None


class OrderKind(Kind):
    """All labels in an order."""

    allows_remark = False  # "(latest first)" turns it round
    keys = (r".*(?:order|ranking|sequence|rank|sorted|permutation).*|images?|pairs?", ANSWER_KEYS)

    def __init__(self, expected: Order) -> None:
        self.labels, self.quantities = expected.labels, expected.quantities

    def _orders(self, text: str) -> Sequence[Mention]:
        if self.labels[0].isalpha() and not orders.may_name(text, self.labels):
            return ()
        return orders.orders(text, self.labels, self.quantities)

    def plainly(self, text: str) -> list[Any]:
        """Returns the order that a text is, and nothing else is in it."""
        order = orders.plain(text, self.labels)
        return [order] if order else []

    def whole(self, text: str) -> list[Any]:
        """Returns the order that a text is by itself."""
        if order := ranks.by_ends(text, self.labels):
            return [order]
        text = orders.tidy(text)
        if not orders.may_name(text, self.labels):
            return []
        order = orders.alone(text, self.labels, self.quantities)
        return [order] if order else []

    def rules_out(self, line: str) -> bool:
        """Whether a line lacks labels; small letters may be meant as capital ones."""
        return not orders.may_name(line.upper() if self.labels[0].isalpha() else line, self.labels)

    def mentions(self, text: str) -> list[Mention]:
        """Returns where a text gives orders of all labels."""
        return list(self._orders(text))

    def verdict(self, text: str) -> Verdict:
        """Returns the order that a text states; the last one, where it offers none as an alternative."""
        if order := ranks.by_ends(text, self.labels):
            return Verdict(order, "answer", 0, len(text), text)
        text = orders.tidy(text)
        if _ANY_ORDER.search(text):
            return Verdict(None, "open")
        found = self._orders(text)
        if len(found) == 2 and (meant := _OF_TWO.search(text, found[1].end)):
            one = found[0 if meant[1].lower() == "former" else 1]
            return Verdict(one.value, "answer" if one.value else "nothing", one.start, one.end, text)
        if len(found) > 1 and found[-1].value and _revised(text, found[-2].end, found[-1].start):
            return Verdict(found[-1].value, "answer", *found[-1][1:3], text)
        said = resolve(text, found)
        if (
            said.value is None
            and found
            and not _OR.search(text, found[-2].end if len(found) > 1 else 0, found[-1].start)
        ):
            last = found[-1]
            said = Verdict(last.value, "only one", last.start, last.end, text)
        # An order that repeats or lacks a label is found, but is none.
        return said if said.value is not None or said.how in ("open", "several") else Verdict(None, "nothing")

    def by_text(self, text: str) -> list[Any]:
        """Returns the order in which the images are shown, its reverse, or one that a reply tells in turn."""
        order = ranks.as_shown(text, self.labels) or ranks.in_turn(text, self.labels)
        return [order] if order else []

    def of_field(self, value: Any) -> list[Any]:
        """Returns the values that a JSON field holds."""
        return orders.of_json(
            value,
            self.labels,
            lambda text: [mention.value for mention in self._orders(orders.tidy(normalise(text)))][-1:],
        )

    def of_named_field(self, name: str, value: Any) -> list[Any]:
        """Returns the order that a JSON field holds; turned round where its name says "longest first"."""
        turned = isinstance(value, list) and backwards(name.replace("_", " "), self.quantities)
        return [order[::-1] if turned else order for order in self.of_field(value)]

    def offers(self, value: Any) -> bool:
        """Whether a value is on offer."""
        return sorted(value) == sorted(self.labels)


class TruthKind(Kind):
    """True or False."""

    is_claim = True

    def __init__(self, expected: Truth) -> None:
        self.claim = expected.claim

    def whole(self, text: str) -> list[Any]:
        """Returns the truth values that a text is by itself."""
        return truth.whole(text)

    def mentions(self, text: str) -> list[Mention]:
        """Returns where a text says True or False."""
        return truth.mentions(text)

    def verdict(self, text: str) -> Verdict:
        """Returns what a text says of the claim; nothing where one part holds and another one fails."""
        if (short := truth.in_short(text)) is not None:
            return Verdict(short, "answer", 0, len(text), text)
        found = self.mentions(text)
        said = resolve(text, found)
        later = [mention for mention in found if mention.start >= said.end]
        if (
            said.value is not None
            and any(mention.value != said.value for mention in later)
            and _THAT.search(text)
        ):
            return Verdict(None, "open")  # "It is true that ..., but false that ..."
        return said

    def opened(self, line: str) -> bool | None:
        """Returns what a line says that begins with yes or no, and goes on."""
        return truth.opened(line)

    def by_words(self, sentence: str) -> list[Any]:
        """Returns what a sentence says of the claim in words of its own."""
        return (
            claims.holds(sentence) or truth.claimed(sentence, self.claim) or claims.said(sentence, self.claim)
        )

    def of_field(self, value: Any) -> list[Any]:
        """Returns the values that a JSON field holds."""
        return [value] if isinstance(value, bool) else super().of_field(value)


# "d) two candles"
_HEADED_COUNT = lazy(r"\(?(?P<letter>[A-Ha-h])[).:]\s*(?P<rest>.+)", re.DOTALL)


class CountKind(Kind):
    """A number with its option."""

    keys = (ANSWER_KEYS, r"(?:total_?)?(?:count|number|times|total|value)(?:_of.*)?")

    def __init__(self, expected: Count) -> None:
        self.choice = ChoiceKind(Choice(expected.letters, expected.texts))
        self.letters = expected.letters
        self.values = {
            letter: numbers.value_of(text)
            for letter, text in zip(expected.letters, expected.texts, strict=False)
        }
        counts = [value for value in self.values.values() if value is not None]
        self.by_value = {
            value: letter
            for letter, value in self.values.items()
            if value is not None and counts.count(value) == 1
        }

    def _pair(self, value: int) -> tuple[str | None, int]:
        return self.by_value.get(value), value

    def whole(self, text: str) -> list[Any]:
        """Returns the pairs of letter and number that a text is by itself."""
        if found := [
            (letter, self.values[letter])
            for letter in letters.whole(text, self.letters, "", self.choice.texts)
        ]:
            return found
        if len(text) > 40:
            return []
        if headed := _HEADED_COUNT.fullmatch(text):
            stated = [mention.value for mention in numbers.count_mentions(headed["rest"])]
            letter = headed["letter"].upper()
            if len(stated) == 1 and letter in self.letters and self.values[letter] == stated[0]:
                return [(letter, stated[0])]
        found_counts = numbers.count_mentions(text)
        if len(found_counts) == 1 and not found_counts[0].open:
            rest = text[: found_counts[0].start] + text[found_counts[0].end :]
            if re.fullmatch(
                r"[\W_]*(?:x|times?|in total|mal|veces|fois|exactly|about|around|approximately"
                r"|약|约|大约)*[\W_]*",
                rest,
                re.IGNORECASE,
            ):
                return [self._pair(found_counts[0].value)]
        if len(found_counts) > 1 and not re.search(
            r"[^\W\d_]{2}", re.sub(r"\b(?:or|to|and|oder|ou)\b", "", text)
        ):
            return [self._pair(mention.value) for mention in found_counts]
        return []

    def mentions(self, text: str) -> list[Mention]:
        """Returns where a text names letters, places in the list, or counts."""
        named = [*letters.mentions(text, self.letters), *()]
        found = [
            Mention((mention.value, self.values[mention.value]), mention.start, mention.end, mention.sure)
            for mention in named
        ]
        for place in numbers.place_mentions(text):
            if -1 <= place.value <= len(self.letters):
                letter = self.letters[place.value - 1]
                found.append(Mention((letter, self.values[letter]), place.start, place.end))
        counts = numbers.count_mentions(text)
        # A reply that loops names no more in its middle.
        for count in (
            counts
            if len(counts) < _MOST_COUNTS
            else [*counts[: _MOST_COUNTS // 2], *counts[-_MOST_COUNTS // 2 :]]
        ):
            if not any(mention.start < count.end and count.start < mention.end for mention in found):
                found.append(
                    Mention(
                        self._pair(count.value), count.start, count.end, count.sure, count.cue, count.open
                    )
                )
        return sorted(found, key=lambda mention: mention.start)

    def verdict(self, text: str) -> Verdict:
        """Returns what a text says of the count, or how many numbered lines it has, one for each."""
        if stated := numbers.number_of(text):
            return Verdict(self._pair(stated.value), "answer", stated.start, stated.end, text)
        said = super().verdict(text)
        if said.how not in ("answer", "conclusion") and (n := numbers.enumerated(text)):
            return Verdict(self._pair(n), "only one", 0, len(text), text)
        return said

    def without_remarks(self, text: str) -> str:
        """Returns a text without the remark that its count is none of the options."""
        if not holds(text.lower(), _LIST_NOUNS):
            return text
        return _OPTIONS_ARE.sub(self._unless_all, _UNLISTED.sub("", text))

    def _unless_all(self, listed: re.Match[str]) -> str:
        """Returns a sentence that says which options there are as nothing, and any other one as it is."""
        values = sorted(str(value) for value in self.values.values())
        is_all = sorted(_ALL_COUNTS.findall(listed["all"])) == values and len(values) > 2
        return " " if is_all and _NO_MORE.fullmatch(listed["all"]) else listed.group()

    def by_words(self, sentence: str) -> list[Any]:
        """Returns the pair that a sentence states, its first clause before the rest."""
        clauses = (re.split(r"[:;,]", sentence, maxsplit=1)[0], sentence)
        if len(numbers.count_mentions(sentence)) == 1 or holds(sentence.lower(), numbers.OF_WHICH):
            clauses = (sentence, sentence)  # the total of what its clauses count
        if _BUT_COUNTS.search(sentence):
            return []  # "I see 3 colours, but what changes are 4"
        for clause in dict.fromkeys(clauses):
            said = resolve(clause, self.mentions(clause))
            if said.value is not None:
                return [said.value]
        return []

    def of_field(self, value: Any) -> list[Any]:
        """Returns the values that a JSON field holds."""
        if isinstance(value, Mapping):
            return self._of_answer_keys(value)
        return (
            [self._pair(value)]
            if isinstance(value, int) and not isinstance(value, bool)
            else super().of_field(value)
        )


def _may_open_class(word: str) -> bool:
    """Whether a text that begins with a word may be the name of a class, and nothing else."""
    return word in _BESIDE_CLASS or relations.class_of(word) is not None


class RelationKind(Kind):
    """How two steps stand to each other, in one answer."""

    keys = (ANSWER_KEYS, r"(?:relation(?:ship)?|class|order|dependency)")

    def __init__(self, expected: Relation) -> None:
        self.form = expected.form
        self.all_values = tuple(relations.CLASSES)

    def whole(self, text: str) -> list[Any]:
        """Returns the classes that a text is by itself."""
        if len(text) > _LONGEST_CLASS:
            return []
        if (name := relations.class_of(text)) and text.isalpha():
            return [name]
        if (first := _FIRST_WORD.match(text)) and not _may_open_class(first[1]):
            return []
        text = steps.joined(text)
        named = [relations.class_of(word) for word in _CLASS_BORDER.split(text) if word]
        if not named or None in named or len(named) > 2:
            small = text.lower()
            meant = [name for name in relations.CLASSES if name[0] == small[:1] and mistyped_as(small, name)]
            return meant if len(meant) == 1 else []
        return list(dict.fromkeys(named))

    def rules_out(self, line: str) -> bool:
        """Whether the first of several words, behind those that announce an answer, belongs to no class."""
        first = _FIRST_WORD.match(line, lead_end(line))
        if not first or _may_open_class(first[1]) or ")" in line[-_REMARK_END:]:
            return False
        if line.count(" ", first.end()) >= _MANY_WORDS:
            return True
        # "Befroe, I guess" may be a class with a typing mistake.
        return _INITIALS.isdisjoint((first[1][0].lower(), bare(line)[:1].lower()))

    def mentions(self, text: str) -> list[Mention]:
        """Returns where a text names classes."""
        return relations.mentions(text)

    def verdict(self, text: str) -> Verdict:
        """Returns what a text says of the two steps."""
        if relations.may_name_all(text) and (
            by_class := relations.by_class(text) or relations.by_own_letter(text)
        ):
            return Verdict(by_class, "answer", 0, len(text))
        text = steps.named(text)
        return resolve(text, self.mentions(text), values=self.all_values)

    def by_words(self, sentence: str) -> list[Any]:
        """Returns the classes that a sentence about the two steps states."""
        return relations.stated(steps.named(sentence))


_KINDS: dict[type, type] = {
    Choice: ChoiceKind,
    Item: ItemKind,
    Order: OrderKind,
    Truth: TruthKind,
    Count: CountKind,
    Relation: RelationKind,
}


@lru_cache(maxsize=512, typed=True)
def kind_of(expected: Any) -> Kind:
    """Returns the kind of answer that is expected."""
    kind: Kind = _KINDS[type(expected)](expected)
    return kind
