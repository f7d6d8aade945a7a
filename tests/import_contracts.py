"""Import-linter's contracts with a word for all benchmarks: `{benchmark}`, in `tool.importlinter`.

What holds it is repeated in its list for each benchmark, so that no list names them. Which there are is found
as the package finds them. `tempbench_lmms` itself is not imported: import-linter reads it as text.
"""

from pathlib import Path
from typing import Any

from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract

NAMES = sorted(path.parent.name for path in (Path(__file__).parents[1] / "tempbench_lmms").glob("*/card.py"))


def filled(option: Any, name: str) -> Any:
    """Returns an option of a contract with its word replaced: by a layer of all, or by an item each."""
    if not isinstance(option, list):
        return option
    if name == "layers":
        return [item.replace("{benchmark}", " | ".join(NAMES)) for item in option]
    return [
        item.replace("{benchmark}", benchmark)
        for item in option
        for benchmark in (NAMES if "{benchmark}" in item else [""])
    ]


class _Filled:
    def __init__(self, name: str, session_options: dict[str, Any], contract_options: dict[str, Any]) -> None:
        options = {key: filled(value, key) for key, value in contract_options.items()}
        super().__init__(name, session_options, options)


class Layers(_Filled, LayersContract):
    """Layers."""


class Forbidden(_Filled, ForbiddenContract):
    """Forbidden imports."""


class Independence(_Filled, IndependenceContract):
    """Modules that know nothing of one another."""
