"""Renders bundled samples anew: `python -m hf_datasets.samples NAME ...`, where NAME has a module here."""

import sys
from importlib import import_module

from tempbench_lmms.data.roots import mini_root

for name in sys.argv[1:]:
    print(import_module(f"hf_datasets.samples.{name}").write(mini_root(name)))
