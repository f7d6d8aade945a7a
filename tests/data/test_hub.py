"""The Hub is asked once for a model, and its silence costs seconds, not minutes."""

import pytest
from huggingface_hub import constants

from tempbench_lmms.data import hub
from tempbench_lmms.errors import TempbenchError


@pytest.mark.parametrize("cached", [True, False])
def test_a_hub_that_does_not_answer_is_asked_once(cached, monkeypatch, tmp_path):
    import huggingface_hub

    asked = []

    def refuse(url, **settings):
        asked.append((url, settings["timeout"]))
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", refuse)
    monkeypatch.setattr(
        huggingface_hub, "try_to_load_from_cache", lambda *_: "/config.json" if cached else None
    )
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    if cached:
        with hub.tried_once("org/model", 3):
            assert constants.HF_HUB_OFFLINE  # so nothing in the block waits for it
    else:
        with pytest.raises(TempbenchError, match="no route"), hub.tried_once("org/model", 3):
            raise AssertionError
    assert not constants.HF_HUB_OFFLINE
    assert [timeout for _, timeout in asked] == [3]


def test_a_local_model_asks_nobody(monkeypatch, tmp_path):
    import huggingface_hub

    def refuse(url, **settings):
        raise AssertionError(url)

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", refuse, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with hub.tried_once(str(tmp_path)):
        assert not constants.HF_HUB_OFFLINE
