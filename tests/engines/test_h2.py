"""The H2 profile against H2's own server: values as they are, and a cache that another session decides about."""

from __future__ import annotations

import socket
import struct
from contextlib import closing
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from support.servers import h2
from support.servers.process import Lacking

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Weigh

SECRET = "hunter2-planted"


@pytest.fixture
def spec(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "h2").mkdir()
    context = h2.running(tmp_path / "h2")
    try:
        spec = context.__enter__()
    except Lacking as why:
        pytest.skip(f"H2 is not installed: {why}")
    yield spec
    context.__exit__(None, None, None)


def opened(spec: str) -> socket.socket:
    """Another session of the database, which opens it with its own settings (PostgreSQL's protocol, version 3)."""
    where = urlsplit(spec)
    session = socket.create_connection((where.hostname, where.port))
    names = struct.pack("!i", 196608) + f"user\0{where.username}\0database\0{where.path[1:]}\0\0".encode()
    session.sendall(struct.pack("!i", len(names) + 4) + names)
    assert session.recv(9)[:1] == b"R"
    session.sendall(b"p" + struct.pack("!i", len(SECRET) + 5) + SECRET.encode() + b"\0")
    assert session.recv(9)[:1] == b"R"
    return session


def test_its_values_agree_and_its_cache_is_off_unless_another_session_has_it_on(weigh: Weigh, spec: str) -> None:
    moment = pc.assume_timezone(pa.array([0, 1_700_000_000_123_456, None], pa.timestamp("us")), "UTC")
    columns = {
        "n": pa.array([1, -(2**62), None]),
        "d": pa.array([Decimal("1.25"), Decimal("-0.01"), None], pa.decimal128(20, 2)),
        "x": pa.array([0.1, -1e300, None]),
        "f": pa.array([1.5, -2.25, None], pa.float32()),
        "b": pa.array([True, False, None]),
        "s": pa.array(['Zoë\'s \\ "x"', "", None]),
        "t": pa.array([0, 1_700_000_000_123_456, None], pa.timestamp("us")),
        "z": moment,
        "day": pa.array([0, 20_000, None], pa.date32()),
        "raw": pa.array([b"\x00\xff\\'", b"", None]),
    }
    pq.write_table(pa.table(columns), weigh.folder / "t.parquet")
    (weigh.folder / "q").mkdir()
    (weigh.folder / "q" / "all.sql").write_text("SELECT * FROM t")
    (weigh.folder / "q" / "sums.sql").write_text("SELECT sum(n) AS n, sum(d) AS d, avg(x) AS x, max(t) AS t FROM t")
    named = ("--contender", "duckdb", "--contender", f"h2={spec}", "--no-shrink", "--json")
    run = weigh("gate", "--data", "t.parquet", "--sql", "q", *named, H2_PASSWORD=SECRET)
    assert run.code == 0, run.err
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    assert not [code for code in run.codes if code.startswith("A9.")]
    assert SECRET not in run.out + run.err
    with closing(opened(spec)):
        run = weigh("gate", "--data", "t.parquet", "--sql", "q", *named, H2_PASSWORD=SECRET)
    (found,) = (one for one in run.json["findings"] if one["code"].startswith("A9."))
    assert (found["code"], found["contender"]) == ("A9.enabled", "h2")
    assert "query_cache_size = 8, read back" in found["text"]
    assert "end the sessions of others" in found["remedy"]
