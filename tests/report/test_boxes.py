"""The pages of all benchmarks in a real browser: boxes measured, everything reached by keys, axe-core."""

import json

import pytest

from tempbench_lmms.cli.show import as_html
from tempbench_lmms.report import numbers
from tempbench_lmms.report.overview import text_of
from tempbench_lmms.report.page import page
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.safe_run import leaves
from tests.chromium import OUTSIDE, UNREADABLE
from tests.report.runs import write_tasks
from tests.report.test_browser import eventually

pytestmark = pytest.mark.slow

WIDTHS = (400, 900, 1400)


def everything(chromium, expression):
    return json.loads(chromium.value(f"JSON.stringify({expression})"))


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """Two runs of every benchmark's bundled sample."""
    folder = tmp_path_factory.mktemp("suite")
    for name in ("oracle", "chance"):
        write_tasks(folder / name, name, list(leaves(["tempbench_mini"])))
    return list(numbers.of_logs(read_runs([folder])))


@pytest.fixture(scope="session")
def suite_page(suite, tmp_path_factory):
    file = tmp_path_factory.mktemp("suite_page") / "report.html"
    file.write_text(page(suite, n_pictured=20), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("width", WIDTHS)
def test_boxes_of_every_benchmark(chromium, suite_page, width):
    chromium.open(suite_page, width=width, height=60_000)
    assert eventually(
        chromium, "[...document.querySelectorAll('figure .drawing')].every((one) => one.firstElementChild)"
    )
    for scheme in ("light", "dark"):
        chromium.paint(scheme)
        assert everything(chromium, OUTSIDE) == []
        assert everything(chromium, UNREADABLE) == []
        assert chromium.value("document.documentElement.scrollWidth") <= width
    assert chromium.complaints == []


def test_first_screen_says_each_number_once(chromium, suite_page, suite):
    """The table and the charts round alike: a value halfway goes to the even neighbour in both."""
    chromium.open(suite_page)
    halfway = [0.0625, 0.1875, 0.1235, 0.5, 0.0005, 2.6875, 12.25, 12.35, -0.0625, 1.0]
    shown = everything(chromium, f"{json.dumps(halfway)}.map(window.tempbenchNumber)")
    assert shown == [text_of(numbers.Number(value)) for value in halfway]
    assert "0.062" in shown


def test_axe_finds_nothing_serious(chromium, suite_page):
    chromium.open(suite_page, width=400, scheme="dark")
    assert chromium.violations() == []


@pytest.fixture(scope="session", params=["rextime_mini", "coherence_qa_mini"])
def shown_page(request, tmp_path_factory):
    """A video, and frames of a video that come as pictures."""
    file = tmp_path_factory.mktemp("shown") / "page.html"
    file.write_text(as_html(request.param, 1, 3, 6), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1400, "dark")])
def test_show(chromium, shown_page, width, scheme):
    chromium.open(shown_page, width=width, scheme=scheme)
    assert chromium.complaints == []
    assert [url for url in chromium.requests if not url.startswith("data:")] == [shown_page]
    assert chromium.value("document.documentElement.scrollWidth") <= width
    assert everything(chromium, OUTSIDE) == []
    assert chromium.violations() == []
    heading = "document.querySelector('article:not([hidden]) h2').textContent"
    assert chromium.value(heading).startswith("Document 1 ")
    captions = everything(
        chromium,
        "[...document.querySelectorAll('article:not([hidden]) figcaption')].map((one) => one.textContent)",
    )
    times = [float(one.partition(", at ")[2].removesuffix(" s")) for one in captions]
    assert len(times) in (6, 8)
    assert times == sorted(set(times))
    for key, number in (("j", 2), ("ArrowRight", 3), ("j", 3), ("k", 2), ("ArrowLeft", 1), ("k", 1)):
        chromium.press(key)
        assert eventually(chromium, f"{heading}.startsWith('Document {number} ')")
    # Four keys led on, and before the first one the address had no hash.
    chromium.value("history.go(-4)")
    assert eventually(chromium, f"location.hash === '' && {heading}.startsWith('Document 1 ')")


def test_everything_is_reached_by_the_keyboard(chromium, shown_page, suite_page):
    """Tab comes to every link, button and field of a page once, in the order in which they stand."""
    for address, least in ((shown_page, 2), (suite_page, 100)):
        chromium.open(address)
        reached = everything(
            chromium,
            """[...document.querySelectorAll("a[href], button, select, input, summary, [tabindex]")]
            .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex < 0
                && !one.matches("article.seen")).map((one) => one.outerHTML.slice(0, 80))""",
        )
        assert reached == []
        clicked = """[...document.querySelectorAll("[onclick], [role=button]")].length"""
        assert chromium.value(clicked) == 0
        stops = set()
        for _ in range(least):
            chromium.press("Tab")
            stops.add(chromium.value("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
        assert len(stops) == least
