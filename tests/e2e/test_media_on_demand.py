"""Pictures and videos are decoded when a model asks for them, and dropped when it has seen them.

A run over a whole benchmark must not decode it while requests are built or replies scored, nor hold the
pictures of questions that were answered.
"""

import gc
from collections import Counter

import PIL.Image
import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.harness import respondent_models
from tempbench_lmms.media import decoding, video
from tests.bundled import MINI

pytestmark = pytest.mark.harness

# The two kinds differ in what a benchmark's hooks give, whichever of its tasks it is.
NAMES = {
    "chat": ["tempbench_mini", "rextime_frames_mini"],
    "simple": [
        *(next(name for name in MINI if name.startswith(benchmark)) for benchmark in benchmarks.names()),
        "rextime_frames_mini",
    ],
}
TASKS = ("tempvs_mt3_event_separate_mini", "rextime_frames_mini", "coherence_qa_mini")


@pytest.fixture(scope="module")
def counts():
    """How often each way to a decoded picture was gone."""
    found = Counter()

    def counted(owner, name):
        original = getattr(owner, name)

        def counting(*args, **kwargs):
            found[name] += 1
            return original(*args, **kwargs)

        patch.setattr(owner, name, counting)

    with pytest.MonkeyPatch.context() as patch:
        # A file by Pillow, an array made a picture, the two loops over packets that decode, and the parts of
        # the media layer that have a decoder of their own.
        counted(PIL.Image, "open")
        counted(PIL.Image, "fromarray")
        counted(decoding.Video, "_sought")
        counted(decoding.Video, "frames")
        counted(video, "check_video")
        patch.setenv("TEMPBENCH_FRAME_CACHE_MB", "2")
        yield found


def leaves(tasks):
    for task in tasks.values():
        if isinstance(task, dict):
            yield from leaves(task)
        else:
            yield task


@pytest.fixture(scope="module", params=NAMES)
def requested(request, counts, harness):
    """What each task of a kind decodes while it builds requests, scores, and when a model asks."""
    kind, found = request.param, []
    for task in leaves(harness.TaskManager().load_task_or_group(NAMES[kind], task_type=kind)):
        counts.clear()
        task.build_all_requests(limit=None, rank=0, world_size=1)
        one = {"task": task.config.task, "requests": len(task.instances), "building": dict(counts)}
        counts.clear()
        for doc in list(task.test_docs())[:50]:
            task.process_results(doc, [doc["target"]])
        one["scoring"] = dict(counts)
        counts.clear()
        video.forget()
        ask = task.instances[0].args[1 if kind == "chat" else 2]
        found.append(one | {"given": str(ask(task.test_docs()[0])), "asked": dict(counts)})
    return found


def alive():
    gc.collect()
    return sum(isinstance(one, PIL.Image.Image) for one in gc.get_objects())


class Watching(respondent_models.ChatConstant):
    """Looks at what it is asked, and counts the pictures that are held after some questions."""

    def __init__(self):
        super().__init__(media=True)
        self.asked, self.during, self.after, self.cached = 0, 0, [], []

    def _look(self, request, doc):
        messages = request.args[1](doc)
        self.during = self.during or alive()
        del messages
        self.asked += 1
        if self.asked % 5 == 0:
            self.after.append(alive())
            self.cached.append(sum(one.n_bytes for one in video._entries.values()))


@pytest.fixture
def answering(counts, harness):
    """Returns what answers a task, and how many pictures there were before and after."""

    def answer(task):
        model, start = Watching(), alive()
        harness.evaluator.simple_evaluate(
            model=model, tasks=[task], limit=20, task_manager=harness.TaskManager()
        )
        return start, model, alive()

    return answer


def test_nothing_is_decoded_before_a_model_asks(requested):
    for benchmark in benchmarks.names():
        assert any(one["task"].startswith(benchmark) for one in requested), benchmark
    for one in requested:
        assert one["requests"] > 10
        assert one["building"] == one["scoring"] == {}, one


def test_the_count_sees_what_is_decoded_when_a_model_asks(requested):
    for one in requested:
        assert bool(one["asked"]) == ("PIL.Image" in one["given"]), one
    assert sum(bool(one["asked"]) for one in requested) >= 4


@pytest.mark.parametrize("task", TASKS)
def test_pictures_of_answered_questions_are_dropped(task, answering):
    start, model, end = answering(task)
    assert model.during > start  # the count sees what a question shows
    assert len(model.after) == 4
    # None is held, however many questions were answered.
    assert max(model.after) <= start
    assert end <= start
    assert max(model.cached) <= 2_000_000
