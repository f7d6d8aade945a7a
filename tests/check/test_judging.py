"""What the judges say of single cases, derived by hand."""

import random

import pytest

from tempbench_lmms.check import judging, questions
from tempbench_lmms.check.faults import Fault
from tempbench_lmms.check.inputs import Inputs, Picture, Settings, Text, Video
from tempbench_lmms.check.judging import of_pictures, of_texts, of_video
from tempbench_lmms.check.probes import Film, Probe
from tempbench_lmms.check.verdict import Check, Verdict, verdicts_of
from tempbench_lmms.media.codes import Card
from tempbench_lmms.runs.model_check import Need, held, needs_of, shape_of

CARDS = tuple(Card(number) for number in range(6))
PROBE = Probe("Question 0.", "pictures", ("Question 0.", *CARDS))
FILM = Film(tuple(Card(100 + i) for i in range(20)), 2, "a.mp4")


def sights(*numbers, size=(448, 448)):
    return [Picture(None, None, (Card(number),), size) for number in numbers]


@pytest.mark.parametrize(
    ("arrived", "names"),
    [
        ((0, 1, 2, 3, 4, 5), set()),
        ((5, 4, 3, 2, 1, 0), {"images reversed"}),
        ((0, 2, 1, 3, 4, 5), {"images swapped"}),
        ((5, 4, 2, 3, 1, 0), {"images in another order"}),
        ((1, 2, 0, 4, 5, 3), {"images in another order"}),
        ((0, 1, 3, 4, 5), {"images dropped"}),
        ((0, 1, 2, 3, 4, 5, 0), {"images doubled"}),
        ((0, 1, 1, 2, 3, 5), {"images dropped", "images doubled"}),
        ((), {"images dropped"}),
        ((0, 1, 2, 3, 4, 99), {"images of another question"}),
    ],
)
def test_pictures(arrived, names):
    assert {fault.name for fault in of_pictures(PROBE, sights(*arrived), {99: PROBE})} == names


def clip(places, times="true", size=(224, 224)):
    frames = tuple(Picture(None, None, (Card(100 + place),), size) for place in places)
    told = tuple(place / 2 for place in places) if times == "true" else times
    return Video(frames, told)


@pytest.mark.parametrize(
    ("arrived", "names"),
    [
        (clip(range(20)), set()),
        (clip(range(0, 20, 3)), set()),
        # The last group of a processor is filled up with the last frame.
        (clip([*range(0, 20, 2), 18]), set()),
        (clip(range(10)), {"part of a video"}),
        (clip(range(19, -1, -1)), {"frames reversed"}),
        (clip([0, 0, 4, 8, 12, 16, 19]), {"frames repeated"}),
        (clip([0, 8, 4, 12, 16, 19]), {"frames in another order"}),
        (clip([0, 7, 13, 19]), {"few frames"}),
        (clip([0, 1, 2, 3, 4, 5, 19]), {"frames unevenly spread"}),
        (clip([3] * 8), {"video as one frame"}),
        (clip(range(20), None), {"no times"}),
        # 19 frames at 2 a second are 9.5 s; told as at 12 a second 1.6 s.
        (clip(range(20), tuple(i / 12 for i in range(20))), {"wrong times"}),
        (clip(range(20), tuple(30 + i / 2 for i in range(20))), {"wrong times"}),
        (clip(range(20), size=(28, 28)), {"frames shrunk"}),
        (None, {"video dropped"}),
    ],
)
def test_video(arrived, names):
    probe = Probe("Question 1.", "video", ("Question 1.", FILM))
    assert {fault.name for fault in of_video(FILM, probe, arrived, {})} == names


@pytest.mark.parametrize(
    ("places", "times", "names"),
    [
        # 20 frames in 10 s. Four of them stand for 2.5 s each: their own times, the beginnings of the steps,
        # and the middles of steps of two.
        ((0, 6, 13, 19), (0, 3, 6.5, 9.5), set()),
        ((0, 6, 13, 19), (0, 2.5, 5, 7.5), set()),
        ((0, 6, 13, 19), (1.5, 1.5, 8.0, 8.0), set()),
        ((0, 6, 13, 19), (0, 1, 2, 3), {"wrong times"}),
        ((0, 19), (0, 5), set()),
        ((0, 19), (0, 1 / 24), {"wrong times"}),
        (range(20), [place * 0.45 for place in range(20)], {"wrong times"}),
    ],
)
def test_times_are_true_within_a_step(places, times, names):
    probe = Probe("Question 1.", "video", ("Question 1.", FILM))
    found = of_video(FILM, probe, clip(places, times), {})
    assert {fault.name for fault in found if fault.line == "times"} == names


GIVEN = (
    "Question 0. Choose:\n(A) one\n(B) two\n(C) three\nThink of the words below.\nThe last line is here.",
)


@pytest.mark.parametrize(
    ("arrived", "names"),
    [
        (GIVEN[0], set()),
        (GIVEN[0].replace("\n", "  \n\n"), set()),
        (f"<|im_start|>{GIVEN[0]}<|vision_end|>", set()),
        (GIVEN[0][:60], {"prompt cut"}),
        (GIVEN[0].replace("(C) three\n", ""), {"options cut"}),
        (
            GIVEN[0].replace("(C) three\n", "").replace("The last line is here.", ""),
            {"options cut", "prompt cut"},
        ),
        (GIVEN[0].replace("Think of the words below.\n", ""), {"text missing"}),
        (GIVEN[0].replace("(A) one\n(B) two", "(A) two\n(B) one"), {"options changed"}),
        (GIVEN[0].replace("two", "2wo").replace("<", ""), {"options cut", "text added"}),
        (GIVEN[0].upper(), {"case lost"}),
        (GIVEN[0].partition("\n")[2], {"prompt begins later"}),
        (f"{GIVEN[0]} Be brief.", {"text added"}),
    ],
)
def test_texts(arrived, names):
    assert {fault.name for fault in of_texts(GIVEN, Inputs((Text(arrived),)))} == names


