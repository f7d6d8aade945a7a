"""The signature of a result: one line that says how it was made, to be pasted into a paper.

    tempvs|v1|prompts:2-5f0c2d1e|reader:77ab03f2|n:400|gen:1a2b3c4d|tempbench:0.2.0|lmms-eval:0.7.3|data:9e8f7a6b

A part that the run did not record is left out, so tasks of other packages have a shorter signature.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from tempbench_lmms.data import provenance
from tempbench_lmms.runs.comparison import settings_of
from tempbench_lmms.runs.run_card import run_card
from tempbench_lmms.runs.task_log import TaskLog

FRAMES = ("n_frames", "frames", "max_num_frames", "max_frames_num", "num_frames", "fps")
"""Settings of a task or a runner that say how many frames of a video a model gets."""
TASK = "task"
VERSION = "version"
VARIES = "*"
"""The value of a part in which several results differ."""


def parts_of(log: TaskLog) -> dict[str, str]:
    """Returns the parts of a task's signature by name, without those that the run did not record.

    `prompts` is their version and a hash of all texts; `reader` a hash of the code that read and scored the
    replies; `gen` a hash of every setting that `compare` checks or mentions; `data` a hash of rows and media.
    """
    card = run_card(log)
    packages = card["packages"]
    words = {**_arguments(card["model_args"]), **card["settings"]}
    version, prompts = card["version"], card["prompts_sha256"]
    sums = [card["data"].get("sha256"), (card["data"].get("media") or {}).get("sha256")]
    found = {
        TASK: log.task,
        VERSION: version["task"],
        "prompts": "-".join(filter(None, [str(version["prompts"] or ""), (prompts or "")[:8]])),
        "reader": (card[provenance.CODE] or "")[:8],
        "n": card["questions"]["logged"] or card["questions"]["asked"],
        "repeats": len(log.repeats),
        "gen": _hash(_settings(log, card)),
        "frames": next((words[name] for name in FRAMES if words.get(name)), None),
        "tempbench": packages.get("tempbench-lmms"),
        "lmms-eval": packages.get("lmms-eval") or _known(log.header.get("lmms_eval_version")),
        "data": _hash(sums) if any(sums) else None,
    }
    return {name: str(value) for name, value in found.items() if value}


def text(parts: dict[str, str]) -> str:
    """Returns the parts of a signature as one line."""
    marks = {TASK: "", VERSION: "v"}
    return "|".join(f"{marks.get(name, f'{name}:')}{value}" for name, value in parts.items())


def lines(signatures: Iterable[dict[str, str]]) -> Iterator[str]:
    """Yields one signature per task; parts in which its runs differ are `*`."""
    tasks: dict[str, list[dict[str, str]]] = {}
    for parts in signatures:
        tasks.setdefault(parts[TASK], []).append(parts)
    for own in tasks.values():
        names = dict.fromkeys(name for parts in own for name in parts)
        yield text({name: own[0][name] if _is_same(own, name) else VARIES for name in names})


def differing(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """Returns the names of the parts in which two signatures differ."""
    return [name for name in {**one, **other} if not _is_same((one, other), name)]


def _is_same(found: Iterable[dict[str, str]], name: str) -> bool:
    return len({parts.get(name) for parts in found}) == 1


def _known(version: Any) -> Any:
    return None if str(version).startswith("unknown") else version  # what the harness says of its wheel


def _settings(log: TaskLog, card: dict[str, Any]) -> list[Any]:
    config = log.header.get("config") or {}
    limits = [config.get("limit"), config.get("offset")]
    return [card["generation"], card["settings"], settings_of(log), card["seeds"], limits]


def _arguments(words: Any) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in str(words or "").split(","))
    return {name: value for name, _, value in pairs if value}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:8]
