"""Temporal-reasoning benchmarks for vision-language models, as a plugin for the lmms-eval harness.

Importing the package is cheap: neither torch nor the harness is imported before it is needed.
"""

__version__ = "0.1.0"
