"""What is published: what was dropped, edited, left out, or is not the publisher's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from weigh.lies.commission import Act, Commission, Step
from weigh.lies.commissions.words import ONCE, SMALL, contenders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_RUN = f"run --contender duckdb --contender single=duckdb?threads=1 --operations by_action {ONCE} {SMALL}"
_VERIFY = "verify latest --json"
_TPCH = "gate --contender duckdb --contender single=duckdb?threads=1 --quiet --json"

_ITS = "gate --data t.parquet --contender duckdb --quiet --json"

_QUERY = f"--operations by_action {SMALL}"


def _verdicts(folder: Path) -> Path:
    (found,) = (folder / "runs").glob("*/verdicts.json")
    return found


def _halved(folder: Path) -> None:
    """The times of one contender, in what is published."""
    path = _verdicts(folder)
    document = json.loads(path.read_text())
    for one in document["timings"]:
        if one["contender"] == "single" and one["metric"] == "wall_s":
            one["median"] /= 2
    path.write_text(json.dumps(document))


def _promoted(folder: Path) -> None:
    """The tier, in what is published."""
    path = _verdicts(folder)
    document = json.loads(path.read_text())
    document["tier"] = {"name": "conclusive", "reasons": [], "inadmissible": []}
    path.write_text(json.dumps(document))


def _published(phase: str) -> Callable[[Path], None]:
    """A bundle as BenchBox publishes it, which says that the answers were validated."""

    def write(folder: Path) -> None:
        query = {"id": "1", "ms": 12, "rows": 4, "run_type": "measurement", "status": "SUCCESS"}
        document = {
            "version": "2.1",
            "run": {"id": "1"},
            "benchmark": {"id": "tpch", "name": "TPC-H", "scale_factor": 0.01},
            "platform": {"name": "DuckDB", "version": "2.0.0"},
            "summary": {"queries": {"total": 1, "passed": 1, "failed": 0}, "validation": "passed"},
            "phases": {"validation": {"status": phase}},
            "queries": [query],
        }
        (folder / "published.json").write_text(json.dumps(document))

    return write


def _keys(folder: Path) -> None:
    """Keys of who measured, and of somebody else."""
    import subprocess

    for name in ("author", "forger"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def _called(name: str) -> Callable[[Path], None]:
    """A query of a user's own in a folder of that name."""

    def write(folder: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        (folder / name).mkdir()
        (folder / name / "queries.sql").write_text("SELECT count(*) AS n FROM t;\n")
        pq.write_table(pa.table({"a": [1, 2, 3]}), folder / "t.parquet")

    return write


def _metric(folder: Path) -> None:
    """The notice of a page, with the name of a metric of the TPC in its place."""
    (page,) = (folder / "runs").glob("*/report.html")
    page.write_text(page.read_text().replace("derived from TPC-H, not comparable to published results", "QphH@0.01"))


def _notice(liar: tuple[Step, ...], twin: tuple[Step, ...]) -> Commission:
    return Commission(liar=Act(steps=liar), code="NOTICE", twin=Act(steps=twin))


def _without_openssh() -> str:
    import shutil

    return "" if shutil.which("ssh-keygen") else "it needs ssh-keygen, of OpenSSH's client"


COMMISSIONS = {
    "R1": Commission(
        liar=Act(
            steps=(
                f"run {contenders(base='duckdb', twin='liar?lie=none', liar='liar?lie=fails')} --workload two "
                f"{ONCE} {SMALL}",
            )
        ),
        code="X.error",
        of="liar",
    ),
    "R3": Commission(
        liar=Act(
            steps=(
                f"gate {contenders(base='duckdb', twin='liar?lie=none', liar='liar?lie=false-version')} "
                f"--operations by_action {SMALL}",
            )
        ),
        code="R3.version",
        of="liar",
    ),
    "R4": Commission(
        liar=Act(steps=(_RUN, _halved, _VERIFY)),
        code="R4.figures",
        twin=Act(steps=(_RUN, _VERIFY)),
        silent=("R4.figures", "R4.hash", "R4.sealed"),
        twin_text="PASSED",
    ),
    "R5": Commission(
        liar=Act(steps=(_RUN, _promoted, _VERIFY)),
        code="R4.figures",
        twin=Act(steps=(_RUN, _VERIFY)),
        silent=("R4.figures", "R4.hash", "R4.sealed"),
        twin_text="PASSED",
    ),
    "R7": Commission(
        liar=Act(steps=(f"{_TPCH} --workload tpch --scale 0.01 --operations q6",)),
        code="NOTICE",
        twin=Act(steps=(f"{_TPCH} --scale 20K --operations by_action",)),
        forms=(
            _notice(
                (f"{_TPCH} --workload tpcds --scale 0.01 --operations q96",),
                (f"{_TPCH} --scale 20K --operations by_action",),
            ),
            *(
                _notice(
                    (_called(name), f"{_ITS} --workload ./{name}"), (_called("sales"), f"{_ITS} --workload ./sales")
                )
                for name in ("QphDS", "tpmC")
            ),
            Commission(
                liar=Act(steps=(f"{_TPCH} --workload tpch --scale 0.01 --operations q6", _metric, _VERIFY)),
                code="R4.figures",
                twin=Act(steps=(f"{_TPCH} --workload tpch --scale 0.01 --operations q6", _VERIFY)),
                silent=("R4.figures", "R4.hash", "R4.sealed"),
                twin_text="PASSED",
            ),
        ),
    ),
    "R8": Commission(
        liar=Act(steps=(f"gate {contenders(twin='liar', liar='licensed')} --operations by_action {SMALL}",)),
        code="R8.terms",
        of="liar",
    ),
    "R9": Commission(
        liar=Act(steps=(_RUN, _keys, "sign latest --key forger", f"{_VERIFY} --key author.pub")),
        code="R9.signature",
        twin=Act(steps=(_RUN, _keys, "sign latest --key author", f"{_VERIFY} --key author.pub")),
        twin_text="PASSED",
        needs=_without_openssh,
    ),
    "R10": Commission(
        liar=Act(steps=(f"gate {contenders(old='wrapped@0.16.0', liar='wrapped@0.17.0')} {_QUERY}",)),
        code="R10.same",
        of="liar",
        twin=Act(steps=(f"gate {contenders(old='wrapped@0.16.0', liar='wrapped@0.17.0+duckdb==1.5.5')} {_QUERY}",)),
        twin_text="AGREED",
    ),
    "R11": Commission(
        liar=Act(steps=(_published("NOT_RUN"), "audit published.json --json")),
        code="R11.figures",
        twin=Act(steps=(_published("PASSED"), "audit published.json --json")),
    ),
}

ELSEWHERE = {
    "R2": "nobody is accused of a mean: it never stands before its members, nor without their spread",
    "R6": "it needs a history of many versions, on two machines",
}
