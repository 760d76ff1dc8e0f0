"""``weigh gate --corrupt``: who notices one flipped bit in a copy of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from support.command import Run, Weigh

VERIFIES = "verifies=pyarrow?page_checksum_verification=true"


def asked(weigh: Weigh, *, checksums: bool) -> Run:
    """Two of one engine, which differ in whether they compare checksums, over a file with or without them."""
    numbers = np.random.default_rng(5).integers(0, 1 << 40, 4000)
    table = pa.table({"n": numbers, "kind": np.arange(4000) % 7})
    pq.write_table(table, weigh.folder / "t.parquet", use_dictionary=False, write_page_checksum=checksums)
    before = (weigh.folder / "t.parquet").read_bytes()
    (weigh.folder / "q.sql").write_text("-- name: total\nSELECT sum(n) AS total FROM t;\n")
    made = weigh("init", "--data", "t.parquet", "--sql", "q.sql", "--contender", "duckdb")
    assert made.code == 0, made.err
    named = ("--contender", "duckdb", "--contender", "pyarrow", "--contender", VERIFIES)
    run = weigh("gate", *named, "--corrupt", "--quiet", "--json")
    assert run.code == 0, run.err
    assert (weigh.folder / "t.parquet").read_bytes() == before
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    return run


def notes(run: Run) -> dict[str, dict[str, Any]]:
    return {one["contender"]: one for one in run.json["findings"] if one["code"].startswith("D4")}


def test_who_compares_checksums_raises_and_the_others_say_nothing(weigh: Weigh) -> None:
    found = notes(asked(weigh, checksums=True))
    assert {name: one["code"] for name, one in found.items()} == {
        "duckdb": "D4.wrong",
        "pyarrow": "D4.wrong",
        "verifies": "D4.raised",
    }
    assert {one["severity"] for one in found.values()} == {"note"}
    assert "has no setting for it" in found["duckdb"]["remedy"]
    assert "page_checksum_verification" in found["pyarrow"]["remedy"]
    assert "crc" in found["verifies"]["text"].lower()
    (evidence,) = (weigh.folder / "runs").iterdir()
    shown = " ".join(weigh("report", str(evidence)).out.split())
    assert "one flipped bit duckdb, pyarrow answered otherwise and said nothing; verifies raised." in shown
    for one in found.values():
        assert "a data page of n, which has a checksum (t/0000.parquet, row group 0, page" in one["text"]


@pytest.mark.long
def test_without_checksums_nobody_notices(weigh: Weigh) -> None:
    found = notes(asked(weigh, checksums=False))
    assert {one["code"] for one in found.values()} == {"D4.wrong"}
    assert "which has no checksum" in found["verifies"]["text"]


@pytest.mark.long
def test_a_layout_and_a_table_format_are_damaged_in_copies_of_their_own(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text('[layout.sums]\nwriter = "pyarrow"\nfiles = 2\npage_checksums = true\n')
    checks = "checks=pyarrow?layout=sums&page_checksum_verification=true"
    named = ("duckdb", checks, "through=liar?lie=none&layout=sums&catalog=delta")
    flags = ("--scale", "1K", "--operations", "by_proto", "--corrupt", "--quiet", "--json")
    run = weigh("gate", *(word for one in named for word in ("--contender", one)), *flags)
    assert run.code == 0, run.err
    found = notes(run)
    assert {name: one["code"] for name, one in found.items()} == {
        "duckdb": "D4.wrong",
        "checks": "D4.raised",
        "through": "D4.wrong",
    }
    assert "which has no checksum" in found["duckdb"]["text"]
    assert "which has a checksum" in found["through"]["text"]
    assert {one["contender"] for one in run.json["findings"] if one["code"] == "D2.same"} == {"through"}
