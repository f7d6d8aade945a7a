"""What the card of published TempCompass data says."""

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts

FACTS = Facts(
    pretty_name="TempCompass in contrast groups",
    summary=(
        "Multiple-choice, yes/no and caption-matching questions about what happens in time in short clips, "
        "and which of them ask the same about a clip and its reversed or recombined twin."
    ),
    collection="Clips of TempCompass, mostly stock videos, and the twins that its authors made of them.",
    annotation=(
        "Questions and answers are those of the release: written by hand and by a language model, then "
        "checked by hand, as its paper says. The contrast groups are found from clips, questions and answers."
    ),
    preprocessing="The three kinds that need no judge, in one schema. Videos are unchanged.",
    limitations=(
        "A contrast group is two or three questions on twins of one clip; questions without such a twin are "
        "in the accuracy alone."
    ),
    biases="Stock videos of single subjects and clear motions; English questions.",
    personal="Videos show people who were filmed for stock footage.",
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    categories=("visual-question-answering", "video-text-to-text"),
    tags=("video", "temporal-reasoning", "evaluation"),
)
