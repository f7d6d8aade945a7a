"""The words by which replies are read, by meaning; within a meaning by language.

Everything that depends on a language stands here: English, Chinese (simplified and traditional), Japanese,
Korean, German, French and Spanish, and of Italian, Portuguese and Russian what short replies need. The stages
build their patterns from these tables with `any_of`; a language is added by adding words, not patterns.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tempbench_lmms.parsing.numerals import CARDINALS
from tempbench_lmms.parsing.patterns import UNSPACED, WORD_BEGINS, WORD_ENDS, lazy

_CJK = lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def any_of(words: Iterable[str]) -> str:
    """Returns a pattern for any of some words, the longest first, each as a word of its own.

    Chinese, Japanese and Korean put no space between words, so theirs are found within a text; a space in a
    word is any white space.

    >>> re.findall(any_of(["is", "是"]), "this is, 答案是B")
    ['is', '是']
    """
    words = set(words)
    inner = {word for word in words if _CJK.search(word)}
    parts = []
    if plain := words - inner:
        parts.append(rf"{WORD_BEGINS}{tree(plain)}{WORD_ENDS}")
    if inner:
        parts.append(f"{UNSPACED}{tree(inner)}")
    return f"(?:{'|'.join(parts)})"


def tree(words: Iterable[str]) -> str:
    """Returns a pattern for any of some words that looks once at what several words begin with.

    An alternation of all words would try each of them at each word of a text.
    """
    root: dict[str, Any] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        node = root
        for sign in word:
            node = node.setdefault(sign, {})
        node[""] = {}
    return _branches(root)


def _branches(node: dict[str, Any]) -> str:
    """Returns the pattern for what may follow a beginning; the longest word comes first."""
    ends = "" in node
    parts = [
        (r"\s+" if sign == " " else re.escape(sign)) + _branches(rest) for sign, rest in node.items() if sign
    ]
    if not parts:
        return ""
    if len(parts) == 1 and not ends:
        return parts[0]
    # An empty branch costs less than a repeat of nought or one.
    return f"(?:{'|'.join(parts)}{'|' if ends else ''})"


def _words(text: str) -> tuple[str, ...]:
    """Splits a table of words at bars and ends of lines."""
    return tuple(word.strip() for word in re.split(r"[|\n]", text) if word.strip())


def _numbered(*tables: str) -> dict[str, int]:
    """Returns what each word of some tables stands for, from 1 on; "/" divides words of one number."""
    return {
        word: place
        for table in tables
        for place, group in enumerate(table.split(), start=1)
        for word in group.split("/")
    }


# What an answer is called, and what comes between that and the answer.

ANSWER = _words(
    """answer|answers|solution|verdict|conclusion|final order|prediction|response|final result
    final count|final decision|total|count|total count|sum|gesamt|合计|总数|合計|総数|합계
    antwort|lösung|ergebnis|réponse|solución|respuesta|risposta|resposta|ответ|cevap|odpowiedź|jawaban
    antwoord
    判断:|判斷:|判断结果|判定:|判定結果|判断結果|판단:|판정:|bewertung|urteil
    答案|答え|回答|解答|正解|結論|结论|정답|답변|답|결론"""
)
# What an answer is called by what was asked for: it announces the answer, but not by itself.
ASKED_FOR = _words(
    """relation|odd one out|odd one|outlier|anomaly|anomalous image|odd image|misplaced image|image out of place
    intruder|wrong image|image anormale|anomalie|intrus|image intruse|ausreißer|falsches bild|bild am falschen platz
    imagen fuera de lugar|intruso|immagine fuori posto|intrusa|лишнее изображение|лишняя картинка|лишнее|аномалия
    异常图像|异常图片|异常的是|不符合的是|異常な画像|仲間外れ|이상한 이미지|dependency order|temporal relation|relationship"""
)
OPTION = _words(
    """option|options|choice|letter|alternative|item|pair|selection|pareja|antwortmöglichkeit|auswahl|wahl|paar
    choix|paire|opción|opcion|bildpaar|bilderpaar|coppia|paire d'images|par de imágenes|coppia di immagini
    elección|par|opzione|scelta|opção|optie|вариант|пара|选项|選項|選択肢|选择|選択|选|選|選ぶ|선택지|선택|보기|配对|ペア|组|組|번"""
)
IS = _words(
    """is|are|was|were|be|would be|should be|must be|will be|has to be|seems to be|appears to be|gotta be|got to be|ought to be|seems
    remains|equals|becomes
    lautet|ist|wäre|sind|est|serait|sont|es|sería|son|è|sarebbe|é|seria|это
    是|为|為|就是|应该是|應該是|应为|は|が|은|는|이|가|となります|になります"""
)
CORRECT = _words(
    """correct|right|best|most likely|most accurate|most appropriate|most suitable|most plausible
    most probable
    most possible|final|confirmed|my|proper|accurate|true one|answer|valid|only|revised|corrected
    finale|finalen|richtig|richtige|korrekte|korrekt|beste|richtigen|bonne|correcte|juste|exacte|correcta|correcto|mejor
    corretta|correta|правильный|正确|正確|正しい|最终|最終|最终的な|最終的な|最も適切な|最佳|맞는|올바른|최종"""
)
# Before a value: the reply chooses it.
CHOOSE = _words(
    """i'd take|i would take|i'll take|i will take|we take|choose|chose|choosing|pick|picked|select|selected|selecting|go with|going with|go for|opt for|i arrive at
    vote for
    settling on|settle for|went with|went for|going for|opted for|ended up with|locking in|lock in|points towards|point towards|points toward|point toward|money is on|leaning towards|leaning toward|lean towards|lean toward|leaning to|would say
    tick|i say|i'd say|say|stick with
    sticking with|es bleibt|bleibt nur|guess|my guess is|best guess is|best guess|bet on|answering|answered|leaves|leaving
    leaves only|favor|favour|prefer|declare|inclined to|estimate|most likely|more likely|wins
    wähle|nehme|entscheide mich für|tippe auf|choisis|choisirais|opte pour|dirais|elijo|escojo|elegiría
    diría|scelgo|escolho
    选|選|选择|選擇|我选|應選|应选|選び|선택은"""
)
# Before a value: the reply takes it instead of an earlier one.
SWITCHES = _words(
    """correct it to|change it to|revise it to|revise my answer to|revised my answer to|correct my answer to
    update my answer to|updating my answer to|adjust my answer to|change my answer to|changing my answer to
    changed my answer to|change my mind to|change to|changing to|changed to|switch to|switching to|switched to|revise to
    revising to|revised to|make that|make it|correct that to|corrected to|correcting to|settle on|settled on
    ändere auf|korrigiere auf|wechsle zu|je passe à|cambio a|改为|改選|改选|改成|変更"""
)
# Before a value, behind an earlier one: what was said before is taken back.
TAKES_BACK = _words(
    """wait|no wait|actually|correction|scratch that|strike that|forget that|let me correct|i was wrong
    i take that back|hold on|sorry|i mean|my mistake|oops|rather|no|nope|more precisely|on second thought|on reflection
    on closer look|on a closer look|on closer inspection|looking closer|looking again|checking again
    korrektur|nein|vielmehr|genauer|pardon|correction|plutôt|non|corrección|mejor dicho|perdón
    更正|不对|不對|いや|訂正|아니|정정"""
)
# What a reply calls the thought that it began with.
FIRST_ADJECTIVE = _words(
    "first|initial|original|earlier|previous|erster|erste|ursprüngliche|première|primera|primer"
)
FIRST_NOUN = _words(
    """thought|guess|answer|pick|choice|impression|idea|instinct|try|attempt|reading|hunch|inclination|reaction
    look|glance|sight|count|estimate|tally|response|draft|version|gedanke|eindruck|antwort|idée|impression|réponse
    impresión|respuesta|idea"""
)
THEREFORE = _words(
    """this gives|which gives|so|thus|therefore|hence|accordingly|consequently|then|which makes|this makes|that makes|meaning
    i.e.|ie|namely|overall
    in conclusion|in total|in all|altogether|to conclude|in short|finally|conclude that|conclude
    concludes|implies|indicates|=|=>|->|→|⇒|➜|➔|➞|⇨|⟶|👉
    this is|that is|that's|it's|it is|it must be|this must be|must be|this would be|corresponds to
    matches|match|which is|which are|identified as|points to
    also|daher|somit|deshalb|darum|deshalb|folglich|insgesamt|donc|ainsi|par conséquent|au total|por lo tanto|por tanto
    así que|entonces
    en total|quindi|dunque|portanto|logo|значит|поэтому|因此|所以|故|于是|那么|总共|一共|共|即|よって|したがって|なので|だから|従って|ため
    合計|따라서|그러므로|그래서|총|결론적으로"""
)
# Words that may stand between such a lead and the value.
FILLER = _words(
    """the|a|an|that|to be|most likely|likely|probably|clearly|definitely|certainly|simply|just|about
    around|roughly|approximately
    exactly|only|rather|actually|therefore|indeed|as follows|number|letter|in|of|with|for|option|choice|answer
    der|die|das|den|dem
    la|le|les|el|los|las|l'|il|lo|une|un|una|wahrscheinlich|etwa|ungefähr|probablement|environ|probablemente|aproximadamente|unos|として|の|、|第|약|정확히|大约|约|約|应该|很可能|最有可能|おそらく"""
)

