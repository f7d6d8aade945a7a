"""What the NExT-GQA tests share."""

import csv
import json
import os
from pathlib import Path

import pytest

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows


@pytest.fixture(scope="session")
def docs():
    """The rows of the bundled test sample."""
    return read_rows(mini_root("nextgqa") / "test")


@pytest.fixture(scope="session")
def official_cases():
    """Annotations of our own making, predictions on them, and what the official scorers printed."""
    return json.loads(Path(__file__).with_name("official.json").read_text())


@pytest.fixture(scope="session")
def annotations(official_cases, tmp_path_factory):
    """These annotations as the release has them: a clone with a folder of annotations."""
    folder = tmp_path_factory.mktemp("release") / "datasets" / "nextgqa"
    folder.mkdir(parents=True)
    (folder / "gsub_test.json").write_text(json.dumps(official_cases["gsub"]))
    with (folder / "test.csv").open("w", newline="") as stream:
        table = csv.DictWriter(stream, official_cases["lines"][0])
        table.writeheader()
        table.writerows(official_cases["lines"])
    return folder


@pytest.fixture(scope="session")
def release(request):
    """The released annotations: `$TEMPBENCH_NEXTGQA`, or `real/nextgqa` of the reference data."""
    given = os.environ.get("TEMPBENCH_NEXTGQA")
    folder = Path(given) if given else request.getfixturevalue("shared") / "real" / "nextgqa"
    if not (folder / "gsub_test.json").is_file():
        pytest.skip(f"{folder} has no gsub_test.json; set TEMPBENCH_NEXTGQA to the release's annotations")
    return folder
