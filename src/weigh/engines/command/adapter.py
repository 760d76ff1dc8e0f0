"""A command, executed without a shell. Runs in the worker."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from weigh_worker import Adapter, Failed, Unsupported

COMMAND, FOLDER = "weigh.command", "weigh.folder"
_PRINTED = 400
"""Characters of what a command that failed printed at its end."""
_OURS = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")


class Engine(Adapter):
    """The processes of one command, one after another."""

    elsewhere = True

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.words = shlex.split(str(settings[COMMAND]))
        program = self.words[0] if self.words else ""
        if not shutil.which(str(Path(settings[FOLDER]) / program) if "/" in program else program):
            raise Unsupported(f"there is no program '{program}' that may be executed")
        self.environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        self.output = ""
        self.printed = b""
        self.kills = 0

    def version(self) -> str:
        """A command has none that all of them would print in the same way."""
        return "of a command"

    def settings(self) -> dict[str, dict[str, Any]]:
        """What is executed, and where."""
        return {name: {"value": self.wanted[name], "default": None} for name in (COMMAND, FOLDER)}

    def bind(self, tables: dict[str, list[str]]) -> None:
        """It reads what it likes."""

    def prepare(self, sql: str) -> None:
        """What of its output is the answer."""
        self.output = sql
        self.kills = _oom_kills()

    def run(self) -> int:
        """One process, from its start until it has ended and all that it printed is here."""
        wanted = subprocess.DEVNULL if self.output == "none" else subprocess.PIPE
        process = subprocess.run(
            self.words,
            cwd=str(self.wanted[FOLDER]),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=wanted,
            stderr=subprocess.PIPE,
            check=False,
        )
        if process.returncode:
            code = process.returncode
            printed = process.stderr.decode(errors="replace").strip()[-_PRINTED:]
            if code == -signal.SIGKILL and _oom_kills() > self.kills:
                raise MemoryError("the kernel ended it, when the memory that it may use was full")
            raise Failed(f"{f'exit code {code}' if code > 0 else f'signal {-code}'}{': ' if printed else ''}{printed}")
        self.printed = process.stdout or b""
        whole = self.printed.count(b"\n") + (self.printed[-1:] not in (b"", b"\n"))
        return whole if self.output in ("exact", "lines") else 1

    def answer(self) -> memoryview:
        """Lines with their numbers."""
        lines = parts(self.printed, self.output)
        number = pa.array(range(1, len(lines) + 1), pa.int64())
        table = pa.table({"number": number, "line": pa.array(lines, pa.string())})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return memoryview(sink.getvalue())

    def release(self) -> None:
        """Drop what was printed."""
        self.printed = b""

    def close(self) -> None:
        """Nothing runs between two executions."""


def _oom_kills() -> int:
    """Processes of this machine that the kernel has ended for want of memory."""
    found = re.search(r"^oom_kill (\d+)", Path("/proc/vmstat").read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


def parts(printed: bytes, output: str) -> list[str]:
    """What of an output is compared, one after another.

    Args:
        printed: the output.
        output: ``exact``, lines with their ends; ``lines`` in any order; ``json``, a document by its values; ``none``.

    Raises:
        ValueError: it is no JSON, and is compared as such.
    """
    if output == "none":
        return ["it ended with exit code 0"]
    if output == "json":
        return [json.dumps(json.loads(printed, parse_float=_number), sort_keys=True)]
    *lines, last = printed.split(b"\n")
    if output == "exact":
        return [_text(line) for line in (*(line + b"\n" for line in lines), *([last] if last else []))]
    return [_text(line) for line in sorted(line.rstrip() for line in (*lines, *([last] if last else [])))]


def _number(text: str) -> float | int:
    """A number of JSON: 2.0 and 2e0 are 2."""
    number = float(text)
    return int(Decimal(text)) if number.is_integer() else number


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return repr(line)