NOT = _words(
    """no reason to say|no reason to choose|no reason to pick|no reason for|tempted to say|tempted to choose|tempted to pick
    tempted to answer|tempted to go with|tempted by|not|n't|nt|cannot|never|neither|nor|no|none|nobody|without|hardly|except|unlike|instead of
    rather than|other than|as opposed to
    exclude|excludes|excluded|excluding|eliminate|eliminated|eliminates|eliminating|rule out|ruled out
    rules out|ruling out
    discard|reject|rejected|dismiss|than|versus|vs|isnt|arent
    nicht|kein|keine|keiner|weder|noch|anstatt|statt|pas|ne|ni|plutôt que|aucun|aucune|tampoco
    en lugar de|non|não|не|нет
    不是|并非|不会|不能|不|没有|没|非|无|而不是|排除|ではなく|ではない|じゃない|しない|していない|ありません|아니라|아니|않"""
)
OR = _words("or|oder|ou|o|или|또는|或|或者|还是|または|それとも|か|아니면|이나|and/or")
AND = _words("and|und|et|y|e|и|&|和|与|と|及|및|과|와")
MAYBE = _words(
    """might|may|could|maybe|perhaps|possibly|can be|könnte|könnten|vielleicht|möglicherweise|pourrait
    peut-être|podría|quizás|quizá
    tal vez|可能|也许|或许|かもしれ|아마|수도 있"""
)
IF = _words(
    "if|whether|unless|assuming|suppose|supposing|provided that|were|wenn|falls|ob|si|如果|若|假如|もし|なら|만약"
)
CORRECTION = _words(
    """wait|actually|correction|on second thought|on reflection|scratch that|let me correct|i was wrong
    i take that back|hold on|sorry|no wait
    let me revise|revised|revising|reconsider|reconsidering|re-check|rechecking|looking again
    let me check again|hmm|my mistake|oops|i mean|in fact
    correct myself|let me double-check|let me double check|double-checking
    instead|initially|at first|at first glance|moment|halt|korrektur|eigentlich|doch|nein|attendez
    en fait|finalement|espera|en realidad|corrección|mejor dicho
    等等|不对|更正|其实|实际上|いや|待って|訂正|実際は|잠깐|아니|정정|사실"""
)

