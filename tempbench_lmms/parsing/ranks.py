"""Orders that a reply states by relations: "4 precedes 2, which precedes 1", "B is the longest, then A".

What a text says about its labels is turned into constraints: one comes before another, one is at an end or at
a place. The order is read where exactly one satisfies all of them. Where a clause denies, doubts, or gives
one place to several labels, nothing is read.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tempbench_lmms.parsing.durations import amount
from tempbench_lmms.parsing.ends import backwards
from tempbench_lmms.parsing.patterns import UNSPACED, WORD_BEGINS, WORD_ENDS, lazy
from tempbench_lmms.parsing.text import holds, table
from tempbench_lmms.parsing.words import ORDINAL

_MOST_LABELS = 6
_LONGEST = 700
_NOUN = (
    r"(?:(?:images?|pictures?|photos?|pairs?|bild(?:er)?|paar|imagen|imágenes|paire|par|pareja|foto|frame|number|no\.|#)"
    r"(?![^\W\d_])|图像?|图片|画像|写真|이미지|사진|ペア|组|配对|쌍|第)"
)
_UNIT_AFTER = r"(?!\w|[.,:]\d|\s*%|\s*(?:st|nd|rd|th)\b)"
_BARE_ENDS = (
    r"(?=\s*(?:[.,;:!?)\]=<>→\"'\n-]|$|\b(?:predates?|postdates?|succeeds?|the\s+(?:most|least|old|new|earl|late|first|last|short|long|middle|small|large)\w*|came|comes?|is|was|are|before|after|precede[sd]?|follow(?:s|ed)?|and|then|which"
    r"|und|et|y|est|es|ist|vor|nach|avant|après|antes|después|than|second(?=\s*[,;])|third|fourth|fifth|must|being|in|has|lies|sits|goes|stands|belongs|falls|puis|dann|luego|que|als|next|to|with|at)\b"
    r"|[\u3040-\u9fff\uac00-\ud7af]))"
)
_ORDINALS = "|".join(
    sorted((word for word in ORDINAL if word.isascii() and word[0].isalpha()), key=len, reverse=True)
)
# Words of a clause, by what they do.
_THEN = (
    r"immediately\s+followed\s+by|followed\s+by|then|next(?:\s+is|\s+comes)?|after\s+that|afterwards|subsequently|finally|lastly"
    r"|gefolgt\s+von|dann|danach|anschließend|zuletzt|schließlich|puis|ensuite|suivie?s?\s+(?:de|par)|enfin|luego|después(?!\s+de)"
    r"|seguid[oa]s?\s+(?:de|por)|finalmente|然后|然後|接着|接著|其次|再是|随后|最后是|次に|次が|次は|続いて"
    r"|その後|그다음은?"
    r"|그 다음은?"
    r"|다음은?|이어서|마지막으로"
)
_BEFORE = (
    r"before|precede[sd]?|preceding|predate[sd]?|earlier\s+than|older\s+than|prior\s+to|ahead\s+of|vor|früher\s+als|älter\s+als"
    r"|avant|précède|plus\s+ancienne?\s+que|antes\s+(?:de|que)|precede\s+a|anterior\s+a|más\s+antigu[oa]\s+que|早于|先于"
)
_AFTER = (
    r"after|follows|later\s+than|newer\s+than|more\s+recent\s+than|postdate[sd]?|succeed(?:s|ed)|nach|später\s+als|neuer\s+als"
    r"|jünger\s+als|après|plus\s+récente?\s+que|después\s+de|posterior\s+a|más\s+reciente\s+que|晚于"
)
_BEHIND_EARLIER = r"更早|より前|より古い|より先|보다\s?먼저|보다\s?오래|보다\s?이른|보다\s?이전"
_BEHIND_LATER = r"更晚|更新|より後|より新しい|보다\s?나중|보다\s?최근|보다\s?뒤"
_MORE = r"more|longer|larger|greater|bigger|exceeds|outlasts|mehr|länger|größer|plus\s+(?:de|long(?:ue)?)|más"
_LESS = r"less|shorter|smaller|fewer|weniger|kürzer|kleiner|moins|plus\s+court(?:e)?|menos"
_EARLIEST = (
    r"earliest|early|oldest|älteste[nrs]?|früheste[nrs]?|plus\s+ancien(?:ne)?"
    r"|más\s+antigu[oa]|最早|最古|最旧|最も古い|一番古い|가장\s?오래된|가장\s?이른"
)
_LATEST = (
    r"latest|late|newest|most\s+recent|neueste[nrs]?|jüngste[nrs]?|späteste[nrs]?|plus\s+récente?|más\s+recientes?|más\s+nuev[oa]|最晚|最新"
    r"|最近|最も新しい|一番新しい|가장\s?최근|가장\s?늦은|가장\s?최신"
)
_FIRST = r"first|(?:start|begin)(?:s|ing|ning)?\s+(?:with|from)(?=\s+\x01)"
_FIRST += r"|at\s+the\s+(?:start|beginning|front)"
_FIRST += r"|zuerst|am\s+anfang|primero|primera|première?|au\s+début|al\s+principio"
_LAST = r"last|end(?:s|ing)?\s+(?:with|on|in)(?=\s+\x01)|at\s+the\s+(?:end|back)"
_LAST += r"|zuletzt|am\s+ende|última|último|dernière?|à\s+la\s+fin|al\s+final"
_SHORTEST = (
    r"shortest|smallest|least|lowest|fewest|quickest|briefest|kürzeste[nrs]?|kleinste[nrs]?"
    r"|plus\s+court(?:e)?|más\s+cort[oa]|menor|最短|一番短い|가장\s?짧은"
)
_LONGEST_WORDS = (
    r"longest|largest|greatest|most|highest|biggest|längste[nrs]?|größte[nrs]?"
    r"|plus\s+long(?:ue)?|más\s+larg[oa]|mayor|最长|最長|一番長い|가장\s?긴"
)
_MIDDLE = (
    r"middle|medium|mid|in[\s_]between|between\s+(?:them|these|those|the\s+two)|intermediate|remaining|mittlere[nrs]?|dazwischen"
    r"|moyenne|intermedi[oa]|中间|居中|真ん中|중간"
)
_DOUBT = (
    r"not|n['’]t|cannot|never|or|maybe|perhaps|possibly|either|neither|unless|if|whether|same|equal(?:ly)?|unclear|might|could"
    r"|nicht|kein\w*|pas|ni|oder|ou|no|vielleicht|oder|o\s+bien|wait|actually|不|没|或|아니|않|모르|ない|または|또는"
)


def _token(name: str, words: str) -> str:
    return rf"(?P<{name}>(?:{words}){WORD_ENDS})"


def _token_cjk(name: str, words: str) -> str:
    return rf"(?P<{name}>{UNSPACED}(?:{words}))"


@dataclass(slots=True)
class _Said:
    """What a text says of the places of its labels, as positions from 0 on."""

    before: list[tuple[str, str]] = field(default_factory=list)
    next_to: list[tuple[str, str]] = field(default_factory=list)
    at: dict[str, int] = field(default_factory=dict)
    middle: list[str] = field(default_factory=list)
    sound: bool = True

    def place(self, label: str, place: int) -> None:
        """Adds that a label has a place."""
        if self.at.setdefault(label, place) != place:
            self.sound = False

    def allows(self, order: Sequence[str]) -> bool:
        """Whether an order agrees with all that is said."""
        place = order.index
        for label, at in self.at.items():
            if place(label) != at:
                return False
        for a, b in self.before:
            if place(a) >= place(b):
                return False
        for a, b in self.next_to:
            if place(a) + 1 != place(b):
                return False
        return all(0 < place(label) < len(order) - 1 for label in self.middle)


@lru_cache(maxsize=16)
def _item(labels: tuple[str, ...], in_words: bool = False) -> re.Pattern[str]:
    own = f"(?:{'|'.join(labels)})"
    if labels[0].isdigit():
        noun = r"\s+(?:satellite\s+)?(?:image|picture|photo|bild|one)(?![^\W\d_])"
        ordinal = rf"(?:the\s+)?(?P<ordinal>{_ORDINALS}){noun}"
        if in_words:
            ordinal = rf"(?:the|das|la|le)\s+(?P<ordinal>{_ORDINALS})(?![^\W\d_])(?:{noun})?"
        return lazy(
            rf"{_NOUN}\s*[#:(\[\"']*\s*(?P<named>{own}){_UNIT_AFTER}(?:张|番|번)?|{ordinal}"
            rf"|(?<![\w.,\-])(?P<bare>{own}){_UNIT_AFTER}{_BARE_ENDS}",
            re.IGNORECASE,
        )
    return lazy(
        rf"(?:(?i:{_NOUN})\s*[#:(\[\"']*\s*)?(?<![^\W\u2e80-\uffff])(?<!['’])(?P<bare>{own})"
        r"(?![^\W\u2e80-\uffff])(?!['’]\w)(?! (?:pair|few|new|large|small|satellite|lot)\b)"
    )


@lru_cache(maxsize=2)
def _words(quantities: bool) -> re.Pattern[str]:
    """Returns the pattern of the words of a clause, for text in small letters."""
    ends = (_SHORTEST, _LONGEST_WORDS) if quantities else (f"{_EARLIEST}|{_FIRST}", f"{_LATEST}|{_LAST}")
    # What each word is looked up in, one table after the other; whether a word begins is looked at once.
    relations = [
        _token(
            "earlier",
            r"(?:(?:just|right|immediately|shortly|directly)\s+)?before\s+(?:that|this|it)|(?:(?:immediately|directly)\s+)?preceded\s+by|davor|avant\s+cela|antes\s+de\s+eso",
        ),
        _token("later", r"(?:(?:just|right|immediately|directly)\s+)?(?:after|behind)\s+it"),
        _token("then", _THEN),
        _token("before", _BEFORE),
        _token("after", _AFTER),
    ]
    others = [
        _token("early", ends[0]),
        _token("late", ends[1]),
        _token("middle", _MIDDLE),
        _token("more", _MORE),
        _token("less", _LESS),
        _token("place", _ORDINALS),
        _token("which", r"which|welches|was|que|qui"),
        _token("and", r"and|but|und|aber|et|mais|y|pero|while|whereas"),
        _token("doubt", _DOUBT),
        _token("reason", "because|since|weil|parce\\s+que|porque|puisque"),
    ]
    parts = [
        r"(?P<item>\x01\d+\x02)",
        rf"{WORD_BEGINS}(?:{'|'.join(relations)})",
        _token_cjk("behind_earlier", _BEHIND_EARLIER),
        _token_cjk("behind_later", _BEHIND_LATER),
        rf"{WORD_BEGINS}(?:{'|'.join(others)})",
        r"(?P<end>[.;\n!?])",
        r"(?P<comma>[,()、])",
        r"(?P<other>[^\W\d_]+|\d+)",
    ]
    return lazy("|".join(parts))


_SIGNS = table(
    "preced|before|after|earl|old|lat|new|recent|follow|first|last|short|long|small|larg|least|most|more|less|then|great|big"
    "|second|älte|frühe|neue|jüng|spät|ancien|récent|antigu|recient|cort|vor|nach|dann|puis|avant|antes|kürz|läng|rank|place"
)


def stated(text: str, labels: tuple[str, ...], quantities: bool) -> tuple[tuple[str, ...] | None, bool]:
    """Returns the one order that agrees with all that a text says of its labels, and whether all is clear.

    No order where none or several agree. Nothing is clear where one end is given to several labels.

    Args:
        text: The text.
        labels: The labels, all of which the text must name.
        quantities: Whether they stand for quantities, from the smallest to the largest; else for times.

    >>> stated("Image 2 came before 3, and image 1 is the latest.", ("1", "2", "3"), False)
    (('2', '3', '1'), True)
    >>> stated("More time lies in C than in B, and more in B than in A.", ("A", "B", "C"), True)
    (('A', 'B', 'C'), True)
    """
    if len(text) > _LONGEST or not 2 < len(labels) <= _MOST_LABELS:
        return None, True
    if text.isascii() and not holds(text.lower(), _SIGNS):
        return None, True
    named: list[str] = []
    in_words = labels[0].isdigit() and not re.search(r"\d", text)
    item = _item(labels, in_words)
    has_ordinals = "ordinal" in item.groupindex

    def marked(match: re.Match[str]) -> str:
        ordinal = match["ordinal"] if has_ordinals else None
        label = match["bare"] or (str(ORDINAL[ordinal.lower()]) if ordinal else match["named"])
        if label not in labels:
            return match.group()
        named.append(label)
        return f" \x01{labels.index(label)}\x02 "

    marked_text = item.sub(marked, text.replace("\x01", " ").replace("\x02", " "))
    if len(set(named)) < len(labels) - 1 or len(named) > 3 * len(labels):
        return None, True
    said = _said(marked_text, labels, quantities)
    if len(set(named)) < len(labels) and not (
        said.sound
        and len(named) == len(said.at) == len(labels) - 1
        and not said.before
        and len(_plain_roles(quantities).findall(marked_text)) == len(named)
    ):
        return None, True  # one isn't named, and the places of the others don't tell its own
    if not said.sound:
        return None, False
    found = _allowed(said, labels)
    return found[0] if len(found) == 1 else None, bool(found)


def _allowed(said: _Said, labels: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the first two orders that agree with all that is said: a third would tell no more."""
    return list(itertools.islice(filter(said.allows, itertools.permutations(labels)), 2))


