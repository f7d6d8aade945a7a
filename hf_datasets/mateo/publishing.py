"""What the card of published MATEO data says."""

from collections.abc import Mapping
from typing import Any

from ..publishing.facts import EVALUATION_ONLY, NO_HARM_KNOWN, Facts


def _sources(manifest: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    entry = manifest.get("source")
    # Plans from a folder of one's own have no release (`prepare --from`).
    own = isinstance(entry, dict) and "language" not in entry
    return ([], ["plans from a folder of your own"]) if own else (["MATEO"], [])


FACTS = Facts(
    pretty_name="MATEO as pairs of steps (temporal execution order, both orders)",
    summary=(
        "Pairs of steps of a recipe, each asked about in both orders: must one be done before the other, "
        "or are they independent?"
    ),
    collection=(
        "MATEO: 300 Italian recipes of the website GialloZafferano, edited and photographed by "
        "professionals, with a text and a picture a step; drawn at random within each category of dishes. "
        "The publisher agreed to their release to the research community. Plans of the publisher's own, "
        "where they are named below, are from elsewhere."
    ),
    annotation=(
        "MATEO: 54 crowdworkers of Prolific, native speakers of Italian who had passed a qualification "
        "test, linked each recipe's steps into a graph of which step needs which; the authors looked for "
        "patterns of errors and discarded 15 more recipes. The English texts are translations by "
        "Llama-3-8B, of which the authors checked some. A dependent pair is an edge of the graph, an "
        "independent one has no path either way."
    ),
    preprocessing=(
        "One row a question: a pair of steps in one order. Pairs with a path but no edge, and pairs of "
        "which a step lacks text or picture, are left out. Pictures are unchanged."
    ),
    limitations=(
        "In the swapped version of an independent pair the right answer stays; read both together. No "
        "recipe was annotated twice: the agreement of 0.85 in the paper is that of the qualification test, "
        "and may overestimate."
    ),
    biases=(
        "MATEO: recipes alone, of one Italian website; professional pictures that look nearly straight "
        "down. English texts are machine translations."
    ),
    personal=(
        "A picture shows the action of a step or its outcome. The paper names no personal data; whether "
        "hands or people are to be seen was not checked here."
    ),
    uses=EVALUATION_ONLY,
    impact=NO_HARM_KNOWN,
    sources=_sources,
    languages=("en", "it"),
)
