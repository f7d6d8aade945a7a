"""When prepared data is whole, a part that was asked for, or incomplete: one rule for every benchmark."""

import contextlib

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.coherence import card as coherence
from tempbench_lmms.data import manifests
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.nextgqa import card as nextgqa_card
from tempbench_lmms.rextime import card as rextime_card
from tempbench_lmms.tempcompass_pairs import card as tempcompass
from tempbench_lmms.tempvs.card import TABLE_2
from tempbench_lmms.timepercept.card import TESTS

TOMATO, KINDS = coherence.COUNTS, tempcompass.COUNTS
PLANS = {split: {"plans": n} for split, n in (("test", 60), ("validation", 30), ("train", 210))}
VWP = {test: {"vwp": by_source["vwp"]} for test, by_source in TABLE_2.items()}


def tomato(by_type, types=tuple(TOMATO)):
    return {"parts": {"tomato": {"by_type": by_type, "types": [*types]}}}


def mateo(counts, **source):
    return {"edition": "official release", "source": source, "counts": counts}


def nextgqa(splits, **rows):
    return {"splits": splits, "rows": rows}


def rextime(*files, **rows):
    return {"annotations": dict.fromkeys(files, "sha256"), "rows": rows}


def series(tests, own=None, **rows):
    built = {**dict.fromkeys(tests, 200), **rows}
    return {"parts": {"series": {"request": {"series": own, "test": 200, "train": 0}, "rows": built}}}


CASES = [
    ("coherence", tomato(TOMATO), "", ""),
    ("coherence", tomato({**TOMATO, "count": 5}), "1,197 of 1,484 questions (count 5 of 292)", ""),
    (
        "coherence",
        tomato({"count": 292, "rotation": 0}, ("count",)),
        "",
        "292 of 578 questions (rotation 0 of 286)",
    ),
    ("mateo", mateo(PLANS), "", ""),
    ("mateo", mateo({"test": {"plans": 60}}, splits=["test"]), "", "60 of 300 plans"),
    ("mateo", mateo({**PLANS, "test": {"plans": 7}}), "247 of 300 plans (test 7 of 60)", ""),
    ("mateo", {"edition": "plans of one's own", "source": {}, "counts": {}}, "", ""),
    ("motion_only", {"settings": {"pairs": 100}, "rows": {"test": 200}}, "", ""),
    ("motion_only", {"settings": {"pairs": 2}, "rows": {"test": 4}}, "", "4 of 200 questions"),
    ("motion_only", {"settings": {"pairs": 2}, "rows": {"test": 3}}, "3 of 4 questions", "3 of 200"),
    ("nextgqa", nextgqa(nextgqa_card.SPLITS, test=5553, validation=3358), "", ""),
    ("nextgqa", nextgqa(["test"], test=5553), "", "5,553 of 8,911 questions (validation 0 of 3,358)"),
    ("nextgqa", nextgqa(["test"], test=9), "9 of 5,553 questions (test 9 of 5,553)", "9 of 8,911"),
    ("rextime", rextime(*rextime_card.EVALUATED, validation=921, test=2143), "", "3,064 of 12,759"),
    ("rextime", rextime("validation", validation=900), "900 of 921 questions", "900 of 12,759"),
    ("tempcompass_pairs", {"parts": {"tempcompass": {"by_kind": KINDS}}}, "", ""),
    (
        "tempcompass_pairs",
        {"parts": {"tempcompass": {"by_kind": {**KINDS, "yes_no": 1200}}}},
        "4,283 of 5,536 questions (yes_no 1,200 of 2,453)",
        "",
    ),
    ("tempvs", {"sources": ["flintstones", "pororo", "vwp", "vist"], "questions": TABLE_2}, "", ""),
    ("tempvs", {"sources": ["vwp"], "questions": VWP}, "", "(mt1_two of flintstones 0 of 2,104, "),
    ("tempvs", {"sources": ["vwp"], "questions": VWP | {"mt2_event": {}}}, "mt2_event of vwp 0 of 274", "("),
    ("timeblind", {"parts": {"timeblind": {"rows": 2400}}}, "", ""),
    ("timeblind", {"parts": {"timeblind": {"rows": 1200}}}, "1,200 of 2,400 questions", ""),
    ("timepercept", series(TESTS), "", ""),
    ("timepercept", series(("isr",)), "", "200 of 1,800 questions (tal 0 of 200, "),
    ("timepercept", series(TESTS, tal=150), "1,750 of 1,800 questions (tal 150 of 200)", ""),
    ("timepercept", series(TESTS, own="places", tal=150), "", ""),
    ("timepercept", {"parts": {"ucm": {"rows": {"ucm": 9}}}}, "9 of 200 questions (ucm 9 of 200)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("benchmark", "manifest", "short", "part"), CASES)
def test_the_extent_is_told_with_its_numbers(benchmark, manifest, short, part, by_the_numbers):
    sizes = manifests.sizes_in(manifest, benchmarks.sizes(benchmark))
    for expected, said in ((short, manifests.incomplete(sizes)), (part, manifests.part_asked(sizes))):
        assert bool(expected) == bool(said), said
        assert expected in said


def test_a_manifest_from_elsewhere_raises_nothing_but_one_line(by_the_numbers):
    with pytest.raises(TempbenchError, match="prepare the data again with --force"):
        manifests.sizes_in({"parts": []}, lambda manifest: manifest["parts"].items())
    for benchmark in benchmarks.names():
        for wrong in ({"parts": []}, {"parts": {"tomato": {"by_type": 3}}}, {"splits": 7, "rows": []}):
            with contextlib.suppress(TempbenchError):
                manifests.sizes_in(wrong, benchmarks.sizes(benchmark))
