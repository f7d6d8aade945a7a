"""How a result was made: its run card and signature, how it was decided, and in what two runs differ.

Most of it comes from the harness's results file or the log. What only the run itself knows (installed
versions, the checksum of the data) is stored among the nested tables of a task, in `run` under `details`.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tempbench_lmms.data import provenance, roots, terminal
from tempbench_lmms.data.provenance import KEY, PACKAGES
from tempbench_lmms.data.redaction import without_secrets
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.stopping import KEY as DECIDED
from tempbench_lmms.harness.tasks import kwargs_of
from tempbench_lmms.record import shares
from tempbench_lmms.runs.task_log import Sample, TaskLog

# Keys of a results file: of an imported run (`runs.importing`) its format, file and date; of a person's
# answers (`runs.answering`) `kind` ("human") and `name`.
IMPORTED = "imported"
RESPONDENT = "respondent"
NOT_CHECKED = "not checked"
NOT_A_MODEL = "not a model"
# What must be equal before scores can be compared; the rest of the run card may differ.
_PROMPTS = "version.prompts"
_OURS = "packages.tempbench-lmms"
_MUST_AGREE = ("version.task", _PROMPTS, _OURS, "data.url", "settings.num_fewshot")
_SUMS = ("data.sha256", "data.media.sha256")
_READ_AGAIN = "`--reparse` reads the replies of both with the installed code"
_READING = ("reasoning_tags", "system_instruction", "apply_chat_template")
_NOTED = ("packages.", "generation.", "settings.", "seeds.", "questions.failed")
_WORDS = 2000  # characters of an entry in words
OTHER_DATA = "the runs of this task had different data (their checksums differ); `compare` would refuse them"
OTHER_CODE = (
    "different code read the replies of this task's runs, so equal replies may count differently; "
    "`compare` would refuse them, and `compare --reparse` reads them again"
)
SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")


def _prompt_hash(samples: tuple[Sample, ...]) -> str | None:
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
        # Our tasks show no examples.
        "settings": (kwargs_of(log.config) or {})
        | ({"num_fewshot": (log.header.get("n-shot") or {}).get(log.task)} if log.other else {}),
        "generation": log.config.get("generation_kwargs") or {},
        "seeds": {name: config.get(name) for name in SEEDS},
        "questions": {"of": of, "asked": asked, "logged": len(log.samples), "failed": failed},
        "readings": shares(log.limited),
        "check": run.get("check") or {"state": NOT_A_MODEL if RESPONDENT in log.header else NOT_CHECKED},
        "complete": None if of is None else of == asked == len(log.samples) and not failed,
    }
    more = {DECIDED: said_of(log)} | {key: log.header.get(key) for key in (IMPORTED, RESPONDENT)}
    return card | {key: value for key, value in more.items() if value}


def data_of(log: TaskLog) -> tuple[Any, dict[str, Any]]:
    """Returns the address of a task's table, and what the manifest said; `sha256` is the manifest's."""
    url, kind = _data_of(log)
    return url, _of_table(((log.details.get(KEY) or {}).get("data") or {}).get(kind), url)


def _of_table(data: dict[str, Any] | None, url: Any) -> dict[str, Any]:
    found = dict(data or {})
    own = provenance.sum_of_table(found.pop("sha256", None), url)
    return found if own is None else found | {"sha256": own}


def _data_of(log: TaskLog) -> tuple[Any, str]:  # the address, and `mini` or `prepared`
    if log.other:
        of = (log.config.get(name) for name in ("dataset_path", "dataset_name", "test_split"))
        return ":".join(str(one) for one in of if one), ""
    files = (log.config.get("dataset_kwargs") or {}).get("data_files") or {}
    url = next(iter(files.values()), None) if isinstance(files, dict) else None
    return url, "mini" if f"/{roots.MINI}/" in str(url) else "prepared"


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


def settings_of(log: TaskLog) -> dict[str, str]:
    """Returns the recorded harness settings that change prompts, media or reading."""
    found = {f"settings.{name}": str(log.options.get(name)) for name in _READING if log.options}
    if backend := log.settings.get("model_backend"):  # MODULE.CLASS (chat), or (simple)
        found["settings.runner"] = str(backend).rpartition("(")[2].removesuffix(")")
    return found


def sentence(said: Mapping[str, Any]) -> str:
    """Returns a sentence about how a task was decided."""
    against = said["against"]
    other = against.get("name") or against["model"]
    other += f" in {against['folder']}" if against.get("folder") else ""
    by = f"({said['test']}; level {said['level']:.3g}; groups by hash, {said['order']})"
    number = f"{said['groups_answered']:,} of {said['groups']:,} groups"
    if said["verdict"] == "undecided":
        return f"undecided after {number} whether {said['metric']} differs from that of {other} {by}"
    return (
        f"{'stopped' if is_stopped(said) else 'decided'} after {number}: {said['verdict']} in "
        f"{said['metric']} than {other}, by at least {said['at_least']:.3g} {by}"
    )


def is_stopped(said: Mapping[str, Any]) -> bool:
    """Returns whether some groups were not asked."""
    return bool(said["groups_answered"] < said["groups"])


def said_of(log: TaskLog) -> dict[str, Any] | None:
    """Returns what a run recorded about the decision of a task; None without `--until-decided`."""
    found = log.header.get(DECIDED)
    own = found.get(log.task) if isinstance(found, dict) else None
    return own if isinstance(own, dict) else None


def was_stopped(log: TaskLog) -> bool:
    """Returns whether a run stopped early because a task was decided."""
    said = said_of(log)
    return said is not None and is_stopped(said)


@dataclass(frozen=True)
class RunCard:
    """The run card of a task as a reader sees it: how complete the run is, and every entry in words."""

    log: TaskLog  # the task's log

    @cached_property
    def _values(self) -> dict[str, Any]:
        return run_card(self.log)

    @property
    def asked(self) -> tuple[int, int] | None:
        """How many questions were asked, and how many the task has; None if unknown."""
        counts = self._values["questions"]
        return None if None in (counts["asked"], counts["of"]) else (int(counts["asked"]), int(counts["of"]))

    @property
    def is_complete(self) -> bool:
        """Whether the run recorded that it asked every question."""
        return bool(self.asked and self.asked[0] == self.asked[1])

    @property
    def limiting_options(self) -> str:
        """The given options that leave out questions; empty if there are none."""
        if was_stopped(self.log):
            return "--until-decided"
        given = {name: self.log.settings.get(name) for name in ("offset", "limit")}
        # Python's JSON may hold Infinity, which is no limit.
        known = {name: n for name, n in given.items() if isinstance(n, (int, float)) and math.isfinite(n)}
        return " ".join(f"--{name} {n:g}" for name, n in known.items() if n > 0)

    @property
    def decision(self) -> str:
        """How a run with `--until-decided` ended; empty for other runs."""
        said = said_of(self.log)
        return terminal.shown(sentence(said)) if said else ""

    @property
    def date(self) -> str:
        """The day of the run, by the harness's clock; empty if unknown."""
        found = re.fullmatch(r"(\d{4})(\d\d)(\d\d)_\d{6}", str(self.log.header.get("date")))
        return "-".join(found.groups()) if found else ""

    @property
    def words(self) -> dict[str, str]:
        """The entries by dotted name, without what the run did not record."""
        known = flat(self._values) | {"date": self.date}
        known["model_args"] = without_secrets(str(known.get("model_args") or ""))
        words = {name: terminal.shown(str(one)) for name, one in known.items() if one not in (None, "")}
        return {
            name: one if len(one) <= _WORDS else f"{one[:_WORDS]} ... ({len(one):,} characters)"
            for name, one in words.items()
        }


