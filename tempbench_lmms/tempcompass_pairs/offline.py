"""Scores the prediction files of the official repository, beside its own judgements where they are given."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tempbench_lmms.data import bounds
from tempbench_lmms.data.replies import check_complete, text_or_none
from tempbench_lmms.data.tables import RepeatedKeyError, Row, parse_json
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.record import Record
from tempbench_lmms.tempcompass_pairs import groups, official, rows, scoring
from tempbench_lmms.tempcompass_pairs.card import COUNTS, FILES, GROUPS
from tempbench_lmms.tempcompass_pairs.parser import YES_NO

_NAMES = ", ".join(FILES.values())
Entries = dict[str, dict[str, Any]]
"""The questions of a file by id, as `rows.questions_of` yields them."""


@dataclass(frozen=True)
class Judged:
    """One question of a model.

    Attributes:
        row: The question.
        record: Its reply, as we read it.
        rules: The rating by the official rules; None where they ask the judge.
        rating: The official rating: by the judge's file where there is one, else by the rules alone, which
            count what they do not decide as wrong.
    """

    row: Row
    record: Record
    rules: int | None
    rating: int


@dataclass
class Scored:
    """The scores of one file.

    Attributes:
        model: The name of the file's folder.
        kind: One of `card.KINDS`.
        judged: Whether the official judgements were given.
        questions: Each question.
        notes: What is to be known of it, a line each.
    """

    model: str
    kind: str
    judged: bool
    questions: list[Judged]
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Returns the scores: fractions, and under `official_printed` what the official code prints."""
        asked = [rows.asked(one.row) for one in self.questions]
        open_ = [one for one in self.questions if one.rules is None and one.record["parsed"]]
        out: dict[str, Any] = {
            "model": self.model,
            "kind": self.kind,
            "n": len(self.questions),
            "official": _mean([one.rating for one in self.questions]),
            "official_printed": official.printed((one.row["aspect"], one.rating) for one in self.questions),
            "match_rate_official": _mean([int(one.rules is not None) for one in self.questions]),
            "ours": _mean([one.record["correct"] for one in self.questions]),
            "ours_by_aspect": official.printed(
                (one.row["aspect"], one.record["correct"]) for one in self.questions
            ),
            "read": _mean([one.record["parsed"] for one in self.questions]),
        }
        for name, of_one_origin in (("groups", True), ("groups_by_text_alone", False)):
            found = groups.find(asked, of_one_origin)
            out[name] = {
                "n": len(found),
                "official": self._right(found, lambda one: one.rating),
                "ours": self._right(found, lambda one: one.record["correct"]),
            }
        if self.judged:
            decided = [one for one in self.questions if one.rules is not None]
            out["judge"] = {
                "n": sum(one.rules is None and not one.record["failed"] for one in self.questions),
                "n_read": len(open_),
                "agreement": _mean([int(one.record["correct"] == one.rating) for one in open_]),
                "rules_as_recorded": _mean([int(one.rules == one.rating) for one in decided]),
                "agreement_with_rules": _mean([int(one.record["correct"] == one.rules) for one in decided]),
            }
        return out

    def _right(self, found: Sequence[Sequence[int]], score: Any) -> float | None:
        return _mean([int(all(score(self.questions[index]) for index in own)) for own in found])


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def files_of(path: Path) -> dict[tuple[str, str], Path]:
    """Returns the official files of a path by model and kind; the model is the name of a file's folder.

    Args:
        path: A file, a model's folder, or a folder with one folder a model.

    Raises:
        TempbenchError: There is none.
    """
    kinds = {name: kind for kind, name in FILES.items()}
    found = [path] if path.is_file() else [*path.glob("*.json"), *path.glob("*/*.json")]
    out = {
        (file.resolve().parent.name, kinds[file.name]): file for file in sorted(found) if file.name in kinds
    }
    if not out:
        raise TempbenchError(f"{path} is none of {_NAMES} and holds none; name such a file or its folder")
    return out


def read(path: Path, kind: str, *fields: str) -> Entries:
    """Returns the questions of an official file.

    Args:
        path: The file.
        kind: One of `card.KINDS`.
        fields: What each entry must have as a text.

    Raises:
        TempbenchError: It cannot be read, or is not of the official form.
    """
    try:
        content = parse_json(bounds.read_text(path), unique=True)
    except (bounds.NotText, RepeatedKeyError) as error:
        raise TempbenchError(f"{path}: {error}; correct it") from None
    except OSError as error:
        raise TempbenchError(f"{path} cannot be read ({error.strerror or error}); check the path") from None
    except ValueError as error:
        raise TempbenchError(f"{path}: not JSON ({error}); get the file again") from None
    try:
        found = dict(rows.questions_of(kind, content))
    except (AttributeError, TypeError):
        raise TempbenchError(f"{path}: not lists of entries by clip and aspect; correct it") from None
    for key, one in found.items():
        entry = one["entry"]
        if missing := [name for name in fields if not isinstance(_get(entry, name), str)]:
            raise TempbenchError(f"{path}: {key} has no {missing[0]} that is a text; correct it")
        _check_kind(path, kind, key, entry)
    if not found:
        raise TempbenchError(f"{path} holds no question; get the file again")
    return found


