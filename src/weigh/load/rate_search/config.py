"""``--find-rate`` and what goes with it, as a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.budgets import BUDGET_S, RateSearch, budgets
from weigh.load.rate_search.search import SHORTEST
from weigh.model.errors import UsageError
from weigh.model.units import parse_duration

if TYPE_CHECKING:
    from weigh.load.spec import Arrivals, LoadSpec

_LEAST_S = 10.0
_SHORTEST_PROBE_S = 1.0
_NO_SCHEDULES = ("ramp", "steps", "trace")


def requested(flags: dict[str, Any]) -> RateSearch | None:
    """The search; None where none is asked for.

    Args:
        flags: of the command line, by name; None where one was left out.

    Raises:
        UsageError: a budget cannot be read, or a flag contradicts the search.
    """
    if not flags.get("find_rate"):
        if flags.get("budget") is not None:
            raise UsageError(
                "--budget is the time of a rate search", remedy="add --find-rate 'p99<=20ms', or leave it out"
            )
        return None
    for name, why, remedy in (
        ("closed", "a closed loop has no rate to find", "leave --closed out: a short closed loop is made anyway"),
        ("both", "a search makes many runs, and a closed loop before them", "leave --both out"),
        ("repeats", "a search repeats itself where it matters", "leave --repeats out; --budget 15m makes more probes"),
        ("fanout", "--fanout is of one run", "leave it out, and offer the rate that is found with --rate"),
    ):
        if flags.get(name):
            raise UsageError(f"--find-rate and --{name}: {why}", remedy=remedy)
    kind = (flags.get("arrivals") or "").split(":")[0]
    if kind in _NO_SCHEDULES:
        raise UsageError(
            f"--find-rate offers one rate at a time, and {kind} has several", remedy="take constant, poisson or bursts"
        )
    found = budgets(flags["find_rate"])
    if flags.get("error_budget") is not None and any(one.q is None for one in found):
        raise UsageError("--error-budget and errors<= are the same", remedy="leave one of them out")
    budget = _time("--budget", flags["budget"], _LEAST_S) if flags.get("budget") is not None else BUDGET_S
    probe = _time("--duration", flags["duration"], _SHORTEST_PROBE_S) if flags.get("duration") is not None else None
    if probe is not None and 4 * probe > budget:
        raise UsageError(
            f"probes of {flags['duration']} leave no room for a search",
            remedy="raise --budget, or leave --duration out",
        )
    return RateSearch(budgets=found, budget_s=budget, probe_s=probe)


def searching(spec: LoadSpec, search: RateSearch, arrivals: Arrivals) -> LoadSpec:
    """The spec of a load that searches: without a rate of its own.

    Args:
        spec: as it would be at one rate.
        search: that is asked for.
        arrivals: as they were asked for; their rate is the highest to try.

    Raises:
        UsageError: there are several numbers of connections.
    """
    if len(spec.connections) > 1:
        raise UsageError("a search has one number of connections", remedy="search for each of them by itself")
    errors = search.errors
    return msgspec.structs.replace(
        spec,
        arrivals=msgspec.structs.replace(arrivals, rate=None),
        error_budget=spec.error_budget if errors is None else errors,
        find_rate=msgspec.structs.replace(search, highest=arrivals.rate),
    )


def probe_s(search: RateSearch) -> float:
    """Length of a run of which nothing else is reported."""
    return search.probe_s or SHORTEST


def _time(flag: str, text: str, least: float) -> float:
    value = parse_duration(text)
    if value < least:
        raise UsageError(f"{flag} {text} is too short for a search", remedy=f"give {least:g}s or more")
    return value
