"""Prints every dependency at its declared lower bound, one a line, for `pip install --requirements`.

`uv pip install --resolution lowest-direct` does nearly the same; it takes the newest of what the dependencies
depend on, and that may need more than a lower bound, which then is never tried.
"""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def lower_bounds(text: str) -> list[str]:
    """Returns `name==version` of what a run needs; what comes after `;` is kept."""
    listed = re.findall(r"^(?:dependencies|run|metrics) = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    quoted = re.findall(r'^ *"(.*)",$', "\n".join(listed), re.MULTILINE)
    return [
        re.sub(r">=([^,;]*),[^;]*", r"==\1", line).replace(">=", "==", 1) for line in dict.fromkeys(quoted)
    ]


if __name__ == "__main__":
    print("\n".join(lower_bounds(PROJECT.read_text(encoding="utf-8"))))
