"""Options that are ways to move, turn or change: "First to the left then to the right", "No rotation".

Where every option is made of such words alone, options and reply are compared by the moves that they name,
one after the other, in any language of the tables: "球先向右移动，然后向左移动" is "First right then left".
"""

import itertools
import re
from collections.abc import Sequence
from functools import lru_cache

from tempbench_lmms.parsing.patterns import UNSPACED, WORD_BEGINS, WORD_ENDS, lazy

# The moves by what names them; the order counts, since "counter-clockwise" holds "clockwise".
_MOVES: tuple[tuple[str, str, str], ...] = (
    (
        "counterclockwise",
        r"(?:counter|anti)[-\s]?clockwise|ccw|antiorari[oa]|anti-?horário|против\s+часовой(?:\s+стрелки)?|gegen\s+den\s+uhrzeigersinn|entgegen\s+dem\s+uhrzeigersinn|antihoraire"
        r"|sens\s+inverse\s+des\s+aiguilles(?:\s+d'une\s+montre)?|antihorario|contrario\s+a\s+las\s+agujas(?:\s+del\s+reloj)?",
        r"逆时针|逆時針|反时针|反時計回り|左回り|반시계",
    ),
    (
        "clockwise",
        r"clockwise|cw|senso\s+orario|orari[oa]|horário|по\s+часовой(?:\s+стрелке)?|im\s+uhrzeigersinn|sens\s+horaire|sens\s+des\s+aiguilles(?:\s+d'une\s+montre)?|sentido\s+horario|agujas\s+del\s+reloj",
        r"顺时针|順時針|時計回り|右回り|시계\s?방향",
    ),
    (
        "right",
        r"(?:from\s+)?(?:the\s+)?left\s+(?:side\s+)?to\s+(?:the\s+)?right|von\s+links\s+nach\s+rechts|de\s+gauche\s+à\s+droite"
        r"|de\s+(?:la\s+)?izquierda\s+a\s+(?:la\s+)?derecha",
        r"从左(?:边|侧)?(?:向|到|往)右|左から右|왼쪽에서\s?오른쪽",
    ),
    (
        "left",
        r"(?:from\s+)?(?:the\s+)?right\s+(?:side\s+)?to\s+(?:the\s+)?left|von\s+rechts\s+nach\s+links|de\s+droite\s+à\s+gauche"
        r"|de\s+(?:la\s+)?derecha\s+a\s+(?:la\s+)?izquierda",
        r"从右(?:边|侧)?(?:向|到|往)左|右から左|오른쪽에서\s?왼쪽",
    ),
    (
        "down",
        r"(?:from\s+)?(?:the\s+)?top\s+to\s+(?:the\s+)?bottom|von\s+oben\s+nach\s+unten|de\s+haut\s+en\s+bas|de\s+arriba\s+(?:a|hacia)\s+abajo",
        r"从上(?:向|到|往)下|上から下|위에서\s?아래",
    ),
    (
        "up",
        r"(?:from\s+)?(?:the\s+)?bottom\s+to\s+(?:the\s+)?top|von\s+unten\s+nach\s+oben|de\s+bas\s+en\s+haut|de\s+abajo\s+(?:a|hacia)\s+arriba",
        r"从下(?:向|到|往)上|下から上|아래에서\s?위",
    ),
    (
        "towards",
        r"(?:straight\s+)?(?:towards?|at|to|closer\s+to|nearer(?:\s+to)?)\s+(?:the\s+)?(?:camera|viewer|us|it)"
        r"|approach(?:es|ing|ed)?(?:\s+(?:the\s+)?(?:camera|viewer|us))?|(?:auf\s+die\s+kamera\s+zu|zur\s+kamera(?:\s+hin)?)"
        r"|vers\s+la\s+caméra|hacia\s+la\s+cámara|towards?(?=\s+(?:then|and))",
        r"(?:朝|向|靠近|接近)(?:着)?(?:镜头|摄像机|相机|鏡頭)|カメラに(?:向か|近づ)|카메라\s?(?:쪽으로|를\s?향)",
    ),
    (
        "away",
        r"away\s+from(?:\s+(?:the\s+)?(?:camera|viewer|us|it))?|further\s+from\s+the\s+camera|von\s+der\s+kamera\s+weg|reced(?:es|ing)"
        r"|s'éloigne\s+de\s+la\s+caméra|se\s+aleja\s+de\s+la\s+cámara",
        r"远离(?:镜头|摄像机|相机)?|遠離|カメラから(?:離れ|遠ざか)|카메라에서\s?멀어",
    ),
    (
        "faster",
        r"(?:faster\s+and\s+faster|(?:gets?|getting|becom\w+|goes|going|moves?|moving)\s+(?:ever\s+)?faster|accelerat\w+|speeds?\s+up|speeding\s+up|speed\s+(?:is\s+)?(?:increas\w+|rises)"
        r"|(?:gains?|gaining|picks?\s+up|picking\s+up)\s+speed|immer\s+schneller|beschleunigt|de\s+plus\s+en\s+plus\s+vite|accélère|cada\s+vez\s+más\s+rápido|acelera)",
        r"越来越快|加速|だんだん速く|점점\s?(?:더\s?)?빨|가속",
    ),
    (
        "slower",
        r"(?:slower\s+and\s+slower|(?:gets?|getting|becom\w+|goes|going|moves?|moving)\s+(?:ever\s+)?slower|decelerat\w+|slows?\s+down|slowing(?:\s+down)?|los(?:es|ing)\s+speed|speed\s+(?:is\s+)?(?:decreas\w+|falls|drops)"
        r"|immer\s+langsamer|verlangsamt|bremst|de\s+plus\s+en\s+plus\s+lent\w*|ralentit|cada\s+vez\s+más\s+(?:lento|despacio)|desacelera|frena)",
        r"越来越慢|减速|減速|だんだん遅く|점점\s?(?:더\s?)?느|감속",
    ),
    (
        "constant",
        r"(?:(?:at\s+)?(?:a\s+|the\s+)?(?:constant|same|steady|uniform|even|unchanging)(?:\s+(?:speed|pace|rate|level|frequency|value|tempo))?|unchanged|(?:no|without)\s+change"
        r"|(?:remains|stays)\s+(?:the\s+same|constant|steady)|konstant\w*|gleichmäßig\w*|gleichbleibend\w*|vitesse\s+constante|constante?)",
        r"匀速|恒定|保持不变|不变|没有变化|一定|変わら|変化な|일정|변하지",
    ),
    (
        "forward",
        r"(?:forwards?|vorwärts|nach\s+vorne?|en\s+avant|hacia\s+(?:adelante|delante)|adelante)",
        r"向前|往前|前进|前進|前へ|前に|앞으로|전진",
    ),
    (
        "backward",
        r"(?:backwards?|rückwärts|nach\s+hinten|en\s+arrière|hacia\s+atrás|atrás)",
        r"向后|往后|向後|后退|後退|後ろ|뒤로|후진",
    ),
    ("left", r"(?:left|leftwards?|links|gauche|izquierda|sinistra|esquerda|влево|налево)", r"左|왼쪽|왼편"),
    (
        "right",
        r"(?:right|rightwards?|rechts|droite|derecha|destra|direita|вправо|направо)",
        r"右|오른쪽|오른편",
    ),
    (
        "up",
        r"(?:up|upwards?|ris(?:e|es|ing)|rose|increas(?:e|es|ed|ing)|climb(?:s|ing|ed)?|ascend(?:s|ing)?|grow(?:s|ing|n)?|grew|swell(?:s|ing)?|inflat(?:e|es|ed|ing)|pump(?:s|ed|ing)\s+up"
        r"|(?:gets?|getting|becom(?:es|ing))\s+(?:larger|bigger|louder|higher)|goes\s+higher|nach\s+oben|aufwärts|hoch|steigt|monte|vers\s+le\s+haut|augmente"
        r"|hacia\s+arriba|arriba|sube|aumenta|verso\s+l'alto|sale|para\s+cima|вверх|поднимается)",
        r"向上|往上|上升|上昇|增加|上へ|上に|위로|올라|상승|증가",
    ),
    (
        "down",
        r"(?:down|downwards?|fall(?:s|ing)?|fell|decreas(?:e|es|ed|ing)|sink(?:s|ing)?|descend(?:s|ing)?|shrink(?:s|ing)?|shrank|deflat(?:e|es|ed|ing)"
        r"|(?:gets?|getting|becom(?:es|ing))\s+(?:smaller|quieter|lower)|declin(?:e|es|ing)|goes\s+lower|nach\s+unten|abwärts|runter|sinkt|fällt|descend|vers\s+le\s+bas|baisse|diminue"
        r"|hacia\s+abajo|abajo|baja|disminuye|verso\s+il\s+basso|scende|para\s+baixo|вниз|опускается)",
        r"向下|往下|下降|减少|減少|下へ|下に|아래로|내려|하강|감소",
    ),
    (
        "still",
        r"(?:(?:stays?|remains?|keeps?)\s+(?:exactly\s+)?(?:where\s+(?:it|he|she)\s+(?:is|was)|in\s+(?:place|position|the\s+same\s+(?:place|spot|position)))|stationary|motionless|immobile|still|at\s+rest|static|hover(?:s|ing)?(?:\s+in\s+place)?|(?:no|without)\s+(?:movement|motion|rotation|turning)"
        r"|unbewegt|bewegungslos|immobile|inmóvil|quiet[oa])",
        r"静止|不动|没有移动|没有动|不旋转|没有旋转|没有转动|没有转|不转|動かない|動いていない|回転していない|움직이지\s?않|회전하지\s?않|정지",
    ),
)
_OPPOSITES = dict(
    itertools.chain.from_iterable(
        ((one, other), (other, one))
        for one, other in (
            ("clockwise", "counterclockwise"),
            ("left", "right"),
            ("up", "down"),
            ("forward", "backward"),
            ("towards", "away"),
        )
    )
)
_MOVE_VERB = (
    r"(?:mov(?:e|es|ing|ed)|rotat(?:e|es|ing|ed)|turn(?:s|ing|ed)?|spin(?:s|ning)?"
    r"|revolv(?:e|es|ing)|bewegt|dreht|bouge|tourne|mueve|gira)"
)
_NEG = (
    r"(?:not|never|doesn['’]t|don['’]t|didn['’]t|does\s+not|isn['’]t|aren['’]t|wasn['’]t"
    r"|weren['’]t|hasn['’]t|nicht|nie|ne|ni|n'|no|hardly|neither|nor|without)"
)
_PATTERN = lazy(
    "|".join(
        rf"(?P<m{i}>{WORD_BEGINS}(?:{words}){WORD_ENDS}|{UNSPACED}(?:{cjk}))"
        for i, (_, words, cjk) in enumerate(_MOVES)
    )
    + rf"|(?P<neg>{WORD_BEGINS}{_NEG}{WORD_ENDS}|{UNSPACED}(?:不|没|並非|并非))"
    + rf"|(?P<back>{WORD_BEGINS}(?:reverses?|reversing|reversed|"
    r"(?:changes?|changing|switch(?:es|ing)?|swaps?|inverts?)\s+(?:its\s+|the\s+|his\s+|her\s+)?direction|turns?\s+(?:a?round|back)"
    rf"|(?:in\s+)?the\s+(?:opposite|other|reverse)\s+(?:direction|way)){WORD_ENDS})"
    + rf"|(?P<verb>{WORD_BEGINS}{_MOVE_VERB}{WORD_ENDS})"
    + rf"|(?P<end>[.;:!?\n]|,\s*(?=(?:it|he|she|they|but|and\s+(?:it|then)|sondern|sino|mais)\b)"
    rf"|{WORD_BEGINS}(?:but|sondern|sino|rather|instead){WORD_ENDS})"
    + rf"|(?P<doubt>{WORD_BEGINS}(?:or|either|maybe|perhaps|might|could|oder|ou|unclear|depending|if"
    rf"|seems?\s+to|than|after(?!\s+that)|before|nachdem|bevor|visible|after\s+which"
    rf"|first\s+thought|initially|wait|actually){WORD_ENDS}|或|还是|または|또는|혹은)" + r"|(?P<what>\?)",
    re.IGNORECASE,
)
# What may stand in an option beside moves.
_PLAIN = lazy(
    r"\b(?:first|then|throughout|at|all|not|the|to|it|its?|from|in|and|their|camera|gradually|speed|one|remains?|away|rotation|moving|movement"
    r"|turning|rotating|motion|no|then|speeds?|slows?|a|an|direction|both)\b|[\W\d_]+",
    re.IGNORECASE,
)
# "At first glance it looks clockwise, but it actually turns counter-clockwise"
_AT_FIRST = lazy(
    r"\bat\s+first(?:\s+(?:glance|sight|look)\b|(?=[^.;!?\n]*\b(?:actually|really|in\s+fact)\b)),?\s+"
    r"[^.;:!?,\n]{0,40}?\b(?:looks?|looked|seems?|seemed|appears?|appeared)\b[^.;:!?,\n]{0,60}[,;.]\s*but\b"
    r"(?!\s+(?:(?:it|he|she|they)\s+)?(?:then|later)\b)",
    re.IGNORECASE,
)
_REALLY = lazy(r"\bactually\s+", re.IGNORECASE)
_ASKED = lazy(r"(?<![^.!?\n])[^.!?\n]*\?")
_BOTH = lazy(r"\s*(?:and|und|et|y|&|/)\s*(?:to\s+the\s+|nach\s+|à\s+|a\s+la\s+)?", re.IGNORECASE)
_FIRST_THEN = lazy(r"\b(?:first|then|half|zuerst|dann|puis|luego|later)\b", re.IGNORECASE)
_NO_ACTION = lazy(r"\b(?:not?|no)\s+(?:\w+ing|movement|motion|rotation)(?:\s+at\s+all)?\b", re.IGNORECASE)
_BACK = lazy(
    r"\bback\s+(?=(?:to|towards?|down|up|left|right|and|again)\b)|\b(?:on|at)\s+the\s+(?:left|right)(?:\s+(?:side|hand|of))?\b|\bright\s+(?=(?:after|before|away|now)\b)|\bright\s+(?:hand|arm|foot|leg)\b|\bleft\s+(?:hand|arm|foot|leg)\b|\b(?:push|pull|pick|end|start|stand|set|sit|open|clos|light|hold|look|lean|bend)\w*\s+(?:it\s+)?(?:up|down)\b",
    re.IGNORECASE,
)
# What is said of a speed or a rate, in the words of the table: "then picks up again", "and levels off"
_PICKS_UP = lazy(
    r"\bpick(?:s|ed|ing)?\s+up(?=\s*(?:[.,;!]|$)|\s+(?:again|speed|(?:the|its|their)\s+(?:pace|speed|tempo)|pace|steam|momentum|towards?|near|at|in)\b)"
    r"(?:\s+(?:speed|(?:the\s+|its\s+|their\s+)?(?:pace|speed|tempo)|steam|momentum))?",
    re.IGNORECASE,
)
_LEVELS_OFF = lazy(
    r"\b(?:level(?:s|ed|ing|led|ling)?\s+(?:off|out)|plateaus?(?:ed|ing)?|stabili[sz]e[sd]?)\b", re.IGNORECASE
)
_LONGEST, _SHORT_ONLY = 320, 60


