"""Language models in the making of TempVS: events from captions, and answers to questions without images.

Replies are kept by content in JSONL files of the work folder, so none is asked for, or paid for, twice.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import official, prompts

from .. import endpoint as endpoints
from ..endpoint import Kept
from .encoders import device_of, fingerprint, progress

OPENAI_URL = "https://api.openai.com/v1"

# Appendix A.3. The official script's own wording differs in little: "text" for "caption", "1." for "(1)".
_EVENT_PROMPT = (
    "Given a caption: {caption} Extract a single, concise and clear event sentence from the provided "
    "caption. Ensure the returned sentence satisfies the following criteria: (1) The sentence should contain "
    'the event itself without phrases such as "the event is" or "event:". (2) If there are multiple events, '
    "extract only a single major event. (3) The sentence must contain only one clause with only one verb. "
    "(4) The event should be expressed in simple past tense. (5) If no event is detected, return 'NO_EVENT'."
)
_EVENT_TOKENS = 150
_REQUESTS = 8  # under way at a time
_NO_EVENT = re.compile("no_event", re.IGNORECASE)


def _key(model: str, prompt: str) -> str:
    return hashlib.sha256(f"{model}\0{prompt}".encode()).hexdigest()


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible server."""

    url: str = OPENAI_URL
    model: str = "gpt-4"
    key_variable: str = "OPENAI_API_KEY"


def event_prompt(caption: str) -> str:
    """Returns the paper's prompt for one caption."""
    closed = caption.strip()
    return _EVENT_PROMPT.format(caption=closed if closed.endswith((".", "!", "?")) else f"{closed}.")


def read_event(reply: str) -> str | None:
    """Returns the event in a reply; None where the model found none."""
    event = " ".join(reply.split()).strip("\"'").strip()
    return None if not event or _NO_EVENT.search(event) else event


def events(captions: Sequence[str], endpoint: Endpoint, path: Path) -> dict[str, str | None]:
    """Extracts the event of each caption.

    Returns:
        The event of each caption, or None.
    """
    known = Kept(path)
    asked = {_key(endpoint.model, event_prompt(caption)): caption for caption in captions}
    missing = [(key, event_prompt(caption)) for key, caption in asked.items() if key not in known.values]
    if missing:
        _ask(missing, endpoint, known)
    return {caption: read_event(known.values[key]) for key, caption in asked.items()}


def _ask(missing: Sequence[tuple[str, str]], endpoint: Endpoint, known: Kept) -> None:
    key = os.environ.get(endpoint.key_variable, "")
    if not key and endpoint.url == OPENAI_URL:
        raise TempbenchError(
            f"{len(missing)} captions must be sent to {endpoint.url}, but {endpoint.key_variable} is not "
            "set; put the API key there, or name another server with --endpoint"
        )
    server = endpoints.Endpoint(endpoint.url, endpoint.model, key)

    def ask(item: tuple[str, str]) -> str | None:
        try:
            known.add(item[0], server.ask(item[1], max_tokens=_EVENT_TOKENS))
        except TempbenchError as error:
            return str(error)
        return None

    with ThreadPoolExecutor(max_workers=_REQUESTS) as pool:
        failures = [
            error for error in progress(pool.map(ask, missing), len(missing), "extracting events") if error
        ]
    if failures:
        raise TempbenchError(
            f"{len(failures)} of {len(missing)} requests failed ({failures[0]}); the others are kept: run "
            "the same command again"
        )


def answered_blind(
    rows: Sequence[dict[str, Any]],
    models: Sequence[str],
    folder: Path,
    load: Callable[[str], Callable[[Sequence[str]], Iterator[str]]],
) -> list[int]:
    """Counts how many text models answer each question right without seeing the images.

    Args:
        rows: Questions of MT1 and MT2.
        models: Their names; loaded one after the other, and only if it has questions left.
        folder: Of the replies so far.
        load: Returns for a name the function that answers prompts one after the other.

    Returns:
        One count a row. A reply is read as the official scorer reads it.
    """
    asked = [prompts.build(row, "blind") for row in rows]
    right = [0] * len(rows)
    for model in models:
        known = Kept(folder / f"{fingerprint(model)}.jsonl")
        missing = [text for text in dict.fromkeys(asked) if _key(model, text) not in known.values]
        if missing:
            replies = load(model)(missing)
            for text, reply in progress(zip(missing, replies, strict=True), len(missing), model):
                known.add(_key(model, text), reply)
        for i, (row, text) in enumerate(zip(rows, asked, strict=True)):
            kind = prompts.kind_of(row["tests"][0])
            right[i] += official.parse_official(known.values[_key(model, text)], kind) == row["answer"]
    return right


def text_model(name: str, device: str, batch: int, tokens: int) -> Callable[[Sequence[str]], Iterator[str]]:
    """Loads a language model and returns the function that answers prompts greedily, in their order.

    A model with a chat template gets the prompt as the user's turn, another one (the paper's Llama-3.1-8B is
    a base model) gets the plain text.

    Args:
        name: A checkpoint on the Hub, or a local folder.
        device: Of torch; "auto" spreads the model over all GPUs where there are any.
        batch: Prompts at a time.
        tokens: Most new tokens of a reply.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left")
        spread = {"device_map": "auto"} if device == "auto" and torch.cuda.is_available() else {}
        model = AutoModelForCausalLM.from_pretrained(name, torch_dtype="auto", **spread).eval()
    except (OSError, ValueError, ImportError) as error:
        raise TempbenchError(
            f"{name} cannot be loaded ({str(error).splitlines()[0]}); give --blind-model the name of a "
            "checkpoint on the Hugging Face Hub, or a local folder"
        ) from None
    if not spread:
        model = model.to(device_of(device))
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token

    def turned(text: str) -> str:
        if tokenizer.chat_template is None:
            return text
        turn = [{"role": "user", "content": text}]
        return str(tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))

    def replies(texts: Sequence[str]) -> Iterator[str]:
        chat = tokenizer.chat_template is not None
        for start in range(0, len(texts), batch):
            part = [turned(text) for text in texts[start : start + batch]]
            # A chat template has written the special tokens already.
            inputs = tokenizer(part, padding=True, add_special_tokens=not chat, return_tensors="pt")
            inputs = {key: inputs[key].to(model.device) for key in ("input_ids", "attention_mask")}
            with torch.no_grad():
                made = model.generate(
                    **inputs, max_new_tokens=tokens, do_sample=False, pad_token_id=tokenizer.pad_token_id
                )
            new = made[:, inputs["input_ids"].shape[1] :]
            yield from tokenizer.batch_decode(new, skip_special_tokens=True)

    return replies
