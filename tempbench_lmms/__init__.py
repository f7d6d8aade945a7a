"""Temporal-reasoning benchmarks for vision-language models, as a plugin for the lmms-eval harness.

Importing the package is cheap: neither torch nor the harness is imported before it is needed.
"""

import os

__version__ = "0.2.0"

# Folders of the user's with benchmarks of his own; in this file, so that they are there in every process.
# `benchmarks.names` refuses a relative one: it would be another folder in each working folder.
__path__ += [
    os.path.normpath(one) for one in os.environ.get("TEMPBENCH_BENCHMARKS", "").split(os.pathsep) if one
]
