"""Reference sentences from a language model behind an OpenAI-compatible endpoint.

Source: the paper, section 3.1.1 and appendix A.1.3 (gemini-1.5-flash, temperature 0, 128 tokens); the prompt
is that of the official code.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence.features import QA_SCHEMA
from tempbench_lmms.coherence.prompts import reference_request
from tempbench_lmms.data import manifests, prepared, tables
from tempbench_lmms.errors import TempbenchError

from ..endpoint import Endpoint

_SAVE_EVERY = 100


def build(
    root: Path, endpoint: str, model: str, key: str, workers: int = 8, track: Any = lambda things, **_: things
) -> int:
    """Writes a reference sentence by `model` into every question that has none by it.

    What was obtained is saved every hundred questions, and when an error ends the work: a second run goes on.

    Returns:
        How many were written.
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

    _tell_manifest(root, rows, {})  # a table of which nothing is recorded is not taken for a damaged one
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
        _tell_manifest(root, rows, prepared.sums(root, [table]))
    return written


def _tell_manifest(root: Path, rows: list[tables.Row], sums: dict[str, str]) -> None:
    """Tells the manifest whose the sentences are, and the checksum of the table where it is known."""
    manifest = manifests.read(root) or {}
    sources = [row["reference_source"] or "template" for row in rows]
    manifest["references"] = {source: sources.count(source) for source in sorted(set(sources))}
    if isinstance(of_tables := manifest.get("sha256"), dict):
        of_tables.pop("qa", None)
        for sha256 in sums.values():
            of_tables["qa"] = sha256
    if isinstance(part := manifest.get("parts", {}).get("tomato"), dict):
        part[prepared.KEY] = sums
    manifests.write(manifest, root)
