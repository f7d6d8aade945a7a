"""Time to make pairs of plans: `python benchmarks/mateo_pairs.py [PLANS] [STEPS]`."""

import random
import sys
import time

from tempbench_lmms.hf_datasets.mateo.graphs import Edge, pairs


def random_graph(n: int, generator: random.Random) -> list[Edge]:
    """Returns a random acyclic graph in which a step has about two successors."""
    order = generator.sample(range(n), n)
    probability = min(1.0, 4 / n)
    return [
        (order[i], order[j]) for i in range(n) for j in range(i + 1, n) if generator.random() < probability
    ]


def main() -> None:
    n_plans, n_steps = (int(word) for word in [*sys.argv[1:], "10000", "20"][:2])
    generator = random.Random(0)
    graphs = [random_graph(n_steps, generator) for _ in range(n_plans)]
    start = time.perf_counter()
    found = sum(len(pairs(n_steps, graph)) for graph in graphs)
    seconds = time.perf_counter() - start
    print(f"{n_plans} plans of {n_steps} steps: {found} pairs in {seconds:.2f} s")


if __name__ == "__main__":
    main()
