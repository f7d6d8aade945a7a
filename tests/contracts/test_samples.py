"""The bundled samples stay as they are, to the byte: golden files and logs rest on them."""

from pathlib import Path

import pytest

from hf_datasets.samples import motion_only
from tempbench_lmms import benchmarks
from tempbench_lmms.data import manifests, tables
from tempbench_lmms.data.roots import mini_root


@pytest.mark.parametrize("benchmark", benchmarks.names())
def test_a_sample_holds_the_files_of_its_manifest(benchmark: str) -> None:
    root = mini_root(benchmark)
    files = sorted(path for path in root.rglob("*") if path.suffix in (".mp4", ".png", ".parquet"))
    known = manifests.read(root)
    assert known is not None
    assert known["sha256"] == tables.sha256_of(files)
    assert {path for path in root.rglob("*.*") if path.is_file()} == {*files, root / "manifest.json"}


@pytest.mark.slow
def test_a_sample_with_code_is_what_its_code_renders(tmp_path: Path) -> None:
    made = motion_only.write(tmp_path)
    stored = manifests.read(mini_root("motion_only"))
    assert stored is not None
    assert {**made, "sha256": ""} == {**stored, "sha256": ""}
    rows = tables.read_rows(tmp_path / "test/test.parquet")
    assert rows == tables.read_rows(mini_root("motion_only") / "test/test.parquet")
