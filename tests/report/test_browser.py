"""The page in a real browser."""

import json
import time

import pytest

from tempbench_lmms.harness.tasks import load_task
from tempbench_lmms.report import numbers
from tempbench_lmms.report.page import page
from tempbench_lmms.runs.logs import read_runs, rescore
from tempbench_lmms.runs.starting import leaves
from tests.command import tempbench
from tests.report.conftest import ATTACK

pytestmark = pytest.mark.slow

FIRST = "tempvs_mini/flintstones%2Fmini_flintstones_0%2Fgt_two%2F0"


@pytest.fixture(scope="session")
def address(runs, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "report.html"
    tasks = list(numbers.of_logs(read_runs([runs])))
    file.write_text(page(tasks, n_pictured=6), encoding="utf-8")
    return file.as_uri()


def question(chromium):
    return chromium.value("document.querySelector('#question').textContent")


def values_shown(chromium):
    """Returns what the page shows in the tasks' tables: by run and task, by metric."""
    return json.loads(
        chromium.value("""JSON.stringify([...document.querySelectorAll("details.task")].map((task) =>
            [task.dataset.run, task.dataset.task, [...task.querySelectorAll("data")].map((one) =>
                [one.dataset.metric, one.value, one.textContent])]))""")
    )


def assert_equal_to_results(shown, files):
    """Every metric of our tasks in the results files is on the page, exactly, and rounded beside it."""
    wanted = {}
    for file in files:
        results = json.loads(file.read_text())
        run = results["model_name"] or results["config"]["model"]
        for task, table in results["results"].items():
            table = {name.removesuffix(",none"): value for name, value in table.items()}
            wanted[run, task] = {
                name: value
                for name, value in table.items()
                if isinstance(value, (int, float, str))
                and name.strip() not in ("", "alias")
                and not name.endswith(("_stderr", "_clt", "_clustered"))
            }
    # Of a group the harness writes the name alone.
    assert {(run, task) for run, task, _ in shown} == {key for key, values in wanted.items() if values}
    for run, task, cells in shown:
        assert {name for name, _, _ in cells} == set(wanted[run, task])
        for name, exact, rounded in cells:
            value = wanted[run, task][name]
            assert exact == str(value)
            assert rounded == (f"{value:.4f}" if isinstance(value, float) else str(value))


def test_opens_without_a_complaint_and_asks_for_nothing(chromium, address):
    chromium.look(address)
    assert chromium.complaints == []
    # The page alone, and the pictures inside it.
    assert [url for url in chromium.requests if not url.startswith("data:")] == [address]


def eventually(chromium, expression):
    """Whether an expression becomes true: plots are drawn when they come near the window."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if chromium.value(expression):
            return True
        time.sleep(0.1)
    return False


def test_every_number_is_the_results_file_s(chromium, address, runs):
    chromium.look(address)
    shown = values_shown(chromium)
    assert_equal_to_results(shown, runs.rglob("*_results.json"))
    main = chromium.value("document.querySelector('#tempvs .ours data[data-metric=mt1_two_mt]').textContent")
    exact = chromium.value("document.querySelector('#tempvs .ours data[data-metric=mt1_two_mt]').value")
    assert main == f"{float(exact):.4f}"


def test_a_reader_s_own_rows_stay_in_sight_in_the_paper_s_tables(chromium, address):
    chromium.look(address, width=1400)
    chromium.value("document.querySelectorAll('details.printed').forEach((one) => (one.open = true))")
    boxes = json.loads(
        chromium.value("""JSON.stringify([...document.querySelectorAll(".printed .scroll")].map((box) => {
            const foot = box.getBoundingClientRect().bottom;
            return { name: box.getAttribute("aria-label"),
                down: box.scrollHeight > box.clientHeight, across: box.scrollWidth > box.clientWidth,
                hidden: [...box.querySelectorAll(".ours")].filter((row) =>
                    row.getBoundingClientRect().bottom > foot).length };
        }))""")
    )
    assert sum(box["down"] for box in boxes) > 3
    assert [box["name"] for box in boxes if box["hidden"] or (box["down"] and box["across"])] == []


def test_a_link_of_a_problem_sets_the_filters(chromium, address, runs):
    chromium.open(f"{address}#find=run=0&verdict=wrong")
    lines = (runs / "chance").glob("*.jsonl").__next__().read_text().splitlines()
    records = [json.loads(line)["record"] for line in lines]
    wrong = sum(bool(one["parsed"]) and not one["correct"] for one in records)
    assert chromium.value("document.querySelector('#count').textContent").startswith(f"{wrong} questions")
    assert chromium.value("document.querySelector('#verdict').value") == "wrong"


def test_what_a_model_wrote_is_text(chromium, address):
    chromium.look(f"{address}#q={FIRST}")
    assert chromium.complaints == []
    assert chromium.value("window.pwned === undefined")
    assert ATTACK in question(chromium)
    assert chromium.value("document.querySelectorAll('#question script, #question img[src=x]').length") == 0
    kinds = "[...document.scripts].filter((one) => !one.type).length"
    assert chromium.value(kinds) == 1


def test_link_to_one_question(chromium, address):
    chromium.look(f"{address}#q={FIRST}")
    assert "flintstones/mini_flintstones_0/gt_two/0" in question(chromium)
    href = chromium.value("document.querySelector('#question h3 a').href")
    assert href == f"{address}#q={FIRST}"
    chromium.open(f"{address}#q=no/such/question")
    assert question(chromium) == "The question of this link is not in this report."


def test_questions_with_pictures(chromium, address):
    chromium.open(address)
    chromium.value("document.querySelector('#pictured').click()")
    assert chromium.value("document.querySelector('#count').textContent").startswith("6 questions")
    assert eventually(chromium, "document.querySelector('#question .pictures img').naturalWidth > 300")


def test_reply_prompt_and_answer_are_seen_together(chromium, address):
    chromium.open(f"{address}#find=task=0&verdict=wrong", width=1400)
    seen = json.loads(
        chromium.value("""JSON.stringify([...document.querySelectorAll("#question h4")]
            .filter((one) => one.getBoundingClientRect().bottom < window.innerHeight - 40)
            .map((one) => one.textContent))""")
    )
    assert [one for one in seen if one in ("Reply", "A right reply", "Prompt")] == [
        "Reply",
        "A right reply",
        "Prompt",
    ]
    head = chromium.value("document.querySelector('#head').textContent")
    assert head == "Question12"
    names = "[...document.querySelectorAll('#list .name')].map((one) => one.textContent)"
    assert chromium.value(f"{names}.some((one) => one.startsWith('The event is: '))")


def test_keys(chromium, address):
    chromium.open(address)
    chromium.value("document.querySelector('#questions').scrollIntoView()")
    chromium.press("j")
    second = chromium.value("location.hash")
    # Plots above are drawn when the browser has time, and make the page longer: scrollY grows, nothing moves.
    place = "document.querySelector('#browser').getBoundingClientRect().top"
    before = chromium.value(place)
    chromium.press("j")
    assert chromium.value("location.hash") != second
    assert chromium.value(place) == pytest.approx(before, abs=1)
    chromium.press("k")
    assert chromium.value("location.hash") == second
    chromium.press("/")
    assert chromium.value("document.activeElement.id") == "search"
    chromium.press("j")  # now a letter of a word
    assert chromium.value("document.querySelector('#search').value") == "j"


def choose(chromium, selector, value, event="input"):
    chromium.value(
        f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
        f"one.value = {json.dumps(value)};"
        f"one.dispatchEvent(new Event('{event}', {{bubbles: true}})); }})()"
    )


def test_filters(chromium, address, runs):
    lines = [
        json.loads(line)["record"]
        for path in sorted(runs.rglob("*_samples_*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    chromium.open(address)
    count = "document.querySelector('#count').textContent"
    names = {record["id"] for record in lines}
    assert len(names) == 800  # the oracle's 223 are of another task
    assert chromium.value(count).startswith(f"{len(lines)} questions")
    choose(chromium, "#verdict", "wrong")
    wrong = [record for record in lines if record["parsed"] and not record["correct"]]
    assert chromium.value(count).startswith(f"{len(wrong)} questions")
    choose(chromium, "#task", "0")
    choose(chromium, "#facets select[data-field=source]", "vist")
    vist = [record for record in wrong if record["source"] == "vist"]
    assert chromium.value(count).startswith(f"{len(vist)} questions")
    choose(chromium, "#facets select[data-field=tests]", "mt1_two")
    tests = [record for record in vist if "mt1_two" in record["tests"]]
    assert chromium.value(count).startswith(f"{len(tests)} questions")
    assert chromium.value("document.querySelectorAll('#list .row').length") <= 301
    choose(chromium, "#search", "no question has these words")
    assert chromium.value(count) == "0 questions"
    assert question(chromium) == ""


SUITE = leaves(["tempbench_mini"])
ONE_OF_EACH = {load_task(name)["process_results"]: name for name in SUITE}.values()
"""A task of each scoring function."""


@pytest.mark.harness
@pytest.mark.parametrize(
    ("asked", "n"),
    [
        (",".join(ONE_OF_EACH), 2),
        pytest.param("tempbench_mini", 4, marks=pytest.mark.exhaustive),
    ],
)
def test_a_real_architecture_on_every_bundled_task(chromium, harness, tmp_path, tiny_vlm, asked, n):
    """`tempbench run` ends with the report; both it and the log say what the results file says."""
    model = f"pretrained={tiny_vlm},device=cpu,device_map=cpu,attn_implementation=sdpa"
    model += ",min_pixels=3136,max_pixels=12544,max_num_frames=2"
    words = ("run", "--model", "qwen2_5_vl", "--model-args", model, "--tasks", asked, "-o", tmp_path)
    done = tempbench(*words, "--", "--limit", n, "--gen_kwargs", "max_new_tokens=4")
    assert done.returncode == 0, done.stderr[-3000:]
    logs = read_runs([tmp_path])
    assert len(logs) == len(leaves(asked.split(",")))
    assert [one.differing for one in map(rescore, logs)] == [[]] * len(logs)
    chromium.open((tmp_path / "report.html").as_uri())
    assert chromium.complaints == []
    assert_equal_to_results(values_shown(chromium), tmp_path.rglob("*_results.json"))
    facts = chromium.value("document.querySelector('[data-task=tempvs_mini] .facts').textContent")
    assert f"{n} of 800 questions" in facts
