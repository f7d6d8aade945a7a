"""A second reader on this machine: a language model of `transformers`."""

from typing import Any

from tempbench_lmms.errors import TempbenchError

_NEW_TOKENS = 128


class LocalReader:
    """A language model, or one with vision, that is given text alone and decoded greedily.

    Args:
        path: A folder with a saved model, or a name on the Hub.

    Raises:
        TempbenchError: There is no such model.
    """

    def __init__(self, path: str) -> None:
        import torch
        from transformers import AutoTokenizer

        try:
            self._tokenizer = AutoTokenizer.from_pretrained(path)
            model = _model(path)
        except (OSError, ValueError, KeyError) as error:
            raise TempbenchError(
                f"no model can be loaded from {path} ({' '.join(str(error).split())[:200]}); give a folder "
                "with one, or --base-url for an endpoint"
            ) from None
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model = model.to(self._device).eval()

    def ask(self, text: str) -> str:
        """Returns what the model writes."""
        import torch

        inputs = self._encoded(text)
        n = inputs["input_ids"].shape[1]
        with torch.inference_mode():
            out = self._model.generate(
                **inputs,
                max_new_tokens=_NEW_TOKENS,
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
            )
        return str(self._tokenizer.decode(out[0][n:], skip_special_tokens=True))

    def _encoded(self, text: str) -> Any:
        if self._tokenizer.chat_template:
            messages = [{"role": "user", "content": text}]
            text = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        # A chat template writes the signs at the beginning itself.
        special = not self._tokenizer.chat_template
        encoded = self._tokenizer(text, return_tensors="pt", add_special_tokens=special)
        names = ("input_ids", "attention_mask")
        return {name: encoded[name].to(self._device) for name in names}


def _model(path: str) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

    try:
        return AutoModelForCausalLM.from_pretrained(path, torch_dtype="auto")
    except ValueError:  # one with vision
        return AutoModelForImageTextToText.from_pretrained(path, torch_dtype="auto")
