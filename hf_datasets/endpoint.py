"""A language model behind an OpenAI-compatible endpoint, and a file that keeps what it was paid for."""

import json
import threading
from pathlib import Path
from typing import Any

from tempbench_lmms.data import tables
from tempbench_lmms.errors import TempbenchError

_RETRIES = 3
_TIMEOUT = 120.0


class Endpoint:
    """An OpenAI-compatible chat endpoint.

    Args:
        base_url: Up to and including `/v1`.
        model: The model's name there.
        key: The key, sent as a bearer token; "" where a server of one's own wants none.
    """

    def __init__(self, base_url: str, model: str, key: str) -> None:
        from openai import OpenAI

        if not base_url.startswith(("http://", "https://")):
            raise TempbenchError(f"{base_url!r} is not an HTTP address; give one that ends in /v1")
        self.url, self.model = base_url.rstrip("/"), model
        key = key or "none"  # the client does not go without
        self._client = OpenAI(base_url=self.url, api_key=key, max_retries=_RETRIES, timeout=_TIMEOUT)

    def ask(self, content: Any, **settings: Any) -> str:
        """Returns the model's reply; busy and unreachable servers are asked again a few times."""
        from openai import APIStatusError, OpenAIError

        messages: Any = [{"role": "user", "content": content}]
        try:
            answer = self._client.chat.completions.create(
                model=self.model, messages=messages, temperature=0, **settings
            )
            return str(answer.choices[0].message.content or "")
        except APIStatusError as error:  # not in the server's words, which may repeat the key
            reason = f"status {error.status_code}"
        except OpenAIError as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        except (AttributeError, IndexError, TypeError, ValueError):
            reason = "the reply is not a chat completion"
        raise TempbenchError(
            f"{self.url} does not answer ({reason}); check the address, the model's name and the key"
        )


class Kept:
    """Values by key, in a JSONL file that only grows. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values: dict[str, Any] = {}
        self._lock = threading.Lock()
        for line in tables.drop_torn_line(path).split(b"\n")[:-1]:
            entry = json.loads(line)
            self.values[entry["key"]] = entry["reply"]

    def add(self, key: str, value: Any) -> None:
        """Keeps a value."""
        line = json.dumps({"key": key, "reply": value})
        with self._lock:
            tables.append(self.path, f"{line}\n")
            self.values[key] = value
