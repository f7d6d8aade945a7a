"""Where a file of the repository stands in the site, and links between files as links between pages."""

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from tempbench_lmms import benchmarks

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?!\w+:)(?P<path>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)")
_PICTURE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?!\w+:)(?P<path>[^)#\s]+)\)")


def pages() -> dict[str, str]:
    """Returns where files outside `docs/` stand in the site, by their paths in the repository."""
    of_benchmarks = {
        f"tempbench_lmms/{name}/README.md": f"benchmarks/{name}.md" for name in benchmarks.names()
    }
    others = {
        "README.md": "index.md",
        "CONTRIBUTING.md": "contributing.md",
        "CHANGELOG.md": "changes.md",
        "tempbench_lmms/media/README.md": "media.md",
        "hf_datasets/tempvs/README.md": "tempvs_curation.md",
    }
    return {file: page for file, page in (others | of_benchmarks).items() if (ROOT / file).is_file()}


def place(file: str) -> str | None:
    """Returns where a file of the repository stands in the site; None where it does not."""
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    return pages().get(file)


def relinked(markdown: str, file: str, page: str) -> str:
    """Returns the text of a file for a page of the site, with links that lead there from the page.

    A link to a file without a page, such as code, becomes its text: the site does not have the file.

    Args:
        markdown: The text, or a part of it.
        file: The file that it stands in, from the repository's root.
        page: The page that shows it, from the site's root.

    Raises:
        FileNotFoundError: A link leads nowhere in the repository.
    """

    def link(found: re.Match[str]) -> str:
        text, anchor = found["text"], found["anchor"] or ""
        there = _target(file, found["path"]) if found["path"] else file
        at = place(there)
        if at is None or (ROOT / there).is_dir():
            return text
        return f"[{text}]({'' if at == page else _from(page, at)}{anchor})"

    def picture(found: re.Match[str]) -> str:
        at = place(_target(file, found["path"]))
        return f"![{found['text']}]({_from(page, at)})" if at else found["text"]

    return _outside_code(markdown, lambda text: _PICTURE.sub(picture, _LINK.sub(link, text)))


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    out, at = [], 0
    for fence in _FENCE.finditer(markdown):
        out += [change(markdown[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*out, change(markdown[at:])])


def _target(file: str, link: str) -> str:
    path = os.path.normpath(PurePosixPath(file).parent / link)
    if not (ROOT / path).exists():
        raise FileNotFoundError(f"{file} links to {link}, and there is no {path}")
    return path


def _from(page: str, other: str) -> str:
    return os.path.relpath(other, PurePosixPath(page).parent)
