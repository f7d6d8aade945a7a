"""`tempbench run`: the harness with checks before, answers that are kept, an honest exit status.

Everything that a later start needs is in the output folder: the cache of answers, and a file that says which
run they belong to, written with the first answer. The same command, given again, continues. A command that
was wrong and got no answer leaves nothing that keeps the corrected one out.
"""

import contextlib
import math
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.check.hints import of_error
from tempbench_lmms.data import checks, locks, manifests, outputs, prepared, redaction, tables
from tempbench_lmms.data.redaction import scrubbed
from tempbench_lmms.data.run_files import LOCK, STATE
from tempbench_lmms.data.tables import parse_json
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.harness import adapter, agreement, identity, options, plugin
from tempbench_lmms.harness import names as task_names
from tempbench_lmms.harness.agreement import Ranks
from tempbench_lmms.harness.preflight import check_data
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task, root_of, task_files
from tempbench_lmms.runs import deciding, ending, failures, quality, supervision
from tempbench_lmms.runs.logs import finished_results, results_files, results_of

_OWN = (
    *("--model", "--model_args", "--tasks", "--output_path", "--use_cache", "--log_samples", "--config"),
    "--repeats",  # the harness's keeps one of a question's replies
)
_BYTES_PER_DOCUMENT = 20_000
_BYTES_AT_LEAST = 200_000_000
_LOOKED_AT = 5
_QUESTIONS = "questions"  # in a run's state: how they were asked and read


@dataclass(frozen=True)
class How:
    """How a run is done; with greedy replies its numbers are the same for all values.

    Sampled replies are drawn call by call, so `slice_size` changes which are drawn.

    Attributes:
        slice_size: Answers that are stored together; lost at most.
        verify: Check every row and every medium first.
        lock: Keep a second run out of the folder.
        max_failures: How many requests may fail, as `failures.bound` reads it.
        question_timeout: Seconds that one question may take; 0 for no limit. It needs `tell`.
        tell: Tells a supervising process of each call (`supervision.supervised`).
        name: What reports call the run; the model's name where empty.
        until_decided: An earlier run; this one stops when it is decided which is better.
        decide_by: The metric that decides; each task's headline where empty.
    """

    slice_size: int = 200
    verify: bool = False
    lock: bool = True
    max_failures: str = failures.DEFAULT
    question_timeout: float = 0.0
    tell: supervision.Tell | None = None
    name: str = ""
    until_decided: Path | None = None
    decide_by: str = ""

    @property
    def named(self) -> dict[str, str]:
        """What a run's folder keeps of its name."""
        return {"name": self.name} if self.name else {}

    @property
    def process(self) -> dict[str, Any]:
        """What must be the same in all processes of a run, or one waits for the others in vain."""
        decides = self.until_decided is not None  # slice by slice, together
        return {"until_decided": decides, "slice": self.slice_size if decides else None}


def run(
    model: str,
    tasks: str,
    output: Path,
    model_args: str = "",
    how: How = How(),
    arguments: Sequence[str] | None = None,
    at_end: Callable[[Path, bool], None] = lambda results, is_new: None,
) -> None:
    """Runs an evaluation, or continues it.

    Args:
        model: As for the harness's `--model`.
        tasks: Tasks or groups, separated by commas.
        output: Folder of this one run.
        model_args: As for the harness's `--model_args`.
        how: What else can be chosen.
        arguments: Further arguments of the harness.
        at_end: Called with the results file and whether it is new, before failed requests are refused.

    Raises:
        TempbenchError: Something is amiss, or more requests failed than may; answers so far are kept.
    """
    further, borne = list(arguments or ()), failures.bound(how.max_failures)
    ranks = Ranks()
    if ranks.rank:  # the first process checks, writes and tells
        asked = _followed(ranks, model, tasks, model_args, further, how)
        _evaluate(model, tasks, output, model_args, further, how, Pace(silent=True), asked)
        return
    with contextlib.ExitStack() as held:
        with _for_all(ranks):
            held.enter_context(_before(how, tasks, further, output))
            found = preflight(model, tasks, leaves(tasks.split(",")), output, model_args, further, how.verify)
            agreement.compare(ranks, found.process | how.process)
            found = _with_contests(found, how, task_names.expanded(tasks.split(","), further))
            finished = _continued(output, found)
            kept = how.named | {_QUESTIONS: found.questions} | _terms(output, found, finished)
            if not finished:
                _check_names({*task_names.expanded(tasks.split(",")), *found.asked.ids})
        decided = {"status": 0} if finished else {"fingerprint": found.asked.fingerprint}
        ranks.tell_all(agreement.DECISION, decided)
        if finished and finished_results(output / STATE):
            _tell_finished(finished, _since(output, found))
            at_end(finished, False)
            return
        if not finished:  # else it was ended before it noted that it is finished
            asked = replace(found.asked, begin=_beginning(output, found, kept))
            given = (model, tasks, output, model_args, further, how, Pace(processes=ranks.size), asked)
            finished = _new(output, lambda: _evaluate(*given))
        _finish(output, finished, found, at_end, borne, kept)


