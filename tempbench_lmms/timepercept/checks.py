"""What must hold of TimePerceptBench data before a model is loaded."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.data import checks, tables
from tempbench_lmms.media.images import load_image
from tempbench_lmms.timepercept.parser import parse
from tempbench_lmms.timepercept.prompts import CONTROLS, TESTS, options
from tempbench_lmms.timepercept.scoring import interval_class

_N_IMAGES = {"pov": 2, "tpl": 4, "ice": 2, "pic": 4, "ipr": 6, "eii": 8, "ucm": 1}
_N_IMAGES |= {"tal": 5, "isr": 5, "sov": 5, "transfer_order": 2, "transfer_lapse": 2}


def problems(root: Path) -> Iterator[str]:
    """Yields one line a problem, with table, row and field; and the places that are in both splits."""
    from tempbench_lmms.hf_datasets.timepercept.features import SCHEMA

    urls: list[str] = []
    places: dict[bool, set[str]] = {False: set(), True: set()}

    def check(row: tables.Row) -> Iterator[str]:
        yield from row_problems(row)
        yield from checks.collect_media("images", row["images"], urls)
        if row["test"] in TESTS:
            # The names of places are unique in a source.
            places["/train/" in row["question_id"]] |= {f"{row['source']}/{place}" for place in row["places"]}

    found = sorted([*root.glob("*/test.parquet"), *root.glob("train/*/train.parquet")])
    for table in found:
        yield from checks.table_problems(table, SCHEMA, check)
    if not found:
        yield f"{root}: no table is there; prepare the data again"
    for place in sorted(places[True] & places[False])[:20]:
        yield f"{root}: {place} is in the test and in the training split; prepare the data again"
    yield from checks.media_problems(urls, load_image)


def row_problems(row: tables.Row) -> Iterator[str]:
    """Yields what is wrong with one row, as "field: what"."""
    test = row["test"]
    if test not in (*TESTS, *CONTROLS):
        yield f"test: {test!r} is none of {', '.join((*TESTS, *CONTROLS))}"
        return
    if len(row["images"]) != _N_IMAGES[test]:
        yield f"images: {len(row['images'])}, not {_N_IMAGES[test]}"
    if test == "ucm" and len(set(row["options"])) != 5:
        yield f"options: {row['options']} are not five different classes"
        return
    for reply in [row["target"], *row["choices"]]:
        if parse(reply, test, options(row), len(row["images"])) is None:
            yield f"choices: {reply[:80]!r} is no answer to {test}"
            return
    if parse(row["target"], test, options(row), len(row["images"])) != row["answer"]:
        yield f"target: {row['target'][:80]!r} is not the answer {row['answer'][:80]!r}"
    if test == "ice" and (len(row["days"]) != 1 or row["days"][0] < 1):
        yield f"days: {row['days']} is no interval"
    elif test == "ice" and interval_class(row["days"][0]) != row["answer"]:
        yield f"days: {row['days'][0]} days are not in class {row['answer']}"
