"""What the motion-only benchmark adds to the `tempbench` command."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.motion_only.checks import problems

    yield from problems(root)


def stats(
    mini: Annotated[bool, typer.Option("--mini", help="Of the bundled sample.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count questions and pairs, by kind and by right answer."""
    import json
    from collections import Counter

    from tempbench_lmms.data import terminal
    from tempbench_lmms.data.roots import mini_root, prepared_root
    from tempbench_lmms.data.tables import read_rows

    rows = read_rows((mini_root("motion_only") if mini else prepared_root("motion_only")) / "test")
    measured = {"questions": len(rows), "pairs": len({row["pair_id"] for row in rows})}
    measured |= {f"of a {kind}": n for kind, n in sorted(Counter(row["kind"] for row in rows).items())}
    measured |= {f"answer {one}": n for one, n in sorted(Counter(row["answer"] for row in rows).items())}
    if as_json:
        print(json.dumps(measured, indent=2))
        return
    terminal.print_tables({"": [("what", "number"), *((name, str(n)) for name, n in measured.items())]})


COMMANDS: dict[str, Callable[..., Any]] = {"verify": verify, "stats": stats}
