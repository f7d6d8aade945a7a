"""How MATEO data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from typing import Any

from .prepare import prepare

COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare}
