"""The columns of the MATEO data set. One row is one question: a pair of steps in one order."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "mateo"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # the pair and its version
        ("pair_id", pa.string()),  # both orders of a pair share it, and stand next to each other
        ("version", pa.string()),  # "original" (a dependent pair: before) or "swapped" (after)
        ("plan_id", pa.string()),
        ("title", pa.string()),
        ("text_a", pa.string()),
        ("text_b", pa.string()),
        ("image_a", pa.string()),  # tempbench:// URL
        ("image_b", pa.string()),
        ("label", pa.string()),  # "before", "after" or "independent", of A with regard to B
        ("target", pa.string()),  # a reply that is right in every setting
        ("choices", pa.list_(pa.string())),  # such a reply for each class
        ("n_steps", pa.int32()),  # of the plan
        ("distance", pa.int32()),  # how many positions apart the plan lists the two steps
    ]
)

GROUPS = Groups(("plan_id",), ("n_steps",))
"""A recipe: its pairs of steps, each in both orders."""
