"""The bundled sample: sound, small, and not to be answered from one picture."""

import functools
from collections import Counter

import numpy as np
import pytest

from hf_datasets.samples import coherence
from tempbench_lmms.data import roots, tables
from tempbench_lmms.media.video import sample_frames

ROOT = roots.mini_root("coherence")


def test_size_and_balance() -> None:
    rows = tables.read_rows(ROOT / "qa")
    assert len(rows) >= 30
    assert (
        set(Counter(row["type"] for row in rows)) == set(coherence.SCENES)
        or len({row["type"] for row in rows}) == 6
    )
    assert len({row["scene"] for row in rows}) == 3
    assert sum(path.stat().st_size for path in ROOT.rglob("*") if path.is_file()) < 1_500_000


@pytest.mark.slow
def test_no_single_frame_shows_the_answer() -> None:
    # A frame is a function of the scene's state alone (`draw`). An item passes if each of its frames, as
    # pixels, stands in a scene of the same question whose answer is another one: whoever sees that frame
    # alone cannot tell the two apart.
    asked = coherence.questions()
    drawn = functools.cache(lambda state, scene: coherence.draw(state, scene).tobytes())
    passed = 0
    for row, states, family in asked:
        answer = row["options"]["ABCDEFG".index(row["answer"])]
        others = {
            drawn(state, row["scene"])
            for other, clip in family.options.items()
            if other != answer and other in row["options"]
            for state in clip
        }
        passed += all(drawn(state, row["scene"]) in others for state in set(states))
    assert passed / len(asked) >= 0.8
    assert passed == len(asked)


def test_all_frames_show_the_answer() -> None:
    for family in coherence.families():
        clips = list(family.options.values())
        assert len(set(clips)) == len(clips)
        assert all(len(clip) == coherence.N_FRAMES for clip in clips)


def test_the_videos_show_the_scenes() -> None:
    for row, states, _ in coherence.questions()[::7]:
        frames = sample_frames(roots.resolve(row["video"]), 4)
        for image, place in zip(frames.images, (0, 10, 20, 31), strict=True):
            drawn = np.asarray(coherence.draw(states[place], row["scene"])).astype(int)
            assert np.abs(np.asarray(image) - drawn).mean() < 6


def test_twelve_captioned_videos_stand_in_pairs() -> None:
    rows = tables.read_rows(ROOT / "caption")
    assert [row["view"] for row in rows] == ["video", "frame"] * 12
    assert all(one["video"] == other["video"] for one, other in zip(rows[::2], rows[1::2], strict=True))


@pytest.mark.parametrize("scene", coherence.WHO)
def test_every_state_can_be_drawn_in_every_scene(scene: str) -> None:
    clips = [clip for family in coherence.families() for clip in family.options.values()]
    for state in {clip[0][0]: clip[0] for clip in clips}.values():
        assert coherence.draw(state, scene).size == (112, 112)
