"""The official scorer, bit for bit."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import official

# Worked example: sequence, events, right option, answer, what Llama, Phi and Qwen said without pictures.
MT1 = [
    ("s1", (0, 1), "A", "Option A", "BBB"),  # right
    ("s1", (0, 1), "B", "A", "ABA"),  # wrong
    ("s1", (0, 2), "B", "B. True", "AAA"),  # right
    ("s1", (0, 2), "A", "Option [A]", "AAB"),  # left out: two text models solve it
    ("s2", (1, 2), "A", "I am not sure", "BBB"),  # unreadable
    ("s2", (1, 2), "B", "A picture ... Option B", "AAA"),  # the article is read as A
    ("s3", (0, 1), "B", "B", "AAA"),  # right; no grounding rows, so it counts as grounded
    ("s4", (0, 1), "A", "A", "BBB"),  # left out: no event
]
GT1 = [
    ("s1", "image 1", "1"),
    ("s1", "image 2", "The answer is 2."),
    ("s1", "image 3", "Image 1"),
    ("s2", "image 2", "image 2"),
    ("s2", "image 3", "3 (not 1)"),
]
MODEL = "Qwen2-VL-7B-Instruct"


def mt1_predictions():
    main = [
        {
            "img_seq_id": sequence,
            "event_pair_tuple": events,
            "event_pre": "They had fun." if sequence == "s4" else "Fred ran.",
            "gt_option": gt,
            "preds": reply,
        }
        for sequence, events, gt, reply, _ in MT1
    ]
    text_only = [[row | {"preds": MT1[i][4][k]} for i, row in enumerate(main)] for k in range(3)]
    grounding = [{"img_seq_id": s, "gt_option": gt, "preds": reply} for s, gt, reply in GT1]
    return official.Predictions(main, grounding, text_only)


def test_worked_example_mt1():
    got = official.score("paired_event_discrimination", {"flintstones": mt1_predictions()}, MODEL)
    assert got["n_unfiltered"] == 7
    assert got["total_cases"] == 6
    assert got["all_grounding_success"] == 5
    assert got["grounding_acc"] == 0.8333
    assert got["main_task_success"] == 3
    assert got["main_task_acc"] == 0.5
    assert got["main_acc_given_grounding_pass"] == 0.4  # 2 of 5
    assert got["main_acc_given_grounding_fail"] == 1.0  # 1 of 1
    assert (got["1_pass_count"], got["main_acc_given_1_pass"]) == (5, 0.4)


def test_worked_example_mt3():
    rows = [("s1", "A", "Option A"), ("s2", "B", "B"), ("s3", "C", "D"), ("s9", "D", "Option D.")]
    passed = {"s1": [1, 1, 1, 1, 1], "s2": [1, 1, 1, 1, 0], "s3": [0, 0, 0, 0, 0]}
    main = [{"img_seq_id": s, "gt_option": gt, "preds": reply} for s, gt, reply in rows]
    grounding = [
        {"img_seq_id": s, "gt_option": f"image {i + 1}", "preds": str(i + 1 if right else 0)}
        for s, rights in passed.items()
        for i, right in enumerate(rights)
    ]
    got = official.score("ordering_images_opt_event", {"vist": official.Predictions(main, grounding)}, MODEL)
    assert got["total_cases"] == 4
    assert got["all_grounding_success"] == 2
    assert got["main_task_success"] == 3
    assert got["main_acc_given_grounding_pass"] == 1.0
    assert got["main_acc_given_grounding_fail"] == 0.5
    assert [got[f"{k}_pass_count"] for k in (1, 2, 3, 4)] == [2, 2, 2, 2]


def test_text_only_answers_of_other_rows_are_refused():
    got = mt1_predictions()
    got.text_only[1].pop()
    with pytest.raises(TempbenchError, match=r"answered \{.*\} rows, not 8"):
        official.score("paired_event_discrimination", {"flintstones": got}, MODEL)


@pytest.mark.parametrize("family", ["generic", "internvl"])
def test_golden(shared, family):
    golden = json.loads((shared / f"golden/tempvs_scorer_{family}.json").read_text(encoding="utf-8"))
    for task, expected in golden["expected"].items():
        sources = {}
        for source, rows in golden["main"][task].items():
            main = [
                {("event_pair_tuple" if "paired" in task else "event_triple_tuple") if k == "events" else k: v
                 for k, v in row.items() if k != "llm"}
                for row in rows
            ]  # fmt: skip
            pairs = list(zip(main, rows, strict=True))
            text = [[row | {"preds": raw["llm"][k]} for row, raw in pairs] for k in range(3)]
            gates = golden["grounding"][official.GROUNDING_TASK[task]][source]
            sources[source] = official.Predictions(main, gates, text)
        got = official.score(task, sources, golden["model"])
        del got["n_unfiltered"]  # ours
        assert got == expected, task


REPLIES = [
    # reply, generic, InternVL (MT1)
    ("Option A", "A", "A"),
    ("Option [A]", "A", "A"),
    ("A. True", "A", "A"),
    ("The answer is B", "B", "B"),
    ("a", "UNK", "UNK"),
    ("True", "UNK", "UNK"),
    ("AB", "UNK", "UNK"),
    ("(B)", "B", "UNK"),
    ("**B**", "B", "UNK"),
    ("Answer: B.", "B", "UNK"),
    ("<answer> A </answer>", "A", "UNK"),
    ("A man and B", "A", "B"),
    ("A picture ... Option B", "A", "B"),
]


@pytest.mark.parametrize(("reply", "generic", "internvl"), REPLIES)
def test_official_parser(reply, generic, internvl):
    assert official.parse_official(reply, "mt1") == generic
    assert official.parse_official(reply, "mt1", "internvl") == internvl


@pytest.mark.parametrize(
    ("reply", "number"),
    [("Image 3", "3"), ("image_2", "2"), ("The 2nd image", "2"), ("Images 1 and 4", "1"), ("Image 10", "10"),
     ("three", "UNK"), ("none", "UNK")],
)  # fmt: skip
def test_official_grounding_parser(reply, number):
    assert official.parse_official(reply, "gt") == number


# As the official scorer has them.
PATTERNS = {
    ("mt1", "generic"): (r"\b([AB])\b",),
    ("mt2", "generic"): (r"\b([ABCDE])\b",),
    ("gt", "generic"): (r"(\d+)",),
    ("mt1", "internvl"): (
        r"Option\s+([AB])",
        r"\b([AB])\.\s*(?:True|False)",
        r"\b([AB])\s*$",
        r"Option\s*\[([AB])\]",
    ),
}
PIECES = [
    "A",
    "B",
    "C",
    "E",
    "F",
    "é",
    "_",
    "1",
    " ",
    "\n",
    ".",
    "True",
    "Option",
    "[",
    "]",
    "\u2028",
    "\r",
    "-",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_the_official_patterns_in_another_form_find_the_same(reply):
    for (kind, family), patterns in PATTERNS.items():
        found = next((match for pattern in patterns if (match := re.search(pattern, reply))), None)
        assert official.parse_official(reply, kind, family) == (found.group(1) if found else "UNK")


def test_grounding_compares_the_last_character():
    # "image 10" is right when the reply is 0, and wrong when it is 10.
    rows = [{"gt_option": "image 10", "preds": reply} for reply in ("10", "0")]
    assert official.passes(rows, "single_grounding_all", MODEL) == [False, True]


def test_families():
    assert official.family_of("deepseek-vl2-tiny") == official.family_of("Janus-Pro-7B") == "deepseek"
    assert official.family_of("InternVL2_5-8B") == "internvl"
    assert (
        official.family_of("llava-interleave-qwen-7b-hf")
        == official.family_of("LLaVA-NeXT-Video-7B-hf")
        == "llava"
    )
    assert official.family_of("Llama-3.1-8B") == "llama"
    assert official.family_of("Qwen2-VL-7B-Instruct") == official.family_of("GPT4o") == "generic"
    assert official.parse_official("USER: A? ASSISTANT: B", "mt1", "llava") == "B"
    assert official.parse_official("A or B? The answer is B", "mt1", "llama") == "B"
    assert official.parse_official("B <｜end▁of▁sentence｜>", "mt1", "deepseek") == "B"
