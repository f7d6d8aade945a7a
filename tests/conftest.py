"""What the tests share."""

import os
from pathlib import Path

import hypothesis
import pytest

# On tiny models threads only wait for each other, for minutes where other work keeps the cores busy. torch
# reads this when it is imported, here and in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is no failure.
hypothesis.settings.register_profile("any machine", deadline=None)
hypothesis.settings.load_profile("any machine")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data and the official scorers' outputs, which is no part of the project."""
    folder = Path(os.environ.get("TEMPBENCH_SHARED", Path(__file__).parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"{folder} is missing; set TEMPBENCH_SHARED to the folder with the reference data")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _offline(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reaches a network, and none touches the user's caches."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("HF_HOME", str(tmp_path_factory.mktemp("hf")))
    os.environ.pop("TEMPBENCH_DATA", None)


@pytest.fixture(scope="session")
def tiny_vlm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Qwen2.5-VL with random weights."""
    from tempbench_lmms.harness.tiny import build

    return build(tmp_path_factory.mktemp("tiny"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts files that run the harness first: one of them alone at the end keeps all processes waiting."""
    slow = {item.path for item in items if item.get_closest_marker("harness")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))
