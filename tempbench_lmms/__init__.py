"""Temporal-reasoning benchmarks for vision-language models, as a plugin for the lmms-eval harness.

Importing the package is cheap: neither torch nor the harness is imported before it is needed.
"""

from pathlib import Path

__version__ = "0.1.0"

# In a wheel task_yamls/ and hf_datasets/ lie inside this package; in a checkout they lie beside it.
# Extending the path makes `tempbench_lmms.hf_datasets` importable there too.
if (Path(__file__).parent.parent / "hatch_build.py").is_file():
    __path__.append(str(Path(__file__).parent.parent))