def _before(
    how: How, tasks: str, further: Sequence[str], output: Path
) -> contextlib.AbstractContextManager[None]:
    """Refuses tasks that are none, and arguments that the harness or a run would refuse; returns the lock."""
    part(further)
    task_names.check(tasks.split(","), further)
    _check_examples(tasks, further)
    _check_until_decided(how, further)
    return _locked(output, how.lock)


def _check_examples(tasks: str, further: Sequence[str]) -> None:
    """Refuses examples, which none of our tasks has: the harness takes the number and shows none."""
    number = getattr(options.read(further), "num_fewshot", None)
    if number and (ours := leaves(tasks.split(","))):
        raise TempbenchError(
            f"--num_fewshot {number}: {ours[0]} has no examples to show; leave it out, and ask tasks that "
            "have some in a run of their own"
        )


def _check_until_decided(how: How, further: Sequence[str]) -> None:
    """Refuses what --until-decided does not go with."""
    if how.until_decided is None:
        if how.decide_by:
            raise TempbenchError("--decide-by names the metric of --until-decided; give that too")
        return
    given = options.read(further)
    if getattr(given, "limit", None) not in (None, -1) or getattr(given, "offset", None):
        raise TempbenchError("--until-decided chooses the questions itself; leave out --limit and --offset")
    if getattr(given, "predict_only", False):
        raise TempbenchError(
            "--until-decided needs scores, and --predict_only gives none; leave one of them out"
        )
    results_files(how.until_decided)  # before the harness starts


def _with_contests(found: "Checked", how: How, tasks: Sequence[str]) -> "Checked":
    """Adds to what a run is what it is to decide."""
    if how.until_decided is None:
        return found
    contests = deciding.contests(how.until_decided, tasks, list(found.asked.ids), how.decide_by)
    return replace(found, asked=replace(found.asked, contests=contests))


def _terms(output: Path, found: "Checked", finished: Path | None) -> dict[str, Any]:
    """Returns what the run's folder keeps of by what it is decided."""
    path = output / STATE
    state = parse_json(path.read_text(encoding="utf-8")) if path.is_file() else {}
    has_results = finished is None and any(output.rglob("*_results.json"))
    try:
        return deciding.terms(output, state, found.asked.contests, has_results)
    except (KeyError, TypeError, AttributeError):
        raise TempbenchError(f"{path} is damaged; remove it to continue with the answers kept") from None


def _since(output: Path, found: "Checked") -> Iterator[str]:
    """Yields what has changed of the code since a run was finished, and what to do about it."""
    then = parse_json((output / STATE).read_text(encoding="utf-8"))[_QUESTIONS]
    if _differing(then, found.questions, "numbers"):
        yield f"the code that reads replies has changed since: see `tempbench rescore --reparse {output}`"
    if _differing(then, found.questions, "questions"):
        yield (
            "the code that makes questions has changed since, their texts have not; if it shows other "
            "pictures or frames now, choose another --output to ask again"
        )


def _differing(then: Mapping[str, Any], now: Mapping[str, Any], of: str) -> list[str]:
    """Returns for which tasks or benchmarks a checksum is another."""
    known = then.get(of, {})
    return [name for name, one in now.get(of, {}).items() if known.get(name) != one]


