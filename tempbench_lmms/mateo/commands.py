"""What MATEO adds to the `tempbench` command."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms.data import terminal
from tempbench_lmms.data.replies import Partial
from tempbench_lmms.errors import TempbenchError

Mini = Annotated[bool, typer.Option(help="Take the bundled sample.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def verify(root: Path) -> Iterator[str]:
    """Yields one line a problem in the data under `root`."""
    from tempbench_lmms.mateo.checks import problems

    yield from problems(root)


def preflight(config: Mapping[str, Any]) -> None:
    """Raises where a task shows pictures and the data was prepared without them."""
    from tempbench_lmms.data import manifests
    from tempbench_lmms.harness.tasks import kwargs_of, root_of

    shown = kwargs_of(config) or {}
    _, root = root_of(dict(config))
    if shown.get("modality") != "text" and (manifests.read(root) or {}).get("text_only") is True:
        raise TempbenchError(
            f"{config['task']} shows pictures, and {root} was prepared with --text-only; run tasks "
            "mateo_text_*, or prepare the data with pictures"
        )


def score(
    predictions: Annotated[
        Path, typer.Option(help="JSON lines with question_id and reply, or a sample log of the harness.")
    ],
    setting: Annotated[str, typer.Option(help="baseline, instructions, icl, cot or reflection.")],
    mini: Mini = False,
    as_json: AsJson = False,
    partial: Partial = False,
) -> None:
    """Score replies that were obtained elsewhere: all metrics, confusion matrices, breakdowns."""
    from tempbench_lmms.mateo.predictions import check_setting, read, scores

    check_setting(predictions, setting)
    result = scores(read(predictions), _rows(mini), setting, partial)
    for line in result["remarks"]:
        print(line, file=sys.stderr)
    if as_json:
        print(json.dumps(result, indent=2))
        return
    _print_scores(result)


def stats(mini: Mini = False, as_json: AsJson = False) -> None:
    """Count plans and pairs, beside the paper's counts, and show what trivial answers get."""
    from tempbench_lmms.data import manifests, roots
    from tempbench_lmms.mateo.predictions import trivial

    root = roots.mini_root("mateo") if mini else roots.prepared_root("mateo")
    manifest = manifests.read(root, "counts") or {"counts": {}}
    baselines = trivial(_rows(mini))
    if as_json:
        print(json.dumps({"counts": manifest["counts"], "trivial": baselines}, indent=2))
        return
    print_counts(manifest)
    _print_columns(baselines)


def export_train(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.")],
    modality: Annotated[str, typer.Option(help="image, text or both.")] = "both",
    setting: Annotated[str, typer.Option(help="baseline, instructions or icl.")] = "instructions",
    split: Annotated[
        str | None, typer.Option(help="train (the default), validation or test; the sample has test alone.")
    ] = None,
    mini: Annotated[bool, typer.Option(help="Take the bundled sample, to try a trainer out.")] = False,
    force: Annotated[bool, typer.Option(help="Replace an earlier export.")] = False,
) -> None:
    """Write questions with their right answers for fine-tuning, and the paper's LoRA settings."""
    from tempbench_lmms.data.finetuning import write_conversations
    from tempbench_lmms.mateo.card import COUNTS, LORA
    from tempbench_lmms.mateo.training import examples, trained_on

    split = split or ("test" if mini else "train")
    rows = trained_on(_rows(mini, split))
    counts = write_conversations(examples(rows, modality, setting), output, LORA, force)
    print(f"{output}: {counts['conversations']} conversations, {counts['images']} pictures")
    labels = Counter(row["label"] for row in rows)
    printed = COUNTS["train"]
    for label, count in sorted(labels.items()):
        paper = printed["independent" if label == "independent" else "edges"]
        print(f"  {label}: {count}" + (f" (paper: {paper})" if split == "train" else ""))


def _rows(mini: bool, split: str = "test") -> list[dict[str, Any]]:
    from tempbench_lmms.data import roots, tables
    from tempbench_lmms.mateo.card import SPLITS
    from tempbench_lmms.mateo.checks import table_name

    if split not in SPLITS:
        raise TempbenchError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    root = roots.mini_root("mateo") if mini else roots.prepared_root("mateo")
    table = root / table_name(split) / f"{split}.parquet"
    if not table.is_file():
        if mini:
            raise TempbenchError(f"the bundled sample has no {split} split, only test; leave out --split")
        known = ", ".join(one for one in SPLITS if (root / table_name(one) / f"{one}.parquet").is_file())
        raise TempbenchError(
            f"{root} has no {split} split, only {known or 'none'}; prepare a release that has one"
        )
    return tables.read_rows(table)


def print_counts(manifest: Mapping[str, Any]) -> None:
    """Prints the counts of a manifest, for the release beside those that the paper prints."""
    from rich.table import Table

    from tempbench_lmms.mateo.card import COUNTS
    from tempbench_lmms.mateo.checks import OFFICIAL

    own = manifest.get("edition") != OFFICIAL
    table = Table("split", "count", "here", *([] if own else ["paper"]), box=None)
    names = {
        "edges": "pairs before (and after, swapped)",
        "independent": "pairs independent",
        "transitive": "pairs not asked: transitive",
        "left_out": "pairs not asked: no text or picture",
        "branching": "successors a step that has any",
    }
    for split, counts in manifest["counts"].items():
        for name, value in counts.items():
            printed = COUNTS.get(split, {}).get(name, "")
            cells = [split, names.get(name, name), "-" if value is None else f"{value:g}"]
            table.add_row(*cells, *([] if own else [str(printed)]))
    terminal.console().print(table)
    if not own:
        print("The paper prints 993 pairs before but 933 after, which are the same pairs swapped.")


def _print_columns(columns: dict[str, dict[str, float | None]]) -> None:
    from rich.table import Table

    table = Table("metric", *columns, box=None)
    for name in dict.fromkeys(name for values in columns.values() for name in values):
        table.add_row(name, *(_shown(values.get(name)) for values in columns.values()))
    terminal.console().print(table)


def _print_scores(result: dict[str, Any]) -> None:
    _print_columns({"value": result["metrics"], "stderr": result["stderr"]})
    details = result["details"]
    for version, confusion in details["confusion"].items():
        print(f"\n{version} order: true class (column) by prediction")
        _print_columns(confusion)
    for title in ("by_steps", "by_distance"):
        print(f"\n{title}")
        _print_columns(details[title])


def _shown(value: float | None) -> str:
    from tempbench_lmms.record import UNDEFINED

    return UNDEFINED if value is None else f"{value:.4g}"


COMMANDS: dict[str, Callable[..., Any]] = {
    "verify": verify,
    "preflight": preflight,
    "score": score,
    "stats": stats,
    "export-train": export_train,
}
