"""``tpchgen`` and ``dbgen``: the eight tables of TPC-H, by two generators that differ in some texts.

Neither is ours, and each runs in an environment of its own. A dataset is made part by part, as Parquet files aside,
because nobody knows how many rows ``lineitem`` has before it is made. The parts are handed out batch by batch to the
layout's writer, and removed as they are read; tpchgen's may also be kept as the layout itself.

With every dataset come the 22 queries, and at the scale factors 0.01, 0.1 and 1 their published answers, as DuckDB's
``tpch`` extension ships them. An answer belongs to its generator: the published ones are dbgen's, and those that hold
an address or a comment, or filter by one, are none of tpchgen's.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from contextlib import closing
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from weigh.data.generator import usual_parts
from weigh.data.ground_truth import Truth
from weigh.data.layout import parquet, views
from weigh.data.layout.program import fault
from weigh.data.parallel import ordered
from weigh.data.tpch import maker
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor

    from weigh.data.generator import PartSource, Source, Table, Unit, Workshop
    from weigh.data.ground_truth import Cube
    from weigh.model.spec import Codec, LayoutSpec
    from weigh.model.units import Rows, Scale

DBGEN = ("duckdb==1.5.5", "duckdb-extension-tpch==1.5.5")
"""What makes dbgen's data, and has queries and answers."""
OTHER_TEXTS = frozenset({2, 10, 13, 15, 20})
"""Queries whose published answers hold texts in which tpchgen differs from dbgen, or depend on them."""

_BATCH = 1 << 16
_CODECS: dict[Codec, str] = {
    "zstd": "ZSTD(3)", "snappy": "SNAPPY", "lz4": "LZ4_RAW", "gzip": "GZIP(6)", "none": "UNCOMPRESSED",
}  # fmt: skip
"""As tpchgen-cli names them; it wants a level, and gets the codec's own usual one."""
_FRACTION = "0.0001000000"
"""In query 11; the specification wants 0.0001 / SF. The published answers below 1 are to 0.0001 all the same."""


class Parts:
    """One table, made already: its files are read in order, and removed.

    Args:
        paths: Parquet files; those of one table have equal columns.
    """

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self.rows: Rows = sum(pq.read_metadata(path).num_rows for path in paths)
        # Field ids and NOT NULL are one generator's; no writer of layouts keeps them.
        self.schema = pa.schema((field.name, field.type) for field in views.plain(pq.read_schema(paths[0])))

    def batches(self, executor: Executor) -> Iterator[pa.RecordBatch]:
        """Every row, as its generator orders them."""
        for path in self.paths:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(_BATCH):
                    yield batch.cast(self.schema)
            path.unlink()


class Made:
    """A dataset of the TPC whose parts are made.

    Args:
        tables: by name.
        known: queries and answers.
    """

    def __init__(self, tables: dict[str, Parts], known: Truth) -> None:
        self.tables: dict[str, Table] = dict(tables)
        self._known = known

    def truth(self) -> Truth:
        """The cubes ``queries`` and, where there are any, ``answers``: numbers and texts."""
        return self._known

    def counted(self) -> bytes:
        """The same as bytes; nothing where nothing is known."""
        plain = {
            name: [[int(cast("int", number)), text] for number, text in zip(cube["number"], cube["text"], strict=True)]
            for name, cube in self._known.items()
        }
        return msgspec.msgpack.encode(plain) if plain else b""


