"""Reads the result folders of TOMATO, and of the paper, for `tempbench import`."""

from collections.abc import Iterator
from pathlib import Path

from tempbench_lmms.coherence.scoring import FULL
from tempbench_lmms.data.tables import Row
from tempbench_lmms.data.user_files import json_objects
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs.importing import Answer, Reader, Source, reply_of

_SHUFFLED = "shuffle_"
_TYPES = {"shape&trend": "shape_trend", "velocity&frequency": "velocity_frequency"}


def tomato(source: Source) -> Iterator[Answer]:
    """Reads the folder `results` with `<type>+<scene>/<frames>/<model>.jsonl`.

    Files with other settings than the task's (numbers of frames, shuffled) are left out and reported. A line
    without a response is a failed request; one with another answer than the data is refused.
    """
    # Archives made on a Mac have a hidden file beside each.
    files = sorted(file for file in source.path.glob("*+*/*/*.jsonl") if not file.name.startswith("."))
    if not files:
        raise TempbenchError(
            f"{source.path} has no <type>+<scene>/<frames>/<model>.jsonl; give the folder results"
        )
    models = sorted({file.stem for file in files})
    if (len(models) > 1 and not source.model) or source.model not in ("", *models):
        raise TempbenchError(
            f"{source.path} has files of {len(models)} models; give one with --model: {', '.join(models[:5])}"
        )
    source.model = source.model or models[0]
    conditions = {str(doc["condition"]) for doc in source.docs if "condition" in doc}
    ways = {file: asked_as_folder(file) for file in files if file.stem == source.model}
    if others := sorted(set(ways.values()) - conditions):
        source.remarks.append(
            f"left out are {sum(way in others for way in ways.values())} files that were asked as "
            f"{', '.join(others)}; {source.task} asks as {', '.join(sorted(conditions)) or 'captions'}"
        )
    ids, docs = source.ids(), {str(doc["question_id"]): doc for doc in source.docs}
    for file, way in ways.items():
        if way in conditions:
            yield from _answers(file, way, ids, docs)


def asked_as_folder(file: Path) -> str:
    """Returns how the questions of a TOMATO result file were asked, by its folders.

    `1f`, `16f`, `32f` and so on; `video` for a model that chooses its frames (-1 in TOMATO); `shuffled` for
    the control with 16 frames, `shuffled_8f` for one with another number.

    Raises:
        TempbenchError: The file lies in no such folders.
    """
    frames = file.parent.name
    if not (frames == "-1" or (frames.isascii() and frames.isdigit())):
        raise TempbenchError(
            f"{file}: its folders do not say how it was asked; keep TOMATO's, "
            "<type>+<scene>/<frames>/<model>.jsonl"
        )
    asked = "video" if frames == "-1" else f"{int(frames)}f"
    if not file.parent.parent.name.startswith(_SHUFFLED):
        return asked
    return "shuffled" if asked == FULL else f"shuffled_{asked}"


def _answers(file: Path, way: str, ids: dict[str, str], docs: dict[str, Row]) -> Iterator[Answer]:
    name = file.parent.parent.name.removeprefix(_SHUFFLED).partition("+")[0]
    kind = _TYPES.get(name, name)
    for place, line in json_objects(file, "give TOMATO's results", "id", "response"):
        where = f"{file.parent.parent.name}/{file.parent.name}/{file.name} {place}"
        names = (f"{kind}/{line['id']}/{way}", f"{line['id']}/{way}")
        found = next((ids[name] for name in names if name in ids), names[0])
        if found in docs and "gt" in line and str(line["gt"])[:1] != docs[found]["answer"]:
            raise TempbenchError(
                f"{where}: gt {str(line['gt'])[:80]!r} is not the data's answer to this question "
                f"({docs[found]['answer']!r}); correct it, or score it with the data that the model was asked"
            )
        yield Answer(found, reply_of(line["response"], "response", where), where)


READERS: dict[str, Reader] = {"tomato": tomato}
