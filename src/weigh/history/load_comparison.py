"""Comparisons of loads: whether two of them offer the same to the same servers, whatever they call them (T8). Pure.

As of runs, what matters least makes no other one: the seed, how often and how long, the threads of the generator, a
name, and the port that a server was given this time.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from weigh.history.entry import digested

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.record import LoadRecord
    from weigh.load.runs import TargetRead
    from weigh.load.spec import LoadSpec

_DIGITS = 16
_DECLARED = (
    "workload", "scripts", "variables", "arrivals", "loops", "connections", "max_in_flight", "timeout_s", "records",
    "ordered_index", "fanout", "error_budget", "query_mode", "ycsb", "tpcc", "expected_interval_s", "server_cpus",
    "client_cpus", "server_memory", "cold",
)  # fmt: skip
_REPLAYED = ("digest", "product", "speed", "read_only", "prepare_digest")


def comparison(record: LoadComparisonRecord, commit: str = "") -> str:
    """The hash of what is asked of whom; empty where a server did not say what it is.

    Args:
        record: of the comparison.
        commit: that was named for the servers of which nothing tells what they were built from; not of the baseline.
    """
    spec, who = record.spec, identities(record, commit)
    if len(who) < len(spec.contenders):
        return ""
    duet = spec.duet is True
    return digested([_declared(spec.load), duet, spec.rules.margin, who[spec.baseline], sorted(who.values())])[:_DIGITS]


def identities(record: LoadComparisonRecord, commit: str = "") -> dict[str, str]:
    """What each server is, by the contender's name; those that are not known are left out.

    Several that are alike, and are compared with the baseline, keep their names: each has verdicts of its own.
    """
    spec = record.spec
    found = {}
    for arm in spec.arms:
        load = record.loads.get(arm.name)
        if load and load.environment and arm.contender not in found:
            built = "" if arm.contender == spec.baseline else commit
            found[arm.contender] = _identity(load.environment.target, spec.load, arm.target, built)
    builds = Counter(build for name, build in found.items() if name != spec.baseline)
    return {name: f"{own} {name}" if builds[own] > 1 and name != spec.baseline else own for name, own in found.items()}


def load(record: LoadRecord, commit: str = "") -> str:
    """The same of a load of one server, which is compared with none."""
    if record.environment is None:
        return ""
    who = _identity(record.environment.target, record.spec, record.spec.target, commit)
    return digested([_declared(record.spec), who])[:_DIGITS]


def _declared(spec: LoadSpec) -> dict[str, Any]:
    # Left-out values have no JSON.
    plain: Mapping[str, Any] = msgspec.to_builtins(spec)
    load_options = {key: plain.get(key) for key in _DECLARED}
    if spec.arrivals.kind == "ramp":
        # How steep it is.
        load_options["duration_s"] = spec.duration_s
    load_options["replay"] = {key: plain["replay"].get(key) for key in _REPLAYED} if "replay" in plain else None
    load_options["budgets"] = plain["find_rate"]["budgets"] if "find_rate" in plain else None
    load_options["crash"] = "crash" in plain
    if "prepare" in plain:
        load_options["prepare"] = plain["prepare"]["digest"]
    return load_options


def _identity(read: TargetRead, spec: LoadSpec, target: str, commit: str) -> str:
    """What a server is: product, version, settings in force, and what else tells it from another one."""
    settings = {name: one.get("value") for name, one in read.in_force.items()}
    url = urlsplit("" if read.embedded else target)
    where = {
        # Two builds of one version say the same of themselves.
        "commit": "" if read.embedded or read.kind == "sqlite" else commit,
        "host": "" if read.same_host is True else url.hostname or "",
        # Tables that weigh makes are the same in any database; of HTTP it is a part of the question.
        "path": "" if spec.has_tables else url.path,
    }
    tls = "" if read.tls is msgspec.UNSET else read.tls
    return digested([read.kind, read.product, read.version, settings, tls, where])[:_DIGITS]
