"""The second reader: a model behind an OpenAI-compatible endpoint."""

from tempbench_lmms.data.redaction import hide, note, scrubbed
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError

MAX_TOKENS = 512
"""The token limit of an answer. A value needs ten; the rest is for models that reason first."""


class NoAnswerError(Exception):
    """A failed request; others may succeed."""


class Endpoint:
    """A model behind an OpenAI-compatible endpoint, asked at temperature 0.

    Requests to busy, failing and silent servers are repeated with growing delays, or after `Retry-After`.

    Args:
        model: The model's name there.
        base_url: Up to and including `/v1`.
        key: The key, which is only sent. Empty if none is needed.
        timeout: Seconds after which a request is sent again.
        retries: How often it is sent again.
    """

    def __init__(self, model: str, base_url: str, key: str, timeout: float = 60, retries: int = 5) -> None:
        import openai

        if not base_url.startswith(("http://", "https://")):
            raise TempbenchError(f"{base_url!r} is not an HTTP address; give one that ends in /v1")
        self.name = model
        note(f"api_key={key}", f"base_url={base_url}")
        self._client = openai.OpenAI(
            api_key=key or "none", base_url=base_url, timeout=timeout, max_retries=retries
        )

    def ask(self, text: str) -> str | None:
        """Returns the model's text; None if it refused. Several threads may ask at the same time."""
        import openai

        try:
            completion = self._client.chat.completions.create(
                model=self.name,
                messages=[{"role": "user", "content": text}],
                temperature=0,
                max_tokens=MAX_TOKENS,
            )
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise TempbenchError(
                f"the second reader refuses all requests ({_reason(error)}); check the address, the "
                "model's name and the key"
            ) from None
        except openai.APIStatusError as error:
            if error.code == "content_filter":
                return None
            raise NoAnswerError(_reason(error)) from None
        except (openai.OpenAIError, ValueError) as error:  # an answer that is not JSON is a ValueError
            raise NoAnswerError(_reason(error)) from None
        try:
            choice = completion.choices[0]
            message = choice.message
            text_of_it = message.content
            is_refused = bool(getattr(message, "refusal", None)) or choice.finish_reason == "content_filter"
        except (AttributeError, IndexError, TypeError):
            raise NoAnswerError("the answer is not a chat completion; does the address end in /v1?") from None
        return None if is_refused or text_of_it is None else hide(str(text_of_it))


def _reason(error: Exception) -> str:
    return one_line(scrubbed(str(error)))[:200]
