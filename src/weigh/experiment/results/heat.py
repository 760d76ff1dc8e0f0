"""Heat: what an experiment's attempts recorded about the temperature of its data, judged together. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.experiment.results import cold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.record import Record
    from weigh.experiment.results.cold_proof import Account
    from weigh.model.finding import Finding


class Heat(NamedTuple):
    """What is shown, and what is not.

    Attributes:
        accounts: of cold and first executions, in the order of the tables.
        refused: which of them are not what they are called, as the judge takes it.
        findings: about these, and about what cannot be excluded.
        assumed: why the temperature is not proven; None where it is, and empty where nothing was recorded about it.
    """

    accounts: tuple[Account, ...]
    refused: cold.Unproven
    findings: tuple[Finding, ...]
    assumed: str | None


def heat(attempts: Sequence[Record]) -> Heat:
    """The heat of all attempts together.

    Args:
        attempts: records, oldest first.
    """
    latest = attempts[-1]
    readings = [cold.Attempt(one.attempt, one.samples, one.warmths, one.drives) for one in attempts]
    asked = [one.operation for one in latest.gate.operations] if latest.gate else []
    order = {name: place for place, name in enumerate(asked)}
    cast = [latest.spec.baseline, *(one.name for one in latest.spec.contenders)]
    accounts = sorted(
        cold.accounts(readings),
        key=lambda one: (
            latest.spec.temperatures.index(one.temperature),
            order.get(one.operation, len(order)),
            cast.index(one.contender),
        ),
    )
    drives = [drive for record in attempts for drive in record.drives]
    return Heat(
        accounts=tuple(accounts),
        refused=cold.unproven(accounts),
        findings=tuple(cold.findings(accounts, drives)),
        assumed=cold.assumed(readings, accounts),
    )
