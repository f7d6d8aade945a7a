"""What the card of published motion-only videos says."""

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts

FACTS = Facts(
    pretty_name="Motion only",
    summary="Videos of noise in which the motion alone shows a shape or a word, with four options.",
    collection="The videos are rendered by the project; no camera and no person was involved.",
    annotation="What is drawn is known from the rendering.",
    preprocessing="None.",
    limitations="It tests whether motion between frames is used, and nothing else of a video.",
    biases="Six shapes, six English words, four directions, one speed.",
    personal="None.",
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    categories=("visual-question-answering", "video-text-to-text"),
    tags=("video", "motion", "control", "evaluation"),
)
