"""The official rules that decide on a reply before a judge is asked, faults included.

Source: `eval_multi-choice.py`, `eval_yes_no.py`, `eval_caption_matching.py` and `utils/eval_utils.py`.
"""

import re
from collections.abc import Iterable

from tempbench_lmms.metrics.together import grouped
from tempbench_lmms.tempcompass_pairs.card import ASPECTS

LETTERS = ("A", "B", "C", "D")
_HEADS = re.compile("Sentence |Option |Caption ")


def rating(kind: str, reply: str | None, question: str, answer: str) -> int | None:
    """Returns the official rules' rating of a reply, 1 or 0; None if they ask the judge.

    Args:
        kind: One of `card.KINDS`.
        reply: The reply; None for a missing one, which is wrong and not judged.
        question: The official question with its options.
        answer: The official answer, whole.
    """
    if reply is None:
        return None
    reply = reply.replace("</s>", "").strip()
    if kind == "caption_matching":
        return _caption_matching(reply, question, answer)
    if kind == "yes_no":  # "Not ...", "None", "Nothing" and "Now" are "no" too
        said = next((word for word in ("yes", "no") if reply.lower().startswith(word)), None)
        return None if said is None else int(said == answer)
    if reply[:1] in LETTERS and (len(reply) == 1 or reply[1] in ".)"):
        return int(reply[0] == answer[0])
    return 1 if reply == answer else None


def _caption_matching(reply: str, question: str, answer: str) -> int | None:
    """Of a label, a text and a whole option that a reply equals, the last one in this order counts: label."""
    options = question.split("\n")[1:]
    labels, texts = ([option.split(": ")[part] for option in options] for part in (0, 1))
    said = reply if reply in options else None
    behind = reply.split(") ")[1] if ") " in reply else reply
    known = [(text, (reply, behind)) for text in texts]
    known += [
        (label, (reply, reply.replace(".", "")))
        for label in [*labels, *(_HEADS.sub("", label) for label in labels)]
    ]
    said = next((one for one, forms in reversed(known) if one in forms), said)
    if said is None:
        return None
    label, text = answer.split(": ")[:2]
    return int(said in (answer, answer.split(":")[0], text, label.split()[1]))


def printed(rated: Iterable[tuple[str, int]]) -> dict[str, float]:
    """Returns what the official code prints: percent right by aspect and overall, rounded to one decimal."""
    by_aspect = grouped(rated)
    shares = {aspect: by_aspect[aspect] for aspect in ASPECTS if aspect in by_aspect}
    shares["avg"] = [one for own in by_aspect.values() for one in own]
    return {name: round(sum(own) * 100 / len(own), 1) for name, own in shares.items() if own}
