"""Which units become scripts, and what they cover."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from weigh.capture.entry import sentence
from weigh.capture.results import CaptureResults, Covered, LeftOut, ScriptFound
from weigh.capture.script import Script, name_of, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.capture.arrivals import Fit
    from weigh.capture.entry import Tally
    from weigh.capture.results import Thinking
    from weigh.capture.statements import Statements
    from weigh.capture.trace import Header
    from weigh.capture.units import Unit

_TOPS = (1, 3, 5, 10, 20, 50, 100)
_LARGEST_WEIGHT = (1 << 32) - 1
"""That the generator takes."""


@dataclass(kw_only=True)
class Captured:
    """What was read, before it is chosen from.

    Attributes:
        statements: of the source.
        units: of its calls.
        tally: of what was left out.
        protocol: in which most calls were sent.
        arrivals: their law; None where there are no moments.
        header: of the trace; None where there is none.
        sessions, transactions: how many; None where that is not known.
        counted_s: seconds that the calls are of; None where that is not known.
        thinking: of sessions.
        notes: what else must be known.
        scripts: as they are written, in the order of :attr:`weigh.capture.results.CaptureResults.scripts`.
    """

    statements: Statements
    units: list[Unit]
    tally: Tally
    protocol: Literal["prepared", "simple"]
    arrivals: Fit | None
    header: Header | None
    sessions: int | None = None
    transactions: int | None = None
    counted_s: float | None = None
    thinking: Thinking | None = None
    notes: list[str] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)


def selected(captured: Captured, cover: float, top: int, form: str, files: tuple[str, ...]) -> CaptureResults:
    """The scripts that cover as much as is asked for, the most expensive first, and what is left out.

    Args:
        captured: what was read; gets its scripts.
        cover: share of calls and of time.
        top: scripts at most.
        form: of the source.
        files: its names.
    """
    known = captured.statements
    calls, time_s = known.calls, known.time_s if known.timed else None

    def cost(unit: Unit) -> tuple[float, int]:
        return (unit.time_s, unit.calls) if time_s else (unit.calls * len(unit.statements), unit.calls)

    ready = [unit for unit in captured.units if unit.calls and unit.drawable]
    for unit in captured.units:
        if unit.calls and not unit.drawable:
            captured.tally.add("no-values", unit.calls * len(unit.statements))
    by_cost = sorted(ready, key=cost, reverse=True)
    by_calls = sorted(ready, key=lambda unit: unit.calls * len(unit.statements), reverse=True)
    chosen: dict[int, Unit] = {}

    def choose(order: list[Unit], share: Callable[[Unit], float]) -> None:
        reached = sum(share(unit) for unit in chosen.values())
        for unit in order:
            if reached >= cover or len(chosen) >= top:
                break
            if id(unit) not in chosen:
                chosen[id(unit)] = unit
                reached += share(unit)

    # As much of the time as is asked for, then as much of the calls.
    if time_s:
        choose(by_cost, lambda unit: _time(unit, time_s))
    choose(by_calls, lambda unit: _calls(unit, calls))
    units = sorted(chosen.values(), key=cost, reverse=True)
    rare = sum(unit.calls * len(unit.statements) for unit in ready if id(unit) not in chosen)
    if rare:
        captured.tally.add("rare", rare)
    found = [_script(number, unit, captured, calls, time_s) for number, unit in enumerate(units, 1)]
    return CaptureResults(
        form=form,
        files=() if known.obfuscation else files,
        product=known.product,
        begun=captured.header.begun if captured.header else None,
        length_s=captured.counted_s,
        calls=calls,
        time_s=time_s,
        sessions=captured.sessions,
        transactions=captured.transactions,
        protocol=captured.protocol,
        coverage=_coverage(units, calls, time_s),
        scripts=tuple(found),
        statements=known.found(),
        arrivals=captured.arrivals,
        thinking=captured.thinking,
        left_out=tuple(
            LeftOut(reason=reason, number=number, text=sentence(reason, number))
            for reason, number in captured.tally.numbers.most_common()
        ),
        notes=tuple(captured.notes),
        trace=captured.header is not None,
        obfuscation=known.obfuscation.key if known.obfuscation else None,
    )


def _calls(unit: Unit, calls: int) -> float:
    return unit.calls * len(unit.statements) / calls if calls else 0.0


def _time(unit: Unit, time_s: float | None) -> float:
    return unit.time_s / time_s if time_s else 0.0


def _coverage(units: list[Unit], calls: int, time_s: float | None) -> tuple[Covered, ...]:
    """Of all scripts, then of the first few of them."""
    sizes = [len(units), *(top for top in _TOPS if top < len(units))]
    return tuple(
        Covered(
            scripts=size,
            calls=sum(_calls(unit, calls) for unit in units[:size]),
            time=sum(_time(unit, time_s) for unit in units[:size]) if time_s else None,
        )
        for size in sizes
    )


def _script(number: int, unit: Unit, captured: Captured, calls: int, time_s: float | None) -> ScriptFound:
    known = captured.statements
    statements = [known.statements[one] for one in unit.statements]
    does = [one.does for one in statements]
    inserts = [known.templates[one].first == "INSERT" for one in unit.statements]
    # Only there rising numbers are new keys: an update may go through the rows in order, and comes again.
    written = [flag for flag, one in zip(inserts, statements, strict=True) for _ in one.forms]
    distributions = unit.distributions(written=written)
    pauses = tuple(total / times if times else 0.0 for total, times in unit.pauses)
    name = name_of(number, statements, does)
    share, took = _calls(unit, calls), _time(unit, time_s) if time_s else None
    comment = f"{unit.calls} times: {share:.2%} of the calls" + ("" if took is None else f", {took:.2%} of the time")
    script = write(name, statements, unit.first, unit.groups, distributions, pauses, captured.protocol, [comment])
    captured.scripts.append(script)
    return ScriptFound(
        name=name,
        weight=min(unit.calls, _LARGEST_WEIGHT),
        calls_share=share,
        time_share=took,
        statements=unit.statements,
        parameters=tuple(distributions),
        groups=tuple(unit.groups),
        pauses_s=pauses,
    )
