"""`tempbench run`: runs the harness with checks before it, stored answers and a correct exit status.

Everything that a later start needs is in the output folder: the stored answers, and a file that identifies
their run, written with the first answer. The same command, given again, continues the run. A wrong command
that got no answer leaves nothing that would block the corrected one.
"""

import contextlib
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tempbench_lmms.check.faults import of_error
from tempbench_lmms.data import locks, manifests, outputs, redaction, tables
from tempbench_lmms.data.outputs import LOCK, RESULTS, STATE
from tempbench_lmms.data.terminal import one_line, tell
from tempbench_lmms.errors import TempbenchError, lacking
from tempbench_lmms.harness import catalog, identity, plugin, tasks
from tempbench_lmms.harness.progress import Pace
from tempbench_lmms.harness.ranks import DECISION, Ranks, compare, end_all, follow
from tempbench_lmms.runs import deciding, quality, run_card, starting, supervision, task_log
from tempbench_lmms.runs.logs import counting, finished_results, read_runs, sums
from tempbench_lmms.runs.starting import Command, RunIdentity

_SHOWN = 20
_LONGEST_REASON = 200


def complete_logs(results: Path, ids: Mapping[str, Sequence[str]]) -> list[task_log.TaskLog]:
    """Returns the logs beside a results file, after checking that they are complete.

    Args:
        results: The file.
        ids: The expected questions of each task, in order, as far as known.

    Raises:
        TempbenchError: A file is missing or cut short (the harness only warns if it cannot write), or a log
            has a question twice or another question in its place.
    """
    try:
        found = {log.task: log for log in read_runs([results], partial=True)}
        for task in {**ids, **found}:
            log = found.get(task)
            if log is None or not (log.samples or log.problems):
                raise TempbenchError(f"{task} has no log")
            if log.problems:
                raise TempbenchError(log.problems[0])
            strangers = {(one.doc_id, one.id) for one in log.samples} - {*enumerate(ids.get(task, ()))}
            if task in ids and strangers:
                raise TempbenchError(
                    f"{log.log_file.name}: {len(strangers)} lines have other questions than the task"
                )
    except TempbenchError as error:
        raise TempbenchError(
            f"{results} and its logs are incomplete ({error}); free space if the disk is full, and give "
            "the same command again: the answers are stored"
        ) from None
    return [*found.values()]


