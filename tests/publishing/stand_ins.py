"""Every release as its user has it, of our own making: each layout that ends in tables of its own.

That the further layouts of a release end in the same tables is tested beside each benchmark.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.coherence import releases as coherence
from tests.mateo import releases as mateo
from tests.rextime import releases as rextime
from tests.tempvs import stand_in as tempvs
from tests.timepercept import releases as timepercept

_SMALL = ("--test", "5", "--train", "5", "--test-share", "0.5", "--size", "32")
_OWN = ("--license", "cc-by-4.0")


@dataclass(frozen=True)
class StandIn:
    """A release.

    Attributes:
        benchmark: Whose.
        write: Writes it into a folder; returns the options of `prepare`.
        tasks: Those that its data serves.
        push: Further options of `push`.
        there: Those of them that are run from the Hub, too: one for each table and each kind of media. With
            `--exhaustive` it is all.
    """

    benchmark: str
    write: Callable[[Path], list[str]]
    tasks: tuple[str, ...]
    push: tuple[str, ...] = ("--private",)
    there: tuple[str, ...] = ()


_SOURCES = ("flintstones", "vwp")


def _tempvs(folder: Path) -> list[str]:
    release = tempvs.write(folder, _SOURCES)
    return ["--source", str(release), "--sources", ",".join(_SOURCES), "--accept-license"]


def _tempvs_with_strips(folder: Path) -> list[str]:
    """Single images are missing, and the strips serve in their place."""
    options = _tempvs(folder)
    for source in _SOURCES:
        (folder / "data" / tempvs.single(source, 0, 1)).unlink()
    return options


def _mateo(folder: Path) -> list[str]:
    return ["--source", str(mateo.whole(folder)), "--accept-license"]


def _coherence(folder: Path) -> list[str]:
    questions = coherence.harness_copy(folder / "TOMATO")
    clips = coherence.msrvtt(folder / "MSRVTT")
    return ["--source", str(questions["source"]), "--types", coherence.TYPES, "--captions", str(clips)]


def _rextime(folder: Path) -> list[str]:
    return rextime.options(rextime.whole(folder))


def _timepercept(folder: Path) -> list[str]:
    fmow = timepercept.fmow_tree(folder / "fmow")
    asked = timepercept.temporalvqa(folder / "temporalvqa", damaged=False)
    ucm = timepercept.ucm(folder / "ucm", "folders")
    return ["--fmow", str(fmow), "--temporalvqa", str(asked), "--ucm", str(ucm), *_SMALL]


def _timepercept_seq(folder: Path) -> list[str]:
    fmow = timepercept.fmow_test_part(folder / "fmow", "seq")
    ucm = timepercept.ucm(folder / "ucm", "parquet")
    return ["--fmow", str(fmow), "--fmow-split", "seq", "--ucm", str(ucm), *_SMALL]


def _timepercept_dated(folder: Path) -> list[str]:
    ucm = timepercept.ucm(folder / "ucm", "zip")
    return ["--series", str(timepercept.dated(folder / "series")), "--ucm", str(ucm), *_SMALL]


def _timepercept_bands(folder: Path) -> list[str]:
    bands = ("--bands", "3,2,1", "--tests", "isr,sov,ice")
    return ["--series", str(timepercept.fields(folder / "series")), *bands, *_SMALL]


_TEMPVS = ("tempvs", "tempvs_mt1_two_blind", "tempvs_mt3_image_only")
_MATEO = ("mateo_both_instructions", "mateo_image_cot", "mateo_text_reflection")
_SUITE = ("timepercept_suite", "timepercept_ucm")

STAND_INS = {
    "tempvs": StandIn("tempvs", _tempvs, _TEMPVS, there=("tempvs",)),
    "tempvs-strips": StandIn("tempvs", _tempvs_with_strips, ("tempvs_mt1_two",)),
    "mateo": StandIn(
        "mateo",
        _mateo,
        (*_MATEO, "mateo_both_instructions_validation"),
        (),
        ("mateo_both_instructions", "mateo_both_instructions_validation"),
    ),
    "mateo-italian-texts": StandIn(
        "mateo",
        lambda folder: [*_mateo(folder), "--text-only", "--language", "it", "--splits", "test"],
        ("mateo_text_baseline",),
        (),
        ("mateo_text_baseline",),
    ),
    "mateo-own": StandIn(
        "mateo", lambda folder: ["--from", str(mateo.own(folder))], _MATEO, _OWN, _MATEO[:1]
    ),
    "coherence": StandIn(
        "coherence",
        _coherence,
        ("coherence_qa", "coherence_qa_4f_video", "coherence_qa_blind", "coherence_caption"),
        ("--private", *_OWN),
        ("coherence_qa", "coherence_qa_4f_video", "coherence_caption"),
    ),
    "rextime": StandIn(
        "rextime",
        _rextime,
        ("rextime", "rextime_frames", "rextime_moment", "rextime_blind", "rextime_official", "rextime_test"),
        there=("rextime", "rextime_frames", "rextime_test"),
    ),
    "timepercept": StandIn(
        "timepercept", _timepercept, (*_SUITE, "timepercept_transfer_order", "timepercept_transfer_lapse")
    ),
    "timepercept-seq": StandIn("timepercept", _timepercept_seq, _SUITE),
    "timepercept-dated": StandIn("timepercept", _timepercept_dated, _SUITE, ("--private", *_OWN)),
    "timepercept-bands": StandIn(
        "timepercept",
        _timepercept_bands,
        ("timepercept_isr", "timepercept_sov", "timepercept_ice"),
        _OWN,
        ("timepercept_isr",),
    ),
}
