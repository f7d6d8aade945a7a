"""What contract tests and scripts know of TempCompass in contrast groups; see `tests/contract.py`."""

import json
from pathlib import Path

from tests.source_files import clips, write

PAPER = None

_LABELS = (None, *"ABCD", *"12", "yes", "no")
OFFERED = {
    "tempcompass_pairs.parser.read": lambda found: found.value in _LABELS,
}

PUBLISHED = ("questions/test.parquet",)
ORIGIN = {"parts": {"tempcompass": {"source": "/home/somebody/TempCompass"}}}
EMPTY_SOURCE = {
    f"{kind}.json": json.dumps({"1": {"order": [{"question": f"Is it?{options}", "answer": answer}]}})
    for kind, options, answer in (
        ("multi-choice", "\nA. up\nB. down", "A. up"),
        ("yes_no", "", "yes"),
        ("caption_matching", "\nCaption A: It rises.\nCaption B: It falls.", "Caption A: It rises."),
    )
}

# A second reader says true or false to a yes/no question, and the table yes or no: see `test_parser.py`.
NOT_PARSERS = ("tempcompass_pairs.official.rating",)
REREAD = ("tempcompass_pairs_multi_choice_mini", "tempcompass_pairs_caption_matching_mini")
OF_THE_TEXT = r".*_official"


def official(folder: Path, asks: str = "Is it rising?") -> Path:
    """Writes a small release: two clips and their twins, with questions of each kind; returns its folder."""
    videos = clips("tempcompass_pairs")
    names = ("7", "7_reverse", "8", "8_reverse")
    for name, video in zip(names, videos, strict=False):
        write(folder / f"videos/{name}.mp4", video.read_bytes())
    lines = [f"{asks}\nA. up\nB. down", "Which fits?\nOption 1: It rises.\nOption 2: It falls."]
    answers = {"multi-choice": ("A. up", "B. down"), "yes_no": ("yes", "no")}
    answers["caption_matching"] = ("Option 1: It rises.", "Option 2: It falls.")
    questions = {"multi-choice": lines[0], "yes_no": asks, "caption_matching": lines[1]}
    for kind, question in questions.items():
        content = {
            name: {"direction": [{"question": question, "answer": answers[kind]["reverse" in name]}]}
            for name in names
        }
        write(folder / f"questions/{kind}.json", content)
    said = {name: {"eval_dim": {"direction": {"type": "object motion"}, "order": None}} for name in names}
    write(folder / "meta_info.json", said)
    return folder


def SOURCE(folder: Path, version: int) -> list[str]:
    # A linked clip is the source's own file: damaged with it, and mended by nothing.
    return ["--source", str(official(folder / "TempCompass", f"Is it rising, {version}?")), "--copy"]
