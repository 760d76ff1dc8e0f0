"""Arrow streams of strangers: what is damaged, or declares more than it holds, is refused and harms nobody."""

from __future__ import annotations

import os
import random
import resource
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from weigh._native import digest_arrow
from weigh.answers import arrow_stream

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
    with pytest.raises(arrow_stream.BadStream) as caught:
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
                except arrow_stream.BadStream:
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
        with pytest.raises(arrow_stream.BadStream):
            arrow_stream.read(path)
