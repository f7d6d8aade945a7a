"""TempCompass: the paper, its source and its numbers."""

from tempbench_lmms.card import BenchmarkCard, Cluster, Source

KINDS = ("multi_choice", "yes_no", "caption_matching")
"""The kinds of question that need no judge; `captioning`, the fourth, is judged by a language model."""

FILES = {kind: f"{name}.json" for kind, name in zip(KINDS, ("multi-choice", *KINDS[1:]), strict=True)}
"""What the official files of each kind are called, in `questions`, `predictions` and `auto_eval_results`."""

DETAILS = {
    "action": ("fine-grained action", "coarse-grained action"),
    "speed": ("absolute speed", "relative speed"),
    "direction": ("object motion", "camera motion"),
    "order": ("order",),
    "attribute_change": (
        "color & light change",
        "size & shape change",
        "combined change",
        "other change",
    ),
}
"""The five aspects of time, each with its finer ones, as the official code prints them."""

ASPECTS = tuple(DETAILS)
PAIRED = ASPECTS[1:]
"""The aspects with contrast groups: no question about an action is asked of two clips of one origin."""

COUNTS = dict(zip(KINDS, (1580, 2453, 1503), strict=True))
"""Questions of each kind in the official files."""

N_CONTRAST_GROUPS = dict(zip(KINDS, (298, 351, 174), strict=True))
"""Contrast groups of each kind in the official files; see `rows.contrast_groups`."""


def origin(clip: str) -> str:
    """Returns the clip that a clip was made of, which names it.

    The official files name a clip's twins after it: `NAME_reverse` runs backwards, `NAME_concat_0` to `_2`
    show it beside itself at two speeds, and `NAME_OTHER_0` to `_2` show it with the clip OTHER at once,
    before it and after it.

    >>> origin("1089810425_reverse"), origin("8050000_concat_1"), origin("77_88_0"), origin("77")
    ('1089810425', '8050000', '77', '77')
    """
    return clip.partition("_")[0]


CLUSTER = Cluster("clip", ("video_id",), origin)
"""A clip and all that were made of it, which its contrast groups compare."""

CARD = BenchmarkCard(
    name="tempcompass_pairs",
    title="TempCompass: Do Video LLMs Really Understand Videos?",
    paper="https://arxiv.org/abs/2403.00476",
    bibtex="""@inproceedings{liu2024tempcompass,
  title = {TempCompass: Do Video LLMs Really Understand Videos?},
  author = {Liu, Yuanxin and Li, Shicheng and Liu, Yi and Wang, Yuxiang and Ren, Shuhuai and Li, Lei and Chen, Sishuo and Sun, Xu and Hou, Lu},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2024},
  year = {2024},
  eprint = {2403.00476},
  archivePrefix = {arXiv},
  url = {https://arxiv.org/abs/2403.00476}
}""",  # noqa: E501
    sources=(
        Source(
            "TempCompass",
            "https://github.com/llyx97/TempCompass",
            "CC-BY-NC-4.0",
            False,
            "for academic research only; the clips keep their owners' licences",
        ),
    ),
    version="1-A",
    # The mean of 1/(number of options); 0.29836 of the 1,580 multiple-choice questions.
    chance={"accuracy": 0.44245},
    primary=tuple(
        f"{score}{kind}"
        for kind in ("", *(f"_{kind}" for kind in KINDS))
        for score in ("accuracy", "group_score")
    ),
    full=("tempcompass_pairs", sum(COUNTS.values())),
    cluster=CLUSTER,
    breakdowns={"kind": KINDS, "aspect": ASPECTS},
)
