"""Adapts NExT-GQA to the harness. `task_yamls/nextgqa/tasks.yaml` names these functions."""

from functools import partial

from tempbench_lmms.data import questions
from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.nextgqa import prompts, scoring

doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_video(
    lambda doc, given, times: prompts.build(doc, given.media, given.ask, times),
    questions.frame_label,
    timed=True,
)
process_results, METRIC_LIST = adapter.scored(scoring.record, scoring.METRICS.of(scoring.BOTH))
process_results_answer, ANSWER_METRIC_LIST = adapter.scored(
    partial(scoring.record, ask="answer"), scoring.METRICS.of(scoring.ANSWER)
)
process_results_span, SPAN_METRIC_LIST = adapter.scored(
    partial(scoring.record, ask="span"), scoring.METRICS.of(scoring.SPAN)
)
process_results_ground, _ = adapter.scored(
    partial(scoring.record, ask="ground"), scoring.METRICS.of(scoring.SPAN)
)
