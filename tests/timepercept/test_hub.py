"""TemporalVQA from a Hub on this machine that speaks the protocol."""

import json

from tempbench_lmms.data.tables import read_rows
from tests.command import tempbench
from tests.hub import COMMIT, Hub, variables

from .releases import temporalvqa


def test_temporalvqa_from_the_hub(tmp_path):
    folder = tmp_path / "repository"
    temporalvqa(folder)
    (folder / "script.py").write_text("raise SystemExit('never run')")
    with Hub({"fazliimam/temporal-vqa": folder}) as hub:
        environment = {**variables(hub, tmp_path / "hf"), "TEMPBENCH_DATA": str(tmp_path / "data")}
        words = ("prepare", "timepercept", "--temporalvqa", "hub")
        done = tempbench(*words, **environment)
        assert done.returncode == 0, done.stderr
        # Nothing but Parquet is downloaded.
        assert not any("script.py" in path for path in hub.requests)
        # A second run asks nobody.
        hub.requests.clear()
        assert "nothing to do" in tempbench(*words, **environment).stdout
        assert not hub.requests
    manifest = json.loads((tmp_path / "data/timepercept/manifest.json").read_text())
    assert manifest["parts"]["temporalvqa"]["revision"] == COMMIT
    assert len(read_rows(tmp_path / "data/timepercept/transfer_order/test.parquet")) == 6
