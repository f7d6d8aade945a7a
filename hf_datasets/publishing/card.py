"""Writes the card of a published data set (README.md), and `eval.yaml` for the Hub's benchmarks."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from tempbench_lmms import benchmarks
from tempbench_lmms.card import BenchmarkCard
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.harness.tasks import load_task

from .contents import Contents, columns_of
from .facts import Facts
from .terms import Terms

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LISTED = 20

AS_FILES = 'questions = questions.cast_column("video", Video(decode=False))'
"""The line that makes `datasets` return videos as files, without a decoder."""


def readme(found: Contents, facts: Facts, terms: Terms, repo: str) -> str:
    """Returns the text of README.md."""
    card = benchmarks.card(found.benchmark)
    parts = [
        f"---\n{_yaml(_header(found, facts, terms))}---",
        f"# {facts.pretty_name}",
        f"{facts.summary}\n\nPaper: [{card.title}]({card.paper}).",
        _use(found, repo),
        _splits(found),
        _columns(found),
        "## How it was made",
        *(facts.collection, facts.annotation, facts.preprocessing),
        f"Converted and published by {found.manifest['published_by']}. `manifest.json` has sources, "
        "revisions, settings and checksums of the tables; `checksums.json` those of every picture and video.",
        _left_out(found),
        "## Limitations",
        *(facts.limitations, facts.biases, facts.personal, facts.uses, facts.impact),
        _licences(terms),
        f"## Citation\n\n```bibtex\n{card.bibtex.strip()}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _yaml(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=1000)


def _header(found: Contents, facts: Facts, terms: Terms) -> dict[str, Any]:
    rows = sum(split.rows for splits in found.configs.values() for split in splits)
    size = next((name for most, name in _SIZES if rows < most), "1M<n<10M")
    return {
        **terms.on_the_hub(),
        "pretty_name": facts.pretty_name,
        "language": list(facts.languages),
        "task_categories": list(facts.categories),
        "tags": list(facts.tags),
        "size_categories": [size],
        "configs": [
            {
                "config_name": name,
                "data_files": [
                    {"split": split.name, "path": [split.shown, *found.patterns[name]]} for split in splits
                ],
                "metadata_filenames": [split.shown for split in splits],
            }
            for name, splits in found.configs.items()
        ],
    }


def _use(found: Contents, repo: str) -> str:
    task = benchmarks.card(found.benchmark).full[0]
    config, splits = next(iter(found.configs.items()))
    videos = "video_file_name" in splits[0].schema.names
    as_files = f"""

To decode a video, `datasets` needs `torchcodec` (`pip install torchcodec`, and FFmpeg's libraries).
Without it one line more gives the file, as `questions[0]["video"]["path"]`:

```python
from datasets import Video

{AS_FILES}
```"""
    return f"""## How to use it

With pictures or videos, in any notebook (`datasets` 4.0 or later):

```python
from datasets import load_dataset

questions = load_dataset("{repo}", "{config}", split="{splits[0].name}")
```{as_files if videos else ""}

In the lmms-eval harness, with the paper's prompts, parsers and metrics (`pip install tempbench-lmms`):

```bash
hf download {repo} --repo-type dataset --local-dir data/{found.benchmark}
TEMPBENCH_DATA=data lmms-eval --model MODEL --tasks {task} --log_samples
```"""


def _splits(found: Contents) -> str:
    lines = ["| configuration | split | questions |", "|---|---|---:|"]
    for name, splits in found.configs.items():
        lines += [f"| `{name}` | {split.name} | {split.rows:,} |" for split in splits]
    size = sum(path.stat().st_size for path in found.media.values())
    lines += [
        "",
        f"{len(found.media):,} pictures or videos, {size / 1e6:,.1f} MB, each stored once under `media/`.",
    ]
    return "## Configurations and sizes\n\n" + "\n".join(lines)


def _columns(found: Contents) -> str:
    meaning = columns_of(found.benchmark)
    seen: dict[str, str] = {}
    for splits in found.configs.values():
        for column in splits[0].schema:
            name = shown_name(column.name)
            kind = f"{'picture or video' if name != column.name else column.type}"
            seen.setdefault(name, f"| `{name}` | {kind} | {meaning.get(name, '')} |")
    return "## Columns\n\n" + "\n".join(["| column | type | what |", "|---|---|---|", *seen.values()])


def shown_name(column: str) -> str:
    """Returns the name that `datasets` gives to a column of file names.

    >>> shown_name("images_file_names"), shown_name("image_a_file_name"), shown_name("answer")
    ('images', 'image_a', 'answer')
    """
    return column.removesuffix("_file_names").removesuffix("_file_name")


def _left_out(found: Contents) -> str:
    lines = [f"not the whole benchmark{found.part}"] if found.part else []
    lines += _skipped(found.manifest)
    rest = len(lines) - _LISTED
    shown = [f"- {one_line(line)}" for line in lines[:_LISTED]] + (
        [f"- and {rest} more, in `manifest.json`"] if rest > 0 else []
    )
    return "## What was left out\n\n" + ("\n".join(shown) if shown else "Nothing from the source.")


def _skipped(manifest: Mapping[str, Any]) -> Iterator[str]:
    parts = manifest.get("parts")
    for entry in [manifest, *(parts.values() if isinstance(parts, dict) else ())]:
        if not isinstance(entry, dict):
            continue
        for key in ("skipped_by_reason", "skipped", "deviations", "images_missing"):
            value = entry.get(key)
            if key == "skipped" and entry.get("skipped_by_reason"):
                continue
            for one in value.items() if isinstance(value, dict) else value or ():
                yield ": ".join(map(str, one)) if isinstance(one, tuple) else str(one)


def _licences(terms: Terms) -> str:
    lines = ["| source | licence | home |", "|---|---|---|"]
    lines += [f"| {one.name} | {one.licence} | {one.url} |" for one in terms.sources]
    return "## Sources and licences\n\n" + "\n".join(lines)


def eval_yaml(found: Contents, facts: Facts) -> str:
    """Returns the text of `eval.yaml`.

    Its tasks are the main scores of the task that asks everything, with the ids of `tempbench submit hub`. It
    has no `evaluation_framework`, because the Hub's list of these lacks lmms-eval.
    """
    card: BenchmarkCard = benchmarks.card(found.benchmark)
    every = [(name, split.name) for name, splits in found.configs.items() for split in splits]
    # The suite if there is one; a training split is only used if there is no other.
    config, split = min(every, key=lambda one: (one[0] != "all", one[1] == "train", every.index(one)))
    measured = {entry["metric"] for entry in load_task(card.full[0])["metric_list"]}
    names = [f"{card.full[0]}_{metric}" for metric in card.primary if metric in measured]
    tasks = [{"id": name, "config": config, "split": split} for name in names]
    return _yaml({"name": facts.pretty_name, "description": facts.summary, "tasks": tasks})
