"""Adapts TempCompass to the harness; `task_yamls/tempcompass_pairs/tasks.yaml` names these functions."""

from tempbench_lmms.data import questions
from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.tempcompass_pairs import prompts, scoring
from tempbench_lmms.tempcompass_pairs.card import KINDS

# The prompt says nothing of the video.
doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc), questions.frame_label
)


# only_yes_no, ...
globals().update({f"only_{kind}": media_hooks.only("kind", kind) for kind in KINDS})
process_results, METRIC_LIST = adapter.of_kind(scoring, scoring.ALL)
process_results_one, ONE_METRIC_LIST = adapter.of_kind(scoring, scoring.ONE)
