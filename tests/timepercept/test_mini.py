"""The bundled sample: it can be rebuilt, and what is drawn decides the answers."""

from collections import Counter

from hf_datasets.samples import timepercept
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows
from tempbench_lmms.timepercept.card import CONTROLS, TESTS

ROOT = mini_root("timepercept")


def test_size_and_extent():
    assert sum(path.stat().st_size for path in ROOT.rglob("*") if path.is_file()) < 1_500_000
    places = set()
    for test in TESTS:
        rows = read_rows(ROOT / test / "test.parquet")
        assert len(rows) >= 20
        places |= {place for row in rows for place in row["places"]}
    assert len(places) >= 40
    for test in CONTROLS:
        assert len(read_rows(ROOT / test / "test.parquet")) >= 20


def state(url: str) -> tuple[int, int]:
    """Finished houses and the stage of the building site in one of the sample's pictures."""
    name = url.rsplit("/", 1)[1].removesuffix(".png")
    number, day = name.split("_")
    town = timepercept.town(int(number), timepercept.SEED)
    return timepercept.houses(town, [str(one) for one in town.dates].index(day))


def test_counting_houses_orders_the_images():
    for row in read_rows(ROOT / "isr" / "test.parquet"):
        states = [state(url) for url in row["images"]]
        by_houses = sorted(range(5), key=lambda i: states[i])
        assert len(set(states)) == 5
        assert ", ".join(str(i + 1) for i in by_houses) == row["answer"]


def test_new_houses_tell_intervals():
    for row in read_rows(ROOT / "eii" / "test.parquet"):
        new = []
        for first, second in zip(row["images"][::2], row["images"][1::2], strict=True):
            (before, stage), (after, next_stage) = state(first), state(second)
            new.append(3 * (after - before) + next_stage - stage)
        assert "ABCD"[new.index(max(new))] == row["answer"]
    for row in read_rows(ROOT / "ice" / "test.parquet"):
        (before, _), (after, _) = (state(url) for url in row["images"])
        # A house in 30 days: the number of new ones lies within one of the interval's length in months.
        assert abs((after - before) - row["days"][0] / timepercept.PACE) <= 1


def test_drawn_states_differ():
    town = timepercept.town(3, timepercept.SEED)
    pictures = [timepercept.draw_town(town, i).convert("RGB").tobytes() for i in range(len(town.dates))]
    assert len(set(pictures)) == len(pictures)


def test_everyday_scenes_cover_all_durations():
    assert Counter(lapse for lapse, *_ in timepercept.SCENES.values()) == dict.fromkeys("ABCDEF", 2)
    for scene in timepercept.SCENES:
        assert (
            timepercept.draw_scene(scene, 0, False).tobytes()
            != timepercept.draw_scene(scene, 0, True).tobytes()
        )


def test_partners_stand_next_to_each_other():
    rows = read_rows(ROOT / "transfer_order" / "test.parquet")
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert one["images"] == other["images"][::-1]
        assert (one["answer"], other["answer"]) == ("A", "B")
