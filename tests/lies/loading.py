"""Loads as the lies commit them: small, short, against an honest server or a proxy that lies in front of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from support.command import Run

YCSB = ("ycsb-a", "--records", "200", "--quiet", "--json", "--connections", "4")
"""Half of it writes, to few records: what is forgotten is read again soon."""
GENTLE = (*YCSB, "--rate", "100", "--duration", "2s")
"""A rate that a machine busy with other tests can keep."""
HONEST_CODES = {
    "L4.not_steady", "L4.cycles", "L4.warm_up", "L8.kind", "L2.closed", "E4.apart", "E4.allowed", "E4.before",
    "D7.memory", "E2.overlay", "E2.host", "A8.unchecked",
}  # fmt: skip
"""Said of short and busy runs, of small data, of scripts and of both loops, by way of information; of a server behind a
proxy, which cannot be distinguished from others; and where contention is allowed."""


def accused(run: Run) -> set[str]:
    """Codes of the findings that accuse somebody; what is wrong with this machine (E5) accuses nobody."""
    return {code for code in run.codes if code not in HONEST_CODES and not code.startswith("E5.")}


def refusals(run: Run, number: int = 0) -> set[str]:
    """Codes for which a run is refused; the tests alongside it may keep the generator from being in time."""
    return {reason["code"] for reason in run.json["runs"][number]["reasons"]} - {"E8.late", "E8.saturated"}


def response(run: Run, number: int = 0) -> dict[str, Any]:
    """Response times of a run, all operations together."""
    found: dict[str, Any] = run.json["runs"][number]["operations"][0]["response"]
    return found
