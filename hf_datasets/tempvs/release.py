"""Reads the official TempVS release and turns its rows into ours.

Layout (README of the release): `data/benchmark/{source}_{stem}_test.json`, the same as pickles, which are not
read, under `data/benchmark_pkl/`, images under `data/{source}/`. The stored image paths are those of the
authors' machine and are re-rooted.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tempbench_lmms.data import releases
from tempbench_lmms.data.tables import Row
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs.card import MAIN_TESTS, PICTURES, SOURCES, TABLE_2
from tempbench_lmms.tempvs.imports import load_rows
from tempbench_lmms.tempvs.official import is_valid

from ..parts import few
from . import blind, characters, rows
from .pictures import Images

STEMS = {
    "paired_event_discrimination": "mt1_two",
    "triple_event_discrimination": "mt1_three",
    "ordering_texts": "mt2",
    "ordering_images": "mt3",
    "single_grounding_paired": "gt_two",
    "single_grounding_triple": "gt_three",
    "single_grounding_all": "gt_all",
}


_TABLES = ("benchmark", "benchmark_pkl")
_WRONG = "the answer is wrong"


@dataclass
class Report:
    """What was found on the way."""

    skipped: list[str] = field(default_factory=list)  # rows that are left out, with the reason
    deviations: list[str] = field(default_factory=list)  # from the paper's counts
    counts: dict[str, dict[str, int]] = field(default_factory=dict)  # questions by test and source
    # the questions that two of three text models solve, by main test and source
    blind: dict[str, dict[str, int]] = field(default_factory=dict)
    no_blind: list[str] = field(default_factory=list)  # why nothing is known of that


def benchmark_folder(source: Path) -> Path:
    """Returns the folder `data` of a release."""

    def here(folder: Path) -> Path | None:
        inside = (folder, folder / "data")
        return next((one for one in inside if any((one / name).is_dir() for name in _TABLES)), None)

    if (found := releases.find(source, here, "the tables of TempVS")) is None:
        raise TempbenchError(
            f"{source} is not a TempVS release: it has no folder data/benchmark or benchmark; "
            "point --source at the folder that you downloaded"
        )
    return found


def _common(row: Row, test: str, images: list[str]) -> Row:
    source = str(row["data_source"])
    cot, blind = "task_instruction_cot", "blind_instruction"
    if test.startswith(("mt2", "mt3")):
        cot, blind = f"{cot}_opt", f"{blind}_opt"
    return {
        "question_id": f"{source}/{test}/{row['question_id']}",
        "role": "grounding" if test.startswith("gt") else "main",
        "tests": [test],
        "source": source,
        "sequence_id": str(row["img_seq_id"]),
        "images": images,
        "text": "",
        "sentences": [],
        "options": [],
        "instruction": str(row["task_instruction"]),
        "answer_format": str(row.get("answer_format_opt") or ""),
        "instruction_cot": str(row.get(cot) or ""),
        "instruction_blind": str(row.get(blind) or ""),
        "character_info": str(row.get("character_info") or "") if source in characters.LOOKS else "",
        "grounding": [],
        "statement_type": "",
        "polarity": "",
        "distance": None,
        "invalid": not is_valid(row),
    }


def _positions(stored: str | Iterable[int]) -> list[int]:
    """Returns the positions of a tuple, which some ways of writing a table make a text, as in "(0, 4)"."""
    return [int(one) for one in (re.findall(r"\d+", stored) if isinstance(stored, str) else stored)]


def _converted(row: Row, stem: str, images: list[str]) -> Iterator[Row]:
    """Yields our rows for one official row: one, or one with events and one with captions."""
    test = STEMS[stem]
    if test.startswith("gt"):
        number = re.search(r"\d+$", str(row["gt_option"]))
        if not number:
            raise ValueError(f"gt_option {row['gt_option']!r} does not name an image")
        texts = {test: "event_to_test"}
        if test == "gt_all":
            texts = {"gt_event": "event_to_test", "gt_caption": "text_to_test"}
        for name, column in texts.items():
            out = _common(row, name, images)
            out |= {"text": str(row[column]), "answer": number.group(), "events": [int(number.group()) - 1]}
            # The official filter looks at columns named event*, whichever text is asked about.
            yield out
    elif test.startswith("mt1"):
        options = [option.partition(". ")[2] for option in str(row["option_text"]).rstrip(".").split("; ")]
        events = _positions(row.get("event_pair_tuple") or row["event_triple_tuple"])
        kind, _, polarity = str(row["statement_type"]).rpartition("_")
        yield _common(row, test, images) | {
            "text": str(row["statement_text"]),
            "options": options,
            "answer": str(row["gt_option"]),
            "events": events,
            "statement_type": kind,
            "polarity": polarity,
            "distance": events[1] - events[0] if len(events) == 2 else None,
        }
    else:
        options = [option.partition(". ")[2] for option in str(row["options"]).split(";\n")]
        for style, column in (("event", "events"), ("caption", "texts")):
            yield _common(row, f"{test}_{style}", images) | {
                "text": str(row[f"{column}_gt"]) if test == "mt3" else "",
                "sentences": [str(text) for text in row[f"{column}_shuffled"]] if test == "mt2" else [],
                "options": options,
                "answer": str(row["gt_option"]),
                "events": list(range(len(images))),
            }


def _contradiction(row: Row, stem: str) -> str | None:
    """Returns how a row's answer contradicts its other fields, or None."""
    answer = str(row["gt_option"])
    if stem.startswith("single_grounding"):
        shown = [n for n, path in enumerate(row["img_path_list"], 1) if path == row.get("img_to_test")]
        if shown and not any(re.search(rf"(?<!\d){n}$", answer) for n in shown):
            return f"gt_option is {answer!r} and img_to_test is image {shown[0]}"
        return None
    if stem.startswith("ordering"):
        offered, order = str(row["options"]).split(";\n"), row["gt_answer"]
        right = "" if isinstance(order, str) else " -> ".join(order)  # a list that was written as text
    else:
        offered = str(row["option_text"]).rstrip(".").split("; ")
        polarity = str(row["statement_type"]).rpartition("_")[2]
        right = {"gt": "True", "nc": "False"}.get(polarity, "")
    said = next(
        (text for letter, _, text in (one.partition(". ") for one in offered) if letter == answer), None
    )
    if not right or right == said:  # where the row does not say what is right, nothing contradicts
        return None
    return f"gt_option {answer!r} is {said!r} and the right one is {right!r}"


