"""What the first screen of a load says, before it has a form."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.load.analysis.findings import data_bytes, in_memory
from weigh.load.durability import report as durability
from weigh.load.gate import report as answers
from weigh.load.rate_search import report as searches
from weigh.load.replay import report as replay
from weigh.load.report import machine, words
from weigh.load.report.first_screen.table import Table, table
from weigh.load.results import WRONG
from weigh.load.tpcc import report as tpcc
from weigh.model import codes, units
from weigh.model.text import one_line, whole_sentences
from weigh.render.words import first_reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.results import LoadResults
    from weigh.model.finding import Finding
    from weigh.model.verdict import TierName

_VERSION = 30
"""Characters of a server's version."""
_TARGET = 60
"""Characters of a target that nothing was learnt of."""
_REASON, _ROOM = 600, 205
"""Characters of a reason, and of those of its sentences that three lines have room for."""
_ERROR = 160
"""Characters of an error of the server."""


@dataclass(frozen=True, slots=True)
class LoadScreen:
    """What the first screen of a load says.

    Attributes:
        wrong: of wrong answers, each in a sentence; they come before everything.
        took: how long requests took.
        answered: how many failed, and how many answers were found right; empty where nothing was asked.
        more: what this kind of load is about: both loops, crashes, tpmC, a recording, a search.
        under: what was offered to whom, and what the workload must not be taken for.
        tier: what it is good for.
        why: why it is not good for more; empty where it is.
        runs: how many were made; empty where none was.
        table: percentiles; None where nothing was answered.
        beside: the worst moment, and the machine.
        notes: findings, counted; empty where there are none.
        evidence: the directory, as the reader is to write it.
        page: whether it holds a page.
        again: the command; empty where it is not known.
    """

    wrong: tuple[str, ...]
    took: str
    answered: str
    more: tuple[str, ...]
    under: str
    tier: TierName
    why: str
    runs: str
    table: Table | None
    beside: tuple[str, ...]
    notes: str
    evidence: str
    page: bool
    again: str

    @property
    def says(self) -> tuple[str, ...]:
        """All sentences, in the order in which they matter."""
        return (*self.wrong, self.took, *filter(None, (self.answered,)), *self.more)


def first_screen(results: LoadResults, evidence: str) -> LoadScreen:
    """The first screen of a load.

    Args:
        results: what is to be said.
        evidence: the directory, as the reader is to write it.
    """
    record = results.record
    counts = Counter(one.severity for one in results.findings)
    return LoadScreen(
        wrong=tuple(f"WRONG: {_wrong(one)}." for one in results.findings if one.code in WRONG),
        took=f"{_who(results)}: {_headline(results)}",
        answered=_answered(results),
        more=tuple(_more(results)),
        under=_under(results),
        tier=results.tier.name,
        why=_why(results),
        runs=units.count(len(record.runs), "run") if record.runs else "",
        table=table(results),
        beside=tuple(_beside(results)),
        notes=", ".join(units.count(counts[kind], kind) for kind in ("error", "warning", "note") if counts[kind]),
        evidence=evidence,
        page=record.end is not None,
        again=record.environment.command if record.environment else "",
    )


def _more(results: LoadResults) -> Iterator[str]:
    if results.loops and not results.loops.refused:
        yield words.loops(results.loops)
    # What was lost or damaged is said first, as wrong.
    if results.durability and not results.durability.losing:
        yield next(iter(durability.lines(results.durability)))
    for one in results.tpcc[:1]:
        yield " ".join(_sentence(said) for said in (tpcc.figure(one), tpcc.limits(one), tpcc.checked(one)) if said)
    if results.replay:
        yield from replay.schedule_kept(results.replay)
    if results.rate_search:
        yield from searches.lines(results.rate_search)


def _wrong(one: Finding) -> str:
    """What is wrong, with the script or the operation that it is of."""
    return f"{one.operation}: {one.text.rstrip('.')}" if one.operation else one.text.rstrip(".")


