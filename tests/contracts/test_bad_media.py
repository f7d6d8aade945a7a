"""A picture or video that goes bad while a run is on: its questions count as failed, and the run goes on."""

import functools
import itertools
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data.roots import mini_root, resolve
from tempbench_lmms.harness import adapter
from tempbench_lmms.harness.tasks import docs_of, kwargs_of, root_of, task_files
from tests.bundled import asking, load_task
from tests.each import for_each, sample


def tasks():
    """Returns a task of each way in which a benchmark shows its media: the one with the largest sample."""
    found = {}
    for name in (name for name in task_files() if name.endswith("_mini")):
        config = load_task(name)
        if "group" in config:
            continue
        how = kwargs_of(config) or {}
        if how.get("media") != "none":
            way = (config["doc_to_messages"], how.get("media"), how.get("frames"))
            table = config["dataset_kwargs"]["data_files"][config["test_split"]].rpartition("/")[0]
            size = sum(file.stat().st_size for file in resolve(table).glob("*.parquet"))
            found.setdefault(way, []).append((-size, name.removesuffix("_mini")))
    return [min(names)[1] for names in found.values()]


TASKS = tasks()
SHOWING = [name for name in benchmarks.names() if (mini_root(name) / "media").is_dir()]
"""The benchmarks that show something."""


def media_of(doc):
    urls = [doc[name] for name in ("video", "image_a", "image_b") if name in doc] + list(
        doc.get("images", ())
    )
    return {url.partition("/media/")[2] for url in urls}


def videos_in(shown):
    """Yields the videos that a runner decodes itself, from a conversation or a list."""
    for part in shown:
        if isinstance(part, str):
            yield Path(part)
        elif isinstance(part, dict):
            yield from videos_in(part.get("content") or ())
            if part.get("type") == "video":
                yield from videos_in([part["url"]])


class Model:
    """Answers like a runner: builds every question of its batch, then decodes the videos given as paths."""

    def __init__(self, docs, task):
        self.task_dict = {task: {"test": docs}}

    def generate_until(self, requests):
        for request in requests:
            doc = self.task_dict[request.args[-2]]["test"][request.args[-3]]
            for hook in filter(callable, request.args):
                for path in videos_in(hook(doc)):
                    if not path.is_file() or not path.stat().st_size:
                        raise RuntimeError(f"{path.name} does not open")
        return [f"answer {request.args[-3]}" for request in requests]


def _spread(docs):
    """Returns documents of two slices that do not all show the same media."""
    return docs[:: max(1, len(docs) // 7)][:7]


def spoilt(task, folder):
    """Prepares data of a task in a folder; returns the task, its documents, and a file to be spoilt."""
    config = load_task(f"{task}_mini")
    benchmark, _ = root_of(config)
    docs = [json.loads(json.dumps(doc).replace("/mini/", "/")) for doc in _spread(docs_of(config))]
    root = mini_root(benchmark)
    shown = {root / "media" / name for doc in docs for name in media_of(doc)}
    for path in (root / "manifest.json", *root.glob("*/*.parquet"), *shown):
        copy = folder / benchmark / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    os.environ["TEMPBENCH_DATA"] = str(folder)
    return config, docs, folder / benchmark / "media" / min(media_of(docs[3]))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWING)
def test_verify_opens_no_medium_in_its_own_process(name, tmp_path, monkeypatch):
    import av
    from PIL import Image

    root, all_of_it = tmp_path / name, mini_root(name)
    bad, sound, *_ = sorted(path for path in (all_of_it / "media").rglob("*") if path.is_file())
    for path in (bad, sound, all_of_it / "manifest.json", *all_of_it.rglob("*.parquet")):
        copy = root / path.relative_to(all_of_it)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes()[: 100 if path == bad else None])
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    for module in (av, Image):
        monkeypatch.setattr(module, "open", lambda *_, **__: pytest.fail("opened in this process"))
    # The sample's rows name the bundled files; the copy's rows name the copy.
    monkeypatch.setattr("tempbench_lmms.data.roots.mini_root", lambda benchmark: root)
    # The other media are missing.
    problems = [line for line in benchmarks.rows(name).problems(root) if " is missing" not in line]
    assert len(problems) == 1, problems
    assert bad.name in problems[0]


def _classes(task, kind, how):
    benchmark, settings = asking(f"{task}_mini")[4]
    video = any((mini_root(benchmark) / "media").rglob("*.mp4"))
    # What is decoded here and what is handed on as a path, and how each is missed.
    return benchmark, (video, dict(settings).get("media"), kind, how)


CASES = sample(
    list(itertools.product(TASKS, ("chat", "simple"), ("damaged", "gone"))), lambda case: _classes(*case)
)


@pytest.mark.harness
def test_its_questions_fail_and_the_others_are_answered(tmp_path, monkeypatch):
    from tempbench_lmms.harness import retries

    monkeypatch.setattr(retries, "_free_memory", lambda: None)
    monkeypatch.setenv("TEMPBENCH_DATA", "")
    cases = [case.values[0] for case in CASES if not case.marks]

    def check(case):
        config, docs, victim = spoilt(case[0], Path(tmp_path, "-".join(case)))
        _its_questions_fail(config, docs, victim, *case)

    for_each(cases, check)


def _its_questions_fail(config, docs, victim, task, kind, how):
    from tempbench_lmms.harness.cache import SafeCache

    kwargs = kwargs_of(config)
    hook = functools.partial(
        config["doc_to_messages" if kind == "chat" else "doc_to_visual"], lmms_eval_specific_kwargs=kwargs
    )
    options = {"until": [], "temperature": 0, "do_sample": False}
    given = (hook, options) if kind == "chat" else (options, hook)
    requests = [request(task, number, given) for number in range(len(docs))]
    model, home = Model(docs, task), Path(os.environ["TEMPBENCH_DATA"])
    cache = SafeCache(str(home / "cache.db"), str(home / "audit.jsonl"))
    cache.run.slice_size = 5
    if how == "damaged":
        victim.write_bytes(b"")
    else:
        victim.unlink()
    replies = cache.execute(model, "generate_until", requests)
    for number, (doc, reply) in enumerate(zip(docs, replies, strict=True)):
        if str(victim).partition("/media/")[2] in media_of(doc):
            assert adapter.request_failed(reply)
            assert victim.name in reply
            record = config["process_results"](doc, [reply])["record"]
            assert (record["failed"], record["parsed"]) == (1, 0)
        else:
            assert reply == f"answer {number}"
    assert 0 < sum(map(adapter.request_failed, replies)) < len(docs)
    # Nothing is kept of the failed ones: the same run later asks them again.
    assert cache.db.execute("select count(*) from responses").fetchone()[0] == sum(
        not adapter.request_failed(reply) for reply in replies
    )


def request(task, number, given):
    arguments = ("a question", *given, number, task, "test")
    return SimpleNamespace(
        args=arguments,
        arguments=arguments,
        request_type="generate_until",
        task_name=task,
        doc_id=number,
        metadata={"split": "test"},
        idx=0,
    )
