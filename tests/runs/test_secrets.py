"""No credential of a run's arguments is in a file of the run, in any form."""

import itertools
import json
import random

import pytest

from tempbench_lmms.harness import respondent_models
from tempbench_lmms.harness.tasks import docs_of, load_task
from tests.command import tempbench, tempbench_process
from tests.runs.conftest import CHANCE
from tests.second_reader import Stub, completion

_NAMES = "api_key apikey key access_key passwd auth pw hf_token key_path media_io_kwargs"
FORMS = (
    *(f"{name}={{}}" for name in _NAMES.split()),
    *("base_url=http://user:{}@127.0.0.1:9/v1", "base_url=http://{}@127.0.0.1:9/v1"),
    *("api_base=https://h/v1?key={}", "base_url=https://gateway/{}/v1"),
    *("base_url=http://us/er:p@{}@h/v1", "azure_endpoint=https://h/#{}"),
    *('default_headers={{"Authorization": "Bearer {}"}}', "headers=[1, 'a, b', '{}']"),
    *('extra="a, key={}"', "x='b,passwd={}'", "sk={}=", "option='{}"),
    *('mm_processor_kwargs={{"auth": "{}"}}', 'limit_mm_per_prompt={{"{}": 1}}', "revision=x {}"),
    *("delta=a;{}",),
)


def secret(draw):
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(draw.choices(letters, k=draw.randint(12, 40)))


@pytest.mark.harness
def test_no_byte_of_the_output_holds_a_secret(start, tmp_path, monkeypatch):
    draw = random.Random(15)
    secrets = [secret(draw) for _ in FORMS]
    forms = list(zip(FORMS, secrets, strict=True))
    # Several a run: a run takes seconds. What leaves a quote open changes how the rest is read: last.
    forms.sort(key=lambda form: "'{}" in form[0])
    cases = [",".join(["seed=3", *(form.format(value) for form, value in forms[n::4])]) for n in range(4)]
    own = respondent_models.Respondent.__init__
    # As runners of servers do.
    monkeypatch.setattr(
        respondent_models.Respondent, "__init__", lambda self, seed=0, **others: own(self, seed)
    )
    first = docs_of(load_task("tempvs_mt1_two_mini"))[0]["question_id"]
    for number, arguments in enumerate(cases):

        def failing(doc, task, seed, arguments=arguments):
            if doc["question_id"] == first:  # the address and the headers stand in the message, as clients do
                raise ValueError(f"401 Unauthorized for {arguments}")
            return CHANCE(doc, task, seed)

        settings = ("--gen_kwargs", "temperature=0,max_new_tokens=4")
        start(
            f"runs/{number}",
            failing,
            3,
            model_args=arguments,
            further=settings,
            max_failures="50%",
            report=True,
        )
    files = [file for file in (tmp_path / "runs").rglob("*") if file.is_file()]
    names = " ".join(str(file.relative_to(tmp_path)) for file in (tmp_path / "runs").rglob("*"))
    for kind in (
        "_results.json",
        "_samples_tempvs_mt1_two_mini.jsonl",
        "cache.db",
        "tempbench_run.json",
        "report.html",
    ):
        assert sum(file.name.endswith(kind) for file in files) == len(cases)
    for value in secrets:
        shown = [str(file) for file in files if value.encode() in file.read_bytes()]
        assert not shown, (value, [form for form in forms if form[1] == value])
        assert value not in names
    # Two runs with other values are two.
    states = [json.loads(file.read_text()) for file in files if file.name == "tempbench_run.json"]
    assert len({state["identity"]["model_args"] for state in states}) == len(cases)


KEY = "sk-Zq7Hf2/Lw9+Xr4Tb6Vn8Jm3Kp5"


