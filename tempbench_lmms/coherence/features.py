"""The columns of the two tables: questions on videos, and videos to caption."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "coherence"

QA_SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("type", pa.string()),  # one of card.TYPES
        ("scene", pa.string()),  # one of card.SCENES: who or what moves
        ("video", pa.string()),  # tempbench:// URL
        ("question", pa.string()),
        ("options", pa.list_(pa.string())),  # texts of options A, B, ...
        ("answer", pa.string()),  # a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all replies that choose something
        ("variation", pa.list_(pa.string())),  # counterfactual, composite, zoom, first_person
        pa.field("reference", pa.string(), metadata={"optional": "1"}),  # a sentence that states the answer
        pa.field("reference_source", pa.string(), metadata={"optional": "1"}),  # who wrote it
        ("n_frames", pa.int32()),  # how many frames are shown; a task may ask for other numbers
        ("order", pa.string()),  # ordered; a task may ask for shuffled, reversed, blind
    ]
)

CAPTION_SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("view", pa.string()),  # "video": n frames; "frame": the middle one of them
        ("video", pa.string()),  # tempbench:// URL
        ("n_frames", pa.int32()),
        ("target", pa.string()),  # a reference caption, or ""
        ("choices", pa.list_(pa.string())),  # captions of other videos among them
        ("events", pa.list_(pa.string())),  # what happens, in order; empty where nobody wrote it down
    ]
)

REFERENCED_SCHEMA = CAPTION_SCHEMA.append(pa.field("references", pa.list_(pa.string())))
"""Of prepared videos, which may have several reference captions: all of them, the target first. The bundled
sample has no such column."""

GROUPS = Groups(("video",), ("type", "scene", "view"))
"""A video: its questions, or both of its captions."""
