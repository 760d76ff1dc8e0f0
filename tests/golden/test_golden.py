"""Every command of the list prints what is kept, to the byte; `make golden` keeps what it prints now."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from golden.cases import CASES, Case
from golden.in_process import weigh
from support.html_pages import assert_sound

if TYPE_CHECKING:
    from golden.in_process import Shown
    from golden.kept import Kept

EXPECTED = Path(__file__).parent / "expected"
REMEDY = "if that is meant: `make golden`, and read its diff before you commit it"
_LINES, _WIDTH = 200, 300
_LONG = re.compile(r"\d+\.\d{13,}(e-?\d+)?")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_printed_is_what_is_kept(case: Case, kept: Kept, update: bool) -> None:
    shown = weigh([kept.path(word[1:-1]) if word.startswith("{") else word for word in case.words], kept.folder)
    assert "internal error" not in shown.err
    if case.name.startswith("mistakes/"):
        _assert_refused(shown)
    text = _page(shown) if case.page else shown.snapshot
    path = EXPECTED / case.file
    before = path.read_bytes().decode() if path.exists() else ""
    if update and _rounded(text) != _rounded(before):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    elif _rounded(text) != _rounded(before):
        pytest.fail(_difference(before, text, case.file), pytrace=False)


def test_nothing_is_kept_that_no_command_prints(update: bool) -> None:
    assert len({case.file for case in CASES}) == len(CASES)
    left = {str(path.relative_to(EXPECTED)) for path in EXPECTED.rglob("*") if path.is_file()}
    stray = sorted(left - {case.file for case in CASES})
    if update:
        for name in stray:
            (EXPECTED / name).unlink()
    else:
        assert not stray, f"no command prints {', '.join(stray)}; {REMEDY}"


def _rounded(text: str) -> str:
    """With numbers to 13 digits: the last ones of a logarithm depend on the processor."""
    return _LONG.sub(lambda found: f"{float(found[0]):.13g}", text)


def _page(shown: Shown) -> str:
    # A comparison in which something is slower, or refused, has its code whatever its form.
    codes = (0, 1, 3) if shown.words[0] in ("compare", "judge") else (0,)
    assert shown.code in codes
    assert shown.err == ""
    assert_sound(shown.out)
    return shown.out


def _assert_refused(shown: Shown) -> None:
    """One sentence that says what is wrong, and a remedy."""
    assert (shown.code, shown.out) == (2, "")
    first, *more = shown.err.splitlines()
    assert first.startswith("error: ")
    assert more
    assert not any(line.startswith("error: ") for line in more)


def _difference(before: str, after: str, name: str) -> str:
    if name.endswith(".html"):
        # A line for every tag: a plot is one line of thousands of characters.
        before, after = before.replace("<", "\n<"), after.replace("<", "\n<")
    there = f"tests/golden/expected/{name}"
    lines = [
        line[:_WIDTH] + " ..." * (len(line) > _WIDTH)
        for line in difflib.unified_diff(before.splitlines(), after.splitlines(), there, "what is printed", lineterm="")
    ]
    more = [f"... and {len(lines) - _LINES} lines more"] if len(lines) > _LINES else []
    # Equal lines can differ in what ends them.
    return "\n".join([*(lines[:_LINES] or [f"{there} differs in the ends of its lines"]), *more, "", REMEDY])
