"""The columns of the ReXTime data set. One schema serves all configurations."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "rextime"

_OPTIONAL = {"optional": "1"}
_SPAN = pa.list_(pa.float64())

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the official qid
        ("video_id", pa.string()),
        ("video", pa.string()),  # tempbench:// URL
        ("source", pa.string()),  # activitynet or qvhighlights
        ("category", pa.string()),  # as released: sequential, cause_effect, means_end; "" where unknown
        ("duration", pa.float64()),  # seconds
        ("question", pa.string()),
        ("options", pa.list_(pa.string())),  # texts of options A to D; empty where not released
        ("answer", pa.string()),  # a letter; "" in the test split
        ("windows", pa.list_(_SPAN)),  # true answer spans in seconds; empty in the test split
        pa.field("question_span", _SPAN, metadata=_OPTIONAL),  # seconds, if known
        ("target", pa.string()),  # a reply that is right; "" in the test split
        ("choices", pa.list_(pa.string())),  # each letter, with the whole video as its span
    ]
)

GROUPS = Groups(("video_id",), ("source", "category"))
"""A video with all its questions."""
