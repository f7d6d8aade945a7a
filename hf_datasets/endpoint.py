"""A language model behind an OpenAI-compatible endpoint."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from tempbench_lmms.errors import TempbenchError

_TRIES = 4
_TIMEOUT = 120.0
_MAX_ANSWER = 4_000_000


class Endpoint:
    """An OpenAI-compatible chat endpoint.

    Args:
        base_url: Up to and including `/v1`.
        model: The model's name there.
        key: The key, sent as a bearer token where it is not empty.
        pause: Waits between tries; `time.sleep` where omitted.
    """

    def __init__(
        self, base_url: str, model: str, key: str, pause: Callable[[float], None] | None = None
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise TempbenchError(f"{base_url!r} is not an HTTP address; give one that ends in /v1")
        self.url = base_url.rstrip("/") + "/chat/completions"
        self.model = model
        self._pause = pause or time.sleep
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def ask(self, content: Any, **settings: Any) -> str:
        """Returns the model's reply; busy and unreachable servers are asked again a few times.

        Args:
            content: Of the one message: a text, or parts with pictures.
            settings: Of the generation, beside a temperature of 0.
        """
        body = {"model": self.model, "messages": [{"role": "user", "content": content}], "temperature": 0}
        request = urllib.request.Request(self.url, json.dumps(body | settings).encode(), self._headers)
        reason = ""
        for attempt in range(_TRIES):
            if attempt:
                self._pause(2**attempt)
            try:
                with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
                    answer = json.loads(response.read(_MAX_ANSWER))
                return str(answer["choices"][0]["message"]["content"] or "")
            except urllib.error.HTTPError as error:
                reason = f"status {error.code}"
                if error.code not in (408, 409, 429) and error.code < 500:
                    break
            except OSError as error:
                reason = str(getattr(error, "reason", error))
            except (KeyError, IndexError, TypeError, ValueError):
                reason = "the reply is not a chat completion"
        raise TempbenchError(
            f"{self.url} does not answer ({reason}); check the address, the model's name and the key"
        )
