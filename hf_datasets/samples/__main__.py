"""Renders the bundled samples anew: all of them, or `python -m hf_datasets.samples tempvs` just one."""

import sys
from importlib import import_module

from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import mini_root

for name in sys.argv[1:] or benchmarks.names():
    print(import_module(f"hf_datasets.samples.{name}").write(mini_root(name)))