def test_what_is_hidden_is_neither_passed_nor_failed():
    arrived = Inputs((Text("Question 0."), *[Picture(None, 64)] * 6), Settings())
    verdicts = {one.line: one for one in verdicts_of(judging.judge(PROBE, arrived, {}))}
    assert verdicts["number"].state == "passed"
    for line in ("order", "content", "size", "max_new_tokens", "greedy", "times"):
        assert verdicts[line].state == "cannot be seen from here"
        assert verdicts[line].text


def test_pictures_with_times_between_are_a_video():
    probe = Probe("Question 1.", "video", ("Question 1. This is a video: ", FILM, "Now answer."))
    shown = [
        (Text(f"<{place / 2} seconds>"), Picture(None, None, (Card(100 + place),), (224, 224)))
        for place in range(20)
    ]
    parts = [
        Text("Question 1. This is a video: "),
        *(part for pair in shown for part in pair),
        Text("Now answer."),
    ]
    assert faults_of(probe, parts) == []
    bare = [part for part in parts if not (isinstance(part, Text) and part.text.startswith("<"))]
    assert faults_of(probe, bare) == ["no times"]


def faults_of(probe, parts):
    found = judging.judge(probe, Inputs(tuple(parts)), {})
    return [one.name for one in found if isinstance(one, Fault)]


def test_a_failure_that_no_task_needs_does_not_fail_the_check():
    fault = Fault("no times", "times", "none")
    found = verdicts_of([fault], needed={"text"})
    assert Check(tuple(found), 1).state == "not judged"
    text = next(one for one in found if one.line == "times").as_text()
    assert "no task asked for needs it" in text
    assert text.startswith("not needed")
    assert "FAILED" not in text
    assert Check(tuple(verdicts_of([fault], needed={"times"})), 1).state == "failed"


def test_needs_of_a_task():
    image, text = {"type": "image", "url": None}, {"type": "text", "text": "word " * 10}
    one = shape_of([[{"role": "user", "content": [image, text]}]])
    assert (one.pictures, one.is_interleaved, one.characters) == (1, False, 50)
    several = shape_of([[{"role": "user", "content": [image, text, image]}]])
    assert (several.pictures, several.is_interleaved) == (2, True)
    video = shape_of([[{"role": "user", "content": [{"type": "video", "url": "a.mp4"}, text]}]])
    assert "a video's times" in [need.title for need in needs_of(video)]
    frames = shape_of([[{"role": "user", "content": [{"type": "video", "url": [None]}]}]])
    assert "a video's times" not in [need.title for need in needs_of(frames)]


def test_a_need_is_as_good_as_its_worst_line():
    verdicts = [Verdict("order", "", "passed"), Verdict("apart", "", "cannot be seen from here")]
    needs = [Need("a", ("order",)), Need("b", ("order", "apart")), Need("c", ("times",))]
    assert [need.state for need in held(needs, verdicts, {})] == ["passed", "cannot be seen from here", None]


@pytest.mark.parametrize("kind", ["images", "frames"])
def test_what_holds_for_fewer_is_not_said_of_more(kind):
    url = [None] * 32
    content = [{"type": "video", "url": url}] if kind == "frames" else [{"type": "image", "url": None}] * 32
    needs = [need for need in needs_of(shape_of([[{"role": "user", "content": content}]])) if need.amounts]
    (line,) = {"frames as a video", "many"} & set(needs[0].lines)

    def state(tried, is_):
        (need,) = held(needs, [Verdict(line, "", is_)], {kind: tried})
        return need.state, need.why

    assert state(32, "passed") == ("passed", "")
    assert state(31, "failed") == ("failed", "")
    why = f"not checked above 31 {kind}: name the task with --tasks"
    assert state(31, "passed") == ("cannot be seen from here", why)


def test_answers_are_read_with_care():
    kind = questions.KINDS["colours of images"]
    assert questions.read_answer(kind, "Image 1 is Red, image 2 BLUE.") == ["red", "blue"]
    assert questions.read_answer(kind, "") == []
    assert questions.read_answer(questions.KINDS["copied lines"], "a  b\n\nc\n") == ["a b", "c"]
    assert questions.read_answer(questions.KINDS["colours of a video"], "red red blue") == ["red", "blue"]


def test_chance_is_corrected():
    # 9 of 12 where a guess is right once in 6: (0.75 - 1/6) / (5/6) = 0.7.
    right = ("red", "blue", "red")
    kind = questions.KINDS["colours of images"]
    found = questions.score(kind, [("red, blue, red", right)] * 3 + [("green, red, blue", right)])
    assert found.value == pytest.approx(0.7)
    assert found.low < 0.7
    lines = questions.KINDS["fine lines"]
    guessed = questions.score(lines, [("none", (word,)) for word in ("none", "vertical", "horizontal")] * 4)
    assert guessed.value == 0
    assert guessed.low < 0


def test_every_kind_is_asked_fewer_than_twenty_times_with_other_answers():
    rng = random.Random(0)
    for kind in questions.KINDS.values():
        assert kind.n_calls < 20
        assert len({kind.draw(rng, i).answer for i in range(kind.n_calls)}) >= 2
