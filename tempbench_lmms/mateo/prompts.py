"""The fifteen prompts of MATEO: three modalities under five settings.

Source: the prompt table of appendix A.2; parts are joined with a newline (section 3). Each prompt is composed
as the table prints it, what it leaves out included: see README.md.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.mateo.card import CLASSES

MODALITIES = ("image", "text", "both")
FORMS = {
    "baseline": "triple",
    "instructions": "triple",
    "icl": "triple",
    "cot": "cot",
    "reflection": "reflection",
}
"""The form of the reply by setting: `triple` (three Yes/No/I don't know answers), `cot` (a class after
"The answer is:") or `reflection` (a class after "The final answer:")."""

SETTINGS = tuple(FORMS)
PICTURE_NAMES = {"A": "Image 1", "B": "Image 2"}
"""What stands for a picture in a prompt whose pictures are given apart from the text."""


class Picture(NamedTuple):
    """The position of a picture in a prompt."""

    step: str  # "A" or "B"
    url: str  # A `tempbench://` URL


Part = str | Picture

_TASK = "Your task is to determine the dependency order between two steps in a recipe. "
_CHOOSE = "You must choose from: Before, After, or Parallel. "
_RULES = (
    "Follow these rules:\n"
    "- Before: Step A must be executed before Step B if the outcome of Step A is required to complete Step B "
    "(i.e., Step B depends on Step A).\n"
    "- After: Step A must be executed after Step B if the outcome of Step B is required to complete Step A "
    "(i.e., Step A depends on Step B).\n"
    "- Parallel: Step A and Step B can be executed in parallel if neither step depends on the outcome of the "
    "other; therefore, their order of execution can be arbitrary."
)
_IGNORE = (
    "Ignore sequencing terms (e.g., ’first’, ’then’, ’lastly’, and other words that may appear in the text "
    "for the natural flow of the recipe) when determining the execution order, and focus only on the action "
    "itself."
)
_PARTIAL = (
    " Also note that the text description may include partial or full references to steps not shown in the "
    "image; in such cases, rely on the actions depicted in the image."
)
_SHOWN = (
    "You will be shown three examples demonstrating how to solve the task using text-based step descriptions."
)
_ACTUAL = {
    "image": (
        " However, your actual input will consist of images, and your reasoning should be based on the "
        "actions depicted in those images."
    ),
    "text": "",
    "both": (
        " However, your actual input will consist of both images and text descriptions, and your reasoning "
        "should be based on both actions shown in the images and the accompanying textual descriptions."
    ),
}
_FOLLOW = " You must follow the reasoning steps shown in the examples before answering."
_REVIEW = (
    " After you answer the question, review your reasoning and check whether your answer logically follows "
    "from the context and dependencies you identified. After self-reflection, provide your final answer, "
    "confirming or correcting your initial choice."
)
EXACT_STEPS = (
    "you must follow the exact reasoning steps provided in the examples before providing the final answer"
)
"""What GPT-5.1's prompts end with, which left the reasoning out otherwise (section "Limitations")."""

_FORMAT = (
    "Using ONLY the information in the Context, answer the following three questions in EXACTLY this "
    "format:\n"
    "Q1: The answer is: <Yes/No/I don’t know>.\n"
    "Q2: The answer is: <Yes/No/I don’t know>.\n"
    "Q3: The answer is: <Yes/No/I don’t know>.\n"
    "Do not add anything else. Do not explain. Do not change the format."
)
_QUESTIONS = (
    "Questions:\n"
    "Q1: Must Step A be executed before Step B?\n"
    "Q2: Must Step A be executed after Step B?\n"
    "Q3: Can Step A and Step B be executed in parallel?"
)


class _Example(NamedTuple):
    steps: tuple[str, str]
    label: str
    explanation: str
    conditions: tuple[str, str, str, str]
    analysis: str


_LEMON = (
    "Step B explicitly depends on Step A - lemon zest must already be grated (Step A) before it can be put "
    "into the strawberry sauce (Step B); therefore, Step A must be executed before Step B."
)
_JUICE = (
    "Step A relies on the outcome of Step B - raspberry juice must be poured into the cup (Step A) after it "
    "is measured out (Step B); therefore, Step A must be executed after Step B."
)
_EXAMPLES = (
    _Example(
        ("Grate the lemon zest.", "Put the grated lemon zest into the strawberry sauce."),
        "before",
        _LEMON,
        (
            "Grated lemon zest.",
            "Lemon zest inside the strawberry sauce.",
            "A lemon.",
            "Lemon zest that has been grated.",
        ),
        _LEMON,
    ),
    _Example(
        ("Add the celery.", "Then add carrots."),
        "independent",
        "Both actions are independent; neither step produces something the other one requires.",
        (
            "A component with the celery added.",
            "A component with the carrots added.",
            "The celery.",
            "The carrots.",
        ),
        "Each step adds a separate ingredient, and neither depends on the other, so they can occur in any "
        "order.",
    ),
    _Example(
        ("Pour it into the cup.", "Measure out raspberry juice."),
        "after",
        _JUICE,
        (
            "The cup with raspberry juice poured in it.",
            "Raspberry juice that was measured out.",
            "Raspberry juice that was measured out.",
            "Raspberry juice.",
        ),
        _JUICE,
    ),
)

