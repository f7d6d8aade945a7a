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

from tempbench_lmms.data import redaction, tables, terminal
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.parsing.expected import SECOND, Reading, Reread, none
from tempbench_lmms.runs import logs, second
from tempbench_lmms.runs.logs import Rescored, rescored, with_docs, with_reply
from tempbench_lmms.runs.second import Part
from tempbench_lmms.runs.task_log import Sample, TaskLog

# The token limit of an answer. A value needs ten; the rest is for models that reason first.
MAX_TOKENS = 512


class NoAnswerError(Exception):
    """A failed request; others may succeed."""


class Endpoint:
    """A model behind an OpenAI-compatible endpoint, asked at temperature 0.

    Requests to busy, failing and silent servers are repeated with growing delays, or after `Retry-After`.

    Args:
        model: The model's name there.
        base_url: Up to and including `/v1`.
        key: The key, which is only sent. Empty if none is needed.
        timeout: Seconds after which a request is sent again.
        retries: How often it is sent again.
    """

    def __init__(self, model: str, base_url: str, key: str, timeout: float = 60, retries: int = 5) -> None:
        import openai

        if not base_url.startswith(("http://", "https://")):
            raise TempbenchError(f"{base_url!r} is not an HTTP address; give one that ends in /v1")
        self.name = model
        redaction.note(f"api_key={key}", f"base_url={base_url}")
        self._client = openai.OpenAI(
            api_key=key or "none", base_url=base_url, timeout=timeout, max_retries=retries
        )

    def ask(self, text: str) -> str | None:
        """Returns the model's text; None if it refused. Several threads may ask at the same time."""
        import openai

        try:
            completion = self._client.chat.completions.create(
                model=self.name,
                messages=[{"role": "user", "content": text}],
                temperature=0,
                max_tokens=MAX_TOKENS,
            )
            choice = completion.choices[0]
            found, refusal = choice.message.content, getattr(choice.message, "refusal", None)
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise TempbenchError(
                f"the second reader refuses all requests ({_reason(error)}); check the address, the "
                "model's name and the key"
            ) from None
        except openai.APIStatusError as error:
            if error.code == "content_filter":
                return None
            raise NoAnswerError(_reason(error)) from None
        except (openai.OpenAIError, ValueError) as error:  # an answer that is not JSON is a ValueError
            raise NoAnswerError(_reason(error)) from None
        except (AttributeError, IndexError, TypeError):
            raise NoAnswerError("the answer is not a chat completion; does the address end in /v1?") from None
        is_refused = refusal or found is None or choice.finish_reason == "content_filter"
        return None if is_refused else redaction.hide(str(found))


def _reason(error: Exception) -> str:
    return terminal.one_line(redaction.scrubbed(str(error)))[:200]


# Outcomes for a reply: a value; no value in it; answer withheld; twice something else written.
STATUSES = ("read", "none", "refused", "wrong form")

# Takes the expected parts of an answer and our reading; returns the reading that counts.
Choose = Callable[[second.Part, Reading[Any]], Reading[Any]]

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
    doc: tables.Row
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
    config = log.installed
    out = []
    for sample, doc in with_docs(log):
        seen: dict[second.Part, Reading[Any]] = {}
        question = Question(log, config, sample, doc, seen, False)
        is_parsed = question.rescored(seen.setdefault).record["parsed"]
        unread = not is_parsed and any(reading.value is None for reading in seen.values())
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
        counts = counts_of(self.lines.values())
        return f"second reader {self.reader}: {len(self.lines):,} replies, {counts}{self.remark}"

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
                line = Line(**tables.parse_json(text))
            except (ValueError, TypeError):
                continue
            words = (line.id, line.reply, line.reader, line.answer)
            if all(isinstance(word, str) for word in words) and line.status in STATUSES:
                yield line


def _reading(question: Question, reader: Endpoint) -> Line:
    for again in (False, True):
        answer = reader.ask(question.request(again))
        values = None if answer is None else second.values(answer, tuple(question.expected))
        status = "refused" if answer is None else "wrong form" if values is None else "none"
        if status != "wrong form":
            break
    if any(value is not None for value in values or ()):
        status = "read"
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
    known = next((one for one in readings_of(log) if one.reader == reader), Readings(reader))
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
        raise TempbenchError(
            f"no reading of {terminal.counted(missing, 'reply', 'replies')} ({reason}); give the same "
            "command again to retry"
        )


