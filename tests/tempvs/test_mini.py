"""The bundled sample: made by the rules, and solvable by looking."""

from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.data.tables import read_rows

ALL = read_rows(mini_root("tempvs") / "all")
SHOWN = {
    ("caption" if test == "gt_caption" else "event", row["images"][int(row["answer"]) - 1]): row["text"]
    for row in ALL
    if row["role"] == "grounding"
    for test in row["tests"]
}
"""What each picture shows, by the grounding questions: its event and its caption."""


def key(text):
    return text.lower().strip(" .")


def solve(row):
    """Answers from what the pictures show and the question's text alone."""
    test = row["tests"][0]
    kind = "caption" if test.endswith("caption") else "event"
    texts = [key(SHOWN[kind, url]) for url in row["images"]]
    if row["role"] == "grounding":
        return f"Image {texts.index(key(row['text'])) + 1}"
    if test.startswith("mt1"):
        statement = key(row["text"])
        # Where each event stands in the pictures and in the statement.
        places = {place: statement.find(text) for place, text in enumerate(texts) if text in statement}
        assert len(places) == len(row["events"])
        order = sorted(places, key=places.__getitem__)
        if row["statement_type"] in ("after", "earlier"):
            order.reverse()
        truth = "True" if order == sorted(order) else "False"
        return f"Option {'AB'[row['options'].index(truth)]}"
    if test.startswith("mt2"):
        sentences = [key(sentence) for sentence in row["sentences"]]
        order = ["abcdefghi"[sentences.index(text)] for text in texts]
        right = " -> ".join(f"Sentence {letter}" for letter in order)
    else:
        story = key(row["text"])
        order = sorted(range(len(texts)), key=lambda place: story.index(texts[place]))
        right = " -> ".join(f"Image {'abcdefghi'[place]}" for place in order)
    return f"Option {'ABCDE'[row['options'].index(right)]}"


def test_whoever_looks_gets_everything_right():
    for row in ALL:
        assert solve(row) == row["target"], row["question_id"]