def convert(
    data: Path, trusted: Collection[Path], sources: Collection[str] = SOURCES
) -> tuple[dict[str, list[Row]], Images, Report]:
    """Converts a release.

    Args:
        data: Its folder `data`.
        trusted: The folders that links may lead to; the Hub's cache keeps its files as links.
        sources: Those to convert.

    Returns:
        The rows of each configuration, the images that they show, and a report.
    """
    report, images = Report(), Images(data, trusted)
    converted: list[Row] = []
    folders = [folder for folder in (data / "benchmark", data / "benchmark_pkl") if folder.is_dir()]
    for source in sources:
        for stem in STEMS:
            found = (load_rows(folder, f"{source}_{stem}_test") for folder in folders)
            table = next((table for table in found if table is not None), None)
            if table is None:
                report.skipped.append(f"{source}_{stem}_test: the file is missing")
                continue
            for row in table:
                converted += _one(row, stem, source, images, report)
    if not converted:
        raise _nothing(data, images, sources, report)
    report.skipped.sort(key=lambda line: _WRONG not in line)  # what matters most is shown first
    found_blind = blind.Answers(data / "predictions" / "blind")
    report.blind, report.no_blind = found_blind.mark(converted), found_blind.problems
    sequences: dict[tuple[str, str], tuple[list[Row], list[Row]]] = {}
    for row in _of_one_story(converted, report):
        gates, mains = sequences.setdefault((row["source"], row["sequence_id"]), ([], []))
        (gates if row["role"] == "grounding" else mains).append(row | rows.replies(row))
    linked = []
    for gates, mains in sequences.values():
        merged = rows.merge_repeated(gates)
        rows.link(mains, merged)
        linked.append((merged, mains))
    tables = rows.configurations(linked)
    report.counts = _counts(tables)
    report.deviations += _against_table_2(report.counts, sources)
    return tables, images, report


def _nothing(data: Path, images: Images, sources: Collection[str], report: Report) -> TempbenchError:
    """Returns the error of a release without a question that can be asked: most often its pictures lack."""
    if not images.missing:
        return TempbenchError(
            f"no question could be read under {data} ({few(report.skipped)}); check --source"
        )
    lacking = [one for one in sources if any(one in re.split(r"[/\\]", path) for path in images.missing)]
    homes = "; ".join(f"{source} from {PICTURES[source]}" for source in lacking)
    return TempbenchError(
        f"no question under {data} can be asked: {len(images.missing)} pictures are missing "
        f"({few(sorted(images.missing))}); get them and put them under {data}/SOURCE: {homes}"
    )


def _of_one_story(converted: list[Row], report: Report) -> list[Row]:
    """Returns the rows without sequences whose id has other pictures in other rows.

    A question of one story would be gated by the grounding questions of another.
    """
    pictures: dict[tuple[str, str], set[frozenset[str]]] = {}
    for row in converted:
        pictures.setdefault((row["source"], row["sequence_id"]), set()).add(frozenset(row["images"]))
    several = {of for of, found in pictures.items() if len(found) > 1}
    report.skipped += [
        f"{source}, {id_[:80]}: {len(pictures[source, id_])} sequences of pictures under one id"
        for source, id_ in sorted(several)
    ]
    return [row for row in converted if (row["source"], row["sequence_id"]) not in several]


def _one(row: Row, stem: str, source: str, images: Images, report: Report) -> list[Row]:
    where = f"{source}_{stem}_test, {str(row.get('question_id'))[:80]}"
    ending = {"mt2": "_gt", "mt3": "_shuffled"}.get(STEMS[stem], "")
    try:
        if row["data_source"] != source:
            raise ValueError(f"data_source is {row['data_source']!r}")
        strip = row.get(f"combined_img_path{ending}")
        urls = images.urls(row[f"img_path_list{ending}"], strip, source)
        if urls is None:
            report.skipped.append(f"{where}: an image is missing")
            return []
        out = list(_converted(row, stem, urls))
        if wrong := _contradiction(row, stem):
            report.skipped.append(f"{where}: {_WRONG} ({wrong}); the source is damaged, get it again")
            return []
        return out
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        report.skipped.append(f"{where}: the row is not as expected ({error!r})")
        return []


def _counts(tables: dict[str, list[Row]]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for row in tables["all"]:
        for test in row["tests"]:
            table = counts.setdefault(test, {})
            table[row["source"]] = table.get(row["source"], 0) + 1
    return counts


def _against_table_2(counts: dict[str, dict[str, int]], sources: Collection[str]) -> list[str]:
    return [
        f"{test}, {source}: {found} questions, Table 2 has {TABLE_2[test][source]}"
        for test in MAIN_TESTS
        for source in sources
        if (found := counts.get(test, {}).get(source, 0)) != TABLE_2[test][source]
    ]
