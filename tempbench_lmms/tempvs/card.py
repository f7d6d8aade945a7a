"""TempVS: the paper, its sources and its numbers."""

from pathlib import Path

from tempbench_lmms.card import BenchmarkCard, Source, read_references

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
  url = {https://aclanthology.org/2025.findings-acl.1248/}
}""",  # noqa: E501
    sources=(
        Source("TempVS", "https://huggingface.co/datasets/yingjins/TempVS", "Apache-2.0", False),
        Source("FlintstonesSV", "https://aclanthology.org/2021.emnlp-main.543/", "research only", False),
        Source("PororoSV", "https://github.com/yitong91/StoryGAN", "research only", False),
        Source("VIST", "https://visionandlanguage.net/VIST/", "images keep their Flickr licences", False),
        Source("VWP", "https://huggingface.co/datasets/tonyhong/vwp", "research only", False),
    ),
    version="1-A",
    # Section 4: random choice. The paper prints 0.6 % for three events; 0.2 ** 3 is 0.8 %.
    chance={
        "mt1_two_mt": 0.5,
        "mt1_three_mt": 0.5,
        "mt2_event_mt": 0.2,
        "mt2_caption_mt": 0.2,
        "mt3_event_mt": 0.2,
        "mt3_caption_mt": 0.2,
        "mt1_two_gt_strict": 0.2**2,
        "mt1_three_gt_strict": 0.2**3,
        "mt2_event_gt_strict": 0.2**5,
        "mt2_caption_gt_strict": 0.2**5,
        "mt3_event_gt_strict": 0.2**5,
        "mt3_caption_gt_strict": 0.2**5,
    },
    # Not comparable, but for the Random row: the tables were computed over other rows than Table 2 counts
    # (docs/fidelity/tempvs.md).
    reference=read_references(Path(__file__).with_name("reference.csv")),
    primary=tuple(
        f"{test}_{metric}"
        for test in ("mt1_two", "mt1_three", "mt2_event", "mt2_caption", "mt3_event", "mt3_caption")
        for metric in ("mt", "gt", "gt_strict", "mt_given_gt_strict")
    ),
)
