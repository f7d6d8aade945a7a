"""TimePerceptBench: the paper, its sources and its numbers.

Of Table 1 `reference/` has the columns that are printed in order, and those values of PIC and IPR that can be
told from the scrambled rest. Table 2 is a copy of Table 1 (README.md).
"""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

TOU = ("tal", "isr", "sov", "pov", "tpl")
"""Temporal order understanding. Source: section III.B."""
TIU = ("ice", "pic", "ipr", "eii")
"""Temporal interval understanding. Source: section III.C."""
TRANSFER = ("transfer_order", "transfer_lapse")
"""The two tests of TemporalVQA. Source: section V.5."""
CONTROLS = ("ucm", *TRANSFER)
TESTS = TOU + TIU
RANKINGS = ("isr", "ipr")
"""Tests that are answered with an ordering and scored by PNR."""

LENGTH = 5
"""Images in a sequence. Source: section III.B.1 and 5; the published PNR values fit only five images."""
PAIRS = {"ice": 1, "pic": 2, "ipr": 3, "eii": 4}
"""Pairs of images in a question on intervals."""
IMAGES = {
    **dict.fromkeys(("tal", "isr", "sov"), LENGTH),
    "pov": 2,
    "tpl": 4,
    **{test: 2 * n for test, n in PAIRS.items()},
    "ucm": 1,
    "transfer_order": 2,
    "transfer_lapse": 2,
}
"""Images in a question."""

INTERVALS = (
    ("1-30 days", 30),
    ("31-90 days", 90),
    ("91-365 days", 365),
    ("366-730 days", 730),
    ("731 days or more", None),
)
"""The classes of ICE, A to E, with their last day. Source: section III.C.1."""

LAPSES = (
    "Less than 15 seconds",
    "Between 2 minutes and 15 minutes",
    "Between 1 hour and 12 hours",
    "Between 2 days and 30 days",
    "Between 4 months and 12 months",
    "More than 3 years",
)
"""The classes of TemporalVQA's time-lapse estimation, A to F."""

PER_TEST = 200
"""Questions a test in the paper's test split."""
CONTROL_SIZES = {"ucm": 200, "temporalvqa": 845}
"""Questions of the parts of prepared data that are controls. Every printed accuracy of UC Merced is a
multiple of 1/200 (Table 3); TemporalVQA has 845."""

DAMAGED = "damaged picture"
"""Why a picture was left out that its source should have: the manifest of prepared data says it so."""

CLUSTER = Cluster("place", ("places",))
"""The places that are shown. Pairs of several places were drawn together, so each pair is a cluster."""

CARD = BenchmarkCard(
    name="timepercept",
    title=(
        "TimePerceptBench: Evaluating Temporal Understanding in Multimodal Large Language Models with Remote "
        "Sensing Imagery"
    ),
    # The paper carries the template's DOI (10.1109/ACCESS.2017.DOI) and no year.
    paper="https://ieeeaccess.ieee.org/",
    bibtex="""@article{timeperceptbench,
  title = {TimePerceptBench: Evaluating Temporal Understanding in Multimodal Large Language Models with Remote Sensing Imagery},
  author = {E, Ertai},
  journal = {IEEE Access},
  note = {Without year and volume; the DOI on its first page is the template's}
}""",  # noqa: E501
    sources=(
        Source("SITSCC", "https://github.com/Crueyl123/SITSCC", "not stated", False),
        Source("fMoW-rgb", "https://github.com/fMoW/dataset", "Functional Map of the World Challenge", False),
        Source(
            "UC Merced Land Use",
            "http://weegee.vision.ucmerced.edu/datasets/landuse.html",
            "public domain",
            True,
        ),
        Source("TemporalVQA", "https://huggingface.co/datasets/fazliimam/temporal-vqa", "Apache-2.0", True),
    ),
    version="1-A",
    chance={
        **{f"{test}_accuracy": 0.2 for test in ("tal", "ice", "ucm")},
        **{f"{test}_accuracy": 0.5 for test in ("sov", "pov", "tpl", "pic", "transfer_order")},
        **{f"{test}_pnr": 1.0 for test in RANKINGS},
        "eii_accuracy": 0.25,
        "transfer_lapse_accuracy": 1 / 6,
    },
    primary=(
        *(f"{test}_{'pnr' if test in RANKINGS else 'accuracy'}" for test in TESTS),
        *("tou_average", "tiu_average"),
    ),
    tests=(*TESTS, *CONTROLS),
    full=("timepercept_suite", PER_TEST * len(TESTS)),
    cluster=CLUSTER,
    others={
        f"{end}, {models}": kind
        for end, kind in (("lowest", "other"), ("highest", "best"))
        for models in ("not fine-tuned", "fine-tuned")
    }
    | {"mean of five models": "other"},
    plain=("suite",),
)
