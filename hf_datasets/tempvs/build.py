"""`tempbench build tempvs`: makes TempVS from its four sources (section 3.2 and appendix A of the paper).

The work folder holds
    steps/     what each step left (JSONL), and its manifest: input, settings, counts, sha256
    vectors/   embeddings and detections, by model; computed once for each image and text
    replies/   answers of language models, by model
A step is done again only if its input or its settings changed, so any run can be resumed.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from tempbench_lmms.data import outputs, tables, terminal
from tempbench_lmms.data.user_files import json_lines
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs.card import CARD, MAIN_TESTS, SOURCES, TABLE_2, TEXT_MODELS

from . import filters, language
from .steps import BENCHMARK, Item, Settings, Step, steps


def run(settings: Settings, until: str | None = None) -> dict[str, dict[str, Any]]:
    """Runs the steps whose result is missing or out of date.

    Returns:
        The steps' manifests by name, in their order.
    """
    ordered = steps()
    _check_names(ordered, settings.skip, until)
    manifests: dict[str, dict[str, Any]] = {}
    before: dict[str, Any] | None = None
    for step in ordered:
        path = settings.work / "steps" / f"{step.name}.jsonl"
        manifest = _manifest(path)
        wanted_input = before["output"] if before else None
        # Through JSON, so that it compares equal to what was read back.
        depends = json.loads(json.dumps("skipped" if step.name in settings.skip else step.depends(settings)))
        current = (
            manifest is not None
            and manifest["input"] == wanted_input
            and manifest["settings"] == depends
            and step.intact(settings)
        )
        if not current:
            typer.echo(f"{step.name} ...", err=True)
            manifest = _done(step, path, settings, before, depends)
        assert manifest is not None
        if not manifest["left"] and step.name != "release":
            why = ", ".join(f"{reason} ({count})" for reason, count in manifest["dropped"].items())
            raise TempbenchError(
                f"the step {step.name} left nothing: {why}; loosen its settings, or leave it out with --skip "
                f"{step.name} where that is possible"
            )
        manifests[step.name] = before = manifest
        if step.name == until:
            break
    return manifests


def _check_names(ordered: Sequence[Step], skip: Sequence[str], until: str | None) -> None:
    names = [step.name for step in ordered]
    if until and until not in names:
        raise TempbenchError(f"unknown step {until!r}; choose one of {', '.join(names)}")
    for name in skip:
        if name not in names or not ordered[names.index(name)].skippable:
            free = ", ".join(step.name for step in ordered if step.skippable)
            raise TempbenchError(f"--skip {name}: only {free} can be skipped")


def _manifest(path: Path) -> dict[str, Any] | None:
    """Returns the manifest of a step's result; None if either is missing or the result was changed."""
    try:
        found: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        return found if found["output"] == tables.sha256_of([path]) else None
    except (OSError, ValueError, KeyError):
        return None


def _done(
    step: Step, path: Path, settings: Settings, before: dict[str, Any] | None, depends: Any
) -> dict[str, Any]:
    items = _items(path.with_name(f"{before['step']}.jsonl")) if before else []
    kept, dropped = (items, Counter()) if depends == "skipped" else step.run(items, settings)
    with outputs.replacing(path) as partial, partial.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(item) + "\n" for item in kept)
    manifest = {
        "step": step.name,
        "input": before["output"] if before else None,
        "settings": depends,
        "left": _counts(kept),
        "dropped": {f"{source}: {reason}": count for (source, reason), count in sorted(dropped.items())},
        "output": tables.sha256_of([path]),
    }
    tables.write_json(manifest, path.with_suffix(".json"))
    return manifest


def _items(path: Path) -> list[Item]:
    return [json.loads(line) for _, line in json_lines(path)]


def _counts(items: Iterable[Item]) -> dict[str, dict[str, int]]:
    """Stories of each source, and what MT1 may ask about; or the questions of each main test."""
    left: dict[str, Counter[str]] = {}
    for item in items:
        if "row" not in item:
            count = left.setdefault(item["source"], Counter())
            count.update(stories=1, pairs=len(item["pairs"]), triples=len(item["triples"]))
        elif item["table"] == "all" and item["row"]["role"] == "main":
            left.setdefault(item["row"]["source"], Counter())[item["row"]["tests"][0]] += 1
    return {source: dict(count) for source, count in left.items()}


_PRINTED = (
    "stories",
    "stative",
    "pronouns",
    "captions",
    "images",
    "ambiguity",
    "sequences",
    "events",
    "manual",
)
"""The steps by the rows of Table 9; the paper counts none for the person filter."""


def _table_9() -> dict[str, dict[str, int]]:
    (paper,) = (one for one in CARD.tables if one.name == "Table 9")
    return {
        step: {
            source: int(paper.cells[row, column].value)
            for source, column in zip(SOURCES, paper.columns, strict=True)
        }
        for step, row in zip(_PRINTED, paper.rows, strict=False)
    }


