"""The columns of the table of questions."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups
from tempbench_lmms.tempcompass_pairs.groups import origin

BENCHMARK = "tempcompass_pairs"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # KIND/CLIP/ASPECT/NUMBER, the number counted within clip and aspect
        ("kind", pa.string()),  # one of card.KINDS
        ("aspect", pa.string()),  # one of card.ASPECTS
        ("detail", pa.string()),  # one of card.DETAILS; "" where the source has none
        ("video_id", pa.string()),  # the clip's official name
        ("video", pa.string()),  # tempbench:// URL
        ("question", pa.string()),  # the official text, its options in further lines
        ("answer", pa.string()),  # what the parser returns for the right reply: a label, yes, or no
        ("group", pa.string()),  # its contrast group; "" where it has none
        ("group_size", pa.int32()),  # questions of that group; 0 where it has none
        ("target", pa.string()),  # the official answer, whole
        ("choices", pa.list_(pa.string())),  # every answer on offer
    ]
)

GROUPS = Groups(("video_id",), ("kind", "aspect"), lambda values: origin(str(values[0])))
"""A clip and all that were made of it, which its contrast groups compare."""
