"""Makes records and releases for the tests of MATEO."""

import pytest

from tempbench_lmms.mateo import prompts, scoring
from tests.mateo import releases


@pytest.fixture(scope="session")
def steps():
    """The two steps of a question."""
    return {"text_a": "Chop it.", "text_b": "Fry it.", "image_a": "a.png", "image_b": "b.png"}


@pytest.fixture
def answered(steps):
    """Returns records for pairs given as {name: (gold, prediction in original, prediction when swapped)}."""

    def make(pairs, plan="plan", form="triple"):
        records = []
        for name, (gold, *predictions) in pairs.items():
            for version, prediction in zip(scoring.VERSIONS, predictions, strict=True):
                label = gold if version == "original" else scoring.SWAPPED[gold]
                doc = steps | {
                    "question_id": f"{name}/{version}",
                    "pair_id": name,
                    "plan_id": plan,
                    "version": version,
                    "label": label,
                    "n_steps": 5,
                    "distance": 1,
                }
                reply = "" if prediction == "other" else prompts.full_reply(prediction)
                records.append(scoring.record(doc, reply, form))
        return records

    return make


@pytest.fixture(scope="session")
def png():
    """Returns the bytes of a small picture of one colour."""
    return releases.png


@pytest.fixture(scope="session")
def release_row():
    """Returns a row of the release for a graph given as out_nodes, as the published card describes it."""
    return releases.row


@pytest.fixture
def write_release(tmp_path):
    """Writes rows as a release and returns its folder."""
    return lambda splits, name="release": releases.write(tmp_path / name, splits)
