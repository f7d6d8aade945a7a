"""Scoring TempVS at the paper's size, against the official scorer's way of working.

The yardstick is written anew after `run_evaluation.py` and does the same work with the same tools, for all
six tests and four sources: pandas frames; the answers read by `str.extract`; `iterrows` and `.at` to compare
them, for the main rows, the groundings and three text-only models; and for every main row that is left one
filter over the grounding frame, for MT1 one for each of its events. Its numbers are checked to be ours.
"""

import ast
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pandas
import timing

from tempbench_lmms.tempvs import official, parser
from tempbench_lmms.tempvs.card import NON_EVENTS, TABLE_2

SIZES = {task: TABLE_2[test] for task, test in official.TEST_OF.items()}
"""Main rows by source."""
SEQUENCES = SIZES["ordering_images_opt_event"]
MODEL = "Qwen2-VL-7B-Instruct"
REPLIES = ("Option {}", "The answer is {}.", "({})", "{}", "I am not sure", "A dog runs, so Option {}")

Data = dict[str, dict[str, official.Predictions]]


def predictions_of(share: float, generator: random.Random) -> Data:
    """Returns random answers in the official layout, with that share of the paper's rows."""

    def answered(rows: list[dict[str, Any]], letters: str) -> list[dict[str, Any]]:
        return [row | {"preds": generator.choice(REPLIES).format(generator.choice(letters))} for row in rows]

    def main_row(task: str, source: str, sequence: int) -> dict[str, Any]:
        row: dict[str, Any] = {"img_seq_id": f"{source}_{sequence}"}
        if official.kind_of(task) == "mt1":
            size = "pair" if task.startswith("paired") else "triple"
            row[f"event_{size}_tuple"] = tuple(generator.sample(range(5), 2 if size == "pair" else 3))
            row |= {"event_pre": "Fred ran.", "event_post": "Wilma slept."}
            row["option_text"] = "A. True; B. False." if generator.random() < 0.5 else "A. False; B. True."
            return row | {"gt_option": generator.choice("AB")}
        orders = [" -> ".join(f"Image {letter}" for letter in generator.sample("abcde", 5)) for _ in "ABCDE"]
        row["options"] = ";\n".join(f"{a}. {order}" for a, order in zip("ABCDE", orders, strict=True))
        return row | {"gt_answer": orders[0].split(" -> "), "gt_option": generator.choice("ABCDE")}

    data: Data = {}
    for task, sizes in SIZES.items():
        data[task] = {}
        for source, n in sizes.items():
            n_sequences = max(2, int(SEQUENCES[source] * share))
            rows = [main_row(task, source, i % n_sequences) for i in range(max(2, int(n * share)))]
            letters = "AB" if official.kind_of(task) == "mt1" else "ABCDE"
            grounding = [
                {
                    "img_seq_id": f"{source}_{sequence}",
                    "gt_option": f"image {k + 1}",
                    "event_to_test": "Fred ran.",
                    "preds": f"Image {generator.choice([k + 1, k + 1, k + 1, generator.randint(1, 5)])}",
                }
                for sequence in range(n_sequences)
                for k in range(5)
            ]
            text_only = [] if "images" in task else [answered(rows, letters) for _ in official.TEXT_MODELS]
            data[task][source] = official.Predictions(answered(rows, letters), grounding, text_only)
    return data


def _cleaned(rows: Any, task: str) -> Any:
    """Returns the rows without non-events as a frame that says what passed; row by row."""
    frame = pandas.DataFrame(list(rows))
    columns = [name for name in frame.columns if name.startswith("event")]
    if columns:
        for name in columns:
            frame[name] = frame[name].astype(str)
        phrases = "|".join(NON_EVENTS)
        invalid = frame[columns].apply(lambda column: column.str.contains(phrases, case=False, na=False))
        frame = frame[~invalid.any(axis=1)]
    pattern = {"gt": r"(\d+)", "mt1": r"\b([AB])\b", "mt2": r"\b([ABCDE])\b"}[official.kind_of(task)]
    frame["answer"] = frame["preds"].str.extract(pattern, expand=False).fillna(parser.UNREADABLE)
    frame["pass"] = ""
    for index, row in frame.iterrows():
        frame.at[index, "pass"] = "true" if row["answer"] == row["gt_option"][-1] else "false"
    return frame


def yardstick(task: str, sources: dict[str, official.Predictions]) -> dict[str, int]:
    """Returns the official counts of one test, found as the official scorer finds them."""
    out = {"total_cases": 0, "all_grounding_success": 0, "main_task_success": 0}
    out["all_grounding_and_main_success"] = 0
    for given in sources.values():
        grounding = _cleaned(given.grounding, official.GROUNDING_TASK[task])
        main = _cleaned(given.main, task)
        if given.text_only:
            text_only = [_cleaned(rows, task) for rows in given.text_only]
            solved = []
            for index, _ in main.iterrows():
                if [frame.at[index, "pass"] for frame in text_only].count("true") >= 2:
                    solved.append(index)
            main = main.drop(solved)
        gates = []
        for _, row in main.iterrows():
            of_sequence = grounding["img_seq_id"]
            if official.kind_of(task) == "mt2":
                gates.append(list(grounding[of_sequence == row["img_seq_id"]]["pass"]))
                continue
            passed = []
            events = row["event_pair_tuple"] if "event_pair_tuple" in row else row["event_triple_tuple"]
            for event in ast.literal_eval(events):
                found = grounding[
                    (of_sequence == row["img_seq_id"]) & grounding["gt_option"].str.endswith(str(event + 1))
                ]
                if not found.empty:
                    passed.append(found.iloc[0]["pass"])
            gates.append(passed)
        right = list(main["pass"] == "true")
        grounded = ["false" not in passed for passed in gates]
        out["total_cases"] += len(main)
        out["all_grounding_success"] += sum(grounded)
        out["main_task_success"] += sum(right)
        out["all_grounding_and_main_success"] += sum(map(all, zip(right, grounded, strict=True)))
    return out


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields how many times faster our scores are than the official way."""
    warnings.simplefilter("ignore")  # as the official scorer does: it writes into parts of frames
    data = predictions_of(0.05 if quick else 1, random.Random(0))
    numbers: dict[str, dict[str, dict[str, Any]]] = {}

    def all_tests(name: str, score: Callable[[str, Any], Any]) -> Callable[[], None]:
        def scored() -> None:
            numbers[name] = {task: score(task, sources) for task, sources in data.items()}

        return scored

    ways = {
        "pandas": all_tests("pandas", yardstick),
        "official": all_tests("official", lambda *one: official.score(*one, MODEL)),
    }
    times = timing.side_by_side(ways, 2)
    for task, expected in numbers["pandas"].items():
        got = {name: numbers["official"][task][name] for name in expected}
        if got != expected:
            raise AssertionError(f"{task}: the yardstick gives {expected}, ours {got}")
    ratio = timing.over(times["pandas"], times["official"])
    yield timing.Row("TempVS, the paper's size: official scorer / ours", ratio, "x", at_least=50)