def mixed(logs: Sequence[TaskLog]) -> dict[str, tuple[str, ...]]:
    """Returns how the runs of each task differ, so that their scores cannot be compared."""
    known: dict[tuple[str, str], set[Any]] = {}
    for log in logs:
        known.setdefault((log.task, OTHER_DATA), set()).add(data_of(log)[1].get("sha256"))
        code = (log.details.get(KEY) or {}).get(provenance.CODE)
        known.setdefault((log.task, OTHER_CODE), set()).add(code)
    return {
        log.task: tuple(
            said for (task, said), sums in known.items() if task == log.task and len(sums - {None}) > 1
        )
        for log in logs
    }


def obstacles(first: TaskLog, second: TaskLog, reparsed: bool = False) -> tuple[list[str], list[str]]:
    """Returns why two runs of a task cannot be compared, and what else differs, one line each.

    Args:
        first: The first run.
        second: The second.
        reparsed: Whether the installed code read the replies of both, not the code of each run.
    """
    one, other = flat(run_card(first)), flat(run_card(second))
    settings, others = settings_of(first), settings_of(second)
    for name in settings.keys() & others.keys():
        one[name], other[name] = settings[name], others[name]
    imported = [name for name, log in (("A", first), ("B", second)) if IMPORTED in log.header]
    must_agree = [name for name in _MUST_AGREE if not (reparsed and name == _OURS)]
    serious: list[str] = []
    notes: list[str] = []
    for name in {**one, **other}:
        a, b = one.get(name), other.get(name)
        line, are_known = f"{name}: {a} and {b}", None not in (a, b)
        if a == b:
            continue
        if name in must_agree:
            if not (imported and name == _PROMPTS):
                serious.append(line)
        elif name in _SUMS and not are_known:  # the bundled samples have no media checksum
            notes.append(f"{name}, which one of the logs does not record")
        elif name in _SUMS:
            serious.append(line)
        elif name == provenance.CODE:
            if are_known and not reparsed:  # imports have none
                serious.append(f"the code that read their replies: {a:.8} and {b:.8} ({_READ_AGAIN})")
        elif name.startswith(_NOTED) and (are_known or not imported):  # reported once, below
            notes.append(line)
    notes += _stopped(first, second)
    notes += [f"prompts: {name} was imported; its prompts and media are unknown" for name in imported]
    return [*serious, *_different_questions(first, second)], notes


