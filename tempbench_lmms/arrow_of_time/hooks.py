"""Adapts the benchmark to the harness. `task_yamls/arrow_of_time/tasks.yaml` names these functions."""

from tempbench_lmms.arrow_of_time import prompts, scoring
from tempbench_lmms.harness import adapter, media_hooks

doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc), system=prompts.SYSTEM
)
process_results, METRIC_LIST = adapter.of_kind(scoring)
