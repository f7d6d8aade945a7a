"""A memory of what was found of media, for tests that are about something else than looking at them."""

import functools
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tempbench_lmms.errors import MediaError
from tempbench_lmms.media import sandbox

_found: dict[str, dict | MediaError] = {}


@pytest.fixture(scope="module", autouse=True)
def looked_at_once() -> Iterator[None]:
    """Of a file of the same bytes and name, this test process is told what it was told before.

    Imported into a test file, or into the `conftest.py` of a folder, it serves all tests there.
    """
    ask = sandbox.Inspector.ask

    @functools.wraps(ask)
    def remembered(self: sandbox.Inspector, path: Path, **request: object) -> dict:
        # What is cut is written, too. Of a name that no file can have, `Path.is_file` raises.
        if request["kind"] == "cut" or not os.path.isfile(path):
            return ask(self, path, **request)
        key = f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.name} {json.dumps(request)}"
        if key not in _found:
            try:
                _found[key] = ask(self, path, **request)
            except MediaError as error:
                _found[key] = error
        found = _found[key]
        if isinstance(found, MediaError):
            raise MediaError(str(found), found.reason)
        return dict(found)

    with mock.patch.object(sandbox.Inspector, "ask", remembered):
        yield
