"""Writes one self-contained HTML page: no server, no network, and no model's text is ever markup."""

import json
from collections.abc import Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from tempbench_lmms import record
from tempbench_lmms.report import overview, tables
from tempbench_lmms.report.figures import figures_of
from tempbench_lmms.report.grid import Number
from tempbench_lmms.report.numbers import TaskNumbers
from tempbench_lmms.report.questions import MEGABYTES, PICTURED, data_of
from tempbench_lmms.report.templates import HERE, content_hash, rendered


def page(
    tasks: Sequence[TaskNumbers],
    title: str = "tempbench report",
    n_questions: int = 5000,
    n_pictured: int = PICTURED,
    megabytes: float = MEGABYTES,
    prices: overview.Prices = MappingProxyType({}),
) -> str:
    """Returns the page.

    Args:
        tasks: The tasks of the runs.
        title: Its title.
        n_questions: Maximum number of questions with texts.
        n_pictured: Maximum number of questions with pictures.
        megabytes: Maximum size of the questions' texts, and of their pictures.
        prices: What tokens cost, by run.
    """
    sections = tables.sections_of(tasks)
    script = Markup((HERE / "page.js").read_text(encoding="utf-8"))
    return rendered(
        "page.html",
        title=title,
        script=script,
        script_hash=content_hash(script),
        overview=list(overview.grids_of(sections, prices)),
        sections=[(section, list(figures_of(section))) for section in sections],
        data=data_of(tasks, n_questions, n_pictured, megabytes),
        embedded=embedded,
        parse_rate=parse_rate,
        shown=record.shown,
    )


def embedded(value: Any) -> Markup:
    """Returns a value as JSON that is safe inside a `<script>` element for any strings."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)
    except ValueError:  # NaN and infinity are not JSON: no browser reads a page with one of them
        text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), default=str)
    # Without these three, no string can end the element or begin a comment in it.
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def parse_rate(task: TaskNumbers) -> Number | None:
    """Returns the share of a task's answers that could be read; for several tests, the lowest share."""
    known = [n for name, n in task.numbers.items() if name.endswith("parse_rate") and n.number is not None]
    whole = task.numbers.get("parse_rate")
    return whole or min(known, key=lambda number: number.number or 0.0, default=None)