def _who(results: LoadResults) -> str:
    """The server, and what was asked of it."""
    record = results.record
    target = record.environment.target if record.environment else None
    if target is None:
        return f"{one_line(record.spec.target, _TARGET)} under {record.spec.title}"
    return f"{target.product} {one_line(target.version, _VERSION)} under {record.spec.title}"


def _headline(results: LoadResults) -> str:
    """What it took; why a run is refused stands below."""
    if results.refused:
        refused = sum(run.refused for run in results.runs)
        of = f", {refused} of {len(results.runs)} runs" if len(results.runs) > 1 else ""
        return f"REFUSED{of}.{words.ended(results)}"
    sentence = words.headline(results)
    # After a colon it goes on; a word in capitals and a name stay as they are.
    return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _answered(results: LoadResults) -> str:
    """How many requests failed, and how many answers were found right."""
    runs = [run for run in (results.probes or results.runs) if run.operations]
    if not runs:
        return ""
    asked = sum(run.whole.count + run.whole.failed for run in runs)
    failed = sum(run.whole.failed for run in runs)
    unsent = sum(run.unsent for run in runs)
    if not asked and not unsent:
        return ""
    said = f"None of {units.count(asked, 'request')} failed"
    if failed:
        said = f"{failed:,} of {units.count(asked, 'request')} failed ({units.percent(failed / asked, 2)})"
        said += _mostly(runs)
    if unsent:
        said += f", and {unsent:,} due {'one was' if unsent == 1 else 'ones were'} never sent"
    if any(run.summary and run.summary.gone for run in runs):
        said += ". The server went away and did not come back"
    right = "" if any(one.code in WRONG for one in results.findings) else "; ".join(_right(results, runs))
    return f"{said}. Right: {right}." if right else f"{said}."


def _mostly(runs: Sequence[RunFigures]) -> str:
    """What most of those failed of that the runs are refused for; empty where they are not."""
    if not any(reason.code == codes.L7_ERRORS.code for run in runs for reason in run.reasons):
        return ""
    errors: Counter[str] = Counter()
    for run in runs:
        errors.update(run.whole.errors)
        errors["no answer within --timeout"] += run.whole.timeouts
    [(text, number)] = errors.most_common(1)
    of = "" if number == sum(run.whole.failed for run in runs) else f", {number:,} of them with"
    return f"{of}: {one_line(text, _ERROR).rstrip('.')}"


def _right(results: LoadResults, runs: Sequence[RunFigures]) -> Iterator[str]:
    """What was compared, where nothing of it was wrong."""
    if compared := sum(run.summary.verified_reads for run in runs if run.summary):
        yield f"{units.count(compared, 'answer')}, by what had been written"
    if results.answers:
        yield from answers.found_right(results.answers)


def _under(results: LoadResults) -> str:
    record = results.record
    spec = record.spec
    parts = [f"Offered: {words.offered(spec)}{words.length(spec)}, {one_line(spec.target, 200)}"]
    if record.environment:
        durable = {True: "durable", False: "NOT DURABLE", None: "durability not known"}[record.durable]
        parts.append(durable + words.tls(record.environment.target))
    size, known = data_bytes(record), in_memory(record)
    if size is not None:
        parts.append(f"{units.size(size)} of data" + (", in memory" if known and known.in_memory else ""))
    notice = f" {_sentence(spec.notice)}" if spec.notice else ""
    return f"{'; '.join(parts)}.{notice}"


def _why(results: LoadResults) -> str:
    # Wrong answers were said first.
    reasons = [one for one in results.tier.reasons if one.code not in WRONG]
    if not reasons:
        return ""
    first, rest = first_reason(reasons, limit=_REASON)
    return f"{str(results.tier.name).capitalize()}: {whole_sentences(first, _ROOM - len(rest))}{rest}."


def _beside(results: LoadResults) -> Iterator[str]:
    """The worst moment of the run that is shown, and what the machine did in it."""
    run, watched = results.headline, results.machine
    found = watched.of(run.number) if run and watched else None
    if run is None or watched is None or found is None:
        return
    if worst := machine.worst(found, results.activity.get(run.number)):
        yield worst
    yield f"Machine: {machine.in_short(watched, found)}"
