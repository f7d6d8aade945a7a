"""What is the chat template's and what is the runner's, without a model."""

from types import SimpleNamespace

from jinja2 import TemplateError

from tempbench_lmms.check.inputs import Picture, Text
from tempbench_lmms.harness.watching.reading import Template, template_of, without_template

DEFAULT = "<s>system\nBe kind.<e>\n"


def rendered(messages, default="", media_first=False):
    out = "" if messages[0]["role"] == "system" else default
    for message in messages:
        parts = message["content"]
        parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
        words = "".join("<image>" if part["type"] == "image" else part["text"] for part in parts)
        gap = " " if media_first else "\n"
        out += f"<s>{message['role']}{gap}{words}<e>\n"
    return f"{out}<s>assistant\n"


def processor(**how):
    def apply_chat_template(messages, tokenize, add_generation_prompt):
        return rendered(messages, **how)

    return SimpleNamespace(
        apply_chat_template=apply_chat_template,
        tokenizer=SimpleNamespace(apply_chat_template=apply_chat_template),
    )


def parts(text, **how):
    return list(without_template([Text(text)], template_of(processor(**how))).parts)


def test_what_the_template_writes_is_not_told():
    assert parts("<s>user\nWhen?<e>\n<s>assistant\n") == [Text("When?")]
    assert parts(f"{DEFAULT}<s>user\nWhen?<e>\n<s>assistant\n", default=DEFAULT) == [Text("When?")]


def test_a_system_prompt_is_told_without_its_frame():
    told = parts("<s>system\nBe rude.<e>\n<s>user\nWhen?<e>\n<s>assistant\n")
    assert told == [Text("Be rude.", "system"), Text("When?")]
    told = parts("<s>system\nBe rude.<e>\n<s>user\nWhen?<e>\n<s>assistant\n", default=DEFAULT)
    assert told == [Text("Be rude.", "system"), Text("When?")]


def test_an_empty_system_prompt_is_none():
    assert parts("<s>system\n<e>\n<s>user\nWhen?<e>\n<s>assistant\n") == [Text("When?")]


def test_a_head_before_a_picture():
    pieces = [Text("<s>user "), Picture(None), Text("\nWhen?<e>\n<s>assistant\n")]
    template = template_of(processor(media_first=True))
    assert without_template(pieces, template).parts == (Text(""), Picture(None), Text("\nWhen?"))


def test_a_processor_without_a_template():
    def refuse(*args, **kwargs):
        raise TemplateError("no template")

    one = SimpleNamespace(apply_chat_template=refuse)
    assert template_of(SimpleNamespace(apply_chat_template=refuse, tokenizer=one)) == Template()
