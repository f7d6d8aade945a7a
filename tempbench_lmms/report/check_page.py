"""The page of `tempbench check-model`."""

from collections.abc import Iterator

from tempbench_lmms.check.faults import LINES
from tempbench_lmms.check.procedure import Check
from tempbench_lmms.report.grid import Cell, Grid, Heading
from tempbench_lmms.report.templates import rendered


def page(check: Check) -> str:
    """Returns a check as one self-contained HTML page."""
    packages = check.about.get("packages") or {}
    about = {name: value for name, value in check.about.items() if name != "packages"} | packages
    return rendered(
        "check.html",
        title=f"Check of {check.about.get('model', 'a model')}",
        check=check,
        about={name: value for name, value in about.items() if value not in ("", [], None)},
        tables=list(_tables(check)),
    )


def _tables(check: Check) -> Iterator[Grid]:
    head = ["what", "verdict", "given and arrived", "what to do"]
    for name, is_inside in (("What arrives", True), ("What is seen", False)):
        rows = {}
        for one in check.verdicts:
            if (one.line in LINES) is is_inside:
                is_fault = one.state == "failed" and bool(one.counts)
                unneeded = one.state == "failed" and not one.counts
                said = "not needed (it fails, and no task asked for needs it)" if unneeded else one.state
                rows[one.title] = [Cell(said, is_fault=is_fault), Cell(one.text), Cell(one.hint)]
        if rows:
            yield Grid.of(name, head, rows)
    needs = [(task, need) for task, own in check.tasks.items() for need in own]
    cells = [
        Cell("failed", is_fault=True)
        if need.state == "failed"
        else Cell(need.why or need.state or "not checked")
        for _, need in needs
    ]
    rows_of_needs = tuple(Heading((task, need.title)) for task, need in needs)
    columns = (Heading(("holds",)),)
    yield Grid(
        "What tasks need",
        "",
        rows_of_needs,
        columns,
        tuple((cell,) for cell in cells),
        corner="task and need",
    )
