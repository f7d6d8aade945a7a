"""What is wrong with the runs of a report, and what they took: the tables below the headlines."""

from collections.abc import Mapping, Sequence

from tempbench_lmms.record import Record
from tempbench_lmms.report.numbers import RUN, Cell, Grid, Heading, TaskNumbers
from tempbench_lmms.runs.run_card import NOT_CHECKED

PROBLEMS = {
    "unread": "replies that could not be read, which count as wrong",
    "cut off": "of these, replies that ended before their answer",
    "failed": "requests that failed, which count as wrong",
    "not asked": "questions that the run did not ask; questions left out by an option are not a problem",
    "check": "whether `tempbench check-model` failed or was left out",
    "at chance": "tasks with a headline metric that is not clearly above chance",
    "other": "tasks with other warnings",
}
"""What can be wrong with a run, by column of its table."""
EFFORT = ("prompt tokens", "reply tokens", "seconds", "cost")
"""What a run took, by the columns of its table; the cost only if prices are given."""

Prices = Mapping[str, tuple[float, float]]
"""What a million tokens of prompts and of replies cost, by run."""


def verdict(record: Record) -> str:
    """Returns `right`, `wrong`, `unparsed` or `failed`; `answered` if no score is known."""
    if record.get("failed"):
        return "failed"
    if not record.get("parsed"):
        return "unparsed"
    if record.get("correct", 0) is None:
        return "answered"
    return "right" if record.get("correct") else "wrong"


def grid_of(tasks: Sequence[TaskNumbers]) -> Grid:
    """Returns a row per run with its problems."""
    found = problems_of(tasks)
    return Grid(
        name="What is wrong with these runs",
        caption="",
        rows=tuple(Heading((run,), RUN) for run in found),
        columns=tuple(Heading((kind,), notes=(words,)) for kind, words in PROBLEMS.items()),
        cells=tuple(tuple(own.get(kind, Cell("none")) for kind in PROBLEMS) for own in found.values()),
        corner="run",
    )


def problems_of(tasks: Sequence[TaskNumbers]) -> dict[str, Mapping[str, Cell]]:
    """Returns the problems of each run, by the names of `PROBLEMS`."""
    out: dict[str, Mapping[str, Cell]] = {}
    for index, run in enumerate(dict.fromkeys(task.run for task in tasks)):
        own = [task for task in tasks if task.run == run]
        card = own[0].run_card.words
        state, failed = card.get("check.state", NOT_CHECKED), card.get("check.failed", "[]")
        words = "failed" if failed != "[]" else "" if state == "passed" else state
        check = {"check": _fault(words, f"#task-{own[0].place}")} if words else {}
        out[run] = _unread(index, own) | _not_asked(own) | check | _warned(own)
    return out


def _fault(words: str, link: str) -> Cell:
    return Cell(words, link=link, is_fault=True)


def _unknown(own: Sequence[TaskNumbers]) -> dict[str, Cell]:
    """Returns the cells of what only a log tells, for tasks without one; a fault if the log is damaged."""
    missing = [task for task in own if not task.log.samples]
    is_fault = any(task.log.problems for task in missing)
    cell = Cell("unknown", link=f"#task-{missing[0].place}", is_fault=is_fault) if missing else None
    return dict.fromkeys(("unread", "failed", "cut off", "at chance"), cell) if cell else {}


def _unread(index: int, own: Sequence[TaskNumbers]) -> dict[str, Cell]:
    records = [record for task in own for record in task.log.limited]
    verdicts = [verdict(record) for record in records]
    cut_off = sum(record.get("reason") == "cut_off" and not record["failed"] for record in records)
    counts = (
        ("unread", verdicts.count("unparsed"), "verdict=unparsed"),
        ("failed", verdicts.count("failed"), "verdict=failed"),
        ("cut off", cut_off, "how=unread: cut_off"),
    )
    return _unknown(own) | {
        name: _fault(f"{n} of {len(records)}", f"#find=run={index}&{where}") for name, n, where in counts if n
    }


def _not_asked(own: Sequence[TaskNumbers]) -> dict[str, Cell]:
    known = [(task, task.run_card.asked) for task in own if task.run_card.asked]
    partly = [task for task, _ in known if not task.run_card.is_complete]
    if not partly:
        return {}
    link = f"#task-{partly[0].place}"
    if all(task.run_card.limiting_options for task in partly):
        return {"not asked": Cell(partly[0].run_card.limiting_options, link=link)}
    missing, total = sum(of - n for _, (n, of) in known), sum(of for _, (_, of) in known)
    return {"not asked": _fault(f"{missing} of {total}", link)}


def _warned(own: Sequence[TaskNumbers]) -> dict[str, Cell]:
    found: dict[str, list[TaskNumbers]] = {}
    for task in own:
        for name in {one.kind for one in task.warnings} & {"at chance", "other"}:
            found.setdefault(name, []).append(task)
    return {
        name: _fault(f"{len(some)} of {len(own)}", f"#task-{some[0].place}") for name, some in found.items()
    }


def effort_of(tasks: Sequence[TaskNumbers], prices: Prices) -> Grid | None:
    """Returns the tokens, seconds and costs of runs; None if nothing is known."""
    runs = dict.fromkeys(task.run for task in tasks)
    rows = {run: _effort([task for task in tasks if task.run == run], prices.get(run)) for run in runs}
    names = EFFORT if prices else EFFORT[:-1]
    cells = {run: [Cell(one or "unknown") for one in own[: len(names)]] for run, own in rows.items()}
    about = "Tokens as the runner counts them; seconds since the last start of the run"
    is_known = any(map(any, rows.values()))
    return Grid.of("Tokens and time", ["run", *names], cells, kind=RUN, caption=about) if is_known else None


def _effort(own: Sequence[TaskNumbers], price: tuple[float, float] | None) -> list[str]:
    """Returns the tokens of prompts and replies, the seconds and the cost of a run; empty if unknown."""
    samples = [sample for task in own for sample in task.log.samples]
    counts = [[sample.n_given for sample in samples], [sample.n_tokens for sample in samples]]
    tokens = [sum(filter(None, known)) if known and None not in known else None for known in counts]
    times = {task.log.file: task.log.header.get("total_evaluation_time_seconds") for task in own}
    seconds = sum(float(one or 0) for one in times.values())
    cost = sum((n or 0) * one / 1e6 for n, one in zip(tokens, price or (0, 0), strict=True))
    return [
        *("" if n is None else f"{n:,}" for n in tokens),
        f"{seconds:,.0f}" if seconds else "",
        f"{cost:,.2f}" if price and None not in tokens else "",
    ]
