"""Turns plans into questions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tempbench_lmms.data.tables import Row
from tempbench_lmms.mateo import prompts
from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.mateo.scoring import GOLD, VERSIONS

from .graphs import Edge, Pair, pairs


@dataclass(frozen=True)
class Step:
    """A step of a plan."""

    text: str
    image: str


@dataclass(frozen=True)
class Plan:
    """A plan: its steps in the order it lists them, and the direct dependencies."""

    plan_id: str
    title: str
    steps: Sequence[Step]
    edges: Sequence[Edge]
    text_only: bool = False


CHOICES = [prompts.full_reply(label) for label in CLASSES]


def _row(plan: Plan, pair: Pair, version: str) -> Row:
    original = version == "original"
    first, second = plan.steps[pair.first], plan.steps[pair.second]
    a, b = (first, second) if original else (second, first)
    label = GOLD[version][0 if pair.dependent else 1]
    pair_id = f"{plan.plan_id}/{pair.first}-{pair.second}"
    return {
        "question_id": f"{pair_id}/{version}",
        "pair_id": pair_id,
        "version": version,
        "plan_id": plan.plan_id,
        "title": plan.title,
        "text_a": a.text,
        "text_b": b.text,
        "image_a": a.image,
        "image_b": b.image,
        "label": label,
        "target": prompts.full_reply(label),
        "choices": CHOICES,
        "n_steps": len(plan.steps),
        "distance": abs(pair.second - pair.first),
    }


def questions(plan: Plan, asked: Iterable[Pair]) -> Iterator[Row]:
    """Yields both orders of each pair, next to each other, so that `--limit` cuts at most one pair."""
    for pair in asked:
        yield from (_row(plan, pair, version) for version in VERSIONS)


def pairs_to_ask(plan: Plan) -> list[Pair]:
    """Returns the pairs of a plan in which both steps have a text and, if needed, a picture.

    A step without a picture still orders the others: paths lead through it.
    """
    whole = [bool(step.text and (step.image or plan.text_only)) for step in plan.steps]
    return [pair for pair in pairs(len(plan.steps), plan.edges) if whole[pair.first] and whole[pair.second]]
