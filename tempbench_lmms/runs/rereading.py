"""`tempbench reread`: stores a second reader's readings of logged replies beside the log.

The log itself is never changed. Each line of a file of readings holds what the reader wrote and the hash of
the reply that it was shown. Its meaning is derived again whenever the file is used, so neither a changed log
nor a changed file can introduce a value that the question does not offer.
"""

import glob
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.data.tables import Row, parse_json
from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.parsing import second
from tempbench_lmms.parsing.expected import Reading, Reread
from tempbench_lmms.runs.rescoring import with_docs, with_reply
from tempbench_lmms.runs.second_readers import Endpoint, NoAnswerError
from tempbench_lmms.runs.task_log import Sample, TaskLog

STATUSES = ("read", "none", "refused", "wrong form")
"""Outcomes for a reply: a value; no value in it; answer withheld; twice something else written."""

Choose = Callable[[second.Part, Reading[Any]], Reading[Any]]
"""Takes the expected parts of an answer and our reading; returns the reading that counts."""

_KEPT = 500  # characters of an answer
_MOST_IN_A_ROW = 10  # failed requests in a row before the rest is skipped
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Question:
    """A logged reply, the answer that its question expects, and our reading.

    Attributes:
        log: The log that holds it.
        config: The configuration of its task.
        sample: The line.
        doc: The question's row.
        expected: The parts of an answer, each with our reading of it.
        unread: Whether our reader found no answer. A number that is not an option counts as read.
    """

    log: TaskLog
    config: dict[str, Any]
    sample: Sample
    doc: Row
    expected: dict[second.Part, Reading[Any]]
    unread: bool

    def request(self, again: bool = False) -> str:
        """Returns the prompt for a second reader."""
        return second.request(self.sample.prompt, self.sample.reply, tuple(self.expected), again)

    def values(self, line: "Line") -> tuple[Any, ...]:
        """Returns a line's value for each part; None if it is not one that the question offers."""
        found = second.values(line.answer, tuple(self.expected)) if line.status in ("read", "none") else None
        return found or (None,) * len(self.expected)

    def rescored(self, choose: Choose) -> Sample:
        """Returns the sample that the task's own scoring makes from the readings that `choose` returns."""
        now = with_reply(self.config, self.sample, self.doc, Reread(self.sample.reply, choose))
        plain = {name: str(one) if isinstance(one, Reread) else one for name, one in now.record.items()}
        return replace(now, record=plain)


def questions_of(log: TaskLog) -> list[Question]:
    """Returns the replies of a log, with what the task's parser expects and reads in each.

    Raises:
        TempbenchError: The data is not on this machine, or lacks a question of the log.
    """
    config = load_task(log.task)
    out = []
    for sample, doc in with_docs(log):
        seen: dict[second.Part, Reading[Any]] = {}
        question = Question(log, config, sample, doc, seen, False)
        now = question.rescored(seen.setdefault)
        unread = not now.record["parsed"] and any(reading.value is None for reading in seen.values())
        out.append(replace(question, unread=unread))
    return out


@dataclass(frozen=True)
class Line:
    """A second reader's reading of one reply, as stored."""

    id: str  # the question's
    reply: str  # the hash of the reply that it was shown
    reader: str
    prompt_version: int  # `second.VERSION`
    status: str  # one of `STATUSES`
    answer: str  # what it wrote


@dataclass
class Readings:
    """One second reader's readings of the replies of one log."""

    reader: str
    lines: dict[str, Line] = field(default_factory=dict)  # for the log's replies and the current prompt
    outdated: set[str] = field(
        default_factory=set
    )  # questions read only in other replies or by another prompt

    def __str__(self) -> str:
        found = counts_of(self.lines.values())
        return f"second reader {self.reader}: {len(self.lines):,} replies, {found}{self.remark}"

    @property
    def remark(self) -> str:
        """A remark about outdated readings; empty if there are none."""
        if not self.outdated:
            return ""
        return (
            f"; {len(self.outdated):,} readings of {self.reader} are of other replies or from another "
            "prompt, and are not used; run `tempbench reread` again"
        )


def counts_of(lines: Iterable[Line]) -> str:
    """Returns in words how many lines have each of `STATUSES`."""
    found = Counter(line.status for line in lines)
    return ", ".join(f"{found[status]:,} {status}" for status in STATUSES)


def _hash_of(reply: str) -> str:
    return hashlib.sha256(reply.encode("utf-8", "surrogatepass")).hexdigest()


def file_of(log: TaskLog, reader: str) -> Path:
    """Returns the file for a second reader's readings of a log: beside the log, and not named like one."""
    last = Path(reader).name if reader.startswith("/") else reader
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", last).strip("_")[:_LONGEST_NAME]
    if name != reader:  # two readers never share a file
        name = f"{name or 'reader'}_{hashlib.sha256(reader.encode()).hexdigest()[:8]}"
    return log.beside("reread").with_name(f"{log.beside('reread').name}.{name}.jsonl")


