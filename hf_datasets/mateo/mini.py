"""Writes the bundled MATEO sample: `python -m hf_datasets.mateo.mini`."""

import random
from pathlib import Path
from typing import Any

from tempbench_lmms.data import roots, tables
from tempbench_lmms.mateo.features import BENCHMARK, SCHEMA

from .drawing import draw
from .graphs import Pair, counts
from .recipes import Recipe, recipes
from .rows import Plan, Step, askable, questions

SEED = 20265
PAIRS_A_KIND = 4
"""At most so many dependent and as many independent pairs are asked of a plan."""


def image_url(recipe: Recipe, place: int) -> str:
    """Returns the URL of a step's picture."""
    return f"{roots.SCHEME}{BENCHMARK}/{roots.MINI}/media/{recipe.name}/{place + 1:02}.png"


def plan_of(recipe: Recipe) -> Plan:
    """Returns a bundled plan as plans of all sources are given."""
    steps = [Step(step.text, image_url(recipe, place)) for place, step in enumerate(recipe.steps)]
    return Plan(recipe.name, recipe.title, steps, recipe.edges)


def sample(plan: Plan) -> list[Pair]:
    """Returns as many dependent as independent pairs of a plan, drawn with a fixed seed."""
    asked = askable(plan)
    kinds = [[pair for pair in asked if pair.dependent is dependent] for dependent in (True, False)]
    n = min(PAIRS_A_KIND, *map(len, kinds))
    generator = random.Random(f"{SEED} {plan.plan_id}")
    return sorted(pair for kind in kinds for pair in generator.sample(kind, n))


def write(root: Path) -> dict[str, Any]:
    """Renders the pictures and writes the table under `root`.

    Returns:
        The manifest.
    """
    rows: list[tables.Row] = []
    plans = []
    for recipe in recipes():
        plan = plan_of(recipe)
        plans.append(plan)
        for place, step in enumerate(recipe.steps):
            path = root / image_url(recipe, place).split(f"/{roots.MINI}/")[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            draw(step.tool, recipe.shown(step), step.makes).save(path, optimize=True)
        rows.extend(questions(plan, sample(plan)))
    tables.write_rows(rows, root / "pairs" / "test.parquet", SCHEMA)
    of_plans = counts((len(plan.steps), plan.edges) for plan in plans)._asdict()
    return tables.write_sample_manifest(root, BENCHMARK, {"pairs": len(rows)}, counts={"test": of_plans})


if __name__ == "__main__":
    print(write(roots.mini_root(BENCHMARK)))
