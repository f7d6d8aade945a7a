"""How replies are read: which rule reads what share, and how often it is wrong.

Without arguments: the labelled replies of the tests (`tests/parsing/replies.jsonl`), as a table of the rules.
With `--tempcompass DIR`: the recorded replies of TempCompass (`predictions/`, `auto_eval_results/`), for each
model and kind the share that is left unread and the share in which our reading differs from the official
judgement; `--show` lists those.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import timing

from tempbench_lmms.parsing.reading import REASONS
from tempbench_lmms.tempcompass_pairs import offline


def tempcompass(root: Path, show: bool) -> None:
    """Prints the shares for each model and kind."""
    for scored in offline.score_files(root / "predictions", root / "auto_eval_results"):
        if not scored.judged:
            continue
        questions = scored.questions
        unread = [one for one in questions if not one.record["parsed"]]
        other = [one for one in questions if one.record["parsed"] and one.record["correct"] != one.rating]
        n = len(questions)
        print(
            f"{scored.model:20} {scored.kind:16} n {n}  unread {len(unread) / n:.2%}  "
            f"other than the official judgement {len(other) / n:.2%}"
        )
        for one in other if show else ():
            reply = one.record["reply"][:300]
            print(f"    {one.record['how']}: {one.row['question']!r} -> {reply!r}, judged {one.rating}")


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
