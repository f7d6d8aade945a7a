"""Temporal coherence: the papers, their sources and numbers."""

from tempbench_lmms.card import BenchmarkCard, Reference, Source

_NOT_REPRODUCIBLE = (
    "answers were read by Gemini and a failure counts 0: random option choice alone scores 0.535 on the 292 "
    "counting questions"
)
_SCORES = {
    "InternVL2-1B": (0.825, 0.876, 0.128, 0.715),
    "Qwen2-VL-2B": (0.872, 0.900, 0.201, 0.90),
    "Video-CCAM-4B-v1.1": (0.892, 0.904, 0.235, 0.993),
}
_METRICS = ("bertscore_4f", "bertscore_16f", "numeric_distance_4f", "numeric_distance_16f")

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
  archivePrefix = {arXiv}
}""",  # noqa: E501
    sources=(
        Source("TOMATO", "https://github.com/yale-nlp/TOMATO", "CC-BY-SA-4.0", False),
        Source(
            "MSR-VTT",
            "https://www.microsoft.com/en-us/research/publication/msr-vtt-a-large-video-description-dataset-for-bridging-video-and-language/",
            "research only",
            False,
        ),
    ),
    version="1-A",
    # The mean of 1/(number of options) over TOMATO's 1,484 questions.
    chance={f"accuracy_{n}f": 0.19907 for n in (4, 8, 12, 16)},
    primary=(
        *(f"accuracy_{n}f" for n in (4, 8, 12, 16)),
        *(f"bertscore_{n}f" for n in (4, 8, 12, 16)),
        *(f"numeric_distance_{n}f" for n in (4, 8, 12, 16)),
        *("accuracy_slope", "accuracy_gain", "accuracy_area"),
    ),
    reference=(
        *(
            Reference(
                "Table 3", model, metric, value, False, _NOT_REPRODUCIBLE if "numeric" in metric else ""
            )
            for model, values in _SCORES.items()
            for metric, value in zip(_METRICS, values, strict=True)
        ),
        Reference(
            "Table 5", "LLaVA-Interleave-Qwen", "clipgain_official", 0.0428, False, "ten unnamed videos"
        ),
        Reference("Table 5", "LLaVA-OneVision", "clipgain_official", 0.1400, False, "ten unnamed videos"),
        Reference("Table 5", "InternVL2", "clipgain_official", 0.1385, False, "ten unnamed videos"),
    ),
)
