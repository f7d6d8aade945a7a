"""`tempbench reread`: a second reader's readings of logged replies, kept beside the log.

The log itself is never written. A line of a file of readings holds what the reader wrote and the hash of the
reply that it was shown; what it means is worked out again whenever the file is used, so that neither a
changed log nor a changed file can bring in a value that the question does not offer.
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

from tempbench_lmms.data import append_log
from tempbench_lmms.data.tables import Row, parse_json
from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.parsing import second
from tempbench_lmms.parsing.reading import Reading, Reread
from tempbench_lmms.runs.rescoring import with_docs, with_reply
from tempbench_lmms.runs.second_readers import Endpoint, NoAnswerError
from tempbench_lmms.runs.task_log import Sample, TaskLog

STATUSES = ("read", "none", "refused", "wrong form")
"""What became of a reply: a value was found; the reader says that there is none; its answer was withheld; it
wrote something else twice."""

Choose = Callable[[second.Part, Reading[Any]], Reading[Any]]
"""Takes what a question expects and our reading, and returns the reading that counts."""

_KEPT = 500  # characters of an answer
_MOST_IN_A_ROW = 10  # requests that come to nothing before the rest is left
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Question:
    """A logged reply, what its question expects and what we read.

    Attributes:
        log: The log that it is in.
        config: Its task's.
        sample: The line.
        doc: The question's row.
        expected: The parts of an answer, each with our reading of it.
        unread: Whether we left unread what was asked for. A number that is no option was read.
    """

    log: TaskLog
    config: dict[str, Any]
    sample: Sample
    doc: Row
    expected: dict[second.Part, Reading[Any]]
    unread: bool

    def request(self, again: bool = False) -> str:
        """Returns what a second reader is asked."""
        return second.request(self.sample.prompt, self.sample.reply, tuple(self.expected), again)

    def values(self, line: "Line") -> tuple[Any, ...]:
        """Returns what a line says of each part; None where it says nothing that is on offer."""
        found = second.values(line.answer, tuple(self.expected)) if line.status in ("read", "none") else None
        return found or (None,) * len(self.expected)

    def rescored(self, choose: Choose) -> Sample:
        """Returns the reply as the task's own scoring makes it of the readings that `choose` returns."""
        now = with_reply(self.config, self.sample, self.doc, Reread(self.sample.reply, choose))
        plain = {name: str(one) if isinstance(one, Reread) else one for name, one in now.record.items()}
        return replace(now, record=plain)


def questions_of(log: TaskLog) -> list[Question]:
    """Returns the replies of a log, with what the task's own parser expects and reads in each.

    Raises:
        TempbenchError: The data is not on this machine, or a question of the log is missing in it.
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
    """What a second reader made of one reply, as it is kept.

    Attributes:
        id: The question.
        reply: The hash of the reply that it was shown.
        reader: Its name.
        prompt_version: `second.VERSION` of what it was asked.
        status: One of `STATUSES`.
        answer: What it wrote.
    """

    id: str
    reply: str
    reader: str
    prompt_version: int
    status: str
    answer: str


@dataclass
class Readings:
    """The readings of one second reader of the replies of one log.

    Attributes:
        reader: Its name.
        lines: By question; those that hold for the log and this version's words.
        outdated: Questions of which the file has others alone: of other replies, or asked for in other words.
    """

    reader: str
    lines: dict[str, Line] = field(default_factory=dict)
    outdated: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        found = counts_of(self.lines.values())
        return f"second reader {self.reader}: {len(self.lines):,} replies, {found}{self.remark}"

    @property
    def remark(self) -> str:
        """What is to be known of them; empty where there is nothing."""
        if not self.outdated:
            return ""
        return (
            f"; {len(self.outdated):,} readings of {self.reader} are of other replies than the log's, or "
            "were asked for in other words, and are not used; ask again with `tempbench reread`"
        )


def counts_of(lines: Iterable[Line]) -> str:
    """Returns in words how many lines have which of `STATUSES`."""
    found = Counter(line.status for line in lines)
    return ", ".join(f"{found[status]:,} {status}" for status in STATUSES)


def _hash_of(reply: str) -> str:
    return hashlib.sha256(reply.encode("utf-8", "surrogatepass")).hexdigest()


def file_of(log: TaskLog, reader: str) -> Path:
    """Returns the file for a second reader's readings of a log: beside it, and not named like a log."""
    last = Path(reader).name if reader.startswith("/") else reader
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", last).strip("_")[:_LONGEST_NAME]
    if name != reader:  # two readers never share a file
        name = f"{name or 'reader'}_{hashlib.sha256(reader.encode()).hexdigest()[:8]}"
    return log.beside("reread").with_name(f"{log.beside('reread').name}.{name}.jsonl")


def readings_of(log: TaskLog) -> list[Readings]:
    """Returns what second readers made of a log's replies, a reader each, by name."""
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
            # An interruption cuts a line in half: there is no reading, and its reply is asked about again.
            try:
                line = Line(**parse_json(text))
            except (ValueError, TypeError):
                continue
            words = (line.id, line.reply, line.reader, line.answer)
            if all(isinstance(word, str) for word in words) and line.status in STATUSES:
                yield line


def _reading(question: Question, reader: Endpoint) -> Line:
    """Asks a second reader about one reply, and once more where its answer has another form."""
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
    """Asks a second reader, and appends each of its readings to the log's file as soon as it is there.

    Args:
        questions: The replies.
        reader: The reader.
        concurrency: How many requests are under way at the same time, at most.
        step: Called after each reply.

    Returns:
        The readings, and why requests came to nothing, with how many of each. After many such in a row the
        rest is not asked.

    Raises:
        TempbenchError: No request will fare better; what was read until then is kept.
    """
    for file in {file_of(question.log, reader.name) for question in questions}:
        append_log.drop_torn_line(file)
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
                append_log.append(file_of(asked[done].log, reader.name), f"{json.dumps(vars(line))}\n")
                lines.append(line)
            step()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return lines, failures
