"""Reads the official files of questions, predictions and judgements, and scores by the official rules.

The official repository has `questions/KIND.json`, `predictions/MODEL/KIND.json`, and for some models the
judge's ratings, `auto_eval_results/MODEL/KIND.json`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs.importing import Answer, Reader, Source, reply_of
from tempbench_lmms.tempcompass_pairs import official as rules
from tempbench_lmms.tempcompass_pairs import rows
from tempbench_lmms.tempcompass_pairs.card import FILES

_JUDGED = "auto_eval_results"


def tempcompass(source: Source) -> Iterator[Answer]:
    """Reads a model's folder with `multi-choice.json`, `yes_no.json`, `caption_matching.json`, or one file.

    Kinds that the task does not ask are left out, and said. A prediction that is null is a failed request.
    """
    found = _files(source.path)
    source.model = source.model or next(iter(found.values())).resolve().parent.name
    kinds = {str(doc["kind"]) for doc in source.docs}
    if others := sorted(set(found) - kinds):
        source.remarks.append(f"left out: {', '.join(others)}, which {source.task} does not ask")
    for kind, file in found.items():
        for key, one in (
            rows.read_questions(file, kind, "question", "answer").items() if kind in kinds else ()
        ):
            reply = reply_of(_reply(file, key, one), "prediction", f"{file}: {key}")
            yield Answer(key, reply, f"{file.name} {key}")


def official(source: Source) -> dict[str, Any]:
    """Returns the official scores by kind: percentages by aspect, and the share of right groups.

    A reply gets the rating of the judge's file if there is one, otherwise that of the rules, which count
    undecided replies as wrong.
    """
    out: dict[str, Any] = {}
    for kind, file in _files(source.path).items():
        entries = rows.read_questions(file, kind, "question", "answer")
        judged = _judgements(file, kind, entries)
        asked = rows.with_contrast_groups(rows.row(key, one) for key, one in entries.items())
        ids = [row["question_id"] for row in asked]
        decided = [
            rules.rating(kind, _reply(file, id_, entries[id_]), row["question"], row["target"])
            for id_, row in zip(ids, asked, strict=True)
        ]
        rated = [judged.get(id_, rule or 0) for id_, rule in zip(ids, decided, strict=True)]
        out[kind] = {
            "n": len(asked),
            "judged": len(judged),
            **rules.printed((row["aspect"], one) for row, one in zip(asked, rated, strict=True)),
            "match_rate": sum(one is not None for one in decided) / len(decided),
            "groups": len(found := rows.contrast_groups(asked)),
            "groups_right": fmean(all(rated[one] for one in own) for own in found) if found else None,
        }
    return out


def questions(data: Path, table: str) -> list[Row]:
    """Returns the questions of the official folder `questions`, or of one that holds it."""
    folder = data / "questions" if (data / "questions").is_dir() else data
    read = (rows.read_questions(file, kind, "question", "answer") for kind, file in _files(folder).items())
    return rows.with_contrast_groups(rows.row(key, one) for entries in read for key, one in entries.items())


def _files(path: Path) -> dict[str, Path]:
    found = {kind: path if path.is_file() else path / name for kind, name in FILES.items()}
    found = {kind: file for kind, file in found.items() if file.name == FILES[kind] and file.is_file()}
    if not found:
        raise TempbenchError(
            f"{path} is none of {', '.join(FILES.values())} and holds none; name such a file or its folder"
        )
    return found


def _reply(file: Path, key: str, one: Mapping[str, Any]) -> str | None:
    """Returns a prediction's reply without the end mark "</s>", as officially; None without a reply."""
    entry = one["entry"]
    name = "prediction" if "prediction" in entry else "response"
    if name not in entry:
        raise TempbenchError(f"{file}: {key} has neither prediction nor response; give the model's reply")
    if entry[name] is None:
        return None
    return reply_of(entry[name], name, f"{file}: {key}").replace("</s>", "").strip()


def _judgements(file: Path, kind: str, entries: rows.Entries) -> dict[str, int]:
    """Returns the judge's ratings of a model's replies, if the repository has them."""
    path = file.resolve().parents[2] / _JUDGED / file.resolve().parent.name / file.name
    if not path.is_file():
        return {}
    found = rows.read_questions(path, kind, "question", "gt-answer")
    ratings = {}
    for key, one in entries.items():
        theirs = found[key]["entry"] if key in found else {}
        asked = [theirs.get(name) for name in ("question", "gt-answer")]
        if asked != [one["entry"][name] for name in ("question", "answer")] or theirs.get("rating") not in (
            0,
            1,
        ):
            raise TempbenchError(f"{path} does not rate {key} with 0 or 1; give the ratings of these replies")
        ratings[key] = int(theirs["rating"])
    return ratings


READERS: dict[str, Reader] = {"tempcompass": tempcompass}
