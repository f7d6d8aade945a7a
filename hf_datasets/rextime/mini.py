"""Writes the bundled ReXTime sample: `python -m hf_datasets.rextime.mini`."""

import random
from pathlib import Path
from typing import Any

from tempbench_lmms.data import roots, tables
from tempbench_lmms.rextime import rows
from tempbench_lmms.rextime.features import BENCHMARK, SCHEMA
from tempbench_lmms.rextime.prompts import LETTERS

from . import scenes

SEED = 20240
N_VALIDATION = 30
N_TEST = 6
SHORTEST, LONGEST = 4.0, 30.0


def record(number: int, split: str, clip: scenes.Clip) -> dict[str, Any]:
    """Returns the question about a clip as the official release would write it."""
    letter = LETTERS[number % len(LETTERS)]
    wrong = list(clip.options[1:])
    random.Random(f"{SEED} {split} {number}").shuffle(wrong)
    place = LETTERS.index(letter)
    from_activitynet = number % 2 == 0
    vid = (
        f"v_{split[:3]}{number:08d}"
        if from_activitynet
        else f"{split[:3]}mini{number:04d}_0.0_{clip.duration}"
    )
    return {
        "qid": f"{'anet' if from_activitynet else 'qvh'}_{split[:4]}{number}",
        "vid": vid,
        "duration": clip.duration,
        "question": clip.question,
        "options": [*wrong[:place], clip.options[0], *wrong[place:]],
        "category": clip.category,
        "source": "ActivityNet_val_2" if from_activitynet else "qvhighlights_val",
        "span": [clip.answer.start, clip.answer.end],
        "question_span": [clip.asked.start, clip.asked.end],
        "ans": letter,
    }


def clips(split: str, n: int) -> list[scenes.Clip]:
    """Returns n clips of 4 to 30 seconds, the categories in turn."""
    out = []
    for number in range(n):
        rng = random.Random(f"{SEED} {split} {number} clip")
        length = SHORTEST + (LONGEST - SHORTEST) * number / (n - 1)
        out.append(scenes.MAKERS[number % 3](rng, round(length * scenes.FPS) / scenes.FPS))
    return out


def write(root: Path) -> dict[str, int]:
    """Renders the videos and writes the tables under `root`.

    Returns:
        The number of rows of each configuration.
    """
    counts = {}
    for split, n in (("validation", N_VALIDATION), ("test", N_TEST)):
        table = []
        for number, clip in enumerate(clips(split, n)):
            told = record(number, split, clip)
            local = f"media/{rows.source_of(told)}/{told['vid']}.mp4"
            scenes.render(clip, root / local)
            row = rows.row(
                told,
                f"{roots.SCHEME}{BENCHMARK}/{roots.MINI}/{local}",
                # As in the release, the answers of the test split are kept back.
                answers=split != "test",
            )
            table.append(row | ({"question_span": None} if split == "test" else {}))
        tables.write_rows(table, root / split / f"{split}.parquet", SCHEMA)
        counts[split] = len(table)
    tables.write_sample_manifest(root, BENCHMARK, counts)
    return counts


if __name__ == "__main__":
    print(write(roots.mini_root(BENCHMARK)))
