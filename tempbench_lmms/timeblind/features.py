"""The columns of the TimeBlind data set."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "timeblind"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the official index, as text
        ("index", pa.int32()),  # the official index: 4 x instance + 2 x question + video
        ("pair_id", pa.string()),  # the instance: its two videos and two questions have one
        ("video", pa.string()),  # tempbench:// URL
        pa.field("tag", pa.string(), metadata={"optional": "1"}),  # one of card.TAGS, if known
        ("question", pa.string()),  # as released; a multiple choice has its options in it
        ("options", pa.list_(pa.string())),  # texts of options A and B; none where Yes or No is asked
        ("answer", pa.string()),  # Yes or No, or a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # both replies
    ]
)

GROUPS = Groups(("pair_id",), ("tag",))
"""An instance: two videos by two questions."""
