"""Building data sets: items a second of each builder.

TempVS: the official release, in the layout of the small one in `$TEMPBENCH_SHARED`, repeated under new names
(left out where that folder is not set); every row is checked against the official rule. ReXTime: annotations
and videos, each of which is looked at. MATEO: questions from plans. TimePerceptBench: questions from the
bundled sample's series.
"""

import json
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import memory
import timing
from mateo_pairs import random_graph

COPIES = 30


def repeated_release(source: Path, target: Path, copies: int) -> int:
    """Writes a release that holds another one several times under new names; returns the rows."""
    n_rows = 0
    for file in source.rglob("*"):
        copy = target / file.relative_to(source)
        if file.is_dir():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix != ".json" or not file.stem.endswith("_test"):
            os.link(file.resolve(), copy) if _same_disk(file, copy) else copy.write_bytes(file.read_bytes())
            continue
        rows: list[dict[str, Any]] = []
        for copy in range(copies):
            for row in json.loads(file.read_text()):
                name = f"{row['img_seq_id']}x{copy}"
                index = row["question_id"].rpartition("_q")[2]
                rows.append(row | {"img_seq_id": name, "question_id": f"{name}_q{index}"})
        copy.write_text(json.dumps(rows))
        n_rows += len(rows)
    return n_rows


def _same_disk(one: Path, other: Path) -> bool:
    return one.stat().st_dev == other.parent.stat().st_dev


def tempvs_import(folder: Path, quick: bool) -> Iterator[timing.Row]:
    from hf_datasets.tempvs.release import benchmark_folder, convert

    source = Path(os.environ.get("TEMPBENCH_SHARED", "")) / "golden" / "tempvs_release_layout"
    if "TEMPBENCH_SHARED" not in os.environ or not source.is_dir():
        return
    n = repeated_release(source, folder / "release", 3 if quick else COPIES)
    data = benchmark_folder(folder / "release")
    times = timing.side_by_side({"import": lambda: convert(data, folder / "release", False)}, 3)
    yield timing.Row(
        f"TempVS: official rows read and checked, of {n:,}", timing.rates(n, times["import"]), "/s"
    )


def rextime(folder: Path, quick: bool) -> Iterator[timing.Row]:
    n = 50 if quick else 500
    before = os.environ.get("TEMPBENCH_DATA")
    os.environ["TEMPBENCH_DATA"] = str(folder)
    try:
        # Writing the videos, copies of one, takes a small part of it.
        seconds = timing.seconds(lambda: memory.write_videos(folder, n))
    finally:
        os.environ.pop("TEMPBENCH_DATA")
        if before is not None:
            os.environ["TEMPBENCH_DATA"] = before
    yield timing.Row(f"ReXTime: questions with a video that is looked at, of {n}", [n / seconds], "/s")


def mateo(quick: bool) -> Iterator[timing.Row]:
    from hf_datasets.mateo.rows import Plan, Step, pairs_to_ask, questions

    generator = random.Random(0)
    plans = []
    for number in range(10 if quick else 60):
        graph = random_graph(16, generator)
        steps = [Step(f"Do step {i}.", f"tempbench://mateo/media/{number}/{i}.png") for i in range(16)]
        plans.append(Plan(f"plan {number}", "A dish", tuple(steps), tuple(graph)))
    n = sum(len(list(questions(plan, pairs_to_ask(plan)))) for plan in plans)
    times = timing.side_by_side(
        {"build": lambda: [list(questions(plan, pairs_to_ask(plan))) for plan in plans] and None}, 5
    )
    yield timing.Row(
        f"MATEO: questions from {len(plans)} plans, of {n:,}", timing.rates(n, times["build"]), "/s"
    )


def timepercept(quick: bool) -> Iterator[timing.Row]:
    from hf_datasets.samples.timepercept import series_of, towns
    from hf_datasets.timepercept import questions

    series = [series_of(place) for place in towns()["test"]]
    rules = questions.Rules(count=40 if quick else 200, seed=0, min_ratio=2.0)
    built: dict[str, Any] = {}

    def build() -> None:
        built.update(questions.build(series, series, "test", rules))

    times = timing.side_by_side({"build": build}, 3)
    n = sum(map(len, built.values()))
    yield timing.Row(
        f"TimePerceptBench: questions of nine tests from {len(series)} places, of {n:,}",
        timing.rates(n, times["build"]),
        "/s",
    )


def rows(quick: bool) -> Iterator[timing.Row]:
    with tempfile.TemporaryDirectory() as name:
        yield from tempvs_import(Path(name), quick)
        yield from rextime(Path(name), quick)
    yield from mateo(quick)
    yield from timepercept(quick)


if __name__ == "__main__":
    timing.main(__doc__, rows)
