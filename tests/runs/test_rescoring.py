"""`tempbench rescore`, and what makes a run suspicious."""

import json
from types import SimpleNamespace

import pytest

from tempbench_lmms import record_quality
from tempbench_lmms.data import provenance
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.metrics.ratio import ratio
from tempbench_lmms.runs import logs, quality, run_card, task_log
from tests.command import complains, tempbench
from tests.runs.test_logs import TASK, details_of, edited, write_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("runs")
    for name in ("oracle", "chance", "constant", "garbage", "empty", "failing"):
        write_run(made / name, name)
    return made


def log_of(path, **options):
    (log,) = logs.read_runs([path], **options)
    return log


def test_a_number_that_is_not_the_log_s_is_named(folder, tmp_path):
    def change(results):
        results["results"][TASK]["mt,none"] += 1e-16 * 4
        results["results"][TASK]["details,none"]["mt1_two"]["answers"]["A"] = 0

    other = edited(folder / "chance", tmp_path / "other", change)
    assert logs.rescore(log_of(other)).differing == ["mt", "details"]
    done = tempbench("rescore", other)
    complains(done, f"{TASK} mt")
    assert "differs" in done.stdout


def mains_of(rows):
    return [row for row in rows if row["record"]["role"] == "main"]


def test_what_is_read_differently_says_how(folder, tmp_path):
    """Another rule is no other answer; another reason is one, and so is what a log does not say."""

    def change(rows):
        mains = mains_of(rows)
        nothing = {"answer": None, "parsed": 0, "correct": 0, "how": None, "where": None}
        mains[0]["record"] |= nothing | {"reason": "several"}
        mains[1]["record"] |= {"how": "words"}
        mains[2]["record"] |= nothing | {"reason": "nothing"}
        for row in mains[2:4]:
            row["filtered_resps"] = "I can't tell."
        for name in ("how", "reason", "where"):
            del mains[3]["record"][name]

    log = log_of(edited(folder / "oracle", tmp_path / "other", lines=change))
    assert logs.rescore(log).now["mt"] == 118 / 120
    found = logs.rescore(log, reparse=True)
    assert found.now["mt"] == 118 / 120
    ids = [one.id for one in log.samples if one.record["role"] == "main"]
    assert {change.id: (change.how_then, change.how_now) for change in found.changes} == {
        ids[0]: ("unread: several", "whole"),
        ids[2]: ("unread: nothing", "unread: refused"),
        ids[3]: ("", "unread: refused"),
    }
    assert found.changes[0].then == {"answer": None, "parsed": 0, "correct": 0}
    text = logs.as_text(found, "run", "now")
    assert "3 questions are now read differently" in text
    assert "answer None, parsed 0, correct 0 (unread: several) -> answer" in text
    assert f'{ids[2]}: (unread: nothing) -> (unread: refused); "I can\'t tell."' in text
    assert "and 2 more; see --json" in logs.as_text(found, "run", "now", n_changes=1)
    out = logs.as_json(found)
    assert out["changes"][0]["how_now"] == "whole"
    assert out["code_now"] == out["run"]["code"] == provenance.of_numbers("tempvs")
    assert "code_now" not in logs.as_json(logs.rescore(log_of(folder / "oracle")))


def test_the_number_of_tokens_tells_that_a_reply_was_cut_off(folder, tmp_path):
    """Where the runner counts tokens: in warnings, run card and a new reading, not in the run's numbers."""

    def change(rows):
        for row in [row for row in rows if row["record"]["reason"] == "nothing"][:30]:
            row["token_counts"] = [{"output_tokens": 512}]

    other = edited(folder / "garbage", tmp_path / "other", lines=change)
    log = log_of(other)
    assert log.token_limit == 512
    assert logs.rescore(log).differing == []
    assert run_card.run_card(log)["readings"]["reason"]["cut_off"] == 30 / 223
    assert any("cut off 30" in str(line) for line in quality.warnings(log))
    (said,) = map(str, quality.cut_off(log.samples, log.token_limit))  # at the end of a run
    assert said.startswith("13.5% (30 of 223) of the replies were cut off before they gave an answer")
    done = tempbench("report", other, "-o", tmp_path / "report.html")
    assert done.stderr.count("are unread") == 1
    assert "cut off 30" in done.stderr
    found = logs.rescore(log, reparse=True)
    assert found.now["unread_cut_off"] == 30 / 223
    assert {change.how_now for change in found.changes} == {"unread: cut_off"}
    assert len(found.changes) == 30


@pytest.mark.slow
def test_replies_are_not_read_with_data_that_is_not_the_run_s(folder, tmp_path):
    def elsewhere(rows):
        return json.loads(json.dumps(rows).replace("mini_flintstones_0/", "elsewhere/"))

    moved = edited(folder / "oracle", tmp_path / "moved", lines=elsewhere)
    with pytest.raises(TempbenchError, match=r"question flintstones/elsewhere/.* is not in the local data"):
        logs.rescore(log_of(moved), reparse=True)
    other = edited(
        folder / "oracle", tmp_path / "other", lambda r: details_of(r)["data"]["mini"].update(sha256="0" * 64)
    )
    complains(tempbench("rescore", other, "--reparse"), "not the data of the run", "--anyway")
    assert tempbench("rescore", other, "--reparse", "--anyway").returncode == 0
    assert tempbench("rescore", other).returncode == 0  # needs no data


