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
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import timing

from tempbench_lmms.coherence.card import BUDGETS

N_IMAGES = 5
SIZE = (512, 384)
AT_MOST = {"`process_results`": 2, "`doc_to_text`": 1}
"""What a hook may take, as a multiple of the harness's own; others 1 with pictures, 1.2 with a path."""

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
    from tempbench_lmms.tempvs.features import SCHEMA

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
    from tempbench_lmms.coherence.features import QA_SCHEMA
    from tempbench_lmms.data import roots, tables
    from tempbench_lmms.rextime.features import SCHEMA as REXTIME_SCHEMA

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
    from lmms_eval.models.model_utils.load_video import load_video_decord, read_video
    from lmms_eval.tasks import TaskManager

    from tempbench_lmms.media import video

    n_docs, n_videos, repeats = (20, 6, 2) if quick else (60, 12, 4)
    write_data(folder, n_docs, n_videos)
    manager = TaskManager(include_path=str(folder / "yamls"), model_name="tempbench_constant")
    pictures = ("tempvs_mt3_event_separate", "muirbench_same_media")
    videos = ("rextime", "coherence_qa", "tomato_same_media")
    names = (*pictures, *videos)
    tasks = {name: manager.load_task_or_group([name], task_type="chat")[name] for name in names}
    docs = {name: task.dataset[task.config.test_split] for name, task in tasks.items()}

    def over_documents(name: str, call: Callable[[Any, Any], Any], fetch: bool = True) -> Callable[[], None]:
        task, table = tasks[name], docs[name]
        if fetch:
            return lambda: [call(task, table[i]) for i in range(len(table))] and None
        rows = [table[i] for i in range(len(table))]
        return lambda: [call(task, row) for row in rows] and None

    def compared(
        what: str,
        functions: dict[str, Callable[[], Any]],
        n: int,
        clock: Callable[[], float] = time.process_time,
        at_most: float = 1,
    ) -> Iterator[timing.Row]:
        """Yields the time a document of ours, of theirs, and the ratio."""
        for function in functions.values():
            function()  # what is imported or compiled once
        times = timing.side_by_side(functions, repeats, clock)
        ours, theirs = functions
        for name in functions:
            yield timing.Row(f"{what}: {name}", [1e6 * one / n for one in times[name]], "us")
        yield timing.Row(
            f"{what}: ours / theirs", timing.over(times[ours], times[theirs]), "x", at_most=at_most
        )

    hooks: Sequence[tuple[str, Callable[[Any, Any], Any], bool]] = (
        ("the document and `doc_to_visual`", lambda task, doc: task.doc_to_visual(doc), True),
        ("the document and `doc_to_messages`", lambda task, doc: task.doc_to_messages(doc), True),
        ("`doc_to_text`", lambda task, doc: task.doc_to_text(doc), False),
        ("`process_results`", lambda task, doc: task.process_results(doc, ["The answer is A."]), False),
        (
            "all of a chat model's",
            lambda task, doc: (
                task.doc_to_messages(doc),
                task.doc_to_text(doc),
                task.process_results(doc, ["The answer is A."]),
            ),
            True,
        ),
    )
    for what, call, fetch in hooks:
        functions = {name: over_documents(name, call, fetch) for name in pictures}
        at_most = AT_MOST.get(what, 1)
        yield from compared(f"pictures, {what}", functions, n_docs, at_most=at_most)

    pair = ("rextime", "tomato_same_media")
    unread, tomato = docs["rextime"].select(range(n_videos)), docs["tomato_same_media"]

    def rows_of(dataset: Any) -> list[Any]:
        return [dataset[i] for i in range(n_videos)]

    first = {"rextime": lambda: rows_of(unread), "tomato_same_media": lambda: rows_of(tomato)}
    yield from compared("a video's path, the document read first", first, n_videos, at_most=1.2)
    for what, call, fetch in hooks:
        functions = {name: over_documents(name, call, fetch) for name in pair}
        at_most = AT_MOST.get(what, 1.2)
        yield from compared(f"a video's path, {what}", functions, n_videos, at_most=at_most)

    paths = [tasks["tomato_same_media"].doc_to_visual(row)[0] for row in docs["tomato_same_media"]]

    def ours() -> None:
        video._CACHE.clear()
        over_documents("coherence_qa", lambda task, doc: task.doc_to_visual(doc))()

    def theirs(read: Callable[[str, int], Any]) -> Callable[[], None]:
        return lambda: [read(path, n) for path in paths for n in BUDGETS] and None

    readers = {"read_video": lambda path, n: read_video(path, num_frm=n)}
    with contextlib.suppress(ImportError):
        import decord  # noqa: F401 (not on every platform)

        readers["load_video_decord"] = load_video_decord
    for name, reader in readers.items():
        functions = {"coherence_qa": ours, f"tomato and the harness's {name}": theirs(reader)}
        yield from compared(
            "frames of a video, 4, 8, 12 and 16", functions, len(paths) * len(BUDGETS), time.perf_counter
        )

    def run(name: str) -> Callable[[], None]:
        def evaluated() -> None:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                done = simple_evaluate(
                    model="tempbench_constant",
                    model_args="media=true",
                    tasks=[name],
                    task_manager=manager,
                    bootstrap_iters=0,
                )
            if len(done["samples"][name]) != n_docs:
                raise AssertionError(f"{name}: {len(done['samples'][name])} of {n_docs} questions were asked")

        return evaluated

    yield from compared("a whole run, a document", {name: run(name) for name in pictures}, n_docs)


def rows(quick: bool) -> Iterator[timing.Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {"HF_HOME": str(folder / "hf"), "TEMPBENCH_DATA": str(folder / "home")}
        environment |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
        for row in timing.apart(__file__, name, *(["--quick"] if quick else []), **environment):
            yield timing.Row(**row)


def main() -> None:
    if "--measure" in sys.argv:
        folder = Path(sys.argv[sys.argv.index("--measure") + 1])
        for row in in_harness(folder, "--quick" in sys.argv):
            print(json.dumps(vars(row)), flush=True)
        return
    timing.main(__doc__, rows)


if __name__ == "__main__":
    main()