def echoes_of(key):
    shortened = (key[: len(key) // 2], f"{key[:12]}***{key[-4:]}", f"{'x' * 140} {key}")
    return [f"Bearer {key}", *shortened, key.replace("/", "%2F").replace("+", "%2B")]


def pieces_of(key):
    return {form[i : i + 9].lower() for form in echoes_of(key) for i in range(len(form) - 8)}


ECHOES = echoes_of(KEY)
SHOWN = pieces_of(KEY) - pieces_of(KEY[:3].ljust(len(KEY), "*"))


def echoing(number_of_kinds=6):
    """Returns what a server answers that echoes the key: as an answer, in errors, in bodies that are none."""
    numbers = itertools.count()

    def answer(text):
        number = next(numbers)
        words = f"refused {ECHOES[number % len(ECHOES)]}"
        kinds = (
            completion(f"Option A. {words}"),
            *((status, {}, {"error": {"message": words, "code": words}}) for status in (401, 429, 500)),
            (400, {}, [words, {"Authorization": words}]),
            f"data: {words}\n\n".encode(),
        )
        return kinds[(number // len(ECHOES) + number) % number_of_kinds]

    return answer


@pytest.mark.harness
@pytest.mark.parametrize(("runner", "is_argument"), [("openai", True), ("async_openai", False)])
def test_a_key_that_a_server_echoes_is_nowhere(runner, is_argument, run_harness, tmp_path, monkeypatch):
    """Neither in a file nor on the terminal, of a run or a second reader; of `lmms-eval`, in no log."""
    monkeypatch.chdir(tmp_path)
    with Stub(echoing()) as server, Stub(echoing(1)) as friendly:
        common = f"model=m,base_url={server.url},max_retries=1,retry_backoff_s=0.01"
        ways = [(f"{common},api_key={KEY}", {}), (common, {"OPENAI_API_KEY": KEY})]
        (arguments, variables), other = ways if is_argument else ways[::-1]
        asked = ("--tasks", "tempvs_mt1_two_mini", "--model", runner)
        ours = ("--model-args", arguments, "--output", "run", "--max-failures", "100%", "--limit", "26")
        # What loggers print is seen of a process alone.
        command = tempbench_process if is_argument else tempbench
        run = command("run", *asked, *ours, NO_PROXY="127.0.0.1", **variables)
        printed = [run.stdout, run.stderr]
        run_harness(
            runner,
            ["tempvs_mt1_two_mini"],
            tmp_path / "plain",
            ["--limit", "26"],
            other[0],
            environment={"NO_PROXY": "127.0.0.1", **other[1]},
        )
        for url in (friendly.url, server.url):
            how = ("--all", "--retries", "0", "--concurrency", "1", "--api-key-env", "OURS")
            reread = tempbench("reread", "run", "--reader", "m", "--base-url", url, *how, OURS=KEY)
            printed += [reread.stdout, reread.stderr]
    assert len(server.keys) >= 2 * 26
    assert len(friendly.keys) > 2
    (tmp_path / "printed").write_text("\n".join(printed))
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    for name, n in {"*_samples_*": 2, "report.html": 1, "cache.db": 1, "*audit.jsonl": 1}.items():
        assert sum(file.match(name) for file in files) >= n, name
    texts = {file.name: file.read_bytes().decode(errors="replace").lower() for file in files}
    assert {
        name: found for name, text in texts.items() if (found := [one for one in SHOWN if one in text])
    } == {}


def test_a_task_s_own_settings_hold_no_secret():
    """The harness copies `--gen_kwargs` into each task's configuration."""
    from tempbench_lmms.harness.patches import task_shown

    settings = {"token": "hf_SECRET", "temperature": 0, "until": ["\n"], "max_new_tokens": 64}
    shown = task_shown({"task": "x", "generation_kwargs": settings})["generation_kwargs"]
    assert "hf_SECRET" not in str(shown)
    assert {name: shown[name] for name in ("temperature", "until", "max_new_tokens")} == {
        name: settings[name] for name in ("temperature", "until", "max_new_tokens")
    }
