"""The table of readers, and which of them reads a file. This is the place to add the next tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.judge.formats import (
    criterion,
    csv,
    go,
    google_benchmark,
    hlog,
    hyperfine,
    jmh,
    k6,
    pgbench,
    pyperf,
    pytest_benchmark,
)
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.judge.formats.reading import Reading
    from weigh.judge.formats.source import Source


@dataclass(frozen=True, slots=True)
class Reader:
    """How one format is read.

    Attributes:
        name: as ``--format`` takes it.
        tool: as reports call it.
        recognises: whether a file has this format, by its content; reads no more than it must and never fails.
        read: the whole file.
        how: shell lines that make files from which a verdict is possible.
        starts: what one process start of a contender is in these files.
        commands: whether the contenders in a file are commands, which are operations where every file is a contender.
    """

    name: str
    tool: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source], Reading]
    how: str
    starts: str
    commands: bool = False


READERS = (
    Reader("hyperfine", "hyperfine", hyperfine.recognises, hyperfine.read, hyperfine.HOW, "every run is one", True),
    Reader("pyperf", "pyperf", pyperf.recognises, pyperf.read, pyperf.HOW, "every pyperf run with values is one"),
    Reader(
        "google-benchmark",
        "Google Benchmark",
        google_benchmark.recognises,
        google_benchmark.read,
        google_benchmark.HOW,
        "all repetitions of a file are one process",
    ),
    Reader(
        "pytest-benchmark",
        "pytest-benchmark",
        pytest_benchmark.recognises,
        pytest_benchmark.read,
        pytest_benchmark.HOW,
        "all rounds of a file are one process",
    ),
    Reader("criterion", "criterion", criterion.recognises, criterion.read, criterion.HOW, "a folder is one process"),
    Reader("jmh", "JMH", jmh.recognises, jmh.read, jmh.HOW, "every fork is one"),
    Reader("go", "go test -bench", go.recognises, go.read, go.HOW, "-count repeats inside one process"),
    Reader("pgbench", "pgbench -l", pgbench.recognises, pgbench.read, pgbench.HOW, "one log is one run"),
    Reader("k6", "k6", k6.recognises, k6.read, k6.HOW, "one file is one run"),
    Reader("hlog", "HdrHistogram log", hlog.recognises, hlog.read, hlog.HOW, "one log is one run"),
    Reader("csv", "CSV", csv.recognises, csv.read, csv.HOW, "the column start tells them apart"),
)
"""In the order in which they are asked; CSV, which claims least, comes last."""


def named(name: str) -> Reader:
    """The reader of that name.

    Raises:
        UsageError: there is none.
    """
    for reader in READERS:
        if reader.name == name:
            return reader
    raise UsageError(f"there is no format '{name}'", remedy=nearest(name, (reader.name for reader in READERS)))


def detect(source: Source) -> Reader:
    """The reader that recognises a file.

    Raises:
        DataFault: the file is empty, or nobody knows it.
    """
    if not source.data.strip():
        raise source.fault("it is empty")
    for reader in READERS:
        if reader.recognises(source):
            return reader
    known = ", ".join(reader.name for reader in READERS)
    if columns := csv.wide(source):
        raise source.fault(f"none of its columns is one of values ({columns})", remedy=csv.WIDE)
    raise source.fault(
        "its format is not known", remedy=f"known: {known}; --format NAME forces one (docs/guide/judge.md)"
    )
