"""How a run is read: who is accused of what, and whether nobody is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from junitparser import JUnitXml

from support import evidence_files
from support.command import RAN

if TYPE_CHECKING:
    from support.command import Run, Weigh

_BADGE = re.compile(r" \[[A-Z]+\]$", re.MULTILINE)

SMALL = ("--scale", "20K", "--quiet", "--json")
ONCE = ("--starts", "1", "--rounds", "1", "--runs", "1")
SHORT = ("--starts", "5", "--rounds", "1", "--runs", "1")
TWO = ("--starts", "2", "--rounds", "1", "--runs", "1")
"""For what is found by answers, clocks and processes, and needs no verdict on a difference."""


def contenders(*names: str) -> list[str]:
    """The flags that name them."""
    return [word for name in names for word in ("--contender", name)]


def statuses(run: Run) -> dict[str, str]:
    """The gate's word on each operation."""
    return {row["operation"]: row["status"] for row in reversed(run.json["gate"])}


def detail(run: Run, operation: str) -> str:
    """What the gate says about an operation."""
    return str(next(row["detail"] for row in run.json["gate"] if row["operation"] == operation))


def diverged(run: Run) -> set[tuple[str, str]]:
    """(contender, operation) pairs that the gate accuses."""
    return {
        (name, row["operation"])
        for row in run.json["gate"]
        if row["status"] == "diverged"
        for name in row["contenders"]
    }


def errors(run: Run) -> set[tuple[str, str | None]]:
    """(code, contender) of the findings that forbid something."""
    return {(f["code"], f["contender"]) for f in run.json["findings"] if f["severity"] == "error"}


def verdicts(run: Run, operation: str, metric: str = "wall_s") -> dict[str, dict[str, Any]]:
    """The verdicts on an operation, by contender."""
    return {v["contender"]: v for v in run.json["verdicts"] if (v["operation"], v["metric"]) == (operation, metric)}


def reasons(verdict: dict[str, Any]) -> dict[str, str]:
    """Texts of a verdict's reasons by code, in order."""
    return {reason["code"]: reason["text"] for reason in verdict["reasons"]}


def statements(run: Run, contender: str) -> list[dict[str, Any]]:
    """What is reported of a contender's other metrics."""
    return [one for one in run.json["metrics"] if one["contender"] == contender]


def times(run: Run, operation: str, contender: str) -> dict[int, list[float]]:
    """Seconds of every timed execution by block."""
    found: dict[int, list[float]] = {}
    for one in evidence_files.read_samples(run.evidence):
        if one.timed and one.wall_s is not None and (one.operation, one.contender) == (operation, contender):
            found.setdefault(one.block, []).append(one.wall_s)
    return found


def timed(run: Run) -> set[tuple[str, str]]:
    """(contender, operation) pairs whose times are shown."""
    return {(timing["contender"], timing["operation"]) for timing in run.json["timings"]}


def junit(weigh: Weigh, run: Run) -> dict[tuple[str, str], tuple[str, str]]:
    """What a CI server reads: by class and name of each test, how it ended (empty where it passed) and why."""
    exported = weigh("export", str(run.evidence), "--format", "junit")
    assert exported.code == 0, exported.err
    told = {}
    for suite in JUnitXml.fromstring(exported.out.encode()):
        for case in suite:
            ended = next(iter(case.result), None)
            said = str(ended.message) if ended is not None else str(case.system_out or "")
            told[case.classname, case.name] = (getattr(ended, "_tag", ""), said)
    return told


def codes(run: Run) -> list[str]:
    """Codes of the tier's reasons."""
    return [reason["code"] for reason in run.json["tier"]["reasons"]]


def suites(run: Run) -> dict[str, dict[str, Any]]:
    """The suites by contender."""
    return {suite["contender"]: suite for suite in run.json["suites"]}


def missing(run: Run, contender: str) -> dict[str, str]:
    """The members without a ratio, and why."""
    return {member["operation"]: member["why"] for member in suites(run)[contender]["missing"]}


def words(text: str) -> str:
    """A report without its line breaks, and without the tier, which stands at the end of its first line."""
    return " ".join(_BADGE.sub("", text, count=1).split())


def assert_silent(run: Run, status: str = "agreed") -> None:
    """Nobody is accused of anything; that the machine is busy, or not tuned, may be reported."""
    assert set(statuses(run).values()) == {status}, run.json["gate"]
    accusing = [
        f"{finding['code']} ({finding['operation']}): {finding['text']}"
        for finding in run.json["findings"]
        if finding["severity"] != "note" and not finding["code"].startswith(("X", "E4", "E5"))
    ]
    assert not accusing, accusing
    assert not {verdict["verdict"] for verdict in run.json["verdicts"]} & {"diverged", "error"}
    assert run.code in RAN, run.err