def _moves(text: str) -> tuple[str, ...] | None:
    """Returns the moves that a text names, one after the other; None where it is in doubt."""
    text = _without_looks(_BACK.sub(" ", _ASKED.sub(" ", text) if "?" in text else text))
    found: list[str] = []
    denied = False
    denied_moves = 0
    still = False
    previous = negated = -1
    for match in _PATTERN.finditer(text):
        name = match.lastgroup or ""
        if name.startswith("m"):
            # "left and right" tells no order
            if (
                previous >= 0
                and _BOTH.fullmatch(text, previous, match.start())
                and not _FIRST_THEN.search(text)
            ):
                return None
            previous = match.end()
            if (
                denied
                and _MOVES[int(name[1:])][0] == "still"
                and len(text[negated : match.start()].split()) < 3
            ):
                return None
        elif name == "neg":
            negated = match.end()
        if name == "end":
            if denied and not denied_moves and still:
                found.append("still")
            denied, denied_moves, still = match.group() == "," and denied, 0, False
        elif name == "neg":
            denied = True
        elif name == "verb":
            still = still or denied
        elif name == "back" and found and not denied and found[-1] in _OPPOSITES:
            found.append(_OPPOSITES[found[-1]])
        elif name == "back" and denied:
            denied_moves += 1  # "it never changes direction"
        elif name == "back" or (name == "doubt" and not denied):
            return None
        elif name.startswith("m"):
            move = _MOVES[int(name[1:])][0]
            if denied and move != "still":
                denied_moves += 1
            elif not found or found[-1] != move:
                found.append(move)
    if denied and not denied_moves and still:
        found.append("still")
    return _settled(found)


