"""False alarms of `tempbench check-model`: `python benchmarks/check_alarms.py [NAME ...]`.

Tiny random models of several architectures through the harness's own runners, one loaded runner for all
seeds. What a runner is known to do wrong is expected at every seed; anything else, and what is missing of it,
is an alarm. After the first seed replies are not computed, unless with `--whole`: what arrives at a model
does not depend on its weights. About five seconds of processor time a seed and model, more with `--whole`.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import timing

sys.path.insert(1, str(Path(__file__).parents[1]))  # the tests of the checkout, which hold the models


def alarms(
    name: str, seeds: int, whole: bool = False, device: str = "cpu"
) -> tuple[int, Counter[str], list[str]]:
    """Returns how many of the seeds gave an alarm, which ones, and the lines that cannot be seen.

    Args:
        name: Of `tests.check.architectures.cases`.
        seeds: How many seeds.
        whole: Whether replies are computed at every seed.
        device: Where the model is loaded.
    """
    from tempbench_lmms.check.verdicts import UNSEEN
    from tempbench_lmms.harness import plugin
    from tests.check import architectures

    plugin.install()
    case = architectures.cases()[name]
    count, which, unseen = 0, Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        lm = case.load(Path(folder) / "model", device)
        for seed in range(seeds):
            with tempfile.TemporaryDirectory() as films:
                check = architectures.checked(lm, Path(films), seed)
            wrong = architectures.found(check) ^ case.known
            count += bool(wrong)
            which.update(f"{line}: {fault}" for line, fault in wrong)
            if not whole:
                lm.model.generate = _instant
            unseen = [one.line for one in check.verdicts if one.state == UNSEEN]
    return count, which, unseen


def _instant(input_ids: Any, **given: Any) -> Any:
    """Returns what a model returns, with one token of reply, without computing it."""
    import torch

    return torch.cat([input_ids, input_ids[:, -1:]], dim=1)


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields a look at one model; the command line looks at all of them."""
    n = 1 if quick else 3
    count, _, _ = alarms("qwen2_vl", n)
    yield timing.Row(f"qwen2_vl, {n} seeds: checks with a false alarm", [100 * count / n], "%", at_most=0)


def main() -> None:
    """Prints a line a model; the status is 1 where there was an alarm."""
    from tests.check import architectures

    known = architectures.cases()
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", choices=[[], *known], help="models; all where none is named")
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--whole", action="store_true", help="compute the replies at every seed")
    options.add_argument("--device", default="cpu", help="where the models are loaded: cpu, cuda")
    given = options.parse_args()
    worst = 0
    for name in given.names or known:
        start = time.perf_counter()
        count, which, unseen = alarms(name, given.seeds, given.whole, given.device)
        worst = max(worst, count)
        faults = ", ".join(sorted(f"{line}: {fault}" for line, fault in known[name].known)) or "nothing"
        print(
            f"{name}: {count} of {given.seeds} seeds with an alarm {dict(which) or ''}; known to be wrong: "
            f"{faults}; not seen: {', '.join(unseen) or 'nothing'} ({time.perf_counter() - start:.0f} s)",
            flush=True,
        )
    sys.exit(worst > 0)


if __name__ == "__main__":
    main()
