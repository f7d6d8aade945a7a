"""Results for the Hugging Face Hub: `.eval_results/*.yaml` of a model's repository.

Format: https://huggingface.co/docs/hub/eval-results (dataset id and task id, value, date, source, notes). A
leaderboard shows them if the data set's owner lists the task ids in its `eval.yaml`.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tempbench_lmms import __version__
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.data import outputs
from tempbench_lmms.data import tables as files
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import shown
from tempbench_lmms.report.numbers import Number, Section, TaskNumbers, nearest

Entry = dict[str, Any]

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_REPOSITORY = re.compile(rf"{_NAME}/{_NAME}")
_DATA_SET_URL = "https://huggingface.co/datasets/"


def data_set_of(card: BenchmarkCard) -> str | None:
    """Returns a benchmark's data set on the Hub, from its first source; None if that is elsewhere."""
    url = card.sources[0].url
    return url.removeprefix(_DATA_SET_URL) if url.startswith(_DATA_SET_URL) else None


def check_repository(name: str, what: str, form: str = "ORG/NAME") -> None:
    """Checks the id of a repository on the Hub, ORG/NAME.

    Args:
        name: The id as the user wrote it.
        what: What the id should name, for the message.
        form: How the user should write it.

    Raises:
        TempbenchError: The id is not of this form.
    """
    if not _REPOSITORY.fullmatch(name) or ".." in name or "--" in name:
        raise TempbenchError(f"{name!r} is not a {what} id; use {form}")


def entries_of(
    section: Section,
    data_set: str,
    revision: str = "",
    source_url: str | None = None,
    partial: bool = False,
) -> list[Entry]:
    """Returns one entry for each defined main score of a benchmark.

    Args:
        section: The benchmark's numbers, of one run or of several with different tasks.
        data_set: The Hub's data set.
        revision: Its commit.
        source_url: Where the logs or the paper are.
        partial: Include incomplete runs; the notes say so.

    Raises:
        TempbenchError: A run used the bundled sample or is incomplete, or two runs give the same number.
    """
    for task in section.tasks:
        if task.is_mini:
            raise TempbenchError(
                f"{task.log.task} uses the bundled sample, which is not a benchmark; submit a run of "
                f"{task.log.task.removesuffix('_mini')}"
            )
        if not partial and (not task.run_card.is_complete or task.log.problems):
            raise TempbenchError(
                f"{task.log.task}: {_completeness(task)}; run all of it, or add --partial (the entries say "
                "so)"
            )
    out: dict[str, Entry] = {}
    for task, name, number in [(one, *pair) for one in section.tasks for pair in one.numbers.items()]:
        if number.number is None or not nearest(task.stem, name, section.card.primary):
            continue
        task_id = f"{task.log.task}_{name}"
        if task_id in out:
            raise TempbenchError(f"{task_id} is in two runs; give the logs of one run")
        entry = {
            "dataset": {"id": data_set, "task_id": task_id, **({"revision": revision} if revision else {})},
            "value": number.value,
            "date": task.run_card.date,
            "source": {"url": source_url} if source_url else None,
            "notes": _notes(task, number),
        }
        out[task_id] = {name: value for name, value in entry.items() if value not in ("", None)}
    return list(out.values())


def _completeness(task: TaskNumbers) -> str:
    if task.log.problems:
        return task.log.problems[0]
    if task.run_card.asked is None:
        return "the run did not record how many questions it asked"
    return f"the run asked {task.run_card.asked[0]} of {task.run_card.asked[1]} questions"


def _notes(task: TaskNumbers, number: Number) -> str:
    rate = task.log.values.get("parse_rate")
    settings = ("version.", "settings.", "data.revision", "data.edition", "packages.lmms-eval")
    parts = (
        f"standard error {shown(number.error)}" if number.error is not None else "",
        f"95 % interval {shown(number.low)} to {shown(number.high)}" if number.low is not None else "",
        f"n {number.n:g}" if number.n is not None else "",
        f"parse rate {shown(rate)}" if isinstance(rate, (int, float)) else "",
        _completeness(task) if not task.run_card.is_complete or task.log.problems else "",
        *(f"{name} {words}" for name, words in task.run_card.words.items() if name.startswith(settings)),
        f"tempbench-lmms {__version__}",
    )
    return "; ".join(filter(None, parts))


def write(folder: Path, entries: Mapping[str, Sequence[Entry]], force: bool) -> None:
    """Writes a model repository's files: the entries by benchmark.

    Raises:
        TempbenchError: A file exists and `force` is not set.
    """
    contents = {
        f".eval_results/{name}.yaml": yaml.safe_dump(own, sort_keys=False, allow_unicode=True, width=1000)
        for name, own in entries.items()
    }
    (folder / ".eval_results").mkdir(parents=True, exist_ok=True)
    for name in contents:
        outputs.check_file(folder / name, force)
    for name, content in contents.items():
        files.write_text(content, folder / name)
