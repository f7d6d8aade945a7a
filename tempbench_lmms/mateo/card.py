"""MATEO: the paper, its source and its numbers."""

from pathlib import Path

from tempbench_lmms.card import BenchmarkCard, Source, read_references

CARD = BenchmarkCard(
    name="mateo",
    title="MATEO: A Multimodal Benchmark for Temporal Reasoning and Planning in LVLMs",
    paper="https://github.com/sislab-unitn/MATEO",
    bibtex="""@misc{roccabruna-etal-mateo,
  title = {MATEO: A Multimodal Benchmark for Temporal Reasoning and Planning in LVLMs},
  author = {Roccabruna, Gabriel and Khomyn, Olha and Riccardi, Giuseppe},
  howpublished = {https://github.com/sislab-unitn/MATEO}
}""",
    sources=(Source("MATEO", "https://huggingface.co/datasets/SISLab/MATEO", "CC-BY-NC-SA-4.0", False),),
    version="1-A",
    # Not in the paper: three classes drawn at random, rightly in both orders.
    chance={"accuracy": 1 / 9, "accuracy_dependent": 1 / 9, "accuracy_independent": 1 / 9},
    primary=("accuracy", "always_independent", "f1_before", "f1_independent", "f1_after", "parse_rate"),
    # A metric is written as <modality>_<setting>_<metric>, as far as the paper names the first two.
    reference=read_references(Path(__file__).with_name("reference.csv")),
)
