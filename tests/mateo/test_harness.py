"""MATEO through the real harness, with respondents whose scores are known."""

import pytest

from tempbench_lmms.mateo import prompts
from tests.respondents import evaluate, tiny_args

pytestmark = pytest.mark.harness

FORMS = ("mateo_text_instructions_mini", "mateo_image_cot_mini", "mateo_both_reflection_mini")
ALL = [f"mateo_{m}_{s}_mini" for m in prompts.MODALITIES for s in prompts.SETTINGS]
FEW = 60  # questions, both orders of a pair one after the other


def metrics(values):
    """Returns a task's metrics, without the harness's own errors of our errors."""
    return {name: value for name, value in values.items() if "stderr_" not in name and name != "alias"}


@pytest.fixture(scope="module")
def known(harness):
    """Respondents on the tasks, in one process, by the Python interface."""
    wanted = [
        ("oracle", "oracle", ["mateo_all_mini"], {"limit": FEW}),
        ("whole", "oracle", FORMS, {}),
        ("chat", "chance", FORMS, {"model_args": "seed=7,media=true", "limit": FEW}),
        ("simple", "chance", FORMS, {"model_args": "seed=7,media=true", "limit": FEW, "force_simple": True}),
    ]
    return evaluate(harness, wanted)


def test_oracle_gets_everything_in_all_fifteen_settings(known):
    assert set(known["oracle"]) >= set(ALL)
    of_few = [known["oracle"][task] for task in ALL]
    of_all = [known["whole"][task] for task in FORMS]
    for values in (*of_few, *of_all):
        for name in ("accuracy", "f1_before", "f1_independent", "f1_after", "parse_rate"):
            assert values[f"{name},none"] == 1, (values["alias"], name)
        assert values["n_cut,none"] == 0
    assert {values["n_pairs,none"] for values in of_few} == {FEW / 2}
    for values in of_all:
        assert values["n_pairs,none"] == 104
        assert values["always_independent,none"] == 0.5
        assert values["details,none"]["confusion"]["swapped"]["after"]["after"] == 52
    assert known["oracle"]["mateo_text_reflection_mini"]["reflection_kept,none"] == 1


def test_simple_and_chat_models_are_scored_alike(known):
    for task in FORMS:
        assert metrics(known["simple"][task]) == metrics(known["chat"][task])


def test_a_real_architecture(tiny_vlm, tmp_path, run_harness):
    done = run_harness(
        "qwen2_5_vl",
        ["mateo_mini"],
        tmp_path,
        ["--limit", "2", "--gen_kwargs", "max_new_tokens=4"],
        tiny_args(tiny_vlm),
    )
    for modality in prompts.MODALITIES:
        assert done.value(f"mateo_{modality}_instructions_mini", "n_pairs") == 1
