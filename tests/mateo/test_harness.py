"""MATEO through the real harness, with respondents whose scores are known."""

import pytest

from tempbench_lmms.mateo import prompts
from tests.respondents import evaluate

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
        ("chat", "chance", FORMS, {"model_args": "seed=7,media=true", "limit": FEW}),
        ("simple", "chance", FORMS, {"model_args": "seed=7,media=true", "limit": FEW, "force_simple": True}),
    ]
    return evaluate(harness, wanted)


def test_oracle_gets_everything_in_all_fifteen_settings(known):
    assert set(known["oracle"]) >= set(ALL)
    for values in (known["oracle"][task] for task in ALL):
        for name in ("accuracy", "f1_before", "f1_independent", "f1_after", "parse_rate"):
            assert values[f"{name},none"] == 1, (values["alias"], name)
        assert (values["n_cut,none"], values["n_pairs,none"]) == (0, FEW / 2)
    assert known["oracle"]["mateo_text_reflection_mini"]["reflection_kept,none"] == 1


def test_simple_and_chat_models_are_scored_alike(known):
    for task in FORMS:
        assert metrics(known["simple"][task]) == metrics(known["chat"][task])