TRUE = _words(
    """supported|verified|certo|esatto|giusto|stimmt|trifft zu|c'est vrai|c'est exact|es cierto|es verdad|es correcto|成立|属实|符合|true|yes|correct|right|accurate|yeah|yep|affirmative|wahr|richtig|ja|korrekt|vrai|oui|correcte
    exact|verdadero|verdadera|sí|sì|correcto|cierto|vero
    verdadeiro|sim|да|правда|верно|正确|正確|对|對|真|是|是的|正しい|はい|真実|正|その通り|참|맞다|맞습니다|예|네|사실"""
)
FALSE = _words(
    """negative|refuted|contradicted|disproved|unsupported|errado|sbagliato|stimmt nicht|trifft nicht zu|nicht wahr|nicht richtig|ce n'est pas vrai|c'est faux|no es cierto|no es verdad|no es correcto
    不成立|不属实|不符合|false|no|incorrect|wrong|inaccurate|untrue|nope|absolutely not|definitely not|certainly not|no way|falsch|nein|unwahr|inkorrekt|faux|non|incorrecte
    inexact|falso|falsa|incorrecto|нет|ложь
    неверно|错误|錯誤|错|錯|不对|不正确|假|否|不是|誤り|間違い|いいえ|正しくない|偽|嘘|거짓|아니오|아니요|틀렸습니다|틀리다|틀림"""
)
# What answers a question for yes or no where it is the whole reply.
ASSENT = _words(
    """absolutely|certainly|definitely|of course|indeed|exactly|sure|surely|obviously|undoubtedly|without a doubt|no doubt|precisely|sure thing
    by all means|natürlich|natürlich ja|selbstverständlich|jawohl|genau|auf jeden fall|gewiss|bien sûr|bien sûr que oui|tout à fait|absolument
    certainement|exactement|effectivement|claro|claro que sí|por supuesto|desde luego|efectivamente|exacto|certamente|certo che sì|assolutamente sì
    com certeza|claro que sim|конечно|разумеется|безусловно|当然|当然是|有|有的|没错|是的，没错|是的,没错|確かに|もちろん|もちろんです|そうです|その通りです|そうですね|그렇습니다|그래요|물론입니다|물론이죠|당연하죠"""
)
DISSENT = _words(
    """definitely not|absolutely not|certainly not|of course not|not at all|by no means|not really|never|in no way|surely not|clearly not|not in the least|far from it|obviously not
    natürlich nicht|auf keinen fall|keineswegs|überhaupt nicht|sicher nicht|gar nicht|pas du tout|bien sûr que non|absolument pas|certainement pas|pas vraiment|jamais
    claro que no|en absoluto|por supuesto que no|de ninguna manera|para nada|nunca|assolutamente no|certo che no|per niente|claro que não|de jeito nenhum|конечно нет|вовсе нет
    ни в коем случае|没有|并没有|并不是|当然不是|不是的|不，没有|违います|違います|ちがいます|そうではありません|いいえ、違います|아닙니다|그렇지 않습니다|아니에요|전혀 아닙니다"""
)
# Of a statement: it says so, and not the word "right" of a place or the word "no" before a noun.
HOLDS = _words(
    "true|correct|accurate|consistent|valid|supported|reasonable|logical|coherent|sensible|wahr|richtig|korrekt|zutreffend|vrai|vraie|exacte"
    "|verdadera|correcta|cierta"
)
FAILS = _words(
    """false|incorrect|inaccurate|inconsistent|untrue|wrong|invalid|contradicted|unsupported|falsch
    unzutreffend|faux|fausse|inexacte|falsa
    incorrecta"""
)

