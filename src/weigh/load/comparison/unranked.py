"""What forbids a verdict whatever the figures show: durability, rows, lives, runs, percentiles. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.load.analysis.isolation import of_isolation
from weigh.load.analysis.validity import MISSED
from weigh.load.comparison.figures import Kind
from weigh.load.comparison.metrics import PERCENTILES
from weigh.load.isolation.results import refusals
from weigh.model import codes
from weigh.model.rules import MIN_STARTS
from weigh.model.units import count, quantity
from weigh.statistics.percentiles import LEAST_EXCEEDANCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.comparison.figures import BlockRun, Question
    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.record import LoadRecord, RowsRead
    from weigh.model.verdict import Reason
    from weigh.verdict import question
    from weigh.verdict.refusals import Refusals

_FORCED = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "journal_mode": "WAL",
    "synchronous": "EXTRA",
}
"""Settings that decide what an acknowledged write survives, and the value under which it survives everything."""
_READ_ONLY = ("ycsb-c",)
_HTTP = ("http://", "https://")
_SAFE = ("GET", "HEAD", "OPTIONS")
_OTHERS = (codes.E4_CONTENDED.code, codes.E4_STEAL.code, codes.E8_LATE.code, codes.E8_CLOCK.code)
"""Reasons for which a run is refused that are the machine's, and not the server's."""
_UPDATES = ("A", "B", "C", "F")
"""YCSB workloads that add no rows."""
_LOST = 1
"""Runs of a contender in an attempt that the machine may spoil; they are left out."""


def unranked(
    records: Sequence[LoadComparisonRecord], runs: Sequence[BlockRun], questions: Sequence[Question]
) -> tuple[Refusals, ...]:
    """Every reason, the gravest first."""
    last = records[-1]
    spec = last.spec
    others = [one.name for one in spec.contenders if one.name != spec.baseline]

    def of_all(found: Mapping[str, Reason]) -> Refusals:
        return {(asked, who): why for asked in questions for who, why in found.items()}

    return (
        of_all({name: why for name in others if (why := _unlike_rows(records, name))}),
        of_all({name: why for name in others if (why := _unlike_durability(last, name))}),
        of_all({name: why for name in others if (why := _unlike_consistency(last, name))}),
        of_all({name: why for name in others if (why := _unlike_isolation(last, name))}),
        _refused_runs(runs, questions),
        _unresolved(runs, questions),
    )


def writes(record: LoadComparisonRecord) -> bool:
    """Whether the load may write anything: only then it matters what an acknowledged write survives."""
    load = record.spec.load
    if load.replay:
        planned = (one.replay.planned for one in record.loads.values() if one.replay)
        return any(one.writes for one in planned)
    if load.scripts and all(one.target.startswith(_HTTP) for one in record.spec.contenders):
        return not all(_only_asks(one.text) for one in load.scripts)
    built_in = all(not one.text and one.name == "select-only" for one in load.scripts) and bool(load.scripts)
    return not built_in and load.workload not in _READ_ONLY


def _only_asks(script: str) -> bool:
    """Whether every request of a script of HTTP is one that asks for nothing to be changed (RFC 9110, 9.2.1).

    Where a request may begin, one of those methods has to stand: a semicolon in quotes is taken for the end of one, and
    what is not understood for what writes.
    """
    text = re.sub(r"(?m)^\s*--.*$", "", re.sub(r"\\.*", ";", script))
    requests = [one.split(None, 1)[0] for one in text.split(";") if one.strip()]
    return bool(requests) and all(one in _SAFE for one in requests)


def _load(record: LoadComparisonRecord, contender: str) -> LoadRecord | None:
    """The load of a contender's first arm."""
    return record.loads.get(contender)


def _unlike_durability(record: LoadComparisonRecord, contender: str) -> Reason | None:
    """That acknowledged writes survive different failures here and there."""
    loads = [_load(record, one) for one in (contender, record.spec.baseline)]
    if not writes(record) or None in loads:
        return None
    own, base = (one for one in loads if one)
    known = {name: one.durable for name, one in ((contender, own), (record.spec.baseline, base))}
    unknown = [name for name, one in known.items() if one is None]
    if unknown:
        return codes.E7_UNEQUAL.reason(
            f"whether {' and '.join(unknown)} {'keeps' if len(unknown) == 1 else 'keep'} acknowledged writes is not "
            "known, so equal durability is not shown"
        )
    lost = [_kinds(one) for one in (own, base)]
    if lost[0] == lost[1]:
        return None
    sentences = [
        f"{name}: {'; '.join(what) if what else 'keeps every acknowledged write'}"
        for name, what in ((contender, own.undurable), (record.spec.baseline, base.undurable))
    ]
    return codes.E7_UNEQUAL.reason(f"acknowledged writes survive different failures. {'. '.join(sentences)}")


