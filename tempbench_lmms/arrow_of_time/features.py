"""The columns of the data set."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "arrow_of_time"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the clip's name: 00297, or 00297_rev
        ("pair_id", pa.string()),  # one clip both ways
        ("video", pa.string()),  # tempbench:// URL
        ("categories", pa.list_(pa.string())),  # of card.CATEGORIES
        ("answer", pa.string()),  # F or B
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # both answers
    ]
)

GROUPS = Groups(("pair_id",))
"""A clip both ways."""
