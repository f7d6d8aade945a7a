"""Scores the official result files, without the harness."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms import record_reading
from tempbench_lmms.data import tables
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import official, rows, scoring
from tempbench_lmms.nextgqa.card import FILES, SPLITS
from tempbench_lmms.nextgqa.prompts import LETTERS
from tempbench_lmms.record import as_shown

_INSTEAD = "name a clone of https://github.com/doc-doc/NExT-GQA with --annotations"
_SHARES = "_gs"
"""What the name of a file of Gaussian masks ends in officially: its spans are shares of the video."""


@dataclass(frozen=True)
class Scored:
    """The scores of result files.

    Attributes:
        split: The split that they are of.
        official: The output of `eval_ground` in percent, not rounded.
        accuracies: The output of `eval_next` in percent; empty without answers to all questions.
        metrics: Ours, over all questions of the split: name to value; None where undefined.
        rows: Ours for people: name to value and standard error.
        notes: What the user should know, a line each.
    """

    split: str
    official: dict[str, float]
    accuracies: dict[str, float]
    metrics: dict[str, float | None]
    rows: dict[str, tuple[str, str]]
    notes: list[str]


def docs_of(annotations: Path | None, split: str) -> list[tables.Row]:
    """Returns the questions of a split: of the release's folder, or of the prepared data where omitted.

    Raises:
        TempbenchError: They cannot be read.
    """
    from tempbench_lmms.data.roots import prepared_root

    if annotations is not None:
        return list(rows.rows(rows.annotations_in(annotations), split))
    return tables.read_rows(prepared_root("nextgqa", _INSTEAD) / split)


def score_files(
    predictions: Path, answers: Path | None, annotations: Path | None, split: str, shares: bool = False
) -> Scored:
    """Scores the official result files.

    Args:
        predictions: `{"VIDEO_QID": [start, end]}`, as `eval_ground` reads them.
        answers: `{"VIDEO_QID": {"answer": ..., "prediction": ...}}`.
        annotations: A clone of the release, or its `datasets/nextgqa`; the prepared data where omitted.
        split: `test` or `validation`; found by the questions' ids where empty.
        shares: Whether spans are shares of the video, as those of the official Gaussian masks; so are those
            of a file whose name ends in `_gs`.

    Raises:
        TempbenchError: A file cannot be read, or belongs to no question of the split.
    """
    given = rows.read_answers(answers) if answers else None
    stated = rows.read_spans(predictions)
    name, docs = _of_split(annotations, split, stated)
    spans, unit = in_seconds(stated, predictions, docs, shares)
    numbers = official.score({doc["question_id"]: doc["windows"] for doc in docs}, spans, given)
    types = {doc["question_id"]: doc["type"] for doc in docs}
    complete = given is not None and types.keys() <= given.keys()
    accuracies = official.accuracies(types, given) if given is not None and complete else {}
    metrics, shown = _ours(docs, spans, given)
    notes = [*unit, *_notes(types, spans, given), *_notes_of_answers(docs, given or {})]
    return Scored(name, numbers, accuracies, metrics, shown, notes)


def in_seconds(
    spans: Mapping[str, Sequence[float]], file: Path, docs: Sequence[tables.Row], shares: bool = False
) -> tuple[Mapping[str, Sequence[float]], list[str]]:
    """Returns the spans of a file in seconds, and what is to be known of their unit, a line each.

    Args:
        spans: What the file holds.
        file: Its path.
        docs: The questions.
        shares: Whether spans are shares of the video; so are those of a file whose name ends in `_gs`.
    """
    if shares or (spans and file.stem.endswith(_SHARES)):
        found = official.in_seconds(spans, {str(doc["question_id"]): doc["duration"] for doc in docs})
        return found, [] if shares else [f"spans are shares of the video, as the name {file.name} says"]
    if spans and all(0 <= edge <= 1 for span in spans.values() for edge in (span[0], span[-1])):
        return spans, [
            f"all spans of {file.name} lie within 0 and 1, and are read as seconds; if they are shares of "
            f"the video, let its name end in {_SHARES} (`tempbench score` has --shares too)"
        ]
    return spans, []


def _of_split(
    annotations: Path | None, split: str, spans: Mapping[str, Any]
) -> tuple[str, Sequence[tables.Row]]:
    """Returns the split that a file belongs to, and its questions."""
    if split and split not in SPLITS:
        raise TempbenchError(f"{split!r} is not a split; choose from {', '.join(SPLITS)}")
    found = {one: docs_of(annotations, one) for one in ([split] if split else _there(annotations))}
    shared = {one: sum(doc["question_id"] in spans for doc in docs) for one, docs in found.items()}
    name = max(shared, key=lambda one: shared[one])
    if not shared[name]:
        raise TempbenchError(
            f"no prediction is of a question of {' or '.join(found)}; the keys are the release's VIDEO_QID"
        )
    return name, found[name]


def _there(annotations: Path | None) -> list[str]:
    """Returns the splits that there are."""
    if annotations is None:
        from tempbench_lmms.data.roots import prepared_root

        there = [one for one in SPLITS if (prepared_root("nextgqa", _INSTEAD) / one).is_dir()]
    else:
        folder = rows.annotations_in(annotations)
        there = [one for one in SPLITS if all(file.is_file() for file in rows.files_of(folder, one))]
    if not there:
        raise TempbenchError(
            f"no split is in {annotations or 'the prepared data'}; --annotations is a clone of the "
            f"release or its folder datasets/nextgqa, with {FILES['test']}.csv and gsub_{FILES['test']}.json"
        )
    return there


def _notes(
    types: Mapping[str, str], spans: Mapping[str, Any], answers: Mapping[str, Any] | None
) -> list[str]:
    notes = []
    if missing := sum(key not in spans for key in types):
        notes.append(
            f"{missing} of {len(types)} questions have no span: the official numbers leave them out, ours "
            "count them as wrong"
        )
    if unknown := len(spans.keys() - types.keys()):
        notes.append(f"{unknown} spans are of no question of the split and are not used")
    if answers is None:
        notes.append("without --answers there is no accuracy, and the official Acc&GQA is 0")
    elif missing := sum(key not in answers for key in types):
        notes.append(
            f"{missing} of {len(types)} questions have no answer: the official scorer of answers stops at "
            "the first, ours counts them as wrong"
        )
    return notes


def _notes_of_answers(docs: Sequence[tables.Row], answers: Mapping[str, Any]) -> Iterator[str]:
    """Yields what is to be known of the answers; officially their own `answer` says what is right."""
    if unknown := len(answers.keys() - {doc["question_id"] for doc in docs}):
        yield f"{unknown} answers are of no question of the split and are not used"
    answered = [doc for doc in docs if doc["question_id"] in answers]
    for name, effect in (("answer", "here the annotations say what is right"), ("prediction", "here wrong")):
        if unread := [doc["question_id"] for doc in answered if letter_of(doc, answers, name) is None]:
            first = one_line(repr(answers[unread[0]][name]))[:40]
            yield (
                f"{len(unread)} of {len(answered)} answers have a field {name} that names no option by its "
                f"number from 0, its letter or its text (the first is {first} of {unread[0]}): officially "
                f"both fields are compared as they stand, {effect}"
            )
    known = [doc for doc in answered if letter_of(doc, answers, "answer") is not None]
    if other := sum(_text(doc, answers, "answer") != _right(doc) for doc in known):
        yield (
            f"{other} of {len(answered)} answers name another right answer than the annotations: the "
            "official numbers go by the file, ours by the annotations; check that both are of one release, "
            "and that options are counted from 0"
        )
    if n := sum(_is_right_here_alone(doc, answers) for doc in known):
        yield (
            f"{n} of {len(answered)} answers name the right option in another form than the file's own "
            "answer (as 0 and '0', or one of two options with one text): officially wrong, here right"
        )


def _is_right_here_alone(doc: tables.Row, answers: Mapping[str, Any]) -> bool:
    """Returns whether answer and prediction are the right option, and not the same value."""
    given = answers[doc["question_id"]]
    both = [_text(doc, answers, name) for name in ("answer", "prediction")]
    return both == [_right(doc)] * 2 and given["answer"] != given["prediction"]


def _right(doc: tables.Row) -> str:
    return str(doc["options"][LETTERS.index(doc["answer"])])


def _text(doc: tables.Row, answers: Mapping[str, Any], name: str) -> str | None:
    """Returns the text of the option that an answer names; a few questions have the same one twice."""
    letter = letter_of(doc, answers, name)
    return None if letter is None else str(doc["options"][LETTERS.index(letter)])


def _ours(
    docs: Sequence[tables.Row], spans: Mapping[str, Any], answers: Mapping[str, Any] | None
) -> tuple[dict[str, float | None], dict[str, tuple[str, str]]]:
    """Returns our metrics over all questions, and as people read them."""
    kind = scoring.SPAN if answers is None else scoring.BOTH
    records = [
        scoring.of_prediction(doc, letter_of(doc, answers), _span(spans.get(doc["question_id"])), ask=kind)
        for doc in docs
    ]
    # How replies were read is known of replies alone.
    wanted = {
        name: metric
        for name, metric in scoring.METRICS.of(kind).items()
        if not name.endswith("_official") and not name.startswith(record_reading.PREFIX)
    }
    return as_shown(wanted, records)


def _span(span: Sequence[float] | None) -> tuple[float, float] | None:
    return None if span is None else (float(span[0]), float(span[-1]))


def letter_of(doc: tables.Row, answers: Mapping[str, Any] | None, name: str = "prediction") -> str | None:
    """Returns the letter of an answer: an option's number from 0, its letter, or its text.

    The official files hold whole numbers; others write them as texts or as floating point numbers. None
    where the text of one option is the letter or the number of another one.
    """
    found = (answers or {}).get(doc["question_id"], {}).get(name)
    if isinstance(found, bool) or not isinstance(found, (int, float, str)):
        return None
    said = str(found).strip()
    named = {letter for number, letter in enumerate(LETTERS) if said in _NAMES[number]}
    if isinstance(found, str) and found in doc["options"]:
        named.add(LETTERS[doc["options"].index(found)])
    return named.pop() if len(named) == 1 else None


_NAMES = [(str(i), f"{i}.0", letter, letter.lower(), f"({letter})") for i, letter in enumerate(LETTERS)]
"""What names each option beside its text."""
