"""The prompts of TempVS.

Source: the official runner (`run_inference.py`), whose order of parts differs from the paper's appendix C:
the question text comes first, then the instruction. The tables below are the paper's Table 10 and 11; a
prepared release brings the wording of every question in its own columns and does not use them.
Typing errors ("seqeunce") are the paper's.
"""

import itertools
import string
from collections.abc import Mapping
from typing import Any

from tempbench_lmms.errors import TempbenchError

STYLES = ("direct", "cot", "blind", "image_only")
"""How a question is asked: directly; with chain of thought (Table 11); without images (section 3.2); or, for
image ordering, without text (Table 19)."""

ANSWER_PREFIX = "\nThe answer is: "
_CHARACTERS = "This is a description of the possible appearance of character(s) in the image(s): "
CARTOONS = ("flintstones", "pororo")
"""The sources whose characters are described. The official runner prints the header for every question of
theirs, also where it names no character."""

_IMAGE_LABELS = (
    "The images I provide are labeled in order as Image a, Image b, Image c, Image d, and Image e, and so on "
    "if there are more photos."
)
# The paper gives no prompt for its image-only ordering; this one is ours.
_IMAGE_ONLY = (
    "The images of a story are shown in random order. Arrange the images in the correct chronological order."
)

# Table 10.
DEFINITIONS: dict[str, tuple[str, ...]] = {
    "mt1": (
        "Is the statement completely accurate and consistent with the content in the sequence of images?",
        "Analyze the provided image sequence to determine whether the following statement is True or False.",
        "Review the sequential images and decide whether the provided statement is True or False.",
        "Is the statement entirely consistent and supported by the images in the sequence?",
        "Examine the visual evidence in the provided sequence of images to determine whether the "
        "statement is True or False.",
        "Does the statement fully match the information presented in the ordered images? Taking the "
        "content in the image seqeunce into account, can you decide whether the statement is True or "
        "False?",
        "Given the multiple images provided in order, can you select the correct answer from True or "
        "False considering statement?",
    ),
    "mt2": (
        "You are given an ordered image sequence and several sentences in a random order. Your task "
        "is to analyze the content of the sequence of images from left to right and rearrange the "
        "sentences into the correct chronological or logical order.",
        "Here is an left-to-right image seqeunce and some sentences in random order. Your goal is to "
        "determine the correct order of the sentences based on the context, events, or details "
        "observable in the images. Consider the visual elements in the sequential images to infer "
        "the logical or temporal sequence.",
        "The images are presented in a correct order, but the sentences are not. Your task is to "
        "reorder the sentences to match the sequence of events or details in the images from left to "
        "right.",
        "You are provided with a sequence of images and several randomly ordered sentences. Your "
        "task is to: 1. Understand the context of the image sequence; 2. Identify how each sentence "
        "relates to the image; 3. Rearrange the sentences to form a coherent order.",
        "Using your multimodal understanding and reasoning of the ordered image sequence and the "
        "randomly shuffled sentences , arrange the sentences in the correct sequence to match the "
        "flow of events in the image seqeunce.",
        "Presented is an image sequence in the order from left to right along with several unordered "
        "sentences. Your task is to determine the correct sequence of the sentences by analyzing the "
        "context, events, or details depicted in the images. Use the visual elements in the images "
        "to deduce the logical or chronological order.",
    ),
    "mt3": (
        "Rearrange the following images in the correct order based on content in the story.",
        "The provided paragraph describes a sequence of events. Arrange the images in the correct "
        "chronological order to match the story.",
        "The images are out of order compared to the text. Identify and reorder them to match the "
        "described sequence.",
        "The text narrates a story or event sequence. Use your vision-language reasoning to reorder "
        "the images to reflect the narrative structure.",
        "Using your understanding of the text and image content, arrange the images in the correct "
        "sequence to match the flow of events in the text.",
        "The paragraph describes events in a specific timeline. Use multimodal reasoning to reorder "
        "the images in the correct sequence.",
    ),
    "gt": (
        "Based on the event described, select the image that best matches it from the following options.",
        "Pick the image from the image sequence that accurately represents the event.",
        "Which is the most fitting image for the described event? Pick from the choices below.",
        "If you were to illustrate the event, which picture would you use?",
        "Find the image from the sequence of images that represents the event most precisely.",
        "Identify the picture that best represents the given event.",
    ),
}

