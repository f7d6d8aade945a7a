"""Motion only: the rendered figures, and the paper with the idea."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

SHAPES = ("a circle", "a ring", "a square", "a triangle", "a cross", "two bars")
WORDS = ("CAT", "SUN", "HAT", "BED", "CUP", "TOP")
KINDS = ("shape", "word")
N_OPTIONS = 4

BUDGETS = (1, 2, 4, 8, 16)
"""The numbers of frames that a question is asked with, besides the native video."""

N_PAIRS = 100
"""Pairs of questions that `prepare` renders."""

CLUSTER = Cluster("pair", ("pair_id",))
"""A pair of videos with the same options."""

CARD = BenchmarkCard(
    name="motion_only",
    title="Motion only: videos of noise in which time alone shows something, in the spirit of SpookyBench",
    paper="https://arxiv.org/abs/2505.24867",
    bibtex="""@misc{upadhyay2025time,
  title = {Time Blindness: Why Video-Language Models Can't See What Humans Can?},
  author = {Upadhyay, Ujjwal and Ranjan, Mukul and Shen, Zhiqiang and Elhoseiny, Mohamed},
  year = {2025},
  eprint = {2505.24867},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/abs/2505.24867}
}""",
    sources=(Source("rendered by this package", "https://arxiv.org/abs/2505.24867", "MIT", True),),
    version="1-A",
    chance={"accuracy": 1 / N_OPTIONS, "pair_accuracy": 1 / N_OPTIONS**2},
    primary=("accuracy", "pair_accuracy"),
    full=("motion_only", 2 * N_PAIRS),
    cluster=CLUSTER,
    others={"Human": "human", "SpookyBench's models": "best"},
    breakdowns={"kind": KINDS},
)
