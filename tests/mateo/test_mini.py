"""The bundled sample: small, sound, and decidable from a step's picture or text."""

import itertools
from collections import Counter

import pytest

from hf_datasets.mateo.graphs import pairs
from hf_datasets.samples.mateo import COLOURS, ITEMS, TOOLS, recipes
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows

RECIPES = recipes()
ROWS = read_rows(mini_root("mateo") / "pairs")


def test_size():
    assert len(RECIPES) >= 12
    assert all(6 <= len(recipe.steps) <= 12 for recipe in RECIPES)
    assert {len(recipe.steps) for recipe in RECIPES} >= {6, 12}
    assert len({row["pair_id"] for row in ROWS}) <= 120
    assert sum(file.stat().st_size for file in mini_root("mateo").rglob("*.*")) < 1_000_000


def test_classes_are_balanced():
    found = Counter((row["version"], row["label"]) for row in ROWS)
    assert len(set(found.values())) == 1
    assert set(found) == {
        ("original", "before"),
        ("swapped", "after"),
        ("original", "independent"),
        ("swapped", "independent"),
    }


def test_both_orders_stand_next_to_each_other():
    for original, swapped in zip(ROWS[::2], ROWS[1::2], strict=True):
        assert original["pair_id"] == swapped["pair_id"]
        assert (original["version"], swapped["version"]) == ("original", "swapped")
        assert (original["text_a"], original["image_b"]) == (swapped["text_b"], swapped["image_a"])


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_graphs_branch(recipe):
    into = Counter(after for _, after in recipe.edges)
    assert max(into.values()) >= 2
    found = pairs(len(recipe.steps), recipe.edges)
    assert sum(not pair.dependent for pair in found) >= 4


def test_some_outcome_is_used_twice():
    out = [max(Counter(before for before, _ in recipe.edges).values()) for recipe in RECIPES]
    assert max(out) >= 2


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_pictures_tell_what_a_step_needs(recipe):
    made = [step.makes for step in recipe.steps]
    assert len(set(made)) == len(made)
    for step in recipe.steps:
        assert step.tool in TOOLS
        for item in [*recipe.shown(step), step.makes]:
            kind, _, colours = item.partition(" ")
            assert kind in ITEMS
            assert set(colours.split(",")) <= set(COLOURS)
        # Nothing that only lies at hand looks like another step's outcome.
        assert not {item for item in step.takes if not item.startswith("=")} & set(made)
    # So B's picture shows A's outcome exactly where B needs A.
    for (i, a), (j, b) in itertools.permutations(enumerate(recipe.steps), 2):
        assert (a.makes in recipe.shown(b)) == ((i, j) in recipe.edges)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_steps_are_listed_in_an_order_that_works(recipe):
    assert all(before < after for before, after in recipe.edges)
    texts = [step.text for step in recipe.steps]
    assert len(set(texts)) == len(texts)
    files = sorted((mini_root("mateo") / "media" / recipe.name).glob("*.png"))
    assert len({file.read_bytes() for file in files}) == len(recipe.steps)
