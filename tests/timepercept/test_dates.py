"""When a picture was taken: the same reading in every Python, and no guess."""

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.timepercept import dates

DAY = date(2019, 3, 7)


@pytest.mark.parametrize(
    "stamp",
    [
        *("2019-03-07", "2019-3-7", "2019/03/07", "2019.3.7", "20190307", 20190307, " 2019-03-07 "),
        *("2019-03-07T10:20:30Z", "2019-03-07T10:20:30.123456Z", "2019-03-07 10:20", "20190307T102030"),
        *("2019-03-07T10:20:30+0530", "2019-03-06T23:30:00-01", "2019-03-08T00:30:00+01:00"),
        *("7 March 2019", "07-Mar-2019", "March 7, 2019", "Mar 7th, 2019"),
    ],
)
def test_ordinary_forms_are_one_day(stamp):
    assert dates.parse_time(stamp)[2] == DAY


@pytest.mark.parametrize(("stamp", "day"), [("27.03.2019", 27), ("03/27/2019", 27), ("03-03-2019", 3)])
def test_day_and_month_in_any_order_where_only_one_is_possible(stamp, day):
    assert dates.parse_time(stamp)[2] == date(2019, 3, day)


@pytest.mark.parametrize("stamp", ["07.03.2019", "3/7/2019", "12-11-2019 10:20"])
def test_what_can_be_read_in_two_ways_is_not_guessed(stamp):
    with pytest.raises(dates.AmbiguousDateError, match="day first or month first"):
        dates.parse_time(stamp)


def test_a_stated_form_decides():
    assert dates.parse_time("07.03.2019", "%d.%m.%Y")[2] == DAY
    assert dates.parse_time("07.03.2019", "%m.%d.%Y")[2] == date(2019, 7, 3)
    with pytest.raises(ValueError, match="is not a date"):
        dates.parse_time("2019-03-07", "%d.%m.%Y")
    for form in ("%Y", "%Q", "day"):
        with pytest.raises(ValueError, match=r".+"):
            dates.check_form(form)


def test_a_month_gives_an_order_and_no_day():
    months = [dates.parse_time(stamp) for stamp in ("2018-12", "2019-01", "2019/2")]
    assert [text for _, text, _ in months] == ["2018-12", "2019-01", "2019-02"]
    assert months == sorted(months, key=lambda one: one[0])
    assert {day for _, _, day in months} == {None}


@pytest.mark.parametrize(
    "stamp",
    [
        *("spring", "", "2019", "2019-13-01", "2019-02-30", "2019-03-07T25:00:00Z", "1.2.19", "3 Foo 2019"),
        *("0001-01-01T00:00:00+05:00", "9999-12-31", "2019-03-07T10:20:30+99:00", "1\uff19-03-07", "201903"),
        *(True, None, 3.5, [], {}),
    ],
)
def test_what_is_no_date_is_refused(stamp):
    with pytest.raises(ValueError, match=r"is not a|is no"):
        dates.parse_time(stamp)


@given(st.one_of(st.text(), st.integers(), st.from_regex(r"[0-9./ T:+-]{4,30}", fullmatch=True)))
def test_anything_is_read_or_refused(stamp):
    for read in (dates.parse_time, dates.in_name) if isinstance(stamp, str) else (dates.parse_time,):
        try:
            read(stamp)
        except ValueError:
            continue


def test_no_picture_is_of_the_future():
    later = datetime.now(timezone.utc) + timedelta(days=62)
    for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m"):
        with pytest.raises(ValueError, match="is in the future"):
            dates.parse_time(later.strftime(form))
        with pytest.raises(ValueError, match="has no date"):
            dates.in_name(f"dam_{later:%Y-%m-%d}")
    tomorrow = datetime.now(timezone.utc) + timedelta(days=1)
    assert dates.parse_time(f"{tomorrow:%Y-%m-%d}")[2] == tomorrow.date()


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("harbour_2019-03-07", "harbour"),
        ("2019-03-07", ""),
        ("20190307T102030Z_harbour", "harbour"),
        ("site12345678_2019_03_07", "site12345678"),
        ("T32TMT_20190307T102031_TCI_10m", "T32TMT_TCI_10m"),
        # Both products name their processing too, days later.
        ("S2A_MSIL2A_20190307T102031_N0211_R065_T32TMT_20190309T134512", "T32TMT"),
        ("LC08_L1TP_193026_20190307_20190315_01_T1", "193026"),
    ],
)
def test_dates_in_names(name, rest):
    moment, found = dates.in_name(name)
    assert (moment[2], found) == (DAY, rest)


def test_names_with_several_dates_or_none():
    with pytest.raises(dates.AmbiguousDateError, match=r"several dates \(2019-03-07, 2020-01-01\)"):
        dates.in_name("a_2019-03-07_b_20200101")
    with pytest.raises(dates.AmbiguousDateError, match="day first"):
        dates.in_name("harbour_07-03-2019")
    assert dates.in_name("harbour_07-03-2019", "%d-%m-%Y") == (dates.parse_time("2019-03-07"), "harbour")
    assert dates.in_name("A2019066_h18", "%Y%j")[0][2] == DAY
    for name in ("harbour", "harbour_12345678", "12"):
        with pytest.raises(ValueError, match="has no date"):
            dates.in_name(name)