# What a statement is called, and what it does.
CLAIM = _words(
    """statement|claim|sentence|assertion|description|proposition|hypothesis|caption|aussage|behauptung
    affirmation|énoncé|afirmación|declaración|enunciado"""
)
AGREES = _words(
    """hold|holds|hold up|holds up|stand|stands|hold true|holds true|check out|checks out|add up|adds up
    match|matches|agree|agrees|fit|fits|apply|applies|stimmt|trifft zu|tient|se cumple"""
)
DENIES = _words(
    """disagree|differ|contradict each other|contradict one another|fails|falls apart|misses|contradicts|conflicts|clashes|disagrees|is refuted|is disproved
    is contradicted|is off|is at odds|is bogus|is mistaken|is unsupported|is inconsistent"""
)
IN_ORDER = _words(
    """in order|in sequence|in chronological order|sorted|in the right order|in the correct order
    in the proper order|ordered correctly|ordered|chronological|in der richtigen reihenfolge|dans l'ordre
    en orden"""
)

# Numbers.

ORDINAL = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th",
    "erste/ersten/erstes/erster zweite/zweiten/zweites/zweiter dritte/dritten/drittes/dritter vierte/vierten/viertes fünfte/fünften/fünftes",
    "_ _ _ _ _ sechste/sechsten siebte/siebten achte/achten neunte/neunten zehnte/zehnten",
    "première/premier deuxième/seconde troisième quatrième cinquième sixième septième huitième neuvième dixième",
    "primera/primero/primer segunda/segundo tercera/tercero/tercer cuarta/cuarto quinta/quinto sexta/sexto séptima octava novena décima",
    "prima seconda terza quarta quinta sesta settima ottava nona decima",
    "первое/первый/первая/первой второе/второй/вторая третье/третий/третья четвертое/четвёртое/четвертый пятое/пятый шестое седьмое восьмое девятое десятое",
)
ORDINAL.pop("_", None)
LAST = _words(
    "last|final|letzte|letzten|letztes|dernière|dernier|última|último|ultima|последнее|最后|最後|마지막"
)
# Places in a row, counted from its other end: the one before the last, and what follows an ordinal.
PENULTIMATE = _words(
    """penultimate|second to last|second-to-last|next to last|next-to-last|last but one|second last
    vorletzte|vorletzten|vorletztes|avant-dernière|avant-dernier|penúltima|penúltimo|倒数第二|最后第二
    最後から2番目|끝에서 두 번째"""
)
FROM_START = _words(
    """from the left|from left|from the start|from the beginning|from the top|in the row|in the sequence
    in the series|von links|de gauche|à partir de la gauche|desde la izquierda|por la izquierda|从左|左から"""
)
FROM_END = _words(
    """from the right|from right|from the end|from the bottom|from last|to last|von rechts|von hinten
    en partant de la droite|en partant de la fin|desde la derecha|por la derecha"""
)
LAST_PLACE = _words("最后一张|最後一張|最后一幅|最後の一枚|最後の画像|最後の写真|마지막 이미지|마지막 사진")
CIRCLED = {sign: place for place, sign in enumerate("①②③④⑤⑥⑦⑧⑨⑩")}
"""A circled number marks an option by its place, from 0 on."""
CARDINAL = (
    {word: value for value, word in enumerate(CARDINALS)}
    | {
        "dozen": 12,
        "half a dozen": 6,
        "two dozen": 24,
        "once": 1,
        "twice": 2,
        "thrice": 3,
        "no": 0,
        "none": 0,
        "single": 1,
    }
    | _numbered(
        "ein/eine/einen/einmal zwei/zweimal drei/dreimal vier/viermal fünf/fünfmal sechs/sechsmal sieben/siebenmal"
        " acht/achtmal neun/neunmal zehn/zehnmal elf/elfmal zwölf/zwölfmal dreizehn vierzehn fünfzehn",
        "une/un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze",
        "una/uno/un dos tres cuatro cinco seis siete ocho nueve diez _ doce trece catorce quince",
        "um/uma dois/duas três quatro _ _ sete oito nove dez onze _ treze quatorze quinze",
        "_ _ tre quattro cinque _ sette otto _ dieci undici dodici tredici quattordici quindici",
        "один/одна/одно/однажды два/две/дважды три/трижды четыре/четырежды пять шесть семь восемь девять десять"
        " одиннадцать двенадцать тринадцать четырнадцать пятнадцать",
    )
    # "due" and "sei" are words of other languages, too.
    | {
        "due volte": 2,
        "sei volte": 6,
        "null": 0,
        "keinmal": 0,
        "zéro": 0,
        "cero": 0,
        "ninguna": 0,
        "aucune": 0,
    }
)
CARDINAL.pop("_", None)
CJK_DIGIT = {
    **{sign: value for value, sign in enumerate("〇一二三四五六七八九十")},
    "零": 0,
    "两": 2,
    "兩": 2,
    **{
        word: value
        for value, word in enumerate(
            ["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"], start=1
        )
    },
    "첫": 1,
}