CLASS_NAMES = dict(zip(CLASSES, ("Before", "After", "Parallel"), strict=True))
"""What the prompts call the classes; the paper's text says "independent"."""


def triple(label: str) -> str:
    """Returns the right three answers for a class: Yes to its question, No to the two others."""
    return "\n".join(
        f"Q{number + 1}: The answer is: {'Yes' if name == label else 'No'}."
        for number, name in enumerate(CLASSES)
    )


def full_reply(label: str) -> str:
    """Returns a reply that says `label` in all three forms at once, so that it is right in every setting."""
    name = CLASS_NAMES[label]
    return f"{triple(label)}\nThe answer is: {name}.\nThe final answer: {name}."


@cache
def _example(example: _Example, form: str) -> str:
    lines = [f"Step {step} description: {text}" for step, text in zip("AB", example.steps, strict=True)]
    if form == "triple":
        lines += [_QUESTIONS, triple(example.label), f"Explanation: {example.explanation}"]
    else:
        heads = ("Step A produces", "Step B produces", "Step A requires", "Step B requires")
        lines += [f"{head}: {text}" for head, text in zip(heads, example.conditions, strict=True)]
        lines += [f"Dependency analysis: {example.analysis}", f"The answer is: {CLASS_NAMES[example.label]}."]
    if form == "reflection":
        lines += ["Reflection: <your_reflection>", "The final answer: <final_answer>"]
    return "\n".join(lines)


@cache
def _head(modality: str, setting: str) -> str:
    form, is_both = FORMS[setting], modality == "both"
    lines: list[str] = []
    if setting != "baseline":
        lines.append(_TASK + (_RULES if form == "triple" else _CHOOSE + _RULES))
        # The table prints no such line for the two reasoning settings with both modalities.
        if modality == "text" or (is_both and form == "triple"):
            lines.append(_IGNORE + (_PARTIAL if is_both else ""))
    if setting not in ("baseline", "instructions"):
        follow = _FOLLOW if form != "triple" else ""
        # Nor does it print the request to review for both modalities.
        review = _REVIEW if form == "reflection" and not is_both else ""
        lines += [_SHOWN + _ACTUAL[modality] + follow + review, "Examples:"]
        lines += [_example(example, form) for example in _EXAMPLES]
    lines += [_FORMAT, "Context:"] if form == "triple" else []
    return "\n".join(lines) + "\n"


def wording(doc: Mapping[str, Any], form: str) -> str:
    """Returns the lines of a prompt in all settings of a form, without the examples and the three questions.

    A reply may take over an example's sentence and mean it, and put each question before its answer; so who
    looks for the prompt's words in replies must not look for those.
    """
    settings = [setting for setting, own in FORMS.items() if own == form]
    texts = [text(doc, modality, setting) for modality in MODALITIES for setting in settings]
    lines = "\n".join([*texts, *([] if form == "triple" else [EXACT_STEPS])]).split("\n")
    examples = "\n".join(_example(example, form) for example in _EXAMPLES).split("\n")
    return "\n".join(line for line in dict.fromkeys(lines) if line not in examples)


def parts(doc: Mapping[str, Any], modality: str, setting: str, exact_steps: bool = False) -> list[Part]:
    """Returns a prompt as text and pictures in their order.

    With `exact_steps` it ends with `EXACT_STEPS`, in a setting that asks for reasoning.

    Raises:
        TempbenchError: There is no such modality or setting, or it has no reasoning steps to follow.
    """
    if exact_steps and FORMS.get(setting, "triple") == "triple":
        raise TempbenchError(f"{setting} asks for no reasoning; exact_steps is for cot and reflection")
    if modality not in MODALITIES or setting not in SETTINGS:
        raise TempbenchError(
            f"unknown setting {modality!r} {setting!r}; choose one of {', '.join(MODALITIES)} and one "
            f"of {', '.join(SETTINGS)}"
        )
    out: list[Part] = []
    head = _head(modality, setting)
    for step in "AB":
        if modality != "text":
            out += [f"{head}Step {step} picture: ", Picture(step, doc[f"image_{step.lower()}"])]
            head = "\n"
        if modality != "image":
            head += f"Step {step} description: {doc[f'text_{step.lower()}']}\n"
    tail = head + _QUESTIONS if FORMS[setting] == "triple" else head.rstrip("\n")
    tail += f"\n{EXACT_STEPS}" if exact_steps else ""
    return [*out, tail] if tail else out


def text(doc: Mapping[str, Any], modality: str, setting: str, exact_steps: bool = False) -> str:
    """Returns a prompt for a model that gets pictures and text apart; the pictures are named by number.

    Arguments and errors are those of `parts`.
    """
    return "".join(
        PICTURE_NAMES[part.step] if isinstance(part, Picture) else part
        for part in parts(doc, modality, setting, exact_steps)
    )
