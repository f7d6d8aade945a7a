"""What the card of published NExT-GQA data says."""

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts

FACTS = Facts(
    pretty_name="NExT-GQA",
    summary=(
        "Multiple-choice questions about why, how and when something happens in a video, with the segments "
        "of the video that show the answer."
    ),
    collection="Videos of NExT-QA, which are from VidOR and so from Flickr.",
    annotation=(
        "Questions and answers are those of NExT-QA without the descriptive ones and those about the whole "
        "video; segments are those of the NExT-GQA release, whose paper says how they were made."
    ),
    preprocessing="The annotation release in one schema, with the answer as a letter. Videos are unchanged.",
    limitations=(
        "Some segments begin up to 0.2 seconds before their video or end up to 0.5 seconds after it. Four "
        "questions have two options with the same text, in one of them the right one."
    ),
    biases="Videos of everyday life as their uploaders chose them; English questions.",
    personal="Videos show people who uploaded them or were filmed.",
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    categories=("visual-question-answering", "video-text-to-text"),
    tags=("video", "temporal-reasoning", "moment-retrieval", "evaluation"),
)
