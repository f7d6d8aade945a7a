"""The columns of the TempVS data set. One schema serves all configurations."""

import pyarrow as pa

from tempbench_lmms.metrics.sampling import Groups

BENCHMARK = "tempvs"

SCHEMA = pa.schema(
    [
        ("question_id", pa.string()),  # unique in a configuration
        ("role", pa.string()),  # "main" or "grounding"
        ("tests", pa.list_(pa.string())),  # the main test; or every grounding set that asks this question
        ("source", pa.string()),  # flintstones, pororo, vwp, vist
        ("sequence_id", pa.string()),
        ("images", pa.list_(pa.string())),  # tempbench:// URLs in the order shown
        ("text", pa.string()),  # the statement, the event, or the story
        ("sentences", pa.list_(pa.string())),  # MT2: the sentences in the order shown
        ("options", pa.list_(pa.string())),  # texts of options A, B, ...; empty for a grounding question
        ("answer", pa.string()),  # a letter, or an image's number
        ("target", pa.string()),  # a reply that is right
        ("choices", pa.list_(pa.string())),  # all replies that choose something
        ("instruction", pa.string()),
        ("answer_format", pa.string()),
        ("instruction_cot", pa.string()),
        ("instruction_blind", pa.string()),
        ("character_info", pa.string()),
        ("events", pa.list_(pa.int32())),  # 0-based positions of the events in question, in true order
        ("grounding", pa.list_(pa.string())),  # question_id of the groundings that gate a main question
        ("statement_type", pa.string()),  # MT1: after, before, then, earlier, implictpair, ...
        ("polarity", pa.string()),  # MT1: "gt" (true) or "nc" (false)
        pa.field("distance", pa.int32(), metadata={"optional": "1"}),  # MT1 two events: how far apart
        ("invalid", pa.bool_()),  # names a non-event, which the official scorer leaves out
        # Whether two of the paper's three text models solve it, so that the official scorer leaves it out; no
        # value where the release says nothing of it.
        pa.field("solved_blind", pa.bool_(), metadata={"optional": "1"}),
    ]
)

GROUPS = Groups(("source", "sequence_id"), ("source", "tests"))
"""A picture sequence: its main questions, and the groundings that gate them."""
