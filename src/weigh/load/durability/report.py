"""What crashes say, for people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from weigh.load.durability.results import crashes, share
from weigh.model.text import one_line
from weigh.model.units import count, seconds
from weigh.render.blocks import Lines, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.durability.record import Account
    from weigh.load.durability.results import CrashFigures, Durability
    from weigh.render.blocks import Block

TITLE = "Crashes of the server"
_HEADINGS = (
    "crash in run", "acknowledged", "lost", "unanswered, found", "rows gone, torn or strange", "first answer",
    "p99 back",
)  # fmt: skip


def lines(found: Durability) -> Iterator[str]:
    """The same in sentences, each on a line of its own."""
    yield _verdict(found)
    if found.total:
        yield _counts(found.total)
    yield from _recovery(found)
    if found.undurable:
        although = "" if found.losing else ", though these crashes show nothing of it"
        yield f"By its settings it is not durable{although}: {'; '.join(found.undurable)}."
    for one in found.limitations:
        yield f"Not shown: {one}."


def _verdict(found: Durability) -> str:
    made = f"{crashes(len(found.crashes))} by {one_line(found.by, 80)}, one in each run"
    if not found.counted:
        return f"{made}: nothing could be counted afterwards."
    if not found.losing:
        return f"Nothing that was acknowledged was lost in {made}; {share(found)}."
    return f"NOT DURABLE: {found.losing} of {made}, lost or damaged what was acknowledged; {share(found)}."


def _counts(total: Account) -> str:
    text = (
        f"Read back: {count(total.rows, 'row')}. Of {total.acknowledged:,} acknowledged {total.unit} {total.lost:,} "
        f"were lost; of {total.unanswered:,} that were never answered {total.found:,} were there"
    )
    wrong = [
        f"{count(number, 'row')} {what}"
        for number, what in ((total.missing, "gone"), (total.torn, "torn"), (total.strange, "that nobody wrote"))
        if number
    ]
    return f"{text}; {', '.join(wrong) if wrong else 'no row was torn'}."


def _recovery(found: Durability) -> Iterator[str]:
    if found.down_s:
        each = _each(found.down_s)
        yield f"Until the first answer, from when it was told to start: {each}."
    levels = [one.recovery for one in found.crashes if one.recovery.level_s is not None]
    if not levels:
        return
    bound = "the upper end of its interval before" if all(one.resolved for one in levels) else "the slowest before"
    text = f"From there until the p99 was at or below {bound}: "
    text += _each(found.back_s) if found.back_s else ""
    if late := [one.recovery for one in found.crashes if one.recovery.back_s is None]:
        watched = min(one.watched_s for one in late)
        text += (
            f"{'; ' if found.back_s else ''}not after {crashes(len(late))}, watched for {seconds(watched)} or longer"
        )
    yield f"{text}. The time in which weigh read everything back is left out; it may have warmed the server's caches."


def _each(values: tuple[float, ...]) -> str:
    if len(values) == 1:
        return seconds(values[0])
    ordered = sorted(values)
    middle = ordered[len(ordered) // 2]
    return f"median {seconds(middle)}, from {seconds(ordered[0])} to {seconds(ordered[-1])}"


def blocks(found: Durability) -> list[Block]:
    """The sentences, and a row for each crash."""
    table = words(_HEADINGS, [_row(one) for one in found.crashes], label=None)
    below = "The figures of each run below are of the part before its crash."
    return [Lines(list(lines(found)), most=1000), replace(table, form="page"), Lines([below], css="muted", form="page")]


def _row(one: CrashFigures) -> tuple[str, ...]:
    account, recovery = one.account, one.recovery
    back = "" if recovery.back_s is None else seconds(recovery.back_s)
    if recovery.back_s is None and recovery.level_s is not None:
        back = f"not within {seconds(recovery.watched_s)}"
    return (
        f"{one.run}, after {seconds(one.at)}",
        f"{account.acknowledged:,}" if account else "not counted",
        f"{account.lost:,}" if account else "",
        f"{account.found:,} of {account.unanswered:,}" if account else "",
        f"{account.missing + account.torn + account.strange:,}" if account else "",
        one_line(one.failed, 200) or ("" if recovery.down_s is None else seconds(recovery.down_s)),
        back,
    )
