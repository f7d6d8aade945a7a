"""The vision cache: one encoding of a picture set, and the same logits in all bits."""

import pytest

from tests.check import architectures

pytestmark = [pytest.mark.harness, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def _torch():
    """Imported for these tests alone: it takes a quarter of what collecting all tests takes."""
    global torch, vision
    torch = pytest.importorskip("torch")
    vision = pytest.importorskip("tempbench_lmms.harness.vision")


class Runner:
    def __init__(self, model):
        self.model = model


@pytest.fixture
def tower():
    """Has the methods of a model of `transformers`; counts its calls."""

    class Tower(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0
            self.eval()

        def get_image_features(self, pixels, grid=None, **named):
            self.calls += 1
            return {"pooled": torch.split(pixels * 2, 1), "grid": grid}

        def get_video_features(self, pixels, **named):
            return self.get_image_features(pixels, **named)

    Tower.__module__ = "transformers.models.tower"
    with torch.no_grad():
        yield Tower()


def test_each_set_is_encoded_once_and_nobody_changes_what_is_kept(tower):
    cache = vision.VisionCache(10**6)
    one, other = torch.rand(3, 4), torch.rand(3, 4)
    with cache.around(Runner(tower)):
        for pixels in (one, other, one, other):
            found = tower.get_image_features(pixels.clone(), grid=(3, 1))["pooled"]
            assert torch.equal(torch.cat(found), pixels * 2)
            for part in found:
                part.zero_()
        tower.get_image_features(one, grid=(1, 3))
        tower.get_image_features(one.double(), grid=(3, 1))
    assert tower.calls == cache.encoded == 4
    assert cache.reused == 2
    assert "4 of 6 picture sets were encoded, the others came from the vision cache" in cache.said()
    assert "no room" not in cache.said()
    assert "get_image_features" not in vars(tower)


def test_minus_zero_is_another_picture(tower):
    cache = vision.VisionCache(10**6)
    with cache.around(Runner(tower)):
        tower.get_image_features(torch.zeros(2, 2))
        tower.get_image_features(-torch.zeros(2, 2))
    assert cache.encoded == 2


def test_what_was_used_last_is_kept_up_to_the_size(tower):
    sets = [torch.full((4, 8), float(i)) for i in range(3)]
    size = 2 * sets[0].nbytes
    cache = vision.VisionCache(2 * size)
    with cache.around(Runner(tower)):
        for i in (0, 1, 0, 2, 0, 1):
            tower.get_image_features(sets[i])
            assert cache.held <= cache.room
    assert (cache.encoded, cache.reused) == (4, 2)
    cache.forget()
    assert cache.held == 0
    small = vision.VisionCache(size - 1)
    with small.around(Runner(tower)):
        tower.get_image_features(sets[0])
        tower.get_image_features(sets[0])
    assert (small.encoded, small.held) == (2, 0)
    assert "2 of 2 picture sets were encoded, none came from the vision cache" in small.said()
    assert "2 of them had no room in 0.000255 MB, the largest needs --vision-cache 1" in small.said()


def test_two_modules_of_one_class_share_nothing(tower):
    cache, model = vision.VisionCache(10**6), torch.nn.ModuleList([tower, type(tower)()])
    with cache.around(Runner(model)):
        for module in model:
            module.get_image_features(torch.ones(2, 2))
    assert [module.calls for module in model] == [1, 1]
    assert (cache.encoded, cache.reused) == (2, 0)


def test_views_take_what_their_copies_take(tower):
    pixels = torch.rand(100, 8)
    each = 2 * pixels[:1].nbytes
    cache = vision.VisionCache(3 * each)
    with cache.around(Runner(tower)):
        for i in range(10):
            tower.get_image_features(pixels[i : i + 1])
            assert cache.held == min(i + 1, 3) * each
        tower.get_image_features(pixels[8:9])
    assert cache.reused == 1


def test_a_video_is_one_set_though_its_method_calls_that_for_images(tower):
    cache = vision.VisionCache(10**6)
    with cache.around(Runner(tower)):
        for _ in range(2):
            tower.get_video_features(torch.ones(2, 2))
    assert (cache.encoded, cache.reused, tower.calls) == (1, 1, 1)


def test_nothing_is_kept_where_a_call_may_differ_or_cannot_be_known(tower):
    cache = vision.VisionCache(10**6)
    with cache.around(Runner(tower)):
        for _ in range(2):
            tower.get_image_features(torch.ones(2, 2), size=object())
        assert (cache.encoded, cache.held) == (2, 0)
        tower.train()
        tower.get_image_features(torch.ones(2, 2))
        tower.eval()
        with torch.enable_grad():
            tower.get_image_features(torch.ones(2, 2))
    assert (tower.calls, cache.held) == (4, 0)


def test_a_runner_without_such_a_method_is_told_in_a_line():
    cache = vision.VisionCache(10**6)
    for model in (torch.nn.Linear(2, 2), None):
        with cache.around(Runner(model)):
            pass
    assert "nothing to do" in cache.said()
    assert "\n" not in cache.said()


def answers(lm, room, monkeypatch):
    """Returns replies, logits and the cache, of two groups of TempVS that stand mixed."""
    from lmms_eval.api.instance import Instance

    from tempbench_lmms.harness.answers import answered_in_groups
    from tempbench_lmms.harness.dealing import Pictured
    from tempbench_lmms.harness.tasks import docs_of, kwargs_of, load_task

    task, logits = "tempvs_mt1_two_mini", []
    config = load_task(task)
    docs = list(docs_of(config))[:12]
    lm.task_dict[task] = {"test": docs}
    settings = {**config["generation_kwargs"], "max_new_tokens": 2}
    kwargs = kwargs_of(config)
    generate = lm.model.generate

    def noting(**named):
        found = generate(**named, output_logits=True, return_dict_in_generate=True)
        logits.append(torch.stack(found.logits))
        return found.sequences

    def messages(doc):
        return config["doc_to_messages"](doc, kwargs)

    left = []
    for number in (0, 11, 1, 10):
        text = f"{9 - number}"  # by which the runner sorts: across groups
        given = (text, messages, dict(settings), number, task, "test")
        about = Pictured(task, number, str(docs[number]["images"]), "")
        left.append(
            (Instance("generate_until", given, 0, {"task": task, "doc_id": number, "repeats": 1}), about)
        )
    cache = vision.VisionCache(room)
    with monkeypatch.context() as patched, cache.around(lm):
        patched.setattr(lm.model, "generate", noting)
        replies = answered_in_groups(left, lm.generate_until)
    return [getattr(one, "text", one) for one in replies], logits, cache, {one.shown for _, one in left}


@pytest.mark.parametrize("name", ["qwen2_5_vl", "qwen3_vl", "llava_hf", "internvl_hf"])
def test_real_architectures_encode_a_group_once_with_equal_logits(name, tmp_path, monkeypatch):
    from tempbench_lmms.harness import plugin

    plugin.install()
    lm = architectures.cases()[name].load(tmp_path)
    replies, logits, without, _ = answers(lm, 0, monkeypatch)
    again, same, cache, sets = answers(lm, 2 * 10**7, monkeypatch)
    assert replies == again
    assert len(logits) == len(same) == 4
    assert all(torch.equal(*pair) for pair in zip(logits, same, strict=True))
    assert (without.encoded, without.reused) == (4, 0)
    assert (cache.encoded, cache.reused) == (len(sets), 4 - len(sets)) == (2, 2)