def check_same_questions(repeats: Sequence[TaskLog]) -> None:
    """Refuses repeats of a task that asked different questions; a damaged log may lack some.

    Raises:
        TempbenchError: The questions, the data or the prompts differ.
    """
    first, *others = repeats
    for log in others:
        serious, _ = obstacles(first, log, reparsed=True)
        # Other versions and other code are reported beside the scores; here the questions differ.
        if any(one.problems for one in repeats):
            serious = [line for line in serious if not line.startswith("questions:")]
        if serious:
            raise TempbenchError(
                f"{log.file} and {first.file} are both {log.task} but differ in {'; '.join(serious)}; "
                "repeats must ask the same questions: give the runs one by one"
            )


def _different_questions(first: TaskLog, second: TaskLog) -> Iterator[str]:
    a, b = ({sample.id: sample for sample in log.samples} for log in (first, second))
    for name, ids, other in (("A", sorted({*a} - {*b}), second), ("B", sorted({*b} - {*a}), first)):
        if ids and not was_stopped(other):
            yield f"questions: {len(ids):,} are only in {name}, among them {_some(ids)}"
    both = a.keys() & b.keys()
    for what in ("prompt", "target"):
        if ids := sorted(id_ for id_ in both if getattr(a[id_], what) != getattr(b[id_], what)):
            yield f"{what}s: {len(ids):,} of {len(both):,} differ, among them {_some(ids)}"


def _some(ids: Sequence[str]) -> str:
    return ", ".join([*ids[:3], *(["..."] if len(ids) > 3 else [])])


def _stopped(first: TaskLog, second: TaskLog) -> Iterator[str]:
    for name, log in (("A", first), ("B", second)):
        if was_stopped(log):
            yield (
                f"questions: {name} was {sentence(said_of(log) or {})}; only questions that both runs "
                "answered are compared. Early stopping exaggerates the difference, so p values do not "
                "count: that decision is the verdict, and other metrics get none"
            )


# Settings of a task or a runner that say how many frames of a video a model gets.
FRAMES = ("n_frames", "frames", "max_num_frames", "max_frames_num", "num_frames", "fps")
TASK = "task"
VERSION = "version"
VARIES = "*"  # the value of a part in which several results differ


def signature_of(log: TaskLog) -> dict[str, str]:
    """Returns the parts of a task's signature by name, without those that the run did not record.

    `prompts` is their version and a hash of all texts; `reader` a hash of the code that read and scored the
    replies; `gen` a hash of every setting that `compare` checks or mentions; `data` a hash of rows and media.
    """
    card = run_card(log)
    packages = card["packages"]
    limits = [log.settings.get("limit"), log.settings.get("offset")]
    harness = log.header.get("lmms_eval_version")
    is_unknown = str(harness).startswith("unknown")  # what the harness says of its wheel
    pairs = (pair.partition("=") for pair in str(card["model_args"] or "").split(","))
    words = {name: value for name, _, value in pairs if value} | card["settings"]
    version, prompts = card["version"], card["prompts_sha256"]
    sums = [card["data"].get("sha256"), (card["data"].get("media") or {}).get("sha256")]
    found = {
        TASK: log.task,
        VERSION: version["task"],
        "prompts": "-".join(filter(None, [str(version["prompts"] or ""), (prompts or "")[:8]])),
        "reader": (card[provenance.CODE] or "")[:8],
        "n": card["questions"]["logged"] or card["questions"]["asked"],
        "repeats": len(log.repeats),
        "gen": _hash([card["generation"], card["settings"], settings_of(log), card["seeds"], limits]),
        "frames": next((words[name] for name in FRAMES if words.get(name)), None),
        "tempbench": packages.get("tempbench-lmms"),
        "lmms-eval": packages.get("lmms-eval") or (None if is_unknown else harness),
        "data": _hash(sums) if any(sums) else None,
    }
    return {name: str(value) for name, value in found.items() if value}


def signature_text(parts: dict[str, str]) -> str:
    """Returns the parts of a signature as one line."""
    marks = {TASK: "", VERSION: "v"}
    return "|".join(f"{marks.get(name, f'{name}:')}{value}" for name, value in parts.items())


def signature_lines(signatures: Iterable[dict[str, str]]) -> Iterator[str]:
    """Yields one signature per task; parts in which its runs differ are `*`."""
    tasks: dict[str, list[dict[str, str]]] = {}
    for parts in signatures:
        tasks.setdefault(parts[TASK], []).append(parts)
    for own in tasks.values():
        names = dict.fromkeys(name for parts in own for name in parts)
        yield signature_text({name: own[0][name] if _is_same(own, name) else VARIES for name in names})


def differing_parts(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """Returns the names of the parts in which two signatures differ."""
    return [name for name in {**one, **other} if not _is_same((one, other), name)]


def _is_same(found: Iterable[dict[str, str]], name: str) -> bool:
    return len({parts.get(name) for parts in found}) == 1


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:8]
