"""Scores prediction files and writes submissions, without the harness."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.data.replies import text_or_none
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import Record, as_shown
from tempbench_lmms.rextime import official, scoring, submission
from tempbench_lmms.rextime.card import EVALUATED
from tempbench_lmms.rextime.parser import NO_SPAN, parse
from tempbench_lmms.rextime.prompts import LETTERS


@dataclass(frozen=True)
class Scored:
    """The scores of a prediction file.

    Attributes:
        official: The official scorer's output.
        metrics: Ours: name to value; None where undefined.
        rows: Ours for people: name to value and standard error.
        notes: What the user should know, a line each.
    """

    official: dict[str, Any]
    metrics: dict[str, float | None]
    rows: dict[str, tuple[str, str]]
    notes: list[str]


def score_files(predictions: Path, ground_truth: Path, partial: bool = False) -> Scored:
    """Scores a prediction file.

    Args:
        predictions: JSONL. Each line has `qid` and either `pred_relevant_windows` or `ans` or both, as in a
            submission, or `response`, a model's reply, which is read by our parser.
        ground_truth: `rextime_val.jsonl`, or `rextime_val.json`, whose option texts help to read replies.
        partial: Whether questions may be missing; the scores are then over those that are there.

    Raises:
        TempbenchError: A file cannot be read, or the ids do not match.
    """
    from tempbench_lmms.rextime.rows import load_records, row

    docs = {doc["question_id"]: doc for doc in map(row, load_records(ground_truth))}
    if not docs:
        raise TempbenchError(f"{ground_truth} holds no question; name the official file")
    lines = load_records(predictions)
    notes = list(_checked(predictions, lines))
    by_id = {str(line["qid"]): _as_prediction(line, docs) for line in lines}
    first = by_id[str(lines[0]["qid"])]
    truths = [
        {"qid": qid, "relevant_windows": doc["windows"], "ans": doc["answer"]} for qid, doc in docs.items()
    ]
    ordered = [first, *(line for line in by_id.values() if line is not first)]
    unread = [qid for qid, line in by_id.items() if line.get("pred_relevant_windows") == []]
    if unread:
        notes.append(f"{len(unread)} predictions have no window and count as [0, 0]: {_listed(unread)}")
    scored = [
        line | ({"pred_relevant_windows": [list(NO_SPAN)]} if line.get("pred_relevant_windows") == [] else {})
        for line in ordered
    ]
    result = official.score(scored, truths, match_number=not partial)
    if partial:
        there = sum(qid in by_id for qid in docs)
        notes.append(f"scored are {there} of {len(docs)} questions")

    metrics, rows = _ours(docs, by_id, *official.mode_of(first))
    return Scored(result, metrics, rows, notes)


def _checked(predictions: Path, lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yields a note where ids are repeated.

    Raises:
        TempbenchError: There is no prediction, one has no id, a response is no text, or a window isn't two
            finite numbers.
    """
    if not lines:
        raise TempbenchError(f"{predictions} holds no prediction; write one line a question")
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if "qid" not in line:
            raise TempbenchError(f"{predictions}, prediction {number}: qid is missing; add it")
        try:
            text_or_none(line.get("response"), "response")
            if line.get("pred_relevant_windows"):
                official.first_window(line)
        except TempbenchError as error:
            raise TempbenchError(f"{predictions}, prediction {number}: {error}") from None
        seen[str(line["qid"])] = seen.get(str(line["qid"]), 0) + 1
    if repeated := [qid for qid, count in seen.items() if count > 1]:
        yield f"{len(repeated)} duplicate ids; the last prediction of each counts: {_listed(repeated)}"


def _ours(
    docs: Mapping[str, Mapping[str, Any]],
    by_id: Mapping[str, Mapping[str, Any]],
    has_windows: bool,
    has_answers: bool,
) -> tuple[dict[str, float | None], dict[str, tuple[str, str]]]:
    """Returns our metrics, and as people read them."""
    ask = "both" if has_windows and has_answers else "answer" if has_answers else "span"
    records = [_record(doc, by_id[qid], ask) for qid, doc in docs.items() if qid in by_id]
    kind = {"both": scoring.BOTH, "answer": scoring.BLIND, "span": scoring.MOMENT}[ask]
    ours = scoring.METRICS.of(kind)
    wanted = {
        name: metric
        for name, metric in ours.items()
        if name not in scoring.MEDIA and not name.endswith("_official")
    }
    return as_shown(wanted, records)