def _check_kind(path: Path, kind: str, key: str, entry: Any) -> None:
    answer = _get(entry, "answer")
    if isinstance(answer, str) and (answer in YES_NO) != (kind == "yes_no"):
        wanted = "yes or no" if kind == "yes_no" else f"an option of {kind}"
        raise TempbenchError(
            f"{path}: the answer of {key} is {one_line(answer)[:60]!r}, not {wanted}: the questions are of "
            "another kind than the file's name says; rename the file"
        )


def _get(entry: Any, name: str) -> Any:
    return entry.get(name) if isinstance(entry, Mapping) else None


def reply_of(entry: Mapping[str, Any]) -> str | None:
    """Returns the reply of a prediction, `prediction` or `response`; None where there is none.

    The official code cuts the end mark "</s>" and space around the reply off, and so do we.
    """
    name = "prediction" if "prediction" in entry else "response"
    if name not in entry:
        raise TempbenchError("it has neither prediction nor response; give the model's reply")
    reply = text_or_none(entry[name], name)
    return None if reply is None else reply.replace("</s>", "").strip()


def score_files(
    predictions: Path,
    judgements: Path | None = None,
    questions: Path | None = None,
    partial: bool = False,
) -> Iterator[Scored]:
    """Yields the scores of each model and kind.

    Args:
        predictions: As for `files_of`.
        judgements: Likewise, the folder `auto_eval_results` or a part of it.
        questions: Likewise, the folder `questions`: to be sure that all of them are answered.
        partial: Whether questions may be missing.

    Raises:
        TempbenchError: A file cannot be read, or is not of these questions.
    """
    ratings = files_of(judgements) if judgements else {}
    asked = {kind: file for (_, kind), file in files_of(questions).items()} if questions else {}
    for (model, kind), file in files_of(predictions).items():
        notes: list[str] = []
        entries = read(file, kind, "question", "answer")
        if kind in asked:
            notes += _compared(file, entries, read(asked[kind], kind, "question", "answer"), partial)
        rated = _ratings(ratings.get((model, kind)), kind, entries)
        if judgements and rated is None:
            notes.append(
                f"{model}: no judgements of {FILES[kind]} are in {judgements}; the rules decide alone"
            )
        judged = list(_judged(file, entries, rated))
        if kind not in asked:
            notes += _cut(model, kind, judged)
        yield Scored(model, kind, rated is not None, judged, notes)


def _cut(model: str, kind: str, judged: Sequence[Judged]) -> Iterator[str]:
    """Yields that these are not as many questions as the official files have."""
    if len(judged) != COUNTS[kind]:
        n = len(groups.find([rows.asked(one.row) for one in judged]))
        yield (
            f"{model}, {kind}: {len(judged):,} of {COUNTS[kind]:,} questions, and {n} of {GROUPS[kind]} "
            "contrast groups; --questions names what is missing"
        )


def _compared(file: Path, entries: Entries, asked: Entries, partial: bool) -> list[str]:
    lines = check_complete(entries, asked, partial)
    for key, one in entries.items():
        for name in ("question", "answer"):
            if one["entry"][name] != asked[key]["entry"][name]:
                raise TempbenchError(f"{file}: {key} has another {name} than the questions; use their files")
    return lines


def _ratings(file: Path | None, kind: str, entries: Entries) -> dict[str, int] | None:
    if file is None:
        return None
    found = read(file, kind, "question", "gt-answer")
    if missing := sorted(set(entries) - set(found)):
        raise TempbenchError(f"{file} has no judgement of {missing[0]}; give the judgements of these replies")
    out = {}
    for key, one in entries.items():
        judged = found[key]["entry"]
        if (judged["question"], judged["gt-answer"]) != (one["entry"]["question"], one["entry"]["answer"]):
            raise TempbenchError(f"{file}: {key} is another question; give the judgements of these replies")
        if judged.get("rating") not in (0, 1):
            raise TempbenchError(f"{file}: the rating of {key} is neither 0 nor 1; correct it")
        out[key] = int(judged["rating"])
    return out


def _judged(file: Path, entries: Entries, rated: Mapping[str, int] | None) -> Iterator[Judged]:
    for row in rows.grouped(rows.row(key, one) for key, one in entries.items()):
        key = row["question_id"]
        try:
            reply = reply_of(entries[key]["entry"])
        except TempbenchError as error:
            raise TempbenchError(f"{file}: {key}: {error}") from None
        rules = official.rating(row["kind"], reply, row["question"], row["target"])
        found = scoring.record(row, reply or "", failed=reply is None)
        yield Judged(row, found, rules, rated[key] if rated else rules or 0)
