"""The page's parts, without a browser."""

import csv
import json
import re
import shutil

import pytest

from tempbench_lmms import benchmarks
from tempbench_lmms.data import terminal
from tempbench_lmms.data.outputs import STATE
from tempbench_lmms.harness.tasks import task_files
from tempbench_lmms.report import numbers, questions, tables, text
from tempbench_lmms.report.numbers import Number, nearest
from tempbench_lmms.report.page import (
    Figure,
    Series,
    columns_of,
    embedded,
    figures_of,
    grids_of,
    page,
    sections_of,
)
from tempbench_lmms.report.problems import problems_of
from tempbench_lmms.runs import run_card
from tempbench_lmms.runs.logs import read_runs
from tests.report.conftest import ATTACK, attack, edit, finish
from tests.report.runs import write_tasks
from tests.runs.test_logs import BEGUN, write_run

ATTACKED = (ATTACK, "<!--<script>", "]]></script >", "&lt;", "\u2028\u2029", "</SCRIPT\n>")


@pytest.fixture(scope="module")
def tasks(runs):
    return list(numbers.of_logs(read_runs([runs])))


@pytest.fixture(scope="module")
def html(tasks):
    return page(tasks, n_pictured=2)


@pytest.mark.parametrize("words", ATTACKED)
def test_embedded_json_ends_no_script_and_comes_back(words):
    out = embedded({"reply": words, words: [words]})
    assert not set("<>&") & set(out)
    assert json.loads(out) == {"reply": words, words: [words]}


@pytest.mark.slow
def test_names_of_a_run_are_text(tmp_path):
    log = write_run(tmp_path, task="tempvs_mt1_two_blind_mini", n=40)
    edit(log, attack)
    file = finish(log)
    results = json.loads(file.read_text())
    results["model_name"] = ATTACK
    results["config"]["model_args"] = f"pretrained={ATTACK},api_key=sk-secret,base_url=x"
    results["configs"]["tempvs_mt1_two_blind_mini"]["lmms_eval_specific_kwargs"]["images"] = ATTACK
    results["results"]["tempvs_mt1_two_blind_mini"]["mt,none"] = ATTACK
    file.write_text(json.dumps(results))
    found = list(numbers.of_logs(read_runs([tmp_path])))
    out = page(found)
    assert "<img src=x" not in out
    assert "<script>window" not in out
    assert "sk-secret" not in out
    assert len(re.findall("<script>", out)) == 1
    assert "<script>window" not in out
    sections = sections_of(found)
    assert "<img" not in text.as_markdown(sections, everything=True)


@pytest.mark.slow
def test_security_policy_names_what_is_in_the_page(html):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    # No element has a style or a handler of its own: the policy would refuse both.
    assert not re.search(r"<[a-z]+[^>]*\s(style|on[a-z]+)=", html.split('id="data"')[0])
    assert not re.search(r'(src|href)="(?!#|data:|https://)', html)


@pytest.mark.slow
def test_incomplete_and_damaged_runs_are_called_out(tmp_path):
    log = write_run(tmp_path, task="tempvs_mt1_two_mini", n=40)
    finish(log, n_questions=300)
    log.write_text(log.read_text() + '{"doc_id": 3, "resps": ["A"]}\n')
    out = page(list(numbers.of_logs(read_runs([tmp_path], partial=True))), n_pictured=0)
    assert "40 of 300 questions" in out
    assert re.search(r"cannot be used[^<]*41", out)


def test_run_without_samples(tmp_path):
    write_run(tmp_path, task="tempvs_mt1_two_mini").unlink()
    (task,) = numbers.of_logs(read_runs([tmp_path]))
    assert task.numbers["mt"].error is not None
    assert task.numbers["mt"].low is None
    assert "223 questions" in page([task])


# ---- numbers


@pytest.mark.slow
def test_intervals_are_those_of_numbers_that_the_log_gives(runs, tasks):
    task = next(task for task in tasks if task.run == "tempbench_chance")
    number = task.numbers["mt1_two_mt"]
    # 60 sequences with two questions each; the interval holds the value and is some 4 errors wide
    # (a share's is never narrower than that of independent questions).
    assert number.low < number.value < number.high
    assert 3 < (number.high - number.low) / number.error < 6
    assert number.n == 120
    assert task.numbers["mt1_two_n_main"] == Number(120, None, None, None, None)
    # The attack's record is of a source of its own, so no value of the log has changed but its breakdowns.
    changed = dict(task.log.values) | {"mt1_two_mt": 0.123}
    other = numbers.TaskNumbers(task.log.__class__(**{**vars(task.log), "values": changed}), "x")
    assert number.why == ""
    assert (other.numbers["mt1_two_mt"].low, other.numbers["mt1_two_mt"].why) == (
        None,
        "the log gives 0.4750 instead",
    )


