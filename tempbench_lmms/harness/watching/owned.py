"""What a runner has: its processor, model or engine, under whatever names."""

from collections.abc import Callable, Iterator
from typing import Any

_FIRST = ("processor", "_image_processor", "_processor", "image_processor", "model", "_model", "client")
_WITHOUT = {"builtins", "torch", "accelerate", "transformers"}
"""Packages whose objects hold no processor, model or engine of their own."""


def owned(lm: Any, wanted: Callable[[Any], bool]) -> Any:
    """Returns the first thing of a runner, or of what it has, that is wanted; None for none."""
    return next(filter(wanted, _things(lm)), None)


def _things(lm: Any) -> Iterator[Any]:
    for name in _FIRST:
        if (found := getattr(lm, name, None)) is not None:
            yield found
    values = list(getattr(lm, "__dict__", {}).values())
    yield from values
    for value in values:
        if type(value).__module__.partition(".")[0] not in _WITHOUT:
            yield from getattr(value, "__dict__", {}).values()


def processor_of(lm: Any) -> Any:
    """Returns a runner's processor of text and pictures."""
    return owned(lm, lambda one: hasattr(one, "tokenizer") and hasattr(one, "image_processor"))


def model_of(lm: Any) -> Any:
    """Returns a runner's model that generates."""
    return owned(lm, lambda one: callable(getattr(one, "generate", None)) and hasattr(one, "config"))


def engine_of(lm: Any) -> Any:
    """Returns a runner's engine of vLLM."""
    return owned(
        lm, lambda one: callable(getattr(one, "chat", None)) and type(one).__module__.startswith("vllm")
    )
