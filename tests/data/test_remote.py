"""Data on the Hub: downloaded once for each commit, compared with its checksums, read like a folder."""

import pytest

from tempbench_lmms.data import checksums, manifests, prepared, remote, roots, tables
from tempbench_lmms.errors import TempbenchError
from tests.command import complains, hub_variables, tempbench
from tests.hub import Hub, variables

TABLE = "pairs/test.parquet"


@pytest.fixture
def source(tmp_path):
    """A data set as it lies on the Hub: one table, two pictures."""
    root = tmp_path / "source" / "mateo"
    sample = roots.mini_root("mateo")
    tables.copy_file(sample / TABLE, root / TABLE)
    for name in ("a.png", "sub/b.png"):
        tables.copy_file(next((sample / "media").rglob("*.png")), root / "media" / name)
    return seal(root)


def seal(root, **more):
    entry = checksums.write_folder(root)
    sums = prepared.sums(root, [root / TABLE])
    manifests.write({"benchmark": "mateo", prepared.KEY: sums, checksums.KEY: entry, **more}, root)
    return root


@pytest.fixture
def hub(source, tmp_path, monkeypatch):
    with Hub({"org/mateo": source}) as hub:
        for name, value in {**variables(hub, tmp_path / "hf"), "TEMPBENCH_DATA": "hf://org/mateo"}.items():
            monkeypatch.setenv(name, value)
        remote.forget()
        with hub_variables():
            yield hub
        remote.forget()


def test_the_data_is_that_of_the_source_and_known_by_size_and_time(hub, source):
    root = roots.prepared_root("mateo")
    picture = roots.resolve("tempbench://mateo/media/sub/b.png")
    assert picture.read_bytes() == (source / "media/sub/b.png").read_bytes()
    assert picture.stat().st_mtime_ns == checksums.read(source)["media/sub/b.png"]["changed"]
    assert remote.source_of(root) == f"hf://org/mateo@{hub.commit('org/mateo')}"
    assert list(prepared.table_problems(root, manifests.read(root))) == []


def test_offline_reads_what_is_there(hub, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(TempbenchError, match="HF_HUB_OFFLINE is set and the data is not in the cache"):
        roots.prepared_root("mateo")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    root = roots.prepared_root("mateo")
    remote.forget()
    hub.requests.clear()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert roots.prepared_root("mateo") == root
    assert not hub.requests


def test_another_commit_is_another_folder(hub, source):
    first = roots.prepared_root("mateo")
    seal(source, skipped=["something"])
    hub._commits["org/mateo"] += 1
    remote.forget()
    second = roots.prepared_root("mateo")
    assert first != second
    assert manifests.read(second)["skipped"] == ["something"]


def test_a_variable_of_one_benchmark_goes_first(source, monkeypatch, tmp_path):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "nothing"))
    monkeypatch.setenv("TEMPBENCH_DATA_MATEO", str(source.parent))
    assert roots.prepared_root("mateo") == source


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda root: (root / "manifest.json").write_text("{"), "is damaged"),
        (
            lambda root: (root / "manifest.json").write_text('{"checksum": "0"}'),
            "it has changed since it was written",
        ),
        (lambda root: seal(root, benchmark="tempvs"), "holds the data of 'tempvs', but not mateo"),
        (lambda root: (root / "manifest.json").unlink(), "holds no prepared data"),
        (lambda root: (root / "checksums.json").write_text("{}"), "checksum"),
        (lambda root: (root / TABLE).write_bytes(b"PAR1"), "its checksum differs from the manifest's"),
        (lambda root: (root / TABLE).unlink(), "is missing"),
        (lambda root: (root / "media/a.png").write_bytes(b"x"), "its checksum differs from the recorded one"),
        (lambda root: (root / "media/a.png").unlink(), "is missing"),
    ],
)
def test_what_is_not_as_it_was_published_is_refused(hub, source, change, message):
    change(source)
    for _ in range(2):
        with pytest.raises(TempbenchError, match=message):
            roots.prepared_root("mateo")


@pytest.mark.parametrize(
    "name", ["hf://org", "hf://../x", "hf://org/a..b", "hf://org/name/more", "s3://user:secret@bucket/x"]
)
def test_a_name_that_is_no_data_set(monkeypatch, name):
    monkeypatch.setenv("TEMPBENCH_DATA", name)
    with pytest.raises(TempbenchError, match="is not a data set of the Hub") as caught:
        roots.prepared_root("mateo")
    assert "secret" not in str(caught.value)


def test_nothing_is_prepared_into_an_address(source):
    done = tempbench("prepare", "mateo", "--from", str(source), TEMPBENCH_DATA="hf://org/mateo")
    complains(done, "which is read-only; set TEMPBENCH_DATA to a folder")