def _as_prediction(line: Mapping[str, Any], docs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Returns a line in the form of a submission; a reply is parsed."""
    if "response" not in line:
        return dict(line)
    doc = docs.get(str(line["qid"]))
    reply = text_or_none(line["response"], "response") or ""
    answer, spans = parse(reply, doc["options"] if doc else (), doc["duration"] if doc else None)
    return {
        "qid": line["qid"],
        "pred_relevant_windows": [list(span) for span in spans],
        "ans": answer or "",
    }


def _record(doc: Mapping[str, Any], line: Mapping[str, Any], ask: str) -> Record:
    answer = line.get("ans")
    windows = line.get("pred_relevant_windows") or []
    spans = [official.first_window(line)] if windows else []
    readable = isinstance(answer, str) and answer in [*LETTERS]
    return scoring.of_prediction(doc, answer if readable else None, spans, ask=ask)


@dataclass(frozen=True)
class Submitted:
    """A submission that was written.

    Attributes:
        file: The JSONL.
        archive: The zip for upload.
        n_lines: Number of questions.
        problems: What the leaderboard takes and scores as wrong.
    """

    file: Path
    archive: Path
    n_lines: int
    problems: list[submission.Problem]


def submit_logs(
    logs: Path,
    split: str = "test",
    output: Path | None = None,
    fill: bool = False,
    strict: bool = False,
    force: bool = False,
) -> Submitted:
    """Writes a submission from the log of a run, after checking it against the split.

    Args:
        logs: The folder of a run, its `*_samples_*.jsonl`, or a submission file.
        split: `test` or `validation`.
        output: Where to write; a file beside the log where omitted.
        fill: Whether questions that were not asked are written as unanswered.
        strict: Whether to refuse also what the leaderboard scores as wrong.
        force: Overwrite.

    Raises:
        TempbenchError: There is no log, or the leaderboard would refuse the file; with each problem.
    """
    from tempbench_lmms.data import outputs, run_files
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows
    from tempbench_lmms.rextime.rows import load_records

    if split not in EVALUATED:
        raise TempbenchError(f"unknown split {split!r}; choose one of {', '.join(EVALUATED)}")
    log = _log(logs, split)
    lines = load_records(log)
    if lines and all("record" in line for line in lines):
        lines = submission.of_records([line["record"] for line in lines])
    root = mini_root("rextime") if "_mini" in log.name else prepared_root("rextime")
    durations = {row["question_id"]: row["duration"] for row in read_rows(root / split)}
    if fill:
        lines = _filled(lines, durations)
    problems = list(submission.check(lines, durations))
    if fatal := [f"  {problem}" for problem in problems if problem.fatal or strict]:
        head = f"{log} cannot be submitted, {len(fatal)} problems:"
        advice = "correct them; questions that were not asked are written as unanswered with --fill"
        raise TempbenchError("\n".join([head, *fatal, advice]))
    file = output or log.with_name(f"rextime_{split}_submission.jsonl")
    for path in (file, file.with_suffix(".zip")):
        run_files.check_foreign(path)
    if not force and (file.exists() or file.with_suffix(".zip").exists()):
        raise TempbenchError(f"{file} or its zip exists; choose another name with --output, or add --force")
    outputs.check_folder(file.parent)
    file, archive = submission.write(lines, file)
    return Submitted(file, archive, len(lines), problems)


def _filled(lines: Sequence[submission.Line], durations: Mapping[str, float]) -> list[submission.Line]:
    there = {line.get("qid") for line in lines}
    unanswered = {submission.WINDOWS: [list(NO_SPAN)], submission.ANSWER: ""}
    given = {name: unanswered[name] for name in submission.fields_of(lines)}
    return [*lines, *({"qid": qid, **given} for qid in durations if qid not in there)]


def _log(logs: Path, split: str) -> Path:
    """Returns the newest sample log of the split's task."""
    if logs.is_file():
        return logs
    names = ("rextime_test",) if split == "test" else ("rextime", "rextime_frames")
    found = [
        file
        for name in names
        for suffix in ("", "_mini")
        for file in logs.rglob(f"*_samples_{name}{suffix}.jsonl")
    ]
    if not found:
        raise TempbenchError(
            f"no log of {' or '.join(names)} is below {logs}; run the task with --log_samples --output_path"
        )
    return max(found, key=lambda file: (file.stat().st_mtime, file.name))


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
