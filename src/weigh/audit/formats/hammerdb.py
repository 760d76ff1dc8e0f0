"""HammerDB: the log of a run of TPROC-C, and its time profile as lines or as JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Latency, Published
from weigh.audit.text import number, step

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "HammerDB"
_RESULT = re.compile(r"TEST RESULT\s*:\s*System achieved ([0-9.,]+) NOPM from ([0-9.,]+) (.{0,80}?) ?TPM")
_BEFORE_4 = re.compile(r"TEST RESULT\s*:\s*System achieved ([0-9.,]+) (.{0,80}?) ?TPM at ([0-9.,]+) NOPM")
"""As versions before 4.0 print it."""
_LINE = re.compile(
    r"CALLS:\s*([\d.]+)\s+MIN:\s*([\d.]+)ms\s+AVG:\s*([\d.]+)ms\s+MAX:\s*([\d.]+)ms\s+TOTAL:\s*([\d.]+)ms\s*+"
    r"(?:>+[^\n]*\n\s*+)?(?:Vuser \d+:)?P99:\s*([\d.]+)ms\s+P95:\s*([\d.]+)ms\s+P50:\s*([\d.]+)ms"
)
_PROC = re.compile(r"PROC(?:EDURE|NAME)?\s*:\s*(\w+)")
_PROFILE = re.compile(r'"(\w{1,40})"\s{0,40}:\s{0,40}\{([^{}]{1,4000})\}')
"""A procedure of the time profile of ``jobs JOB timing``."""
_FIELD = re.compile(r'"(\w{1,20})"\s{0,40}:\s{0,40}"?(\d{1,20}(?:\.\d{1,12})?)')
_RANK = re.compile(r"p([\d]{1,3})_ms")
_OF_PROFILE = {"avg_ms", "min_ms", "max_ms"}
_MINUTE = 60.0


def recognises(text: Text) -> bool:
    """Its result, or its time profile as JSON."""
    return bool(_RESULT.search(text.text) or _BEFORE_4.search(text.text) or _documents(text.text))


def read(text: Text) -> list[Published]:
    """One result for each line that gives one; one for a time profile alone."""
    latencies = (*_profile(text.text), *_documents(text.text))
    failed = len(re.findall(r"FINISHED FAILED", text.text))
    users = text.number(r"# (?:Active )?Virtual Users configured") or text.number(r"Virtual Users = #")
    minutes = text.number(r"Timing test period of # in minutes")
    ramp = text.number(r"Rampup of? ?# MINUTES") or text.number(r"Rampup # minutes")
    warehouses = text.number(r"(?:count_ware|warehouses?) ?[=:]? ?#")
    made = []
    old = [(nopm, tpm, system) for tpm, system, nopm in _BEFORE_4.findall(text.text)]
    for nopm, tpm, system in _RESULT.findall(text.text) + old:
        new_orders, all_of_them = number(nopm) or 0.0, number(tpm) or 0.0
        wrong = []
        if all_of_them and new_orders > all_of_them:
            reason = f"{new_orders:,.0f} new orders a minute are more than all {all_of_them:,.0f} transactions"
            wrong.append(Contradiction(row="R2", text=reason))
        made.append(
            Published(
                form=NAME,
                file=text.name,
                benchmark="TPROC-C",
                system=system.strip(),
                version="",
                workload="tpcc",
                scale=warehouses,
                loop="closed",
                clients=users,
                rate=all_of_them / _MINUTE,
                seconds=minutes * _MINUTE if minutes else None,
                warm_up=ramp * _MINUTE if ramp else None,
                errors=float(failed) if "FINISHED" in text.text else None,
                latencies=latencies,
                shows={"R7": "it calls itself TPROC-C and its metric NOPM, which is no TPC result"},
                lacks={"L5": "keying and thinking times are off unless a log says otherwise: NOPM is no tpmC"},
                contradicted=tuple(wrong),
            )
        )
    if not made:
        made.append(
            Published(
                form=NAME,
                file=text.name,
                benchmark="TPROC-C, time profile",
                workload="tpcc",
                loop="closed",
                latencies=latencies,
                shows={"R7": "it names procedures, and no metric of TPC"},
            )
        )
    return made


def _documents(text: str) -> list[Latency]:
    """Those of a time profile as JSON, whose numbers are strings."""
    found = []
    for name, body in _PROFILE.findall(text):
        given = dict(_FIELD.findall(body))
        if not given.keys() >= _OF_PROFILE:
            continue
        values = {field: float(value) for field, value in given.items()}
        ranks = {field: rank[1] for field in values if (rank := _RANK.fullmatch(field))}
        found.append(
            Latency(
                name=name.lower(),
                count=values.get("calls"),
                least=values["min_ms"] * 1e-3,
                mean=values["avg_ms"] * 1e-3,
                most=values["max_ms"] * 1e-3,
                total=values["total_ms"] * 1e-3 if "total_ms" in values else None,
                percentiles={float(rank): values[field] * 1e-3 for field, rank in ranks.items()},
                step=step(given["avg_ms"], 1e-3),
            )
        )
    return found


def _profile(text: str) -> list[Latency]:
    names = _PROC.findall(text)
    found = []
    for at, values in enumerate(_LINE.findall(text)):
        count, least, mean, most, total, p99, p95, p50 = (number(value) for value in values)
        found.append(
            Latency(
                name=names[at].lower() if at < len(names) else f"procedure {at + 1}",
                count=count,
                least=(least or 0.0) * 1e-3,
                mean=(mean or 0.0) * 1e-3,
                most=(most or 0.0) * 1e-3,
                total=(total or 0.0) * 1e-3,
                percentiles={50.0: (p50 or 0.0) * 1e-3, 95.0: (p95 or 0.0) * 1e-3, 99.0: (p99 or 0.0) * 1e-3},
                step=step(values[2], 1e-3),
            )
        )
    return found
