"""Every task's prompts, as hashes. `pytest --update-goldens` writes them anew after a wanted change."""

import hashlib
import json
from pathlib import Path

from tempbench_lmms.harness.tasks import kwargs_of
from tests.bundled import MINI, docs, load_task

GOLDEN = Path(__file__).with_name("prompts.json")


def test_a_prompt_that_changes_raises_the_version_of_prompts(update_goldens):
    found = {}
    for name in MINI:
        config = load_task(name)
        texts = [config["doc_to_text"](doc, kwargs_of(config)) for doc in docs(name)]
        digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]
        found[name] = f"{config['metadata']['prompts']} {digest}"
    if update_goldens:
        GOLDEN.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    assert found == json.loads(GOLDEN.read_text(encoding="utf-8")), (
        "prompts changed: raise `prompts` under `metadata` in tasks.yaml, then run with --update-goldens"
    )
