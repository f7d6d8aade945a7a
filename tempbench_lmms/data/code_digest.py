"""A checksum of the code that turns replies into scores, because two checkouts of one version may differ.

It depends only on file names and text, so a wheel and a checkout of the same code agree on every machine.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tempbench_lmms.card import home

KEY = "code"
"""Its key in the facts that only a run knows, and in its run card."""
_PACKAGE = Path(__file__).parents[1]
# The code that all benchmarks share: reading replies, and computing scores.
_SHARED = (
    *("parsing/**/*.py", "parsing/lexicon/*.txt", "metrics/*.py", "record.py", "record_reading.py"),
    *("data/option_order.py", "data/texts.py"),
    *("harness/adapter.py", "harness/derived_hooks.py"),
)


@cache
def of_numbers(benchmark: str) -> str:
    """Returns one SHA-256 over the code that turns replies to a benchmark's questions into scores.

    It is computed once per process. It does not cover what a model is shown: prompts and media have their own
    checksums.
    """
    own = home(benchmark)
    return digest_of(named(_PACKAGE, _SHARED) | named(own, ("*.py",), f"{benchmark}/"))


def named(folder: Path, patterns: Iterable[str], prefix: str = "") -> dict[str, Path]:
    """Returns the matching files below a folder, by names that do not depend on the folder's place."""
    found = (path for pattern in patterns for path in folder.glob(pattern))
    return {f"{prefix}{path.relative_to(folder).as_posix()}": path for path in found}


def digest_of(files: Mapping[str, Path]) -> str:
    """Returns one SHA-256 over named texts, independent of their line endings."""
    found = hashlib.sha256()
    for name, path in sorted(files.items()):
        text = path.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{name}:{len(text)}\n".encode() + text)
    return found.hexdigest()
