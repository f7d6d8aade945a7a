"""MATEO: the paper, its source and its numbers."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

CLUSTER = Cluster("plan", ("plan_id",))
"""A recipe: its pairs of steps, each in both orders."""

CARD = BenchmarkCard(
    name="mateo",
    title="MATEO: A Multimodal Benchmark for Temporal Reasoning and Planning in LVLMs",
    paper="https://arxiv.org/abs/2602.14589",
    bibtex="""@misc{roccabruna-etal-2026-mateo,
  title = {MATEO: A Multimodal Benchmark for Temporal Reasoning and Planning in LVLMs},
  author = {Roccabruna, Gabriel and Khomyn, Olha and Riccardi, Giuseppe},
  year = {2026},
  eprint = {2602.14589},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/abs/2602.14589}
}""",
    sources=(Source("MATEO", "https://huggingface.co/datasets/SISLab/MATEO", "CC-BY-NC-SA-4.0", True),),
    version="1-B",
    # Not in the paper: three classes drawn at random, rightly in both orders.
    chance={"accuracy": 1 / 9, "accuracy_dependent": 1 / 9, "accuracy_independent": 1 / 9},
    primary=("accuracy", "always_independent", "f1_before", "f1_independent", "f1_after", "parse_rate"),
    # The test split's pairs of steps in both orders: 2 * (993 + 1,573), see below.
    full=("mateo_both_instructions", 5_132),
    cluster=CLUSTER,
    # A metric is written as <modality>_<setting>_<metric>, as far as the paper names the first two.
    breakdowns={"relation": ("before", "independent", "after")},
)

CLASSES = ("before", "after", "independent")
"""Step A must be executed before step B, after it, or either will do (section 3)."""

SPLITS = ("test", "validation", "train")

REVISION = "f822b3aa9210faa0a4c93e1d4b02d0a760b2d414"
"""The commit of `SISLab/MATEO` that is downloaded and whose form is read: a row a plan, `steps` a list of
structs (`id`, `image` in base64, `out_nodes`, `text_eng`, `text_it`), `graph` a struct of "0" to "20" with
the same edges."""

COUNTS = {
    # Table 2; the numbers of relations in section 5.2 are of the test split.
    "train": {"plans": 210, "steps": 3273, "edges": 3499, "independent": 4969, "branching": 1.12},
    "validation": {"plans": 30, "steps": 477, "branching": 1.16},
    "test": {"plans": 60, "steps": 936, "edges": 993, "independent": 1573, "branching": 1.11},
}
"""What the paper prints. It contradicts itself: 993 relations before, but 933 after, which are the same
swapped; and 1573 + 993 + 933 = 3499, the number that it gives of training examples before. So the counts of
the data stand beside these, and nothing is checked against them."""