def _tell_finished(results: Path, since: Iterable[str]) -> None:
    """Says that there is nothing to do, what has changed since, and how a stopped run is continued."""
    said = parse_json(results.read_text(encoding="utf-8")).get(deciding.KEY) or {}
    for task, one in said.items():
        print(f"tempbench: {task}: {deciding.sentence(one)}")
    rest = "for a new run choose another --output"
    if any(map(deciding.is_stopped, said.values())):
        rest = "give the same command without --until-decided to have the other questions answered too"
    print(f"tempbench: finished already: {results}; {rest}")
    for line in since:
        print(f"tempbench: {line}")


def _check_names(names: set[str]) -> None:
    """Refuses names that tasks of the harness have, too."""
    if shadowed := sorted({*plugin.shadowed_names()} & names):
        raise TempbenchError(
            f"the harness has tasks of its own named {', '.join(shadowed)} and would run those; "
            "update tempbench-lmms"
        )


@dataclass(frozen=True)
class Asked:
    """What the cache needs to know of a run.

    Attributes:
        fingerprint: Of the model and how it is asked.
        ids: The questions of each of our tasks in their order.
        begin: Called where the model has answered, before the answer is kept.
        contests: What is to be decided, by each task; nothing where all questions are asked.
    """

    fingerprint: str
    ids: dict[str, list[str]]
    begin: Callable[[], None] = lambda: None
    contests: Sequence[deciding.Contest] = ()


@dataclass(frozen=True)
class Checked:
    """What a run is.

    Attributes:
        identity: As its folder keeps it.
        process: What must be the same in all its processes.
        asked: What the cache needs to know of it.
        questions: How the questions are asked and read by the code here, which may change while it is on.
    """

    identity: dict[str, Any]
    process: dict[str, Any]
    asked: Asked
    questions: dict[str, Any] = field(default_factory=dict)


def _beginning(output: Path, found: Checked, kept: Mapping[str, Any]) -> Callable[[], None]:
    """Returns what notes, once, whose folder this is: without an answer nothing in it is worth keeping."""

    @cache
    def begin() -> None:
        tables.write_json({"identity": found.identity, "finished": None, **kept}, output / STATE)

    return begin


@contextlib.contextmanager
def _for_all(ranks: Ranks) -> Iterator[None]:
    """A block whose failure ends all processes of the run, with one line."""
    try:
        yield
    except TempbenchError as error:
        if ranks.size == 1:
            raise
        agreement.end_all(ranks, error)


def _followed(
    ranks: Ranks, model: str, tasks: str, model_args: str, further: Sequence[str], how: How
) -> Asked:
    """Tells the first process what this one is about to do, and does as that decides."""
    ids: dict[str, list[str]] = {}

    def stated() -> dict[str, Any]:
        plugin.install()
        data = {}
        for name in leaves(tasks.split(",")):
            config = load_task(name)
            docs = docs_of(config)
            ids[name] = [str(doc["question_id"]) for doc in docs]
            data[name] = identity.of_data(name, config, docs)
        process = identity.of_process(data, identity.of_model(model, model_args, further), tasks)
        return process | how.process

    return Asked(agreement.follow(ranks, stated), ids)


def _earlier_results(output: Path) -> set[Path]:
    """Returns the results files that are there, the newest of them and of the logs at least a second old.

    The harness names its files by the second, so two would share one where a run has just ended.
    """
    results = set(output.rglob("*_results.json"))
    written = [*results, *output.rglob("*_samples_*.jsonl")]
    age = time.time() - max((path.stat().st_mtime for path in written), default=0.0)
    if 0 <= age < 1:
        time.sleep(1 - age)
    return results


def leaves(names: Iterable[str]) -> list[str]:
    """Returns the tasks behind `names`: patterns as what they match, groups as their members, only ours."""
    found: dict[str, None] = {}
    for name in task_names.expanded(names):
        if name not in task_files():
            continue
        config = load_task(name)
        if "group" in config:
            members = [one if isinstance(one, str) else one["task"] for one in config["task"]]
            found.update(dict.fromkeys(leaves(members)))
        else:
            found[name] = None
    return list(found)


def _sets_ours(word: str) -> bool:
    """Returns whether the harness reads `word` as one of the options that `tempbench run` sets itself.

    Its parser also takes the beginning of a long option (`--output`, `--conf=x`), and `-c` for `--use_cache`.
    """
    if word.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and any(own.startswith(name) for own in _OWN)
    return word.startswith("-c")