REQUIREMENTS: dict[str, tuple[str, ...]] = {
    "mt1": (
        "When making the choice, focus on the evidence presented in the sequence of images from left "
        "to right.",
        "Choose the correct option based on the content in the sequential images from left to right.",
        "Only use the left-to-right content of the image sequence to inform the decision.",
        "Evaluate the statement strictly based on the information shown in the sequence of images "
        "from left to right.",
    ),
    "mt2": (
        "Read the image sequence from left to right. Use the images' content to guide your sentence "
        "ordering. Avoid assumptions not supported by the image seqeunce or sentences.",
        "Understand images from left to right in the order. Focus on the visual content of the "
        "images to determine the correct order of the sentences. Make sure the reordered sentences "
        "form a clear and coherent narrative or description.",
        "Follow the sequence of images from left to right and use their content to determine the "
        "correct sentence order. Do not rely on assumptions that are not supported by the images or "
        "sentences.",
        "Interpret the images in their left-to-right order, focusing on their visual details to "
        "arrange the sentences correctly. Ensure that the reordered sentences create a logical and "
        "coherent narrative or description.",
    ),
    "mt3": (
        "Carefully read the provided text. Focus on the events, actions, and details described to "
        "reorder the images logically.",
        "Focus on matching the actions and events shown in the images with the details described in "
        "the text.",
        "Identify key events and details from the text and use them to determine the proper order of "
        "the images.",
        "Compare the images with the text description, focusing on the sequence of events to arrange "
        "unordered images correctly.",
    ),
    "gt": (
        "Make your choice by considering the evidence shown in the sequence of images from left to right.",
        "Select the correct option using only the content presented in the sequential images from "
        "left to right.",
        "Rely on the left-to-right order of the image sequence to guide your decision.",
        "Assess the statement exclusively based on the information depicted in the sequence of "
        "images from left to right.",
    ),
}

FORMATS: dict[str, tuple[str, ...]] = {
    "mt1": (
        "No need to give reasoning process. Submit only the right option letter as your answer, "
        "e.g., Option [Letter].",
        "Do not tell the reasons of your decision. Provide the most suitable choice letter in the "
        "format of 'Option [Letter]' as your response only.",
        "Do not repeat the prompt or include reasons. Only return the correct option letter in the "
        "form of 'Option [Letter]' as your response.",
        "Please exclude explanations in the response. Offer the most proper choice letter in the "
        "format of 'Option [Letter]' as your answer only.",
    ),
    "mt2": (
        "Do not provide explanations or repeat the prompt. Select from the following options and "
        "your answer should only be in the format: Option [Letter].",
        "Provide your answer from the following choices only in the format: 'Option [Letter]' "
        "without explanations or repeating the instructions.",
        "Choose the correct option from the choices provided below and output your answer only as "
        "'Option [Letter]', avoiding any explanations or repetition.",
    ),
    "mt3": (
        "Select from the following options and your answer should be in the format: 'Option "
        "[Letter]'. Respond with the correct option only, avoiding any explanations or repetition.",
        "Do not provide explanations or restate the question. Provide your answer from the following "
        "choices only in the format: Option [Letter].",
        "Choose the correct option from the choices provided below and submit your answer only as "
        "'Option [Letter]', without any justifications or repetition of the prompt.",
    ),
    "gt": (
        "Submit the right number of the image in the sequence as your answer only without additional "
        "reasoning or repetition of the instructions.",
        "Provide only the most suitable image number as your response, avoiding any explanations or "
        "repetition.",
        "Only return the correct image number in the provided sequence without additional reasoning "
        "details or repetition of the instructions.",
    ),
}

# Table 11.
COT: dict[str, str] = {
    "mt1": (
        "Analyze the provided image sequence to determine whether the following statement is True or False. "
        "When making the choice, carefully examine the evidence presented in the sequence of images from "
        "left to right. First, describe the key details and changes observed in each image. Then, explain "
        "how these details support or contradict the given statement. Finally, based on your step-by-step "
        "reasoning, conclude whether the statement is True or False. Ensure your response follows this "
        "format: the reasoning process should be enclosed within <think> and </think> tags, and the final "
        "answer should be enclosed within <answer> and </answer> tags."
    ),
    "mt2": (
        "You are presented with an ordered image sequence and several sentences in random order. Your task "
        "is to determine the correct order of the sentences based on the context, events, or details "
        "observable in the images. Multiple-choice options are provided, with each option representing a "
        "possible sequence of the sentences. Think step by step, using the content of the images to guide "
        "your reasoning. Avoid assumptions not supported by the image sequence or the sentences.\n"
        "Format your response as follows: Enclose your step-by-step reasoning process within <think> and "
        "</think> tags. Enclose the selected option (e.g., Option A, Option B) within <answer> and </answer> "
        "tags."
    ),
    "mt3": (
        "Order the following images in the correct sequence based on the content of the story. Compare each "
        "image with the text description, carefully analyzing the sequence of events to determine the proper "
        "order of the unordered images.\n"
        "Response should be in this format:\n"
        "<think> First, examine the text description to identify key events and their chronological order. "
        "Next, analyze each image to match it with the corresponding event described in the text. Consider "
        "visual cues, actions, and details in the images that indicate the progression of the story. Arrange "
        "the images accordingly to reflect the correct sequence of events. </think>\n"
        "<answer> Option [Your Choice] </answer>"
    ),
}

