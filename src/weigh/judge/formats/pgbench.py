"""pgbench: the log that ``-l`` writes, one line a transaction.

Columns (PostgreSQL's documentation of pgbench, "Per-Transaction Logging"): client, number of the transaction, latency
in microseconds, script, seconds and microseconds of its end; with ``--rate`` the lag of its start, with ``--max-tries``
the retries. Instead of a latency there may be ``skipped``, ``failed`` or the kind of a failure.

With ``-j`` every thread writes a file, ``PREFIX.PID`` and ``PREFIX.PID.1``...: they are one run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from weigh.judge.formats.reading import Reading
from weigh.judge.measurements import Measurements
from weigh.model import codes

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from weigh.judge.formats.source import Source
    from weigh.model.codes.code import Fixed

HOW = """\
# old and new are services of ~/.pg_service.conf
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do PGSERVICE=$v pgbench --time 60 --rate 200 --log --log-prefix=$v$i; done
done
weigh judge --baseline old old*.* new*.*"""

_LINE = re.compile(r"^\d+ \d+ (\d+|[a-z]\w*) \d+ \d{9,11} \d{1,6}( \d+){0,2}$")
_COLUMNS = 6
_WITHOUT = {"skipped", "failed", "serialization", "deadlock"}
"""What stands in the place of a latency."""
_AGGREGATE = re.compile(r"^\d{9,11}( \d+){5,}$")


def recognises(source: Source) -> bool:
    """Lines of whole numbers, six or more, that end in a time."""
    first = source.head.splitlines()[:1]
    return any(_LINE.match(line.strip()) or _AGGREGATE.match(line.strip()) for line in first)


def read(source: Source) -> Reading:
    """One series for each script, in the order in which the transactions ended.

    Raises:
        DataFault: it is a log of intervals, or a line has another form.
    """
    if _AGGREGATE.match(source.head.split("\n", 1)[0].strip()):
        raise source.fault(
            "it holds sums of intervals, and no latencies", remedy="run pgbench -l without --aggregate-interval"
        )
    table = _table(source)
    latency, bad, other = _latencies(source, table)
    ended = table["seconds"].to_numpy() + table["micros"].to_numpy() * 1e-6
    script = table["script"].to_numpy()
    order = np.argsort(ended, kind="stable")
    measurements = []
    scripts = sorted({int(number) for number in script})
    for number in scripts:
        places = order[script[order] == number]
        good = places[~bad[places]]
        measurements.append(
            Measurements(
                contender="",
                operation=f"script {number}" if len(scripts) > 1 else "transaction",
                values=source.checked(latency[good] * 1e-6, "latency"),
                starts=1,
                turn=0,
                at=float(ended[order[0]]),
                series=True,
            )
        )
    return Reading(tuple(measurements), {}, notes=tuple(_notes(table, bad, other)), events="transactions")


def _table(source: Source) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    names = ["client", "number", "latency", "script", "seconds", "micros", "lag", "retries"]
    columns = source.head.split("\n", 1)[0].strip().count(" ") + 1
    if columns < _COLUMNS:
        raise source.fault("a line of it is not of a pgbench log: too few columns")
    kinds = {name: pa.string() if name == "latency" else pa.int64() for name in names}
    try:
        table = csv.read_csv(
            pa.BufferReader(source.data),
            read_options=csv.ReadOptions(column_names=names[:columns]),
            parse_options=csv.ParseOptions(delimiter=" "),
            convert_options=csv.ConvertOptions(column_types=kinds),
        )
    except pa.ArrowInvalid as error:
        raise source.fault(f"a line of it is not of a pgbench log: {error}") from None
    if any(column.null_count for column in table.columns):
        raise source.fault("a line of it is not of a pgbench log: a column is empty")
    return table


def _latencies(source: Source, table: pa.Table) -> tuple[NDArray[np.float64], NDArray[np.bool_], list[str]]:
    """Microseconds, which transactions have none, and what stands in their place."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table["latency"]
    bad = pc.invert(pc.utf8_is_decimal(column))
    other = pc.unique(column.filter(bad)).to_pylist()
    if odd := [word for word in other if word not in _WITHOUT]:
        raise source.fault(f"'{str(odd[0])[:40]}' is not a latency of a pgbench log")
    micros = pc.cast(pc.if_else(bad, "0", column), pa.float64())
    return micros.to_numpy(), bad.to_numpy(), sorted(other)


def _notes(table: pa.Table, bad: NDArray[np.bool_], other: list[str]) -> list[tuple[Fixed, str, str]]:
    notes = []
    if bad.any():
        notes.append(
            (
                codes.L7,
                f"{int(bad.sum()):,} of {len(bad):,} transactions have no latency ({', '.join(other)}): the mean "
                "and the percentiles are those of the others",
                "lower the rate, or raise --latency-limit, until none is left out",
            )
        )
    if "lag" not in table.column_names:
        notes.append(
            (
                codes.L2,
                "the load was a closed loop: a client that waits for a stalled server asks nothing meanwhile, so the "
                "stall counts once",
                "run pgbench with --rate: latencies then count from the planned start",
            )
        )
    return notes
