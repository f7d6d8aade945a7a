"""No credential of a run's arguments is in a file of the run, in any form."""

import json
import random
import subprocess
import textwrap

import pytest

FORMS = (
    *("api_key={}", "apikey={}", "key={}", "access_key={}", "passwd={}", "auth={}", "pw={}", "hf_token={}"),
    *(
        "base_url=http://user:{}@127.0.0.1:9/v1",
        "base_url=http://{}@127.0.0.1:9/v1",
        "api_base=https://h/v1?key={}",
    ),
    *("base_url=https://gateway/{}/v1", "base_url=http://us/er:p@{}@h/v1", "azure_endpoint=https://h/#{}"),
    *('default_headers={{"Authorization": "Bearer {}"}}', "headers=[1, 'a, b', '{}']", 'extra="a, key={}"'),
    *("x='b,passwd={}'", "key_path={}", "sk={}=", "option='{}", 'mm_processor_kwargs={{"auth": "{}"}}'),
    *('limit_mm_per_prompt={{"{}": 1}}', "media_io_kwargs={}", "revision=x {}", "delta=a;{}"),
)
SCRIPT = """
    import json, sys
    from pathlib import Path
    from tempbench_lmms.cli import runs
    from tempbench_lmms.errors import TempbenchError
    from tempbench_lmms.harness.respondents import simple

    chance = simple.REPLIES["chance"]
    home, cases, current = Path(sys.argv[1]), json.loads(sys.argv[2]), {}
    first = []
    def failing(doc, task, seed):
        # As clients do: the address and the headers stand in the message.
        first[:] = first or [doc["question_id"]]
        if doc["question_id"] == first[0]:
            raise ValueError(f"401 Unauthorized for {current['arguments']}")
        return chance(doc, task, seed)
    simple.REPLIES["chance"] = failing
    for number, arguments in enumerate(cases):
        current["arguments"] = arguments
        further = ["--limit", "3", "--gen_kwargs", "temperature=0,max_new_tokens=4"]
        runs.run("tempbench_chance", "tempvs_mt1_two_mini", home / str(number), arguments,
                 arguments=further, max_failures="50%")
    print("END")
"""


def secret(draw):
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(draw.choices(letters, k=draw.randint(12, 40)))


@pytest.mark.harness
def test_no_byte_of_the_output_holds_a_secret(tmp_path, warm_python):
    draw = random.Random(15)
    secrets = [secret(draw) for _ in FORMS]
    forms = list(zip(FORMS, secrets, strict=True))
    # Several a run: a run takes seconds.
    draw.shuffle(forms)
    cases = []
    for start in range(0, len(forms), 8):
        # What leaves a quote open changes how the rest is read: last.
        some = sorted(forms[start : start + 8], key=lambda form: "'{}" in form[0])
        names = set()
        parts = ["seed=3"]
        for form, value in some:
            name = form.partition("=")[0]
            if name not in names:
                parts.append(form.format(value))
            names.add(name)
        cases.append(",".join(parts))
    done = subprocess.run(
        [warm_python, "-c", textwrap.dedent(SCRIPT), str(tmp_path / "runs"), json.dumps(cases)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        timeout=300,
    )
    assert "END" in done.stdout, done.stderr[-3000:]
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


def test_a_task_s_own_settings_hold_no_secret():
    """The harness copies `--gen_kwargs` into each task's configuration."""
    from tempbench_lmms.harness.clean_files import _of_task

    settings = {"token": "hf_SECRET", "temperature": 0, "until": ["\n"], "max_new_tokens": 64}
    shown = _of_task({"task": "x", "generation_kwargs": settings})["generation_kwargs"]
    assert "hf_SECRET" not in str(shown)
    assert {name: shown[name] for name in ("temperature", "until", "max_new_tokens")} == {
        name: settings[name] for name in ("temperature", "until", "max_new_tokens")
    }
