"""What the harness prints of our tasks."""

import types

from tempbench_lmms.harness import plugin
from tempbench_lmms.harness.printing import headlines

TASK = "mateo_both_cot_mini"


def results():
    values = {"alias": TASK, "samples": 4, "accuracy,none": 0.5, "accuracy_stderr,none": 0.1}
    values |= {"n_pairs,none": 2, "n_cut,none": 0, "other_rate,none": 0.25, "details,none": {"a": 1}}
    own = {"accuracy": True, "n_pairs": True, "n_cut": False, "other_rate": False}
    return {
        "results": {TASK: values, "mme": {"score,none": 3.0, "samples": 9}},
        "higher_is_better": {TASK: own, "mme": {"score": True}},
    }


def test_headlines_of_our_tasks_alone():
    given = results()
    shown, notes = headlines(given)
    assert given == results()
    assert list(shown["results"][TASK]) == ["alias", "accuracy,none", "accuracy_stderr,none", "n_pairs,none"]
    assert shown["results"]["mme"] == given["results"]["mme"]
    # A count has no direction.
    assert shown["higher_is_better"][TASK]["accuracy"] is True
    assert shown["higher_is_better"][TASK]["n_pairs"] is None
    assert notes == [f"{TASK}: 2 of 4 metrics; the results file (--output_path) has all"]


def test_the_harness_prints_them(monkeypatch):
    module = types.ModuleType("lmms_eval.utils")
    module.make_table = lambda result_dict, column="results": f"{column} {sorted(result_dict[column])}"
    plugin._print_headlines(module)
    plugin._print_headlines(module)  # once, however often it is called
    printed = module.make_table(results())
    assert printed.count("2 of 4 metrics") == 1
    assert module.make_table(results() | {"groups": {}}, "groups") == "groups []"


def test_what_cannot_be_shortened_is_printed_whole(monkeypatch):
    warnings = []
    monkeypatch.setattr(plugin, "_warn", warnings.append)
    module = types.ModuleType("lmms_eval.utils")
    module.make_table = lambda result_dict, column="results": "all"
    plugin._print_headlines(module)
    assert module.make_table({}) == "all"
    assert "all metrics are printed" in warnings[0]


def test_a_harness_without_such_a_table_is_left_alone():
    module = types.ModuleType("lmms_eval.utils")
    plugin._print_headlines(module)
    assert not hasattr(module, "make_table")
