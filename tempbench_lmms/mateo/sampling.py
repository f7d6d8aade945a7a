"""The stratified sample of pairs for models that are too dear for all of them.

Source: the paper's list of models: GPT-5.1 was evaluated on 20 % of the test set, "selected via stratified
sampling". Neither the strata nor the pairs are published, so this is a sample of ours: a fifth of the
dependent and a fifth of the independent pairs, spread over the plans, whatever the order of the rows.
"""

import hashlib
from collections.abc import Iterable, Mapping

EVERY = 5
"""One pair of so many is taken: 20 %."""


def sampled(relations: Mapping[str, str], plans: Mapping[str, str], every: int = EVERY) -> set[str]:
    """Returns the pairs of the sample.

    Each relation's pairs are sorted by plan, within a plan by a hash, and every fifth one is taken: so a plan
    gives a fifth of its pairs, up to one.

    Args:
        relations: The relation of each pair by its id.
        plans: The plan of each pair.
        every: One pair of so many is taken, of each relation at least one.

    >>> sorted(sampled({f"p/{i}": "before" for i in range(4)}, {f"p/{i}": "p" for i in range(4)}, every=2))
    ['p/1', 'p/3']
    """
    strata: dict[str, list[str]] = {}
    for pair, relation in relations.items():
        strata.setdefault(relation, []).append(pair)
    taken: set[str] = set()
    for pairs in strata.values():
        ranked = sorted(pairs, key=lambda pair: (plans[pair], _hash(pair)))
        taken |= _every(ranked, every)
    return taken


def _every(ranked: list[str], every: int) -> set[str]:
    return {*ranked[min(every // 2, len(ranked) - 1) :: every]}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def of_rows(rows: Iterable[Mapping[str, str]]) -> set[str]:
    """Returns the pairs of the sample, for rows with `pair_id`, `plan_id`, `version` and `label`."""
    original = [row for row in rows if row["version"] == "original"]
    return sampled(
        {row["pair_id"]: row["label"] for row in original},
        {row["pair_id"]: row["plan_id"] for row in original},
    )
