"""What must hold of TempVS data before a model is loaded."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.data import checks, tables
from tempbench_lmms.media.images import load_image
from tempbench_lmms.tempvs.prompts import GROUNDING_OF, MAIN_TESTS


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field."""
    from tempbench_lmms.hf_datasets.tempvs.features import SCHEMA

    urls: list[str] = []

    def check(row: tables.Row) -> Iterator[str]:
        yield from row_problems(row)
        yield from checks.collect_media("images", row["images"], urls)

    found_tables = [root / name / "test.parquet" for name in ("all", *MAIN_TESTS)]
    for table in found_tables:
        if table.parent.is_dir():
            yield from checks.table_problems(table, SCHEMA, check)
    if not any(table.is_file() for table in found_tables):
        yield f"{root}: no table is there; prepare the data again"
    yield from checks.media_problems(urls, load_image)


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one row, as "field: what"."""
    sets = {*MAIN_TESTS} if row["role"] == "main" else {*GROUNDING_OF.values()}
    if row["role"] not in ("main", "grounding"):
        yield f"role: {row['role']!r} is neither main nor grounding"
    elif not row["tests"] or not set(row["tests"]) <= sets:
        yield f"tests: {row['tests']} are not tests of a {row['role']} question"
    if len(row["images"]) < 2:
        yield f"images: {len(row['images'])}, a sequence has at least two"
    if len(set(row["options"])) < len(row["options"]):
        yield "options: two are the same"
    letters = "ABCDE"[: len(row["options"])] if row["role"] == "main" else ""
    answers = [*letters] or [str(i + 1) for i in range(len(row["images"]))]
    if row["answer"] not in answers:
        yield f"answer: {row['answer']!r} is not one of {', '.join(answers)}"
    if any(not 0 <= place < len(row["images"]) for place in row["events"]):
        yield f"events: {row['events']} lie outside {len(row['images'])} images"
