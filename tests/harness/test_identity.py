"""What counts as the same run: arguments, weights, endpoint and media; and how what is left is dealt out."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tempbench_lmms.data import tables
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import identity
from tempbench_lmms.harness.identity import differences
from tempbench_lmms.harness.tasks import docs_of, load_task

MODEL = "qwen2_5_vl"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pixels_per_token=1", "pixels_per_token=64"),
        ("api_key=one", "api_key=two"),
        ("base_url=http://one:pw@host/v1", "base_url=http://two:pw@host/v1"),
        ("base_url=http://host/v1?deployment=a", "base_url=http://host/v1?deployment=b"),
        ("base_url=http://host/v1", "base_url=http://host/v2"),
        ("max_pixels=1", "max_pixels=1,fps=2"),
        ("video_folder=/some/where", "video_folder=/else/where"),
    ],
)
def test_every_argument_counts(before, after):
    one, other = (identity.of_model(MODEL, given, []) for given in (before, after))
    assert differences(one, other)
    assert identity.fingerprint(one) != identity.fingerprint(other)
    assert differences(one, identity.of_model(MODEL, before, [])) == []
    one, other = (identity.of_model(MODEL, "", ["--gen_kwargs", given]) for given in (before, after))
    assert differences(one, other)


@pytest.mark.parametrize(
    ("runner", "computes", "does_not"),
    [
        ("openai", {"openai", "pillow", "av"}, {"transformers", "torch", "vllm"}),
        ("async_openai", {"openai"}, {"transformers", "torch"}),
        ("qwen2_5_vl", {"transformers", "torch", "qwen-vl-utils"}, {"openai"}),
        ("vllm", {"vllm", "torch", "transformers"}, {"openai"}),
    ],
)
def test_the_versions_of_what_a_runner_computes_with_count(runner, computes, does_not):
    found = identity.of_packages(runner)
    assert found.keys() >= computes
    assert not found.keys() & does_not


@pytest.mark.parametrize("number", ["0.7", "inf", "NaN", "1e-7"])
def test_numbers_are_shown_as_they_are(number):
    given = [f"temperature={number}"]
    assert identity.of_model(MODEL, "", given)["arguments"] == given


@pytest.mark.parametrize("name", ["OPENAI_API_BASE", "AZURE_ENDPOINT", "LMMS_IMAGE_ENCODE_FORMAT"])
def test_the_endpoint_counts(name, monkeypatch):
    monkeypatch.setenv(name, "http://me:secret-a@host/v1")
    one = identity.of_model("openai", "model=x", [])
    assert "secret-a" not in str(one)
    monkeypatch.setenv(name, "http://me:secret-b@host/v1")
    other = identity.of_model("openai", "model=x", [])
    [line] = differences(one, other)
    assert line.startswith("arguments or endpoint (a hidden value")
    monkeypatch.setenv(name, "http://host/v2")
    assert any(name in line for line in differences(other, identity.of_model("openai", "model=x", [])))


def test_an_endpoint_in_a_file_that_the_harness_loads_counts(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    (tmp_path / ".env").write_text("OPENAI_API_BASE=http://a/v1\n")
    assert identity.of_model("openai", "", [])["endpoint"] == {"OPENAI_API_BASE": "http://a/v1"}
    assert "OPENAI_API_BASE" not in os.environ
    monkeypatch.setenv("OPENAI_API_BASE", "http://c/v1")  # what is set already stays
    assert identity.of_model("openai", "", [])["endpoint"] == {"OPENAI_API_BASE": "http://c/v1"}


def test_weights_on_this_machine_count(tmp_path):
    weights, config = tmp_path / "weights.safetensors", tmp_path / "config.json"
    weights.write_bytes(b"0123")
    config.write_text('{"a": 1}')
    arguments = f"pretrained={tmp_path},device=cpu"

    def now():
        return identity.of_model(MODEL, arguments, [])

    before, times = now(), config.stat()
    assert differences(before, now()) == []
    config.write_text('{"a": 2}')
    os.utime(config, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert differences(before, now()) == ["weights: pretrained: settings files of the model"]
    before = now()
    os.utime(weights, ns=(1, 1))
    assert differences(before, now()) == ["weights: pretrained: times of the model's files"]
    # A copy on another machine has other times, and is the same model.
    assert identity.of_process({}, before, "t") == identity.of_process({}, now(), "t")
    before = now()
    weights.write_bytes(b"01234")
    assert "weights: pretrained: files of the model" in differences(before, now())


def test_a_file_that_an_argument_names_counts(tmp_path):
    template = tmp_path / "template"
    template.write_text("{{ a }}")
    times = template.stat()
    before = identity.of_model("vllm", f"model=x,chat_template={template}", [])
    template.write_text("{{ b }}")
    os.utime(template, ns=(times.st_atime_ns, times.st_mtime_ns))
    now = identity.of_model("vllm", f"model=x,chat_template={template}", [])
    assert differences(before, now) == ["weights: chat_template: settings files of the model"]
    assert identity.of_process({}, before, "t") != identity.of_process({}, now, "t")
    # A folder that is none of a model's is not read.
    assert identity.of_model("vllm", f"model=x,video_folder={tmp_path}", [])["weights"] == {}


@pytest.mark.slow
def test_media_are_those_that_were_prepared(tmp_path, monkeypatch):
    from tempbench_lmms.data import checksums
    from tempbench_lmms.tempvs.rows import SCHEMA

    root = tmp_path / "tempvs"
    shutil.copytree(mini_root("tempvs"), root)
    file = root / "mt1_two" / "test.parquet"
    rows = [
        row | {"images": [url.replace("/mini/", "/") for url in row["images"]]}
        for row in tables.read_rows(file)
    ]
    for other in root.rglob("*.parquet"):
        other.unlink()
    tables.write_rows(rows, file, SCHEMA)
    entry = checksums.write_folder(root)
    tables.write_json({"media": entry}, root / "manifest.json")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path))
    config = load_task("tempvs_mt1_two")
    docs = docs_of(config)
    before = identity.of_data("t", config, docs)
    assert identity.of_data("t", config, docs[1:] + docs[:1])["rows"] != before["rows"]
    picture, *_ = sorted((root / "media").rglob("*.png"))
    content = picture.read_bytes()
    # Another time, as of a copy: the checksum tells that it is the same.
    os.utime(picture, ns=(1, 1))
    assert identity.of_data("t", config, docs) == before
    picture.write_bytes(content + b"?")
    with pytest.raises(TempbenchError, match=r"have changed since they .*`tempbench prepare tempvs`"):
        identity.of_data("t", config, docs)


@pytest.fixture
def cache(tmp_path):
    safe = pytest.importorskip("tempbench_lmms.harness.cache")
    found = safe.SafeCache(
        str(tmp_path / "a.db"), str(tmp_path / "a.jsonl"), model_fingerprint="m", eval_version="1"
    )
    yield found
    found.close()


class Model:
    """Stands for the harness's model: it has documents, counts what it is asked, and spoils the settings."""

    def __init__(self, task, docs):
        self.task_dict = {task: {"test": docs}}
        self.n_asked = 0

    def generate_until(self, requests):
        self.n_asked += len(requests)
        for request in requests:
            request.args[2].pop("until", None)
        return [f"answer {request.args[3]}" for request in requests]


