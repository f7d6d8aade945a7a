"""What the card of published data of the temporal-coherence benchmark says."""

from collections.abc import Mapping
from typing import Any

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts


def _sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    parts = manifest.get("parts")
    named = list(parts) if isinstance(parts, dict) else []
    own = ["videos to caption from a folder of your own"] if "captions" in named else []
    return (["TOMATO"] if "tomato" in named else []), own


FACTS = Facts(
    pretty_name="Temporal coherence: video questions and captions",
    summary=(
        "`qa`: multiple-choice questions on videos in TOMATO's six reasoning types. `caption`: videos to "
        "be captioned from several frames and from one."
    ),
    collection=(
        "Videos of the TOMATO release, in its folders human, object and simulated: from YouTube, made by "
        "its authors, and from other data sets of videos. Videos to caption are the publisher's choice."
    ),
    annotation=(
        "TOMATO's questions and answers are those of the release; its own paper says how they were made. "
        "Captions are those of the publisher's source."
    ),
    preprocessing="Rows in one schema, with the answer as a letter. Videos are unchanged.",
    limitations="How many frames a model sees changes its score; a task's name says how many.",
    biases=(
        "Six kinds of questions about motion, in unequal numbers: a mean over all is one over the frequent "
        "kinds. Questions are English. BERTScore may take an answer with the right scene in the wrong "
        "order for a good one, and CLIPScore shares the biases of the CLIP model, says the paper."
    ),
    personal=(
        "Videos of the folder human show people. What videos to caption show, their publisher has to know."
    ),
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    sources=_sources,
    categories=("visual-question-answering", "video-text-to-text"),
    tags=("video", "temporal-reasoning", "evaluation"),
)
