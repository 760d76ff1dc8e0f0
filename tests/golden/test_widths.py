"""Terminal reports fit 80 columns, and at 60 they keep operation, contender and verdict."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from golden.cases import CASES, Case
from golden.in_process import weigh

if TYPE_CHECKING:
    from golden.kept import Kept

_REPORTS = ("report", "compare", "judge")
_LISTS = ("engines", "workloads", "lies")
TEXTS = [
    case
    for case in CASES
    if {*case.words[:1]} & {*_REPORTS, *_LISTS} and not {"--json", "--html", "--markdown"} & {*case.words}
]
CONTENDERS = {
    "report/agreed-verbose": "duckdb@",
    "report/run-text": "sqlite",
    "compare/slower-text": "candidate",
    "judge/hyperfine-text": "new",
    "report/ladder-text": "duckdb@2.0.0?threads=2",
    "report/servers-text": "new",
}
_RULE = "\u2500"


def shown(case: Case, kept: Kept, columns: str) -> str:
    words = [kept.path(word[1:-1]) if word.startswith("{") else word for word in case.words]
    return weigh(words, kept.folder, columns).out


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_nothing_is_wider_than_the_terminal(case: Case, kept: Kept, width: int) -> None:
    lines = shown(case, kept, str(width)).splitlines()
    continued = {line for before, line in pairwise(lines) if before.endswith("\\")}
    wide = [line for line in lines if len(line.rstrip()) > width and line not in continued]
    # A command or a path has to be copied in one piece.
    assert not [line for line in wide if max(map(len, line.split())) < width // 2 and "weigh " not in line]


@pytest.mark.parametrize("name", CONTENDERS)
def test_a_narrow_table_keeps_what_must_be_read(kept: Kept, name: str) -> None:
    (case,) = [one for one in TEXTS if one.name == name]
    usual, narrow = shown(case, kept, "118"), shown(case, kept, "60")
    for verdict in ("SLOWER", "FASTER", "SAME", "UNRESOLVED", "REFUSED", "DIVERGED", "same within", "open"):
        assert (verdict in usual) == (verdict in narrow), verdict
    assert CONTENDERS[name] in narrow
    if "(no room for " in narrow:
        assert "a wider terminal, or --json" in " ".join(narrow.split())
    assert "(no room for " not in usual
