"""The command `tempbench reread`."""

import os
from typing import Annotated

import typer

from tempbench_lmms.cli.command import IncludePath, Logs, Partial
from tempbench_lmms.data.terminal import tell
from tempbench_lmms.errors import TempbenchError


def reread(
    logs: Logs,
    reader: Annotated[str, typer.Option(help="The second reader: the name of a model at --base-url.")] = "",
    base_url: Annotated[
        str, typer.Option(help="An OpenAI-compatible endpoint, up to and including /v1.")
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Ask about, or show, all replies, not only unread ones.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it would cost.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Number of simultaneous requests.")] = 8,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")] = 60,
    retries: Annotated[int, typer.Option(min=0, help="Number of times to repeat a failed request.")] = 5,
    api_key_env: Annotated[
        str, typer.Option(help="The environment variable with the endpoint's key, if it needs one.")
    ] = "OPENAI_API_KEY",
    partial: Partial = False,
    include_path: IncludePath = None,
) -> None:
    """Let a language model read the unread replies; `rescore` and `report` show both readings.

    The replies are sent to the endpoint. Its readings are stored beside the logs, which do not change. The
    same command continues an interrupted one. Without --reader, our reader gives a second opinion on the
    scores of the harness's own multiple-choice tasks.
    """
    tell("reading the logs")
    from tqdm import tqdm

    from tempbench_lmms.runs import rereading, second_opinion
    from tempbench_lmms.runs.logs import read_runs
    from tempbench_lmms.runs.second_readers import Endpoint

    if not reader and not base_url:
        return second_opinion.show(read_runs(logs, partial), everything)
    if not reader.strip() or not base_url:
        raise TempbenchError("a second reader needs its name, --reader, and its address, --base-url")
    key = os.environ.get(api_key_env, "")
    second = Endpoint(reader, base_url, key, timeout, retries)
    own = (log for log in read_runs(logs, partial) if not log.other)
    chosen = [question for log in own for question in rereading.to_ask(log, second.name, everything)]
    tokens = sum(len(question.request()) for question in chosen) // 4
    print(
        f"{len(chosen):,} requests to {reader}: about {tokens:,} tokens, and about {10 * len(chosen):,} "
        "tokens of answers; an answer in the wrong form is asked for once more"
    )
    if dry_run or not chosen:
        return
    try:
        with tqdm(total=len(chosen), unit="reply", disable=None) as bar:
            lines, failures = rereading.ask(chosen, second, concurrency, bar.update)
    except KeyboardInterrupt:
        tell("stopped; give the same command again to continue")
        os._exit(130)  # Python would wait for the running requests; the readings are already stored
    rereading.report(lines, failures, len(chosen))
