"""Pairs of steps of 10,000 plans for MATEO."""

import random
from collections.abc import Iterator

import timing

from hf_datasets.mateo.graphs import Edge, pairs


def random_graph(n: int, generator: random.Random) -> list[Edge]:
    """Returns a random acyclic graph in which a step has about two successors."""
    order = generator.sample(range(n), n)
    probability = min(1.0, 4 / n)
    return [
        (order[i], order[j]) for i in range(n) for j in range(i + 1, n) if generator.random() < probability
    ]


def rows(quick: bool) -> Iterator[timing.Row]:
    n_plans, n_steps = (1_000 if quick else 10_000), 20
    generator = random.Random(0)
    graphs = [random_graph(n_steps, generator) for _ in range(n_plans)]
    found = sum(len(pairs(n_steps, graph)) for graph in graphs)
    times = timing.side_by_side({"pairs": lambda: [pairs(n_steps, graph) for graph in graphs] and None}, 3)
    yield timing.Row(f"{n_plans:,} plans of {n_steps} steps, {found:,} pairs", times["pairs"], "s")


if __name__ == "__main__":
    timing.main(__doc__, rows)
