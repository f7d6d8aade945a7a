"""Runs in the test's own process, which imports the harness once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

from tempbench_lmms.cli import runs
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import respondents

CHANCE = respondents.REPLIES["chance"]


@dataclass
class Ended:
    """How a run ended: its status, its message, and the questions that it asked."""

    status: int
    said: str
    asked: list[str]


@pytest.fixture
def start(tmp_path: Path, harness: ModuleType) -> Callable[..., Ended]:
    """Returns what runs a respondent; the test may give its replies, by a function as in `REPLIES`."""

    def run(
        name: str,
        replies: Callable[..., Any] | None = None,
        limit: int | None = 20,
        tasks: str = "tempvs_mt1_two_mini",
        model: str = "tempbench_chance",
        model_args: str = "seed=3",
        report: bool = False,
        further: Sequence[str] = (),
        **options: Any,
    ) -> Ended:
        kind, asked = model.removeprefix("tempbench_"), []
        answer = replies or respondents.REPLIES.get(kind)

        def noted(doc: dict[str, Any], task: str, seed: int) -> Any:
            asked.append(doc["question_id"])
            return answer(doc, task, seed)

        arguments = [*(["--limit", str(limit)] if limit else []), *further]
        with mock.patch.dict(respondents.REPLIES, {kind: noted}):
            try:
                runs.run(
                    model,
                    tasks,
                    tmp_path / name,
                    model_args,
                    10,
                    report=report,
                    arguments=arguments,
                    **options,
                )
            except TempbenchError as error:
                return Ended(1, str(error), asked)
        return Ended(0, "", asked)

    return run