def bound(text: str) -> Callable[[int], int]:
    """Returns the function from the number of questions to how many may fail, for `5` or `1%`.

    >>> bound("1%")(250), bound("5")(250)
    (2, 5)

    Raises:
        TempbenchError: It is neither a number nor a share.
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(%?)", text.strip())
    if not found or (not found[2] and "." in found[1]) or (found[2] and float(found[1]) > 100):
        raise TempbenchError(f"--max-failures {text[:40]!r} is neither a number nor a share; write 5 or 1%")
    number = float(found[1])
    return (lambda total: int(total * number / 100)) if found[2] else (lambda total: int(number))


_QUESTIONS = "questions"  # a key of a run's state: checksums of the prompts


@dataclass(frozen=True)
class RunOptions:
    """Options of a run that do not change the scores of greedy replies."""

    slice_size: int = 200  # answers stored at a time; it changes which replies are sampled
    max_failures: str = "1%"  # how many requests may fail (`bound`)
    question_timeout: float = 0.0  # seconds that one question may take; 0 for no limit; needs `tell`
    tell: supervision.Tell | None = None  # reports each call to a supervising process
    name: str = ""  # in reports; if empty, the model's name
    until_decided: Path | None = None  # an earlier run; decides when this run stops
    decide_by: str = ""  # the metric that decides; if empty, each task's headline

    @property
    def process(self) -> dict[str, Any]:
        """What must be equal in all processes of a run; otherwise one would wait for the others forever."""
        decides = self.until_decided is not None  # slice by slice, together
        return {"until_decided": decides, "slice": self.slice_size if decides else None}


def run(
    command: Command,
    options: RunOptions = RunOptions(),
    at_end: Callable[[Path, bool], None] = lambda results, is_new: None,
) -> None:
    """Starts or continues an evaluation.

    Args:
        command: What to run.
        options: Its options.
        at_end: Called with the results file and whether it is new, before the check for failed requests.

    Raises:
        TempbenchError: Something is wrong, or too many requests failed; the answers so far are stored.
    """
    output = command.output
    ranks = Ranks()
    if ranks.rank:  # the first process checks, writes and prints
        found = _followed(ranks, command, options)
        _evaluate(command, options, found, lambda progress: None)
        return
    with contextlib.ExitStack() as held:
        try:
            _check_arguments(command, options)
            output.mkdir(parents=True, exist_ok=True)
            busy = f"another run is writing into {output}; wait for it or choose another --output"
            held.enter_context(locks.locked(output / LOCK, busy))
            found, contests, kept, finished = _prepared(command, options, ranks)
        except TempbenchError as error:
            if ranks.size == 1:
                raise
            end_all(ranks, error)  # with one line
        ranks.tell_all(DECISION, {"status": 0} if finished else {"fingerprint": found.fingerprint})
        if finished:
            _tell_finished(finished)
            at_end(finished, False)
            return
        if before := set(output.rglob("*_samples_*.jsonl")):
            time.sleep(1)  # the harness names its files by the second
        before |= set(output.rglob(f"*{RESULTS}"))
        begun = {"identity": found.kept, "finished": None, **kept}
        pace = Pace(ranks.size)
        with pace.bar():
            _evaluate(command, options, found, pace, begun, contests)
        pace.tell()
        _finish(output, _new_results(output, before), found, contests, kept, options, at_end)


def _prepared(
    command: Command, options: RunOptions, ranks: Ranks
) -> tuple[RunIdentity, list[deciding.Contest], dict[str, Any], Path | None]:
    """Returns the run, its contests, what its state keeps, and its results if it is finished."""
    found = starting.identify(command)
    compare(ranks, found.process | options.process)
    names = [*found.ids, *command.others]
    contests = deciding.contests(options.until_decided, names, options.decide_by)
    deciders = deciding.deciders(command.output, task_log.state_of(command.output), contests)
    finished = _continued(command.output, found, asks_all=not contests)
    if not finished:
        plugin.check_names({*command.named, *found.ids})
    kept = {_QUESTIONS: found.questions, **deciders, **({"name": options.name} if options.name else {})}
    return found, contests, kept, finished


def _check_arguments(command: Command, options: RunOptions) -> None:
    further = command.further
    bound(options.max_failures)
    starting.part(further)
    catalog.check_tasks(command.tasks.split(","), further)
    number = starting.value(further, "num_fewshot")
    if number and (ours := command.leaves):  # the harness accepts the number but shows no examples
        raise TempbenchError(
            f"--num_fewshot {number}: {ours[0]} has no examples to show; leave it out, and run tasks with "
            "examples separately"
        )
    if options.until_decided is None:
        if options.decide_by:
            raise TempbenchError("--decide-by needs --until-decided; give both, or leave it out")
        return
    if starting.value(further, "limit") not in (None, -1) or starting.value(further, "offset"):
        raise TempbenchError("--until-decided chooses the questions itself; leave out --limit and --offset")
    counting(options.until_decided)  # before the harness starts


def _followed(ranks: Ranks, command: Command, options: RunOptions) -> RunIdentity:
    ids: dict[str, list[str]] = {}

    def stated() -> dict[str, Any]:
        plugin.install()
        data = {}
        for name in command.leaves:
            config = tasks.load_task(name)
            docs = tasks.docs_of(config)
            ids[name] = [str(doc["question_id"]) for doc in docs]
            data[name] = identity.of_data(name, config, docs)
        data |= {name: task.data for name, task in command.others.items()}
        model = identity.of_model(command.model, command.model_args, [*command.further])
        return identity.of_process(data, model, command.tasks) | options.process

    return RunIdentity({}, fingerprint=follow(ranks, stated), ids=ids)


def _continued(output: Path, found: RunIdentity, asks_all: bool = True) -> Path | None:
    """Returns the results file if the run is finished and its files are present.

    A run that stopped early because it was decided is not finished for a command that asks all questions.
    """
    path, state = output / STATE, task_log.state_of(output)
    if not state:
        if not all(_is_void(file) for file in output.rglob(f"*{RESULTS}")):
            raise TempbenchError(f"{output} holds other results; choose another --output")
        return None
    if differing := identity.differences(state["identity"], found.kept):
        raise TempbenchError(
            f"{output} belongs to a run that differs in: {', '.join(differing)} (see {path}); nothing was "
            "changed: choose another --output, or give the original command"
        )
    finished = finished_results(path)
    if finished is None:
        return None
    if others := [name for name, one in found.questions.items() if state[_QUESTIONS].get(name) != one]:
        raise TempbenchError(
            f"{output} is finished, and the prompts of {', '.join(others[:3])} have changed since; choose "
            "another --output to ask the new prompts"
        )
    is_stopped = any(map(run_card.is_stopped, (state.get(deciding.KEY) or {}).values()))
    if state.get("failed") or (asks_all and is_stopped):  # some are to be asked
        return None
    try:
        complete_logs(finished, found.ids)
    except TempbenchError as error:
        tell(str(error))
        return None
    return finished


def _is_void(file: Path) -> bool:
    try:
        samples = [one for log in read_runs([file], partial=True) for one in log.samples]
    except TempbenchError:
        return False
    return bool(samples) and all(one.record["failed"] for one in samples)


def _tell_finished(file: Path) -> None:
    said = tables.read_json(file).get(deciding.KEY) or {}
    for task, one in said.items():
        print(f"tempbench: {task}: {run_card.sentence(one)}")
    rest = "for a new run choose another --output"
    if any(map(run_card.is_stopped, said.values())):
        rest = "give the same command without --until-decided to have the other questions answered too"
    print(f"tempbench: finished already: {file}; {rest}")


def _evaluate(
    command: Command,
    options: RunOptions,
    found: RunIdentity,
    on_slice: Callable[[Any], None],
    begun: Mapping[str, Any] | None = None,
    contests: Sequence[deciding.Contest] = (),
) -> None:
    from tempbench_lmms.harness import cache as answers
    from tempbench_lmms.harness import retries

    output = command.output
    sys.argv = ["lmms-eval", "--model", command.model]
    sys.argv += ["--tasks", catalog.as_names(command.tasks, command.further)]
    sys.argv += ["--output_path", str(output), "--use_cache", str(output / "cache")]
    sys.argv += ["--log_samples", *command.further]
    sys.argv += ["--model_args", command.model_args] if command.model_args else []
    redaction.note(command.model_args, *command.further)
    known = supervision.ended_questions(output)
    watch = retries.Watch({*known}, supervision.failed(known), max_failures=bound(options.max_failures))
    watch.seed = str(starting.value(command.further, "seed"))
    if begun is not None:
        watch.answered = cache(lambda: tables.write_json(begun, output / STATE))
    if options.tell:
        watch.timeout, watch.tell = options.question_timeout or None, options.tell
    if options.until_decided is not None:
        watch.stop = deciding.stopping_of(contests)
    run = answers.SafeRun(options.slice_size, on_slice, found.fingerprint, found.ids, watch)
    error = answers.evaluate(run)
    if isinstance(error, retries.TooManyFailedError):
        supervision.settle(output)
    if error:
        raise _failed(error, output)


def _failed(error: Exception, output: Path) -> TempbenchError:
    if (tried := getattr(error, "last_attempt", None)) is not None:  # the harness scores a reply five times
        error = tried.exception() or error
    if isinstance(error, ModuleNotFoundError) and (told := lacking(error)):
        return told
    reason = (
        redaction.scrubbed(str(error)).splitlines()[0][:300]
        if str(error)
        else redaction.scrubbed(repr(error))
    )
    # On some full disks the database only says that it failed.
    is_full = getattr(error, "errno", None) in outputs.FULL or (
        isinstance(error, sqlite3.OperationalError) and "disk" in reason
    )
    if isinstance(error, OSError) and error.strerror:
        # A refused connection also has an error number, but no file.
        name = error.filename or (output if outputs.is_of_disk(error) else "")
        reason = f"{name}: {error.strerror}" if name else error.strerror
    elif isinstance(error, sqlite3.Error):
        reason = f"{output / 'cache'}: {reason}"
    advice = supervision.advice(output, "free space on its disk, and " if is_full else "")
    return TempbenchError(
        "; ".join(filter(None, (f"the evaluation failed ({reason})", of_error(reason), advice)))
    )


def _new_results(output: Path, before: set[Path]) -> Path:
    if new := set(output.rglob(f"*{RESULTS}")) - before:
        return max(new, key=lambda file: file.stat().st_mtime)
    raise TempbenchError(
        "the evaluation wrote no results, see the messages above; answers so far are stored, give the same "
        "command again to continue"
    )


def _finish(
    output: Path,
    file: Path,
    found: RunIdentity,
    contests: Sequence[deciding.Contest],
    kept: Mapping[str, Any],
    options: RunOptions,
    at_end: Callable[[Path, bool], None],
) -> None:
    """Records that the run is finished, and prints which requests failed.

    The record comes before the report, so a run that is ended while it writes its report is not evaluated
    again.
    """
    logs = complete_logs(file, found.ids)
    replies = [(log, one) for log in logs for one in log.samples]
    decided = {one.task: one.said for one in contests}
    failed = [(log, one) for log, one in replies if one.record["failed"]]
    is_finished = len(failed) <= bound(options.max_failures)(len(replies))
    if is_finished:
        ids = [[log.task, one.id] for log, one in failed]
        ended = {"finished": str(file), "failed": ids, manifests.TABLES: sums(file)}
        ended |= {deciding.KEY: decided} if decided else {}
        tables.write_json({"identity": found.kept, **ended, **kept}, output / STATE)
    supervision.settle(output)
    at_end(file, True)
    if empty := sum(not one.reply.strip() for _, one in replies):
        tell(f"{empty:,} of {len(replies):,} replies are empty")
    for log in logs:
        for warning in quality.cut_off(log.samples, log.token_limit):
            tell(f"{log.task}: {warning}")
    for log, one in failed[:_SHOWN]:
        words = re.sub(r"^\s*\[LMMS_EVAL_[A-Z_]+[:\s]*", "", one.reply).rstrip().removesuffix("]")
        reason = one_line(words or one.reply)[:_LONGEST_REASON]
        tell(f"failed: question {one_line(one.id)} of {log.task}: {reason}")
    if len(failed) > _SHOWN:
        tell(f"failed: {len(failed) - _SHOWN:,} more; the logs have them with `failed` 1")
    number = f"{len(failed):,} of {len(replies):,} requests failed"
    again = f"give the same command again to ask those again ({file} counts them as wrong)"
    if not is_finished:
        raise TempbenchError(f"{number}; {again}")
    if failed:
        tell(f"{number}, no more than --max-failures allows; {again}")
    for task, decision in decided.items():
        tell(f"{task}: {run_card.sentence(decision)}")
    tell(f"finished, {len(replies):,} answers: {file}")