def request(task, number, text, **settings):
    from lmms_eval.api.instance import Instance

    return Instance(
        request_type="generate_until",
        arguments=(text, print, {"until": ["x"]} | settings, number, task, "test"),
        idx=0,
        metadata={"task": task, "doc_id": number, "repeats": 1, "split": "test"},
    )


def ask(cache, model, *requests):
    """Asks what is not stored, as the safe cache does."""
    left = [one for one in requests if cache.stored(model, "generate_until", one) is None]
    cache.execute(model, "generate_until", left)


@pytest.mark.harness
def test_the_key_of_an_answer_is_what_was_asked(cache, tmp_path):
    task = "tempvs_mt1_two_mini"
    *docs, other = [*docs_of(load_task(task))[:4], docs_of(load_task(task))[-1]]
    model = Model(task, docs)
    first = request(task, 0, "Which?", max_new_tokens=5)
    ask(cache, model, first)
    assert cache.stored(model, "generate_until", request(task, 0, "Which?", max_new_tokens=5)) == "answer 0"
    ask(cache, model, request(task, 0, "Which?", max_new_tokens=5))
    assert model.n_asked == 1
    others = [
        request(task, 0, "Which one?", max_new_tokens=5),
        request(task, 0, "Which?", max_new_tokens=6),
        request(task, 0, "Which?", max_new_tokens=5, min_p=0.1),
        request(task, 0, "Which?", max_new_tokens=5, seed=1),
        request(task, 1, "Which?", max_new_tokens=5),
    ]
    assert len({cache.key(model, "generate_until", one) for one in (first, *others)}) == 6
    # The same question at another place is the same; with another picture it is another.
    moved = Model(task, docs[1:] + docs[:1])
    assert cache.key(moved, "generate_until", request(task, 3, "Which?", max_new_tokens=5)) == cache.key(
        model, "generate_until", first
    )
    shown = Model(task, [docs[0] | {"images": other["images"]}])
    again = request(task, 0, "Which?", max_new_tokens=5)
    assert cache.key(shown, "generate_until", again) != cache.key(model, "generate_until", first)


@pytest.mark.harness
def test_a_sampled_answer_is_kept_unless_a_question_has_several(cache):
    task = "tempvs_mt1_two_mini"
    model = Model(task, docs_of(load_task(task))[:1])
    for _ in range(2):
        ask(cache, model, request(task, 0, "Which?", temperature=0.5))
    assert model.n_asked == 1
    for _ in range(2):
        several = request(task, 0, "Which?", temperature=0.5)
        several.repeats = 2
        ask(cache, model, several, several)
    assert model.n_asked == 5
    ask(cache, model, request(task, 0, "Which?", temperature=0))
    lines = Path(cache.audit_path).read_text().splitlines()
    assert [json.loads(line)["deterministic"] for line in lines] == [False] * 5 + [True]
    for seed in ("1", "2"):  # of two repeats
        further = ["--gen_kwargs", "temperature=0.5", "--seed", seed]
        cache._model_fingerprint_hash = identity.fingerprint(identity.of_model(MODEL, "", further))
        ask(cache, model, request(task, 0, "Which?", temperature=0.5))
    assert model.n_asked == 8


@pytest.mark.harness
def test_a_question_that_a_model_leaves_out_has_failed(cache):
    task = "tempvs_mt1_two_mini"
    model = Model(task, docs_of(load_task(task))[:1])
    model.generate_until = lambda requests: []
    (reply,) = cache.execute(model, "generate_until", [request(task, 0, "A?")])
    assert "the runner gave 0 replies to 1 questions" in reply


def test_differences_name_what_was_added_and_taken_away():
    one = {"model": "a", "weights": {"pretrained": {"files": "1"}}, "endpoint": {}}
    other = {"model": "a", "weights": {}, "endpoint": {"API_TYPE": "azure"}}
    assert differences(one, other) == [
        "weights: pretrained",
        "endpoint: API_TYPE (None, now 'azure')",
    ]
