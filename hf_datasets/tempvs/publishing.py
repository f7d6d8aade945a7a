"""What the card of published TempVS data says."""

from collections.abc import Mapping
from typing import Any

from tempbench_lmms.tempvs.card import CARD, SOURCES

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts

_NO_SOURCE_OF_IMAGES = "TempVS"


def _sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    named = manifest.get("sources")
    wanted = tuple(map(str, named)) if isinstance(named, list) else SOURCES
    every = [source.name for source in CARD.sources]
    # FlintstonesSV is the source flintstones, and so on.
    return [name for name in every if name == _NO_SOURCE_OF_IMAGES or name.lower().startswith(wanted)], []


FACTS = Facts(
    pretty_name="TempVS, normalised",
    summary=(
        "Questions about the order of events in image sequences: statements about two and three events, "
        "sentences and images to be put in order, each gated by grounding questions about the single "
        "events."
    ),
    collection=(
        "Stories of five images, some of VWP of six to nine, from FlintstonesSV and PororoSV (frames of "
        "cartoon animations), VIST (daily-life photographs that users put into albums on Flickr) and VWP "
        "(scenes of films). The authors of TempVS kept stories in which a person is detected in at least "
        "60 % of the images, and left out those with stative verbs or with captions or images that are "
        "much alike."
    ),
    annotation=(
        "Captions are those of the four sources, written by people. GPT-4 extracted one event a caption. "
        "Statements were made from the events by templates, options by rules; the authors checked images, "
        "statements and texts by hand."
    ),
    preprocessing=(
        "Rows of the official release in one schema, one configuration a main test with its grounding "
        "questions; a grounding question that several tests ask is stored once. Images are unchanged; one "
        "that is missing is cut out of the release's strips."
    ),
    limitations=(
        "Some questions can be solved from their text alone; the paper leaves out those of MT1 and MT2 "
        "that two of three text models solve, and the rows here are all. A score on a main test is to be "
        "read beside the grounding score of the same model. Whether closed models were trained on the "
        "sources is not known."
    ),
    biases=(
        "Two of four sources are cartoons. Stories without people were left out. The paper warns that "
        "biases of the sources' images and captions may influence an evaluation. Texts are English."
    ),
    personal=(
        "Stories were chosen for showing people: VIST's are photographs of daily life that their takers "
        "put on Flickr, VWP's are scenes of films. The paper says of no step that makes them anonymous."
    ),
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    sources=_sources,
    categories=("visual-question-answering", "multiple-choice"),
    tags=("temporal-reasoning", "image-sequences", "evaluation"),
)
