"""AoT-PsyPhyBENCH: the paper, its sources and its numbers."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

ANSWERS = {"F": "forward", "B": "backward"}

CATEGORIES = {
    "Proceed": "proceed",
    "Fall": "fall",
    "Explode": "diffusion",
    "Cut_Delete": "division",
    "Put": "put",
}
"""The motions, as the official metadata call them, and as metrics do; a clip may have several."""

N_CLIPS = 212

CLUSTER = Cluster("pair", ("pair_id",))
"""A clip both ways."""

CARD = BenchmarkCard(
    name="arrow_of_time",
    title="Which Way Does Time Flow? A Psychophysics-Grounded Evaluation for Vision-Language Models",
    paper="https://arxiv.org/abs/2510.26241",
    bibtex="""@article{matta2025whichway,
  title = {Which Way Does Time Flow? A Psychophysics-Grounded Evaluation for Vision-Language Models},
  author = {Matta, Shiho and Kanashiro Pereira, Lis and Han, Peitao and Cheng, Fei and Kitazawa, Shigeru},
  journal = {arXiv preprint arXiv:2510.26241},
  year = {2025},
  url = {https://arxiv.org/abs/2510.26241}
}""",
    sources=(
        Source("AoT-PsyPhyBENCH", "https://github.com/mattashiho233/AoT-PsyPhyBENCH", "not stated", False),
        Source("Multi-Moments in Time", "http://moments.csail.mit.edu/", "on request", False),
    ),
    version="1-A",
    chance={"accuracy": 1 / 2, "pair_accuracy": 1 / 4},
    primary=("accuracy", "pair_accuracy", "f1_forward", "f1_backward"),
    full=("arrow_of_time", 2 * N_CLIPS),
    cluster=CLUSTER,
    others={"Human": "human", "Random": "chance"},
    breakdowns={"category": tuple(CATEGORIES.values())},
)
