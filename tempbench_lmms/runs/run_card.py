"""The run card: how a result was made, and whether it is complete.

Most of it comes from the harness's results file or the log. What only the run itself knows (installed
versions, the checksum of the data) is stored among the nested tables of a task, in `run` under `details`.
"""

import hashlib
import json
import math
from typing import Any

from tempbench_lmms.data import provenance, roots
from tempbench_lmms.data.provenance import KEY, PACKAGES
from tempbench_lmms.harness.stopping import KEY as DECIDED
from tempbench_lmms.harness.tasks import kwargs_of
from tempbench_lmms.record import shares
from tempbench_lmms.runs.task_log import Sample, TaskLog

IMPORTED = "imported"
"""The key of a results file for an imported run (`runs.importing`): format, file and date."""
RESPONDENT = "respondent"
"""The key of a results file for a person's answers (`runs.answering`): `kind` ("human") and `name`."""
NOT_CHECKED = "not checked"
NOT_A_MODEL = "not a model"
SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")


def _prompt_hash(samples: tuple[Sample, ...]) -> str | None:
    """Returns one SHA-256 over every question's id and text, in any order; None without samples."""
    if not samples:
        return None
    digest = hashlib.sha256()
    for id_, prompt in sorted((sample.id, sample.prompt) for sample in samples):
        digest.update(json.dumps([id_, prompt]).encode())
    return digest.hexdigest()


def run_card(log: TaskLog) -> dict[str, Any]:
    """Returns the run card of a task as JSON values; None for what the run did not record.

    Returns:
        `task`, `model`, `model_args`, `backend`, `date`; `version` (`task`, `prompts`); `packages`; `code`
        (one checksum of the code that computed scores from replies); `data` (`url`, and what the manifest
        says: `edition`, `source`, `sha256`); `prompts_sha256`; `settings` (images, frames, style and the
        like); `generation`; `seeds`; `questions` (`of` the task, `asked`, `logged`, `failed`); `readings`
        (shares of how replies were read, and of why not); `check` (`state`, and what `failed` and was
        `unseen`, of `tempbench check-model`); `complete`: whether all were asked, logged and answered. Of a
        run that was made elsewhere also `imported`, and neither prompts nor their version; of a person's
        answers also `respondent`; of a run that was asked until it was decided also
        `until_decided`: how, by which metric and test, against which run.
    """
    run = log.details.get(KEY) or {}
    config = log.settings
    metadata = log.config.get("metadata") or {}
    url, data = data_of(log)
    counts = (log.header.get("n-samples") or {}).get(log.task) or {}
    failed = sum(bool(sample.record["failed"]) for sample in log.samples)
    packages = dict.fromkeys(PACKAGES) | (run.get("packages") or {})
    asked, of = counts.get("effective"), counts.get("original")
    imported = log.header.get(IMPORTED)
    unchecked = {"state": NOT_A_MODEL if RESPONDENT in log.header else NOT_CHECKED}
    card = {
        "task": log.task,
        "model": log.model,
        "model_args": config.get("model_args"),
        "backend": config.get("model_backend"),
        "date": log.header.get("date"),
        "version": {
            "task": metadata.get("version"),
            "prompts": None if imported else metadata.get("prompts"),
        },
        "packages": packages,
        provenance.CODE: run.get(provenance.CODE),
        "data": {"url": url} | data,
        "prompts_sha256": None if imported else _prompt_hash(log.samples),
        "settings": _settings(log),
        "generation": log.config.get("generation_kwargs") or {},
        "seeds": {name: config.get(name) for name in SEEDS},
        "questions": {"of": of, "asked": asked, "logged": len(log.samples), "failed": failed},
        "readings": shares([log.with_limit(sample) for sample in log.samples]),
        "check": run.get("check") or unchecked,
        "complete": None if of is None else of == asked == len(log.samples) and not failed,
    }
    decided = (log.header.get(DECIDED) or {}).get(log.task)
    card |= {DECIDED: decided} if decided else {}
    return card | {key: log.header[key] for key in (IMPORTED, RESPONDENT) if log.header.get(key)}


def _settings(log: TaskLog) -> dict[str, Any]:
    found = kwargs_of(log.config) or {}
    if log.other:  # our tasks show no examples
        found = {**found, "num_fewshot": (log.header.get("n-shot") or {}).get(log.task)}
    return found


def data_of(log: TaskLog) -> tuple[Any, dict[str, Any]]:
    """Returns the address of a task's table, and what the manifest said; `sha256` is the manifest's."""
    url, kind = _data_of(log)
    return url, _of_table(((log.details.get(KEY) or {}).get("data") or {}).get(kind), url)


def _of_table(data: dict[str, Any] | None, url: Any) -> dict[str, Any]:
    found = {key: value for key, value in (data or {}).items() if key != "sha256"}
    own = provenance.sum_of_table((data or {}).get("sha256"), url)
    return found if own is None else found | {"sha256": own}


def _data_of(log: TaskLog) -> tuple[Any, str]:
    """Returns the address of a task's table, and whether it is `mini` or `prepared` data."""
    if log.other:
        of = (log.config.get(name) for name in ("dataset_path", "dataset_name", "test_split"))
        return ":".join(str(one) for one in of if one), ""
    files = (log.config.get("dataset_kwargs") or {}).get("data_files") or {}
    url = next(iter(files.values()), None) if isinstance(files, dict) else None
    bundled = isinstance(url, str) and f"/{roots.MINI}/" in url
    return url, "mini" if bundled else "prepared"


def data_at_hand(log: TaskLog) -> dict[str, Any]:
    """Returns what the manifest says about the local data of a task, which may not be the run's."""
    url, kind = _data_of(log)
    return _of_table(provenance.recorded(log.benchmark)["data"][kind], url)


def flat(card: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Returns a card's values by dotted name, for tables and comparisons.

    >>> flat({"a": 1, "b": {"c": 2}})
    {'a': 1, 'b.c': 2}
    """
    out: dict[str, Any] = {}
    for key, value in card.items():
        out |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return out


def finite(value: Any) -> Any:
    """Returns JSON values with None in place of NaN and infinity."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
