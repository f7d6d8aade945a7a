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
from collections.abc import Callable, Iterator, Sequence
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
from tempbench_lmms.runs.second_readers import NoAnswerError, SecondReader
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
        sample: The line.
        expected: The parts of an answer.
        ours: Our reading of each.
        unread: Whether we left unread what was asked for. A number that is no option was read.
    """

    log: TaskLog
    sample: Sample
    expected: tuple[second.Part, ...]
    ours: tuple[Reading[Any], ...]
    unread: bool

    def request(self, again: bool = False) -> str:
        """Returns what a second reader is asked."""
        return second.request(self.sample.prompt, self.sample.reply, self.expected, again)


def questions_of(log: TaskLog) -> list[Question]:
    """Returns the replies of a log that a second reader can be asked about: neither failed nor empty ones.

    Raises:
        TempbenchError: The data is not on this machine, or a question of the log is missing in it.
    """
    config = load_task(log.task)
    found = (question_of(log, config, sample, doc) for sample, doc in with_docs(log))
    return [question for question in found if question.expected and question.sample.reply.strip()]


def question_of(log: TaskLog, config: dict[str, Any], sample: Sample, doc: Row) -> Question:
    """Learns from the task's own parser what a question expects, and what we read."""
    seen: dict[second.Part, Reading[Any]] = {}

    def look(expected: second.Part, ours: Reading[Any]) -> Reading[Any]:
        return seen.setdefault(expected, ours)

    now = rescored(config, sample, doc, look)
    unread = not now.record["parsed"] and any(reading.value is None for reading in seen.values())
    return Question(log, sample, tuple(seen), tuple(seen.values()), unread)


def rescored(config: dict[str, Any], sample: Sample, doc: Row, choose: Choose) -> Sample:
    """Returns a logged reply as the task's own scoring makes it of the readings that `choose` returns."""
    now = with_reply(config, sample, doc, Reread(sample.reply, choose))
    plain = {name: str(value) if isinstance(value, Reread) else value for name, value in now.record.items()}
    return replace(now, record=plain)


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
        requests: How many requests it took.
        prompt_tokens: Their tokens, as the reader counts them.
        answer_tokens: Those of its answers.
    """

    id: str
    reply: str
    reader: str
    prompt_version: int
    status: str
    answer: str
    requests: int = 1
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


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

    @property
    def statuses(self) -> Counter[str]:
        """How many replies have which of `STATUSES`."""
        return Counter(line.status for line in self.lines.values())

    @property
    def remark(self) -> str:
        """What is to be known of them; empty where there is nothing."""
        if not self.outdated:
            return ""
        return (
            f"{len(self.outdated):,} readings of {self.reader} are of other replies than the log's, or "
            "were asked for in other words, and are not used; ask again with `tempbench reread`"
        )


def hash_of(reply: str) -> str:
    """Returns what a reply is known by."""
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
    replies = {sample.id: hash_of(sample.reply) for sample in log.samples} if files else {}
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


def values_of(question: Question, line: Line) -> tuple[Any, ...]:
    """Returns what a line says of each part of the answer, None where it says nothing that is on offer."""
    found = second.values(line.answer, question.expected) if line.status in ("read", "none") else None
    return found or (None,) * len(question.expected)


def reading(question: Question, reader: SecondReader) -> Line:
    """Asks a second reader about one reply, and once more where its answer has another form.

    Raises:
        NoAnswerError: The request came to nothing.
        TempbenchError: No request will fare better.
    """
    answers = [reader.ask(question.request())]
    values = second.values(answers[0].text, question.expected)
    if values is None and not answers[0].refused:
        answers.append(reader.ask(question.request(again=True)))
        values = second.values(answers[1].text, question.expected)
    if answers[-1].refused:
        status = "refused"
    elif values is None:
        status = "wrong form"
    else:
        status = "none" if all(value is None for value in values) else "read"
    text = answers[-1].text
    return Line(
        id=question.sample.id,
        reply=hash_of(question.sample.reply),
        reader=reader.name,
        prompt_version=second.VERSION,
        status=status,
        answer=text if status in ("read", "none") else text[:_KEPT],
        requests=len(answers),
        prompt_tokens=_sum([answer.prompt_tokens for answer in answers]),
        answer_tokens=_sum([answer.answer_tokens for answer in answers]),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def ask(
    questions: Sequence[Question],
    reader: SecondReader,
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
    pool = ThreadPoolExecutor(min(concurrency, reader.threads or concurrency))
    try:
        asked = {pool.submit(reading, one, reader): one for one in questions}
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


def estimated_tokens(text: str) -> int:
    """Returns about how many tokens a text has: four characters each, one where a script has no letters."""
    wide = sum(character >= "\u2e80" for character in text)
    return wide + (len(text) - wide + 3) // 4
