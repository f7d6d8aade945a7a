"""Reads what text models answered without pictures, which the release brings.

By the paper's protocol a two-choice or sentence-ordering question that at least two of three text models
solve is left out. It stays in the data, marked, and the official numbers are computed without it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import official
from tempbench_lmms.tempvs.imports import answered

TASKS = {test: task for task, test in official.TEST_OF.items() if "images" not in task}
"""The official name of each main test that is filtered; questions on the order of images are not."""

Solved = dict[str, tuple[str, bool]]


class Answers:
    """The answers of the three text models."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.problems: list[str] = []

    def mark(self, rows: Iterable[Row]) -> dict[str, dict[str, int]]:
        """Writes into each main row of a filtered test whether two of three models solve it.

        Args:
            rows: Our rows, all of them; what nothing is known of stays as it is.

        Returns:
            How many are solved, by test and source, where that is known.
        """
        of: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            if row["tests"][0] in TASKS:
                of.setdefault((row["tests"][0], row["source"]), []).append(row)
        if not self._folder.is_dir():
            self.problems.append("no answers of text models in the release (data/predictions/blind)")
            return {}
        counts: dict[str, dict[str, int]] = {}
        for (test, source), own in of.items():
            try:
                solved = self._solved(source, TASKS[test])
                self._check(solved, own)
            except TempbenchError as error:
                self.problems.append(str(error))
                continue
            for row in own:
                row["solved_blind"] = solved[_official_id(row)][1]
            counts.setdefault(test, {})[source] = sum(row["solved_blind"] for row in own)
        return counts

    def _solved(self, source: str, task: str) -> Solved:
        """Returns, by question, the right answer and whether two of three models solve it."""
        votes: dict[str, list[tuple[str, bool]]] = {}
        for model in official.TEXT_MODELS:
            rows = answered(self._folder / model, source, task)
            if rows is None:
                raise TempbenchError(f"{task}, {source}: no answers of {model} in {self._folder}")
            names = [str(row.get("question_id", "")) for row in rows]
            gold = [str(row["gt_option"]) for row in rows]
            if not all((*names, *gold)) or len({*names}) < len(names):
                raise TempbenchError(
                    f"{task}, {source}: {model}: a question without id or answer, or one twice"
                )
            for name, right, passed in zip(names, gold, official.passes(rows, task, model), strict=True):
                votes.setdefault(name, []).append((right, passed))
        return {
            name: (of[0][0], sum(passed for _, passed in of) >= 2)
            for name, of in votes.items()
            if len(of) == len(official.TEXT_MODELS) and len({right for right, _ in of}) == 1
        }

    def _check(self, solved: Solved, rows: Sequence[Row]) -> None:
        for row in rows:
            if solved.get(_official_id(row), ("", False))[0] != row["answer"]:
                raise TempbenchError(
                    f"{row['tests'][0]}, {row['source']}: not all three text models answered "
                    f"{_official_id(row)}, or it was another question; the files belong to different releases"
                )


def _official_id(row: Row) -> str:
    return str(row["question_id"]).split("/", 2)[2]
