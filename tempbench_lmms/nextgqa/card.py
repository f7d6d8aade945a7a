"""NExT-GQA: the paper, its sources and its numbers."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

SPLITS = ("test", "validation")

FILES = dict(zip(SPLITS, ("test", "val"), strict=True))
"""What the official files call a split: `test.csv`, `gsub_val.json`, ..."""

COUNTS = dict(zip(SPLITS, (5553, 3358), strict=True))
"""Numbers of questions of the release."""

OPTIONS = 5

TYPES = {"CW": "why", "CH": "how", "TN": "next", "TP": "previous", "TC": "when"}
"""The release's types of question and what they ask: causal why and how; temporal next, previous, current."""

FAMILIES = {"causal": ("why", "how"), "temporal": ("next", "previous", "when")}

THRESHOLDS = (0.3, 0.5)
"""Of the overlap with a true segment, as the official scorer counts it."""

CLUSTER = Cluster("video", ("video_id",))
"""A video with all its questions."""

CARD = BenchmarkCard(
    name="nextgqa",
    title="Can I Trust Your Answer? Visually Grounded Video Question Answering",
    paper="https://arxiv.org/abs/2309.01327",
    bibtex="""@inproceedings{xiao2024can,
  title = {Can I Trust Your Answer? Visually Grounded Video Question Answering},
  author = {Xiao, Junbin and Yao, Angela and Li, Yicong and Chua, Tat-Seng},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition},
  pages = {13204--13214},
  year = {2024}
}""",
    sources=(
        Source("NExT-GQA", "https://github.com/doc-doc/NExT-GQA", "MIT", False),
        Source(
            "NExT-QA",
            "https://github.com/doc-doc/NExT-QA",
            "MIT",
            False,
            "videos of VidOR, which are from Flickr, keep their owners' licences",
        ),
    ),
    version="1-A",
    chance={"acc": 1 / OPTIONS},
    primary=("acc_gqa", "acc", "miop", "iop_at_50", "miou", "iou_at_50"),
    full=("nextgqa", COUNTS["test"]),
    cluster=CLUSTER,
    plain=("test",),
    breakdowns={"type": tuple(TYPES.values()), "family": tuple(FAMILIES)},
)
