"""The site: links between pages, the pages of benchmarks, and the whole of it as MkDocs builds it."""

import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tempbench_lmms as tb
from docs.website import benchmark, cost, demo, links
from tempbench_lmms import benchmarks
from tests.chromium import Chromium

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def _pages_are_made_once() -> Iterator[None]:
    """They show questions of each benchmark's sample, whose videos are read for it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("page", "picture", "_sample"):
            patch.setattr(benchmark, name, functools.cache(getattr(benchmark, name)))
        yield


@pytest.mark.parametrize(
    ("text", "file", "page", "expected"),
    [
        ("[a](running.md#frames)", "docs/data.md", "data.md", "[a](running.md#frames)"),
        ("[a](docs/data.md)", "README.md", "index.md", "[a](data.md)"),
        ("[a](../README.md)", "docs/data.md", "data.md", "[a](index.md)"),
        ("[a](#there)", "docs/data.md", "data.md", "[a](#there)"),
        ("[a](https://example.org/x.md)", "README.md", "index.md", "[a](https://example.org/x.md)"),
        ("[code](tempbench_lmms/card.py)", "README.md", "index.md", "code"),
        ("[all](docs/decisions)", "README.md", "index.md", "all"),
        ("```\n[a](nowhere.md)\n```\n", "README.md", "index.md", "```\n[a](nowhere.md)\n```\n"),
    ],
)
def test_links_lead_from_page_to_page(text: str, file: str, page: str, expected: str) -> None:
    assert links.relinked(text, file, page) == expected


def test_a_link_of_a_benchmarks_readme_leads_to_its_page() -> None:
    name = benchmarks.names()[0]
    text = f"[a](tempbench_lmms/{name}/README.md#data)"
    assert links.relinked(text, "README.md", "index.md") == f"[a](benchmarks/{name}.md#data)"


def test_a_link_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match=r"README\.md links to nowhere\.md"):
        links.relinked("[a](nowhere.md)", "README.md", "index.md")


def test_tokens_by_hand() -> None:
    # 640 x 360 / 784 = 293.9; 16 positions of them. A small picture counts as 256, a large one as 2,048.
    assert cost.picture_tokens(640 * 360) == 294
    assert cost.video_tokens(640 * 360) == 16 * 294
    assert (cost.picture_tokens(1), cost.picture_tokens(10**8), cost.video_tokens(1)) == (256, 2048, 16 * 128)


def test_hours_and_dollars_by_hand() -> None:
    # Twice the measured prompt takes twice 0.5 s, and 50 tokens 0.1 s each: 6 s for a question.
    assert cost.gpu_hours(600, 2000, cost.Speed("7B", 1000, 0.5, 0.1), 50) == pytest.approx(1.0)
    # 1,000 calls of 2,000 and 100 tokens: 2 million at 1 dollar, 0.1 million at 5.
    assert cost.dollars(1000, 2000, 100) == pytest.approx(2.5)


def test_speeds_are_read_from_the_page_on_performance() -> None:
    lines = (ROOT / "docs/performance.md").read_text(encoding="utf-8").splitlines()
    assert len(cost.speeds()) == sum(bool(re.match(r"\| \d+B \|.* ms \|$", line)) for line in lines) > 0
    assert {one.model for one in cost.speeds()} == set(cost.models())


@pytest.mark.parametrize("name", benchmarks.names())
def test_a_benchmarks_page_says_what_its_folder_says(name: str) -> None:
    card, page = benchmarks.card(name), benchmark.page(name)
    assert f"asks **{card.full[1]:,} questions**" in page
    assert card.bibtex in page
    for source in card.sources:
        assert f"| [{source.name}]({source.url}) | {source.licence} |" in page
    assert "\n## Data\n" in page
    assert page.count("\n# ") == 0
    assert page.startswith("# ")
    assert f"`{card.headline or card.primary[0]}`" in benchmark.overview()
    picture = benchmark.picture(name)
    assert picture[:4] == b"\x89PNG"
    assert len(picture) < 200_000


def built(folder: Path) -> None:
    """Builds the site into a folder as `mkdocs build --strict` does."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    settings = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(folder))
    settings.plugins.on_startup(command="build", dirty=False)
    try:
        build(settings)
    finally:
        settings.plugins.on_shutdown()


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_needs_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("mkdocs", reason="MkDocs is not installed: pip install '.[docs]'")
    pytest.importorskip("material", reason="mkdocs-material is not installed: pip install '.[docs]'")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed: pip install '.[docs]'")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    try:
        built(tmp_path / "site")
    except SystemExit as error:  # as MkDocs ends
        pytest.fail(f"{error}\n{caplog.text}")
    pages = list((tmp_path / "site").glob("**/*.html"))
    assert {f"{name}.html" for name in benchmarks.names()} <= {page.name for page in pages}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|img|iframe)[^>]* src="?(?:https?:)?//', text), page
        assert not re.search(
            r'<link[^>]* rel="?(?:stylesheet|preconnect)"?[^>]*href="?(?:https?:)?//', text
        ), page
    name = benchmarks.names()[-1]
    with Chromium() as browser:
        browser.open((tmp_path / f"site/benchmarks/{name}.html").as_uri(), width=400)
        assert not [url for url in browser.requests if url.startswith("http")]
        assert browser.value("document.querySelector('article img').naturalWidth") > 100
        assert browser.value("document.documentElement.scrollWidth") <= 400


def test_who_knows_more_is_better_in_the_example_pages(tmp_path):
    demo.answer(tmp_path, ["tempcompass_pairs"])
    found = {one.metric: one for one in tb.compare(tmp_path / "careful", tmp_path / "guesser").metrics}
    assert found["accuracy"].difference.value > 0.2
