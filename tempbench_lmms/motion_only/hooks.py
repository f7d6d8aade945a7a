"""Adapts the motion-only questions to the harness. `task_yamls/motion_only/tasks.yaml` names these."""

from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.motion_only import prompts, scoring

doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc, given.media, given.frames)
)
process_results, METRIC_LIST = adapter.of_kind(scoring)
