import os

import pytest

from tempbench_lmms.data import roots
from tempbench_lmms.data.filesystem import TempbenchFileSystem
from tempbench_lmms.errors import DataNotPreparedError, TempbenchError


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A data home with one prepared benchmark."""
    root = tmp_path / "home" / "tempvs"
    (root / "all").mkdir(parents=True)
    (root / "all" / "test.parquet").write_bytes(b"rows")
    (root / roots.MANIFEST).write_text("{}")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    return root


def test_bundled_sample():
    assert roots.resolve("tempbench://tempvs/mini/all/test.parquet").is_file()


def test_prepared_data(prepared):
    assert roots.resolve("tempbench://tempvs/all/test.parquet") == prepared / "all" / "test.parquet"


def test_data_that_is_not_prepared_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    with pytest.raises(DataNotPreparedError, match="run `tempbench prepare tempvs`"):
        roots.resolve("tempbench://tempvs/all/test.parquet")


def test_interrupted_preparation_does_not_count(prepared):
    (prepared / roots.MANIFEST).unlink()
    with pytest.raises(DataNotPreparedError):
        roots.resolve("tempbench://tempvs/all/test.parquet")


def test_no_folder_leads_out_of_the_data(prepared, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", prepared / "all" / "link")
    for rest in ("all/link/secret", "all/link", "all/./link//secret"):
        with pytest.raises(TempbenchError, match="outside"):
            roots.resolve(f"tempbench://tempvs/{rest}")


def test_links_within_the_data_are_followed(prepared):
    os.symlink(prepared / "all", prepared / "same")
    assert roots.resolve("tempbench://tempvs/same/test.parquet").read_bytes() == b"rows"


def test_the_data_home_may_be_a_link_and_may_change(prepared, tmp_path, monkeypatch):
    os.symlink(tmp_path / "home", tmp_path / "linked")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "linked"))
    os.symlink(prepared / "all", prepared / "same")
    for rest in ("all/test.parquet", "same/test.parquet"):
        found = roots.resolve(f"tempbench://tempvs/{rest}")
        assert found == tmp_path / "linked" / "tempvs" / rest
    other = tmp_path / "other" / "tempvs"
    other.mkdir(parents=True)
    (other / roots.MANIFEST).write_text("{}")
    (tmp_path / "linked").unlink()
    os.symlink(tmp_path / "other", tmp_path / "linked")
    # What led inside leads nowhere now, and a link into the former data leads out.
    os.symlink(prepared / "all", other / "same")
    with pytest.raises(TempbenchError, match="outside"):
        roots.resolve("tempbench://tempvs/same/test.parquet")


def test_default_home_follows_the_hugging_face_cache(monkeypatch):
    monkeypatch.delenv("TEMPBENCH_DATA", raising=False)
    monkeypatch.setenv("HF_HOME", "/somewhere")
    assert str(roots.data_home("tempvs")) == "/somewhere/tempbench"


def test_file_system(prepared):
    fs = TempbenchFileSystem()
    assert fs.glob("tempbench://tempvs/all/*.parquet") == [str(prepared / "all" / "test.parquet")]
    assert fs.info("tempbench://tempvs/all/test.parquet")["size"] == 4
    with fs.open("tempbench://tempvs/all/test.parquet") as file:
        assert file.read() == b"rows"
    assert not fs.exists("tempbench://tempvs/all/none")


def test_fsspec_finds_the_scheme():
    import fsspec

    with fsspec.open("tempbench://tempvs/mini/manifest.json", "rb") as file:
        assert b"tempvs" in file.read()


@pytest.mark.parametrize("given", ["hf://org/mateo", "s3://user:secret@bucket/x"])
def test_an_address_is_answered_with_what_to_type(monkeypatch, given):
    monkeypatch.setenv("TEMPBENCH_DATA", given)
    with pytest.raises(TempbenchError, match=r"hf download ORG/NAME .* FOLDER/mateo`") as caught:
        roots.prepared_root("mateo")
    assert "secret" not in str(caught.value)
    monkeypatch.setenv("TEMPBENCH_DATA_MATEO", "/nowhere")  # a variable of one benchmark goes first
    with pytest.raises(DataNotPreparedError, match="/nowhere"):
        roots.prepared_root("mateo")
