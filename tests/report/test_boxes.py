"""The pages of all benchmarks in a real browser: boxes measured, everything reached by keys, axe-core."""

import json

import pytest

from tempbench_lmms.cli.questions import as_html
from tempbench_lmms.report import numbers
from tempbench_lmms.report.page import page
from tempbench_lmms.runs.logs import read_runs
from tempbench_lmms.runs.starting import leaves
from tests.chromium import OUTSIDE
from tests.report.runs import write_tasks

pytestmark = pytest.mark.slow


def everything(chromium, expression):
    return json.loads(chromium.value(f"JSON.stringify({expression})"))


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """Two runs of every benchmark's bundled sample: the whole of it but for TempVS, whose 800 say no more."""
    folder = tmp_path_factory.mktemp("suite")
    for name in ("oracle", "chance"):
        write_tasks(folder / name, name, list(leaves(["tempbench_mini"])), n=210)
    return list(numbers.of_logs(read_runs([folder])))


@pytest.fixture(scope="session")
def suite_page(suite, tmp_path_factory):
    file = tmp_path_factory.mktemp("suite_page") / "report.html"
    file.write_text(page(suite, n_pictured=2), encoding="utf-8")
    return file.as_uri()


def test_boxes_of_every_benchmark(chromium, suite_page):
    chromium.look(suite_page)
    for width in (1400, 900, 400):
        chromium.resize(width)
        assert (width, everything(chromium, OUTSIDE)) == (width, [])
        assert chromium.value("document.documentElement.scrollWidth") <= width
    assert chromium.complaints == []


REACHED = "a[href], button, select, input, summary, [tabindex]"


def assert_reached_by_keys(chromium):
    """Tab comes to every link, button and field of a page once, in the order in which they stand."""
    left_out = everything(
        chromium,
        f"""[...document.querySelectorAll("{REACHED}")]
        .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex < 0
            && !one.matches("article.seen")).map((one) => one.outerHTML.slice(0, 80))""",
    )
    assert left_out == []
    clicked = """[...document.querySelectorAll("[onclick], [role=button]")].length"""
    assert chromium.value(clicked) == 0
    chromium.value("""(() => {
        window.stops = [];
        document.addEventListener("focusin", (event) => window.stops.push(event.target));
    })()""")
    stops = f"""[...document.querySelectorAll("{REACHED}")].filter((one) =>
        one.checkVisibility() && !one.disabled && one.tabIndex >= 0)"""
    n = chromium.value(f"{stops}.length")
    for _ in range(n):
        chromium.press("Tab")
    assert n
    assert chromium.value(f"{stops}.every((one, place) => one === window.stops[place])")
    assert chromium.value("window.stops.length") == n


def test_axe_finds_nothing_serious_and_everything_is_reached(chromium, suite_page):
    chromium.look(suite_page, width=400, scheme="dark")
    assert chromium.violations() == []
    assert_reached_by_keys(chromium)


@pytest.fixture(scope="session", params=["rextime_mini", "coherence_qa_mini"])
def shown_page(request, tmp_path_factory):
    """A video, and frames of a video that come as pictures."""
    file = tmp_path_factory.mktemp("shown") / "page.html"
    file.write_text(as_html(request.param, 1, 3, 6), encoding="utf-8")
    return file.as_uri()


def test_show_is_reached_by_the_keyboard(chromium, shown_page):
    chromium.open(shown_page)
    assert_reached_by_keys(chromium)


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1400, "dark")])
def test_show(chromium, shown_page, width, scheme):
    chromium.open(shown_page, width=width, scheme=scheme)
    assert chromium.complaints == []
    assert [url for url in chromium.requests if not url.startswith("data:")] == [shown_page]
    assert chromium.value("document.documentElement.scrollWidth") <= width
    assert everything(chromium, OUTSIDE) == []
    assert chromium.violations() == []
    heading = "document.querySelector('article h2').textContent"
    assert chromium.value(heading).startswith("Document 1 ")
    captions = everything(
        chromium,
        "[...document.querySelector('article').querySelectorAll('figcaption')].map((one) => one.textContent)",
    )
    assert len(captions) in (6, 8)
    times = [float(one.partition(", at ")[2].removesuffix(" s")) for one in captions if ", at " in one]
    assert times == sorted(set(times))
