"""Temporal coherence: the papers, their sources and numbers."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

TYPES = ("count", "direction", "rotation", "shape_trend", "velocity_frequency", "visual_cues")
"""TOMATO's types of reasoning."""

SCENES = ("human", "object", "simulated")
"""Who or what moves in TOMATO's videos."""

COUNTS = dict(zip(TYPES, (292, 403, 286, 223, 210, 70), strict=True))
"""TOMATO's questions by type."""

BUDGETS = (4, 8, 12, 16)
"""The numbers of frames that a question is asked with."""

LARGER = (32, 64)
"""Numbers of frames beyond the paper's, for models that take them."""

RATES = {"1fps": 1.0, "2fps": 2.0}
"""Frames a second, for budgets that grow with the video; the paper has none."""

CONTROLS = ("1f", "shuffled", "reversed", "blind")
"""How else a question is asked: with one frame, with frames out of order, and with none."""

CURVES = ("accuracy", "bertscore", "numeric_distance")
"""The scores that are followed over the number of frames."""

CLUSTER = Cluster("video", ("video",))
"""A video: its questions, or both of its captions."""

CARD = BenchmarkCard(
    name="coherence",
    title="Evaluating Temporal Coherence in Multimodal Foundation Models for Video Understanding",
    paper="https://github.com/MayankD409/Video-Temporal-Consistency-Analysis",
    bibtex="""@misc{deshpande2024coherence,
  title = {Evaluating Temporal Coherence in Multimodal Foundation Models for Video Understanding},
  author = {Deshpande, Mayank and Bhatt, Tathya and Acharya, Shreyas},
  year = {2024},
  url = {https://github.com/MayankD409/Video-Temporal-Consistency-Analysis}
}

@misc{shangguan2024tomato,
  title = {TOMATO: Assessing Visual Temporal Reasoning Capabilities in Multimodal Foundation Models},
  author = {Shangguan, Ziyao and Li, Chuhan and Ding, Yuxuan and Zheng, Yanan and Zhao, Yilun and Fitzgerald, Tesca and Cohan, Arman},
  year = {2024},
  eprint = {2410.23266},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/abs/2410.23266}
}""",  # noqa: E501
    sources=(
        Source(
            "TOMATO",
            "https://github.com/yale-nlp/TOMATO",
            "CC-BY-SA-4.0",
            False,
            "videos of YouTube keep their owners' licences",
        ),
        Source(
            "MSR-VTT",
            "https://www.microsoft.com/en-us/research/publication/msr-vtt-a-large-video-description-dataset-for-bridging-video-and-language/",
            "research only",
            False,
        ),
    ),
    version="1-A",
    # The mean of 1/(number of options) over TOMATO's 1,484 questions.
    # Of the numeric distance, over the options of its 292 counting questions.
    chance={
        **{f"accuracy_{n}f": 0.19907 for n in BUDGETS},
        **{f"numeric_distance_{n}f": 0.53527 for n in BUDGETS},
    },
    headline="accuracy_16f",
    primary=(
        *(f"{score}_{n}f" for score in CURVES for n in BUDGETS),
        *("accuracy_slope", "accuracy_gain", "accuracy_area"),
        *("clipgain", "clipgain_official"),
    ),
    full=("coherence_qa", len(BUDGETS) * sum(COUNTS.values())),
    cluster=CLUSTER,
    others={
        "Human (Videos)": "human",
        "Human (Frames)": "human",
        "Random (GPT-4o)": "chance",
        "Random Choice (42)": "chance",
        "Frequent Choice": "chance",
        "mean of the models": "other",
        "mean of GPT-4o and Qwen2-VL-72B": "other",
    },
    plain=("qa", "caption"),
    breakdowns={"reasoning type": TYPES, "scene": SCENES},
)