# The official generator's; the paper prints none.
BLIND: dict[str, tuple[str, ...]] = {
    "mt1": (
        "Analyze the given statement with respect to temporal logic and return either 'True' or 'False'. No "
        "need to give reasoning process. Submit only the right option letter as your answer, e.g., Option "
        "[Letter]. ",
        "Using temporal reasoning, determine if the statement below is True or False. Respond only with the "
        "right option letter from the provided options. Do not tell the reasons of your decision. ",
        "Evaluate the truth value of the following statement based on temporal logic. Provide the most "
        "suitable choice letter in the format of 'Option [Letter]' as your response only without additional "
        "explaination.",
    ),
    "mt2": (
        "Rearrange the shuffled sentences into a coherent and temporally logical sequence. Select the "
        "correct sequence from the multiple-choice options and respond with 'Option [letter]'. Do not "
        "include any explanations.",
        "Sort the scrambled sentences into a coherent, meaningful and temporally logical order. Pick the "
        "correct sequence from the multiple-choice answers and respond only with 'Option [letter]'.",
        "Arrange the shuffled sentences into a coherent, fluent, well-structured and temporally logical "
        "sequence. Choose the correct answer from the multiple-choice options and format your response as "
        "'Option [letter]', with no extra details.",
    ),
}


def kind_of(test: str) -> str:
    """Returns `mt1`, `mt2`, `mt3` or `gt`."""
    return test.split("_")[0]


def instruction(kind: str, index: int) -> str:
    """Returns the task instruction of the `index`-th question of a test.

    The official generator walks through the product of Table 10's lists. For MT1 and GT the response format
    belongs to the instruction; MT2 and MT3 carry it apart (`answer_format`).
    """
    parts = [DEFINITIONS[kind], REQUIREMENTS[kind]]
    if kind in ("mt1", "gt"):
        parts.append(FORMATS[kind])
    combinations = list(itertools.product(*parts))
    return " ".join(combinations[index % len(combinations)])


def answer_format(kind: str, index: int) -> str:
    """Returns the response format of the `index`-th question of MT2 or MT3; "" for the others."""
    return FORMATS[kind][index % len(FORMATS[kind])] if kind in ("mt2", "mt3") else ""


def label(test: str, position: int) -> str:
    """Returns an image's label: "Image 1" in a sequence, "Image a" among shuffled images (MT3)."""
    if kind_of(test) == "mt3":
        return f"Image {string.ascii_lowercase[position]}"
    return f"Image {position + 1}"


def _options(doc: Mapping[str, Any]) -> str:
    lettered = [f"{letter}. {text}" for letter, text in zip("ABCDE", doc["options"], strict=False)]
    return ("; " if doc["tests"][0].startswith("mt1") else ";\n").join(lettered) + "."


def wording(doc: Mapping[str, Any]) -> str:
    """Returns the lines of a question in all styles: who reads a reply need not know how it was asked."""
    kind = kind_of(doc["tests"][0])
    return "\n".join(build(doc, style) for style in STYLES if _has(kind, style))


def _has(kind: str, style: str) -> bool:
    """Whether questions of a kind of test are asked in a style."""
    if style == "image_only":
        return kind in ("mt3", "gt")
    return style in STYLES and (style != "blind" or kind != "mt3")


def build(doc: Mapping[str, Any], style: str = "direct") -> str:
    """Returns the text of a question, as the official runner sends it.

    Args:
        doc: A row of the data set.
        style: One of `STYLES`. Grounding questions are always asked directly.

    Raises:
        TempbenchError: The style does not exist for this test.
    """
    test = doc["tests"][0]
    kind = kind_of(test)
    if not _has(kind, style):
        raise TempbenchError(f"unknown style {style!r} of {test}; choose one of {', '.join(STYLES)}")
    described = doc["source"] in CARTOONS
    characters = _CHARACTERS + doc["character_info"] if described else ""
    if kind == "gt":
        return f"{characters}\nThe event is: {doc['text']}\n{doc['instruction']}{ANSWER_PREFIX}"

    unit = "events" if test.endswith("_event") else "sentences"
    if kind == "mt1":
        question = f"\nThe statement is: {doc['text']}"
        options = f"\nOptions are: {_options(doc)}"
    elif kind == "mt2":
        sentences = "\n".join(
            f"Sentence {letter}: {sentence}"
            for letter, sentence in zip(string.ascii_lowercase, doc["sentences"], strict=False)
        )
        question = f"\nThe shuffled {unit} are:\n{sentences}"
        options = f"\n{doc['answer_format']}\n{_options(doc)}"
    else:
        question = f"\nThe {'events are' if unit == 'events' else 'story is'}: {doc['text']}"
        options = f"\n{doc['answer_format']}\n{_options(doc)}"
    # No space before "The images I provide": so the official runner.
    labels = _IMAGE_LABELS if kind == "mt3" else ""

    if style == "blind":
        asked = doc["instruction_blind"]
        # The official blind runner puts the instruction after the statement, but before the sentences.
        head = f"{question}\n{asked}" if kind == "mt1" else f"\n{asked}{question}"
        return head + options + ANSWER_PREFIX
    if style == "image_only":
        return f"\n{_IMAGE_ONLY}{labels}{options}{ANSWER_PREFIX}"
    asked = doc["instruction_cot" if style == "cot" else "instruction"]
    return f"{characters}{question}\n{asked}{labels}{options}{ANSWER_PREFIX}"
