"""Reads the official prediction files for `tempbench import`."""

from collections.abc import Iterator

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import adapter
from tempbench_lmms.runs.importing import Answer, Reader, Source
from tempbench_lmms.tempcompass_pairs import offline


def tempcompass(source: Source) -> Iterator[Answer]:
    """Reads a model's folder with `multi-choice.json`, `yes_no.json`, `caption_matching.json`, or one file.

    Kinds that the task does not ask are left out, and said. A prediction that is null is a failed request.
    """
    kinds = {str(doc["kind"]) for doc in source.docs}
    found = offline.files_of(source.path)
    models = sorted({model for model, _ in found})
    source.model = source.model or models[0]
    own = {kind: file for (model, kind), file in found.items() if model == source.model or len(models) == 1}
    if not own or (len(models) > 1 and source.model not in models):
        raise TempbenchError(
            f"{source.path} has files of {len(models)} models; name one's folder: {', '.join(models[:5])}"
        )
    if others := sorted(set(own) - kinds):
        source.remarks.append(f"left out: {', '.join(others)}, which {source.task} does not ask")
    for kind, file in own.items():
        for key, one in offline.read(file, kind, "question", "answer").items() if kind in kinds else ():
            where = f"{file.name} {key}"
            try:
                reply = offline.reply_of(one["entry"])
            except TempbenchError as error:
                raise TempbenchError(f"{where}: {error}") from None
            lost = adapter.failure("the file has no prediction")
            yield Answer(key, lost if reply is None else reply, where)


READERS: dict[str, Reader] = {"tempcompass": tempcompass}