@pytest.mark.slow
def test_results_and_log_are_of_one_run(folder, tmp_path):
    """The log of another run beside a results file, or none where the run has written one."""
    (foreign,) = (folder / "oracle").glob("*.jsonl")
    other = edited(folder / "chance", tmp_path / "other")
    assert logs.of_one_run(log_of(other)) == log_of(other)
    (other / foreign.name).write_bytes(foreign.read_bytes())
    with pytest.raises(TempbenchError, match=r"gives other values of .*--partial"):
        logs.of_one_run(log_of(other))
    complains(tempbench("rescore", other, "--reparse"), "gives other values of")
    assert tempbench("rescore", other, "--reparse", "--partial").returncode == 0
    (problem,) = logs.of_one_run(log_of(other), partial=True).problems
    assert "gives other values of" in problem
    earlier = edited(
        other, tmp_path / "earlier", lambda r: details_of(r)["packages"].update({"tempbench-lmms": "0.0.1"})
    )
    assert logs.of_one_run(log_of(earlier)).problems == ()  # other definitions, perhaps
    gone = edited(
        other, tmp_path / "gone", lambda r: r["config"].update(resolved_cli_args={"log_samples": 1})
    )
    for run in (other, gone):
        (run / foreign.name).unlink()
    assert logs.of_one_run(log_of(other)).samples == ()  # perhaps it never had one
    with pytest.raises(TempbenchError, match=r"no sample log .*add --partial"):
        logs.of_one_run(log_of(gone))


def test_command(folder):
    done = tempbench("rescore", folder / "chance")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.525      0.525      0.4325 to 0.6158" in done.stdout
    read = json.loads(
        tempbench("rescore", folder / "chance", folder / "oracle", "--reparse", "--json").stdout
    )
    assert [one["run"]["model"] for one in read] == ["tempbench_chance", "tempbench_oracle"]
    assert read[0]["now"] == read[0]["then"]
    assert read[0]["intervals"]["mt_given_gt_strict"] == [None, None]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[:9000], "cannot be used"),
        (lambda text: text[: text.index("\n", 9000)], "lines for the run's 223 questions"),
        (lambda text: text + text, "223 lines cannot be used, first line 224 (it repeats"),
        (lambda text: "", "0 lines for the run's 223 questions"),
        (lambda text: "\0\0\n" + text, "1 line cannot be used, first line 1 ("),
    ],
)
def test_damaged_logs(damage, said, folder, tmp_path):
    other = edited(folder / "oracle", tmp_path / "other")
    (path,) = other.glob("*.jsonl")
    path.write_text(damage(path.read_text()))
    complains(tempbench("rescore", other), said, "--partial")


@pytest.mark.slow
def test_lines_of_another_task_and_of_an_older_one(folder, tmp_path):
    stranger = json.loads(write_run(tmp_path / "stranger", task="tempvs_mini").read_text().splitlines()[300])
    other = edited(folder / "oracle", tmp_path / "other", lines=lambda rows: [*rows, stranger])
    complains(tempbench("rescore", other), "of another task")
    done = tempbench("rescore", other, "--partial")
    assert (done.returncode, done.stderr) == (0, "")
    assert "of another task" in done.stdout
    # What is left of a cut log gives other numbers than the run printed, and that is said too.
    short = edited(folder / "oracle", tmp_path / "short", lines=lambda rows: rows[:20])
    complains(tempbench("rescore", short, "--partial"), "the scores differ from those of the run")
    old = edited(
        folder / "oracle",
        tmp_path / "old",
        lambda r: r["configs"][TASK].update(metadata={"version": 0, "prompts": 0}),
    )
    complains(
        tempbench("rescore", old),
        "the run has version 0 of the task, this package 1 (and 1 more problem); add --partial",
    )
    assert tempbench("rescore", old, "--partial").returncode == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("oracle", []),
        ("chance", ["not clearly above chance: mt 0.525 (chance 0.5), gt_strict 0.0167 (chance 0.04)"]),
        ("constant", ["100.0% (103 of 103) of the answers are '1'", "(120 of 120) of the answers are 'A'"]),
        ("garbage", ["100.0% (223 of 223) of the replies are unread", "not clearly above chance: mt 0 ("]),
        ("empty", ["are unread", "100.0% (223 of 223) of the replies are empty", "not clearly above chance"]),
        ("failing", ["100.0% (223 of 223) of the requests failed", "not clearly above chance"]),
    ],
)
def test_warnings_of_the_respondents(folder, name, said):
    found = [*map(str, quality.warnings(log_of(folder / name)))]
    for text in said:
        assert any(text in line for line in found), (text, found)
    assert len(found) <= len(said) + 1
    if not said:
        assert found == []


class Measured:
    """A metric whose chance is 1/16, of groups that are right (1) or wrong (0)."""

    name, higher_is_better = "i_acc", True

    def __init__(self, *right):
        self.right = right

    def __call__(self):
        return ratio(((one, 1) for one in self.right), range(len(self.right)))


