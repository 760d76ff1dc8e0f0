"""TPC-C: the summary of numerical quantities of a full disclosure report, as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Latency, Published
from weigh.audit.text import number, step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "TPC-C full disclosure"
_KINDS = ("New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level")
_LEAST = {"Payment": 43.0, "Order-Status": 4.0, "Delivery": 4.0, "Stock-Level": 4.0}
"""Least share of each, in percent (clause 5.2.3)."""
_MOST = {"New-Order": 5.0, "Payment": 5.0, "Order-Status": 5.0, "Delivery": 5.0, "Stock-Level": 20.0}
"""Seconds that 90 % of each may take (clause 5.2.5.3)."""
_EACH = 12.86
_INTERVAL = 120.0
"""Minutes of a measurement, at least (clause 5.5.2.1)."""


def recognises(text: Text) -> bool:
    """Its metric with its transactions."""
    return bool(re.search(r"tpm-?C", text.text)) and all(kind in text.text for kind in _KINDS) and "MQ" in text.text


def read(text: Text) -> list[Published]:
    """One result."""
    orders = text.number(r"Throughput\W+# tpm-?C") or text.number(r"# tpm-?C")
    warehouses = text.number(r"[Ww]arehouses?[^\d\n]{0,80}#")
    minutes = text.number(r"[Mm]easurement [Ii]nterval[^\d\n]{0,80}#")
    ramp = text.number(r"[Rr]amp-?[Uu]p [Tt]ime[^\d\n]{0,80}#")
    times = {kind: _row(text, kind, r"[ \t]+([\d.,]+)[ \t]+([\d.,]+)[ \t]+([\d.,]+)[ \t\r]*$") for kind in _KINDS}
    mix = {kind: text.number(rf"^[ \t]*{kind}[^\d\n%]{{0,80}}#[ \t]*%") for kind in _KINDS}
    latencies = tuple(
        Latency(
            name=kind.lower(),
            mean=number(row[0]),
            most=number(row[2]),
            percentiles={90.0: number(row[1]) or 0.0},
            step=step(row[0], 1.0),
        )
        for kind, row in times.items()
        if row
    )
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark="TPC-C",
            system=text.word(r"(?:Database Manager|DBMS|Database)\W+(.+)$"),
            workload="tpcc",
            scale=warehouses,
            loop="closed",
            rate=orders / 60.0 if orders else None,
            seconds=minutes * 60.0 if minutes else None,
            warm_up=ramp * 60.0 if ramp else None,
            latencies=latencies,
            configuration="of the full disclosure report",
            shows=_shows(mix),
            contradicted=tuple(_contradictions(orders, warehouses, minutes, latencies, mix)),
        )
    ]


def _row(text: Text, kind: str, rest: str) -> tuple[str, ...]:
    found = re.search(rf"^[ \t]*{kind}{rest}", text.text, re.MULTILINE)
    return found.groups() if found else ()


def _shows(mix: dict[str, float | None]) -> dict[str, str]:
    found = {"R7": "it is a result of the TPC, if tpc.org lists it"}
    if all(value is not None for value in mix.values()):
        found["L5"] = "the mix: " + ", ".join(f"{kind} {value:g} %" for kind, value in mix.items() if value)
    return found


def _contradictions(
    orders: float | None,
    warehouses: float | None,
    minutes: float | None,
    latencies: tuple[Latency, ...],
    mix: dict[str, float | None],
) -> Iterator[Contradiction]:
    if orders and warehouses and orders > _EACH * warehouses:
        text = f"{orders:,.6g} tpmC of {warehouses:,.0f} warehouses are more than {_EACH} each (clause 4.1.3)"
        yield Contradiction(row="L5", text=text)
    for kind, least in _LEAST.items():
        share = mix.get(kind)
        if share is not None and share < least:
            yield Contradiction(
                row="L5", text=f"{kind} is {share:g} % of the mix, and clause 5.2.3 asks for {least:g} %"
            )
    for latency, (kind, most) in (
        (one, pair) for one in latencies for pair in _MOST.items() if pair[0].lower() == one.name
    ):
        if latency.percentiles[90.0] > most:
            text = f"90 % of {kind} take up to {latency.percentiles[90.0]:g} s, and clause 5.2.5.3 allows {most:g} s"
            yield Contradiction(row="L3", text=text)
    if minutes is not None and minutes < _INTERVAL:
        text = f"it was measured for {minutes:g} minutes, and clause 5.5.2.1 asks for {_INTERVAL:g}"
        yield Contradiction(row="L4", text=text)
