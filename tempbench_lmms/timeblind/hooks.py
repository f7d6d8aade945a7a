"""Adapts TimeBlind to the harness. `task_yamls/timeblind/tasks.yaml` names these functions."""

from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.timeblind import prompts, scoring

doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc)
)
process_results, METRIC_LIST = adapter.of_kind(scoring)
