"""Pictures and videos are decoded when a model asks for them, and dropped when it has seen them.

A run over a whole benchmark must not decode it while requests are built or replies scored, nor hold the
pictures of questions that were answered.
"""

import json

import pytest

from tempbench_lmms import benchmarks
from tests.bundled import MINI
from tests.respondents import result_of

pytestmark = pytest.mark.harness

SCRIPT = """
    import gc, json, os, sys
    from collections import Counter

    import PIL.Image
    from tempbench_lmms.media import decoding, integrity, video

    counts = Counter()

    def counted(owner, name):
        original = getattr(owner, name)
        def counting(*args, **kwargs):
            counts[name] += 1
            return original(*args, **kwargs)
        setattr(owner, name, counting)

    # Every way to a decoded picture: a file by Pillow, an array made a picture, the two loops over packets
    # that decode, and the parts of the media layer that have a decoder of their own.
    counted(PIL.Image, "open")
    counted(PIL.Image, "fromarray")
    counted(decoding.Video, "_sought")
    counted(decoding.Video, "frames")
    counted(integrity, "check_video")

    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager
    from tempbench_lmms.harness.respondents import chat

    manager = TaskManager()
    os.environ["TEMPBENCH_FRAME_CACHE_MB"] = "2"

    def leaves(tasks):
        for task in tasks.values():
            if isinstance(task, dict):
                yield from leaves(task)
            else:
                yield task

    def requests(kind):
        names = json.loads(sys.argv[1])[kind]
        for task in leaves(manager.load_task_or_group(names, task_type=kind)):
            found = {"task": task.config.task}
            counts.clear()
            task.build_all_requests(limit=None, rank=0, world_size=1)
            found["requests"], found["building"] = len(task.instances), dict(counts)
            counts.clear()
            for doc in list(task.test_docs())[:50]:
                task.process_results(doc, [doc["target"]])
            found["scoring"] = dict(counts)
            counts.clear()
            video._CACHE.clear()
            ask = task.instances[0].args[1 if kind == "chat" else 2]
            found["given"] = str(ask(task.test_docs()[0]))
            found["asked"] = dict(counts)
            yield found

    def alive():
        gc.collect()
        return sum(isinstance(one, PIL.Image.Image) for one in gc.get_objects())

    class Watching(chat.Constant):
        def __init__(self, keep):
            super().__init__(media=True)
            self.keep, self.kept, self.asked, self.after, self.cached = keep, [], [], [], []

        def _look(self, request, doc):
            messages = request.args[1](doc)
            self.kept += [messages] * self.keep
            del messages
            self.asked.append(doc["question_id"])
            if len(self.asked) % 5 == 0:
                self.after.append(alive())
                self.cached.append(video._CACHE.n_bytes())

    def answering(task, keep=False):
        model = Watching(keep)
        start = alive()
        simple_evaluate(model=model, tasks=[task], limit=20, task_manager=manager)
        return {"start": start, "after": model.after, "cached": model.cached, "end": alive()}

    tasks = ("tempvs_mt3_event_separate_mini", "rextime_frames_mini", "coherence_qa_mini")
    out = {kind: list(requests(kind)) for kind in ("chat", "simple")}
    out["answering"] = {task: answering(task) for task in tasks}
    out["keeping"] = answering(tasks[0], keep=True)
    print("RESULT" + json.dumps(out))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    # The two kinds differ in what a benchmark's hooks give, whichever of its tasks it is.
    each = [next(name for name in MINI if name.startswith(benchmark)) for benchmark in benchmarks.names()]
    names = {"chat": ["tempbench_mini", "rextime_frames_mini"], "simple": [*each, "rextime_frames_mini"]}
    return result_of(SCRIPT, tmp_path_factory.mktemp("run"), json.dumps(names))


@pytest.mark.parametrize("kind", ["chat", "simple"])
def test_nothing_is_decoded_before_a_model_asks(found, kind):
    tasks = {one["task"]: one for one in found[kind]}
    for benchmark in benchmarks.names():
        assert any(task.startswith(benchmark) for task in tasks), benchmark
    for one in tasks.values():
        assert one["requests"] > 10
        assert one["building"] == {}, one
        assert one["scoring"] == {}, one


@pytest.mark.parametrize("kind", ["chat", "simple"])
def test_the_count_sees_what_is_decoded_when_a_model_asks(found, kind):
    for one in found[kind]:
        assert bool(one["asked"]) == ("PIL.Image" in one["given"]), one
    assert sum(bool(one["asked"]) for one in found[kind]) >= 4


def test_pictures_of_answered_questions_are_dropped(found):
    for task, run in found["answering"].items():
        assert len(run["after"]) == 4, task
        # None is held, however many questions were answered.
        assert max(run["after"]) <= run["start"], (task, run)
        assert run["end"] <= run["start"], (task, run)
        assert max(run["cached"]) <= 2_000_000, (task, run)


def test_the_count_sees_pictures_that_are_kept(found):
    assert found["keeping"]["after"][-1] - found["keeping"]["start"] >= 20
