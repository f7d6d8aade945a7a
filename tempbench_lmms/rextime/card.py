"""ReXTime: the paper, its sources and its numbers."""

from tempbench_lmms.card import BenchmarkCard, Reference, Source

_MINI_TEST = "on 300 questions of the test split that are not published as a list"
_NO_ANSWERS = "on the test split, whose answers are not public; compare through the leaderboard"

_METRICS = ("miou", "r1_at_30", "r1_at_50", "acc", "acc_at_iou_50")


def _rows(table: str, note: str, values: dict[str, tuple[float | None, ...]]) -> tuple[Reference, ...]:
    return tuple(
        Reference(table, model, metric, round(value / 100, 4), comparable=False, note=note)
        for model, row in values.items()
        for metric, value in zip(_METRICS, row, strict=True)
        if value is not None
    )


CARD = BenchmarkCard(
    name="rextime",
    title="ReXTime: A Benchmark Suite for Reasoning-Across-Time in Videos",
    paper="https://arxiv.org/abs/2406.19392",
    bibtex="""@inproceedings{chen2024rextime,
  title = {ReXTime: A Benchmark Suite for Reasoning-Across-Time in Videos},
  author = {Chen, Jr-Jen and Liao, Yu-Chien and Lin, Hsi-Che and Yu, Yu-Chu and Chen, Yen-Chun and Wang, Yu-Chiang Frank},
  booktitle = {Advances in Neural Information Processing Systems},
  year = {2024},
  url = {https://arxiv.org/abs/2406.19392}
}""",  # noqa: E501
    sources=(
        Source("ReXTime", "https://huggingface.co/datasets/ReXTime/ReXTime", "CC-BY-NC-SA-4.0", False),
        Source("ActivityNet", "http://activity-net.org/", "videos keep their owners' licences", False),
        Source("QVHighlights", "https://github.com/jayleicn/moment_detr", "CC-BY-NC-SA-4.0", False),
    ),
    version="1-A",
    chance={"acc": 0.25},
    primary=("miou", "r1_at_30", "r1_at_50", "acc", "acc_at_iou_50"),
    reference=(
        *_rows(
            "Table 2",
            _MINI_TEST,
            {
                "Human": (61.11, 74.30, 62.85, 87.98, 58.51),
                "GPT-4o": (36.28, 45.33, 34.00, 73.67, 28.67),
                "Claude3-Opus": (23.61, 30.67, 17.67, 68.67, 13.67),
                "Gemini-1.5-Pro": (28.43, 35.67, 25.00, 68.00, 18.33),
                "GPT-4V": (26.74, 33.33, 22.00, 63.33, 16.67),
                "Reka-Core": (27.95, 36.33, 24.00, 59.67, 17.00),
            },
        ),
        *_rows(
            "Table 3",
            _NO_ANSWERS,
            {
                "UniVTG": (28.17, 41.34, 26.88, None, None),
                "CG-DETR": (23.87, 31.31, 16.67, None, None),
                "VTimeLLM": (20.14, 28.84, 17.41, 36.16, None),
                "TimeChat": (11.65, 14.42, 7.61, 40.04, None),
                "LITA": (21.49, 29.49, 16.29, 34.44, None),
            },
        ),
        *_rows(
            "Table 4",
            f"fine-tuned; {_NO_ANSWERS}",
            {
                "UniVTG": (34.63, 53.48, 34.53, None, None),
                "CG-DETR": (26.53, 39.71, 22.73, None, None),
                "VTimeLLM": (29.92, 43.69, 26.13, 57.58, 17.13),
                "TimeChat": (26.29, 40.13, 21.42, 49.46, 10.92),
            },
        ),
        Reference("section 4.4", "GPT-4o", "blind_acc", 0.2967, comparable=False, note=_MINI_TEST),
    ),
)
