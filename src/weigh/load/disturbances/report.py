"""What happened alongside a load, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.disturbances.verdicts import WHOLE
from weigh.model.text import one_line
from weigh.model.units import count, seconds
from weigh.model.verdict import VerdictName
from weigh.render.blocks import Lines, Section, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.disturbances.results import DisturbedResults, FaultFigures
    from weigh.load.disturbances.verdicts import WindowVerdict
    from weigh.render.blocks import Block

FAULTS, PAIRS = "Faults of the server", "With it and without it"
_FAULTS = ("fault", "lost", "first answer", "p99 back", "p99 before", "p99 in it", "p99 after", "errors")
_ISOLATION = "violations"
_VERDICTS = ("response", "with", "without", "ratio", "99 % interval", "verdict")
_QUERIES = ("query", "under load", "alone", "ratio", "99 % interval", "verdict")
_MEANS = {
    "kill": "kill -9, and a start at once",
    "pause": "all its processes stood still",
    "partition": "nothing passed between load and server",
    "latency": "every answer took 100 ms more on its way",
    "full-disk": "its disk was full",
    "slow-disk": "its disk took 20 writes a second",
    "clock": "its clock was an hour ahead",
}


def lines(found: DisturbedResults) -> Iterator[str]:
    """In sentences, each on a line of its own; the first one alone stands on the first screen."""
    if found.faults:
        yield _faults(found)
        for one in found.faults:
            yield f"{_felt(one)}."
        return
    yield _compared(found)
    if found.queries:
        yield _queries(found)
    if found.answers:
        yield from _answers(found)
    if found.longest_s is not None and not found.queries:
        yield f"It took {seconds(found.longest_s)} at most."
    if found.left_out:
        yield (
            f"Left out: {count(found.left_out, 'block')} in which it failed or went on into the window without it. A "
            "longer --duration has longer windows."
        )


def _faults(found: DisturbedResults) -> str:
    made = count(len(found.faults), "fault")
    kinds = ", ".join(dict.fromkeys(one.kind for one in found.faults))
    counted = [one for one in found.faults if one.lost is not None]
    if found.lost:
        losing = ", ".join(dict.fromkeys(one.kind for one in found.faults if one.lost or one.gone))
        return f"NOT DURABLE: of {made} ({kinds}) acknowledged writes were lost by {losing}."
    lost = "Nothing that was acknowledged was lost" if counted else "What was lost is not counted by fault"
    back = [one.back_s for one in found.faults if one.back_s is not None]
    slow = len(found.faults) - len(back)
    recovery = f"; p99 was back after {seconds(max(back))} at most" if back else ""
    late = (
        f"; after {slow} of them it was not back while it was watched (a longer --duration watches longer)"
        if slow
        else ""
    )
    return f"{lost} in {made} ({kinds}){recovery}{late}."


def _felt(one: FaultFigures) -> str:
    """What users felt of a fault."""
    what = _MEANS.get(one.kind, "")
    length = "" if one.length_s is None or one.kind == "kill" else f" for {seconds(one.length_s)}"
    text = f"{one.kind} in run {one.run}, after {seconds(one.from_s)}: {what}{length}"
    if one.died:
        text += "; the server ended itself, and was started again"
    if one.failed:
        return f"{text}; it was not back: {one_line(one.failed, 200)}"
    if one.p99_with is not None and one.p99_before is not None:
        text += f"; who asked then waited up to {seconds(one.p99_with)} (p99; {seconds(one.p99_before)} before)"
    failed = sum(one.errors.values())
    return f"{text}; {count(failed, 'request')} failed" if failed else text


def _compared(found: DisturbedResults) -> str:
    if not found.verdicts or not found.windows:
        return f"While {one_line(found.name, 120)} went on nothing was answered that could be compared."
    name = one_line(found.name, 120)
    slower = [one for one in found.verdicts if one.verdict is VerdictName.SLOWER]
    tail = found.verdicts[-1]
    pairs = count(tail.blocks, "pair")
    if slower:
        which = " and ".join(f"{one.metric} {one.ratio:.3g} times as long" for one in slower if one.ratio)
        return f"While {name} went on users waited longer: {which}, over {pairs} of windows."
    return f"{name} is not shown to make users wait longer: {_interval(tail)}, over {pairs} of windows."


def _queries(found: DisturbedResults) -> str:
    single = [one for one in found.queries if one.metric != WHOLE]
    slower = [one for one in single if one.verdict is VerdictName.SLOWER]
    of = next((one for one in found.queries if one.metric == WHOLE), single[0])
    if of.verdict is VerdictName.REFUSED or of.low is None or of.high is None:
        return "What the load costs the queries cannot be judged: their times scatter too much, or are too few."
    what = f"{len(single)} queries took" if len(single) > 1 else f"{of.metric} took"
    some = f"; {len(slower)} of them took longer" if len(single) > 1 else ""
    return (
        f"Under load {what} {of.low:.3g} to {of.high:.3g} times as long as alone"
        f"{' (geometric mean)' if len(single) > 1 else ''}: {of.verdict}{some}."
    )


def _answers(found: DisturbedResults) -> Iterator[str]:
    """What is known of the answers, and which queries are in no window."""
    wrong = {one.name for one in found.answers if one.status == "diverged"} | found.changed.keys()
    open_ = [one.name for one in found.answers if one.status == "unverified" and one.name not in wrong]
    right = [one for one in found.answers if one.status == "agreed" and one.name not in wrong]
    witnesses = ", ".join(dict.fromkeys(name for one in right for name in one.witnesses))
    if right:
        queries = "the query" if len(right) == 1 else f"{len(right)} queries"
        yield (
            f"Every answer of {queries} was right, alone and under load: nobody changes their tables. Compared with: "
            f"{witnesses}."
        )
    if wrong:
        yield f"WRONG: {', '.join(sorted(wrong))} answered otherwise than must be."
    if open_:
        yield f"Not verified: {', '.join(open_)}; its witnesses do not agree, or are fewer than two."
    for one in found.answers:
        if one.status in ("unsupported", "slow", "error"):
            yield f"Left out: {one.name}, {one_line(one.detail, 120)}."


def _interval(one: WindowVerdict) -> str:
    if one.low is None or one.high is None:
        return f"{one.metric} cannot be compared"
    return f"{one.metric} is {one.low:.3g} to {one.high:.3g} times as long"


def sections(found: DisturbedResults) -> Iterator[Section]:
    """The sentences, and a table, under their heading."""
    yield Section(FAULTS if found.faults else PAIRS, _blocks(found), "disturbances")


def _blocks(found: DisturbedResults) -> list[Block]:
    below = "The figures of each run below are of the part before anything happened in it."
    if found.faults:
        headings: tuple[str, ...] = _FAULTS
        rows = [_row(one) for one in found.faults]
        if any(one.isolation for one in found.faults):
            headings = (*_FAULTS, _ISOLATION)
            rows = [(*row, one.isolation or "not checked") for row, one in zip(rows, found.faults, strict=True)]
        table = words(headings, rows, None, ("p99 after", "p99 before", "errors"))
        return [Lines(list(lines(found)), most=1000), table, Lines([below], css="muted", form="page")]
    tables = [words(_VERDICTS, [_verdict(one) for one in found.verdicts], None)]
    if found.queries:
        tables.append(words(_QUERIES, [_verdict(one) for one in found.queries], None))
    return [Lines(list(lines(found)), most=1000), *tables, Lines([below], css="muted", form="page")]


def _row(one: FaultFigures) -> tuple[str, ...]:
    back = seconds(one.back_s) if one.back_s is not None else f"not within {seconds(one.watched_s)}"
    return (
        f"{one.kind}, run {one.run}",
        _lost(one),
        "none" if one.answer_s is None else seconds(one.answer_s),
        back if one.p99_before is not None else "",
        "" if one.p99_before is None else seconds(one.p99_before),
        "" if one.p99_with is None else seconds(one.p99_with),
        "" if one.p99_after is None else seconds(one.p99_after),
        "; ".join(f"{number:,} x {name}" for name, number in one.errors.items()) or "none",
    )


def _lost(one: FaultFigures) -> str:
    if one.account is None or one.lost is None:
        return "not counted"
    gone = f"; {count(one.gone, 'row')} gone" if one.gone else ""
    return f"{one.lost:,} of {one.account.acknowledged:,}{gone}"


def _verdict(one: WindowVerdict) -> tuple[str, ...]:
    interval = "" if one.low is None or one.high is None else f"{one.low:.3g} to {one.high:.3g}"
    return (
        one.metric,
        "" if one.with_s is None else seconds(one.with_s),
        "" if one.without_s is None else seconds(one.without_s),
        "" if one.ratio is None else f"{one.ratio:.3g}",
        interval,
        str(one.verdict),
    )
