"""Temporal-reasoning benchmarks for vision-language models, as a plugin for the lmms-eval harness.

Importing the package is cheap: neither torch nor the harness is imported before it is needed. The names of
`__all__` are stable from 0.2 on; `tempbench_lmms.api` documents them.
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tempbench_lmms import metrics
    from tempbench_lmms.api import TempbenchError, compare, expected, load_runs, read, save_run, score

__version__ = "0.2.0"
__all__ = ["TempbenchError", "compare", "expected", "load_runs", "metrics", "read", "save_run", "score"]

# Folders of the user's with benchmarks of his own; in this file, so that they are there in every process.
# `benchmarks.names` refuses a relative one: it would be another folder in each working folder.
__path__ += [
    os.path.normpath(one) for one in os.environ.get("TEMPBENCH_BENCHMARKS", "").split(os.pathsep) if one
]


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return importlib.import_module("tempbench_lmms.metrics")
    if name in __all__:
        return getattr(importlib.import_module("tempbench_lmms.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
