"""Reads TimeBlind's official result files for `tempbench import`."""

from collections.abc import Iterator

from tempbench_lmms.harness import adapter
from tempbench_lmms.runs.importing import Answer, Reader, Source
from tempbench_lmms.timeblind.offline import check_same, read_predictions


def timeblind(source: Source) -> Iterator[Answer]:
    """Reads a list of objects with `index` and `model_output`; one that is null is a failed request.

    Where they state `question` and `video_path`, these are those of the index.
    """
    found = read_predictions(source.path)
    check_same(source.path, found, {doc["index"]: doc for doc in source.docs})
    for number, one in enumerate(found, start=1):
        reply = one["model_output"]
        text = adapter.failure("the file has no model_output") if reply is None else reply
        yield Answer(str(one["index"]), text, f"entry {number}")


READERS: dict[str, Reader] = {"timeblind": timeblind}
