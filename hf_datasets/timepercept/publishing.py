"""What the card of published TimePerceptBench data says."""

from collections.abc import Mapping
from typing import Any

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts


def _sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    parts = manifest.get("parts")
    parts = parts if isinstance(parts, dict) else {}
    request = parts.get("series", {}).get("request", {})
    names = [name for key, name in (("sitscc", "SITSCC"), ("fmow", "fMoW-rgb")) if request.get(key)]
    names += ["UC Merced Land Use"] if "ucm" in parts else []
    names += ["TemporalVQA"] if "temporalvqa" in parts else []
    # SITSCC comes this way too; whose pictures they are, the user has to say.
    return names, ["dated pictures of your own"] if request.get("series") else []


FACTS = Facts(
    pretty_name="TimePerceptBench (rebuilt)",
    summary=(
        "Questions about the order of dated satellite images and about the time between them, in nine "
        "tests and two controls."
    ),
    collection=(
        "Images of the sources named below: dated satellite images for the nine tests, aerial images for "
        "the control of land use, and TemporalVQA's photographs of everyday scenes for the control of "
        "transfer."
    ),
    annotation=(
        "Answers of the nine tests follow from the dates of the images, and nobody judged them; those of "
        "the controls are the classes and labels of their sources. The paper's own questions are not "
        "published; these are drawn by its rules, with the seed in `manifest.json`."
    ),
    preprocessing=(
        "Satellite and aerial images are scaled to one size, photographs are unchanged. Images with more "
        "cloud than was asked for, and places with too few dates, are left out."
    ),
    limitations="Another draw than the paper's: scores are not the same measure as the paper's.",
    biases=(
        "Places that the sources' authors chose; of fMoW the paper takes infrastructure such as airports "
        "and factories, whose looks change with time. Classes of intervals are balanced, as they are not "
        "in nature."
    ),
    personal=(
        "Satellite and aerial images show places, which their names and coordinates in the sources can "
        "lead to. TemporalVQA's photographs of everyday scenes may show people. The paper says of neither."
    ),
    uses=EVALUATION_ONLY,
    impact=(
        "The paper names no impact; order and dating of satellite images is of use for surveillance as for "
        "mapping. " + NO_HARM_KNOWN
    ),
    sources=_sources,
    tags=("remote-sensing", "temporal-reasoning", "evaluation"),
)
