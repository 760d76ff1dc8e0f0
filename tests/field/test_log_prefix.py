"""Settings of ``log_line_prefix`` with commas, with and without being given."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

CASE = Path(__file__).parent / "log-prefix"


@pytest.mark.parametrize("flags", [(), ("--log-line-prefix", "%t [%p]: db=%d,user=%u,app=%a,client=%h ")])
def test_a_prefix_with_commas_is_no_csv(weigh: Weigh, flags: tuple[str, ...]) -> None:
    shutil.copy(CASE / "a.log", weigh.folder)
    run = weigh("capture", "a.log", "--out", "x", "--quiet", "--database", "shop", *flags)
    assert run.code == 0, run.err
    assert "2 calls" in run.out
    assert len(list((weigh.folder / "x" / "scripts").iterdir())) == 1


@pytest.mark.parametrize(("prefix", "head"), [
    ("%m,%p,%d,%u,", "2026-01-02 03:04:0{n}.000 UTC,101,shop,app,"),
    ("%m [%p],\"%d\",\"%a\",", "2026-01-02 03:04:0{n}.000 UTC [101],\"shop\",\"web, old\","),
    ("<%t %q%d|%u|%h>", "<2026-01-02 03:04:0{n} UTC shop|app|10.0.0.1>"),
    ("{{%n;%c;%d}} ", "{{179395920{n}.500;6a07.7;shop}} "),
])  # fmt: skip
def test_the_prefix_that_is_given_is_looked_at_first(weigh: Weigh, prefix: str, head: str) -> None:
    lines = [
        f"{head.format(n=n)}LOG:  duration: 1.0 ms  statement: select total from orders where id = {n}" for n in (5, 6)
    ]
    (weigh.folder / "log").write_text("\n".join(lines) + "\n")
    run = weigh(
        "capture", "log", "--out", "x", "--quiet", "--log-line-prefix", prefix.replace("{{", "{").replace("}}", "}")
    )
    assert run.code == 0, run.err
    assert "PostgreSQL's log: 2 calls" in run.out


def test_a_prefix_that_fits_no_line(weigh: Weigh) -> None:
    shutil.copy(CASE / "a.log", weigh.folder)
    run = weigh(
        "capture", "a.log", "--out", "x", "--quiet", "--format", "postgres-log", "--log-line-prefix", "%n <%p> "
    )
    assert run.code == 2
    assert "no line begins with this log_line_prefix" in run.err
    assert "show log_line_prefix" in run.err
