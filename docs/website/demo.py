"""Writes example pages into a folder for any static host: `python -m docs.website.demo FOLDER`.

They are the report of three made-up respondents on all bundled samples, `tempbench compare` of two of them,
and, where the extra `run` is installed, the report of `tempbench demo`.
"""

import argparse
import html
import importlib.util
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import tempbench_lmms as tb
from tempbench_lmms import benchmarks
from tempbench_lmms.harness.tasks import docs_of, load_task

KNOWS = {"careful": 0.85, "hasty": 0.6, "guesser": 0.0}
"""The respondents, and of how many questions each knows the answer; it guesses the others."""
_INDEX = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>tempbench-lmms: example pages</title>
<h1>Example pages of tempbench-lmms</h1>
<p>The respondents are made up: one knows 85 % of the answers, one 60 %, and one guesses.</p>
<ul>{links}</ul>
<h2><code>tempbench compare careful hasty</code></h2>
<pre style="white-space: pre-wrap">{comparison}</pre>
</html>
"""


def answer(folder: Path, names: Iterable[str]) -> None:
    """Writes a run of each respondent on the bundled samples of some benchmarks, to `folder/RESPONDENT`."""
    tasks = [f"{benchmarks.card(name).full[0]}_mini" for name in names]
    for model, knows in KNOWS.items():
        draw = random.Random(model)
        for task in tasks:
            replies = {
                str(doc["question_id"]): doc["target"]
                if draw.random() < knows
                else draw.choice(doc["choices"])
                for doc in docs_of(load_task(task))
            }
            tb.save_run(folder / model, task, replies, model=model)


def report(folder: Path, page: Path) -> None:
    """Writes the report of the respondents' runs."""
    _tempbench("report", *(f"{model}={folder / model}" for model in KNOWS), "-o", str(page), "--force")


def _tempbench(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "tempbench_lmms.cli", *words], check=True)


def main() -> None:
    """Writes the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"respondents.html": "Three respondents on all bundled samples"}
    with tempfile.TemporaryDirectory() as runs:
        answer(Path(runs), benchmarks.names())
        report(Path(runs), folder / "respondents.html")
        comparison = str(tb.compare(Path(runs, "careful"), Path(runs, "hasty"))).replace(f"{runs}/", "")
        if importlib.util.find_spec("lmms_eval"):
            _tempbench("demo", "--output", runs)
            (folder / "demo.html").write_bytes(Path(runs, "report.html").read_bytes())
            pages["demo.html"] = "The report of tempbench demo"
    links = "".join(f'<li><a href="{page}">{title}</a></li>' for page, title in pages.items())
    text = _INDEX.format(links=links, comparison=html.escape(comparison))
    (folder / "index.html").write_text(text, encoding="utf-8")
    print(f"{folder / 'index.html'}: {len(pages)} pages")


if __name__ == "__main__":
    main()
