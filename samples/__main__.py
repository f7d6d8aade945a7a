"""Renders the bundled samples anew: `python -m samples`, or `python -m samples tempvs` for one of them."""

import sys
from importlib import import_module

from tempbench_lmms.data.roots import mini_root

for name in sys.argv[1:] or ("coherence", "mateo", "rextime", "tempvs", "timepercept"):
    print(import_module(f"samples.{name}").write(mini_root(name)))
