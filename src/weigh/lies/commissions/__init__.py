"""How each lie is committed, and which are not, with the reason."""

from __future__ import annotations

from weigh.lies.commissions import answers, data, load, machine, report, time

COMMISSIONS = {
    **answers.COMMISSIONS,
    **data.COMMISSIONS,
    **machine.COMMISSIONS,
    **load.COMMISSIONS,
    **time.COMMISSIONS,
    **report.COMMISSIONS,
}
"""By the id of the lie."""

ELSEWHERE = {**data.ELSEWHERE, **machine.ELSEWHERE, **load.ELSEWHERE, **time.ELSEWHERE, **report.ELSEWHERE}
"""Lies that are not committed: weigh's own tests commit them. Why not here, one sentence."""

__all__ = ["COMMISSIONS", "ELSEWHERE"]
