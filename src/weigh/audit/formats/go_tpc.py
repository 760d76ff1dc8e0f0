"""go-tpc and tiup bench: the summary of TPC-C at its end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Latency, Published, Rate
from weigh.audit.text import number, percentile, step

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "go-tpc"
_SUMMARY = re.compile(r"\[Summary\] (\w+) - Takes\(s\): ([\d.]+), Count: (\d+), TPM: ([\d.]+), (.*)$", re.MULTILINE)
_FIELD = re.compile(r"(?:\b([\d.]{1,12})th|(Sum|Avg|Max))\(ms\): ([\d.]+)")
_MINUTE = 60.0
_EACH = 12.86
"""New orders a minute that a warehouse can have with keying and thinking times (TPC-C, clause 4.1.3)."""


def recognises(text: Text) -> bool:
    """A line of its summary."""
    return bool(_SUMMARY.search(text.text))


def read(text: Text) -> list[Published]:
    """One result."""
    latencies, rates, errors = [], [], 0.0
    for name, took, count, rate, rest in _SUMMARY.findall(text.text):
        if name.endswith("_ERR"):
            errors += number(count) or 0.0
            continue
        latencies.append(_latency(name.lower(), number(count), rest))
        rates.append(
            Rate(
                name=name.lower(),
                count=number(count) or 0.0,
                seconds=number(took) or 0.0,
                rate=(number(rate) or 0.0) / _MINUTE,
            )
        )
    warehouses, orders = text.number(r"--warehouses[ =]#"), text.number(r"tpmC: #")
    efficiency = text.number(r"efficiency: #%")
    wrong = []
    if efficiency is not None and efficiency > 100.0:
        reason = (
            f"an efficiency of {efficiency:g} % is more than all: with keying and thinking times a warehouse has at "
        )
        wrong.append(Contradiction(row="L5", text=f"{reason}most {_EACH} new orders a minute"))
    elif orders and warehouses and orders > _EACH * warehouses:
        reason = f"{orders:,.6g} tpmC of {warehouses:.0f} warehouses are more than the {_EACH * warehouses:,.6g} that "
        wrong.append(Contradiction(row="L5", text=f"{reason}keying and thinking times leave: this is no tpmC"))
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark="TPC-C",
            workload="tpcc",
            scale=warehouses,
            loop="closed",
            clients=text.number(r"--threads[ =]#") or text.number(r"-T #"),
            rate=sum(one.rate for one in rates) or None,
            seconds=max((one.seconds for one in rates), default=None),
            errors=errors,
            latencies=tuple(latencies),
            rates=tuple(rates),
            lacks={"L6": "its consistency conditions are a command of their own (check), which left nothing here"},
            contradicted=tuple(wrong),
        )
    ]


def _latency(name: str, count: float | None, rest: str) -> Latency:
    fields = {rank or what: value for rank, what, value in _FIELD.findall(rest)}
    times = {key: (number(value) or 0.0) * 1e-3 for key, value in fields.items()}
    return Latency(
        name=name,
        count=count,
        mean=times.get("Avg"),
        most=times.get("Max"),
        total=times.get("Sum"),
        percentiles={rank: value for key, value in times.items() if (rank := percentile(key)) is not None},
        step=step(fields.get("Avg", "0"), 1e-3),
        coarse=True,
    )