_SECONDS = 0.5  # ends of spans that differ by at most this are equal


@dataclass(frozen=True)
class Compared:
    """A task's scores without and with a second reader."""

    readings: Readings
    filled: Rescored  # its reading wherever we read nothing
    alone: Rescored | None = None  # its reading wherever it gave one
    n: int = 0  # answers that both readers were given
    n_same: int = 0  # of these, read alike

    @property
    def agreement(self) -> str:
        """A sentence about how often both read the same; empty if it was only given unread replies."""
        if not self.n:
            return ""
        return (
            f"{self.readings.reader} and we read the same in {self.n_same / self.n:.1%} of {self.n:,} answers"
        )


def compared(log: TaskLog, samples: tuple[Sample, ...] | None = None) -> tuple[Compared, ...]:
    """Returns a task's scores with each second reader that has read its replies.

    Args:
        log: The log.
        samples: Its samples as scored without a second reader; by default the log's own.

    Raises:
        TempbenchError: There are readings, but the data is not on this machine or is not the run's.
    """
    found = readings_of(log)
    if not found:
        return ()
    samples = log.samples if samples is None else samples
    both = [*zip(samples, questions_of(log), strict=True)]

    def scores(readings: Readings, alone: bool) -> Rescored:
        now = tuple(
            sample
            if (line := readings.lines.get(sample.id)) is None or (sample.record["parsed"] and not alone)
            else question.rescored(_choice(question, line, alone))
            for sample, question in both
        )
        return rescored(log, now, samples)

    out = []
    for readings in found:
        one = Compared(readings, scores(readings, False))
        if any(sample.record["parsed"] and sample.id in readings.lines for sample in samples):
            same = [
                _is_same(ours.value, theirs)
                for _, question in both
                if (line := readings.lines.get(question.sample.id))
                for ours, theirs in zip(question.expected.values(), question.values(line), strict=True)
            ]
            one = replace(one, alone=scores(readings, True), n=len(same), n_same=sum(same))
        out.append(one)
    return tuple(out)


def _choice(question: Question, line: Line, alone: bool) -> Choose:
    values = dict(zip(question.expected, question.values(line), strict=True))

    def choose(expected: Part, ours: Reading[Any]) -> Reading[Any]:
        value = values[expected]
        if not alone and (ours.value is not None or value is None):
            return ours
        if value is None:
            return none("refused" if line.status == "refused" else "nothing")
        return Reading(value, SECOND, (0, len(question.sample.reply)))

    return choose


def _is_same(ours: Any, theirs: Any) -> bool:
    if all(isinstance(one, tuple) and {*map(type, one)} == {float} for one in (ours, theirs)):
        return all(abs(a - b) <= _SECONDS for a, b in zip(ours, theirs, strict=True))
    return bool(ours == theirs)


def compared_or_why(
    log: TaskLog, samples: tuple[Sample, ...] | None = None
) -> tuple[tuple[Compared, ...], str]:
    """Returns the result of `compared`, or why existing readings cannot be scored; arguments as above."""
    try:
        return compared(log, samples), ""
    except TempbenchError as error:
        return (), f"second readers' readings cannot be scored: {error}"


def as_text(one: Compared) -> str:
    """Returns a task's scores without and with a second reader, for a terminal."""
    blocks = [str(one.readings), logs.as_text(one.filled, "ours", "filled")]
    if one.alone is not None:
        blocks += [logs.as_text(one.alone, "ours", "alone", n_changes=5), f"  {one.agreement}"]
    return "\n".join(blocks)


def as_json(one: Compared) -> dict[str, Any]:
    """Returns them as JSON values."""
    found = Counter(line.status for line in one.readings.lines.values())
    return {
        "reader": one.readings.reader,
        "replies": len(one.readings.lines),
        "statuses": {status: found[status] for status in STATUSES},
        "filled": logs.as_json(one.filled),
        "alone": None if one.alone is None else logs.as_json(one.alone),
        "agreement": {"n": one.n, "same": one.n_same} if one.n else None,
    }