@pytest.mark.parametrize(
    ("right", "said"),
    [
        # Of two groups that are right, the interval begins at 0.012, of three at 0.14.
        ((1, 1), ["too few groups to tell from chance: i_acc 1 (2 groups, chance 0.0625)"]),
        ((0,), ["too few groups to tell from chance: i_acc 0 (1 group, chance 0.0625)"]),
        ((1, 1, 1), []),
        ((0, 0, 0), ["not clearly above chance: i_acc 0 (chance 0.0625)"]),
    ],
)
def test_few_groups_are_not_called_chance(right, said, monkeypatch):
    monkeypatch.setattr(quality, "metrics_of", lambda log: [Measured(*right)])
    card = SimpleNamespace(chance={"i_acc": 1 / 16}, tests=())
    assert [*map(str, quality._within_chance(SimpleNamespace(card=card, task="any")))] == said


def sample(reply="x", answer="A", gold="A", n_tokens=None, failed=0, number=0):
    record = {"id": str(number), "parsed": int(answer is not None), "failed": failed}
    return task_log.Sample(
        record | {"answer": answer, "gold": gold}, frozenset(), "", reply, number, "", n_tokens
    )


def texts(*replies):
    return [str(one) for one in quality.of_replies(*replies)]


def read_as(records):
    return [str(one) for one in record_quality.of_records(records)]


def test_replies_that_loop_are_cut_off_or_the_same():
    loop = [sample("The cat. " * 30)] * 2 + [sample("The answer is A.")] * 18
    assert texts(loop) == ["10.0% (2 of 20) of the replies end in a loop of repeated words"]
    cut = [sample("Let me think", None, n_tokens=64)] * 2 + [sample("A", n_tokens=64)] * 18
    assert texts(cut, 64)[0].startswith("10.0% (2 of 20) of the replies were cut off")
    assert texts(cut, 128) == texts(cut) == []
    assert quality.cut_off([*cut[:1], *[sample()] * 99], 64) == []  # 1 % is not more than 1 %
    thought = [sample("<think>Well", None)] * 2 + [sample("<think>Well</think>A")] * 18
    assert "raise the limit with" in texts(thought)[0]
    broken = sample("It goes on and", None)
    broken.record["reason"] = "cut_off"
    assert "raise the limit with" in texts([broken] * 2 + [sample()] * 18)[0]
    same = [sample("I cannot help you with pictures.", None)] * 20
    assert texts(same)[0].startswith("100.0% (20 of 20) of the replies are the same text")
    assert texts([]) == texts([sample(failed=1, reply="")]) == []


def test_thresholds():
    def records(*answers):
        return [sample(answer=answer, number=i).record for i, answer in enumerate(answers)]

    even = [record | {"gold": "AB"[i % 2]} for i, record in enumerate(records(*["A"] * 12, *["B"] * 8))]
    assert read_as(even) == []  # 60 % are not more than 60 %
    lean = [record | {"gold": "AB"[i % 2]} for i, record in enumerate(records(*["A"] * 13, *["B"] * 7))]
    assert read_as(lean) == ["65.0% (13 of 20) of the answers are 'A', right for 50% of them"]
    # As lopsided as the right answers: nobody's fault.
    assert read_as(records(*["A"] * 19, "B")) == []
    assert read_as(records(*["B"] * 10)) == []  # too few to tell
    assert read_as(records(*["A", "B"] * 19, None, None)) == []  # 2 of 40 are not more than 5 %
    unread = read_as(records(*["A", "B"] * 18, None, None, None, None))
    assert unread == ["10.0% (4 of 40) of the replies are unread; they count as wrong"]
    told = records(*["A", "B"] * 18, None, None, None, None)
    for record, reason in zip(told[-4:], ("refused", "nothing", "refused", "several"), strict=True):
        record["reason"] = reason
    assert read_as(told) == [
        "10.0% (4 of 40) of the replies are unread (refused 2, nothing 1, several 1); they count as wrong"
    ]
    assert read_as([]) == []


@pytest.mark.harness
def test_rescore_equals_a_run_of_the_harness(tmp_path, run_harness, caplog):
    tasks = ["tempvs_mini", "tempvs_mt1_two_blind_mini"]
    done = run_harness("tempbench_constant", tasks, tmp_path, ["--seed", "7"])
    assert "(120 of 120) of the answers are 'A', right for 50% of them" in caplog.text
    read = logs.read_runs([tmp_path])
    assert {log.task for log in read} == set(tasks)
    for log in read:
        found = logs.rescore(log)
        assert found.differing == []
        assert len(found.now) == sum(
            name.endswith(",none")
            and not name.startswith(("record", "score"))
            and "_stderr_" not in name
            and value != "N/A"
            for name, value in done.results["results"][log.task].items()
        )
        card = run_card.run_card(log)
        assert card["packages"]["torch"]
        assert len(card["data"]["sha256"]) == 64
        assert card["seeds"]["random_seed"] == 7
        assert card["complete"] is True
