"""What MATEO adds to the `tempbench` command."""

from collections.abc import Callable, Mapping
from typing import Any

from tempbench_lmms.errors import TempbenchError


def preflight(config: Mapping[str, Any]) -> None:
    """Raises an error if a task shows pictures but the data was prepared without them."""
    from tempbench_lmms.data import manifests
    from tempbench_lmms.harness.tasks import kwargs_of, root_of

    shown = kwargs_of(config) or {}
    _, root = root_of(dict(config))
    if shown.get("modality") != "text" and (manifests.read(root) or {}).get("text_only") is True:
        raise TempbenchError(
            f"{config['task']} shows pictures, and {root} was prepared with --text-only; run tasks "
            "mateo_text_*, or prepare the data with pictures"
        )


COMMANDS: dict[str, Callable[..., Any]] = {"preflight": preflight}
