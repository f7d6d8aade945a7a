"""What a card of TimeBlind data would say; `tempbench push` refuses it, since no licence is stated."""

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts

FACTS = Facts(
    pretty_name="TimeBlind",
    summary="Pairs of videos that differ in time alone, each with two complementary questions.",
    collection="Videos of the TimeBlind release.",
    annotation="Questions, answers and tags are those of the release; its paper says how they were made.",
    preprocessing="Rows in one schema. Videos are unchanged.",
    limitations="Answers are one of two; only what is right together tells a model from a guess.",
    biases="Short clips of single events; English questions.",
    personal="Videos show people.",
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    categories=("visual-question-answering", "video-text-to-text"),
    tags=("video", "temporal-reasoning", "minimal-pairs", "evaluation"),
)
