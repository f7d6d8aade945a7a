"""How replies are read: which rule reads what share, and how often it is wrong.

Without arguments: the labelled replies of the tests (`tests/parsing/replies.jsonl`), as a table of the rules.
With `--tempcompass DIR`: the recorded replies of TempCompass (`predictions/`, `auto_eval_results/`), for each
model and kind the share that is left unread and the share in which our reading differs from the official
judgement; `--show` lists those.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import timing

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Choice, Truth
from tempbench_lmms.parsing.reading import REASONS

MODELS = ("gemini", "reka-core-20240501", "video-llava")
KINDS = ("multi-choice", "yes_no")
_OPTION = re.compile(r"^\s*([A-G])[.)]\s*(.*)$", re.MULTILINE)


def judged(root: Path, model: str, kind: str) -> Iterator[dict[str, Any]]:
    """Yields the recorded replies of one model with their official judgement."""
    text = (root / "auto_eval_results" / model / f"{kind}.json").read_text(encoding="utf-8")
    for aspects in json.loads(text).values():
        for replies in aspects.values():
            yield from replies


def read_one(row: dict[str, Any], kind: str) -> tuple[str, bool]:
    """Returns by which rule, or for which reason not, a reply is read, and whether it is called right."""
    reply, gold = row["video-llm-prediction"] or "", row["gt-answer"]
    if kind == "yes_no":
        truth = reader.read(reply, Truth(), row["question"])
        return truth.how or truth.reason or "", truth.value == (gold == "yes")
    options = _OPTION.findall(row["question"])
    letters = "".join(letter for letter, _ in options)
    choice = reader.read(reply, Choice(letters, tuple(text.strip() for _, text in options)), row["question"])
    return choice.how or choice.reason or "", choice.value == gold[0]


def tempcompass(root: Path, show: bool) -> None:
    """Prints the shares for each model and kind."""
    for model in MODELS:
        for kind in KINDS:
            rows = [(row, *read_one(row, kind)) for row in judged(root, model, kind)]
            unread = [row for row, how, _ in rows if how in REASONS]
            other = [
                (row, how) for row, how, right in rows if how not in REASONS and right != bool(row["rating"])
            ]
            print(
                f"{model:20} {kind:12} n {len(rows)}  unread {len(unread) / len(rows):.2%}  "
                f"other than the official judgement {len(other) / len(rows):.2%}"
            )
            for row, how in other if show else ():
                reply = row["video-llm-prediction"][:300]
                print(f"    {how}: {row['question']!r} -> {reply!r}, judged {row['rating']}")


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields for each rule the share of the labelled replies of the tests that it reads, and misreads."""
    from tests.parsing.replies import load, verdicts

    found = list(load())[:: 10 if quick else 1]
    said = verdicts(found)
    yield timing.Row("read as another answer", [100 * said["misread"] / len(found)], "%", at_most=0.3)
    wrong = 100 * (said["misread"] + said["unread"]) / len(found)
    yield timing.Row("read as another answer, or not at all", [wrong], "%", at_most=2)
    rules, misread = Counter[str](), Counter[str]()
    for row in found:
        rules[row.how] += 1
        misread[row.how] += row.verdict() == "misread"
    for rule, n in rules.most_common():
        kind = "no answer" if rule in REASONS else "rule"
        yield timing.Row(f"{kind}: {rule}", [100 * n / len(found)], "%")
        if misread[rule]:
            yield timing.Row(f"{kind}: {rule}, misread", [100 * misread[rule] / len(found)], "%")


def main() -> None:
    """Prints what was asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tempcompass", type=Path, help="a checkout of llyx97/TempCompass")
    options.add_argument("--show", action="store_true", help="list the replies that are judged otherwise")
    args = options.parse_args()
    if args.tempcompass:
        tempcompass(args.tempcompass, args.show)
    else:
        for line in timing.table(rows(quick=False)):
            print(line)


if __name__ == "__main__":
    main()
