"""What contract tests and the scripts in `benchmarks/` must know of a benchmark: `tests/NAME/contract.py`.

`docs/adding_a_benchmark.md` says what each name there means.
"""

import importlib
import importlib.util
from types import ModuleType
from typing import Any

REQUIRED = {
    "PAPER": 'the file with the paper\'s text in the folder `papers`: PAPER = "name.txt", or PAPER = None',
    "OFFERED": "what each function of its `parser.py` that takes a reply may return: "
    'OFFERED = {"NAME.parser.read": lambda found: found.value in (None, *"ABCD")}',
    "SOURCE": "what writes a small source for `prepare` in one of two versions and returns the options: "
    'def SOURCE(folder: Path, version: int) -> list[str]: ...; return ["--source", str(folder)]',
}
OPTIONAL: dict[str, Any] = {
    "EMPTY_SOURCE": {},
    "NOT_PARSERS": (),
    "OF_THE_TEXT": "",
    "ORIGIN": {},
    "PARTLY": {},
    "LEFT_OUT": {},
    "PUBLIC": False,
    "PUBLISHED": (),
    "REREAD": (),
    "VALUES": {},
}
"""Names that a benchmark may leave out, with what they are then."""


def of(benchmark: str) -> ModuleType:
    """Returns the module `tests/NAME/contract.py`.

    Raises:
        LookupError: There is none.
    """
    name = f"tests.{benchmark}.contract"
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise LookupError(f"write tests/{benchmark}/contract.py, with {', '.join(REQUIRED)}")
    return importlib.import_module(name)


def get(benchmark: str, name: str) -> Any:
    """Returns one of its values.

    Raises:
        LookupError: It is missing; the message says what to write.
    """
    module = of(benchmark)
    if hasattr(module, name):
        return getattr(module, name)
    if name in OPTIONAL:
        return OPTIONAL[name]
    raise LookupError(f"write in tests/{benchmark}/contract.py {REQUIRED[name]}")
