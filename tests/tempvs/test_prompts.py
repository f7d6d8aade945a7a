"""The prompts, part by part; `tests/contracts/prompts.json` holds all of the sample."""

import json

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import prompts

# Written out by hand from the official runner's parts.
DOC = {
    "tests": ["mt2_event"],
    "source": "flintstones",
    "character_info": "Fred is chubby.",
    "text": "",
    "sentences": ["The man ran outside.", "Wilma opened the door."],
    "options": ["Sentence a -> Sentence b", "Sentence b -> Sentence a"],
    "instruction": "Order them.",
    "answer_format": "Option [Letter] only.",
    "instruction_cot": "Think.",
    "instruction_blind": "Do not look.",
}


@pytest.mark.parametrize("source", prompts.CARTOONS)
@pytest.mark.parametrize("test", ["mt1_two", "mt2_event", "mt3_caption", "gt_two"])
def test_a_cartoon_question_that_names_no_character_has_the_header(source, test):
    # The official runner takes the header away for VIST and VWP alone.
    doc = DOC | {"tests": [test], "text": "X.", "source": source, "character_info": ""}
    header = "This is a description of the possible appearance of character(s) in the image(s): "
    assert prompts.build(doc).startswith(header + "\nThe ")


@pytest.mark.parametrize(
    ("test", "style"), [("mt3_event", "blind"), ("mt1_two", "image_only"), ("mt1_two", "x")]
)
def test_style_that_does_not_exist(test, style):
    with pytest.raises(TempbenchError, match="unknown style"):
        prompts.build(DOC | {"tests": [test]}, style)


def test_the_official_prompt_of_a_real_item(shared):
    rows = json.loads(
        (
            shared / "golden/tempvs_release_layout/data/benchmark/flintstones_ordering_images_test.json"
        ).read_text(encoding="utf-8")
    )
    # As the official runner puts the columns together.
    row = rows[0]
    official = (
        "This is a description of the possible appearance of character(s) in the image(s): "
        + row["character_info"]
        + "\nThe events are: "
        + row["events_gt"]
        + "\n"
        + row["task_instruction"]
        + "The images I provide are labeled in order as Image a, Image b, Image c, Image d, and Image e, "
        "and so on if there are more photos.\n"
        + row["answer_format_opt"]
        + "\n"
        + row["options"]
        + ".\nThe answer is: "
    )
    doc = {
        "tests": ["mt3_event"],
        "source": "flintstones",
        "character_info": row["character_info"],
        "text": row["events_gt"],
        "options": [option.partition(". ")[2] for option in row["options"].split(";\n")],
        "instruction": row["task_instruction"],
        "answer_format": row["answer_format_opt"],
    }
    assert prompts.build(doc) == official
