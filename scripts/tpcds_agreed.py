"""``make tpcds``: asks several lineages the queries of TPC-DS anew, and keeps what three of them agree on.

Recorded are digests (``src/weigh/workloads/tpcds/agreed.json``): the answers themselves follow from the data and
the queries, which everybody can make.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from weigh.answers import agreement
from weigh.experiment.gate import pinned
from weigh.workloads.tpcds import SCHEMAS, Agreed

SCALES = (0.01, 0.1)
ENGINES = ("duckdb", "datafusion", "polars", "chdb", "postgres")
"""One a lineage; the first keeps averages as doubles, to which all others can be compared."""
LEAST = 3
"""Lineages that must agree."""
FILE = Path(__file__).parents[1] / "src/weigh/workloads/tpcds/agreed.json"


def main() -> int:
    """Ask at each scale, write the file, print what was left out."""
    found = []
    for scale in map(float, sys.argv[1:]) if sys.argv[1:] else SCALES:
        with tempfile.TemporaryDirectory() as place:
            found.append(answers_at(scale, Path(place)))
    write(found)
    return 0


def write(found: list[Agreed]) -> None:
    """Put these scales in the place of what was recorded of them."""
    recorded = (
        {one.scale: one for one in msgspec.json.decode(FILE.read_bytes(), type=list[Agreed])} if FILE.is_file() else {}
    )
    recorded |= {one.scale: one for one in found}
    order = [recorded[scale] for scale in sorted(recorded)]
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(order), indent=1) + b"\n")


def answers_at(scale: float, place: Path) -> Agreed:
    """The agreements at one scale."""
    pins = place / "pins.json"
    command = [sys.executable, "-m", "weigh", "gate", "--workload", "tpcds", "--scale", f"{scale:g}", "--no-truth"]
    command += [part for engine in ENGINES for part in ("--contender", engine)]
    command += ["--pin", str(pins), "--out", str(place / "runs")]
    # Its exit code is 1 where anybody diverged: those are left out, and named.
    subprocess.run(command, stdout=sys.stderr, check=False)
    (evidence,) = (place / "runs").iterdir()
    return read(pins, evidence, scale)


def read(pins: Path, evidence: Path, scale: float) -> Agreed:
    """What a gate and its pinned answers say.

    Args:
        pins: the answers on which somebody agreed.
        evidence: of the gate.
        scale: scale factor.
    """
    recorded = msgspec.json.decode(pins.read_bytes(), type=pinned.Pins)
    read = json.loads((evidence / "environment.json").read_text())["contenders"]
    lineage = {one["name"]: one["lineage"] for one in read}
    operations = json.loads((evidence / "gate.json").read_text())["operations"]
    agreed = {
        one["operation"]: {lineage[who] for who, status in one["contenders"].items() if status == "agreed"}
        for one in operations
    }
    answers = {}
    for number, schema in SCHEMAS.items():
        name = f"q{number}"
        table, lineages = recorded.answer(name, "only", schema), tuple(sorted(agreed.get(name, ())))
        if table is None or len(lineages) < LEAST:
            print(f"{scale:g}: {name} is left out: {', '.join(lineages) or 'nobody'} agreed", file=sys.stderr)
            continue
        answers[name] = msgspec.structs.replace(agreement.of(table, schema), lineages=lineages)
    empty = [name for name, one in answers.items() if not one.rows]
    print(f"{scale:g}: {len(answers)} of {len(SCHEMAS)} answers; empty: {', '.join(empty) or 'none'}")
    versions = {one["name"]: one["version"] for one in read}
    return Agreed(scale=scale, versions=versions, digests=recorded.digests, answers=answers)


if __name__ == "__main__":
    sys.exit(main())
