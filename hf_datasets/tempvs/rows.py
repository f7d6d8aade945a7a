"""Turns image sequences with events into the rows of all tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tempbench_lmms.data.tables import Row
from tempbench_lmms.tempvs import prompts
from tempbench_lmms.tempvs.card import GROUNDING_OF, MAIN_TESTS

from . import questions, wording


@dataclass(frozen=True)
class ImageSequence:
    """A story: n images in true order, each with an event and a caption."""

    source: str  # flintstones, pororo, vwp or vist
    sequence_id: str  # unique in its source
    images: Sequence[str]  # n `tempbench://` URLs
    events: Sequence[str]  # n short sentences
    captions: Sequence[str]  # n sentences
    characters: str  # how the characters look; "" where nobody is named
    pairs: Sequence[tuple[int, int]]  # places of the events to be asked about in MT1, two at a time
    triples: Sequence[tuple[int, int, int]]  # three at a time


def _row(sequence: ImageSequence, test: str, index: int, **values: Any) -> Row:
    kind = prompts.kind_of(test)
    grounding = kind == "gt"
    blind = wording.BLIND.get(kind, ("",))
    row: Row = {
        "question_id": f"{sequence.source}/{sequence.sequence_id}/{test}/{index}",
        "role": "grounding" if grounding else "main",
        "tests": [test],
        "source": sequence.source,
        "sequence_id": sequence.sequence_id,
        "images": list(sequence.images),
        "text": "",
        "sentences": [],
        "options": [],
        "instruction": wording.instruction(kind, index),
        "answer_format": wording.answer_format(kind, index),
        "instruction_cot": wording.COT.get(kind, ""),
        "instruction_blind": blind[index % len(blind)],
        "character_info": sequence.characters,
        "grounding": [],
        "statement_type": "",
        "polarity": "",
        "distance": None,
        "invalid": False,
    } | values
    row |= replies(row)
    return row


def replies(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the columns `target` and `choices` for a row with an answer."""
    if row["role"] == "grounding":
        choices = [f"Image {i}" for i in range(1, len(row["images"]) + 1)]
        return {"target": f"Image {row['answer']}", "choices": choices}
    choices = [f"Option {letter}" for letter, _ in zip("ABCDE", row["options"], strict=False)]
    return {"target": f"Option {row['answer']}", "choices": choices}


def grounding_rows(
    sequence: ImageSequence, test: str, positions: Iterable[int], first_index: int
) -> list[Row]:
    """Returns one grounding question an event, for the events at `positions`."""
    texts = sequence.captions if test == "gt_caption" else sequence.events
    return [
        _row(
            sequence, test, first_index + i, text=texts[position], answer=str(position + 1), events=[position]
        )
        for i, position in enumerate(positions)
    ]


def _statement_rows(
    sequence: ImageSequence, test: str, positions: Sequence[int], index: int, is_name: questions.NameTest
) -> list[Row]:
    """Returns the true and the false statement about the events at `positions`."""
    rows = []
    for truth in (True, False):
        events = [sequence.events[position] for position in positions]
        if len(positions) == 2:
            kind = questions.PAIR_TYPES[index // 2 % 5]
            first, second = events if truth else events[::-1]
            statement = questions.pair_statement(first, second, kind, is_name)
        else:
            kind = questions.TRIPLE_TYPES[index // 2 % 4]
            order = events if truth else questions.wrong_triple(events, index)
            statement = questions.triple_statement(order, kind, is_name)
        options, letter = questions.true_false(index, truth)
        rows.append(
            _row(
                sequence,
                test,
                index,
                text=statement,
                options=list(options),
                answer=letter,
                events=list(positions),
                statement_type=kind,
                polarity="gt" if truth else "nc",
                distance=positions[1] - positions[0] if len(positions) == 2 else None,
            )
        )
        index += 1
    return rows


def _ordering_row(sequence: ImageSequence, test: str, index: int) -> Row:
    texts = sequence.events if test.endswith("event") else sequence.captions
    n = len(sequence.images)
    order, letters = questions.shuffled_order(n, index)
    images = test.startswith("mt3")
    options, letter = questions.ordering_options(letters, index, "Image" if images else "Sentence")
    return _row(
        sequence,
        test,
        index,
        images=[sequence.images[i] for i in order] if images else list(sequence.images),
        text=" ".join(texts) if images else "",
        sentences=[] if images else [texts[i] for i in order],
        options=options,
        answer=letter,
        events=list(range(n)),
    )


def merge_repeated(rows: Iterable[Row]) -> list[Row]:
    """Joins grounding rows with the same question, so that none is asked twice.

    The joined row belongs to every set that asks it.
    """
    merged: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = (
            row["source"],
            row["sequence_id"],
            *row["images"],
            row["text"],
            row["instruction"],
            row["character_info"],
        )
        if key in merged:
            merged[key]["tests"] = merged[key]["tests"] + row["tests"]
        else:
            merged[key] = dict(row)
    return list(merged.values())


def link(mains: Sequence[Row], gates: Sequence[Row]) -> None:
    """Writes into each main row which grounding rows gate it; all are of one sequence."""
    for main in mains:
        gate = GROUNDING_OF[main["tests"][0]]
        positions = set(main["events"])
        main["grounding"] = [
            row["question_id"] for row in gates if gate in row["tests"] and positions >= set(row["events"])
        ]


def configurations(per_sequence: Iterable[tuple[list[Row], list[Row]]]) -> dict[str, list[Row]]:
    """Returns the rows of the suite (`all`) and of each main test.

    Groundings and the questions that they gate stand next to each other, so that `--limit` cuts at most
    one sequence apart.
    """
    tables: dict[str, list[Row]] = {"all": [], **{test: [] for test in MAIN_TESTS}}
    for gates, mains in per_sequence:
        tables["all"] += [*gates, *mains]
        for test, gate in GROUNDING_OF.items():
            own = [row for row in mains if row["tests"] == [test]]
            if own:
                # The leaf knows only its own grounding set.
                tables[test] += [row | {"tests": [gate]} for row in gates if gate in row["tests"]] + own
    return tables


def build(sequences: Sequence[ImageSequence], is_name: questions.NameTest) -> dict[str, list[Row]]:
    """Returns the rows of every configuration, made from stories by the official rules.

    Running numbers go over all sequences.
    """
    index = dict.fromkeys([*MAIN_TESTS, *GROUNDING_OF.values()], 0)

    def numbered(test: str, rows: list[Row]) -> list[Row]:
        index[test] += len(rows)
        return rows

    def of_sequence(sequence: ImageSequence) -> tuple[list[Row], list[Row]]:
        everything = range(len(sequence.images))
        asked = {
            "gt_two": sorted({position for pair in sequence.pairs for position in pair}),
            "gt_three": sorted({position for triple in sequence.triples for position in triple}),
            "gt_event": everything,
            "gt_caption": everything,
        }
        gates: list[Row] = []
        for test, positions in asked.items():
            gates += numbered(test, grounding_rows(sequence, test, positions, index[test]))
        gates = merge_repeated(gates)
        mains: list[Row] = []
        for test, groups in (("mt1_two", sequence.pairs), ("mt1_three", sequence.triples)):
            for positions in groups:
                mains += numbered(test, _statement_rows(sequence, test, positions, index[test], is_name))
        for test in MAIN_TESTS[2:]:
            mains += numbered(test, [_ordering_row(sequence, test, index[test])])
        link(mains, gates)
        return gates, mains

    return configurations(of_sequence(sequence) for sequence in sequences)
