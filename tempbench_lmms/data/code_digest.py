"""The code that makes numbers of replies, as a checksum: two checkouts of one version may read differently.

It counts by its names and text alone, so that a wheel and a checkout of the same code agree on every machine.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tempbench_lmms.card import home

KEY = "code"
"""Where the facts that only a run knows, and its run card, have it."""
_PACKAGE = Path(__file__).parents[1]
# What all benchmarks share: how replies are read, and what is computed of what was read.
_SHARED = (
    *("parsing/**/*.py", "parsing/lexicon/*.txt", "metrics/*.py", "record.py", "record_reading.py"),
    *("data/option_order.py", "data/texts.py"),
    *("harness/adapter.py", "harness/derived_hooks.py"),
)


@cache
def of_numbers(benchmark: str) -> str:
    """Returns one SHA-256 over the code that makes numbers of replies to a benchmark's questions.

    It is computed once a process, of the code as that found it. What is shown to a model is not in it: of
    that the prompts are compared, and the checksums of the media.
    """
    own = home(benchmark)
    return digest_of(named(_PACKAGE, _SHARED) | named(own, ("*.py",), f"{benchmark}/"))


def named(folder: Path, patterns: Iterable[str], prefix: str = "") -> dict[str, Path]:
    """Returns the files below a folder that match, by what they are called wherever the folder lies."""
    found = (path for pattern in patterns for path in folder.glob(pattern))
    return {f"{prefix}{path.relative_to(folder).as_posix()}": path for path in found}


def digest_of(files: Mapping[str, Path]) -> str:
    """Returns one SHA-256 over texts by their names, whatever ends their lines."""
    found = hashlib.sha256()
    for name, path in sorted(files.items()):
        text = path.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{name}:{len(text)}\n".encode() + text)
    return found.hexdigest()