def preflight(
    model: str,
    tasks: str,
    names: Sequence[str],
    output: Path,
    model_args: str,
    further: Sequence[str],
    verify: bool,
) -> Checked:
    """Checks everything that can be checked before a model is loaded, and returns what the run is.

    Raises:
        TempbenchError: Something is amiss.
    """
    taken = part(further)
    version = plugin.harness_version(plugin.MINIMUM_TO_KEEP_ANSWERS, "`tempbench run`")
    plugin.install()
    data, ids, questions = _checked_data(names, verify)
    n_documents = sum(map(len, ids.values()))
    n_asked = sum(len(taken(one)) for one in ids.values())
    if names and not n_asked:
        raise TempbenchError("--limit and --offset leave no question to ask; give other numbers")
    wanted = _BYTES_AT_LEAST + n_asked * _BYTES_PER_DOCUMENT
    outputs.check_room(output, wanted, f"the answers and logs of {counted(n_asked, 'question')}")
    if names:
        of = f" of {n_documents:,}" if n_asked < n_documents else ""
        _tell(f"{n_asked:,}{of} questions of {counted(len(names), 'task')} are asked")
    _tell(f"starting lmms-eval {version}")
    asked = identity.of_model(model, model_args, further)
    kept = {**asked, "tasks": tasks, "tempbench": __version__, "lmms_eval": version, "data": data}
    kept["packages"] = identity.of_packages(model)
    process = identity.of_process(data, asked, tasks)
    return Checked(kept, process, Asked(identity.fingerprint(asked), ids), questions)


