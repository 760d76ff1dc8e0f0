"""Arrow streams of strangers: what is damaged, or declares more than it holds, is refused and harms nobody."""

from __future__ import annotations

import io
import os
import random
import resource
from typing import TYPE_CHECKING, Any

import nanoarrow
import numpy as np
import pyarrow as pa
import pytest
from nanoarrow.ipc import StreamWriter

from weigh._native import digest_arrow
from weigh.answers import arrow_stream
from weigh.answers.arrow_messages import BadStream

if TYPE_CHECKING:
    from pathlib import Path

MUTATED = 60
ROOM = 3 << 30
NUMBERS = list(range(40))
WHOLE = pa.table(
    {
        "i": pa.array(NUMBERS, pa.int64()),
        "s": [f"value {k}" if k % 7 else None for k in NUMBERS],
        "l": pa.array([[k, k + 1] if k % 3 else None for k in NUMBERS]),
        "d": pa.array([f"x{k % 4}" for k in NUMBERS]).dictionary_encode(),
        "v": pa.array([f"a long string, number {k}" for k in NUMBERS], pa.string_view()),
        "n": pa.nulls(40),
    }
)


def stream(table: pa.Table, compression: str | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def refused(folder: Path, content: bytes) -> str:
    """Why it is refused."""
    path = folder / "answer.arrow"
    path.write_bytes(content)
    with pytest.raises(BadStream) as caught:
        arrow_stream.read(path)
    return str(caught.value)


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_what_is_whole_is_read(tmp_path: Path, compression: str | None) -> None:
    path = tmp_path / "answer.arrow"
    path.write_bytes(stream(WHOLE, compression))
    assert arrow_stream.read(path).equals(WHOLE)


@pytest.mark.parametrize("table", [WHOLE.slice(0, 0), WHOLE.select([]), pa.table({"n": pa.nulls(1_000_000)})])
def test_what_takes_no_bytes_is_read_too(tmp_path: Path, table: pa.Table) -> None:
    path = tmp_path / "answer.arrow"
    path.write_bytes(stream(table))
    assert arrow_stream.read(path).num_rows == table.num_rows


def mutated(content: bytes, draw: random.Random) -> bytes:
    """The stream with a few bytes changed, or cut off."""
    found = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 8))):
        place = draw.randrange(len(found))
        if draw.random() < 0.9:
            found[place] = draw.choice((0, 0x7F, 0x80, 0xFF, found[place] ^ 1 << draw.randrange(8)))
        else:
            found = found[: place + 1]
    return bytes(found)


@pytest.mark.promise("What `answer()` hands out is checked whole before it is compared")
def test_damaged_streams_are_refused_or_read_and_nothing_else_happens(tmp_path: Path) -> None:
    """In a process of its own: what would crash it, or fill its memory, ends it."""
    path = tmp_path / "answer.arrow"
    whole = [stream(WHOLE), stream(WHOLE.select(["i", "s"])), stream(WHOLE.select(["i", "d"]), "zstd")]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
            for seed in range(MUTATED):
                path.write_bytes(mutated(whole[seed % len(whole)], random.Random(seed)))
                try:
                    digest_arrow(arrow_stream.read(path))
                except BadStream:
                    continue
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.promise("What `answer()` hands out is checked whole before it is compared")
def test_few_bytes_that_declare_much_are_not_made(tmp_path: Path) -> None:
    zeros = stream(pa.table({"a": np.zeros(40_000_000, np.int64)}), "zstd")
    assert "that declare 320,000,000 in memory" in refused(tmp_path, zeros)
    assert "that declare 20,000,000 rows" in refused(tmp_path, stream(pa.table({"n": pa.nulls(20_000_000)})))


def test_values_that_share_their_bytes_are_not_written_out(tmp_path: Path) -> None:
    long = "x" * (1 << 20)
    shared = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int8()), pa.array([long]))
    assert "in column d" in refused(tmp_path, stream(pa.table({"d": shared})))
    encoded = pa.RunEndEncodedArray.from_arrays([1_000], [long])
    assert "in column r" in refused(tmp_path, stream(pa.table({"r": encoded})))


