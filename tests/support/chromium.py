"""A headless Chromium over its debugging pipe: no driver, no port, nothing alongside the standard library."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)  # fmt: skip
_WIRE = "import os, sys; a, b, *c = sys.argv[1:]; os.dup2(int(a), 3); os.dup2(int(b), 4); os.execvp(c[0], c)"
"""Chromium reads commands from descriptor 3 and writes answers to 4."""
_PATIENCE = 60.0
"""Seconds for one answer of the browser."""


def installed() -> str | None:
    """The browser's command."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """One tab, and everything that it reported.

    Attributes:
        events: (method, parameters) in order.
    """

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="weigh-chromium-", ignore_cleanup_errors=True)
        commands, self._commands = (_high(end) for end in os.pipe())
        self._answers, answers = (_high(end) for end in os.pipe())

        command = installed()
        assert command, "there is no Chromium: make test-browser installs it"
        wired = [sys.executable, "-c", _WIRE, str(commands), str(answers)]
        self._process = subprocess.Popen(
            [*wired, command, *_FLAGS, f"--user-data-dir={self._profile.name}"],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[tuple[str, dict[str, Any]]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(30)
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + _PATIENCE
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            chunk = os.read(self._answers, 1 << 20)
            assert chunk, "the browser is gone"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append((message["method"], message["params"]))
        return message

    def open(self, path: Path, width: int = 1280, height: int = 900, *, dark: bool = False, media: str = "") -> None:
        """Show a file, and wait until it is loaded."""
        self.visit(path.resolve().as_uri(), width, height, dark=dark, media=media)

    def visit(self, url: str, width: int = 1280, height: int = 900, *, dark: bool = False, media: str = "") -> None:
        """Show what is at an address, and wait until it is loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + _PATIENCE
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            self._read(deadline)

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until a JavaScript expression is true in the page."""
        deadline = time.monotonic() + _PATIENCE
        while not self.run(script):
            assert time.monotonic() < deadline, f"it never came: {script}"
            time.sleep(0.05)

    def screenshot(self, to: Path | None = None, clip: tuple[float, float, float, float] | None = None) -> bytes:
        """A PNG of the page: the window, or the part of it at (x, y, width, height)."""
        extra: dict[str, Any] = {}
        if clip:
            names = ("x", "y", "width", "height")
            extra = {"clip": {**dict(zip(names, clip, strict=True)), "scale": 1}, "captureBeyondViewport": True}
        image = base64.b64decode(self.call("Page.captureScreenshot", format="png", **extra)["data"])
        if to:
            to.write_bytes(image)
        return image

    def pdf(self) -> bytes:
        """The page as it would be printed."""
        made = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(made["data"])


def _high(descriptor: int) -> int:
    """The descriptor under a number that 3 and 4 cannot overwrite."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved
