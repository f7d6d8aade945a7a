"""What contract tests and scripts know of temporal coherence; see `tests/contract.py`."""

from pathlib import Path

from tests.source_files import clips, write

PAPER = "003_eb9f2d4a83f08e1e.txt"
LEFT_OUT = {"Table 2": "settings of the models, no results: 1,024 new tokens, temperature 0, top-p 1"}
PARTLY = {"Table 1": "has the options of example questions beside the shares"}

_LETTERS = (None, *"ABCD")
OFFERED = {
    "coherence.parser.read": lambda found: found.value is None or found.value[0] in _LETTERS,
    "coherence.official.number_official": lambda found: found is None or isinstance(found, int),
    "coherence.official.parse_official": lambda found: found in _LETTERS,
}
NOT_PARSERS = ("coherence.captioning.record",)

PUBLISHED = ("qa/test.parquet", "caption/test.parquet")
ORIGIN = {"parts": {"tomato": {"source": "/home/somebody/tomato"}}}
EMPTY_SOURCE = {"a.mp4": "", "count.json": "{}"}

REREAD = ("coherence_qa_4f_mini",)
OF_THE_TEXT = r".*(_official|bertscore.*|clip_model)|bertscore.*"


def SOURCE(folder: Path, version: int) -> list[str]:
    videos = clips("coherence")[version:]
    questions = {}
    for i in range(3):
        write(folder / f"tomato/videos/human/{i}.mp4", videos[i].read_bytes())
        questions[str(i)] = {
            "question": f"How many in {i}?",
            "options": ["1", "2", "3"],
            "answer": version,
            "key": str(i),
            "motion_type": "count",
            "variation": {},
            "demonstration_type": "human",
        }
    write(folder / "tomato/data/count.json", questions)
    for i in range(2):
        write(folder / f"captions/{i}.mp4", videos[5 + i].read_bytes())
    return ["--source", str(folder / "tomato"), "--types", "count", "--captions", str(folder / "captions")]
