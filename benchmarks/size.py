"""How large each part of the project is beside its budget: `python benchmarks/size.py`.

A line counts unless it is blank, of every tracked text file but Markdown, the papers' tables, recorded test
data and what others wrote. Statements are those of Python's syntax tree, so that folding lines wins nothing.
"""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ["py", "js", "html", "css", "jinja", "toml", "yaml", "yml", "tsv", "csv", "json", "txt"]
NOT_COUNTED = {"vendor", "reference", "mini"}
BUDGETS = {
    "tempbench_lmms": 34_000,
    "statements of tempbench_lmms": 21_000,
    "tempbench_lmms/parsing": 4_500,
    "tempbench_lmms/coherence": 1_100,
    "tempbench_lmms/mateo": 1_100,
    "tempbench_lmms/nextgqa": 1_100,
    "tempbench_lmms/rextime": 1_100,
    "tempbench_lmms/tempvs": 1_100,
    "tempbench_lmms/arrow_of_time": 600,
    "tempbench_lmms/motion_only": 600,
    "tempbench_lmms/tempcompass_pairs": 600,
    "tempbench_lmms/timeblind": 600,
    "tempbench_lmms/timepercept": 600,
    "hf_datasets": 9_000,
    "benchmarks": 3_000,
    "tests": 26_000,
    "functions over 60 lines": 0,
    "functions over 20 branches": 0,
}
"""The most that a part may have; continuous integration holds it."""
BRANCHES = (
    *(ast.If, ast.For, ast.While, ast.Try, ast.ExceptHandler, ast.BoolOp, ast.IfExp, ast.comprehension),
    *(ast.Assert, ast.With),
)
"""What makes one more branch; a function without them has one."""


def sizes() -> Counter[str]:
    """Returns the lines of each part, and the package's statements."""
    command = ["git", "-C", str(ROOT), "ls-files", *(f"*.{kind}" for kind in KINDS)]
    found: Counter[str] = Counter()
    for name in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        top, *folders = name.split("/")[:-1] or [""]
        of_code = top not in ("tests", "benchmarks", "docs") or name.endswith((".py", ".jinja"))
        if NOT_COUNTED & {top, *folders} or ".min." in name or not of_code or not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = sum(bool(line.strip()) for line in text.splitlines())
        found.update({top: lines, **({f"{top}/{folders[0]}": lines} if folders else {})})
        if top in ("tempbench_lmms", "hf_datasets") and name.endswith(".py"):
            nodes = [*ast.walk(ast.parse(text))]
            found[f"statements of {top}"] += sum(isinstance(node, ast.stmt) for node in nodes)
            functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
            found["functions over 60 lines"] += sum(
                (node.end_lineno or 0) - node.lineno >= 60 for node in functions
            )
            found["functions over 20 branches"] += sum(
                sum(isinstance(part, BRANCHES) for part in ast.walk(node)) >= 20 for node in functions
            )
    return found


def main() -> int:
    """Prints a line per part; returns 1 where one is larger than its budget."""
    found = sizes()
    print(f"{'':34} {'now':>7} {'at most':>8}")
    for part, most in BUDGETS.items():
        print(f"{part:34} {found[part]:7,} {most:8,}{'  too large' * (found[part] > most)}")
    return any(found[part] > most for part, most in BUDGETS.items())


if __name__ == "__main__":
    sys.exit(main())