@lru_cache(maxsize=2)
def _plain_roles(quantities: bool) -> re.Pattern[str]:
    """Returns the pattern of an item that a clause puts at an end and says no more of."""
    ends = f"{_SHORTEST}|{_LONGEST_WORDS}" if quantities else f"{_EARLIEST}|{_FIRST}|{_LATEST}|{_LAST}"
    item = r"\x01\d+\x02"
    ended = r"(?=\s*(?:[.,;!?\n]|$)|\s+(?:of|one|image|and|und|et|y)\b)"
    return lazy(
        rf"{item}\s+(?:(?:is|was|comes|came|ist|est|es)\s+)?(?:the\s+|der\s+|das\s+|die\s+|la\s+|le\s+|el\s+)?(?:{ends}){ended}"
        rf"|{WORD_BEGINS}(?:{ends})\s+(?:(?:one|image|pair|interval|abstand|bild|is|was|ist|est|es|bei|=)\s+){{0,4}}{item}{ended}",
        re.IGNORECASE,
    )


_Token = tuple[str, str]


def _tokens(text: str, quantities: bool) -> Iterator[_Token]:
    for match in _words(quantities).finditer(text.lower()):
        yield match.lastgroup or "", match.group()


def _said(text: str, labels: tuple[str, ...], quantities: bool) -> _Said:
    said = _Said()
    clause: list[_Token] = []
    state = _State(labels, quantities, said, backwards(text, quantities) is True)
    for token in (*_tokens(text, quantities), ("end", ".")):
        if token[0] in ("comma", "end", "then", "earlier", "later") or (
            token[0] == "and" and _is_whole(clause)
        ):
            state.close(clause)
            clause = []
            state.coordinated = token[0] == "and"
            if token[0] in ("then", "earlier", "later"):
                state.follows = True
                state.back = (state.back or token[0] == "earlier") and token[0] != "later"
            elif token[0] == "end":
                state.stop()
            continue
        clause.append(token)
        if not said.sound:
            break
    return said


