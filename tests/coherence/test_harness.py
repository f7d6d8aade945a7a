"""The benchmark in the real harness."""

from pathlib import Path

import pytest

from hf_datasets.coherence import commands
from tempbench_lmms.coherence.card import BUDGETS, TYPES
from tests.respondents import tiny_args

pytestmark = pytest.mark.harness


@pytest.fixture
def environment(text_encoder: Path, clip_folder: Path) -> dict[str, str]:
    return {
        "TEMPBENCH_BERTSCORE_MODEL": str(text_encoder),
        "TEMPBENCH_BERTSCORE_LAYERS": "6",
        "TEMPBENCH_CLIP_MODEL": str(clip_folder),
    }


def test_oracle(tmp_path: Path, environment: dict[str, str], run_harness) -> None:
    tasks = [
        "coherence_qa_mini",
        "coherence_qa_controls_mini",
        "coherence_caption_mini",
        "coherence_qa_8f_times_mini",
    ]
    # Whole questions of all kinds: fifteen with each number of frames, twelve with each control.
    run = run_harness(
        "tempbench_oracle", tasks, tmp_path, ["--limit", "60"], "media=true", environment=environment
    )
    for n in BUDGETS:
        for metric in ("accuracy", "accuracy_official", "numeric_distance", "parse_rate"):
            assert run.value("coherence_qa_mini", f"{metric}_{n}f") == 1
        assert 0 < run.value("coherence_qa_mini", f"bertscore_{n}f") < 1
    assert all(run.value("coherence_qa_mini", f"accuracy_{kind}_gain") == 0 for kind in TYPES)
    assert run.value("coherence_qa_mini", "n_questions") == 15 * 4
    assert run.value("coherence_qa_mini", "n_cut_budgets") == 0
    assert "_L6_" in run.value("coherence_qa_mini", "bertscore_hash")
    assert run.value("coherence_qa_controls_mini", "multi_frame_gain") == 0
    assert run.value("coherence_qa_8f_times_mini", "accuracy") == 1
    caption = "coherence_caption_mini"
    assert run.value(caption, "event_order") == 1
    assert run.value(caption, "caption_bertscore") == pytest.approx(1, abs=1e-6)
    assert run.value(caption, "n_videos") == 12
    assert isinstance(run.value(caption, "clipgain"), float)
    assert isinstance(run.value(caption, "clipgain_official"), float)
    assert run.value(caption, "clip_model").startswith("tiny_clip@")


def test_real_clips_with_a_tiny_vlm(
    shared: Path,
    tiny_vlm: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    run_harness,
) -> None:
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "data"))
    clips = shared / "real" / "msrvtt"
    videos = tmp_path / "videos" / "human"
    videos.mkdir(parents=True)
    # One of TOMATO's questions, with MSR-VTT's clip in place of its video.
    (videos / "0209-03.mp4").write_bytes((clips / "video0.mp4").read_bytes())
    commands.prepare(source=shared / "real" / "tomato", videos=tmp_path / "videos", captions=clips)
    run = run_harness(
        "qwen2_5_vl",
        ["coherence_qa", "coherence_caption", "coherence_qa_8f_video"],
        tmp_path / "out",
        ["--gen_kwargs", "max_new_tokens=3"],
        tiny_args(tiny_vlm),
        environment={**environment, "TEMPBENCH_DATA": str(tmp_path / "data")},
    )
    assert run.value("coherence_qa", "n_questions") == 4
    for n in BUDGETS:
        assert 0 <= run.value("coherence_qa", f"accuracy_{n}f") <= 1
    assert run.value("coherence_qa", "n_cut_budgets") == 0
    assert run.value("coherence_caption", "n_videos") == 2
    assert run.value("coherence_caption", "n_cut") == 0
    assert isinstance(run.value("coherence_caption", "clipscore_video"), float)
    assert run.value("coherence_qa_8f_video", "n_questions") == 1
