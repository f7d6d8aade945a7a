"""Reference sentences from a language model behind an OpenAI-compatible endpoint.

Source: the paper, section 3.1.1 and appendix A.1.3 (gemini-1.5-flash, temperature 0, 128 tokens); the prompt
is that of the official code.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tempbench_lmms.coherence.features import QA_SCHEMA
from tempbench_lmms.coherence.prompts import reference_request
from tempbench_lmms.data import roots, tables
from tempbench_lmms.errors import TempbenchError

_SAVE_EVERY = 100
_TRIES = 4
_TIMEOUT = 120
_MAX_ANSWER = 4_000_000


def ask(endpoint: str, model: str, key: str, text: str, pause: Callable[[float], None] = time.sleep) -> str:
    """Returns the endpoint's reply to one message.

    Args:
        endpoint: The URL before `/chat/completions`, e.g. http://localhost:8000/v1.
        model: The model's name there.
        key: Sent as a bearer token where it is not empty.
        text: The message.
        pause: Waits between tries.

    Raises:
        TempbenchError: There was no usable answer in four tries.
    """
    body = {
        "model": model,
        "messages": [{"role": "user", "content": text}],
        "temperature": 0,
        "max_tokens": 128,
    }
    request = urllib.request.Request(
        f"{endpoint.rstrip('/')}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})},
    )
    reason = ""
    for attempt in range(_TRIES):
        if attempt:
            pause(2**attempt)
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
                answer = json.loads(response.read(_MAX_ANSWER))
            sentence = " ".join(str(answer["choices"][0]["message"]["content"] or "").split())
            if sentence:
                return sentence
            reason = "an empty answer"
        except urllib.error.HTTPError as error:
            reason = f"status {error.code}"
            if error.code in (400, 401, 403, 404):
                break
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            reason = str(error) or repr(error)
    raise TempbenchError(
        f"{endpoint} gave no reference sentence ({reason}); check the endpoint, model and key"
    )


def build(
    root: Path,
    endpoint: str,
    model: str,
    key: str,
    workers: int = 8,
    track: Any = lambda things, **_: things,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Writes a reference sentence by `model` into every question that has none by it.

    What was obtained is saved every hundred questions, and when an error ends the work: a second run goes on.

    Returns:
        How many were written.

    Raises:
        TempbenchError: The endpoint failed.
    """
    table = root / "qa" / "test.parquet"
    rows = tables.read_rows(table)
    open_ = [row for row in rows if row["reference_source"] != model]
    written = 0

    def write(row: tables.Row) -> None:
        request = reference_request(row["question"], row["options"], row["answer"])
        sentence = ask(endpoint, model, key, request, pause)
        row["reference"], row["reference_source"] = sentence, model

    def save() -> None:
        tables.write_rows(rows, table, QA_SCHEMA)

    try:
        with ThreadPoolExecutor(workers) as pool:
            starts = track(range(0, len(open_), _SAVE_EVERY), description="reference sentences")
            for start in starts:
                batch = open_[start : start + _SAVE_EVERY]
                list(pool.map(write, batch))
                written += len(batch)
                save()
    finally:
        save()
        _tell_manifest(root, rows, table)
    return written


def _tell_manifest(root: Path, rows: list[tables.Row], table: Path) -> None:
    path = root / roots.MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8"))
    sources = [row["reference_source"] or "template" for row in rows]
    manifest["references"] = {source: sources.count(source) for source in sorted(set(sources))}
    if isinstance(manifest.get("sha256"), dict):
        manifest["sha256"]["qa"] = tables.sha256_of([table])
    tables.write_json(manifest, path)