# Nouns.

IMAGE = _words(
    """image|images|img|picture|pictures|photo|photos|photograph|aufnahme|figure|panel|frame|position|scene|option
    number|bild|bilder|foto|position|pic|pics|snapshot|one numbered|nummer|número|numéro|numero|номер
    imagen|imágenes|imagem|immagine|görsel|resim|изображение|картинка|图像|图片|图|図|照片|画像|写真|이미지|사진|그림|張|张"""
)
# What an image's number is called where no space is between words: "正确的图片编号是 2".
NUMBER = _words("编号|編號|序号|序號|番号|번호|号码")
TIMES = _words(
    """times|time|circles|flashes|mal|male|fois|veces|vez|vezes|volte|volta|раз|раза|次|回|度|번|회|圈|周|遍|下"""
)

# Orders.

EARLIEST = _words(
    "earliest|oldest|first|early|älteste|früheste|plus ancien|plus ancienne|más antigua|más antiguo|最早|最古"
    "|最も古い|一番古い|가장 오래된|가장 이른"
)
LATEST = _words(
    """latest|newest|most recent|last|recent|late|neueste|neuesten|jüngste|späteste|plus récent
    plus récente|más reciente|más nueva|最晚|最新|最近
    最も新しい|一番新しい|가장 최근|가장 늦은"""
)
SHORTEST = _words(
    "shortest|smallest|least|lowest|kürzeste|kürzesten|plus court|plus courte|más corto|más corta|最短|가장 짧은"
)
LONGEST = _words(
    "longest|largest|greatest|most|highest|längste|längsten|größte|größten|plus long|plus longue|más largo|más larga|最长"
    "|最長|가장 긴"
)
REVERSED = _words(
    "reverse chronological|reverse of|the opposite of|reversed|reverse order|backwards|backward|descending|rückwärts|umgekehrt"
    "|inverse|inverso|倒序|逆順|逆时间|역순"
)

