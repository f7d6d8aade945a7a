"""TempVS: the paper, its sources and its numbers.

The results in `reference/` cannot be compared, but for the row Random: they were computed over other rows
than Table 2 counts (README.md).
"""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

SOURCES = ("flintstones", "pororo", "vwp", "vist")
"""In the order of the paper's tables, and of the official scorer."""

GROUNDING_OF = {
    "mt1_two": "gt_two",
    "mt1_three": "gt_three",
    "mt2_event": "gt_event",
    "mt2_caption": "gt_caption",
    "mt3_event": "gt_event",
    "mt3_caption": "gt_caption",
}
"""The grounding set that gates each main test. `gt_event` and `gt_caption` are shared."""

MAIN_TESTS = tuple(GROUNDING_OF)

N_EVENTS = {"mt1_two": 2, "mt1_three": 3}
"""Events in a statement; the other tests ask about all of a sequence, mostly five."""

TEXT_MODELS = (
    "microsoft/Phi-3.5-mini-instruct",
    "meta-llama/Llama-3.1-8B",
    "Qwen/Qwen2.5-72B-Instruct",
)
"""The text models of the paper's quality control (section 3.2)."""

NON_EVENTS = ("no_event", "good time", "great time", "wonderful time", "have fun", "had fun")
"""What an "event" that is not one holds. Source: the official scorer; Table 2 counts without them."""


TABLE_2 = {
    test: dict(zip(SOURCES, counts, strict=True))
    for test, counts in {
        "mt1_two": (2104, 864, 850, 3742),
        "mt1_three": (916, 172, 208, 830),
        "mt2_event": (501, 320, 274, 708),
        "mt2_caption": (485, 326, 256, 551),
        "mt3_event": (565, 395, 316, 809),
        "mt3_caption": (565, 395, 316, 809),
    }.items()
}
"""Questions by main test and source: statements of MT1 (Table 9 calls them groups), sequences of MT2 and MT3.
The paper prints one column for both tests of MT3."""

CLUSTER = Cluster("sequence", ("source", "sequence_id"))
"""An image sequence: its main questions, and the groundings that gate them."""

CARD = BenchmarkCard(
    name="tempvs",
    title=(
        "Burn After Reading: Do Multimodal Large Language Models Truly Capture Order of Events in Image "
        "Sequences?"
    ),
    paper="https://aclanthology.org/2025.findings-acl.1248/",
    bibtex="""@inproceedings{song-etal-2025-tempvs,
  title = {Burn After Reading: Do Multimodal Large Language Models Truly Capture Order of Events in Image Sequences?},
  author = {Song, Yingjin and Du, Yupei and Paperno, Denis and Gatt, Albert},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2025},
  year = {2025},
  eprint = {2506.10415},
  archivePrefix = {arXiv},
  url = {https://aclanthology.org/2025.findings-acl.1248/}
}""",  # noqa: E501
    sources=(
        Source("TempVS", "https://huggingface.co/datasets/yingjins/TempVS", "Apache-2.0", False),
        Source("FlintstonesSV", "https://aclanthology.org/2021.emnlp-main.543/", "research only", False),
        Source("PororoSV", "https://github.com/yitong91/StoryGAN", "research only", False),
        Source("VIST", "https://visionandlanguage.net/VIST/", "images keep their Flickr licences", False),
        Source("VWP", "https://huggingface.co/datasets/tonyhong/vwp", "research only", False),
    ),
    version="1-B",
    # Section 4: random choice. The paper prints 0.6 % for three events; 0.2 ** 3 is 0.8 %.
    chance={
        **{f"{test}_mt": 0.5 if test.startswith("mt1") else 0.2 for test in MAIN_TESTS},
        **{f"{test}_gt_strict": 0.2 ** N_EVENTS.get(test, 5) for test in MAIN_TESTS},
    },
    primary=tuple(
        f"{test}_{metric}"
        for test in MAIN_TESTS
        for metric in ("mt", "gt", "gt_strict", "mt_given_gt_strict")
    ),
    tests=MAIN_TESTS,
    # With five groundings of events and five of captions for each of 2,085 sequences.
    full=("tempvs", 38_127),
    cluster=CLUSTER,
    apart="they cover other questions than those that the paper's Table 2 counts",
    others={"Random": "chance", "Human": "human", "Top-5 Average": "other"},
)

PICTURES = {
    one.name.lower().removesuffix("sv"): f"{one.url} ({one.licence})"
    for one in CARD.sources
    if one.name != "TempVS"
}
"""Where the pictures of each source come from, and their licence."""

STATEMENTS = {
    "mt1_two": ("after", "before", "then", "earlier", "implictpair"),
    "mt1_three": ("beforeafter", "laterfinally", "firstsecondthird", "implicttriple"),
}
"""The types of statement of MT1, as the release spells them. Source: Table 5."""
POLARITIES = {"pos": ("gt",), "neg": ("nc",), "both": ("gt", "nc")}
"""The columns of Table 5, with what the release calls true and false statements."""
