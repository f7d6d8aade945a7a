"""The page of `tempbench check-model`."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tempbench_lmms.check.course import Check
from tempbench_lmms.check.verdicts import LINES
from tempbench_lmms.report.page import content_hash

_HERE = Path(__file__).parent


def page(check: Check) -> str:
    """Returns a check as one self-contained HTML page."""
    environment = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined)
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    inside = [one for one in check.verdicts if one.line in LINES]
    outside = [one for one in check.verdicts if one.line not in LINES]
    parts = [("What arrives", inside), *([("What is seen", outside)] if outside else ())]
    packages = check.about.get("packages") or {}
    about = {
        name: value for name, value in check.about.items() if name != "packages" and value not in ("", [])
    }
    return environment.get_template("check.html").render(
        title=f"Check of {check.about.get('model', 'a model')}",
        style=Markup(style),
        style_hash=content_hash(style),
        check=check,
        about={**about, **{name: version for name, version in packages.items() if version}},
        parts=parts,
    )