# What an image does in an order, and what was done with it: "Image 1 came first", "was taken last".
HAPPENS = _words(
    """is|was|comes|came|goes|went|ranks|ranked|stands|stood|happens|happened|occurs|occurred|appears|appeared
    must be|should be|would be|has to be|must come|should come|kommt|kam|vient|viene"""
)
TAKEN = _words("taken|shot|captured|photographed|recorded|placed|ranked|made|aufgenommen|prise|tomada")
# Before the earlier of two: "Image 2 came after Image 1".
FOLLOWS = _words("after|follows|followed|later than|newer than|more recent than|nach|après|después de|dopo")
# What tells that items are named in their order, and what may turn that round or leave it open.
ORDER_EVIDENCE = _words(
    """first|then|next|finally|lastly|at the end|ends|followed by|order|sequence|zuerst|dann|danach|zuletzt
    am ende|reihenfolge|d'abord|puis|ensuite|enfin|à la fin|ordre|primero|luego|después|finalmente|orden
    prima|poi|infine|先|然后|接着|最后|顺序|まず|次に|最後|順|먼저|다음|마지막|순서"""
)
ORDER_TURNED = _words(
    """before|after|backwards|backward|reverse|reversed|preceded|previous|previously|prior|earlier|later
    follows|which follows|starting at the end|from the end|from last|latest first|last image|swap|swapped
    either|or|not|n't|isn't|can't|doesn't|maybe|perhaps|might|could|if|vor|vorher|rückwärts|nicht|oder
    avant|après|pas|ou|antes|no|o|之前|之后|倒|不|或|前に|後に|逆|または|거꾸로|전에|후에|또는|between|option|options"""
)

# Classes of a pair of steps.

BEFORE = _words(
    "before|prior|precedes|vor|vorher|davor|avant|antes|prima|перед|до|之前|以前|前|先|前に|前です|이전|전|먼저"
)
AFTER = _words(
    "after|follows|nach|nachher|danach|après|después|dopo|depois|после|之后|以后|后|後|後に|이후|후|나중"
)
PARALLEL = _words(
    """parallel|paralell|parralel|paralel|parallell|independent|independently|simultaneously|unabhängig|parallele|parallèle|indépendant
    indépendants|paralelo|independiente|independientes
    parallelo|indipendente|paralelamente|параллельно|независимо|并行|平行|独立|同时|並行|並列|同時|병렬|병행|독립|독립적|동시"""
)

DEPENDS = _words(
    """depends on|dependent on|relies on|requires|needs|uses|must wait for|has to wait for|must wait until|has to wait until
    waits for|waits until|builds on|presupposes"""
)

