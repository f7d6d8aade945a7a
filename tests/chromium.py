"""A headless Chromium, driven over its debugging pipe: no port, no driver, no network."""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-pipe",
)


_AXE = Path(__file__).parent / "axe" / "axe.min.js"
"""axe-core 4.14.1 as published on npm; its licence stands beside it."""

_VIOLATIONS = """axe.run({resultTypes: ["violations"]}).then((found) => found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .flatMap((one) => one.nodes.map((node) =>
        `${one.id}: ${node.html.slice(0, 200)}: ${node.failureSummary.slice(0, 300)}`)))"""


OUTSIDE = """[...document.querySelectorAll("figure")].flatMap((card) => {
    const box = card.getBoundingClientRect();
    return [...card.querySelectorAll("figcaption, li, td, th, svg, img")]
        .filter((one) => one.checkVisibility())
        .map((one) => [one, one.getBoundingClientRect()])
        .filter(([, own]) => own.width && (own.left < box.left - 1 || own.right > box.right + 1 ||
            own.bottom > box.bottom + 1))
        .map(([one]) => card.textContent.slice(0, 40) + ": " + one.tagName + " " + one.textContent);
})"""
"""What sticks out of its card."""


class Chromium:
    """One page of a browser, to be used as a context."""

    def __init__(self) -> None:
        program = (
            shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        )
        if program is None:
            pytest.skip("no Chromium on this machine; install the package chromium")
        self._folder = tempfile.TemporaryDirectory(prefix="chromium", ignore_cleanup_errors=True)
        to_child, self._write = os.pipe()
        self._read, from_child = os.pipe()
        # The browser reads commands from 3 and answers on 4; so both ends are kept out of their way.
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20) for fd in (to_child, from_child)]

        def place() -> None:
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=place,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in (to_child, from_child, *ends):
            os.close(fd)
        self._buffer = b""
        self._last = 0
        self._session = None
        self._looked_at: str | None = None
        self.complaints: list[str] = []
        """Errors and warnings of the console, uncaught exceptions, refused requests."""
        self.requests: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *args: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._write)
        os.close(self._read)
        self._folder.cleanup()

    def _message(self) -> dict:
        while b"\0" not in self._buffer:
            block = os.read(self._read, 1 << 16)
            if not block:
                raise RuntimeError("Chromium has ended")
            self._buffer += block
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, message: dict) -> None:
        kind, about = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.complaints.append(str(about["exceptionDetails"]))
        elif kind == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(about["args"]))
        elif kind == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.complaints.append(about["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])

    def _call(self, method: str, **parameters: object) -> dict:
        self._last += 1
        command = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._write, json.dumps(command).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def open(self, url: str, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        """Opens a page and waits until it is loaded; forgets what was noted before."""
        self.complaints.clear()
        self.requests.clear()
        self._looked_at = None
        self.resize(width, height)
        self.paint(scheme)
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=url)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.value("location.href !== 'about:blank' && document.readyState === 'complete'"):
                return
            time.sleep(0.05)
        raise RuntimeError(f"{url} is not loaded after a minute")

    def look(self, url: str, width: int = 1280, scheme: str = "light") -> None:
        """Opens a page as `open` does, or resizes the one that a test which changes nothing has opened."""
        if self._looked_at == url:
            self.resize(width)
            self.paint(scheme)
        else:
            self.open(url, width, scheme=scheme)
            self._looked_at = url

    def resize(self, width: int, height: int = 900) -> None:
        """Makes the window this large, in pixels."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def paint(self, scheme: str) -> None:
        """Has the page drawn `light` or `dark`."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, expression: str) -> object:
        """Returns what an expression of JavaScript gives."""
        done = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(str(done["exceptionDetails"]))
        return done["result"].get("value")

    def violations(self) -> list[str]:
        """Returns what axe-core finds in the page that is serious or critical: rule, element and reason."""
        if not self.value("typeof axe === 'object'"):
            self.value(_AXE.read_text(encoding="utf-8"))
        found = self._call("Runtime.evaluate", expression=_VIOLATIONS, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return list(found["result"]["value"])

    def press(self, key: str) -> None:
        """Presses a key."""
        text = {"text": key} if len(key) == 1 else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", key=key)
