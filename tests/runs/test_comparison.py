"""`tempbench compare`, on runs that are written as the harness writes them."""

import json
import math

import pytest

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.runs import comparison, logs, run_card
from tempbench_lmms.runs.task_log import MetricOfRun
from tempbench_lmms.tempvs import scoring
from tests.command import complains, tempbench
from tests.runs.test_logs import TASK, details_of, edited, write_run

N = 105  # questions: fourteen sequences, none of them cut


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("runs")
    for name in ("oracle", "chance", "garbage"):
        write_run(made / name, name, n=N)
    write_run(made / "other_chance", "chance", seed=1, n=N)
    return made


def compared(a, b, **options):
    pairs, remarks = comparison.paired_runs(a, b, **options)
    return {one.metric: one for one in comparison.compare_tasks(pairs, 500)}, remarks


def remarks_of(a, b, **options):
    """Returns what is said of two runs, without a comparison of them."""
    return comparison.paired_runs(a, b, **options)[1]


@pytest.mark.slow
def test_a_run_with_itself(folder):
    found, remarks = compared(folder / "chance", folder / "chance")
    assert any("A and B are the same run" in line for line in remarks)
    assert set(found) == {
        *("mt", "gt", "gt_strict", "mt_given_gt_strict", "mt_given_gt_failed", "parse_rate"),
        *("mt_official", "gt_strict_official", "mt_given_gt_strict_official"),
    }
    for one in found.values():
        assert one.difference.value == 0
        assert one.verdict == "undecided"
        # Chance passes two questions through the gate: nothing can be said of their spread.
        assert one.p_holm == 1 or "given_gt_strict" in one.metric
        assert one.n_needed is None
        assert "undecided: no difference" in one.sentence


@pytest.mark.slow
def test_oracle_with_chance(folder):
    found, _ = compared(folder / "oracle", folder / "chance")
    better = {name for name, one in found.items() if one.verdict == "better"}
    assert better == {"mt", "gt", "gt_strict", "mt_official", "gt_strict_official"}
    # 25 of 56 main questions are right for the oracle alone; 31 for both.
    assert (found["mt"].only_first, found["mt"].only_second) == (25, 0)
    assert found["mt"].mcnemar_p == pytest.approx(2 / 2**25)
    # The rest is undecided for a reason: both read every reply, chance passes two questions through the
    # gate, and the oracle fails none.
    assert found["parse_rate"].difference.value == 0
    assert "too few groups of questions" in found["mt_given_gt_strict"].sentence
    assert "undefined" in found["mt_given_gt_failed"].sentence
    worse, _ = compared(folder / "chance", folder / "oracle")
    assert {name for name, one in worse.items() if one.verdict == "worse"} == better


def test_chance_with_chance_says_how_many_questions_are_needed(folder):
    found, _ = compared(folder / "chance", folder / "other_chance")
    assert {one.verdict for one in found.values()} == {"undecided"}
    assert found["mt"].n_needed > N
    assert f"about {found['mt'].n_needed:,} questions" in found["mt"].sentence


def test_mcnemar_counts_where_every_question_is_a_cluster():
    def metric(hits, cluster=lambda record: record["id"]):
        from tempbench_lmms.metrics.ratio import ratio

        records = tuple({"id": f"{i:02}", "hit": hit} for i, hit in enumerate(hits))
        terms = lambda rs: ratio(((r["hit"], 1) for r in rs), map(cluster, rs))  # noqa: E731
        return [MetricOfRun("acc", terms, records, True)]

    # 1 and 5 discordant questions: 2 * (1 + 6) / 64.
    first, second = [1] * 10 + [1] + [0] * 5, [1] * 10 + [0] + [1] * 5
    found = comparison.compare_metric("t", metric(first), metric(second))
    assert found.p == found.mcnemar_p == pytest.approx(0.21875)
    # In clusters of four the answers hang together, and the clusters' own test counts.
    grouped = comparison.compare_metric(
        "t", metric(first, lambda r: int(r["id"]) // 4), metric(second, lambda r: int(r["id"]) // 4)
    )
    assert grouped.mcnemar_p == found.mcnemar_p
    assert grouped.p > found.p + 0.01 or grouped.p < found.p - 0.01
    # Not one question a unit: no McNemar.
    half = comparison.compare_metric("t", metric([0.5] * 8), metric([1] * 8))
    assert half.mcnemar_p is None
    assert half.p == half.difference.p

    # One question alone: nothing is known of its spread, and no number of questions would decide.
    (alone,) = comparison.judged([comparison.compare_metric("t", metric([1]), metric([0]))])
    assert (alone.only_first, alone.mcnemar_p, alone.verdict, alone.n_needed) == (1, 1.0, "undecided", None)
    assert math.isnan(alone.p)
    assert "too few groups of questions" in alone.sentence


def test_counts_are_not_compared_and_lower_may_be_better():
    records = ({"id": "0"},)
    assert comparison.compare_metric("t", *[[MetricOfRun("n", len, records, True)]] * 2) is None
    difference = comparison.Difference(0.1, 0.3, -0.2, -0.3, -0.1, 0.05, 0.001, 100, 100)
    found = comparison.Comparison("t", "error", False, 100, difference, p=0.001)
    (one,) = comparison.judged([found])
    assert one.verdict == "better"
    assert "A is better than B" in one.sentence


def with_p(p, *difference):
    found = comparison.Difference(*(difference or (0.5, 0.4, 0.1, 0.01, 0.19, 0.045, p, 100, 100)))
    return comparison.Comparison("t", "m", True, 100, found, p=p)


def test_metrics_that_cannot_differ_are_not_counted():
    """Both runs read every reply: that metric does not raise the bar for the others."""
    judged = comparison.judged([with_p(1, 1, 1, 0, 0, 0, 0, 1, 100, 0), with_p(0.03)])
    assert [(one.p_holm, one.verdict) for one in judged] == [(1, "undecided"), (0.03, "better")]


def test_few_groups_need_more_whatever_the_difference():
    # Six groups that all speak for A: 2 / 2 ** 6 = 0.03125 stands alone; times two it takes 6.3 groups.
    difference = comparison.Difference(1, 0, 1, 0.9, 1, 0.01, 0.03125, 6, 6)
    two = [comparison.Comparison("t", name, True, 6, difference, p=0.03125) for name in "ab"]
    (alone,) = comparison.judged(two[:1])
    assert (alone.verdict, alone.n_needed) == ("better", None)
    assert [(one.verdict, one.n_needed) for one in comparison.judged(two)] == [("undecided", 7)] * 2


def test_holm_can_take_a_verdict_back():
    assert comparison.judged([with_p(0.03)])[0].verdict == "better"
    judged = comparison.judged([with_p(0.03), with_p(0.5)])
    assert [found.verdict for found in judged] == ["undecided"] * 2
    assert judged[0].p_holm == 0.06
    assert judged[0].n_needed > 100


def media(sha256):
    return lambda r: details_of(r)["data"]["mini"].update(media={"files": 1, "sha256": sha256})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r["configs"][TASK]["dataset_kwargs"].update(data_files={"test": "x"}), "data.url"),
        (lambda r: details_of(r)["data"]["mini"].update(sha256="0"), "data.sha256"),
        (
            lambda r: details_of(r)["packages"].update({"tempbench-lmms": "9.9"}),
            "packages.tempbench-lmms: .* and 9.9",
        ),
        (media("2"), "data.media.sha256: 1 and 2"),
    ],
)
def test_refuses_other_data_and_versions(folder, tmp_path, change, said):
    one, other = (edited(folder / name, tmp_path / name, media("1")) for name in ("chance", "oracle"))
    remarks_of(one, other)
    other = edited(other, tmp_path / "other", change)
    with pytest.raises(TempbenchError, match=rf"{said}.*--anyway"):
        compared(one, other)
    found, remarks = compared(one, other, anyway=True)
    assert found["mt"].verdict == "worse"
    assert any(said.partition(":")[0] in line for line in remarks)


def told(backend, tags):
    more = {"model_backend": backend, "resolved_cli_args": {"reasoning_tags": tags}}
    return lambda r: r["config"].update(more)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (lambda r: None, lambda r: details_of(r)["packages"].update(torch="0.1"), ["packages.torch"]),
        (
            told("m.X (chat)", '[["<a>", "</a>"]]'),
            told("m.X (simple)", "none"),
            ["settings.runner: chat and simple", 'reasoning_tags: [["<a>", "</a>"]] and none'],
        ),
        (told("m.X (chat)", "none"), lambda r: None, []),  # whose results say neither
    ],
)
def test_what_may_differ_is_listed(folder, tmp_path, first, second, said):
    a = edited(folder / "chance", tmp_path / "a", first)
    b = edited(folder / "other_chance", tmp_path / "b", second)
    remarks = [line for line in remarks_of(a, b) if line.startswith(f"{TASK} differs in")]
    assert len(remarks) == len(said)
    assert all(any(one in line for line in remarks) for one in said)


def _read_otherwise(rows):
    """As a checkout leaves them that reads A for B and B for A, under the same version."""
    for row in rows:
        record = row["record"]
        record["answer"] = {"A": "B", "B": "A"}.get(record["answer"], record["answer"])
        record["correct"] = int(record["answer"] == record["gold"])


