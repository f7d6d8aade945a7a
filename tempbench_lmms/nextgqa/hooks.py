"""Adapts NExT-GQA to the harness. `task_yamls/nextgqa/tasks.yaml` names these functions."""

from tempbench_lmms.data import questions
from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.nextgqa import prompts, scoring

doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc, given.media, given.ask, times),
    questions.frame_label,
    timed=True,
)
process_results, METRIC_LIST = adapter.of_kind(scoring, scoring.BOTH)
process_results_answer, ANSWER_METRIC_LIST = adapter.of_kind(scoring, scoring.ANSWER, ask="answer")
process_results_span, SPAN_METRIC_LIST = adapter.of_kind(scoring, scoring.SPAN, ask="span")
process_results_ground, _ = adapter.of_kind(scoring, scoring.SPAN, ask="ground")
