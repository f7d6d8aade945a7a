"""The columns of the TimePerceptBench data set. One schema serves all tasks and the controls."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "timepercept"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # unique over all configurations
        ("test", pa.string()),  # tal, isr, ...: see `timepercept/prompts.py`
        ("source", pa.string()),  # fmow, series, ucm, temporalvqa, or bundled
        ("places", pa.list_(pa.string())),  # ids of the places shown; the first one is the main one
        ("category", pa.string()),  # scene category of the main place, or ""
        ("images", pa.list_(pa.string())),  # tempbench:// URLs in the order shown
        ("dates", pa.list_(pa.string())),  # when each image was taken, never shown; empty in the controls
        ("options", pa.list_(pa.string())),  # texts of options A, B, ... where the question has its own
        ("answer", pa.string()),  # "3", "2, 4, 1, 5, 3", "True", or a letter
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all replies that answer
        ("kind", pa.string()),  # TAL: time or place; ICE: the interval class; SOV, POV: ordered or shuffled
        ("days", pa.list_(pa.int32())),  # intervals of the pairs in the order shown, for ICE to EII
    ]
)

GROUPS = Groups(("places",), ("test", "source", "category"))
"""The places that are shown."""
