"""Adapts TempVS to the harness. `task_yamls/tempvs/tasks.yaml` names these functions."""

from tempbench_lmms.harness import adapter, media_hooks
from tempbench_lmms.harness.media_hooks import Doc, Kwargs, Part
from tempbench_lmms.tempvs import prompts, scoring
from tempbench_lmms.tempvs.card import MAIN_TESTS

process_results, METRIC_LIST = adapter.of_kind(scoring, scoring.TEST)
process_results_ungated, UNGATED_METRIC_LIST = adapter.of_kind(scoring, scoring.UNGATED)
process_results_suite, SUITE_METRIC_LIST = adapter.suite(scoring, MAIN_TESTS)


def _text(doc: Doc, kwargs: Kwargs) -> str:
    """Returns the prompt. `style` in the task's kwargs is one of `prompts.STYLES`."""
    return prompts.build(doc, str((kwargs or {}).get("style", "direct")))


def _content(doc: Doc, kwargs: Kwargs) -> list[Part]:
    """Returns pictures and prompt.

    `images` in the task's kwargs is `strip` (all images side by side in one, the paper's default),
    `separate` (each behind its label), or `none`.
    """
    from tempbench_lmms.media.images import load_image, stitch

    how = str((kwargs or {}).get("images", "strip"))
    labels = [prompts.label(doc["tests"][0], position) for position in range(len(doc["images"]))]
    shown: list[Part] = []
    if how == "separate":
        shown = media_hooks.pictures(doc["images"], [f"{label}: " for label in labels])
    elif how != "none":
        strip = stitch([load_image(url) for url in doc["images"]], labels, doc["source"])
        shown = media_hooks.labelled([("", strip)])
    return [*shown, media_hooks.said(_text(doc, kwargs))]


doc_to_visual, doc_to_text, doc_to_messages = media_hooks.of_content(_text, _content)
# Grounding questions ask about pictures that are not shown.
main_questions = media_hooks.only("role", "main")
