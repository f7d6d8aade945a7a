"""What every parser keeps to: no exception, nothing but what is on offer, time in proportion to length."""

import ast
import math
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tempbench_lmms
from benchmarks import parsing as benchmark
from tempbench_lmms import benchmarks
from tempbench_lmms.parsing.expected import REASONS
from tests import contract
from tests.each import sample
from tests.parsing import replies

PACKAGE = Path(tempbench_lmms.__file__).parent
PARSERS = benchmark.parsers()
READERS = benchmark.parsers(("reply", "text"))
LETTERS = (None, *"ABCD")


def _is_span(span):
    return len(span) == 2 and all(math.isfinite(edge) and 0 <= edge <= 1e6 for edge in span)


def _is_reading(found):
    return (found.value is None) == (found.reason in REASONS)


# What a parser may return, by its name without the values of its further parameters; of each benchmark's own
# its `tests/NAME/contract.py` says it.
OFFERED = {
    "parsing.clean.clean": lambda found: found.cut_off == (not found.parts),
    "parsing.reader.read": _is_reading,
    "parsing.reader.read_both": lambda found: all(map(_is_reading, found)),
    "parsing.clean.final_answer": lambda found: found is None or found == found.strip() != "",
    "parsing.reader.others": lambda found: all(map(_is_span, found)),
    "parsing.clean.clip": lambda found: len(found) < 8_010,
}
for name in benchmarks.names():
    OFFERED |= contract.get(name, "OFFERED")

# What replies are made of, and what has no place in one.
_PIECES = (
    "A¦B¦C¦E¦F¦a¦I¦1¦3¦9¦99¦3.5¦-1¦50%¦00:¦1:05¦1-2¦5 s ¦²¦В¦Ｂ¦⑤¦１¦İ¦ı¦ſ¦K"
    "¦ﬁ¦́¦🌀¦👩\u200d👩\u200d👧¦第¦一¦秒"
    "¦번¦\u1cbb¦⟨1⟩¦Option ¦option¦Image ¦the answer is ¦Answer:¦答案是¦not ¦or ¦and ¦because ¦<think>"
    '¦</think>¦<answer>¦</answer>¦<|begin_of_box|>¦\\boxed{¦}¦{¦[¦]¦"¦"answer": ¦"span": ¦[1, 2],'
    "¦[[5, 12, 0.9]]¦NaN¦-Infinity¦// ¦**¦`¦|¦$¦.¦,¦(¦)¦'¦:¦/¦~¦\n¦\n\n¦ ¦\t¦->¦>¦\0¦True¦False¦yes¦no"
    "¦Q1: ¦Q2 ¦Q3¦I don't know¦ı don't know¦Before¦ındependent¦second ¦two ¦sıx ¦seconds¦twenty-¦from "
    "¦ to ¦between ¦start ¦the end¦lasts ¦wait ¦might be ¦first¦\u200b¦\u2028¦\ud800¦﷽¦The dog barks"
    "¦final answer: "
)
PIECES = st.sampled_from([*_PIECES.split("¦"), "9" * 400, "9" * 5000])
REPLIES = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=30).map("".join))


@pytest.mark.slow
def test_the_list_of_parsers_is_complete():
    """What takes a reply is measured and fuzzed, or is named here with what it does instead."""
    others = {
        "harness.adapter.notice_of",  # a prefix
        "harness.adapter.request_failed",
        "harness.adapter.without_keys",  # what a server echoes
        "harness.retries.taken",  # what can be stored of it
        "check.questions.read_answer",  # of one word, to the small questions of `check-model`
        *(
            f"{name}.scoring.record" for name in benchmarks.names()
        ),  # what the hooks call: parsers, and a dict
        "record.prompt_of",  # whether it has several lines
        "cli.tasks.read",  # a command, which calls the hooks
        "cli.questions.read_reply",
        "runs.task_log.scored",  # calls the hooks
        "runs.logs.with_reply",
        "runs.answering.answer",  # keeps what a person answered
        "runs.second.request",  # writes a prompt
        "api.read",  # reads by the parsers
        "any_task.opinion.answer",  # likewise
        *(other for name in benchmarks.names() for other in contract.get(name, "NOT_PARSERS")),
    }
    found = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if re.search(r"[(,]\s*reply\s*[:,)=]", text) else ():
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
                if "reply" in names:
                    found.add(".".join((*path.relative_to(PACKAGE).with_suffix("").parts, node.name)))
    found = {name for name in found if not name.startswith("hf_datasets.")}
    assert {name.partition("-")[0] for name in PARSERS} == found - others
    assert others <= found
    assert set(OFFERED) == {name.partition("-")[0] for name in PARSERS}


# One set of further parameters of each parser.
ONE_OF_EACH = {name.partition("-")[0]: name for name in reversed(PARSERS)}


@pytest.mark.slow
@given(REPLIES)
def test_any_reply_gives_something_on_offer_or_nothing(reply):
    """Some of the parsers read each reply, since to draw one takes longer than to read it."""
    number = zlib.crc32(reply.encode(errors="surrogatepass"))
    for place, name in enumerate(READERS):
        if (place + number) % (4 if name in ONE_OF_EACH.values() else 12) == 0:
            is_offered = OFFERED.get(name.partition("-")[0], lambda found: True)
            assert is_offered(READERS[name](reply)), name


@pytest.mark.slow
def test_labelled_replies_break_no_parser():
    """Each parser reads another fortieth, so that all together read every reply of a group."""
    rows = [row for row in replies.dev() if "group" in row.context]
    assert len(PARSERS) > 40
    for offset, (name, parser) in enumerate(PARSERS.items()):
        for labelled in rows[offset % 40 :: 40]:
            assert OFFERED[name.partition("-")[0]](parser(labelled.reply)), (name, labelled.reply[:200])


def _grows(parser, pattern, smaller, larger):
    whole = benchmark.seconds(parser, benchmark.reply_of(pattern, larger), repeats=1)
    if whole <= 0.1:
        return False
    return whole > 8 * benchmark.seconds(parser, benchmark.reply_of(pattern, smaller), repeats=1)


def _read_by(name):
    """What a benchmark's `parse` returns its `read` has read."""
    function = name.partition("-")[0]
    read = function.removesuffix("parse") + "read"
    return [read if function.endswith(".parser.parse") and read in ONE_OF_EACH else function]


@pytest.mark.slow
@pytest.mark.parametrize("name", sample([*reversed(ONE_OF_EACH.values())], _read_by))
def test_time_is_linear(name):
    """Four times the length takes about four times as long; 0.1 s are nothing to measure by.

    One set of further parameters is enough here; `benchmarks/parsing.py` measures all, with all patterns.
    In two ranges: what a parser reads of a long reply is cut to 8,000 characters, and below that length every
    pattern meets the whole of it. Quadratic cost is 16 times as much; exponential cost ends with the timeout.
    """
    for smaller, larger, patterns in (
        (2_000, 8_000, benchmark.HOSTILE),
        (62_500, 250_000, [("", unit, "") for unit in ("<answer>", "1-2 ", "\u2028", "A ")]),
    ):
        for pattern in patterns:
            # Once more where it seems so: another process may have had the processor's caches.
            assert not all(_grows(PARSERS[name], pattern, smaller, larger) for _ in range(2)), pattern
