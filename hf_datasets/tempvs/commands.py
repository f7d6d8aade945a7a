"""How TempVS data is made: what this folder adds to the `tempbench` command."""

from collections.abc import Callable
from typing import Any

from .build import build
from .prepare import prepare

COMMANDS: dict[str, Callable[..., Any]] = {"prepare": prepare, "build": build}
