"""The trace: what is written is read again, in bounded pieces, and what is no trace is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.capture.trace import Call, Header, Statement, Trace, write
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

SELECT = Statement(number=0, pieces=("SELECT v FROM t WHERE a = ", " AND b = ", ""), forms=("literal", "bound"))
SET = Statement(number=1, pieces=("SET ", " ", ""), forms=("bound", "bound"), does="writes")
HEADER = Header(product="postgres", begun="2026-11-02T10:00:00Z", calls=0, length_s=0, statements=(SELECT, SET))


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    calls = [
        Call(at_s=0.0, session="7", statement=0, parameters=("'O''Hara'", None), duration_s=0.25, rows=3),
        Call(at_s=1.5, session="8", statement=1, parameters=("k\\x00\\n", "v"), error="23505", redacted=True),
    ]
    write(tmp_path / "t.parquet", HEADER, calls)
    with Trace(tmp_path / "t.parquet") as trace:
        assert list(trace.calls()) == calls
        assert list(trace.calls()) == calls
        assert (trace.header.calls, trace.header.length_s) == (2, 1.5)
        assert trace.header.statements == (SELECT, SET)


def test_a_call_is_sent_as_the_client_sent_it() -> None:
    assert SELECT.text == "SELECT v FROM t WHERE a = $1 AND b = $2"
    assert SELECT.sent(("'O''Hara'", None)) == ("SELECT v FROM t WHERE a = 'O''Hara' AND b = $1", (None,))
    assert SET.words(('k\\x00\\n\\"', "two words")) == (b"SET", b'k\0\n"', b"two words")


def test_many_calls_are_several_row_groups(tmp_path: Path) -> None:
    made = (Call(at_s=n / 10, session=str(n % 3), statement=0, parameters=("1", "2")) for n in range(70_000))
    write(tmp_path / "t.parquet", HEADER, made)
    assert pq.ParquetFile(tmp_path / "t.parquet").metadata.num_row_groups == 2
    with Trace(tmp_path / "t.parquet") as trace:
        assert sum(1 for _ in trace.calls()) == trace.header.calls == 70_000


def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    (tmp_path / "text.parquet").write_text("no")
    write(tmp_path / "odd.parquet", HEADER, [Call(at_s=0, session="1", statement=5)])
    for name, said in (("other", "no trace"), ("text", "no trace"), ("none", "cannot be read"), ("odd", "fits no")):
        with pytest.raises(UsageError, match=said), Trace(tmp_path / f"{name}.parquet") as trace:
            list(trace.calls())