def test_runs_are_read_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "answer.arrow"
    numbers = pa.RunEndEncodedArray.from_arrays([2, 3, 5], [7, None, 8])
    texts = pa.RunEndEncodedArray.from_arrays([1, 5], ["a", "b"])
    path.write_bytes(stream(pa.table({"n": numbers, "t": texts})))
    assert arrow_stream.read(path).to_pydict() == {"n": [7, 7, None, 8, 8], "t": ["a", "b", "b", "b", "b"]}


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    fifo, link = tmp_path / "fifo", tmp_path / "link"
    os.mkfifo(fifo)
    link.symlink_to("/dev/zero")
    for path in (fifo, link, tmp_path / "missing"):
        with pytest.raises(BadStream):
            arrow_stream.read(path)


def unread(kind: Any) -> pa.DataType:
    """A type of intervals that PyArrow carries and has no arrays for."""
    return pa.DataType._import_from_c_capsule(nanoarrow.c_schema(kind).__arrow_c_schema__())


SPAN = 3 + (5_000 << 32)
DAYS, MONTHS = unread(nanoarrow.interval_day_time()), unread(nanoarrow.interval_months())
LONG = pa.int64()


@pytest.mark.parametrize(
    ("values", "plain", "kind", "expected"),
    [
        ([SPAN, None], LONG, DAYS, [(0, 3, 5 * 10**9), None]),
        ([14, None], pa.int32(), MONTHS, [(14, 0, 0), None]),
        ([[SPAN, None], [], None], pa.list_(LONG), pa.list_(DAYS), [[(0, 3, 5 * 10**9), None], [], None]),
        ([[SPAN, None], None], pa.list_(LONG, 2), pa.list_(DAYS, 2), [[(0, 3, 5 * 10**9), None], None]),
        ([[14], None], pa.large_list(pa.int32()), pa.large_list(MONTHS), [[(14, 0, 0)], None]),
        (
            [{"a": SPAN, "b": "x"}, None],
            pa.struct([("a", LONG), ("b", pa.string())]),
            pa.struct([("a", DAYS), ("b", pa.string())]),
            [{"a": (0, 3, 5 * 10**9), "b": "x"}, None],
        ),
        (
            [[("k", SPAN), ("j", None)], [], None],
            pa.map_(pa.string(), LONG),
            pa.map_(pa.string(), DAYS),
            [[("k", (0, 3, 5 * 10**9)), ("j", None)], [], None],
        ),
    ],
)
def test_intervals_without_arrays_are_read_wherever_they_are(
    values: list[Any], plain: pa.DataType, kind: pa.DataType, expected: list[Any]
) -> None:
    """DataFusion has days and milliseconds in one type, and lists and maps of them."""
    written = pa.table({"v": pa.array(values, plain), "n": range(len(values))}).to_struct_array().combine_chunks()
    batch = pa.RecordBatch.from_struct_array(written.view(pa.struct([("v", kind), ("n", pa.int64())])))
    read = arrow_stream.table(stream(pa.Table.from_batches([batch])))
    assert read["v"].to_pylist() == expected
    assert read["n"].to_pylist() == list(range(len(values)))


def test_members_without_a_type_count_as_many_nulls_as_they_are() -> None:
    """As DuckDB 2.0.0 writes a column of NULL within others: with no NULL in it."""
    rows = [[{"a": 1, "b": None}] * count for count in range(4)]
    whole = pa.array(rows)
    entries = nanoarrow.c_array(whole.values)
    none = nanoarrow.c_array_from_buffers(nanoarrow.null(), len(whole.values), [], null_count=0)
    struct = nanoarrow.c_array_from_buffers(
        nanoarrow.Schema(entries.schema), entries.length, [None], children=[entries.child(0), none]
    )
    offsets = nanoarrow.c_buffer(whole.offsets.buffers()[1])
    lists = nanoarrow.c_array_from_buffers(
        nanoarrow.Schema(nanoarrow.c_schema(whole.type)), len(whole), [None, offsets], children=[struct]
    )
    batch = nanoarrow.c_array_from_buffers(
        nanoarrow.struct({"v": nanoarrow.Schema(lists.schema)}), len(whole), [None], children=[lists]
    )
    sink = io.BytesIO()
    with StreamWriter.from_writable(sink) as writer:
        writer.write_stream(batch)
    with pytest.raises(pa.ArrowInvalid, match="null_count"):
        pa.ipc.open_stream(sink.getvalue()).read_all().validate(full=True)
    assert arrow_stream.table(sink.getvalue())["v"].to_pylist() == rows
