"""Writes a stand-in for the official TempVS release: two stories of every source, by the release's own rules.

Pictures are two colours each, and texts our own.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from hf_datasets.tempvs import questions
from tempbench_lmms.media.images import stitch
from tempbench_lmms.tempvs.card import SOURCES

Row = dict[str, Any]

N = 5
PAIRS, TRIPLES = [(0, 1), (1, 4)], [(0, 2, 3)]
FOLDERS = {
    "flintstones": "video_frames_sampled_jpg",
    "pororo": "original_color",
    "vwp": "alpha4a",
    "vist": "images",
}
TEXT_MODELS = {"Phi-3.5-mini-instruct": "full", "Llama-3.1-8B": "full", "Qwen2.5-72B-Instruct": "8bit"}
EVENTS = ["Ann opened a door.", "Ben drank tea.", "A dog barked.", "Ann painted a fence.", "Ben slept."]


def write(folder: Path, sources: Iterable[str] = SOURCES, blind: bool = True) -> Path:
    """Writes a release and returns its folder.

    Of the text models the first is always right, the second where the running number is even, the third
    never: two of three solve every second question.

    Args:
        folder: Gets the folder `data`.
        sources: Sources to write.
        blind: Write what text models answered.
    """
    for source in sources:
        for story in range(2):
            _pictures(folder / "data" / source, source, story)
        for stem, rows in _tables(source).items():
            _table(folder / "data/benchmark" / f"{source}_{stem}_test.json", rows)
            for task in _blind_tasks(stem) if blind else ():
                for number, (model, bits) in enumerate(TEXT_MODELS.items()):
                    answered = [row | {"preds": _reply(row, number)} for row in rows]
                    of = folder / "data/predictions/blind" / model
                    _table(of / f"{source}_{task}_preds_{bits}.json", answered)
    return folder


def single(source: str, story: int, i: int) -> str:
    """Returns an image's place below the folder `data`."""
    return f"{source}/{FOLDERS[source]}/{source}{story}_{i}.jpg"


def size_of(source: str, i: int) -> tuple[int, int]:
    """Returns an image's size: those of VWP differ."""
    return (24 + 8 * i, 20) if source == "vwp" else (443, 240) if source == "vist" else (24, 20)


