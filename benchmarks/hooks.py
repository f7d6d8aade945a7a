"""A document in the harness: our hooks against those of the harness's own tasks, on the same media.

Pictures: five JPEGs of 512x384 pixels a question, as `tempvs_mt3_event_separate` and as the harness's
`muirbench`, whose documents hold the pictures. Videos: 240 frames of 320x240, as `coherence_qa` and
`rextime`, and as the harness's `tomato`, whose hook gives the runner a path; what the runner then does is
done by the harness's own `load_video.read_video`. The harness's tasks are its own YAMLs with another data
set. A respondent without weights answers; it asks for every question's media, as a model does.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import timing

from tempbench_lmms.coherence.card import BUDGETS

N_IMAGES = 5
SIZE = (512, 384)
MUIRBENCH = {
    "choices": list("ABCDE"),
    "target": "A",
    "task": "Ordering",
    "image_relation": "Temporal",
    "image_type": "Photo",
    "question": "In which order were the pictures taken? <image> <image> <image> <image> <image>",
    "options": ["abcde", "bcade", "ecdab", "acbde", "edcba"],
    "answer": "A",
}
TOMATO = {
    "choices": list("ABCDEF"),
    "target": "A",
    "answer": 0,
    "reason_type": "count",
    "demonstration_type": "human",
}
"""A row of the harness's own tasks on the same media, but for what differs from row to row."""


def write_data(folder: Path, n_docs: int, n_videos: int) -> None:
    """Writes the media once, and the data sets and YAMLs of both sides."""
    import lmms_eval
    import numpy as np

    from tempbench_lmms.data import roots

    home, yamls = Path(os.environ["TEMPBENCH_DATA"]), folder / "yamls"
    theirs = Path(lmms_eval.__file__).parent / "tasks"
    for benchmark in ("tempvs", "coherence", "rextime"):
        (home / benchmark / "media").mkdir(parents=True)
        (home / benchmark / roots.MANIFEST).write_text("{}")
    yamls.mkdir()
    (Path(os.environ["HF_HOME"]) / "TOMATO").mkdir(parents=True)
    noise = np.random.default_rng(0)
    write_pictures(folder, home, noise, n_docs)
    write_videos(folder, home, noise, n_videos)
    for name in ("muirbench", "tomato"):
        (yamls / f"{name}_same_media.yaml").write_text(
            f"include: {theirs / name / name}.yaml\ntask: {name}_same_media\ndataset_path: parquet\n"
            f"dataset_kwargs: {{data_files: {{test: {folder / name}.parquet}}}}\n"
        )


