"""What identifies a run, and the checks before a model is loaded."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms import __version__
from tempbench_lmms.data import checks, manifests, outputs, tables
from tempbench_lmms.data.terminal import counted, tell
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.harness import catalog, identity, plugin
from tempbench_lmms.harness.tasks import check_data, docs_of, kwargs_of, load_task, root_of, task_files

_OWN = (
    *("model", "model_args", "tasks", "output_path", "use_cache", "log_samples", "config"),
    "repeats",  # the harness's store keeps only one reply per question
)


def value(further: Sequence[str], name: str) -> Any:
    """Returns the value of one of the harness's options among its arguments; None if not given."""
    return getattr(catalog.options(further), name, None)


def part(further: Sequence[str]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Returns the function that selects a task's questions by `--limit` and `--offset`.

    Raises:
        TempbenchError: The harness would refuse its arguments, or `tempbench` sets them itself.
    """
    if ours := [f"--{name}" for name in _OWN if value(further, name)]:
        raise TempbenchError(
            f"{', '.join(ours)} is set by `tempbench run`; give it before `--`, or leave it out"
        )
    if value(further, "predict_only"):
        raise TempbenchError(
            "--predict_only computes no scores; leave it out: `tempbench run` stores the answers anyway"
        )
    limit, offset = value(further, "limit"), value(further, "offset") or 0
    if offset < 0 or (limit not in (None, -1) and not 0 < limit < math.inf):
        raise TempbenchError(
            "--limit takes a number of questions, a share below 1, or -1 for all; --offset a number from 0"
        )

    def taken(questions: Sequence[Any]) -> Sequence[Any]:
        if limit in (None, -1):
            return questions[offset:]
        n = math.ceil(len(questions) * limit) if limit < 1 else int(limit)
        return questions[offset : offset + n]

    return taken


def generation(further: Sequence[str]) -> dict[str, str]:
    """Returns the generation settings among the harness's arguments."""
    pairs = (pair.partition("=") for pair in (value(further, "gen_kwargs") or "").split(","))
    return {name.strip(): word.strip() for name, _, word in pairs}


def with_generation(further: Sequence[str], settings: str) -> list[str]:
    """Returns the harness's arguments with more generation settings; the last `--gen_kwargs` counts."""
    return [*further, "--gen_kwargs", ",".join(filter(None, (value(further, "gen_kwargs"), settings)))]


_BYTES_PER_DOCUMENT = 20_000
_BYTES_AT_LEAST = 200_000_000
_LOOKED_AT = 5


@dataclass(frozen=True)
class Command:
    """What to run, as given on the command line."""

    model: str
    tasks: str
    output: Path
    model_args: str = ""
    further: Sequence[str] = ()

    @property
    def named(self) -> list[str]:
        """The named tasks, with patterns replaced by their matches."""
        return catalog.expanded(self.tasks.split(","), self.further)

    @property
    def leaves(self) -> list[str]:
        """The tasks of this package among them and their members."""
        return leaves(self.tasks.split(","))

    @property
    def others(self) -> dict[str, catalog.OtherTask]:
        """The harness's own tasks, and the user's, behind them."""
        return catalog.behind(self.tasks.split(","), self.further)


@dataclass(frozen=True)
class RunIdentity:
    """What identifies a run."""

    kept: dict[str, Any]  # the form that its folder stores
    process: dict[str, Any] = field(default_factory=dict)  # what must be equal in all its processes
    fingerprint: str = ""  # a hash of the model and its settings; answers are stored under it
    ids: dict[str, list[str]] = field(default_factory=dict)  # a task's questions; other people's once loaded
    questions: dict[str, str] = field(default_factory=dict)  # checksums of prompts, which may change


def leaves(names: Iterable[str]) -> list[str]:
    """Returns our tasks behind `names`, with patterns and groups replaced by their tasks."""
    found: dict[str, None] = {}
    for name in catalog.expanded(names):
        if name not in task_files():
            continue
        config = load_task(name)
        if "group" in config:
            members = [one if isinstance(one, str) else one["task"] for one in config["task"]]
            found.update(dict.fromkeys(leaves(members)))
        else:
            found[name] = None
    return list(found)


def identify(command: Command) -> RunIdentity:
    """Returns a run's identity, after every check that is possible before a model is loaded.

    Raises:
        TempbenchError: Something is wrong.
    """
    names, others = command.leaves, command.others
    catalog.check_answerable(command.model, others)
    taken = part(command.further)
    version = plugin.harness_version(plugin.MINIMUM_TO_KEEP_ANSWERS, "`tempbench run`")
    plugin.install()
    data, ids, texts = checked_data(names)
    data |= {name: task.data for name, task in others.items()}
    texts |= {name: task.words for name, task in others.items()}
    n, n_asked = sum(map(len, ids.values())), sum(len(taken(one)) for one in ids.values())
    if names and not n_asked:
        raise TempbenchError("--limit and --offset leave no questions to ask; give other numbers")
    outputs.check_room(
        command.output,
        _BYTES_AT_LEAST + n_asked * _BYTES_PER_DOCUMENT,
        f"the answers and logs of {counted(n_asked, 'question')}",
    )
    if names:
        of = f" of {n:,}" if n_asked < n else ""
        tell(f"{n_asked:,}{of} questions of {counted(len(names), 'task')} are asked")
    if others:
        tell(f"the harness loads the questions of {counted(len(others), 'task')} more: {', '.join(others)}")
    tell(f"starting lmms-eval {version}")
    asked = identity.of_model(command.model, command.model_args, [*command.further])
    kept = {**asked, "tasks": command.tasks, "tempbench": __version__, "lmms_eval": version, "data": data}
    kept["packages"] = identity.of_packages(command.model)
    return RunIdentity(
        kept, identity.of_process(data, asked, command.tasks), identity.fingerprint(asked), ids, texts
    )


def checked_data(
    names: Sequence[str],
) -> tuple[dict[str, Any], dict[str, list[str]], dict[str, str]]:
    """Returns, by task, its data, the ids of its questions in order, and a checksum of its prompts.

    Raises:
        TempbenchError: Data is missing or damaged, or a question cannot be built.
    """
    data: dict[str, Any] = {}
    ids: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    looked_at: set[Path] = set()
    check_data(names)
    for name in names:
        config = load_task(name)
        docs = docs_of(config)
        if not docs:
            raise TempbenchError(f"{name}: no documents; prepare the data again")
        ids[name] = [str(doc["question_id"]) for doc in docs]
        for problem in task_problems(config, docs):
            raise TempbenchError(f"{name}: {problem}")
        _, root = root_of(config)
        if root not in looked_at:
            looked_at.add(root)
            for problem in manifests.table_problems(root, manifests.read(root) or {}):
                raise TempbenchError(f"{problem}; prepare the data again with --force")
        data[name] = identity.of_data(name, config, docs)
        texts[name] = identity.of_texts(config, docs)
    return data, ids, texts


def task_problems(config: dict[str, Any], docs: Sequence[tables.Row]) -> Iterator[str]:
    """Yields the problems that a quick check finds in a task: repeated ids, questions that cannot be built.

    Damaged media are reported, but only their own questions fail.

    Raises:
        MediaError: The media of all checked questions are damaged.
    """
    for number, problem in checks.duplicates(enumerate(docs)):
        yield f"row {number} ({str(docs[number]['question_id'])[:80]}): {problem}"
    kwargs = kwargs_of(config)
    looked_at = {round(i * (len(docs) - 1) / max(_LOOKED_AT - 1, 1)) for i in range(_LOOKED_AT)}
    damaged: dict[int, MediaError] = {}
    for number in sorted(looked_at):
        try:
            if not config["doc_to_text"](docs[number], kwargs).strip():
                yield f"row {number}: the question is empty; prepare the data again"
            config["doc_to_messages"](docs[number], kwargs)  # decodes its media
        except MediaError as error:
            damaged[number] = error
    if len(damaged) == len(looked_at):
        raise damaged[0]
    for number, found in damaged.items():
        tell(f"{config['task']}, row {number}: {found}; its questions count as failed, the others are asked")
