"""What the documentation names is there: files, folders, functions beside them; its examples hold."""

import doctest
import importlib
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from docs.website import commands
from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.harness import plugin

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(f"tempbench_lmms/{name}/README.md" for name in benchmarks.names()),
    *sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("docs/**/*.md")),
]
PATH = re.compile(
    r"`((?:tempbench_lmms|hf_datasets|task_yamls|tests|docs|benchmarks)/[\w./*-]*)`(?: \(`(\w+)`\))?"
)
# The modules whose docstrings hold an example.
EXAMPLES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in ROOT.glob("tempbench_lmms/**/*.py")
    if re.search(r"^ +>>> ", path.read_text(encoding="utf-8"), re.M)
)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
WORDS = 25_000
"""Of all Markdown files together."""


def named(page: str) -> list[tuple[str, str]]:
    """Returns the paths that a page names, B and NAME filled in, each with the function named beside it."""
    found = PATH.findall((ROOT / page).read_text(encoding="utf-8"))
    return [
        (re.sub(r"\b(B|NAME)(?=[/.])", name, path), function)
        for path, function in found
        for name in (benchmarks.names() if re.search(r"\b(B|NAME)[/.]", path) else [""])
    ]


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_are_there(page: str) -> None:
    for path, function in named(page):
        files = list(ROOT.glob(path))
        assert files, f"{page} names {path}"
        assert not function or any(f"def {function}(" in file.read_text("utf-8") for file in files), path


@pytest.mark.parametrize("module", EXAMPLES)
def test_examples_in_docstrings_give_what_they_show(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        assert ((ROOT / page).parent / link).exists(), f"{page} links to {link}"


def test_the_code_map_names_files() -> None:
    assert len(named("CONTRIBUTING.md")) > 40


def test_the_pages_say_which_versions_the_project_declares() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    page = (ROOT / "docs/quickstart.md").read_text(encoding="utf-8")
    bounds = dict(re.findall(r'"?([\w-]+)(?: = )?"?>=([\d.]+)"', project))
    assert f"Python {bounds['requires-python']} or later" in page
    assert f"lmms-eval {bounds['lmms-eval']} or later" in page
    assert f"needs {'.'.join(map(str, plugin.MINIMUM_TO_KEEP_ANSWERS))}" in page
    ci = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    tested = re.findall(r'python: \["(.+)"\]', ci)[0].split('", "')
    words = f"Python {', '.join(tested[:-1])} and {tested[-1]}"
    assert words in " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())


def test_commands_and_options_that_a_page_names_are_there() -> None:
    known = commands.every()
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
        for name, rest in re.findall(r"\btempbench (?!-)([a-z-]+)((?: [^\n`|#]*)?)", text):
            command, (below, *_) = known[name], [*rest.split(), ""]
            command = getattr(command, "commands", {}).get(below, command)
            if name == "run" or hasattr(
                command, "commands"
            ):  # takes the harness's options, or names no benchmark
                continue
            options = {one for param in command.params for one in (*param.opts, *param.secondary_opts)}
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest):
                assert option in options | {"--help"}, f"{page}: tempbench {name}{rest}"


def test_the_documentation_stays_small() -> None:
    files = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in files.stdout.split()}
    assert sum(len(text.split()) for text in texts.values()) <= WORDS
    assert sum(name.startswith("docs/") and "/decisions/" not in name for name in texts) <= 20


def test_the_citation_names_every_paper_of_the_cards() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    titles = [
        title
        for name in benchmarks.names()
        for title in re.findall(r"^ *title = \{(.*)\}", benchmarks.card(name).bibtex, re.M)
    ]
    assert [one["title"] for one in cited["references"]] == titles


def test_the_locked_versions_name_no_index_and_miss_no_dependency() -> None:
    locked = (ROOT / ".github/constraints.txt").read_text(encoding="utf-8")
    assert not re.search(r"://| @ |^-", locked, re.M)
    names = set(re.findall(r"^([a-z0-9][\w.-]*)==", locked, re.M))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[dependency-groups]")[0]
    wanted = {one.lower() for one in re.findall(r'^ *"([\w-]+)(?:\[[\w,]*\])?>=', project, re.M)}
    assert wanted <= names
