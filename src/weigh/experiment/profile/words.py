"""The words of a profile, for the terminal and the page. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.profile import plans
from weigh.experiment.profile.counters import SECONDS
from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from weigh.experiment.profile.counters import CounterChange
    from weigh.experiment.profile.plans import OperatorChange
    from weigh.experiment.profile.results import ProfiledChange
    from weigh.experiment.profile.stacks import FunctionChange, Functions

UNDER = "Times of operators and functions were taken under profilers: they say where time goes, and are no measurement."
KINDS = {"python": "Python functions", "native": "native functions"}
CLOCKS = {
    "python": "Wall time of the thread that executes, by Python function",
    "native": "CPU time of all threads, by function",
}


def heading(one: ProfiledChange) -> str:
    """What changed, by how much."""
    if one.ratio is None:
        return f"{one.contender} against {one.baseline}: no verdict"
    name = f"{one.verdict.upper()} " if one.verdict else ""
    change = units.percent(abs(one.ratio - 1))
    times = f", {units.seconds(one.before_s)} -> {units.seconds(one.after_s)}" if one.after_s is not None else ""
    more = "more" if one.ratio > 1 else "less"
    return f"{one.contender} {name}than {one.baseline}: {change} {more}{times}" if name.strip() in (
        "SLOWER", "FASTER"
    ) else f"{one.contender} against {one.baseline}: {name}{change} {more}{times}"  # fmt: skip


def change(seconds: float | None) -> str:
    """A change of time with its sign."""
    if seconds is None:
        return ""
    return f"{'+' if seconds >= 0 else '-'}{units.seconds(abs(seconds))}"


def operator(one: OperatorChange) -> str:
    """Its name, with what it works on."""
    return one_line(f"{one.name} ({one.detail})" if one.detail else one.name, 90)


def there(one: OperatorChange) -> str:
    """Where it is, if not on both sides."""
    return {"both": "", "contender": "new", "baseline": "gone"}[one.there]


def counter(one: CounterChange) -> str:
    """A counter before and after."""
    if one.name.endswith(SECONDS):
        return f"{one.name.removesuffix(SECONDS)}: {units.seconds(one.before)} -> {units.seconds(one.after)}"
    return f"{one.name}: {_number(one.before)} -> {_number(one.after)}"


def function_lines(one: Functions, least_s: float) -> list[FunctionChange]:
    """Functions whose change is clear and at least so many seconds, the largest first."""
    return [function for function in one.changes if function.clear and abs(function.change_s) >= least_s]


def operator_lines(one: ProfiledChange) -> list[OperatorChange]:
    """Operators whose change in time is clear and worth a line, the largest first."""
    changes = plans.ranked(one.operators or ())
    return [operator for operator in changes if operator.clear and abs(operator.change_s or 0.0) >= one.least_s]


def unknown(one: Functions) -> str:
    """The share of frames without a name, of both sides."""
    shares = [f"{share:.0%}" for share in one.unknown if share is not None]
    return f"{' and '.join(dict.fromkeys(shares))} of the frames have no name" if shares else ""


def _number(value: float) -> str:
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.4g}"
