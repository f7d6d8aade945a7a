"""The page of `tempbench check-model`."""

from tempbench_lmms.check.course import Check
from tempbench_lmms.check.verdicts import LINES
from tempbench_lmms.report.templates import rendered


def page(check: Check) -> str:
    """Returns a check as one self-contained HTML page."""
    inside = [one for one in check.verdicts if one.line in LINES]
    outside = [one for one in check.verdicts if one.line not in LINES]
    parts = [("What arrives", inside), *([("What is seen", outside)] if outside else ())]
    packages = check.about.get("packages") or {}
    about = {
        name: value for name, value in check.about.items() if name != "packages" and value not in ("", [])
    }
    return rendered(
        "check.html",
        title=f"Check of {check.about.get('model', 'a model')}",
        check=check,
        about={**about, **{name: version for name, version in packages.items() if version}},
        parts=parts,
    )
