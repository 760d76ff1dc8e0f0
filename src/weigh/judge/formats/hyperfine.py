"""hyperfine: ``--export-json``.

Every value of ``times`` is a process of its own. What the format cannot show is what else matters: hyperfine runs all
of one command before the next, so the commands of one call come in a fixed order. A command that is named several
times has a turn for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.judge.formats.reading import Reading
from weigh.judge.measurements import Measurements

if TYPE_CHECKING:
    from weigh.judge.formats.source import Source

HOW = """\
# bash
for i in $(seq -w 10); do
  if [ $((10#$i % 2)) = 1 ]; then set -- -n old ./old -n new ./new; else set -- -n new ./new -n old ./old; fi
  hyperfine --warmup 1 --runs 3 --export-json block$i.json "$@"
done
weigh judge --baseline old block*.json"""


def recognises(source: Source) -> bool:
    """A JSON object with results that have a command."""
    return source.is_json and '"results"' in source.head and '"command"' in source.head


def read(source: Source) -> Reading:
    """One turn for every result, in the order of the file.

    Raises:
        DataFault: the document is not hyperfine's.
    """
    results = source.items(source.document.get("results"), "results")
    measurements, summaries = [], []
    for turn, result in enumerate(results):
        where = f"results[{turn}]"
        command = source.word(result.get("command"), f"{where}.command")
        times = result.get("times")
        if times is None:
            summaries.append(command)
            continue
        if not isinstance(times, list):
            raise source.fault(f"{where}.times is not a list")
        values = source.times(times, f"{where}.times")
        codes = result.get("exit_codes")
        if not isinstance(codes, list) or len(codes) != len(values):
            codes = [0] * len(values)
        # A run that was ended by a signal has null for its code.
        failures = [code for code in codes if code != 0]
        values = values[[code == 0 for code in codes]]
        measurements.append(
            Measurements(
                contender=command,
                operation="",
                values=values,
                starts=len(values),
                turn=turn,
                failed=len(failures),
                detail="ended by a signal"
                if failures[:1] == [None]
                else f"exit code {failures[0]}"
                if failures
                else "",
            )
        )
    return Reading(tuple(measurements), {}, tuple(summaries))
