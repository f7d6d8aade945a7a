"""Adapts TimePerceptBench to the harness. `task_yamls/timepercept/tasks.yaml` names these functions."""

from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.harness.media_hooks import Doc, Kwargs, Part
from tempbench_lmms.timepercept import prompts, scoring
from tempbench_lmms.timepercept.card import TESTS


def _text(doc: Doc, kwargs: Kwargs) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, str((kwargs or {}).get("style", "direct")))


def _content(doc: Doc, kwargs: Kwargs) -> list[Part]:
    labels = [f"{label}: " for label in prompts.labels(doc)]
    return [*media_hooks.pictures(doc["images"], labels), media_hooks.said(f"\n{_text(doc, kwargs)}")]


doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_content(_text, _content)


process_results, METRIC_LIST = adapter.of_kind(scoring, "tpl")
process_results_tal, TAL_METRIC_LIST = adapter.of_kind(scoring, "tal")
process_results_order, ORDER_METRIC_LIST = adapter.of_kind(scoring, "sov")
process_results_ranking, RANKING_METRIC_LIST = adapter.of_kind(scoring, "isr")
process_results_ice, ICE_METRIC_LIST = adapter.of_kind(scoring, "ice")
process_results_transfer_lapse, TRANSFER_LAPSE_METRIC_LIST = adapter.of_kind(scoring, "transfer_lapse")
process_results_suite, SUITE_METRIC_LIST = adapter.suite(scoring, TESTS)