class Tpch:
    """One of the two generators.

    Args:
        name: of the generator, and of what ``tpch_maker`` does.
        version: of the program.
        requirements: of its environment.
        part: scale factor of one part: what bounds the memory of a thread.
        foreign: queries whose published answers are not true of its data.
    """

    base = "times the base, which is 8.7 million rows in eight tables"
    unit: Unit = "scale factor"
    scale: Scale = 1.0
    least: Scale = 0.001  # below, there are fewer suppliers than the four that every part has
    seeded = False
    unit_bytes = 250e6

    def __init__(
        self, name: str, version: str, requirements: tuple[str, ...], part: float, foreign: frozenset[int]
    ) -> None:
        self.name = name
        self.version = version
        self.requirements = requirements
        self._part = part
        self._foreign = foreign

    def open(self, scale: Scale, seed: int | None, workshop: Workshop) -> Source:
        """Make all parts, and read what is known."""
        known = self._known(scale, workshop)
        parts = workshop.layout.files if self._writes(workshop) else ceil(scale / self._part)
        return self._made(scale, range(parts), parts, workshop, known)

    def parts(self, scale: Scale) -> int:
        """Of how many parts a dataset is made where nobody says it."""
        return usual_parts(scale, self._part, 4 * self._part)

    def part(self, scale: Scale, seed: int | None, number: int, parts: int, workshop: Workshop) -> PartSource:
        """One part as the program makes it; with the first come region and nation, and what is known."""
        known = self._known(scale, workshop) if number == 0 else Truth({})
        return self._made(scale, range(number, number + 1), parts, workshop, known)

    def add(self, counted: Sequence[bytes]) -> bytes:
        """What is known: one of the parts has it."""
        return next((one for one in counted if one), b"")

    def known(self, counted: bytes) -> Truth:
        """Queries and answers, as the first part has them."""
        cubes = msgspec.msgpack.decode(counted)
        return Truth({name: texts([(number, text) for number, text in rows]) for name, rows in cubes.items()})

    def _made(self, scale: Scale, numbers: range, parts: int, workshop: Workshop, known: Truth) -> Made:
        jobs = [(self._job(scale, parts, number + 1, workshop), workshop.python) for number in numbers]
        with closing(ordered(workshop.executor, run_maker, jobs)) as made:
            for done, _ in enumerate(made, start=1):
                workshop.progress(done, len(jobs), f"data: parts by {self.name}")
        folders = [Path(job["folder"]) for job, _ in jobs]
        # tpchgen puts region and nation into its first part alone.
        files = {
            table: [path for folder in folders for path in sorted(folder.glob(f"{table}/*.parquet"))]
            for table in maker.TABLES
        }
        return Made({table: Parts(paths) for table, paths in files.items() if paths or len(numbers) == parts}, known)

    def _writes(self, workshop: Workshop) -> bool:
        return workshop.layout.writer == self.name

    def _job(self, scale: Scale, parts: int, part: int, workshop: Workshop) -> dict[str, Any]:
        return {
            "do": self.name,
            "scale": float(scale),
            "parts": parts,
            "part": part,
            "folder": str(workshop.folder / f"{part:06}"),
            "codec": _codec(workshop.layout) if self._writes(workshop) else _CODECS["snappy"],
            "threads": max(1, workshop.threads // parts),
        }

    def _known(self, scale: Scale, workshop: Workshop) -> Truth:
        reply = json.loads(run_maker({"do": "texts", "scale": float(scale)}, workshop.python, workshop.folder))
        queries = [(number, query_text(number, text, scale)) for number, text in reply["queries"]]
        answers = [(number, text) for number, text in reply["answers"] if number not in self._foreign]
        return Truth({"queries": texts(queries), **({"answers": texts(answers)} if answers else {})})


def _codec(layout: LayoutSpec) -> str:
    if layout.codec_level is msgspec.UNSET:
        return _CODECS[layout.parquet_codec]
    return f"{layout.parquet_codec.upper()}({layout.codec_level})"


def texts(rows: list[tuple[int, str]]) -> Cube:
    """A cube of numbers and texts."""
    numbers = np.array([number for number, _ in rows], np.int64)
    return {"number": numbers, "text": cast("list[str | None]", [text for _, text in rows])}


def query_text(number: int, text: str, scale: Scale) -> str:
    """A query as engines get it: without its semicolon, and query 11 with the fraction of its scale factor."""
    text = text.strip().rstrip(";").rstrip()
    if number != 11 or scale <= 1:
        return text
    if text.count(_FRACTION) != 1:
        raise DataFault("query 11 has no fraction where it should have one", remedy="report this")
    # As it stands the query would find nothing from a scale factor of about 3 on.
    return text.replace(_FRACTION, f"{0.0001 / scale:.10f}")


def run_maker(job: dict[str, Any], python: Path | None, place: Path | None = None) -> str:
    """What ``maker`` prints; whatever it left of a part that failed is removed."""
    assert python is not None
    place = place or Path(job["folder"])
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [str(python), "-I", maker.__file__, json.dumps(job)],
            stdin=reading,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        os.close(reading)
        os.close(writing)
    if done.returncode == 0:
        return done.stdout
    if "folder" in job:
        shutil.rmtree(job["folder"], ignore_errors=True)
    if "No space left" in done.stderr:
        raise fault(OSError(errno.ENOSPC, "No space left on device"), place)
    lines = done.stderr.strip().splitlines()
    raise DataFault(
        f"{job['do']} ended with code {done.returncode}: {lines[-1] if lines else 'it said nothing'}",
        where=str(place),
        remedy="remove weigh's cached environments and try again",
    )


tpchgen = Tpch("tpchgen", parquet.TPCHGEN.partition("==")[2], (parquet.TPCHGEN, *DBGEN), 0.25, OTHER_TEXTS)
dbgen = Tpch("dbgen", DBGEN[0].partition("==")[2], DBGEN, 0.1, frozenset())
