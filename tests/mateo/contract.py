"""What contract tests and scripts know of MATEO; see `tests/contract.py`."""

from pathlib import Path

from tempbench_lmms.mateo import parser
from tests.source_files import picture, write

PAPER = "002_45dafcf6299d8f45.txt"

_RELATIONS = (None, "before", "after", "independent")
OFFERED = {
    "mateo.parser.read": lambda found: found.value in (*_RELATIONS, "other"),
    "mateo.official.parse_strict": lambda found: found in (*_RELATIONS, "other"),
    "mateo.official.parse_first": lambda found: found in _RELATIONS,
}
VALUES = {"form": [*parser.FORMS]}

PUBLISHED = ("pairs/test.parquet",)
PUBLIC = True
ORIGIN = {
    "source": {"language": "en", "folder": "/home/somebody/MATEO"},
    "skipped": {"test": ["x: no text"]},
}

REREAD = ("mateo_text_instructions_mini", "mateo_text_cot_mini", "mateo_text_reflection_mini")
OF_THE_TEXT = r".*(_strict|_before_reflection)|reflection_.*|n_reflected"


def SOURCE(folder: Path, version: int) -> list[str]:
    for plan in range(2):
        steps = [{"text": f"Step {i} of {plan}, {version}.", "image": f"{i}.png"} for i in range(3)]
        for i, step in enumerate(steps):
            write(folder / f"plan{plan}" / step["image"], picture(100 * version + 10 * plan + i))
        write(folder / f"plan{plan}/plan.json", {"title": "Soup", "steps": steps, "edges": [[0, 1], [1, 2]]})
    return ["--from", str(folder)]
