"""Logs and options that no server and no user meant: an error that says what, or broken lines that are counted."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

CASE = Path(__file__).parent / "capture-crashes"
# fmt: off
COMMANDS = {
    "001-1.csv": ("--encoding", "hex"), "002-1.json": ("--encoding", "hex"), "003-1.log": ("--encoding", "punycode"),
    "004-1.csv": ("--log-line-prefix", "%t"), "005-1.json": ("--obfuscate", "--encoding", "rot13"), "006-1.json": (),
    "007-1.csv": (), "008-1.csv": ("--encoding", "punycode"), "009-1.csv": ("--log-line-prefix", "%z"),
    "009-2.csv": ("--encoding", "rot13", "--log-line-prefix", "%m [%p"),
    "010-1.csv": ("--encoding", "utf-16", "--log-line-prefix", ""),
}
# fmt: on
READ = ("004-1.csv", "006-1.json")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_log_breaks_a_capture(weigh: Weigh, name: str) -> None:
    shutil.copy(CASE / name, weigh.folder)
    run = weigh("capture", name, "--out", "out", "--quiet", *COMMANDS[name])
    assert "internal error" not in run.err
    assert run.code == (0 if name in READ else 2), run.err
    if name in READ:
        # What cannot be read is counted.
        assert "not in the form of the source" in run.out
    if "--encoding" in COMMANDS[name]:
        assert "is no encoding of text" in run.err
        assert "utf-8" in run.err


@pytest.mark.parametrize("name", ["undefined", "idna", "utf-32", "cp037", "unicode_escape", "base64", "no such"])
def test_encodings_that_are_none_of_text(weigh: Weigh, name: str) -> None:
    shutil.copy(CASE / "003-1.log", weigh.folder)
    run = weigh("capture", "003-1.log", "--out", "out", "--quiet", "--encoding", name)
    assert run.code == 2
    assert "encoding" in run.err
    assert "utf-8" in run.err


@pytest.mark.parametrize("line", [
    "2026-01-02 03:04:05.000 UTC [1] LOG:  duration: 1.2.3 ms  statement: SELECT 1",
    "2026-01-02 03:04:05.000 UTC [1] LOG:  duration: 99999999999999999999999.0 ms  statement: SELECT 1",
    "2026-13-42 03:04:05.000 UTC [1] LOG:  duration: 1.0 ms  statement: SELECT 1",
    f"2026-01-02 03:04:05.000 UTC [1] LOG:  duration: 1.0 ms  statement: SELECT ${'9' * 5000}",
])  # fmt: skip
def test_numbers_that_are_none(weigh: Weigh, line: str) -> None:
    good = "2026-01-02 03:04:06.000 UTC [1] LOG:  duration: 1.0 ms  statement: SELECT 2\n"
    (weigh.folder / "log").write_text(f"{good}{line}\n{good}")
    run = weigh("capture", "log", "--out", "out", "--quiet")
    assert run.code == 0, run.err
    assert (
        "not in the form of the source" in run.out or "SELECT $" in (weigh.folder / "out" / "capture.json").read_text()
    )
