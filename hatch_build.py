"""Puts task_yamls/ and hf_datasets/ inside the package in a wheel.

An editable install reads them from the checkout instead (`tempbench_lmms.data.roots`); copies of them in
site-packages would go stale there without anybody noticing.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelLayout(BuildHookInterface):
    """Maps the two data folders into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds; `version` is "standard" or "editable"."""
        if version == "standard":
            for folder in ("task_yamls", "hf_datasets"):
                for path in sorted(Path(self.root, folder).iterdir()):
                    # The code that draws the bundled samples is useless without a checkout.
                    if path.name not in ("samples", "__pycache__"):
                        inside = f"{folder}/{path.name}"
                        build_data["force_include"][inside] = f"tempbench_lmms/{inside}"
