"""Events over an OpenAI-compatible server on this machine, and the filter by text models."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hf_datasets.tempvs import language
from hf_datasets.tempvs.language import Endpoint
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import prompts

from .build_helpers import Server, byte_tokenizer


def test_the_prompt_is_the_papers(shared: Path) -> None:
    paper = (shared / "papers" / "000_1f4afa32a1a354c5.txt").read_text()
    start = paper.index("Given a caption: [the original caption here].")
    printed = paper[start : paper.index("\n", start)].replace("’", "'")
    assert language.event_prompt("[the original caption here]") == printed


@pytest.mark.parametrize(
    ("reply", "event"),
    [
        ('"Fred ran."', "Fred ran."),
        (" 'Fred ran.'\n", "Fred ran."),
        ("Fred\n ran.", "Fred ran."),
        ("NO_EVENT", None),
        ("'NO_EVENT'.", None),
        ("No_Event", None),
        ("", None),
        ('""', None),
    ],
)
def test_reading_a_reply(reply: str, event: str | None) -> None:
    assert language.read_event(reply) == event


@pytest.mark.slow
def test_events(server: Server, tmp_path: Path) -> None:
    endpoint = Endpoint(server.url, "some-model", "TEST_KEY")
    captions = [f"Fred does {i}." for i in range(10)]
    found = language.events([*captions, "We see nothing.", captions[0]], endpoint, tmp_path / "r.jsonl")
    assert found == {caption: caption for caption in captions} | {"We see nothing.": None}
    # A repeated caption is asked about once, several at a time, but no more than eight.
    assert len(server.requests) == 11
    assert 1 < server.most_at_once <= 8
    assert server.keys == {"Bearer secret"}
    request = server.requests[0]
    assert (request["model"], request["max_tokens"], request["temperature"]) == ("some-model", 150, 0)
    # Everything is known now; another model is asked anew.
    assert language.events(captions, endpoint, tmp_path / "r.jsonl")[captions[3]] == captions[3]
    assert len(server.requests) == 11
    # A separator of lines inside a reply is no end of an entry.
    odd = "Fred\u2028sat\x85down."
    assert language.events([odd], endpoint, tmp_path / "r.jsonl") == {odd: "Fred sat down."}
    assert language.events([odd], endpoint, tmp_path / "r.jsonl") == {odd: "Fred sat down."}
    assert len(server.requests) == 12
    language.events(captions[:1], Endpoint(server.url, "other", "TEST_KEY"), tmp_path / "r.jsonl")
    assert len(server.requests) == 13
    assert "secret" not in (tmp_path / "r.jsonl").read_text()


def test_a_failed_request_loses_nothing(server: Server, tmp_path: Path) -> None:
    endpoint = Endpoint(server.url, "m", "TEST_KEY")
    captions = ["Fred ran.", "They refuse.", "Dino sat."]
    with pytest.raises(TempbenchError, match=r"1 of 3 requests failed .*status 400.*run the same"):
        language.events(captions, endpoint, tmp_path / "r.jsonl")
    # An interruption in the middle of a line.
    with (tmp_path / "r.jsonl").open("a") as stream:
        stream.write('{"key": "abc", "rep')
    server.refuse = False
    found = language.events(captions, endpoint, tmp_path / "r.jsonl")
    assert found["They refuse."] == "They refuse."
    assert len(server.requests) == 4


def test_the_key_is_asked_for_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(TempbenchError, match="OPENAI_API_KEY is not set"):
        language.events(["Fred ran."], Endpoint(), tmp_path / "r.jsonl")


def question(number: int, answer: str) -> dict[str, Any]:
    return {
        "tests": ["mt1_two"],
        "source": "vist",
        "character_info": "",
        "text": f"Statement {number}.",
        "options": ["True", "False"],
        "answer": answer,
        "instruction": "",
        "instruction_blind": "Decide.",
    }


def test_counting_the_models_that_need_no_images(tmp_path: Path) -> None:
    rows = [question(0, "A"), question(1, "B"), question(2, "A"), question(3, "B")]
    says = {"m1": "A", "m2": "Option A", "m3": "I cannot tell"}
    loaded: list[str] = []

    def load(name: str) -> Any:
        loaded.append(name)

        def replies(texts: Sequence[str]) -> Iterator[str]:
            assert texts[0] == prompts.build(rows[0], "blind")
            return (says[name] for _ in texts)

        return replies

    assert language.answered_blind(rows, list(says), tmp_path, load) == [2, 0, 2, 0]
    assert loaded == ["m1", "m2", "m3"]
    # Known replies load no model; one new question is asked alone.
    assert language.answered_blind(rows[::-1], list(says), tmp_path, load) == [0, 2, 0, 2]
    assert loaded == ["m1", "m2", "m3"]


@pytest.mark.slow
@pytest.mark.parametrize("chat", [False, True])
def test_a_text_model_answers_in_batches_as_alone(chat: bool, tmp_path: Path) -> None:
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    byte_tokenizer(tmp_path)
    torch.manual_seed(0)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=258,
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            bos_token_id=0,
            eos_token_id=1,
            initializer_range=0.3,
        )
    ).save_pretrained(tmp_path)
    if chat:
        tokenizer = AutoTokenizer.from_pretrained(tmp_path)
        tokenizer.chat_template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
        tokenizer.save_pretrained(tmp_path)
    texts = ["Is it?", "Is it so that Fred ran before Dino sat?", "No."]
    many = list(language.text_model(str(tmp_path), "cpu", 3, 5)(texts))
    assert many == list(language.text_model(str(tmp_path), "cpu", 1, 5)(texts))
    assert len(set(many)) > 1
    # Only what is new comes back.
    assert not any(text in reply for text, reply in zip(texts, many, strict=True))
