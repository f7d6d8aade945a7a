"""The command `tempbench reread`."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tempbench_lmms.data.terminal import counted
from tempbench_lmms.errors import TempbenchError

if TYPE_CHECKING:
    from tempbench_lmms.runs.logs import TaskLog
    from tempbench_lmms.runs.rereading import Outcome, Question
    from tempbench_lmms.runs.second_readers import SecondReader


def reread(
    logs: Annotated[list[Path], typer.Argument(help="Runs: their --output_path, or results files.")],
    reader: Annotated[
        str, typer.Option(help="The second reader: a model's name at --base-url; without it a saved model.")
    ],
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible endpoint, up to and including /v1.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Ask about all replies, not only those that we left unread.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what it would cost, and ask nothing.")
    ] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests under way at the same time.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")] = 60,
    retries: Annotated[
        int, typer.Option(min=0, help="How often a busy, failing or silent endpoint is asked again.")
    ] = 5,
    api_key_env: Annotated[
        str, typer.Option(help="The environment variable with the endpoint's key; it may be unset.")
    ] = "OPENAI_API_KEY",
    partial: Annotated[bool, typer.Option("--partial", help="Use what can be read of damaged logs.")] = False,
) -> None:
    """Have a language model read the replies that we left unread; `rescore` and `report` show both.

    The replies go to the endpoint. What it reads is kept beside the logs, which stay as they are. The same
    command continues an interrupted one.
    """
    print("tempbench: reading the logs", file=sys.stderr, flush=True)
    from tempbench_lmms.runs import rereading
    from tempbench_lmms.runs.logs import read_runs

    second = _second_reader(reader, base_url, os.environ.get(api_key_env, ""), timeout, retries)
    chosen: list[Question] = []
    for log in read_runs(logs, partial):
        chosen += _to_ask(log, second.name, everything)
    tokens = sum(rereading.estimated_tokens(question.request()) for question in chosen)
    print(
        f"{len(chosen):,} requests to {reader}: about {tokens:,} tokens, and about {10 * len(chosen):,} "
        "tokens of answers; an answer of another form is asked for once more"
    )
    if dry_run or not chosen:
        return
    _report(_ask(chosen, second, concurrency), len(chosen))


def _second_reader(name: str, base_url: str | None, key: str, timeout: float, retries: int) -> "SecondReader":
    from tempbench_lmms.runs.second_readers import Endpoint, Local

    if not name.strip():
        raise TempbenchError("the second reader has no name; give --reader the model's")
    return Endpoint(name, base_url, key, timeout, retries) if base_url else Local(name)


def _to_ask(log: "TaskLog", reader: str, everything: bool) -> "list[Question]":
    """Returns the replies of a log to ask about now, and prints how many there are."""
    from tempbench_lmms.runs import rereading

    questions = rereading.questions_of(log)
    unread = [question for question in questions if question.unread]
    wanted = questions if everything else unread
    known = rereading.known(log, reader)
    new = [question for question in wanted if question.id not in known.lines]
    print(
        f"{log.task}, {log.model}: {len(new):,} of {len(log.samples):,} replies to ask about "
        f"({len(unread):,} unread by us, {len(wanted) - len(new):,} read by it already)"
    )
    if remark := rereading.remark(known):
        print(f"  {remark}")
    return new


def _ask(questions: "list[Question]", reader: "SecondReader", concurrency: int) -> "Outcome":
    from tqdm import tqdm

    from tempbench_lmms.runs import rereading

    try:
        with tqdm(total=len(questions), unit="reply", disable=None) as bar:
            return rereading.ask(questions, reader, concurrency, bar.update)
    except KeyboardInterrupt:
        print("tempbench: stopped; give the same command again to continue", file=sys.stderr, flush=True)
        os._exit(130)  # Python would wait for the requests under way; what was read is on the disk


def _report(outcome: "Outcome", n: int) -> None:
    from tempbench_lmms.runs.rereading import STATUSES

    found = ", ".join(f"{outcome.statuses[status]:,} {status}" for status in STATUSES)
    n_read = sum(outcome.statuses.values())
    print(f"{n_read:,} of {n:,} replies: {found}")
    if n_read and outcome.statuses["wrong form"] == n_read:
        print("  none of its answers has the form asked for; choose another --reader")
    print(
        f"{outcome.requests:,} requests were answered, {outcome.prompt_tokens:,} tokens and "
        f"{outcome.answer_tokens:,} of answers by the reader's own count"
    )
    if failed := sum(outcome.failures.values()) + outcome.left:
        reason, _ = outcome.failures.most_common(1)[0]
        stopped = f", of which {outcome.left:,} were not asked for that reason" if outcome.left else ""
        raise TempbenchError(
            f"no reading of {counted(failed, 'reply', 'replies')} ({reason}){stopped}; give the same command "
            "again to ask about them"
        )
