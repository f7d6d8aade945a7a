import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tempbench_lmms.data import redaction
from tempbench_lmms.data.redaction import hide, scrubbed, without_secrets
from tempbench_lmms.harness.adapter import request_failed, without_keys


@pytest.mark.parametrize(
    "arguments",
    [
        "pretrained=a/b,max_new_tokens=4,temperature=0.5,do_sample=false",
        "model=x,base_url=http://127.0.0.1:8000/v1",
        "pixels_per_token=64,seed=3,tensor_parallel_size=2,gpu_memory_utilization=0.9,timeout=30,video_fps=1e0",
        "of_no_setting=true,use_flash_attention_2=False",
        'limit_mm_per_prompt={"image": 16, "video": 1}',
        "--limit",
        "40",
        "",
    ],
)
def test_what_is_harmless_stays(arguments):
    assert without_secrets(arguments) == arguments


FORMS = (
    "api_key={}",
    "model=x,openai_API_KEY={},device=cpu",
    "hf_token={}",
    "apikey={}",
    "key={}",
    "access_token={}",
    "passwd={}",
    "auth={}",
    "pw={}",
    "base_url=http://user:{}@host/v1",
    "base_url=http://host/v1?key={}",
    'default_headers={{"Authorization": "Bearer {}"}}',
    'extra="a, access_token={}"',
    "x='b,passwd={}'",
    "default_headers={{'X': 'a, b', 'Authorization': '{}'}}",
    "model=it's,api_key={}",
    "model=a api_key {}",
    "revision=x;key={}",
    "base_url=http://us/er:p@{}@host/v1",
    "base_url=http://host/{}/v1",
    "base_url=http://host/v1#{}",
    "media_io_kwargs={}",
    'mm_processor_kwargs={{"auth": "{}"}}',
    'limit_mm_per_prompt={{"{}": 1}}',
    "{}==",
    "Bearer {}",
    "--header=Authorization: {}",
    "}},x={}",
)


@pytest.mark.parametrize("form", ["door=a,{}", "a=b,{},c=d", "token={}"])
def test_a_short_number_is_hidden_without_a_name_and_under_a_secret_one(form):
    assert "1234" not in without_secrets(form.format("1234"))


def shows_no_secret(form, secret):
    assume(secret not in form)
    assert secret not in without_secrets(form.format(secret))


some = st.text(st.characters(categories=["L", "N"]), min_size=8, max_size=40)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=8, derandomize=True)
@example(secret="0" * 8)
@example(secret="a" * 40)
@example(secret="PARALLEL")
@given(secret=some)
def test_no_secret_is_shown(form, secret):
    shows_no_secret(form, secret)


@pytest.mark.parametrize(
    "form", ["api_key={}", "base_url=http://user:{}@host/v1", 'headers={{"A": "Bearer {}"}}']
)
@given(secret=some)
def test_no_message_shows_a_secret(form, secret):
    given_ = form.format(secret)
    assert secret not in scrubbed(f"refused: {given_} ({secret})", ["seed=1", given_])


@pytest.mark.parametrize(
    ("arguments", "variables", "reply", "shown"),
    [
        ("api_key=sk-a1234567890", {}, "B, sk-a1234567890, not 0.1234567890", "B, ***, not 0.1234567890"),
        ("api_key=sk-1a2b3c4d5e", {}, "B: sk-1a2b3***4d5e", "B: ***"),  # shortened by the server
        ("", {"NVIDIA_API_KEY": "nv-1a/2b+3c=4d"}, "B, ?key=nv-1a%2F2b%2B3c%3D4d", "B, ?key=***"),
        ("", {"OPENAI_API_KEY": 'sk-1a"2b\\3c4d'}, 'B, {"key": "sk-1a\\"2b\\\\3c4d"}', 'B, {"key": "***"}'),
        ("", {}, f"B, hf_{'a1' * 17}", "B, ***"),  # the server's own
        ("", {"OPENAI_API_BASE": "http://h/v1?key=sk-1a2b3c"}, "B at /v1?key=sk-1a2b3c", "B at /v1?key=***"),
        ("", {"HTTPS_PROXY": "http://me:hunter2@h"}, "hunter2", "***"),
        # Nothing of a prompt, a public word, a folder or a number is taken for a key.
        ("system_prompt=You are a helpful assistant,api_key=EMPTY", {}, "an empty helpful assistant", None),
        (
            "lora_path=/dev,api_key=123456789",
            {"GIT_AUTHOR_NAME": "Jane Doe", "PWD": "/dev"},
            "/dev 12345678",
            None,
        ),
    ],
)
def test_a_reply_loses_keys_and_nothing_else(arguments, variables, reply, shown, monkeypatch):
    monkeypatch.setattr(redaction, "_noted", {})
    monkeypatch.setattr(redaction.os, "environ", variables)
    redaction.note(arguments)
    assert hide(reply) == (reply if shown is None else shown)


def test_a_notice_of_a_failed_request_stays_one(monkeypatch):
    monkeypatch.setattr(redaction, "_noted", {"api_key=NoneType_REQUEST": None})
    for notice in (
        "[LMMS_EVAL_REQUEST_FAILED after 1 retries]",
        'Error: can only concatenate str (not "NoneType") to str',
    ):
        cleaned = without_keys(f"{notice} for NoneType_REQUEST")
        assert request_failed(cleaned)
        assert "NoneType_REQUEST" not in cleaned


def test_runs_with_other_values_stay_apart():
    assert without_secrets("key=1a2b") != without_secrets("key=1a2c")
    assert without_secrets("pixels_per_token=1") != without_secrets("pixels_per_token=64")


@given(st.text())
def test_any_text_is_taken(text):
    assert isinstance(without_secrets(text), str)
