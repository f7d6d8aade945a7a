"""The columns of the NExT-GQA data set."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "nextgqa"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the official key: VIDEO_QID
        ("video_id", pa.string()),
        ("video", pa.string()),  # tempbench:// URL
        ("type", pa.string()),  # as released: CW, CH, TN, TP, TC
        ("duration", pa.float64()),  # seconds, as annotated
        ("question", pa.string()),
        ("options", pa.list_(pa.string())),  # texts of options A to E
        ("answer", pa.string()),  # a letter
        ("windows", pa.list_(pa.list_(pa.float64()))),  # true segments in seconds
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # each letter, with the whole video as its span
    ]
)

GROUPS = Groups(("video_id",), ("type",))
"""A video with all its questions."""