def _pictures(folder: Path, source: str, story: int) -> None:
    generator = np.random.default_rng([SOURCES.index(source), story])
    images = []
    for i in range(N):
        width, height = size_of(source, i)
        flat = np.full((height, width, 3), generator.integers(20, 180, 3), dtype=np.uint8)
        flat[: height // 2] //= 2
        images.append(Image.fromarray(flat))
        path = folder.parent / single(source, story, i)
        path.parent.mkdir(parents=True, exist_ok=True)
        images[-1].save(path, quality=95)
    for index, (kind, prefix) in enumerate((("combined", "Image 1"), ("combined_shuffled", "Image a"))):
        order = range(N) if not index else questions.shuffled_order(N, story)[0]
        path = folder / kind / _strip_name(source, story, order)
        path.parent.mkdir(parents=True, exist_ok=True)
        stitch([images[i] for i in order], [prefix] * N, source).save(path, quality=95, subsampling=0)


def _strip_name(source: str, story: int, order: Iterable[int]) -> str:
    return f"{source}{story}_{'_'.join(map(str, order))}.jpg"


def _tables(source: str) -> dict[str, list[Row]]:
    return {
        "paired_event_discrimination": _numbered(source, _statements(source, PAIRS)),
        "triple_event_discrimination": _numbered(source, _statements(source, TRIPLES)),
        "single_grounding_paired": _numbered(source, _groundings(source, (0, 1, 4))),
        "single_grounding_triple": _numbered(source, _groundings(source, (0, 2, 3))),
        "single_grounding_all": _numbered(source, _groundings(source, range(N))),
        "ordering_texts": _numbered(source, _orderings(source, "texts")),
        "ordering_images": _numbered(source, _orderings(source, "images")),
    }


def _numbered(source: str, rows: Iterator[tuple[int, Row]]) -> list[Row]:
    return [
        {"data_source": source, "img_seq_id": f"s{story}", "question_id": f"s{story}_q{index}"}
        | {"task_instruction": "Look.", "character_info": "Ann wears red."}
        | row
        for index, (story, row) in enumerate(rows)
    ]


def _paths(source: str, story: int, order: Sequence[int] = range(N)) -> list[str]:
    return [f"/data/{single(source, story, i)}" for i in order]


def _strip(source: str, story: int, order: Sequence[int] = range(N), kind: str = "combined") -> str:
    return f"/data/{source}/{kind}/{_strip_name(source, story, order)}"


def _statements(source: str, groups: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, Row]]:
    index = 0
    for story in range(2):
        shown = {"img_path_list": _paths(source, story), "combined_img_path": _strip(source, story)}
        for group in groups:
            for truth in (True, False):
                events = [f"{EVENTS[i][:-1]} {story}." for i in group]
                if len(group) == 2:
                    kind = questions.PAIR_TYPES[index // 2 % 5]
                    first, second = events if truth else events[::-1]
                    text = questions.pair_statement(first, second, kind, lambda event: True)
                    names = ("event_pre", "event_post")
                else:
                    kind = questions.TRIPLE_TYPES[index // 2 % 4]
                    order = events if truth else questions.wrong_triple(events, index)
                    text = questions.triple_statement(order, kind, lambda event: True)
                    names = ("event_pre", "event_mid", "event_post")
                offered, letter = questions.true_false(index, truth)
                row = {
                    ("event_pair_tuple" if len(group) == 2 else "event_triple_tuple"): list(group),
                    "statement_type": f"{kind}_{'gt' if truth else 'nc'}",
                    "statement_text": text,
                    "option_text": f"A. {offered[0]}; B. {offered[1]}.",
                    "gt_option": letter,
                    "blind_instruction": "Guess.",
                    "task_instruction_cot": "Think.",
                }
                yield story, shown | row | dict(zip(names, events, strict=True))
                index += 1


def _groundings(source: str, asked: Iterable[int]) -> Iterator[tuple[int, Row]]:
    for story in range(2):
        for i in asked:
            yield (
                story,
                {
                    "img_path_list": _paths(source, story),
                    "combined_img_path": _strip(source, story),
                    "event_to_test": f"{EVENTS[i][:-1]} {story}.",
                    "text_to_test": f"Then {EVENTS[i][:-1]} {story}.",
                    "gt_option": f"image {i + 1}",
                },
            )


def _orderings(source: str, what: str) -> Iterator[tuple[int, Row]]:
    for story in range(2):
        events = [f"{event[:-1]} {story}." for event in EVENTS]
        texts = [f"Then {event}" for event in events]
        order, letters = questions.shuffled_order(N, story)
        prefix = "Sentence" if what == "texts" else "Image"
        options, letter = questions.ordering_options(letters, story, prefix)
        row: Row = {
            "img_path_list_gt": _paths(source, story),
            "combined_img_path_gt": _strip(source, story),
            "img_path_list_shuffled": _paths(source, story, order),
            "combined_img_path_shuffled": _strip(source, story, order, "combined_shuffled"),
            "events_gt": " ".join(events),
            "texts_gt": " ".join(texts),
            "gt_answer": [f"{prefix} {letter}" for letter in letters],
            "gt_option": letter,
            "options": ";\n".join(f"{name}. {one}" for name, one in zip("ABCDE", options, strict=True)),
            "answer_format_opt": "Give a letter.",
            "blind_instruction_opt": "Guess.",
            "task_instruction_cot_opt": "Think.",
        }
        if what == "texts":
            shuffled = {
                "events_shuffled": [events[i] for i in order],
                "texts_shuffled": [texts[i] for i in order],
            }
            row = {key: value for key, value in row.items() if not key.endswith("_shuffled")} | shuffled
        yield story, row


def _blind_tasks(stem: str) -> list[str]:
    if stem == "ordering_texts":
        return [f"{stem}_opt_event", f"{stem}_opt_story"]
    return [stem] if stem.endswith("discrimination") else []


def _reply(row: Row, model: int) -> str:
    even = int(row["question_id"].rpartition("_q")[2]) % 2 == 0
    right = model == 0 or (model == 1 and even)
    letter = row["gt_option"] if right else "B" if row["gt_option"] == "A" else "A"
    return f"The answer is: Option {letter}"


def _table(path: Path, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