# Between two steps: what comes before the word comes first, or last; and what says that no order is needed.
BEFORE_STEP = _words(
    """before|prior to|ahead of|earlier than|sooner than|precedes|precede|preceding|preceded|vor|bevor|avant
    avant de|antes que|antes de|antes del|prima di|prima del|prima dello|prima della|перед"""
)
AFTER_STEP = _words(
    """after|later than|follows|follow|following|subsequent to|nach|nachdem|après|después de|después del
    después que|dopo|depois de|после"""
)
NEEDED_FOR = _words(
    """precondition of|precondition for|prerequisite of|prerequisite for|prerequisite to|requirement of
    requirement for|condition for|condition of|needed for|needed by|needed in|required for|required by
    required in|necessary for|used in|used by|used for|enables|feeds into|leads to|basis for|basis of
    provides for|input of|input for|input to|voraussetzung für|nötig für|nécessaire pour|nécessaire à|necesario para|requisito de
    requisito para|leads into|allows for|makes possible"""
)
FREE_ORDER = _words(
    """any order|either order|whichever order|whatever order|no particular order|no fixed order
    no specific order|independent of each other|independent of one another|independent from each other
    independent from one another|independently of each other|independently of one another|are independent
    is independent of|mutually independent|no dependency|no dependence|no dependencies|not depend on each other
    don't depend on each other|not depend on one another|don't depend on one another|doesn't matter which
    not matter which|doesn't matter whether|not matter whether|doesn't matter in which|not matter in which
    unabhängig voneinander|voneinander unabhängig
    sind unabhängig|sont indépendants|sont indépendantes|son independientes|sono indipendenti
    are unrelated|no bearing on|independently|nothing to do with|n'importe quel ordre|cualquier orden|互不影响|互不依赖|互不相干|互不干扰|相互独立|互相独立|彼此独立|没有依赖|无依赖
    互いに独立|独立して|依存関係はありません|서로 독립|독립적"""
)
SAME_TIME = _words(
    """in parallel|at the same time|simultaneously|concurrently|side by side|gleichzeitig|en même temps
    en parallèle|simultanément|al mismo tiempo|a la vez|en paralelo|simultáneamente|in parallelo
    contemporaneamente|allo stesso tempo|ao mesmo tempo|em paralelo|同时进行|同时执行|同时做|可以同时|并行进行|并行执行|可以并行
    同時に|並行して|並列に|並行に|동시에|병렬로|병행"""
)

# Video times.

BEGINS = _words(
    """kicks off|kicked off|kicking off|kick off|commences|commenced|commencing|commence|sets in|set in|sets off
    set off|takes off|initiates|initiated|launches|launched|gets going|got going|gets underway|got underway
    gets under way|gets started|emerges|emerged|appears|appeared|comes up|came up|beginnt|begann|startet|setzt ein
    commence à|débute|commence|empieza|empezó|comienza|comenzó|inizia|começa"""
)
ENDS = _words(
    """wraps up|wrapped up|wrapping up|wrap up|winds down|wound down|winding down|comes to an end|came to an end
    coming to an end|comes to a close|draws to a close|comes to a stop|is over|are over|was over|is done|is finished
    ceases|ceased|ceasing|cease|terminates|terminated|terminating|terminate|halts|halted|disappears|disappeared
    completes|completed|is complete|concluded|concluding|endet|endete|hört auf|se termine|finit|prend fin|s'achève
    termina|terminó|acaba|acabó|finaliza|finisce"""
)

SECOND = _words(
    "seconds|second|secs|sec|s|sekunden|sekunde|sek|segundos|segundo|secondes|seconde|secondi|secondo|сек|секунд"
    "|秒钟|秒|초"
)
MINUTE = _words("minutes|minute|mins|min|minuten|minutos|minuto|minuti|分钟|分|분")
"""Words for the units of time."""
VIDEO_START = _words(
    """anfang des videos|anfang|beginn des videos|beginn|début de la vidéo|début|inicio del vídeo|inicio del video
    principio del vídeo|principio|comienzo del vídeo|comienzo|inicio|inizio del video|inizio|начала|视频开头|视频开始
    影片開頭|开头|開頭|一开始|開始|开始|動画の最初|最初|冒頭|영상 처음|처음|시작"""
)
VIDEO_END = _words(
    """ende des videos|ende|schluss|fin de la vidéo|fin de la video|fin del vídeo|fin del video|final del vídeo
    final del video|el final|la fin|fine del video|la fine|fim do vídeo|конца видео|конца|视频结尾|视频结束|影片結束|结尾|结束
    動画の最後|動画の終わり|終わり|最後まで|영상 끝|끝|마지막까지"""
)
"""The edges of a video, beside the English ones, which have patterns of their own."""


def value_of(word: str, table: Mapping[str, int]) -> int | None:
    """Returns the number that a word stands for in a table; None where it stands for none."""
    return table.get(word.lower())