def _of_speed(text: str) -> str:
    """Returns a text in which what picks up speeds up, and what levels off is constant."""
    if "pick" in text.lower():
        text = _PICKS_UP.sub("speeds up", text)
    return _LEVELS_OFF.sub("constant", text)


def _without_looks(text: str) -> str:
    """Returns a text without what it says that a move looks like at first."""
    if "first" not in text or not _AT_FIRST.search(text):
        return text
    return _REALLY.sub(" ", _AT_FIRST.sub(" ", text))


def _settled(found: list[str]) -> tuple[str, ...]:
    """Returns moves without what comes twice in a row, or is still at both ends."""
    if len(found) > 1 and found[0] == found[-1] == "still":
        found = found[:1]
    return tuple(move for i, move in enumerate(found) if i == 0 or found[i - 1] != move)


@lru_cache(maxsize=256)
def _options(texts: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Returns the moves of each option; nothing where one is made of other words, or two are alike."""
    options = []
    for text in texts:
        if len(text) > _SHORT_ONLY:
            return ()
        moves = ("still",) if _NO_ACTION.fullmatch(text.strip(" .")) else _moves(text)
        rest = _PATTERN.sub(" ", text)
        if not moves or (moves != ("still",) and _PLAIN.sub("", rest)):
            return ()
        options.append(moves)
    return tuple(options) if len(set(options)) == len(options) > 1 else ()


def stated(text: str, texts: Sequence[str]) -> list[int]:
    """Returns the place of the option whose moves a text names; nothing where there is none, or in doubt.

    >>> stated("L'ascenseur monte.", ["Down.", "Up."])
    [1]
    >>> stated("It doesn't move.", ["Up.", "Not moving at all."])
    [1]
    >>> stated("It rises, then falls.", ["Rising.", "First rising then falling."])
    [1]
    >>> stated("At first glance it goes left, but then right.", ["Left.", "Right.", "Left then right."])
    [2]
    >>> stated("At first glance it looks left, but it moves right and never turns back.", ["Left.", "Right."])
    [1]
    """
    if len(text) > _LONGEST:
        return []
    options = _options(tuple(texts))
    if not options:
        return []
    rates = {move for option in options for move in option} & {"faster", "slower"}
    moves = _moves(_of_speed(text) if rates else text)
    if not moves:
        return []
    if _of_rates(options):
        moves = tuple(_RATES.get(move, move) for move in moves)
        options = tuple(tuple(_RATES.get(move, move) for move in option) for option in options)
    families = {_family(move) for option in options for move in option}
    moves = tuple(move for move, _ in itertools.groupby(move for move in moves if _family(move) in families))
    return [options.index(moves)] if moves in options else []


def has_other_phases(text: str, texts: Sequence[str]) -> bool:
    """Whether a text tells of two phases of a speed that are together none of the options.

    >>> has_other_phases("It speeds up, then levels off.", ["Decreasing, then speeds up.", "Increasing."])
    True
    """
    options = _options(tuple(texts)) if len(text) <= _LONGEST else ()
    if not options or not _of_rates(options):
        return False
    moves = tuple(_RATES.get(move, move) for move in _moves(_of_speed(text)) or ())
    return len(moves) > 1 and not stated(text, texts) and all(_family(move) == "speed" for move in moves)


_RATES = {"up": "faster", "down": "slower"}


def _of_rates(options: Sequence[tuple[str, ...]]) -> bool:
    """Whether what goes up and down in options is a rate: "increasing, then slows down"."""
    named = {move for option in options for move in option}
    together = any({*option} & {*_RATES} and {*option} & {*_RATES.values()} for option in options)
    rates = {tuple(_RATES.get(move, move) for move in option) for option in options}
    return together and named <= {*_RATES, *_RATES.values(), "constant"} and len(rates) == len(options)


def _family(move: str) -> str:
    """Returns which kind of move it is: a slope that a ball rolls down says nothing of its speed."""
    if move in ("faster", "slower", "constant"):
        return "speed"
    return "rotation" if "clockwise" in move else "still" if move == "still" else "direction"
