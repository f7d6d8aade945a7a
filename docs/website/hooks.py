"""Hooks of MkDocs: they add pages from elsewhere, and make those of the benchmarks and the commands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.website import benchmark, commands
from docs.website.links import ROOT, pages, relinked
from tempbench_lmms import benchmarks

API = {
    "api": "Functions for notebooks",
    "record": "Records and tables of metrics",
    "metrics": "Metrics",
    "parsing": "Reading replies",
}
"""What the reference shows: a module of the package, or a folder of modules."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the pages, and their names to the navigation."""
    for uri, text in _made():
        files.append(File.generated(config, uri, content=text))
    if config.nav is not None:
        config.nav = _expanded(config.nav, [file.src_uri for file in files.documentation_pages()])
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links to files of the repository into links to pages."""
    if page.file.generated_by:
        return markdown
    return relinked(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)


def _made() -> Iterator[tuple[str, str | bytes]]:
    yield "commands.md", commands.page()
    yield "benchmarks/index.md", benchmark.overview()
    of_benchmarks = {f"benchmarks/{name}.md" for name in benchmarks.names()}
    for name in benchmarks.names():
        yield f"benchmarks/{name}.md", benchmark.page(name)
        yield f"benchmarks/{name}.png", benchmark.picture(name)
    for file, uri in pages().items():
        if uri not in of_benchmarks:
            yield uri, relinked((ROOT / file).read_text(encoding="utf-8"), file, uri)
    for name, title in API.items():
        yield f"api/{name}.md", f"# {title}\n\n" + "\n\n".join(f"::: {one}" for one in _modules(name)) + "\n"


def _modules(name: str) -> list[str]:
    """Returns a module of the package, or those in a folder of it."""
    folder: Path = ROOT / "tempbench_lmms" / name
    if not folder.is_dir():
        return [f"tempbench_lmms.{name}"]
    return [f"tempbench_lmms.{name}.{file.stem}" for file in sorted(folder.glob("[!_]*.py"))]


def _expanded(nav: Any, uris: list[str]) -> Any:
    """Returns a navigation in which `FOLDER/*` is every page of the folder that it does not name itself."""
    if isinstance(nav, dict):
        return {title: _expanded(below, uris) for title, below in nav.items()}
    if not isinstance(nav, list):
        return nav
    out: list[Any] = []
    for entry in nav:
        if isinstance(entry, str) and entry.endswith("/*"):
            out += [uri for uri in sorted(uris) if uri.startswith(entry[:-1]) and uri not in nav]
        else:
            out.append(_expanded(entry, uris))
    return out