def part(further: Sequence[str]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Returns what takes from a task's questions those that `--limit` and `--offset` leave.

    Raises:
        TempbenchError: The harness would refuse them, or they are ours to set.
    """
    if ours := [word for word in further if _sets_ours(word)]:
        raise TempbenchError(
            f"{', '.join(ours)}: `tempbench run` sets it; give it before `--`, or leave it out"
        )
    given = options.read(further)
    limit, offset = getattr(given, "limit", None), getattr(given, "offset", None) or 0
    if limit == 0:
        raise TempbenchError("--limit 0 asks no question; give a larger number")
    if offset < 0 or (limit is not None and (not math.isfinite(limit) or (limit < 0 and limit != -1))):
        raise TempbenchError(
            "--limit takes a number of questions, a share below 1, or -1 for all; --offset a number from 0"
        )

    def taken(questions: Sequence[Any]) -> Sequence[Any]:
        if limit in (None, -1):
            return questions[offset:]
        share = math.ceil(len(questions) * limit) if limit < 1 else int(limit)
        return questions[offset : offset + share]

    return taken


def _checked_data(
    names: Sequence[str], verify: bool
) -> tuple[dict[str, Any], dict[str, list[str]], dict[str, Any]]:
    """Returns what tasks ask about and the ids of their questions in order, by task, and how they ask."""
    data: dict[str, Any] = {}
    texts: dict[str, str] = {}
    ids: dict[str, list[str]] = {}
    verified: set[Path] = set()
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
        benchmark, root = root_of(config)
        if root not in looked_at:
            looked_at.add(root)
            for problem in prepared.table_problems(root, manifests.read(root) or {}):
                raise TempbenchError(f"{problem}; prepare the data again with --force")
        if verify and root not in verified:
            if problems := list(benchmarks.commands(benchmark)["verify"](root)):
                raise TempbenchError(f"{problems[0]} ({len(problems)} problems; see `tempbench verify`)")
            verified.add(root)
        data[name] = identity.of_data(name, config, docs)
        texts[name] = identity.of_texts(config, docs)
    return data, ids, {"texts": texts, **identity.of_code_behind(names)}


def task_problems(config: dict[str, Any], docs: Sequence[tables.Row]) -> Iterator[str]:
    """Yields what a quick look finds wrong with a task: repeated ids, questions that cannot be built.

    Damaged media are told, and fail their own questions alone.

    Args:
        config: The task.
        docs: Its documents.

    Raises:
        MediaError: The media of all questions looked at are damaged.
    """
    for number, problem in checks.duplicates(enumerate(docs)):
        yield f"row {number} ({str(docs[number]['question_id'])[:80]}): {problem}"
    kwargs = kwargs_of(config)
    looked_at = sorted({round(i * (len(docs) - 1) / max(_LOOKED_AT - 1, 1)) for i in range(_LOOKED_AT)})
    damaged: list[tuple[int, MediaError]] = []
    for number in looked_at:
        try:
            if not config["doc_to_text"](docs[number], kwargs).strip():
                yield f"row {number}: the question is empty; prepare the data again"
            config["doc_to_messages"](docs[number], kwargs)  # decodes its media
        except MediaError as error:
            damaged.append((number, error))
    if len(damaged) == len(looked_at):
        raise damaged[0][1]
    for number, found in damaged:
        _tell(f"{config['task']}, row {number}: {found}; its questions count as failed, the others are asked")


@contextlib.contextmanager
def _locked(output: Path, wanted: bool = True) -> Iterator[None]:
    """Makes the folder and keeps a second run out of it; the lock ends with the process that holds it."""
    output.mkdir(parents=True, exist_ok=True)
    busy = f"another run is writing into {output}; wait for it or choose another --output"
    with locks.locked(output / LOCK, busy, wanted):
        yield


def _continued(output: Path, found: Checked) -> Path | None:
    """Returns the results file where the run is finished and its files are there.

    Where it was stopped, it is finished for whoever asks for the same decision.

    Raises:
        TempbenchError: The folder belongs to something else.
    """
    path = output / STATE
    if not path.is_file():
        if not all(_is_void(file) for file in output.rglob("*_results.json")):
            raise TempbenchError(f"{output} holds other results; choose another --output")
        return None
    try:
        state = parse_json(path.read_text(encoding="utf-8"))
        earlier = dict(state["identity"])
        then = {of: dict(known) for of, known in dict(state[_QUESTIONS]).items()}
    except (ValueError, KeyError, TypeError):
        raise TempbenchError(f"{path} is damaged; remove it to continue with the answers kept") from None
    if differing := identity.differences(earlier, found.identity):
        raise TempbenchError(
            f"{output} belongs to a run that differs in: {', '.join(differing)} (see {path}); nothing in it "
            "was changed: choose another --output, or put back what the run began with"
        )
    finished = results_of(state, output)
    if finished is None:
        is_same = not any(_differing(then, found.questions, of) for of in found.questions)
        return _unnoted(output, found) if is_same and not state.get("finished") else None
    if others := _differing(then, found.questions, "texts"):
        raise TempbenchError(
            f"{output} is finished, and {counted(len(others), 'task')} of it would be asked otherwise now: "
            f"the prompts of {', '.join(others[:3])} have changed; choose another --output to ask them anew"
        )
    if state.get("failed"):
        if others := _differing(then, found.questions, "questions"):
            _tell(
                f"the code that makes the questions of {', '.join(others)} has changed: all are asked again"
            )
        return None  # there are failed requests, to be asked again
    if deciding.is_open(state.get(deciding.KEY) or {}, found.asked.contests):
        return None
    if not _is_whole(finished, found):
        return None  # a log is gone or cut short: the answers kept make it again
    now = _sums(finished)
    if state.get(prepared.KEY) != now:
        _tell(f"{finished} or a log of it was changed after the run; the answers kept make them again")
        return None
    return finished


def _is_whole(results: Path, found: Checked) -> bool:
    """Returns whether a results file has all its logs, about the questions of the run."""
    try:
        _replies(results)
        _same_questions(results, found.asked.ids)
    except TempbenchError:
        return False
    return True


def _unnoted(output: Path, found: Checked) -> Path | None:
    """Returns the results of a run that was ended before it noted that it is finished; None for none.

    Whether the logs of the harness's own tasks are whole is not known, so a run with such tasks has none. One
    that was to stop when it is decided comes to its decision again, from the answers kept. Results older than
    the state are of an earlier start, and were not taken for whole.
    """
    begun = (output / STATE).stat().st_mtime
    dated = sorted((file.stat().st_mtime, file) for file in output.rglob("*_results.json"))
    files = [file for written, file in dated if written >= begun]
    if not files or not _is_whole(files[-1], found) or failures.of(files[-1]):
        return None
    header = parse_json(files[-1].read_text(encoding="utf-8"))
    if found.asked.contests or deciding.KEY in header:
        return None
    return files[-1] if set(header["n-samples"]) <= set(found.asked.ids) else None


def _is_void(results: Path) -> bool:
    """Returns whether every request of a finished run failed, as with a wrong address: nothing is lost."""
    try:
        replies = _replies(results)
    except TempbenchError:
        return False
    return bool(replies) and all(adapter.request_failed(reply) for reply in replies)


def _evaluate(
    model: str,
    tasks: str,
    output: Path,
    model_args: str,
    further: Sequence[str],
    how: How,
    pace: "Pace",
    asked: Asked,
) -> None:
    from tempbench_lmms.harness import asking, cache

    sys.argv = ["lmms-eval", "--model", model, "--tasks", task_names.as_names(tasks, further)]
    sys.argv += ["--output_path", str(output), "--use_cache", str(output / "cache")]
    sys.argv += ["--log_samples", *further]
    if model_args:
        sys.argv += ["--model_args", model_args]
    redaction.note(model_args, *further)
    known = supervision.read(output)
    watch = asking.Watch(known.apart, known.failed, max_failures=failures.bound(how.max_failures))
    watch.answered, watch.seed = asked.begin, str(getattr(options.read(further), "seed", None))
    if how.tell:
        watch.timeout, watch.tell = how.question_timeout or None, how.tell
    if how.until_decided is not None:  # processes but the first have no contests, and are told
        watch.stop = deciding.stopping_of(asked.contests)
    if error := cache.evaluate(how.slice_size, pace, asked.fingerprint, asked.ids, watch):
        if isinstance(error, asking.TooManyFailedError):
            supervision.settle(output)
        reason = scrubbed(str(error)).splitlines()[0][:300] if str(error) else scrubbed(repr(error))
        if isinstance(error, OSError) and error.strerror:
            # A refused connection has a number too, and is of no file.
            name = error.filename or (output if outputs.is_of_disk(error) else "")
            reason = f"{name}: {error.strerror}" if name else error.strerror
        elif isinstance(error, sqlite3.Error):
            reason = f"{output / 'cache'}: {reason}"
        first = "make room on its disk, and " if _is_full(error) else ""
        parts = f"the evaluation failed ({reason})", of_error(reason), ending.advice(output, first)
        raise TempbenchError("; ".join(filter(None, parts)))
    pace.tell()


def _is_full(error: Exception) -> bool:
    """Whether a disk took no more; the database says no more of some full disks than that it failed."""
    if isinstance(error, sqlite3.OperationalError):
        return "disk" in str(error)
    return isinstance(error, OSError) and error.errno in outputs.FULL


def _tell(line: str) -> None:
    print(f"tempbench: {line}", file=sys.stderr, flush=True)


class Pace:
    """Says how far the first process of a run is, and at the end how fast the run was.

    Args:
        silent: Say nothing, as the other processes.
        processes: How many share the questions.
    """

    def __init__(self, silent: bool = False, processes: int = 1) -> None:
        self._silent, self._asked, self._seconds = silent, 0, 0.0
        self._processes = processes

    def __call__(self, progress: Any) -> None:
        """Prints one line a slice."""
        if not self._silent:
            _show(progress)
            self._asked, self._seconds = progress.asked, progress.seconds

    def tell(self) -> None:
        """Says what `tempbench plan --speed` takes."""
        if self._asked and self._seconds:
            seconds = self._seconds / self._asked / self._processes
            by = f" by the first of {self._processes} processes" if self._processes > 1 else ""
            _tell(f"{seconds:.3g} seconds a question ({self._asked:,} asked now{by})")


def _show(progress: Any) -> None:
    line = f"{progress.done:,} of {progress.total:,} answered"
    if progress.asked and progress.seconds:
        rate = progress.asked / progress.seconds
        left = (progress.total - progress.done) / rate
        line += f", {rate:.1f} a second, {left // 3600:.0f} h {left % 3600 / 60:.0f} min left"
    if progress.unkept:
        line += f"; {progress.unkept:,} are sampled, several to a question, and cannot be kept"
    _tell(line)


def _new(output: Path, evaluate: Callable[[], None]) -> Path:
    """Returns the results file that an evaluation leaves.

    Raises:
        TempbenchError: It leaves none.
    """
    before = _earlier_results(output)
    evaluate()
    new = sorted(set(output.rglob("*_results.json")) - before, key=lambda file: file.stat().st_mtime)
    if not new:
        raise TempbenchError(
            "the evaluation left no results, see the messages above; answers so far are kept, "
            "give the same command again to continue"
        )
    return new[-1]


def _finish(
    output: Path,
    results: Path,
    found: Checked,
    at_end: Callable[[Path, bool], None],
    borne: Callable[[int], int],
    kept: Mapping[str, Any],
) -> None:
    """Notes that the run is finished, and says which requests failed.

    The note comes before the report: who is ended while that is written is not evaluated again.

    Raises:
        TempbenchError: More requests failed than are borne.
    """
    replies = _replies(results)
    _same_questions(results, found.asked.ids)
    deciding.confirm(results, found.asked.contests)
    decided = {one.task: one.said for one in found.asked.contests}
    failed = failures.of(results)
    is_finished = len(failed) <= borne(len(replies))
    if is_finished:
        ids = [[one.task, one.question] for one in failed]
        ended = {"finished": str(results), "failed": ids, prepared.KEY: _sums(results)}
        ended |= {deciding.KEY: decided} if decided else {}
        tables.write_json({"identity": found.identity, **ended, **kept}, output / STATE)
    supervision.settle(output)
    at_end(results, True)
    if empty := sum(not reply.strip() for reply in replies):
        _tell(f"{empty:,} of {len(replies):,} replies are empty")
    for line in (*quality.cut_in(results), *failures.lines(failed)):
        _tell(line)
    counted = f"{len(failed):,} of {len(replies):,} requests failed"
    again = f"give the same command again to ask those again ({results} counts them as wrong)"
    if not is_finished:
        raise TempbenchError(f"{counted}; {again}")
    if failed:
        _tell(f"{counted}, no more than --max-failures allows; {again}")
    for task, one in decided.items():
        _tell(f"{task}: {deciding.sentence(one)}")
    _tell(f"finished, {len(replies):,} answers: {results}")


def _sums(results: Path) -> dict[str, str]:
    """Returns the checksums of a results file and its logs, by name."""
    stamp = results.name.removesuffix("_results.json")
    return prepared.sums(results.parent, [results, *sorted(results.parent.glob(f"{stamp}_samples_*.jsonl"))])


def _replies(results: Path) -> list[str]:
    """Returns the replies in the logs of a results file.

    Raises:
        TempbenchError: A file is cut short; the harness warns and goes on where it cannot write.
    """
    stamp = results.name.removesuffix("_results.json")
    replies: list[str] = []
    try:
        counts = parse_json(results.read_text(encoding="utf-8"))["n-samples"]
        for task in counts.keys() & task_files().keys():
            with results.with_name(f"{stamp}_samples_{task}.jsonl").open(encoding="utf-8") as lines:
                found = [adapter.reply_of([parse_json(line).get("filtered_resps", "")]) for line in lines]
            if len(found) != counts[task]["effective"]:
                raise ValueError
            replies += found
    except (OSError, ValueError, KeyError, TypeError):
        raise TempbenchError(
            f"{results} and its logs were not written whole; make room if the disk is full, and give the "
            "same command again: the answers are kept"
        ) from None
    return replies


def _same_questions(results: Path, ids: Mapping[str, Sequence[str]]) -> None:
    """Compares the logs of a results file, each as long as it should be, with the questions of the tasks.

    Raises:
        TempbenchError: A question stands there twice, or another one in its place.
    """
    stamp = results.name.removesuffix("_results.json")
    for task, expected in ids.items():
        log = results.with_name(f"{stamp}_samples_{task}.jsonl")
        try:
            with log.open(encoding="utf-8") as lines:
                found = [_question(row, expected) for row in map(parse_json, lines)]
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise TempbenchError(f"{log} is not a log ({checks.in_words(error)}); {_AGAIN}") from None
        wrong = len(found) - len({*found} & {*enumerate(expected)})
        if wrong:
            raise TempbenchError(
                f"{log} has {len(found)} lines about {len({id_ for _, id_ in found})} questions, {wrong} of "
                f"them repeated or others than the task's, so this is no finished run; {_AGAIN}"
            )


def _question(row: dict[str, Any], expected: Sequence[str]) -> tuple[int, str]:
    """Returns number and id of a log's line; its number has to do under `--predict_only`."""
    number = int(row["doc_id"])
    return number, str(row["record"]["id"] if "record" in row else expected[number])


_AGAIN = "give the same command again, the answers are kept"
