"""What a replay says, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.text import one_line
from weigh.model.units import count, percent, seconds
from weigh.render.blocks import Cell, Column, Group, Lines, Part, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.replay.results import Pace, ReplayResults
    from weigh.render.blocks import Block

TITLE = "The recording"


def blocks(found: ReplayResults) -> list[Block]:
    """In sentences, and a row for each statement."""
    rows = [
        Row([
            one_line(each.template.name, 80),
            f"{each.template.calls:,}",
            percent(each.share, 1) if each.share else "not recorded",
            seconds(each.recorded_mean_s) if each.recorded_mean_s else "not recorded",
            Cell(one_line(each.template.text, 200), page=Part(one_line(each.template.text, 300), "code")),
        ])
        for each in found.templates
    ]  # fmt: skip
    columns = [
        Column("statement"),
        *(Column(one, right=True) for one in ("calls", "of the recorded time", "mean when recorded")),
        Column("text"),
    ]
    table = [Table(columns, [Group("", rows)], ("mean when recorded", "of the recorded time"))] if rows else []
    others = found.planned.other_templates
    below = [f"{count(others, 'other statement')} share their figures."] if others else []
    return [Lines(list(sentences(found)), most=1200), *table, Lines(below, css="muted")]


def sentences(found: ReplayResults) -> Iterator[str]:
    """How the replay kept to its recording, without its statements."""
    planned = found.planned
    yield (
        f"{one_line(found.trace, 80)}: {count(planned.calls, 'statement')} of {count(planned.sessions, 'session')} "
        f"over {count(planned.connections, 'connection')} at {found.speed:g}x the recorded speed, "
        f"{count(planned.transactions, 'transaction')}; trace {found.digest[:12]}."
    )
    yield from schedule(found)
    if found.left_out:
        reasons = "; ".join(f"{number:,} {why}" for why, number in planned.left_out.items())
        yield f"Not replayed: {found.left_out:,} of {found.left_out + planned.calls:,} statements: {reasons}."
    if planned.coverage:
        yield one_line(planned.coverage, 1000)
    if found.read_only:
        yield "Read only: the sessions may not write."


def schedule(found: ReplayResults) -> Iterator[str]:
    """How each run kept to the recorded times, in a sentence."""
    for one in found.paces:
        yield _pace(one, found, several=len(found.paces) > 1)


def _pace(one: Pace, found: ReplayResults, *, several: bool) -> str:
    name = f"Run {one.run}: " if several else ""
    longest = f", at most {seconds(one.longest_s)}" if one.behind and one.longest_s else ""
    speed = "" if one.speed is None else f"; speed reached {one.speed:.3g}x of {found.speed:g}x"
    return (
        f"{name}{one.behind:,} of {one.due:,} statements started more than 1 ms after their moment because their "
        f"session still waited for an answer ({percent(one.behind / max(one.due, 1), 2)}{longest}), "
        f"{one.generator:,} because the generator was late, {one.due - one.sent:,} never{speed}."
    )
