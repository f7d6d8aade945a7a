"""Metrics as pure functions of numbers, independent of benchmarks, the harness and pictures.

The functions of plain sequences are here by name: `tb.metrics.temporal_iou`.
"""

import importlib
from typing import Any

__all__ = (
    *("confidence_interval", "gated_accuracy", "group_accuracy", "iou_gated_accuracy", "mean_iou"),
    *("mean_kendall_tau", "positive_negative_ratio", "recall_at", "standard_error", "swap_consistency"),
    *("temporal_iop", "temporal_iou"),
)


def __getattr__(name: str) -> Any:
    if name in __all__:  # numpy comes with the first of them
        return getattr(importlib.import_module("tempbench_lmms.metrics.plain"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
