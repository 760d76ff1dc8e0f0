"""docs/guide/python.md: its code runs, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pytest

    from support.command import Run

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "python.md"
_BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text(?P<kind>.*?)\n(?P<out>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A piece of code; ``out`` is what it prints, None where the page does not say or it depends on the machine."""

    line: int
    code: str
    out: str | None


def blocks(page: str) -> list[Block]:
    return [
        Block(
            line=page[: found.start()].count("\n") + 2,
            code=found["code"],
            out=found["out"] if found["kind"] == "" else None,
        )
        for found in _BLOCK.finditer(page)
    ]


def execute(block: Block, names: dict[str, Any]) -> str:
    """What it prints. Errors name the line of the page."""
    code = compile("\n" * (block.line - 1) + block.code, str(PAGE), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, names)
    return out.getvalue()


def test_every_block_of_the_page_runs_and_prints_what_it_says(small: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = blocks(PAGE.read_text())
    assert len(found) == PAGE.read_text().count("```python")
    monkeypatch.chdir(small.folder)
    names: dict[str, Any] = {"__name__": "page"}
    compared = 0
    for block in found:
        printed = execute(block, names)
        if block.out is not None:
            assert printed == block.out, f"line {block.line}"
            compared += 1
    assert compared >= 8
