"""Every labelled reply reads as a person would read it."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsing import corpus

CORPUS = corpus.load()


def test_corpus_covers_what_models_do():
    groups = Counter(labelled.group for labelled in CORPUS)
    assert len(CORPUS) >= 500
    assert {"terse", "chatty", "markdown", "latex", "languages", "refusal", "reasoning", "json"} <= set(
        groups
    )
    assert {"loops", "look-alikes", "long", "nothing", "correction"} <= set(groups)
    assert min(groups.values()) >= 10
    assert max(len(labelled.reply) for labelled in CORPUS) >= 100_000
    assert sum(labelled.expected is None for labelled in CORPUS) >= 100
    assert len({(labelled.kind, labelled.reply) for labelled in CORPUS}) == len(CORPUS)


@pytest.mark.slow
@pytest.mark.parametrize("group", sorted({labelled.group for labelled in CORPUS}))
def test_labelled_replies(group):
    wrong = [
        (labelled.kind, labelled.reply[:200], labelled.expected, labelled.read())
        for labelled in CORPUS
        if labelled.group == group and labelled.read() != labelled.expected
    ]
    assert not wrong


@pytest.mark.slow
@settings(max_examples=200)
@given(st.text(st.sampled_from("fghjklmnopqrstuvwxyzFGHJKLMNOPQRSTUVWXYZ .,:;!?()'\"\n-"), max_size=120))
def test_no_answer_is_read_where_none_can_be(reply):
    """Without the letters on offer, without a digit, and without the options' words nothing is chosen."""
    assert corpus.read("five", reply) is None
    assert corpus.read("order", reply) is None


@given(st.sampled_from([labelled for labelled in CORPUS if labelled.group == "chatty"]), st.integers(0, 3))
def test_space_around_a_reply_changes_nothing(labelled, n):
    assert corpus.read(labelled.kind, "\n" * n + labelled.reply + " " * n) == labelled.expected
