"""ReXTime: the paper, its sources and its numbers."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

CATEGORIES = ("sequential", "cause_effect", "means_end")
"""How a question and its answer are related (section 3.1)."""

SOURCES = ("activitynet", "qvhighlights")

EVALUATED = ("validation", "test")
SPLITS = (*EVALUATED, "train")


COUNTS = dict(zip(SPLITS, (921, 2143, 9695), strict=True))
"""Numbers of questions (Table 5)."""

DURATIONS = {"under_60s": (0.0, 60.0), "60_to_120s": (60.0, 120.0), "over_120s": (120.0, float("inf"))}
"""Groups of video durations in seconds, the lower bound included; the paper has none."""

CLUSTER = Cluster("video", ("video_id",))
"""A video with all its questions."""

CARD = BenchmarkCard(
    name="rextime",
    title="ReXTime: A Benchmark Suite for Reasoning-Across-Time in Videos",
    paper="https://arxiv.org/abs/2406.19392",
    bibtex="""@inproceedings{chen2024rextime,
  title = {ReXTime: A Benchmark Suite for Reasoning-Across-Time in Videos},
  author = {Chen, Jr-Jen and Liao, Yu-Chien and Lin, Hsi-Che and Yu, Yu-Chu and Chen, Yen-Chun and Wang, Yu-Chiang Frank},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2024},
  eprint = {2406.19392},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/abs/2406.19392}
}""",  # noqa: E501
    sources=(
        Source("ReXTime", "https://huggingface.co/datasets/ReXTime/ReXTime", "CC-BY-NC-SA-4.0", False),
        Source("ActivityNet", "http://activity-net.org/", "videos keep their owners' licences", False),
        Source(
            "QVHighlights",
            "https://github.com/jayleicn/moment_detr",
            "CC-BY-NC-SA-4.0",
            False,
            "videos of YouTube keep their owners' licences",
        ),
    ),
    version="1-A",
    chance={"acc": 0.25},
    primary=("miou", "r1_at_30", "r1_at_50", "acc", "acc_at_iou_50"),
    full=("rextime", sum(COUNTS[split] for split in EVALUATED)),
    cluster=CLUSTER,
    others={"Human": "human"},
    breakdowns={"relation": CATEGORIES, "source": SOURCES, "duration": tuple(DURATIONS)},
)