def write_pictures(folder: Path, home: Path, noise: Any, n_docs: int) -> None:
    """Writes the pictures of TempVS, and what the harness's MuirBench task reads."""
    import datasets
    import numpy as np
    from PIL import Image

    from tempbench_lmms.data import roots, tables
    from tempbench_lmms.tempvs.rows import SCHEMA

    rows, others = [], []
    sample = tables.read_rows(roots.mini_root("tempvs") / "mt3_event")
    for number in range(n_docs):
        urls, contents = [], []
        for k in range(N_IMAGES):
            url = f"tempbench://tempvs/media/{number}_{k}.jpg"
            small = noise.integers(0, 256, (SIZE[1] // 8, SIZE[0] // 8, 3), dtype=np.uint8)
            path = home / "tempvs" / "media" / url.rpartition("/")[2]
            # Smooth noise compresses about as photographs do.
            Image.fromarray(small).resize(SIZE).save(path, quality=90)
            urls.append(url)
            contents.append({"bytes": path.read_bytes(), "path": None})
        row = sample[number % len(sample)] | {"question_id": f"q{number}", "images": urls}
        rows.append(row)
        others.append(MUIRBENCH | {"question_id": f"q{number}", "idx": number, "image_list": contents})
    tables.write_rows(rows, home / "tempvs" / "mt3_event" / "test.parquet", SCHEMA)
    without_pictures = {name: value for name, value in others[0].items() if name != "image_list"}
    features = datasets.Dataset.from_list([without_pictures]).features
    features["image_list"] = datasets.Sequence(datasets.Image())
    datasets.Dataset.from_list(others, features=features).to_parquet(folder / "muirbench.parquet")


def write_videos(folder: Path, home: Path, noise: Any, n_videos: int) -> None:
    """Writes the videos of ReXTime and of temporal coherence, and what the harness's TOMATO task reads."""
    import datasets
    import numpy as np
    from PIL import Image

    from hf_datasets.samples.kit import encode
    from tempbench_lmms.coherence.rows import QA_SCHEMA
    from tempbench_lmms.data import roots, tables
    from tempbench_lmms.rextime.rows import SCHEMA as REXTIME_SCHEMA

    asked, localised, tomato = [], [], []
    question = tables.read_rows(roots.mini_root("coherence") / "qa")[0]
    span = tables.read_rows(roots.mini_root("rextime") / "validation")[0]
    for number in range(n_videos):
        name = f"{number}.mp4"
        path = home / "coherence" / "media" / name
        small = noise.integers(0, 256, (30, 48, 3), dtype=np.uint8)
        wide = Image.fromarray(small).resize((384, 240))
        encode([wide.crop((k % 64, 0, k % 64 + 320, 240)) for k in range(240)], path, fps=30)
        os.link(path, Path(os.environ["HF_HOME"]) / "TOMATO" / name)
        os.link(path, home / "rextime" / "media" / name)
        asked.append(question | {"question_id": f"q{number}", "video": f"tempbench://coherence/media/{name}"})
        localised.append(span | {"question_id": f"q{number}", "video": f"tempbench://rextime/media/{name}"})
        own = {"question": question["question"], "options": question["options"], "video_path": name}
        tomato.append(TOMATO | own | {"question_id": f"q{number}", "id": str(number)})
    tables.write_rows(asked, home / "coherence" / "qa" / "test.parquet", QA_SCHEMA)
    tables.write_rows(localised, home / "rextime" / "validation" / "validation.parquet", REXTIME_SCHEMA)
    datasets.Dataset.from_list(tomato).to_parquet(folder / "tomato.parquet")


def in_harness(folder: Path, quick: bool) -> Iterator[timing.Row]:
    """Measures; in a process whose environment names the folders."""
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.models.model_utils.load_video import read_video
    from lmms_eval.tasks import TaskManager

    from tempbench_lmms.media import video

    n_docs, n_videos, repeats = (20, 6, 2) if quick else (60, 12, 4)
    write_data(folder, n_docs, n_videos)
    manager = TaskManager(include_path=str(folder / "yamls"), model_name="tempbench_constant")
    pictures = ("tempvs_mt3_event_separate", "muirbench_same_media")
    videos = ("rextime", "tomato_same_media")
    tasks = {
        name: manager.load_task_or_group([name], task_type="chat")[name]
        for name in (*pictures, *videos, "coherence_qa")
    }

    def hooks(name: str) -> None:
        task = tasks[name]
        for doc in task.dataset[task.config.test_split]:
            task.doc_to_messages(doc)
            task.doc_to_text(doc)
            task.process_results(doc, ["The answer is A."])

    def frames() -> None:
        video.forget()
        task = tasks["coherence_qa"]
        for doc in task.dataset[task.config.test_split]:
            task.doc_to_visual(doc)

    def their_frames() -> None:
        task = tasks["tomato_same_media"]
        for doc in task.dataset[task.config.test_split]:
            for n in BUDGETS:
                read_video(task.doc_to_visual(doc)[0], num_frm=n)

    def run(name: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            options = {"model_args": "media=true", "task_manager": manager, "bootstrap_iters": 0}
            simple_evaluate(model="tempbench_constant", tasks=[name], **options)

    pairs: dict[str, tuple[Callable[[], None], ...]] = {
        "hooks of a question with pictures: ours / muirbench's": tuple(
            partial(hooks, one) for one in pictures
        ),
        "hooks of a question with a video: ours / tomato's": tuple(partial(hooks, one) for one in videos),
        "4, 8, 12 and 16 frames of a video: ours / the harness's `read_video`": (frames, their_frames),
        "a whole run with pictures: ours / muirbench": tuple(partial(run, one) for one in pictures),
    }
    for what, (ours, theirs) in pairs.items():
        ours()  # what is imported or compiled once
        theirs()
        times = timing.side_by_side({"ours": ours, "theirs": theirs}, repeats)
        at_most = 1.2 if "tomato" in what else 1
        yield timing.Row(what, timing.over(times["ours"], times["theirs"]), "x", at_most=at_most)


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields the ratios, measured in a process whose environment names folders of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own = {"HF_HOME": str(folder / "hf"), "TEMPBENCH_DATA": str(folder / "home")}
        own |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, name, "quick" if quick else "full"]
        done = subprocess.run(command, env=os.environ | own, stdout=subprocess.PIPE, check=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            yield timing.Row(**json.loads(line))


if __name__ == "__main__":
    for row in in_harness(Path(sys.argv[1]), sys.argv[2] == "quick"):
        print(json.dumps(vars(row)), flush=True)