def _unlike_consistency(record: LoadComparisonRecord, contender: str) -> Reason | None:
    """That a request waits for more replicas here than there, whether it reads or writes."""
    levels = {}
    for name in (contender, record.spec.baseline):
        load = _load(record, name)
        target = load.environment.target if load and load.environment else None
        levels[name] = target.consistency if target else msgspec.UNSET
    # A server without replicas is another kind of store, which is reported by itself.
    if len(set(levels.values())) == 1 or msgspec.UNSET in levels.values():
        return None
    listed = " and ".join(f"{name} has {level}" for name, level in levels.items())
    return codes.E7_UNEQUAL.reason(f"requests wait for other numbers of replicas, which is other work: {listed}")


def _unlike_isolation(record: LoadComparisonRecord, contender: str) -> Reason | None:
    """That transactions were isolated otherwise here and there, or less than they were said to be."""
    loads = {name: _load(record, name) for name in (contender, record.spec.baseline)}
    found = {name: runs for name, one in loads.items() if one and (runs := of_isolation(one))}
    for name, runs in found.items():
        for run in runs:
            for why in refusals(run):
                return codes.L12_UNEQUAL.reason(f"{name}: {why.text}")
    levels = {
        name: sorted({run.declared or "a level it does not name" for run in runs}) for name, runs in found.items()
    }
    if len(levels) == len(loads) and len({tuple(one) for one in levels.values()}) > 1:
        told = ", ".join(f"{name} at {' and '.join(one)}" for name, one in levels.items())
        return codes.L12_UNEQUAL.reason(f"transactions are isolated otherwise, which is other work: {told}")
    return None


def _kinds(record: LoadRecord) -> frozenset[str]:
    """What may be lost, each in the words of the setting that decides it."""
    return frozenset(record.undurable)


def equal_durability(record: LoadComparisonRecord, contender: str) -> str:
    """The setting that would make a contender and the baseline lose as much: a remedy."""
    if _unlike_consistency(record, contender):
        return "declare the same ?consistency= for both, over the same number of replicas"
    loads = {name: one for name in (contender, record.spec.baseline) if (one := _load(record, name))}
    unknown = [name for name, one in loads.items() if one.durable is None]
    if any(one.target.startswith(_HTTP) for one in record.spec.contenders if one.name in unknown):
        return "HTTP does not tell what a server keeps: compare requests that only ask (GET, HEAD, OPTIONS)"
    if unknown:
        return f"let the user of the load read the settings of {' and '.join(unknown)}, or compare what only reads"
    wanted = []
    for name in (contender, record.spec.baseline):
        load = _load(record, name)
        settings = [one.partition(" is ")[0] for one in load.undurable] if load else []
        named = "&".join(dict.fromkeys(f"{one}={_FORCED[one]}" for one in settings if one in _FORCED))
        if named:
            wanted.append(f"?{named} on {name}")
    if wanted:
        return f"make them equal: {', '.join(wanted)}; or give both the same setting"
    return "give both the same settings of durability, or compare what only reads"


def _unlike_rows(records: Sequence[LoadComparisonRecord], contender: str) -> Reason | None:
    """The first difference between the rows of a contender's servers and those of the baseline's in the same block."""
    for record in records:
        base = {(one.when, block, kind): one for one, block, kind in _rows(record, record.spec.baseline)}
        for one, block, kind in _rows(record, contender):
            other = base.get((one.when, block, kind))
            difference = _difference(one, other, _comparable(record, one.when)) if other else ""
            if difference:
                when = f"before block {block}" if one.when == "before" else f"after block {block}"
                return codes.A4_SERVERS.reason(
                    f"{contender} holds other rows than {record.spec.baseline} {when}: {difference}"
                )
    return None


def _rows(record: LoadComparisonRecord, contender: str) -> Iterator[tuple[RowsRead, int, Kind]]:
    """What the servers of a contender's first arm held before and after runs, with block and kind of the run."""
    load = _load(record, contender)
    if load is None:
        return
    runs = {run.number: run for run in load.runs}
    for one in load.rows:
        run = runs.get(one.run)
        if run is not None and not one.unread:
            yield one, run.repeat, Kind(run.connections, run.loop)


def _comparable(record: LoadComparisonRecord, when: str) -> Literal["values", "numbers", "nothing"]:
    """What of the rows must be the same for all.

    Before a run it is everything, and after it where the load only reads. Where it writes to the rows that are there,
    which write came last depends on time: their number remains. What adds rows adds as many as were asked for in time.
    """
    if when == "before" or not writes(record):
        return "values"
    return "numbers" if record.spec.load.letter in _UPDATES else "nothing"