def readings_of(log: TaskLog) -> list[Readings]:
    """Returns the readings of a log's replies by second reader, by the reader's name."""
    beside = log.beside("reread")
    files = sorted(beside.parent.glob(f"{glob.escape(beside.name)}.*.jsonl"))
    replies = {sample.id: _hash_of(sample.reply) for sample in log.samples} if files else {}
    found: dict[str, Readings] = {}
    for line in (line for file in files for line in _lines(file)):
        readings = found.setdefault(line.reader, Readings(line.reader))
        if line.prompt_version == second.VERSION and replies.get(line.id) == line.reply:
            readings.lines[line.id] = line
        else:
            readings.outdated.add(line.id)
    for readings in found.values():
        readings.outdated -= set(readings.lines)
    return [found[name] for name in sorted(found)]


def _lines(file: Path) -> Iterator[Line]:
    with file.open(encoding="utf-8", errors="replace") as lines:
        for text in lines:
            # An interruption may cut a line in half; that line is ignored and its reply is asked about again.
            try:
                line = Line(**parse_json(text))
            except (ValueError, TypeError):
                continue
            words = (line.id, line.reply, line.reader, line.answer)
            if all(isinstance(word, str) for word in words) and line.status in STATUSES:
                yield line


def _reading(question: Question, reader: Endpoint) -> Line:
    """Asks a second reader about one reply, and once more if its answer has the wrong form."""
    for again in (False, True):
        answer = reader.ask(question.request(again))
        values = None if answer is None else second.values(answer, tuple(question.expected))
        if answer is None or values is not None:
            break
    if answer is None:
        status = "refused"
    elif values is None:
        status = "wrong form"
    else:
        status = "none" if all(value is None for value in values) else "read"
    kept = answer or ""
    return Line(
        id=question.sample.id,
        reply=_hash_of(question.sample.reply),
        reader=reader.name,
        prompt_version=second.VERSION,
        status=status,
        answer=kept if status in ("read", "none") else kept[:_KEPT],
    )


def ask(
    questions: Sequence[Question],
    reader: Endpoint,
    concurrency: int = 8,
    step: Callable[[], object] = lambda: None,
) -> tuple[list[Line], Counter[str]]:
    """Asks a second reader, and appends each reading to the log's file as soon as it arrives.

    Args:
        questions: The replies.
        reader: The reader.
        concurrency: The largest number of requests at the same time.
        step: Called after each reply.

    Returns:
        The readings, and the reasons for failed requests with their counts. After many failures in a row the
        rest is not asked.

    Raises:
        TempbenchError: All further requests would fail too; the readings so far are stored.
    """
    for file in {file_of(question.log, reader.name) for question in questions}:
        tables.drop_torn_line(file)
    lines: list[Line] = []
    failures: Counter[str] = Counter()
    in_a_row = 0
    pool = ThreadPoolExecutor(concurrency)
    try:
        asked = {pool.submit(_reading, one, reader): one for one in questions}
        for done in as_completed(asked):
            try:
                line = done.result()
            except NoAnswerError as error:
                failures[str(error)] += 1
                in_a_row += 1
                if in_a_row >= _MOST_IN_A_ROW:
                    break
            else:
                in_a_row = 0
                tables.append(file_of(asked[done].log, reader.name), f"{json.dumps(vars(line))}\n")
                lines.append(line)
            step()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return lines, failures


def to_ask(log: TaskLog, reader: str, everything: bool) -> list[Question]:
    """Returns the replies of a log to ask about; prints how many, and how many are already read."""
    questions = [one for one in questions_of(log) if one.expected and one.sample.reply.strip()]
    unread = [question for question in questions if question.unread]
    wanted = questions if everything else unread
    own = {one.reader: one for one in readings_of(log)}
    known = own.get(reader, Readings(reader))
    new = [question for question in wanted if question.sample.id not in known.lines]
    print(
        f"{log.task}, {log.model}: {len(new):,} of {len(log.samples):,} replies to ask about "
        f"({len(unread):,} unread by our reader, {len(wanted) - len(new):,} already read by "
        f"it){known.remark}"
    )
    return new


def report(lines: Sequence[Line], failures: Counter[str], n: int) -> None:
    """Prints what a second reader read.

    Raises:
        TempbenchError: Replies are left without a reading.
    """
    print(f"{len(lines):,} of {n:,} replies: {counts_of(lines)}")
    if lines and all(line.status == "wrong form" for line in lines):
        print("  none of its answers has the requested form; choose another --reader")
    if missing := n - len(lines):
        reason, _ = failures.most_common(1)[0]
        left = missing - sum(failures.values())
        stopped = f"; {left:,} of these were skipped for that reason" if left else ""
        raise TempbenchError(
            f"no reading of {counted(missing, 'reply', 'replies')} ({reason}){stopped}; give the same "
            "command again to retry"
        )