def test_runs_of_one_model_have_names_of_their_own(tmp_path):
    for name in ("a", "b"):
        write_run(tmp_path / name)
    names = [task.run for task in numbers.of_logs(read_runs([tmp_path]))]
    assert names == ["tempbench_chance (a/20260101_000000)", "tempbench_chance (b/20260101_000000)"]
    for file in (tmp_path / "b").iterdir():
        file.rename(file.with_name(file.name.replace("20260101_000000", "20260102_000000")))
    names = [task.run for task in numbers.of_logs(read_runs([tmp_path]))]
    assert names == ["tempbench_chance (20260101_000000)", "tempbench_chance (20260102_000000)"]


def test_a_name_that_was_chosen_is_the_run_s(tmp_path):
    for name, task in (("a", "tempvs_mt1_two_mini"), ("b", "rextime_test_mini")):
        write_run(tmp_path / name / "model", task=task)
        (tmp_path / name / STATE).write_text(json.dumps(BEGUN | {"name": "mine"}))
    # Other tasks of one name are of one run.
    assert [task.run for task in numbers.of_logs(read_runs([tmp_path]))] == ["mine", "mine"]


# ---- tables


@pytest.mark.parametrize(
    ("stem", "metric", "known", "expected"),
    [
        ("", "mt1_two_mt", {"mt1_two_mt"}, ("mt1_two_mt", ())),
        ("mt1_two_separate", "mt", {"mt1_two_mt"}, ("mt1_two_mt", ("separate",))),
        ("both_baseline", "accuracy", {"accuracy"}, ("accuracy", ("both", "baseline"))),
        ("qa_4f_times", "accuracy", {"accuracy_4f"}, ("accuracy_4f", ("qa", "times"))),
        ("mt1_two", "n_main", {"mt1_two_mt"}, None),
        (
            "caption",
            "clipgain_official",
            {"clipgain", "clipgain_official"},
            ("clipgain_official", ("caption",)),
        ),
    ],
)
def test_the_name_in_a_table_of_a_task_s_metric(stem, metric, known, expected):
    assert nearest(tuple(filter(None, stem.split("_"))), metric, known) == expected


def test_csv_holds_every_number_unrounded(tasks):
    import csv

    rows = list(csv.DictReader(text.as_csv(sections_of(tasks)).splitlines()))
    for task in tasks:
        own = {
            row["metric"]: row["value"]
            for row in rows
            if row["source"] == "run" and (row["task"], row["row"]) == (task.log.task, task.run)
        }
        assert own == {name: str(task.log.values[name]) for name in task.numbers}
    paper = [row for row in rows if row["source"] == "Table 3" and row["row"] == "Random"]
    assert {row["comparable"] for row in paper} == {"no"}


@pytest.mark.slow
def test_markdown_and_latex_escape(tasks):
    sections = sections_of(tasks)
    in_markdown = text.as_markdown(sections, everything=True)
    in_latex = text.as_latex(sections, everything=True)
    assert r"tempbench\_chance, mini" in in_markdown
    assert r"tempbench\_chance, mini" in in_latex
    assert text.as_markdown(sections, title="a_b\nc").startswith("# a\\_b c\n")
    assert text.as_latex(sections, title="50%\nc").splitlines()[1] == r"% 50\% c"
    widths = {line.count(" | ") for line in in_markdown.splitlines() if "mt1\\_two<br>mt " in line}
    assert widths == {8}
    assert text.in_markdown("a|b <i> [x](y) & `") == r"a\|b &lt;i&gt; \[x\](y) &amp; \`"
    assert text.in_latex(r"a_b 5% \x {y}") == r"a\_b 5\% \textbackslash{}x \{y\}"