def table(manifests: Mapping[str, dict[str, Any]], settings: Settings) -> Any:
    """Returns a table like the paper's Table 9, the paper's numbers in brackets: a `rich.table.Table`."""
    from rich.table import Table

    shown = Table("", *settings.roots, title="What each step left (in the paper)")

    def add(
        title: str, left: Mapping[str, Mapping[str, int]], what: str, paper: Mapping[str, int] | None
    ) -> None:
        cells = []
        for source in settings.roots:
            count = str(left.get(source, {}).get(what, 0))
            cells.append(f"{count} ({paper[source]})" if paper else count)
        shown.add_row(title, *cells)

    table_9 = _table_9()
    for step in steps():
        if step.name in manifests and step.name not in ("questions", "blind", "release"):
            skipped = " (skipped)" if manifests[step.name]["settings"] == "skipped" else ""
            add(step.title + skipped, manifests[step.name]["left"], "stories", table_9.get(step.name))
    if "manual" in manifests:
        add("Two-event groups", manifests["manual"]["left"], "pairs", None)
        add("Three-event groups", manifests["manual"]["left"], "triples", None)
    for name, title, paper in (("questions", "all", False), ("blind", "not answered blind", True)):
        if name in manifests:
            for test in MAIN_TESTS:
                left = manifests[name]["left"]
                add(f"{test} questions, {title}", left, test, TABLE_2[test] if paper else None)
    return shown


def _excluded(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TempbenchError(f"--exclude {path} cannot be read ({error}); write SOURCE/STORY lines") from None
    return [line.strip() for line in lines if line.strip()]


def build(
    work: Annotated[Path, Argument(help="Folder for the steps' results; run again to resume.")],
    flintstones: Annotated[Path | None, Option(help="FlintstonesSV as distributed.")] = None,
    pororo: Annotated[Path | None, Option(help="PororoSV as distributed.")] = None,
    vwp: Annotated[Path | None, Option(help="VWP: the CSV files, and the images of its links.")] = None,
    vist: Annotated[Path | None, Option(help="VIST: annotations/sis and images.")] = None,
    output: Annotated[
        Path | None, Option(help="The data set goes to OUTPUT/tempvs (default: WORK/data).")
    ] = None,
    until: Annotated[str | None, Option(help="Stop after this step.")] = None,
    skip: Annotated[list[str] | None, Option(help="Leave this filter out; may be repeated.")] = None,
    thresholds: Annotated[
        str, Option(help="Of similar captions and images: paper (Table 8) or scripts.")
    ] = "paper",
    clip: Annotated[str, Option(help="CLIP checkpoint, or a folder.")] = "openai/clip-vit-base-patch32",
    bert: Annotated[str, Option(help="Encoder of the BERTScore, or a folder.")] = "roberta-large",
    bert_layers: Annotated[
        int | None, Option(help="Its layer (default: the one that bert-score recommends).")
    ] = None,
    detector: Annotated[
        str, Option(help="Object detector, or a folder; the paper used Detectron2.")
    ] = "facebook/detr-resnet-50",
    endpoint: Annotated[
        str, Option(help="OpenAI-compatible server that extracts events.")
    ] = language.OPENAI_URL,
    model: Annotated[str, Option(help="Model that extracts events.")] = "gpt-4",
    key_variable: Annotated[
        str, Option(help="Environment variable with the server's API key.")
    ] = "OPENAI_API_KEY",
    blind_model: Annotated[
        list[str] | None,
        Option(help="Text model of the blind filter, or a folder; three times (default: the paper's)."),
    ] = None,
    exclude: Annotated[
        Path | None, Option(help="File of SOURCE/STORY lines: what a manual check leaves out.")
    ] = None,
    device: Annotated[str, Option(help="Torch device; auto takes GPUs if there are any.")] = "auto",
    batch: Annotated[int, Option(min=1, help="Images, texts or pairs at a time.")] = 32,
) -> None:
    """Make TempVS from FlintstonesSV, PororoSV, VWP and VIST, as section 3.2 of the paper describes it."""
    folders = dict(zip(SOURCES, (flintstones, pororo, vwp, vist), strict=True))
    settings = Settings(
        work=work,
        output=(output or work / "data").resolve() / BENCHMARK,
        roots={source: root.expanduser().resolve() for source, root in folders.items() if root},
        limits=filters.thresholds(thresholds),
        clip=clip,
        detector=detector,
        bert=bert,
        bert_layers=bert_layers,
        endpoint=language.Endpoint(endpoint.rstrip("/"), model, key_variable),
        blind_models=blind_model or list(TEXT_MODELS),
        excluded=_excluded(exclude),
        skip=skip or [],
        device=device,
        batch=batch,
    )
    _check(settings)
    _report(run(settings, until), settings)


def _check(settings: Settings) -> None:
    if not settings.roots:
        raise TempbenchError(
            f"no source given; name at least one of {', '.join(f'--{source}' for source in SOURCES)}"
        )
    n_models = len(set(settings.blind_models))
    if n_models != 3 and "blind" not in settings.skip:
        raise TempbenchError(f"the blind filter takes three models, not {n_models}; or add --skip blind")
    for folder in (settings.work, settings.output):
        outputs.check_folder(folder)


def _report(manifests: Mapping[str, dict[str, Any]], settings: Settings) -> None:
    terminal.console().print(table(manifests, settings))
    if "release" in manifests:
        where = f"set TEMPBENCH_DATA={settings.output.parent} to run the tasks on it"
        typer.echo(f"written to {settings.output}; {where}")
