"""The prompts, to the letter."""

from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.coherence import prompts

DOC = {
    "question": "How many circle(s) does the person draw?",
    "options": ["2", 'It\'s "round".', "3"],
    "n_frames": 8,
    "order": "ordered",
    "question_id": "count/0/8f",
}


def test_the_question_is_tomato_s() -> None:
    assert prompts.question(DOC) == (
        "You will be provided with 8 separate frames uniformly sampled from a video, the frames "
        "are provided in "
        "chronological order of the video. Analyze these frames and provide the answer to the "
        "question about the "
        "video content. Answer the multiple-choice question about the video content. \n"
        "\n"
        "You must use these frames to answer the multiple-choice question; do not rely on any "
        "externel knowledge "
        "or commonsense. \n"
        "\n"
        "<question> \n"
        "How many circle(s) does the person draw? \n"
        "</question>\n"
        "\n"
        "<options> \n"
        "{'A': '2', 'B': 'It\\'s \"round\".', 'C': '3'} \n"
        "</options>\n"
        "\n"
        "Even if the information in these separate frames is not enough to answer the question, "
        "PLEASE TRY YOUR "
        "BEST TO GUESS AN ANSWER WHICH YOU THINK WOULD BE THE MOST POSSIBLE ONE BASED ON THE QUESTION. \n"
        "\n"
        "DO NOT GENERATE ANSWER SUCH AS 'NOT POSSIBLE TO DETERMINE.' \n"
    )


def test_the_blind_question_is_tomato_s() -> None:
    assert prompts.question({**DOC, "order": "blind", "options": ["2", "3"]}) == (
        "Randomly guess a reasonable answer based on the question only.\n\n<question> \n"
        "How many circle(s) does the person draw? \n</question>\n\n<options> \n{'A': '2', 'B': "
        "'3'} \n</options>\n"
        "    \nDO NOT GENERATE ANSWER SUCH AS 'NOT POSSIBLE TO DETERMINE.' \n"
    )
    assert prompts.SYSTEM == "You are an expert in understanding dynamics of objects."


def test_braces_in_a_question_are_text() -> None:
    assert "{n} {0}" in prompts.question({**DOC, "question": "{n} {0}?"})


@given(st.text(max_size=20), st.integers(2, 20))
def test_orders(question_id: str, n: int) -> None:
    doc = {"question_id": question_id, "order": "shuffled"}
    shuffled = prompts.frame_order(doc, n)
    assert sorted(shuffled) == list(range(n)) != shuffled
    assert prompts.frame_order(doc, n) == shuffled
    assert prompts.frame_order({**doc, "order": "reversed"}, n) == list(range(n))[::-1]
    assert prompts.frame_order({**doc, "order": "ordered"}, n) == list(range(n))


def test_the_template_states_the_answer() -> None:
    assert (
        prompts.template("Where does it go? ", "Left.")
        == 'The answer to the question "Where does it go?" is: Left.'
    )
    assert "Correct answer (number): 3\n" in prompts.reference_request("How many?", ["2", "3"], "B")