def _difference(one: RowsRead, other: RowsRead, what: str) -> str:
    """What two servers hold differently; empty where nothing."""
    for table in sorted(one.tables.keys() | other.tables.keys()) if what != "nothing" else ():
        own, its = one.tables.get(table), other.tables.get(table)
        if own is None or its is None:
            return f"the table {table} is in one of them only"
        if own.rows != its.rows:
            return f"{table} has {own.rows:,} rows, and there {its.rows:,}"
        if what == "values" and own.digest != its.digest:
            return f"{table} has {own.rows:,} rows in both, and other values in them"
    return ""


def of_few_lives(runs: Sequence[BlockRun], contender: str) -> bool:
    """Whether the blocks of a contender are not fresh lives of its server: what they show holds for these lives."""
    by_arm: dict[tuple[int, str], list[BlockRun]] = defaultdict(list)
    for one in runs:
        if one.contender == contender:
            by_arm[one.attempt, one.arm].append(one)
    blocks = sum(len({one.block for one in own}) for own in by_arm.values())
    lives = sum(len({one.run.life for one in own}) for own in by_arm.values())
    return bool(by_arm) and lives < min(blocks, MIN_STARTS)


def _refused_runs(runs: Sequence[BlockRun], questions: Sequence[Question]) -> Refusals:
    """Contenders of whom a run is refused: the others would be the lucky ones."""
    found: dict[tuple[question.Question, str], Reason] = {}
    for kind in dict.fromkeys(one.kind for one in runs):
        by_contender: dict[str, list[BlockRun]] = defaultdict(list)
        for one in runs:
            if one.kind == kind:
                by_contender[one.contender].append(one)
        for name, own in by_contender.items():
            why = _of_runs(name, own)
            if why is not None:
                found |= {(asked, name): why for asked in questions if asked.kind == kind}
    return found


def _of_runs(contender: str, own: Sequence[BlockRun]) -> Reason | None:
    bad = [one for one in own if one.run.refused]
    by_code: dict[str, list[BlockRun]] = defaultdict(list)
    for one in bad:
        by_code[one.run.reasons[0].code].append(one)
    missed = by_code.get(codes.L2_RATE.code)
    if missed:
        target = missed[0].run.rate_target or 0.0
        return codes.L2_UNEQUAL.reason(
            f"{contender} did not keep the rate: {target:,.6g} requests a second were due, and in {len(missed)} of "
            f"{count(len(own), 'run')} {rate_missed(missed, target)}"
        )
    for code, those in by_code.items():
        if code in _OTHERS and len(those) <= _LOST * len({one.attempt for one in own}):
            continue
        reason = f"{len(those)} of {count(len(own), 'run')} of {contender} are refused: {those[0].run.reasons[0].text}"
        return msgspec.structs.replace(those[0].run.reasons[0], text=reason)
    return None


def rate_missed(missed: Sequence[BlockRun], target: float) -> str:
    """What runs did that missed a rate: how many a second they answered, or where that is enough, what stayed open."""
    rates = [answered(one) for one in missed]
    low, high = (f"{quantity(rate)}" for rate in (min(rates), max(rates)))
    if max(rates) < (1 - MISSED) * target:
        return f"it answered {low if low == high else f'{low} to {high}'} a second"
    # The rate is of the part that counts; requests that came late are of the whole run.
    accounts = [one.run.summary for one in missed if one.run.summary and one.run.summary.in_time is not None]
    due = sum(one.scheduled for one in accounts)
    left = due - sum(one.in_time or 0 for one in accounts)
    return f"{left:,} of {count(due, 'request')} had no answer when the last one was due"


def answered(one: BlockRun) -> float:
    """Requests a second that a run answered."""
    return one.run.rate_achieved.mean if one.run.rate_achieved else 0.0


def _unresolved(runs: Sequence[BlockRun], questions: Sequence[Question]) -> Refusals:
    """Percentiles beyond which the runs of a contender together hold too few independent requests.

    Each run counts with as many as :mod:`weigh.load.analysis.percentiles` finds effective, whether or not they resolve
    the percentile of that run alone: what comes together inside a run is one number of a block anyhow.
    """
    found: dict[tuple[question.Question, str], Reason] = {}
    for asked in questions:
        if asked.metric not in PERCENTILES:
            continue
        beyond: dict[str, float] = defaultdict(float)
        for one in runs:
            if one.kind == asked.kind and one.counts:
                beyond[one.contender] += one.exceedances(asked)
        for name, number in beyond.items():
            if number < LEAST_EXCEEDANCES:
                found[asked, name] = codes.L9_UNRESOLVED.reason(
                    f"the runs of {name} together hold {number:.3g} independent requests beyond the percentile, and "
                    f"{LEAST_EXCEEDANCES} are needed: make them longer, or more blocks"
                )
    return found
