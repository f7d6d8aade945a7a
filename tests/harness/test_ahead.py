"""A run whose frames are decoded ahead: the same numbers and logs, whatever order a model takes."""

import pytest

from tests.respondents import result_of

pytestmark = pytest.mark.harness

SCRIPT = """
    import collections, json, os, sys, threading, time

    from lmms_eval import utils
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager
    from tempbench_lmms.errors import MediaError
    from tempbench_lmms.harness.respondents import chat, simple
    from tempbench_lmms.media import prefetch, decoding, video

    decoded, read = [], decoding.read

    def noted(path, *args):
        decoded.append((path.name, threading.current_thread().name.partition(" ")[0]))
        return read(path, *args)

    decoding.read = noted
    manager = TaskManager()

    def settle():
        # As long as a model takes to answer: the next video is there, or nothing is decoded ahead.
        end = time.monotonic() + 20
        while (worker := prefetch.current()) and time.monotonic() < end:
            with worker._lock:
                if not worker._running or video._CACHE.n_bytes(awaited=True):
                    return
            time.sleep(0.005)

    class Waiting(chat.Constant):
        def __init__(self):
            super().__init__(media=True)
            self.asked = []

        def _look(self, request, doc):
            request.args[1](doc)
            self.asked.append(doc["question_id"])
            settle()

    class Sorting(Waiting):
        def generate_until(self, requests):
            given = [one.args for one in requests]
            collator = utils.Collator(given, lambda x: (x[0][::-1], x[0]), lambda x: x[2], grouping=True)
            by_place = {one.args[-3:]: one for one in requests}
            replies = []
            for chunk in collator.get_batched(n=1):
                replies += super().generate_until([by_place[arguments[-3:]] for arguments in chunk])
            return collator.get_original(replies)

    class Hashing(Waiting):
        def generate_until(self, requests):
            from lmms_eval.models.model_utils.concurrency_control import make_prefix_hash
            hashes = [make_prefix_hash(one.args[0], 256) for one in requests]
            order = sorted(range(len(requests)), key=lambda i: (hashes[i], i))
            replies = dict(zip(order, super().generate_until([requests[i] for i in order])))
            return [replies[i] for i in range(len(requests))]

    class Failing(Waiting):
        def _look(self, request, doc):
            super()._look(request, doc)
            if len(self.asked) == 3:
                raise MediaError("the third question's video is damaged")

    TASKS = ["rextime_frames_mini", "coherence_qa_mini", "coherence_caption_mini", "tempvs_mt1_two_mini"]

    def run(model, megabytes, tasks=TASKS):
        os.environ["TEMPBENCH_FRAMES_AHEAD_MB"] = megabytes
        video._CACHE.clear()
        decoded.clear()
        lm, error, found = model(), "", {}
        try:
            found = simple_evaluate(
                model=lm, tasks=list(tasks), limit=12, task_manager=manager, log_samples=True
            )
        except Exception as caught:
            error = repr(caught)
        samples = json.dumps(found.get("samples"), default=str, sort_keys=True)
        return {
            "asked": lm.asked,
            "error": error,
            "results": json.dumps(found.get("results"), default=str),
            "samples": samples,
            "decoded": sorted(name for name, _ in decoded),
            "threads": collections.Counter(thread for _, thread in decoded),
        }

    out = {}
    for model in (Waiting, Sorting, Hashing, Failing):
        out[model.__name__] = [run(model, megabytes) for megabytes in ("0", "1000")]
    out["pictures"] = run(Waiting, "1000", ["tempvs_mt1_two_mini"])
    print("RESULT" + json.dumps(out))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory, warm_python):
    return result_of(SCRIPT, tmp_path_factory.mktemp("run"), warm_python)


@pytest.mark.parametrize("model", ["Waiting", "Sorting", "Hashing"])
def test_numbers_log_and_order_are_the_same(found, model: str) -> None:
    off, on = found[model]
    assert off["error"] == on["error"] == ""
    assert len(on["asked"]) == 48
    for key in ("asked", "results", "samples"):
        assert on[key] == off[key], key


@pytest.mark.parametrize("model", ["Waiting", "Sorting", "Hashing"])
def test_frames_are_decoded_by_threads_in_whatever_order_a_model_asks(found, model: str) -> None:
    off, on = found[model]
    assert set(off["threads"]) == {"MainThread"}
    # The first question's frames are decoded by itself, as its order is known by it alone.
    assert on["threads"]["tempbench"] >= len(on["decoded"]) - 4, on["threads"]
    assert on["decoded"] == off["decoded"]


def test_orders_differ(found) -> None:
    assert found["Waiting"][0]["asked"] != found["Sorting"][0]["asked"] != found["Hashing"][0]["asked"]


def test_an_error_comes_at_its_question(found) -> None:
    off, on = found["Failing"]
    assert "the third question" in on["error"]
    assert on["error"] == off["error"]
    assert on["asked"] == off["asked"]
    assert len(on["asked"]) == 3


def test_pictures_need_no_threads(found) -> None:
    assert found["pictures"]["decoded"] == []
