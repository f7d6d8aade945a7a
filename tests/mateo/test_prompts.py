"""Every prompt is a file that a person can read; `--update-goldens` writes them anew.

In a file, [image_A] stands where a chat model gets the picture of step A.
"""

import re
from pathlib import Path

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.mateo import hooks, prompts

GOLDENS = Path(__file__).parent / "goldens"
DOC = {
    "text_a": "Grate the cheese.",
    "text_b": "Sprinkle the grated cheese on the pasta.",
    "image_a": "tempbench://mateo/mini/media/pizza/01.png",
    "image_b": "tempbench://mateo/mini/media/pizza/02.png",
}
FIFTEEN = [(modality, setting) for modality in prompts.MODALITIES for setting in prompts.SETTINGS]


def printed(modality, setting):
    return "".join(
        f"[image_{part.step}]" if isinstance(part, prompts.Picture) else part
        for part in prompts.parts(DOC, modality, setting)
    )


@pytest.mark.parametrize(("modality", "setting"), FIFTEEN)
def test_golden(modality, setting, update_goldens):
    file = GOLDENS / f"{modality}_{setting}.txt"
    found = printed(modality, setting)
    if update_goldens:
        file.parent.mkdir(exist_ok=True)
        file.write_text(found + "\n", encoding="utf-8")
    assert found + "\n" == file.read_text(encoding="utf-8")


def table_of_the_paper(shared):
    """Returns the prompt table of appendix A.2 as {(setting, modality): its lines}."""
    paper = (shared / "papers/002_45dafcf6299d8f45.txt").read_text(encoding="utf-8")
    # Printed without the space once, with it the eleven other times.
    paper = paper.replace("| -Parallel: ", "| - Parallel: ")
    settings = {
        "Baseline": "baseline",
        "Instructions": "instructions",
        "In-context learning": "icl",
        "CoT": "cot",
        "Self-reflection": "reflection",
    }
    modalities = {"Image-only": "image", "Text-only": "text", "Image-Text": "both"}
    table, setting, modality = {}, "", ""
    for line in paper[paper.index("| Baseline |") :].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        cells = [cell for cell in (cell.strip("| ") for cell in cells) if cell]
        while cells and (cells[0] in settings or cells[0] in modalities):
            setting, modality = settings.get(cells[0], setting), modalities.get(cells[0], modality)
            cells = cells[1:]
        table.setdefault((setting, modality), []).append(" | ".join(cells))
    return table


@pytest.mark.parametrize(("modality", "setting"), FIFTEEN)
def test_the_prompt_has_the_lines_of_the_printed_one_in_their_order(modality, setting, shared):
    # The table abbreviates what it printed before with an ellipsis; "Examples: …" stands for all of them.
    found = printed(modality, setting).splitlines()
    place = 0
    for line in table_of_the_paper(shared)[setting, modality]:
        start = re.split(r"\s*…", line)[0].strip()
        filled = start.replace("[description_A]", DOC["text_a"]).replace("[description_B]", DOC["text_b"])
        if not filled:
            continue
        whole = "…" not in line
        match = next(
            (
                i
                for i in range(place, len(found))
                if (found[i].strip() == filled if whole else found[i].replace("-P", "- P").startswith(filled))
            ),
            None,
        )
        assert match is not None, line
        place = match + 1


@pytest.mark.parametrize("setting", prompts.SETTINGS)
def test_every_line_is_printed_in_the_paper(setting, shared):
    rows = {line for lines in table_of_the_paper(shared).values() for line in lines}
    for modality in prompts.MODALITIES:
        for line in printed(modality, setting).splitlines():
            quoted = line.replace(DOC["text_a"], "[description_A]").replace(DOC["text_b"], "[description_B]")
            assert quoted in rows, quoted


@pytest.mark.parametrize(("modality", "setting"), FIFTEEN)
def test_a_chat_and_a_simple_model_get_the_same(modality, setting):
    config = load_task(f"mateo_{modality}_{setting}_mini")
    kwargs = config["lmms_eval_specific_kwargs"]["default"]
    assert kwargs == {"modality": modality, "setting": setting}
    doc = docs_of(config)[1]
    parts = hooks.doc_to_messages(doc, kwargs)[0]["content"]
    chat = [part["url"] for part in parts if part["type"] == "image"]
    simple = hooks.doc_to_visual(doc, kwargs)
    assert len(chat) == len(simple) == (0 if modality == "text" else 2)
    assert [image.tobytes() for image in chat] == [image.tobytes() for image in simple]
    names = iter(["Image 1", "Image 2"])
    text = "".join(part["text"] if part["type"] == "text" else next(names) for part in parts)
    assert text == hooks.doc_to_text(doc, kwargs)
    # Each picture follows its marker.
    for i, part in enumerate(parts):
        if part["type"] == "image":
            assert parts[i - 1]["text"].endswith(f"Step {'A' if i == 1 else 'B'} picture: ")


def test_an_unknown_setting_is_an_error():
    with pytest.raises(TempbenchError, match="choose one of image, text, both"):
        prompts.parts(DOC, "smell", "cot")
    with pytest.raises(TempbenchError, match="baseline, instructions"):
        prompts.parts(DOC, "text", "haiku")


@pytest.mark.parametrize("modality", prompts.MODALITIES)
def test_the_sentence_for_gpt_5_1_stands_at_the_end(modality, shared):
    paper = (shared / "papers/002_45dafcf6299d8f45.txt").read_text(encoding="utf-8")
    sentence = prompts.EXACT_STEPS
    assert f'"{sentence}" at the end of the prompt' in paper
    plain, config = prompts.text(DOC, modality, "cot"), load_task(f"mateo_{modality}_cot_exact_steps_mini")
    kwargs = config["lmms_eval_specific_kwargs"]["default"]
    assert config["doc_to_text"](DOC, kwargs) == f"{plain}\n{sentence}"
    assert config["doc_to_messages"](docs_of(config)[0], kwargs)[0]["content"][-1]["text"].endswith(sentence)
    with pytest.raises(TempbenchError, match="asks for no reasoning"):
        prompts.parts(DOC, modality, "icl", exact_steps=True)
