"""Heads of slow logs as servers of many ages write them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

CASE = Path(__file__).parent / "slow-log-number"
USER = "# User@Host: a[a] @ h [10.0.0.1]"
TOOK = "# Query_time: 1.0  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 1"
STAMP = "SET timestamp=1767323045;"


def test_a_number_that_is_none(weigh: Weigh) -> None:
    shutil.copy(CASE / "number.log", weigh.folder)
    run = weigh("capture", "number.log", "--out", "out", "--quiet")
    assert run.code == 2
    assert "1 broken" in run.err
    assert "long_query_time" in run.err
    assert "log_min_duration_statement" not in run.err


@pytest.mark.parametrize("head", [
    f"# Time: 260102 03:04:05\n{USER}\n# Query_time: 1  Lock_time: 0  Rows_sent: 1  Rows_examined: 1",
    f"# Time: 260102  3:04:05\n{USER}\n{TOOK}\nuse shop;\n{STAMP}",
    f"# Time: 2026-01-02T03:04:05.123456Z\n{USER}  Id:     8\n{TOOK}\n{STAMP}",
    f"{USER}  Id: 8\n# Schema: shop  Last_errno: 0  Killed: 0\n{TOOK}  Rows_affected: 0\n"
    f"# Bytes_sent: 56  Tmp_tables: 0\n# QC_Hit: No  Full_scan: Yes\n{STAMP}",
    f"{USER}\n# Thread_id: 8  Schema: shop  QC_hit: No\n{TOOK}\n# Rows_affected: 0  Bytes_sent: 56\n{STAMP}",
    f"{TOOK} Thread_id: 8 Errno: 0 Start: 2026-01-02T03:04:05.1Z End: 2026-01-02T03:04:06.1Z",
    f"{USER}\n{TOOK}",
])  # fmt: skip
def test_heads(weigh: Weigh, head: str) -> None:
    (weigh.folder / "log").write_text(f"{head}\nSELECT a FROM t WHERE id = 1;\n" * 3)
    run = weigh("capture", "log", "--out", "out", "--quiet", "--json")
    assert run.code == 0, run.err
    (statement,) = run.json["statements"]
    assert (statement["text"], statement["calls"], statement["time_s"]) == ("SELECT a FROM t WHERE id = $1", 3, 3.0)
    timeless = not any(word in head for word in ("Time:", "timestamp", "Start:"))
    assert {one["reason"] for one in run.json["left_out"]} == ({"no-moment"} if timeless else set())


def test_several_statements_behind_one_head(weigh: Weigh) -> None:
    (weigh.folder / "log").write_text(
        f"# Time: 260102 03:04:05\n{USER}\n# Query_time: 1.5  Lock_time: 0  Rows_sent: 1  Rows_examined: 1\n"
        "SET timestamp=1767323045;\nSELECT a FROM t WHERE id = 1;\n"
        "SET timestamp=1767323047;\nSELECT b FROM t WHERE id = 2;\n"
        "# Query_time: 0.5  Lock_time: 0  Rows_sent: 1  Rows_examined: 1\nSET timestamp=1767323048;\nSELECT c FROM t;\n"
    )
    run = weigh("capture", "log", "--out", "out", "--quiet", "--json")
    assert run.code == 0, run.err
    assert [(one["text"][:8], one["calls"], one["time_s"]) for one in run.json["statements"]] == [
        ("SELECT a", 1, 1.5),
        ("SELECT b", 1, None),
        ("SELECT c", 1, 0.5),
    ]
    assert run.json["length_s"] == 3.0
