"""Every labelled reply reads as a person would read it, fast, and no reply breaks a parser."""

import functools
import importlib
import inspect
import itertools
import pkgutil
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tempbench_lmms import benchmarks, parsing
from tempbench_lmms.parsing.final_answer import final_answer
from tempbench_lmms.parsing.text import normalise
from tests.parsing import corpus

CORPUS = corpus.load()
OFFERED = {kind: {*"ABCDE"[: len(options)], None} for kind, options in corpus.OPTIONS.items()}
OFFERED["image"] = {None, *range(1, corpus.N_IMAGES + 1)}


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


@pytest.mark.parametrize("group", sorted({labelled.group for labelled in CORPUS}))
def test_labelled_replies(group):
    wrong = [
        (labelled.kind, labelled.reply[:200], labelled.expected, labelled.read())
        for labelled in CORPUS
        if labelled.group == group and labelled.read() != labelled.expected
    ]
    assert not wrong


# Text that looks like replies: what they are made of, in any order.
_PIECES = st.sampled_from(
    [
        *("A", "B", "C", "E", "F", "a", "I", "1", "3", "9", "99", "3.5", "-1", "50%", "²", "В", "Ｂ", "⑤"),
        *(
            "Option ",
            "option",
            "Image ",
            "the answer is ",
            "Answer:",
            "答案是",
            "not ",
            "or ",
            "and ",
            "because ",
        ),
        *(
            "<think>",
            "</think>",
            "<answer>",
            "</answer>",
            "\\boxed{",
            "}",
            "{",
            '"answer": ',
            "**",
            "`",
            "|",
            "$",
        ),
        *(
            ".",
            ",",
            "(",
            ")",
            "\n",
            " ",
            "->",
            "True",
            "False",
            "second ",
            "two ",
            "wait ",
            "\u200b",
            "İ",
            "\0",
        ),
    ]
)
REPLIES = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=30).map("".join))


@settings(max_examples=300)
@given(REPLIES)
def test_any_reply_gives_something_on_offer_or_nothing(reply):
    for kind, offered in OFFERED.items():
        assert corpus.read(kind, reply) in offered


@settings(max_examples=200)
@given(REPLIES)
def test_texts_stay_texts(reply):
    answer = final_answer(reply)
    assert answer is None or (answer in reply and answer == answer.strip() != "")
    assert normalise(normalise(reply)) is not None


@settings(max_examples=200)
@given(st.text(st.sampled_from("fghjklmnopqrstuvwxyzFGHJKLMNOPQRSTUVWXYZ .,:;!?()'\"\n-"), max_size=120))
def test_no_answer_is_read_where_none_can_be(reply):
    """Without the letters on offer, without a digit, and without the options' words nothing is chosen."""
    assert corpus.read("five", reply) is None
    assert corpus.read("order", reply) is None


@given(st.sampled_from([labelled for labelled in CORPUS if labelled.group == "chatty"]), st.integers(0, 3))
def test_space_around_a_reply_changes_nothing(labelled, n):
    assert corpus.read(labelled.kind, "\n" * n + labelled.reply + " " * n) == labelled.expected


def _modules():
    for module in pkgutil.iter_modules(parsing.__path__, f"{parsing.__name__}."):
        yield module.name
    for benchmark in benchmarks.names():
        yield f"tempbench_lmms.{benchmark}.parser"


# Values for the parameters behind the reply; each in turn where there are several.
VALUES = {
    "letters": ["ABCDE"],
    "options": [corpus.OPTIONS["five"][:4]],
    "labels": ["abcde"],
    "upper": [5],
    "n_images": [5],
    "duration": [60.0],
    "kind": ["mt1", "mt2", "gt"],
    "form": ["triple", "cot", "reflection"],
    "test": ["isr", "ipr", "sov", "tal", "sqa"],
}


def _parsers():
    """Yields a function of a reply for every public parser and every value of its further parameters."""
    for module in _modules():
        for name, function in inspect.getmembers(importlib.import_module(module), inspect.isfunction):
            first, *further = inspect.signature(function).parameters.values() or [None]
            is_parser = function.__module__ == module and not name.startswith("_")
            if not is_parser or first.name not in ("reply", "text"):
                continue
            required = {parameter.name for parameter in further if parameter.default is parameter.empty}
            assert required <= set(VALUES), f"give {required - set(VALUES)} of {module}.{name} a value here"
            names = [parameter.name for parameter in further if parameter.name in VALUES]
            for values in itertools.product(*(VALUES[name] for name in names)):
                told = [value for name, value in zip(names, values, strict=True) if len(VALUES[name]) > 1]
                place = "-".join([f"{module.removeprefix('tempbench_lmms.')}.{name}", *told])
                yield pytest.param(
                    functools.partial(function, **dict(zip(names, values, strict=True))), id=place
                )


@pytest.mark.parametrize("function", _parsers())
def test_no_parser_raises(function):
    @settings(max_examples=150)
    @given(REPLIES)
    def run(reply):
        function(reply)

    run()
    for labelled in CORPUS:
        function(labelled.reply[:5000])


# What makes a pattern try again and again.
UNITS = [
    "A ",
    "Option A. ",
    "A B ",
    "<answer>",
    "</think>",
    "1 2 ",
    "image ",
    "\\boxed{",
    "not ",
    "(",
    " ",
    "{",
]


def _seconds(function, reply):
    times = []
    for _ in range(2):
        start = time.process_time()
        function(reply)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("function", _parsers())
def test_time_is_linear(function):
    """A reply four times as long takes at most about four times as long; 0.2 s are nothing to measure by."""
    for unit in UNITS:
        quarter = _seconds(function, unit * (250_000 // len(unit)))
        whole = _seconds(function, unit * (1_000_000 // len(unit)))
        assert whole < max(8 * quarter, 0.2), (unit, quarter, whole)
