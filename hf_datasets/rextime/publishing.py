"""What the card of published ReXTime data says."""

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts

FACTS = Facts(
    pretty_name="ReXTime",
    summary=(
        "Multiple-choice questions about videos whose answer lies at another time than what the question "
        "names, with the time span of the answer."
    ),
    collection=(
        "Videos of ActivityNet and QVHighlights, which name them by their YouTube ids. The authors of "
        "ReXTime chose both for their captions with times, and kept videos with at least two events that "
        "do not overlap and with events that cover the whole video."
    ),
    annotation=(
        "GPT-4 and GPT-4V found pairs of related events, scored their relation, wrote a question and its "
        "answer, and checked part of that. Annotators judged each validation and test question against its "
        "video and marked the span of the answer anew. Training questions are checked by nobody."
    ),
    preprocessing=(
        "The annotation release in one schema. The keys `ans` and `span` of the test release are not the "
        "truth and are left out. Videos are unchanged."
    ),
    limitations=(
        "Two validation windows have no length, and four end up to a second after their video. The test "
        "split has no answers."
    ),
    biases=(
        "Videos and actions as two older video data sets chose them. ActivityNet predominantly has human "
        "activities with an intention, so fewer of its questions are about cause and effect and more about "
        "means and ends. Questions are English and follow what GPT-4 writes."
    ),
    personal=(
        "Videos show people at what they do. The paper says of no step that makes them anonymous and of no "
        "consent; YouTube ids lead to their uploaders."
    ),
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    categories=("visual-question-answering", "video-text-to-text"),
    tags=("video", "temporal-reasoning", "moment-retrieval", "evaluation"),
)
