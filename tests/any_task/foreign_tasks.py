"""Data for two tasks of the harness itself, made up in the shape of theirs, and tasks of a user's own.

`build(folder)` makes all that they need without a network, started in `folder/data` (the harness takes the
name of a data set for the folder of that name there) with `folder/home` as `HF_HOME`.
"""

import json
import random

import av
import numpy as np
from PIL import Image, ImageDraw

COLOURS = ("red", "green", "blue", "yellow", "white", "purple")
_DRAW = random.Random(0)


def picture(colour, number=0):
    """A square of a colour somewhere on black."""
    image = Image.new("RGB", (64, 48))
    ImageDraw.Draw(image).rectangle((number % 6 * 8, 12, number % 6 * 8 + 16, 36), fill=colour)
    return image


def video(path, colour):
    """Six frames of a square of a colour that moves."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("mpeg4", rate=2)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(6):
            frame = av.VideoFrame.from_ndarray(np.asarray(picture(colour, number)), format="rgb24")
            out.mux(stream.encode(frame))
        out.mux(stream.encode())


def _choice(n=4):
    """Options, the number of the right one, and what a model may reply."""
    options = _DRAW.sample(COLOURS, n)
    right = _DRAW.randrange(n)
    letters = "ABCDEF"[:n]
    says = {"right": letters[right], "wrong": [*letters.replace(letters[right], "")], "odd": None}
    return options, right, says


def _videomme(i, videos):
    options, right, says = _choice()
    videos[f"videomme/data/v{i // 3:03d}.mp4"] = options[right]
    return {
        "question_id": f"{i // 3:03d}-{i % 3 + 1}",
        "videoID": f"v{i // 3:03d}",
        "duration": ("short", "medium", "long")[i // 3 % 3],
        "domain": ("Knowledge", "Life Record")[i // 3 % 2],
        "sub_category": ("Geography", "Travel")[i // 3 % 2],
        "question": f"Which colour comes {i % 3 + 1}.?",
        "task_type": ("Counting Problem", "Temporal Reasoning", "OCR Problems")[i % 3],
        "answer": says["right"],
        "options": [f"{letter}. {one}" for letter, one in zip("ABCD", options, strict=True)],
        **says,
    }


def _muirbench(i, videos):
    options, right, says = _choice(4 + i % 2)
    return {
        "idx": str(i),
        "task": ("Ordering", "Counting", "Scene Understanding")[i % 3],
        "answer": says["right"],
        "image_relation": ("Temporal", "Multiview")[i % 2],
        "image_type": "Drawings",
        "options": options,
        "question": "<image><image> Which colour is in both?",
        "image_list": [picture(options[right], n) for n in range(2 + i % 2)],
        **says,
    }


TASKS = (  # the data set, the number of rows, what makes one
    ("lmms-eval/Video-MME", 60, _videomme),
    ("MUIRBENCH/MUIRBENCH", 45, _muirbench),
)

_OWN_UTILS = '''"""What a user may write."""


def to_visual(doc):
    return []


def to_text(doc, **round):
    return (None, None, True, round["previous_output"], None) if "round_idx" in round else doc["question"]


def _words(text):
    return {word.strip(".,").lower() for word in text.split()}


def process_f1(doc, results):
    found, wanted = _words(results[0]), _words(doc["right"])
    item = {"hits": len(found & wanted), "found": len(found), "wanted": len(wanted), "film": doc["film"]}
    return {"micro_f1": item, "length_ratio": item}


def micro_f1(items):
    hits = sum(one["hits"] for one in items)
    return 2 * hits / (sum(one["found"] for one in items) + sum(one["wanted"] for one in items))


def length_ratio(items):
    return sum(one["found"] for one in items) / sum(one["wanted"] for one in items)


def process_mean(doc, results):
    found, wanted = _words(results[0]), _words(doc["right"])
    return {"overlap": len(found & wanted) / len(wanted), "is_right": found == wanted}


def process_rounds(doc, results):
    return {"is_right": float(_words(str(results[0])) == _words(doc["right"]))}
'''
_OWN_YAML = """task: {task}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: {kind}
doc_to_visual: !function own_utils.to_visual
doc_to_text: !function own_utils.to_text
doc_to_target: right
generation_kwargs: {{max_new_tokens: 32, temperature: 0, do_sample: false}}
metadata: {{version: 1.0}}
"""
_OWN_METRICS = {
    "own_f1": """process_results: !function own_utils.process_f1
metric_list:
  - {metric: micro_f1, aggregation: !function own_utils.micro_f1, higher_is_better: true}
  - {metric: length_ratio, aggregation: !function own_utils.length_ratio, higher_is_better: true}
""",
    "own_mean": """process_results: !function own_utils.process_mean
metric_list:
  - {metric: overlap, aggregation: mean, higher_is_better: true}
  - {metric: is_right, aggregation: mean, higher_is_better: true}
""",
    "own_rounds": """process_results: !function own_utils.process_rounds
metric_list:
  - {metric: is_right, aggregation: mean, higher_is_better: true}
""",
}


def _own(folder):
    rows = []
    for i in range(40):
        right = f"the {COLOURS[i % 6]} square moves {('left', 'right')[i % 2]}"
        wrong = [f"the {COLOURS[(i + 1) % 6]} square stays", "a ball"]
        rows.append(
            {
                "question": f"What happens in scene {i % 4} of film {i // 4}?",
                "film": f"film {i // 4}",
                "right": right,
                "wrong": wrong,
                "odd": None,
            }
        )
    data = folder / "rows.jsonl"
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "own_utils.py").write_text(_OWN_UTILS)
    for task, metrics in _OWN_METRICS.items():
        kind = "generate_until_multi_round" if task == "own_rounds" else "generate_until"
        text = _OWN_YAML.format(task=task, kind=kind, data=data.absolute()) + metrics
        (folder / f"{task}.yaml").write_text(text)


def _table(folder, rows):
    import datasets

    folder.mkdir(parents=True, exist_ok=True)
    table = datasets.Dataset.from_list(rows)
    for key in [key for key, feature in table.features.items() if getattr(feature, "dtype", "") == "null"]:
        table = table.cast_column(key, datasets.List(datasets.Value("string")))  # nothing has no type
    table.to_parquet(folder / "default" / "test.parquet")
    file = {"split": "test", "path": "default/test.parquet"}
    configs = json.dumps([{"config_name": "default", "data_files": [file]}])
    (folder / "README.md").write_text(f"---\nconfigs: {configs}\n---\n")


def build(folder):
    """Makes the data, the videos and the user's tasks."""
    _DRAW.seed(0)
    videos = {}
    for name, n, row in TASKS:
        _table(folder / "data" / name, [row(i, videos) for i in range(n)])
    for path, colour in videos.items():
        video(folder / "home" / path, colour)
    _own(folder / "own")
    return folder
