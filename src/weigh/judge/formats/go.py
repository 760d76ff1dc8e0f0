"""Go: the text that ``go test -bench`` prints (golang.org/design/14313-benchmark-format).

``-count`` repeats inside one process. Each call of the test binary begins with its configuration (``goos:``, ``pkg:``),
so a file that several calls were appended to holds several starts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.judge.formats.reading import Reading
from weigh.judge.measurements import Measurements

if TYPE_CHECKING:
    from weigh.judge.formats.source import Source

HOW = """\
(cd old && go test -c -o ../old.test); (cd new && go test -c -o ../new.test)
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do ./$v.test -test.run '^$' -test.bench . >> $v.txt; done
done
weigh judge --baseline old --interleaved old.txt new.txt"""

_RESULT = re.compile(r"^Benchmark(\S+)\s+\d+\s+(\S.*)$")
_CONFIG = re.compile(r"^([a-z][^\sA-Z:]*):\s*(.*)$")
_FAILED = re.compile(r"^\s*--- FAIL: Benchmark(\S+)")
_SECONDS = {"ns/op": 1e-9, "sec/op": 1.0}
_MACHINE = ("goos", "goarch", "cpu")


def recognises(source: Source) -> bool:
    """Lines of results or the configuration that goes before them."""
    lines = source.head.splitlines()
    return any(_RESULT.match(line) or line.startswith(("goos: ", "pkg: ")) for line in lines)


def read(source: Source) -> Reading:
    """One turn for every call of a test binary.

    Raises:
        DataFault: no line is a result with a time.
    """
    found: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    failures: dict[tuple[int, str, str], int] = defaultdict(int)
    machine: dict[str, str] = {}
    package, turn, measured = "", 0, False
    for line in source.text.splitlines():
        if config := _CONFIG.match(line):
            if measured:
                turn, measured = turn + 1, False
            if config[1] == "pkg":
                package = config[2]
            elif config[1] in _MACHINE:
                machine[config[1]] = config[2].strip()
        elif failed := _FAILED.match(line):
            failures[turn, package, failed[1]] += 1
            measured = True
        elif (result := _RESULT.match(line)) and (seconds := _seconds(source, result[2], result[1])) is not None:
            found[turn, package, result[1]].append(seconds)
            measured = True
        elif line.startswith("PASS"):
            turn, measured = turn + measured, False
    if not found and not failures:
        raise source.fault("no line of it is a benchmark's result with ns/op")
    many = len({package for _, package, _ in (*found, *failures)}) > 1
    stretches = [
        Measurements(
            contender="",
            operation=f"{key[1]}.{key[2]}" if many else key[2],
            values=source.times(found.get(key, ()), key[2]),
            starts=1,
            turn=key[0],
            failed=failures.get(key, 0),
            detail="--- FAIL" if key in failures else "",
        )
        for key in sorted({**found, **failures}, key=lambda key: key[0])
    ]
    return Reading(tuple(stretches), machine, events="results")


def _seconds(source: Source, measurements: str, name: str) -> float | None:
    """Seconds an operation; None for a line without a time."""
    words = measurements.split()
    for value, unit in zip(words[::2], words[1::2], strict=False):
        if unit in _SECONDS:
            try:
                return float(source.times([float(value)], name, scale=_SECONDS[unit])[0])
            except ValueError:
                raise source.fault(f"{name}: '{value[:40]}' is not a number") from None
    return None