def _is_whole(clause: Sequence[_Token]) -> bool:
    """Whether a clause says something by itself, so that an "and" begins the next one."""
    names = [name for name, _ in clause]
    return "item" in names and any(
        name in ("early", "late", "middle", "place", "before", "after", "more", "less") for name in names
    )


class _State:
    """What is known while the clauses of a text are read one after the other."""

    def __init__(self, labels: tuple[str, ...], quantities: bool, said: _Said, back: bool) -> None:
        self.labels, self.quantities, self.said = labels, quantities, said
        self.last: str | None = None
        self.back = back
        self.follows = False
        self.comparison = ""
        self.coordinated = False
        self.subject: str | None = None

    def stop(self) -> None:
        """Ends a sentence."""
        self.comparison = ""
        self.follows = False

    def close(self, clause: list[_Token]) -> None:
        """Takes what a clause says."""
        names = [name for name, _ in clause]
        if "reason" in names and "item" not in names[names.index("reason") :]:
            # "Image 5 is the first since there's no dam yet": the reason places nothing.
            clause = clause[: names.index("reason")]
            names = names[: len(clause)]
        items = [self.labels[int(text[1:-1])] for name, text in clause if name == "item"]
        if not items:
            return
        if "doubt" in names:
            self.said.sound = False
            return
        roles = {name for name in names if name in ("early", "late")}
        rels = [
            name for name in names if name in ("before", "after", "more", "less") or name.startswith("behind")
        ]
        rels = [name for name in rels if self.quantities or name not in ("more", "less")]
        if self.follows and not roles and not rels:
            self._chain(items)
        elif rels and self._relations(clause, items, rels):
            pass
        elif roles or "middle" in names or "place" in names:
            self._role(clause, items, roles, names)
        elif self.follows or self.last is None:
            pass
        elif len(items) > 1:
            self.last = None
        if items:
            self.last = items[-1]

    def _chain(self, items: list[str]) -> None:
        previous = self.last
        for item in items:
            if previous is not None and previous != item:
                self.said.next_to.append((item, previous) if self.back else (previous, item))
            previous = item

    def _role(self, clause: list[_Token], items: list[str], roles: set[str], names: list[str]) -> None:
        if len(items) != 1 or len(roles) > 1:
            # "From earliest to latest: 2", or one place for several.
            if roles and len(items) > 1:
                self.said.sound = False
            return
        item, last = items[0], len(self.labels) - 1
        place = next((ORDINAL[text.lower()] for name, text in clause if name == "place"), None)
        if place is not None and place - 1 <= last:
            self.said.place(item, last + 1 - place if "late" in roles else place - 1)
        elif roles:
            self.back = "late" in roles
            self.said.place(item, last if self.back else 0)
        elif "middle" in names:
            self.said.middle.append(item)
        if self.follows:
            self.follows = False

    def _relations(self, clause: list[_Token], items: list[str], rels: list[str]) -> bool:
        """Takes the relations of a clause; whether there were any."""
        if rels[0].startswith("behind"):
            if len(items) == 2:
                self._add(rels[0] == "behind_earlier", items[0], items[1])
                return True
            return False
        sequence = [(name, text) for name, text in clause if name in ("item", "which") or name in rels]
        if sequence[0][0] in ("more", "less") and len(items) == 2 and len(rels) == 1:
            self._add(sequence[0][0] == "less", items[0], items[1])
            return True
        taken = False
        subject = self.last if sequence[0][0] != "item" else None
        if self.coordinated and sequence[0][0] not in ("item", "which"):
            subject = self.subject  # "A is longer than C but shorter than B"
        elif sequence[0][0] == "item":
            self.subject = items[0]
        relation = ""
        for name, text in sequence:
            if name == "item":
                label = self.labels[int(text[1:-1])]
                if relation and subject is not None and subject != label:
                    self._add(relation in ("before", "less"), subject, label)
                    taken, relation = True, ""
                subject = label
            elif name != "which":
                relation = name
        return taken

    def _add(self, smaller: bool, a: str, b: str) -> None:
        self.said.before.append((a, b) if smaller else (b, a))