@pytest.mark.slow
def test_runs_that_were_read_by_other_code_are_read_again(folder, tmp_path):
    """The same replies, scored by two checkouts of one version, are no difference between models."""
    run = folder / "oracle"
    other = edited(run, tmp_path / "other", lambda r: details_of(r).update(code="0" * 64), _read_otherwise)
    with pytest.raises(
        TempbenchError, match=r"the code that read their replies: \w{8} and 00000000.*--anyway"
    ):
        compared(run, other)
    found, remarks = compared(run, other, anyway=True)
    assert found["mt"].verdict == "better"
    assert any("the code that read their replies" in line for line in remarks)
    older = edited(
        other, tmp_path / "older", lambda r: details_of(r)["packages"].update({"tempbench-lmms": "0.0.1"})
    )
    for one in (other, older):
        found, remarks = compared(run, one, reparse=True)
        assert found["mt"].difference.value == 0
        assert not any("code" in line for line in remarks)


def test_refuses_other_questions_and_prompts(folder, tmp_path):
    def change(rows):
        for row in rows[:4]:
            row["input"] = "Another prompt"
        return rows[:100]

    other = edited(folder / "oracle", tmp_path / "other", lines=change)
    with pytest.raises(
        TempbenchError, match=rf"questions: {N - 100} are only in A.*prompts: 4 of 100 differ"
    ):
        compared(folder / "chance", other, partial=True)
    found, _ = compared(folder / "chance", other, anyway=True, partial=True)
    assert found["parse_rate"].n == 100


def test_different_tasks_and_runs_without_logs(folder, tmp_path):
    write_run(tmp_path / "mt3", task="tempvs_mt3_event_mini")
    with pytest.raises(TempbenchError, match="no task in common"):
        compared(folder / "chance", tmp_path / "mt3")
    write_run(tmp_path / "bare").unlink()
    with pytest.raises(TempbenchError, match="--log_samples"):
        compared(folder / "chance", tmp_path / "bare")
    write_run(tmp_path / "twice" / "a")
    write_run(tmp_path / "twice" / "b")
    with pytest.raises(TempbenchError, match="twice"):
        compared(folder / "chance", tmp_path / "twice")


def test_command(folder):
    done = tempbench("compare", folder / "oracle", folder / "chance")
    assert (done.returncode, done.stderr) == (0, "")
    out = done.stdout
    assert "mt: A is better than B (A 1, B 0.5536," in out
    assert "All 9 metrics: A is better in 5, worse in 0; 3 undecided, 1 undefined." in out
    assert out.splitlines()[0].startswith("A is better in 5 of 8: gt_strict +0.9")
    assert [line.partition(" in ")[0] for line in out.splitlines()[1:3]] == ["A is worse", "undecided"]
    assert "nan" not in "".join(out.splitlines()[:3])
    assert "B: not clearly above chance: mt 0.554 (chance 0.5), gt_strict" in out


@pytest.mark.slow
def test_headlines_all_or_those_that_are_named(folder):
    words = ("compare", folder / "oracle", folder / "chance", "--resamples", 500)

    def shown(*more):
        done = tempbench(*words, *more)
        assert not done.returncode, done.stderr
        return [
            line.split(":")[0].strip()
            for line in done.stdout.splitlines()
            if line.startswith("  ") and "|" not in line
        ]

    rows = {row.name: row.headline for row in scoring.METRICS.rows}
    everything = shown("--all")
    assert shown() == [name for name in everything if rows[name]]
    assert shown("--metrics", "gt,mt") == [name for name in everything if name in ("gt", "mt")]
    complains(tempbench(*words, "--metrics", "gt_strit"), "did you mean gt_strict")
    read = json.loads(tempbench(*words, "--json").stdout)
    assert read["a"][0]["model"] == "tempbench_oracle"
    assert {one["metric"]: one["verdict"] for one in read["metrics"]}["mt"] == "better"
    assert read["metrics"][4]["difference"]["value"] is None


def test_run_card(folder):
    (log,) = logs.read_runs([folder / "chance"])
    card = run_card.run_card(log)
    assert card["version"] == {"task": 1, "prompts": 2}
    assert card["packages"]["lmms-eval"].startswith("0.")
    assert card["packages"]["torch"]
    assert card["data"]["edition"] == "bundled sample, rendered by the project"
    assert len(card["data"]["sha256"]) == len(card["prompts_sha256"]) == 64
    assert card["settings"] == {"images": "strip", "style": "direct"}
    assert card["generation"]["max_new_tokens"] == 512
    assert card["questions"] == {"of": N, "asked": N, "logged": N, "failed": 0}
    assert card["complete"] is True
    assert json.loads(json.dumps(card)) == card
