"""Gets reference sentences from a language model behind an OpenAI-compatible endpoint.

Source: the paper, section 3.1.1 and appendix A.1.3 (gemini-1.5-flash, temperature 0, 128 tokens); the prompt
is that of the official code.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence.prompts import reference_request
from tempbench_lmms.coherence.rows import QA_SCHEMA
from tempbench_lmms.data import manifests, tables
from tempbench_lmms.errors import TempbenchError

from ..endpoint import Endpoint

_SAVE_EVERY = 100


def build(
    root: Path, endpoint: str, model: str, key: str, workers: int = 8, track: Any = lambda things, **_: things
) -> int:
    """Writes a reference sentence by `model` into every question that lacks one.

    The sentences are saved every hundred questions and after an error, and a second run continues.

    Returns:
        The number of sentences written.
    """
    server = Endpoint(endpoint, model, key)
    table = root / "qa" / "test.parquet"
    rows = tables.read_rows(table)
    open_ = [row for row in rows if row["reference_source"] != model]
    written = 0

    def write(row: tables.Row) -> None:
        request = reference_request(row["question"], row["options"], row["answer"])
        sentence = " ".join(server.ask(request, max_tokens=128).split())
        if not sentence:
            raise TempbenchError(
                f"{endpoint} gave an empty sentence for {row['question_id']}; ask another model"
            )
        row["reference"], row["reference_source"] = sentence, model

    def save() -> None:
        tables.write_rows(rows, table, QA_SCHEMA)

    _tell_manifest(root, rows, {})  # a table without a recorded checksum does not count as damaged
    try:
        with ThreadPoolExecutor(workers) as pool:
            starts = track(range(0, len(open_), _SAVE_EVERY), description="reference sentences")
            for start in starts:
                batch = open_[start : start + _SAVE_EVERY]
                list(pool.map(write, batch))
                written += len(batch)
                save()
    finally:
        save()
        _tell_manifest(root, rows, manifests.sums(root, [table]))
    return written


def _tell_manifest(root: Path, rows: list[tables.Row], sums: dict[str, str]) -> None:
    """Records in the manifest who wrote the sentences, and the table's checksum if it has one."""
    manifest = manifests.read(root) or {}
    sources = [row["reference_source"] or "template" for row in rows]
    manifest["references"] = {source: sources.count(source) for source in sorted(set(sources))}
    if isinstance(of_tables := manifest.get("sha256"), dict):
        of_tables.pop("qa", None)
        for sha256 in sums.values():
            of_tables["qa"] = sha256
    if isinstance(part := manifest.get("parts", {}).get("tomato"), dict):
        part[manifests.TABLES] = sums
    manifests.write(manifest, root)
