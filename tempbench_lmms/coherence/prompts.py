"""The prompts of the video questions and of the captions.

Source: TOMATO's `construct_prompt.py`, to the letter: trailing spaces, "externel", and the options as Python
prints a dictionary. The paper on temporal coherence uses TOMATO's prompts; it prints none for its captions:
those here are ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tempbench_lmms.coherence.card import BUDGETS
from tempbench_lmms.coherence.parser import letters_of
from tempbench_lmms.data.questions import shuffled

SYSTEM = "You are an expert in understanding dynamics of objects."
"""TOMATO's system prompt. Models of the harness's simple kind get none from a task: give theirs as a model
argument."""

ORDERS = ("ordered", "shuffled", "reversed", "blind")
"""How the frames of a question are shown; `blind` shows none."""

CAPTION_FRAMES = 8

CAPTION = {
    "video": "These are frames of a video in chronological order. Describe in one or two sentences what "
    "happens in the video, in the order in which it happens.",
    "frame": "Describe in one or two sentences what this image shows.",
}

REFERENCE = (
    "You are given a question from a video-based scenario and the correct numeric answer.\n"
    "Your task is to produce a factual, self-contained sentence that describes the correct answer in a "
    "natural manner.\n"
    "Do not refer to any multiple-choice options. Just state the correct quantity or fact clearly.\n\n"
    "Question: {question}\nCorrect answer (number): {answer}\n\n"
    "Your response should be a single sentence that incorporates the correct number in context."
)
"""The paper's prompt for a reference sentence, as in its code (`compute_bertscore.py`); its appendix words it
otherwise."""

_ANALYZE = "Analyze these frames and provide the answer to the question about the video content."
_ONLY = (
    "You must use these frames to answer the multiple-choice question; do not rely on any "
    "externel knowledge or commonsense."
)
_BEST = (
    "PLEASE TRY YOUR BEST TO GUESS AN ANSWER WHICH YOU THINK WOULD BE THE MOST POSSIBLE ONE BASED ON THE "
    "QUESTION."
)
_NOT = "DO NOT GENERATE ANSWER SUCH AS 'NOT POSSIBLE TO DETERMINE.'"
_GUESS = "Randomly guess a reasonable answer based on the question only."
_ASKED = "<question> \n{question} \n</question>\n\n<options> \n{options} \n</options>\n"
_FRAMES = (
    "You will be provided with {n} separate frames uniformly sampled from a video, the frames are provided "
    f"in chronological order of the video. {_ANALYZE} Answer the multiple-choice question about the "
    f"video content. \n\n{_ONLY} \n\n{_ASKED}\nEven if the information in these separate frames is not "
    f"enough to answer the question, {_BEST} \n\n{_NOT} \n"
)
_BLIND = f"{_GUESS}\n\n{_ASKED}    \n{_NOT} \n"


def question(doc: Mapping[str, Any]) -> str:
    """Returns the text of a video question, for its number of frames."""
    options = dict(zip(letters_of(doc["options"]), doc["options"], strict=True))
    text = _BLIND if doc["order"] == "blind" else _FRAMES
    return text.format(n=doc["n_frames"], question=doc["question"], options=options)


def wording(doc: Mapping[str, Any]) -> str:
    """Returns the lines of a question with and without frames; the reader need not know which was used.

    Replies from elsewhere do not say how many frames were shown; the line with their number is then a guess.
    """
    orders = ("ordered", "blind")
    return "\n".join(question({"n_frames": BUDGETS[-1], **doc, "order": order}) for order in orders)


def frame_label(number: int, time: float) -> str:
    """Returns the text before a frame that is shown with its time."""
    return f"Frame {number} ({time:.1f} s): "


def internvl_label(number: int, time: float = 0) -> str:
    """Returns the text before frame `number` (from 1) in TOMATO's request to InternVL."""
    return f"{chr(10) if number > 1 else ''}Frame{number}: "


def frame_order(doc: Mapping[str, Any], n: int) -> list[int]:
    """Returns the order in which n frames are shown.

    A shuffled order is drawn from the question's id: every run and every process shows the same one, whatever
    the order of the options. It is never the true order.
    """
    if doc["order"] == "shuffled":
        return shuffled(n, str(doc.get("rotation_of") or doc["question_id"]))
    return list(range(n))[:: -1 if doc["order"] == "reversed" else 1]


def right_option(doc: Mapping[str, Any]) -> str:
    """Returns the text of the right option."""
    return str(doc["options"][letters_of(doc["options"]).index(doc["answer"])])


def template(question_text: str, answer: str) -> str:
    """Returns a reference sentence from a question and its right answer, if no other is given."""
    return f'The answer to the question "{question_text.strip()}" is: {answer.strip().rstrip(".")}.'


def reference_request(question_text: str, options: Sequence[str], answer: str) -> str:
    """Returns the paper's request for a reference sentence."""
    return REFERENCE.format(question=question_text, answer=options[letters_of(options).index(answer)])
