"""What is to be reported of a load's answers. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.gate.as_text import Otherwise
    from weigh.load.gate.results import GateResults
    from weigh.load.gate_events import ReadBack
    from weigh.load.spec import LoadSpec
    from weigh.model.finding import Finding
    from weigh.model.verdict import Reason

_LISTED = 3
"""Statements, requests and rows that are named; the document has them all."""
_TWICE = re.compile(r"^node (\S+): \1 ")
_WITHOUT = "add --answers FILE with answers that you have checked (--pin FILE writes them)"
UNASKED = {
    "http": "say with --expect what every answer must be: of HTTP none is asked before the clock",
    "clickhouse": "compare some of its answers by hand: weigh asks none of ClickHouse before the clock",
    "cql": "compare some of its answers by hand: weigh asks none of CQL before the clock",
}
"""Kinds of servers whose answers are not asked before the clock -> what to do instead."""
_INVARIANT = "-- invariant: SELECT ... = VALUE"


def findings(found: GateResults | None, spec: LoadSpec, runs: int, kind: str = "") -> Iterator[Finding]:
    """What is to be reported of the answers; of a kind of server, some of which nobody asks before the clock."""
    if found is not None:
        yield from _wrong(found, spec)
        for one in found.otherwise:
            yield _otherwise(one)
    missing = unchecked(found, spec, runs)
    if missing:
        yield codes.A8_UNCHECKED.finding(
            text=f"{missing}. A server that answers wrongly, or with too few rows, would look fast",
            remedy=UNASKED.get(kind) or _WITHOUT + f"; and {_INVARIANT} in a script that writes",
        )


def _otherwise(one: Otherwise) -> Finding:
    """What a statement does otherwise than the same text would, as pgbench sends it where nobody asks for more."""
    given = ", ".join("NULL" if value is None else value for value in one.parameters)
    text = f"line {one.statement.line} with {given}: {one.what}"
    simple = "take --protocol simple, which sends the text as pgbench does"
    if one.types:
        return codes.L11_TYPES.finding(
            operation=one.statement.script,
            text=text,
            remedy=f"write a cast, :n::int, so that the server need not guess; or {simple}",
        )
    if one.text.kind == "error":
        return codes.L11_REFUSED.finding(
            operation=one.statement.script,
            text=text,
            remedy="nothing is to be done for a load of prepared statements; pgbench refuses the script as it is",
        )
    return codes.L11_ANSWER.finding(
        operation=one.statement.script,
        text=f"{text}: the load does other work than the script says",
        remedy=f"write a cast, :n::int or :n::text, and it means the same both ways; or {simple}",
    )


_BROKEN_OFF = ". What was broken off in the middle leaves half of its work where it is no transaction: BEGIN, COMMIT"


def _wrong(found: GateResults, spec: LoadSpec) -> Iterator[Finding]:
    for one in found.diverged:
        yield codes.A1_STATEMENT.finding(
            operation=one.script,
            text=f"line {one.line}: {one.detail}",
            remedy="nothing was measured: mend the server, or the answers that it is compared with",
        )
    for broken in found.broken:
        when = f"after run {broken.run}" if broken.after else f"before run {broken.run}"
        text = f"{when}, {broken.statement}"
        if broken.after:
            yield codes.L6_INVARIANT.finding(
                text=text,
                remedy="writes were lost, or done twice, or by others meanwhile: its figures are those of other work"
                + (_BROKEN_OFF if spec.crash or spec.disturbances else ""),
            )
        else:
            mend = (
                "drop the schema weigh_tpcc, and it is loaded anew" if spec.tpcc else "mend the data, or the invariant"
            )
            yield codes.L6_BROKEN.finding(text=text, remedy=f"nothing was measured: {mend}")
    for back in found.read_back:
        if back.wrong:
            yield codes.L6_WRONG.finding(
                text=f"after run {back.run}, {back.wrong:,} of {back.read:,} rows that were read back "
                f"{'contradicts' if back.wrong == 1 else 'contradict'} what was acknowledged: "
                + "; ".join(back.texts[:_LISTED]),
                remedy="the server loses updates or serves stale values; its figures are those of less work",
            )
        if back.missing:
            yield codes.L6_MISSING.finding(
                text=f"after run {back.run}, {back.missing:,} of {back.read:,} rows that were read back "
                f"{'is' if back.missing == 1 else 'are'} gone: {'; '.join(back.texts[:_LISTED])}",
                remedy="the server loses rows; its figures are those of less work",
            )
        if unread := _not_read(back):
            yield codes.L6_UNREAD.finding(
                text=unread,
                remedy="look into its log, start it, and run again: whether it kept what was not read, nobody knows",
            )
    for drawn in found.sampled:
        if drawn.differ and not drawn.inapplicable:
            yield codes.A3_SAMPLED.finding(
                text=f"run {drawn.run}: {len(drawn.differ)} of {count(drawn.requests, 'request')} that were drawn at "
                f"random had another answer when they were asked again: {'; '.join(drawn.differ[:_LISTED])}",
                remedy="the server answers wrongly under load, or somebody else wrote to its tables meanwhile",
            )


def _not_read(back: ReadBack) -> str:
    """What could not be read back after a run, which is no wrong answer; empty where everything could be."""
    if back.error:
        return f"after run {back.run} none of the written keys could be read back: {_plain(back.error)}"
    if not back.failed:
        return ""
    # Behind the name of the row; of what else is not right they are other texts.
    whys = [] if back.wrong or back.missing else [_plain(text.partition(": ")[2]) for text in back.texts]
    why = "; ".join([one for one in dict.fromkeys(whys) if one][:_LISTED])
    rest = f", the other {back.right:,} are right" if back.right and not back.wrong and not back.missing else ""
    return f"after run {back.run}, {back.failed:,} of {back.read:,} written keys could not be read back{rest}" + (
        f" ({why})" if why else ""
    )


def _plain(error: str) -> str:
    """An error of the generator without the code that it does not have, and with the node named once."""
    return _TWICE.sub(r"node \1 ", error.strip().removesuffix("()").rstrip())


def unchecked(found: GateResults | None, spec: LoadSpec, runs: int) -> str:
    """Whose answers nobody checked, in a sentence; empty where somebody did."""
    if spec.tpcc:
        return found.unguarded(runs) if found else "nobody asked what must hold of the tables"
    if not spec.scripts:
        return _unread(found)
    if found is None or not found.statements:
        why = f" ({found.unasked})" if found and found.unasked else ""
        return f"nobody checked what the server answered to the scripts{why}"
    parts = []
    if missing := found.unchecked:
        names = ", ".join(f"{one.script} line {one.line}" for one in missing[:_LISTED])
        names += f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
        total = count(len(found.statements), "statement")
        parts.append(
            f"nobody checked what the server answered to {len(missing)} of {total}: {names} ({missing[0].detail})"
        )
    if why := found.unguarded(runs):
        parts.append(why)
    return "; ".join(parts)


def _unread(found: GateResults | None) -> str:
    """Of YCSB: whether every run was read back."""
    if found is None:
        return ""
    whys = [(one.run, why) for one in found.read_back if (why := one.error or one.unknown)]
    return f"after run {whys[0][0]} nothing was read back ({whys[0][1]})" if whys else ""


def reasons(found: GateResults | None, spec: LoadSpec, runs: int) -> Iterator[Reason]:
    """Why the answers let the evidence be suggestive at most."""
    if missing := unchecked(found, spec, runs):
        yield codes.A8.reason(missing)
