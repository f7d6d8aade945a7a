"""Time spans in replies, beside those of `replies.jsonl`. The video is 100 seconds long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import TimeSpan
from tempbench_lmms.parsing.reader import others

DURATION = 100.0


@pytest.mark.parametrize(
    ("reply", "spans"),
    [
        ("From 5 to 10, and from 20 to 30", [(5, 10), (20, 30)]),
        ("5s-10s; 20s-30s", [(5, 10), (20, 30)]),
        ('{"span": [[5, 10], [20, 30]]}', [(5, 10), (20, 30)]),
        ('{"windows": [{"start": 5, "end": 10}, {"start": 20, "end": 30}]}', [(5, 10), (20, 30)]),
        ("1. 00:05 - 00:10\n2. 00:20 - 00:30", [(5, 10), (20, 30)]),
    ],
)
def test_several_spans_are_kept_in_order(reply, spans):
    assert others(reply, TimeSpan(DURATION)) == spans


@pytest.mark.parametrize("reply", ["from 90 s to the end", "20% to 40%", "the whole video", "last 5 seconds"])
def test_what_needs_the_duration_is_not_read_without_it(reply):
    assert reader.read(reply, TimeSpan(DURATION)).value is not None
    assert reader.read(reply, TimeSpan()).value is None


@given(
    st.floats(0, 5000), st.floats(0, 5000), st.sampled_from(["{} - {} seconds", "From {} to {}.", "[{}, {}]"])
)
def test_what_is_written_is_read(start, end, form):
    start, end = round(start, 2), round(end, 2)
    assert reader.read(form.format(f"{start:.2f}", f"{end:.2f}"), TimeSpan()).value == (start, end)


@given(st.text(alphabet='0123456789 -:.,[]{}%"smintofromand⟨⟩\n', max_size=80))
def test_any_text_gives_sane_spans_or_none(text):
    for start, end in others(text, TimeSpan(DURATION)):
        assert 0 <= start <= 1e6
        assert 0 <= end <= 1e6


TIMES = (0.0, 4.0, 8.0, 12.0, 16.0, 20.0)
EVENTS = ("he climbs", "he falls", "he sings", "he takes 2 to 3 steps")
PROMPT = (
    "The video is 100 seconds long. 6 frames are taken at these times, in seconds: 0.0 to 20.0.\n"
    "A. he climbs\nB. he falls\n"
    "Reply like this: from 10 to 20 seconds, where the event takes place."
)


@pytest.mark.parametrize(
    ("reply", "span"),
    [
        ("frames 2 to 5", (4.0, 16.0)),
        ("It happens in frames 3-4.", (8.0, 12.0)),
        ("between frame 2 and frame 6", (4.0, 20.0)),
        ("frames 2 to 5, which is from 4.5 to 15 seconds", (4.5, 15.0)),  # said times come first
        ("frames 2 to 9", None),  # there are six
        ("frames 0 to 3", None),
        ("frames 5 to 2", None),
        ("frame 3", None),
    ],
)
def test_numbers_of_frames_are_read_by_the_times_of_the_frames(reply, span):
    assert reader.read(reply, TimeSpan(DURATION, TIMES)).value == span


def test_numbers_of_frames_are_no_seconds_where_their_times_are_unknown():
    assert reader.read("frames 2 to 5", TimeSpan(DURATION)).value is None


@pytest.mark.parametrize("unit", ["percent", "token"])
@pytest.mark.parametrize(
    ("reply", "span"),
    [
        ("from 10 to 25", (20.0, 50.0)),
        ('{"span": ["10", "25"]}', (20.0, 50.0)),
        ("from 10 s to 25 s", (10.0, 25.0)),  # it says seconds
        ("0:10 - 0:25", (10.0, 25.0)),
        ("from 10% to 25%", (20.0, 50.0)),
    ],
)
def test_bare_numbers_are_shares_of_the_video_only_where_the_unit_says_so(unit, reply, span):
    assert reader.read(reply, TimeSpan(200.0, (), unit)).value == span
    if "%" not in reply and "s" not in reply.replace("span", "") and ":" not in reply.replace('":', ""):
        assert reader.read(reply, TimeSpan(200.0)).value == (10.0, 25.0)


def test_shares_need_the_duration():
    assert reader.read("from 10 to 25", TimeSpan(None, (), "percent")).value is None


def test_what_the_prompt_says_is_no_span():
    video = TimeSpan(DURATION)
    echo = "Reply like this: from 10 to 20 seconds, where the event takes place.\nI have no answer."
    assert reader.read(echo, video).value == (10.0, 20.0)
    assert reader.read(echo, video, PROMPT).value is None
    assert reader.read(PROMPT + "\nFrom 30 to 40 seconds.", video, PROMPT).value == (30.0, 40.0)


def test_a_reply_that_ends_at_its_limit_is_cut_off():
    video = TimeSpan(DURATION)
    for reply in ("The event begins at 5 s", "", "<think>from 5 to 10"):
        assert reader.read(reply, video, at_limit=True).reason == "cut_off"
    assert reader.read("The event begins at 5 s.", video).reason == "nothing"
    assert reader.read("", video).reason == "empty"
    assert reader.read("<think>from 5 to 10", video).reason == "cut_off"
    assert reader.read("From 5 s to 10 s", video, at_limit=True).value == (5.0, 10.0)
