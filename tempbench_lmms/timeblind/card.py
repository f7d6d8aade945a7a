"""TimeBlind: the paper, its sources and its numbers."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

LEVELS = {
    "event": ("State_Transition", "Fine-Grained_Actions"),
    "event_attribute": ("Direction", "Speed", "Force", "Duration", "Magnitude", "Repetition"),
    "structural_event_logic": ("Temporal_Relation", "Cross-Event_Comparison", "Causal_Contingency"),
}
"""The three levels and their eleven tags, as the official `tags.json` calls them."""

TAGS = {tag: tag.lower().replace("-", "_") for tags in LEVELS.values() for tag in tags}
"""Each tag as metrics call it."""

N_INSTANCES = 600
SIZE = 4
"""Questions an instance: two videos by two questions."""

CLUSTER = Cluster("instance", ("pair_id",))
"""An instance: two videos by two questions."""

CARD = BenchmarkCard(
    name="timeblind",
    title="TimeBlind: A Spatio-Temporal Compositionality Benchmark for Video LLMs",
    paper="https://arxiv.org/abs/2602.00288",
    bibtex="""@misc{li2026timeblind,
  title = {TimeBlind: A Spatio-Temporal Compositionality Benchmark for Video LLMs},
  author = {Li, Baiqi and Zhao, Kangyi and Zhang, Ce and Mitra, Chancharik and Nyandwi, Jean de Dieu and Bertasius, Gedas},
  year = {2026},
  eprint = {2602.00288},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/abs/2602.00288}
}""",  # noqa: E501
    sources=(Source("TimeBlind", "https://huggingface.co/datasets/BaiqiL/TimeBlind", "not stated", False),),
    version="1-A",
    chance={"acc": 1 / 2, "q_acc": 1 / 4, "v_acc": 1 / 4, "i_acc": 1 / 16},
    primary=("i_acc", "q_acc", "v_acc", "acc"),
    full=("timeblind", SIZE * N_INSTANCES),
    cluster=CLUSTER,
    others={"Human": "human", "Random Chance": "chance"},
    breakdowns={"level": tuple(LEVELS), "tag": tuple(TAGS.values())},
)