_SIGNED = lazy(r"\b(?P<a>\d{1,2}|[A-Z])\s*<\s*(?=(?P<b>\d{1,2}|[A-Z])\b)")
_BESIDE_SIGNS = lazy(r"[^\W\d_]{2}")


def by_signs(text: str, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns the one order that several comparisons with "<", and no words, leave.

    >>> by_signs("A < C, C < B", ("A", "B", "C")), by_signs("A < C, A < B", ("A", "B", "C"))
    (('A', 'C', 'B'), None)
    """
    if len(labels) > _MOST_LABELS or len(text) > _LONGEST or _BESIDE_SIGNS.search(text):
        return None
    said = _Said(before=[(match["a"], match["b"]) for match in _SIGNED.finditer(text)])
    if {label for pair in said.before for label in pair} != set(labels):
        return None
    found = _allowed(said, labels)
    return found[0] if len(found) == 1 else None


# "Pair A: 4 years", one for each label.
_RANK = lazy(r"\b(?:rank(?:ing)?|place|position|order|#)\b", re.IGNORECASE)
_RANK_ROW = lazy(
    rf"[\s\"'(\[*•-]*(?:{_NOUN}\s*)?#?(?P<item>\d{{1,2}}|[A-Z])\b[\"')\]\s]*(?:[:=→–|-]|is|->)*\s*(?P<word>rank(?:ed)?|place|position|#|number)?\s*#?"
    rf"(?P<rank>\d{{1,2}})(?P<th>st|nd|rd|th)?[\s\"')\].,;]*",
    re.IGNORECASE,
)
_ONE_IS_LATE = lazy(
    r"(?:longest|largest|latest|newest|most\s+recent)\s*(?:first|(?:is|=|:|as)\s*(?:rank\s*)?1\b)|\b1\s*(?:=|is|:)\s*(?:the\s+)?(?:longest|largest|latest|newest"
    r"|most\s+recent)",
    re.IGNORECASE,
)


def ranked(text: str, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    r"""Returns the order of labels that a table gives their ranks: "Pair Rank", then "A 3", "B 1", "C 2".

    >>> ranked("Pair Rank\nA 3\nB 1\nC 2", ("A", "B", "C"))
    ('B', 'C', 'A')
    """
    small = text.lower()
    if len(text) > _LONGEST or not holds(small, ("rank", "place", "position", "#", "1st")):
        return None
    rows = [row for row in re.split(r"[\n;,]", text) if row.strip()]
    found: dict[str, int] = {}
    marked = False
    head = ""
    for row in rows:
        match = _RANK_ROW.fullmatch(row)
        if match is None:
            head = head or (row if not found else "")
            continue
        label = match["item"].upper()
        marked = marked or bool(match["word"] or match["th"])
        if found.setdefault(label, int(match["rank"])) != int(match["rank"]):
            return None
    if sorted(found) != sorted(labels) or sorted(found.values()) != list(range(1, len(labels) + 1)):
        return None
    header = _RANK.search(head)
    if not marked and not (header and re.search(rf"{_NOUN}", head[: header.start()], re.IGNORECASE)):
        return None
    order = tuple(sorted(found, key=lambda label: found[label]))
    return order[::-1] if _ONE_IS_LATE.search(text) else order


_YEAR = lazy(r"(?<![\w.])(?:19|20)\d\d(?!\w|\.\d)")


def valued(text: str, labels: tuple[str, ...], quantities: bool) -> tuple[str, ...] | None:
    r"""Returns the labels in the order of the durations, or of the years, that a text gives them.

    >>> valued("Pair A: 4 years\nPair B: 1 month\nPair C: 1 year", ("A", "B", "C"), True)
    ('B', 'C', 'A')
    """
    if len(text) > _LONGEST or not re.search(r"\d", text):
        return None
    places = list(_item(labels).finditer(text))
    names = [match["bare"] or match.groupdict().get("named") for match in places]
    if sorted(name or "" for name in names) != sorted(labels):
        return None
    values: list[tuple[float, str]] = []
    for match, following, name in zip(places, [*places[1:], None], names, strict=True):
        part = text[match.end() : following.start() if following else len(text)]
        if quantities:
            value = amount(part)
        else:
            years = _YEAR.findall(part)
            value = float(years[0]) if len(years) == 1 else None
        if value is None:
            return None
        values.append((value, name or ""))
    if len({value for value, _ in values}) < len(values):
        return None
    return tuple(name for _, name in sorted(values))


_AS_SHOWN = lazy(
    r"\b(?:order|sequence|way|numbering)\s+(?:(?:in\s+which\s+)?(?:they|the\s+images)\s+(?:are|were)\s+|as\s+|that\s+is\s+)?"
    r"(?:shown|given|presented|displayed|numbered|provided)\b|\bas\s+(?:shown|presented|displayed|numbered)\b"
    r"|\b(?:shown|given|displayed|presented|original|current|numbered)\s+(?:order|sequence)\b"
    r"|显示的?顺序|给出的?顺序|表示順|제시된\s?순서|gezeigte[nr]?\s+reihenfolge|ordre\s+(?:montré|affiché|présenté)|orden\s+mostrado",
    re.IGNORECASE,
)
_TURNED = lazy(
    r"\b(?:reverse[ds]?|opposite|inverse|inverted|backwards?|flipped|umgekehrt\w*|invers[eao])\b|相反|倒|逆|반대|역",
    re.IGNORECASE,
)
_SHORT_SHOWN = 90


def as_shown(text: str, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns the order in which images are shown, or its reverse, where a short reply names no image.

    >>> as_shown("Reverse of the order shown.", ("1", "2", "3"))
    ('3', '2', '1')
    """
    if not labels[0].isdigit():
        return None
    if placed := _placed_as_shown(text, labels):
        return placed
    if len(text) > _SHORT_SHOWN:
        return None
    text = re.sub(rf"\b1\s*(?:to|-|–|through|→)\s*{len(labels)}(?!\w)", " ", text)
    if re.search(r"\d", text):
        return None
    if not _AS_SHOWN.search(text) or re.search(
        WORD_BEGINS + f"(?:{_DOUBT})" + WORD_ENDS, text, re.IGNORECASE
    ):
        return None
    return labels[::-1] if _TURNED.search(text) else labels


# "They have already been handed to me in the right order."
_IN_ORDER = lazy(
    r"\b(?:they|these|it|all|(?:the\s+)?(?:images|pictures|photos)|you|sie|die\s+bilder|elles|ils|les\s+images|las\s+imágenes)\b[^.;:!?\n]{0,30}?\b(?:are|were|is|been|stand|come|gave|handed|presented|sind|stehen|sont|están)\b"
    r"[^.;:!?\n]{0,30}?\b(?:in|dans|en)\s+(?:the\s+|their\s+|der\s+|el\s+|l['’])?(?:(?:right|correct|proper|chronological|richtigen|bon|ordre|orden|correcto)\b\s*)+(?:order|sequence|reihenfolge|ordre|correct|correcto|chronologique|cronológico)?",
    re.IGNORECASE,
)
_ALREADY = lazy(
    r"\b(?:already|bereits|schon|déjà|ya)\b|\bno\s+change|\b(?:gave|handed|presented|shown|given)\b",
    re.IGNORECASE,
)
_NOT_SO = lazy(
    r"\b(?:almost|nearly|mostly|partly|should|must|put|needs?|fast|presque|casi|except|but|to\s+be|told)\b",
    re.IGNORECASE,
)
# "Exactly reversed", "The reverse of how they are shown"
_EXACTLY = r"(?:exactly|completely|entirely|precisely|fully|perfectly|just|genau|exactement|exactamente)"
_ALL_TURNED = lazy(
    rf"\W*(?:(?:it|that|this|they|(?:the\s+)?(?:order|images|pictures|sequence))(?:['’](?:s|re)|\s+(?:is|are|must\s+be))\s+)?(?:shown\s+in\s+|given\s+in\s+)?"
    rf"(?:{_EXACTLY}\s+(?:the\s+|in\s+)?(?:reversed?|backwards|inverted|umgekehrt|opposite|inverse)(?:\s+order)?(?:\s+wie\s+gezeigt|\s+of\s+(?:how|what|the\s+order)[^.,;:]*)?"
    r"|(?:in\s+)?(?:the\s+)?reverse\s+of\s+(?:how|the\s+(?:way|order))[^.,;:]*)\s*(?:$|[.,;:!])",
    re.IGNORECASE,
)
_LONGEST_SHOWN = 140


def _placed_as_shown(text: str, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns the order in which images are shown, or its reverse, where a text calls it right."""
    if len(text) > _LONGEST_SHOWN or re.search(r"\d", text):
        return None
    if _ALL_TURNED.match(text):
        return labels[::-1]
    found = _IN_ORDER.search(text)
    if not found or not _ALREADY.search(text) or _NOT_SO.search(text):
        return None
    doubt = re.search(
        WORD_BEGINS + f"(?:{_DOUBT})" + WORD_ENDS, text[: found.end()].replace("No change", ""), re.IGNORECASE
    )
    return None if doubt else labels


_ONE_LABEL = lazy(
    r"(?<![\w.'’-])(?:(?:image|picture|photo|sentence|number|bild|satz|imagen|nr\.?)\s+)?(?P<label>\d|[b-gB-G]|[aA](?!\s+(?!and\b|then\b|is\b|comes\b|first\b|last\b|at\b|follow)[a-z]))(?![\w%'’]|\.\d)",
    re.IGNORECASE,
)
_BETWEEN_ENDS = lazy(
    r"\b(?:in\s+between|between\s+(?:them|these|those|the\s+two)|in\s+the\s+middle|dazwischen|entre\s+les\s+deux|entre\s+(?:ell[oa]s|medias))\b",
    re.IGNORECASE,
)
_OPENS = lazy(
    rf"{WORD_BEGINS}(?:{_EARLIEST}|{_FIRST}|first|opens|starts?|begins?|beginning|start|anfang)(?!\w)",
    re.IGNORECASE,
)
_CLOSES = lazy(
    rf"{WORD_BEGINS}(?:{_LATEST}|last|ends?|closes|finish(?:es)?|zuletzt|ende|dernière?|últim[ao])(?!\w)",
    re.IGNORECASE,
)
_FOLLOW = lazy(
    r"\b(?P<forth>follow|come\s+(?:next|after(?:wards)?|then)|(?:after|behind)\s+(?:it|that|this)\s+come|next\s+come|folgen|suivent|siguen)\b|\b(?P<back>precede)\b",
    re.IGNORECASE,
)
# "Start: 2. Then: 1. Then: 4. End: 3.", each label a sign
_STEPS = lazy(
    r"\W*(?:start|beginning|first|anfang|zuerst)\s*:\s*@(?:\W+(?:then|next|dann)\s*:\s*@)+\W+(?:end|finish|last|finally|ende|zuletzt)\s*:\s*@\W*",
    re.IGNORECASE,
)
_LIST_GAP = lazy(r"[\s,;:]*(?:(?:and|then|und|dann|et|puis|y|luego)\b[\s,]*)*")
_UNSURE = lazy(
    r"\b(?:not|or|maybe|perhaps|possibly|either|might|could|can|cannot|unclear|any\s+order|unknown|revers\w+|backwards?|nicht|oder|pas|ou|whether|if)\b|n['’]t\b",
    re.IGNORECASE,
)
_LONGEST_ENDS = 260
# Without one of these a text names no end and what lies between, or that labels follow, or steps.
_ENDS_SIGNS = table("between|middle|dazwischen|entre|follow|come|folgen|suivent|siguen|precede")
_STEP_SIGNS = ("then", "next", "dann")


def by_ends(text: str, labels: Sequence[str]) -> tuple[str, ...] | None:
    """Returns the order of which a text tells both ends, and what stands between them; else None.

    >>> by_ends("5 comes first and 1 last; between them 3, then 2, then 4.", "12345")
    ('5', '3', '2', '4', '1')
    >>> by_ends("Image 4 is the oldest. 2, 5 and 1 follow, and 3 is the newest.", "12345")
    ('4', '2', '5', '1', '3')
    """
    if len(text) > _LONGEST_ENDS or len(labels) < 4:
        return None
    small = text.lower()
    if not (holds(small, _ENDS_SIGNS) or (":" in text and holds(small, _STEP_SIGNS))) or _UNSURE.search(text):
        return None
    items = list(_ONE_LABEL.finditer(text))
    named = [found["label"].lower() if labels[0].islower() else found["label"].upper() for found in items]
    if sorted(named) != sorted(labels):
        return None
    if _STEPS.fullmatch(_ONE_LABEL.sub("@", text)):
        return tuple(named)
    if between := _BETWEEN_ENDS.search(text):
        if [found.start() < between.start() for found in items] != [True] * 2 + [False] * (len(labels) - 2):
            return None
        ends = _which_ends(text[: between.start()])
        order = (named[0], *named[2:], named[1]) if ends == "forth" else (named[1], *named[2:], named[0])
        plain = ends == "forth" or (
            ends == "back" and re.search(r"\bthen\b|in\s+that\s+order", text[between.end() :])
        )
        return order if plain and _is_list(text, items[2:]) else None
    follow = _FOLLOW.search(text)
    if (
        follow is None
        or not _is_list(text, items[1:-1])
        or not items[0].end() < follow.start() < items[-1].start()
    ):
        return None
    ends = _which_ends(text[: items[1].start()] + " @ " + text[items[-2].end() :])
    if ends == ("back" if follow["back"] else "forth"):
        return tuple(named if ends == "forth" else [named[-1], *named[1:-1], named[0]])
    return None


def _which_ends(text: str) -> str | None:
    """Returns whether a text names the early end before the late one (forth), or behind it (back)."""
    early, late = [list(pattern.finditer(text)) for pattern in (_OPENS, _CLOSES)]
    if len(early) != 1 or len(late) != 1:
        return None
    return "forth" if early[0].start() < late[0].start() else "back"


def _is_list(text: str, items: Sequence[re.Match[str]]) -> bool:
    """Whether nothing stands between labels but what divides the entries of a list."""
    return all(
        _LIST_GAP.fullmatch(text, one.end(), other.start()) for one, other in itertools.pairwise(items)
    )


_NTH = rf"(?:(?P<nth>\d)(?:st|nd|rd|th)|(?P<word>{_ORDINALS}))"
_NEXT = lazy(
    r"(?P<cue>\bfirst|\bnext|\bthen|\bafter\s+(?:that|this|it|which)|\bafterwards|\bfollowed\s+by|\bfinally|\blast(?:ly)?)"
    rf"\s*,?\s+(?:(?:comes?|is|we\s+(?:have|see)|there\s+is|by)\s+)?(?:the\s+)?{_NTH}\s*(?:image|picture|photo|one)?\b",
    re.IGNORECASE,
)
_TURNS_ROUND = lazy(
    r"\b(?:before|preced\w*|earlier|prior|previous\w*|revers\w*|backwards?|newest|latest|most\s+recent|not|or|maybe|perhaps)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


def in_turn(text: str, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns the order that a text tells in turn, its images named by their place in the row.

    >>> in_turn("First comes the 2nd image, then the 3rd, and finally the first one.", ("1", "2", "3"))
    ('2', '3', '1')
    >>> in_turn("First comes the 2nd image, then the 3rd.", ("1", "2", "3")) is None
    True
    """
    if not labels[0].isdigit() or _TURNS_ROUND.search(text):
        return None
    found = list(_NEXT.finditer(text))
    if not found or found[0]["cue"].lower() != "first":
        return None
    order = tuple(match["nth"] or str(ORDINAL[match["word"].lower()]) for match in found)
    return order if sorted(order) == sorted(labels) else None
