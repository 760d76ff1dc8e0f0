"""What all doors had, in a table after the tests."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.frame import COUNTS, LONGEST, MEMORY, WAITED

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Workers of xdist inherit the name of the file."""
    if COUNTS not in os.environ:
        handle, os.environ[COUNTS] = tempfile.mkstemp(prefix="fuzz-counts-")
        os.close(handle)
        config.add_cleanup(_forget)


def _forget() -> None:
    Path(os.environ.pop(COUNTS)).unlink(missing_ok=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each door, and one for all of them."""
    counts = [json.loads(line) for line in Path(os.environ[COUNTS]).read_text().splitlines()]
    if not counts:
        return
    terminalreporter.section("doors")
    form = "{:<20}{:>8}  {:<24}{:>12}{:>12}"
    terminalreporter.write_line(form.format("door", "inputs", "broken by", "peak MiB", "slowest s"))
    kinds: dict[str, int] = {}
    for one in sorted(counts, key=lambda one: one["door"]):
        for kind, number in one["broken"].items():
            kinds[kind] = kinds.get(kind, 0) + number
        terminalreporter.write_line(_line(form, one["door"], one["inputs"], one["broken"], one["peak"], one["slowest"]))
    most, longest = max(one["peak"] for one in counts), max(one["slowest"] for one in counts)
    inputs = sum(one["inputs"] for one in counts)
    terminalreporter.write_line(_line(form, f"all {len(counts)}", inputs, kinds, most, longest))
    terminalreporter.write_line(f"allowed: {MEMORY >> 20} MiB, {LONGEST:g} s of CPU, {WAITED:g} s")


def _line(form: str, name: str, inputs: int, broken: dict[str, int], peak: int, slowest: float) -> str:
    broke = ", ".join(f"{number} {kind}" for kind, number in broken.items()) or "none"
    return form.format(name, f"{inputs:,}", broke, peak >> 20, f"{slowest:.1f}")
