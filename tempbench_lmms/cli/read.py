"""`tempbench read`: shows how one reply is read, and why.

Heavy modules are imported where they are needed, and the harness is not imported at all.
"""

import json
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tempbench_lmms.cli.command import AsJson
from tempbench_lmms.errors import DataNotPreparedError

RULES = {
    "whole": "the reply, or its part after the reasoning, is an answer by itself",
    "json": "a field of a JSON object",
    "box": "a box or an answer tag",
    "last line": "the last line or sentence is an answer by itself",
    "answer": 'a statement like "the answer is ..."',
    "first line": "the first line or sentence is an answer by itself",
    "conclusion": 'a conclusion like "so ..." or "I choose ..."',
    "words": "the words of exactly one option",
    "only one": "the only option that the reply names",
    "form": "the form that the prompt asks for",
}
REASONS = {
    "empty": "the reply is empty",
    "cut_off": "the reply ends in its reasoning or within a sentence",
    "refused": "the reply says that it can't answer",
    "several": "the reply has several answers and does not choose",
    "nothing": "no answer is in the reply",
}


@dataclass(frozen=True)
class Read:
    """One reply as a task reads it."""

    task: str
    position: tuple[int, int]
    reply: str
    record: dict[str, Any]
    question: str
    target: str
    is_judged: bool

    @property
    def values(self) -> dict[str, Any]:
        """The values read, by their names in the record; None where nothing was read."""
        from tempbench_lmms.record import VALUES

        found = {name: self.record[name] for name in VALUES if name in self.record}
        # MATEO scores an unread reply as the prediction "other".
        return found if self.record["parsed"] or "prediction" not in found else dict.fromkeys(found)

    @property
    def parts(self) -> tuple[str, ...]:
        """The prefixes of the fields of each answer of a reply."""
        from tempbench_lmms.record import PARTS

        return PARTS if f"{PARTS[0]}how" in self.record else ("",)

    def stretch(self, part: str = "") -> str | None:
        """Returns the part of the reply that holds the answer; None if none was read."""
        where = self.record.get(f"{part}where")
        return self.reply[slice(*where)].strip() if where else None


def read_reply(task: str, reply: str, number: int | None = None) -> Read:
    """Reads a reply in the way a run of a task does.

    Args:
        task: The task's name.
        reply: The reply.
        number: The document that it answers. By default, the first one defines the expected kind of answer;
            if the data is not prepared, that of the bundled sample.

    Raises:
        TempbenchError: The task or document does not exist, or its data is not prepared.
    """
    from tempbench_lmms.harness.tasks import docs_with, kwargs_of, load_leaf, not_valid

    config, place = load_leaf(task), number or 0
    try:
        docs = docs_with(place, config)
    except DataNotPreparedError:
        if number is not None or task.endswith("_mini"):
            raise
        task, config = f"{task}_mini", load_leaf(f"{task}_mini")
        docs = docs_with(place, config)
    doc, reply, judged = docs[place], reply.strip(), number is not None  # stripped as the harness does
    kwargs = kwargs_of(config)
    try:
        record = config["process_results"](doc, [reply])["record"]
        question = config["doc_to_text"](doc, kwargs) if judged else ""
        return Read(task, (place, len(docs)), reply, record, question, str(doc["target"]), judged)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise not_valid(config, place, error) from None


def as_text(found: Read) -> str:
    """Returns a reading for a terminal."""
    record = found.record
    head = f"{found.task}, document {found.position[0]} of {found.position[1]}"
    lines = [head, "", found.question.strip(), ""] if found.is_judged else [f"as a reply to {head}"]
    if record["failed"]:
        return "\n".join([*lines, "not a reply: the harness's notice of a failed request"])
    read = ", ".join(f"{name} {value}" for name, value in found.values.items() if value not in (None, []))
    lines.append(f"read:     {read or 'nothing'}")
    for part in found.parts:
        how, reason, where = (record.get(f"{part}{name}") for name in ("how", "reason", "where"))
        what = part.replace("_", " ")
        lines += [f"{what}rule:     {how} ({RULES[how]})"] if how else []
        lines += (
            [f"{what}where:    characters {where[0]} to {where[1]}: {found.stretch(part)!r}"] if where else []
        )
        lines += [f"{what}reason:   {reason} ({REASONS[reason]})"] if reason else []
    if found.is_judged:
        counts = "- (the answers of this split are not public)"
        if "correct" in record:
            counts = "as right" if record["correct"] else "as wrong"
            counts += f"; IoU {record['iou']:.4g}" if "iou" in record else ""
        lines += [f"right:    {found.target}", f"counts:   {counts}"]
    return "\n".join(lines)


def as_json(found: Read) -> dict[str, Any]:
    """Returns a reading as JSON values."""
    record = found.record
    out = {"task": found.task, "document": found.position[0], "read": found.values}
    for part in dict.fromkeys(("", *found.parts)):
        out |= {f"{part}{name}": record[f"{part}{name}"] for name in ("how", "reason", "where")}
        out[f"{part}text"] = found.stretch(part)
    out["failed"] = bool(record["failed"])
    if found.is_judged:
        correct = record.get("correct")
        out |= {"question": found.question, "target": found.target}
        out["correct"] = None if correct is None else bool(correct)
    return out


def read(
    reply: Annotated[str, typer.Argument(help='The reply; "-" reads it from standard input.')],
    task: Annotated[str, typer.Option(help="A task, e.g. tempvs_mt1_two_mini.")],
    doc: Annotated[
        int | None,
        typer.Option(
            help="Number of the answered question, starting at 0; also shows whether the answer is right."
        ),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Show how a reply is read, and why."""
    found = read_reply(task, sys.stdin.read() if reply == "-" else reply, doc)
    print(json.dumps(as_json(found), ensure_ascii=False, indent=2) if json_ else as_text(found))
