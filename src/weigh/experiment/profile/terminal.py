"""A profile on the terminal: the largest change first, a few lines each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weigh.experiment.profile import plans, words
from weigh.model import units
from weigh.model.text import one_line
from weigh.render.terminal import FittedTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from weigh.experiment.profile.results import ProfiledChange, WhyResults

_ROWS = 4
"""Of a kind; the page has all."""
_NOTHING = "no operation is SLOWER or FASTER: there is nothing to explain; --operation NAME profiles one all the same"


def report(found: WhyResults, page: str) -> RenderableType:
    """The whole.

    Args:
        found: what was found.
        page: where the page lies; empty where none was written.
    """
    parts: list[RenderableType] = [Text(f"weigh why  {found.evidence}", style="bold")]
    if found.notice:
        parts.append(Text(one_line(found.notice)))
    if not found.changes:
        return Group(*parts, Text(_NOTHING))
    for one in found.changes:
        parts += [
            Text(),
            Text(one_line(one.operation), style="bold").append(f"  {words.heading(one)}", style="not bold"),
        ]
        parts.append(Padding(Group(*_operators(one)), (0, 0, 0, 2)))
    parts.append(Text())
    parts += [Text(one_line(note)) for note in found.notes]
    for contender, names in found.left_out.items():
        parts.append(
            Text(
                one_line(
                    f"not profiled, {contender}: {units.count(len(names), 'more change')} (--operation {names[0]})"
                )
            )
        )
    parts.append(Text(words.UNDER, style="dim"))
    parts.append(Text(f"page: {page}"))
    return Group(*parts)


def _operators(one: ProfiledChange) -> Iterable[RenderableType]:
    if one.failed:
        return [Text(f"not profiled: {one_line(one.failed)}", style="yellow")]
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    for operator in words.operator_lines(one)[:_ROWS]:
        times = f"{units.seconds(operator.before_s)} -> {units.seconds(operator.after_s)}"
        cell = words.there(operator) or times
        table.add_row("operator", words.operator(operator), words.change(operator.change_s), cell)
    for kind in one.functions:
        for function in words.function_lines(kind, one.least_s)[:_ROWS]:
            times = f"{units.seconds(function.before_s)} -> {units.seconds(function.after_s)}"
            table.add_row(f"{kind.kind}", one_line(function.name, 90), words.change(function.change_s), times)
    for counter in one.counters[:_ROWS]:
        table.add_row("counter", one_line(words.counter(counter), 90), "", "")
    parts: list[RenderableType] = (
        [FittedTable(table)] if table.row_count else [Text("nothing moved by more than executions scatter")]
    )
    return [*parts, *(Text(line, style="dim") for line in _plain(one))]


def _plain(one: ProfiledChange) -> list[str]:
    """What the plan says, and what is not available."""
    found = []
    if one.operators is not None:
        reshaped = plans.reshaped(one.operators)
        new = sum(operator.there == "contender" for operator in reshaped)
        gone = sum(operator.there == "baseline" for operator in reshaped)
        rows = len(reshaped) - new - gone
        amounts = [
            f"{many} {what}" for many, what in ((new, "new"), (gone, "gone"), (rows, "with other row counts")) if many
        ]
        found.append(
            f"plan: {', '.join(amounts)} of {units.count(len(one.operators), 'operator')}"
            if amounts
            else "plan: the same"
        )
    if one.operators_lack:
        found.append(f"not available here: {one.operators_lack}")
    for kind in one.functions:
        if kind.lacks:
            found.append(f"not available here: {words.KINDS[kind.kind]}: {kind.lacks}")
        elif any(kind.unknown):
            found.append(f"{words.KINDS[kind.kind]}: {words.unknown(kind)}")
    return [one_line(line) for line in found]
