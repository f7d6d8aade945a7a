"""The columns of the motion-only data set."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "motion_only"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),
        ("pair_id", pa.string()),  # two questions with the same options and another answer
        ("kind", pa.string()),  # one of card.KINDS
        ("video", pa.string()),  # tempbench:// URL
        ("options", pa.list_(pa.string())),  # texts of options A to D
        ("answer", pa.string()),  # a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all letters
    ]
)

GROUPS = Groups(("pair_id",), ("kind",))
"""A pair of videos with the same options."""
