"""What ReXTime adds to the `tempbench` command."""

from collections.abc import Callable, Mapping
from typing import Any


def preflight(config: Mapping[str, Any]) -> None:
    """Raises where a task's videos are missing, before a model is loaded."""
    from tempbench_lmms.harness.tasks import docs_of

    if config.get("process_docs"):
        docs_of(dict(config))


COMMANDS: dict[str, Callable[..., Any]] = {"preflight": preflight}