@pytest.mark.parametrize("write", ["as_markdown", "as_latex", "as_csv", "html", "items"])
def test_no_name_or_reply_steers_what_shows_a_table(runs, tmp_path, write):
    folder = tmp_path / "run"
    shutil.copytree(runs / "oracle", folder)
    file = next(folder.glob("*_results.json"))
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model_name": "a\x1b[31m\u202ered"}))
    edit(next(folder.glob("*.jsonl")), lambda number, line: line.update(filtered_resps="=A\0"))
    read = read_runs([folder])
    tasks = list(numbers.of_logs(read, with_intervals=False))
    if write == "items":
        content = text.items_as_csv([(read[0], read[0].samples)])
        assert {row["whole_reply"] for row in csv.DictReader(content.splitlines())} == {r"'=A\x00"}
    elif write == "html":
        content = page(tasks, n_questions=0)
    else:
        content = getattr(text, write)(sections_of(tasks), everything=True)
    assert not terminal.STEERING.search(content)
    assert "x1b" in content
    assert "u202ered" in content


@pytest.mark.parametrize("name", benchmarks.names())
def test_a_column_has_its_metric_s_whole_name_or_stands_below_a_task_s(name):
    """`i_acc` is no `acc` below "i": only a test that can be asked alone is a heading."""
    own = benchmarks.card(name)
    for column in own.primary:
        test, metric = own.test_of(column)
        assert f"{name}_{test}_mini" in task_files() if test else metric == column


# ---- figures


def test_what_is_drawn_of_a_figure():
    series = (
        Series("run", (Number(0.25, low=0.125, high=0.375), Number("-"), None)),
        Series("other", (None, Number(1.0), None)),
    )
    figure = Figure("t", ("1", "2", "3"), series, chance={"1": 0.5})
    # 4 % are left free on either side.
    assert [figure.place(value) for value in (0.0, 0.25, 1.0)] == [4, 27, 96]
    wide = Figure("t", ("1",), (Series("run", (Number(3.0, low=-1.0, high=3.0),)),))
    assert (wide.ends, wide.place(3.0)) == ((-1, 3), 96)


def test_figures_of_a_benchmark(tmp_path):
    write_tasks(tmp_path / "chance", "chance", ["timeblind_mini"], n=40)
    write_tasks(tmp_path / "oracle", "oracle", ["timeblind_mini"], n=40)
    found = list(numbers.of_logs(read_runs([tmp_path])))
    (section,) = sections_of(found)
    drawn = {figure.title: figure for figure in figures_of(section)}
    main = drawn["Main numbers"]
    assert main.categories == section.card.primary
    assert main.chance == {name: section.card.chance[name] for name in main.categories}
    assert [one.name for one in main.series] == [row.label for row in section.rows]
    assert [point.value for point in main.series[1].points] == [1.0] * len(main.categories)


def test_overview_has_chance_the_papers_best_and_humans(tasks, html):
    sections = sections_of(tasks)
    headlines, problems = grids_of(sections)
    assert [one.label for one in headlines.columns] == ["tempvs / mt1_two_mt"]
    cells = {row.label: own[0] for row, own in zip(headlines.rows, headlines.cells, strict=True)}
    assert cells["tempbench_oracle"].number.value == 1.0
    # Table 4: humans 82.5 %; section 4: random choice of two.
    assert (cells["chance"].text, cells["humans in the paper"].text) == ("0.500", "0.825")
    # Of Table 3; Table 18, an ablation, has a higher one.
    assert cells["best in the paper"].text == "0.603"
    assert cells["best in the paper"].notes[0].startswith("InternVL2.5 26B-MPO, Table 3: ")
    # Every format begins with it, and has it alone unless all is asked for.
    written = text.as_markdown(sections, everything=True)
    assert written.startswith(text.as_markdown(sections).rstrip("\n"))
    assert written.index("**Headlines.**") < written.index("**What is wrong") < written.index("## tempvs")
    assert written.count("- warning: ") == sum(len(task.warnings) for task in tasks) > 0
    assert text.as_latex(sections).count(r"\begin{table}") == 1
    assert text.as_csv(sections, everything=False).startswith("row,what,tempvs / mt1_two_mt\n")
    first = html[html.index('<section id="overview">') : html.index("</section>")]
    for grid in (headlines, problems):
        assert all(cell.text in first for own in grid.cells for cell in own)


def test_what_a_run_without_a_log_did_is_unknown(tmp_path):
    log = write_run(tmp_path, task="tempvs_mt1_two_mini")
    log.write_text("of no use\n" * 3)
    found = list(numbers.of_logs(read_runs([tmp_path], partial=True)))
    (problems,) = problems_of(found).values()
    for name in ("unread", "failed", "cut off", "at chance"):
        assert (problems[name].text, problems[name].is_fault) == ("unknown", True)
    log.unlink()
    (problems,) = problems_of(list(numbers.of_logs(read_runs([tmp_path])))).values()
    assert not problems["unread"].is_fault


def test_runs_with_different_data_are_said_to_have_them(tmp_path):
    for name in ("one", "other"):
        write_run(tmp_path / name, task="rextime_test_mini")
    assert not any(one.differs for one in numbers.of_logs(read_runs([tmp_path])))
    (file,) = (tmp_path / "other").glob("*_results.json")
    results = json.loads(file.read_text())
    data = results["results"]["rextime_test_mini"]["details,none"]["run"]["data"]["mini"]
    assert data["sha256"]
    data["sha256"] = "0"
    file.write_text(json.dumps(results))
    for one in numbers.of_logs(read_runs([tmp_path])):
        assert run_card.OTHER_DATA in map(str, one.warnings)
        assert run_card.OTHER_CODE not in map(str, one.warnings)
    results["results"]["rextime_test_mini"]["details,none"]["run"]["code"] = "0"
    file.write_text(json.dumps(results))
    for one in numbers.of_logs(read_runs([tmp_path])):
        assert run_card.OTHER_CODE in map(str, one.warnings)


def test_what_is_wrong_is_counted_and_linked(tmp_path):
    def change(number, line):
        record = line["record"]
        record |= {"parsed": int(number > 3), "failed": int(number == 0), "how": None, "reason": None}
        record["reason"] = "cut_off" if number == 1 else None

    log = write_run(tmp_path, task="tempvs_mt1_two_mini", n=40)
    edit(log, change)
    finish(log, n_questions=300)
    found = list(numbers.of_logs(read_runs([tmp_path])))
    (problems,) = problems_of(found).values()
    told = {name: (one.text, one.link) for name, one in problems.items()}
    assert told["unread"] == ("3 of 40", "#find=run=0&verdict=unparsed")
    assert told["failed"] == ("1 of 40", "#find=run=0&verdict=failed")
    assert told["cut off"][0] == "1 of 40"
    assert told["not asked"] == ("260 of 300", "#task-0")
    assert told["check"] == ("not checked", "#task-0")
    assert "at chance" in told


# ---- questions


def test_wrong_answers_have_texts_and_pictures_first(tasks):
    data = questions.data_of(tasks, 20, 4)
    assert data.n_logged == 800 + 223
    assert [task for task, _ in data.index["told"]] == [0, 1] * 10
    entries = data.texts
    assert sum("pictures" in entry for entry in entries) == data.n_pictured == 4
    assert ["out" in entry for entry in entries] == [False] * 4 + [True] * 16
    # The oracle is right everywhere; of chance's answers the wrong ones come first, from all of the task.
    verdicts = data.index["tasks"][0]["verdicts"][0]
    told = [place for task, place in data.index["told"] if task == 0]
    assert {verdicts[place] for place in told} == {"w"}
    assert max(told) - min(told) > 400
    assert questions.data_of(tasks, 0).texts == []


def test_every_answer_of_every_run_is_in_the_index(tmp_path):
    for name in ("chance", "oracle"):
        finish(write_run(tmp_path / name, name, "tempvs_mt1_two_mini"))
    found = list(numbers.of_logs(read_runs([tmp_path])))
    data = questions.data_of(found, 5, 0)
    (task,) = data.index["tasks"]
    wrong = [sum(not sample.record["correct"] for sample in one.log.samples) for one in found]
    assert [letters.count("w") for letters in task["verdicts"]] == wrong
    assert len(task["ids"]) == 223
    entry = data.texts[0]
    assert [answer["run"] for answer in entry["answers"]] == [0, 1]
    assert all("prompt" not in answer for answer in entry["answers"])  # it is the same: stored once
    facet = task["facets"]["source"]
    sources = {str(sample.record["id"]): sample.record["source"] for sample in found[0].log.samples}
    shown = [[facet["values"][one] for one in codes] for codes in facet["codes"]]
    assert shown == [[sources[name]] for name in task["ids"]]


def test_pictures_stay_within_the_budget(tasks):
    data = questions.data_of(tasks, 1000, 1000, 0.15)
    assert 50_000 < len(json.dumps(data.texts)) < 300_000  # pictures' numbers and words are not counted
    assert 50_000 < len(json.dumps(data.pictures)) < 300_000
    assert 0 < len(data.texts) < 1000


@pytest.mark.slow
def test_how_replies_were_read(tmp_path):
    """A table and filters of rules and reasons, a tag for each question; none of it without readings."""
    replies = ("I'm sorry, but I can't help with that.", "", "Image 1")

    def change(number, line):
        record = line["record"]
        read_by = ((None, "refused"), (None, "empty"), ("whole", None))[number % 3]
        record |= {"how": read_by[0], "reason": read_by[1], "parsed": int(number % 3 == 2), "answer": None}
        line["filtered_resps"] = replies[number % 3]
        if number == 1:
            line["token_counts"] = [{"output_tokens": 512}]

    log = write_run(tmp_path, task="tempvs_mt1_two_mini", n=40)
    edit(log, change)
    finish(log)
    (task,) = numbers.of_logs(read_runs([tmp_path]))
    (readings,) = tables.readings_of(task)
    shares = {row.label: cell.text for row, (cell,) in zip(readings.rows, readings.cells, strict=True)}
    assert shares.keys() == {"read by: whole", "unread: refused", "unread: empty", "unread: cut_off"}
    assert shares["unread: refused"] == "0.3500"  # 14 of 40
    assert sum(map(float, shares.values())) == pytest.approx(1)
    (index,) = questions.data_of([task], 500, 0).index["tasks"]
    read = [index["words"][code] for code in index["hows"][0][:4]]
    assert read == ["unread: refused", "unread: cut_off", "whole", "unread: refused"]
    html = page([task], n_pictured=0)
    assert "How replies were read" in html


def test_other_data_gives_no_pictures(tmp_path):
    log = write_run(tmp_path)
    edit(log, lambda number, line: line["record"].update(id=f"other/{number}"))
    (task,) = numbers.of_logs(read_runs([tmp_path]))
    data = questions.data_of([task], 5, 5)
    assert data.pictures == []
    assert {entry["note"] for entry in data.texts} == {
        "no pictures: the data on this machine is not the run's"
    }


@pytest.mark.slow
def test_questions_that_limit_left_out_are_no_fault(tmp_path):
    log = write_run(tmp_path, task="tempvs_mt1_two_mini", n=23)
    file = finish(log, n_questions=100)
    results = json.loads(file.read_text())
    results["config"]["limit"] = 23.0
    file.write_text(json.dumps(results))
    found = list(numbers.of_logs(read_runs([tmp_path])))
    problem = problems_of(found)["tempbench_chance"]["not asked"]
    assert (problem.is_fault, problem.text) == (False, "--limit 23")
    assert re.search(r"23 of 100 questions, as\s+--limit 23 says", page(found, n_pictured=0))


@pytest.mark.slow
def test_a_headline_that_no_run_has_is_named(tmp_path):
    """The same metric of another test stands in for it, before another metric of the same test."""
    finish(write_run(tmp_path, task="tempvs_mt2_event_mini", n=40))
    found = list(numbers.of_logs(read_runs([tmp_path])))
    (column,) = columns_of(sections_of(found))
    assert (column.metric, column.instead_of) == ("mt2_event_mt", "mt1_two_mt")
    assert "no run has mt1_two_mt" in page(found, n_pictured=0)


def test_rank_and_average_are_over_the_benchmarks_that_all_runs_have(tmp_path):
    both = ["timeblind_mini", "motion_only_mini"]
    write_tasks(tmp_path / "chance", "chance", both, n=24)
    write_tasks(tmp_path / "oracle", "oracle", [*both, "tempcompass_pairs_mini"], n=24)
    sections = sections_of(list(numbers.of_logs(read_runs([tmp_path]))))
    headlines, _ = grids_of(sections)
    assert [one.label for one in headlines.columns[:2]] == ["rank", "average"]
    cells = {row.label: own for row, own in zip(headlines.rows, headlines.cells, strict=True)}
    first, second = cells["tempbench_chance"][2].number.value, cells["tempbench_chance"][4].number.value
    assert [cell.text for cell in cells["tempbench_chance"][:2]] == ["2", f"{(first + second) / 2:.3f}"]
    assert [cell.text for cell in cells["tempbench_oracle"][:2]] == ["1", "1.000"]
    assert any(remark.endswith("that all runs have: motion_only, timeblind.") for remark in headlines.remarks)


def test_questions_are_called_by_the_words_that_others_have_not(tmp_path):
    write_tasks(tmp_path, "oracle", ["rextime_mini", "timepercept_isr_mini"], n=12)
    data = questions.data_of(list(numbers.of_logs(read_runs([tmp_path]))), 100, 0)
    (named, alike) = (
        {entry["words"] for entry, (t, _) in zip(data.texts, data.index["told"], strict=True) if t == task}
        for task in (0, 1)
    )
    assert all("seconds long" not in one and "Reply with JSON" not in one for one in named)
    assert all(re.search("What|Why|How|Which|When", one) for one in named)
    assert alike == {""}  # all are asked in the same words: the id stands in the list
