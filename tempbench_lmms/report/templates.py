"""The templates of pages, with one head, one style, and a strict content policy."""

import base64
import functools
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

HERE = Path(__file__).parent


def rendered(name: str, **values: Any) -> str:
    """Returns a page.

    Args:
        name: The template, which extends `base.html`.
        values: The values that it shows, `title` among them.
    """
    style = (HERE / "page.css").read_text(encoding="utf-8")
    page = _environment().get_template(name)
    return page.render(style=Markup(style), style_hash=content_hash(style), **values)


@functools.cache
def _environment() -> Environment:
    """Returns the template environment, which compiles each template once per process."""
    return Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def content_hash(text: str) -> str:
    """Returns the hash by which a page's security policy allows a script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
