"""What crashes say: what was lost, how likely that is, and how long the server took to recover. Pure."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from weigh.load.durability.record import Account, Crash
from weigh.load.runs import LoadSummary
from weigh.load.spec import CONFIDENCE, Crashes
from weigh.model import codes
from weigh.model.text import one_line
from weigh.model.units import Seconds, count, percent
from weigh.statistics.binomial import clopper_pearson, most
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.load.runs import LoadInterval, LoadRun
    from weigh.model.data.storage import Place
    from weigh.model.finding import Finding
    from weigh.statistics.histogram import Histogram

_TAIL = 0.99
_LEAST = 200
"""Answers by which a p99 after a crash is compared: two of them are above it on average."""
_LISTED = 3
"""Examples of what is lost or damaged that are quoted; the journal has more."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """How long the server took after one crash, in seconds.

    Attributes:
        down_s: from when it was told to start to its first answer; None where it gave none.
        level_s: what the p99 was before, the upper end of its interval; the longest response where too few requests
            resolve it. None where nothing was answered before.
        resolved: whether it is that interval's.
        back_s: from its first answer, without the time in which weigh read it back, until no more requests took longer
            than that than chance explains if one in a hundred does; None where it was not within ``watched_s``, or
            cannot be compared.
        watched_s: for how long the load went on after it was let in again.
    """

    down_s: Seconds | None
    level_s: Seconds | None
    resolved: bool
    back_s: Seconds | None
    watched_s: Seconds


class CrashFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One crash, and what came of it.

    Attributes:
        run: number of the run in which it was made.
        at: seconds since the schedule of that run began.
        account: what was there afterwards; None where nothing could be counted.
        recovery: how long it took.
        failed: why the server did not come back or could not be read; empty where it did.
    """

    run: int
    at: Seconds
    account: Account | None
    recovery: Recovery
    failed: str

    @property
    def harmed(self) -> bool:
        """Whether something is not as it was acknowledged."""
        one = self.account
        return one is not None and bool(one.lost or one.missing or one.torn or one.strange)


class Durability(msgspec.Struct, frozen=True, kw_only=True):
    """What all crashes of a load say together.

    Attributes:
        crashes: in order.
        by: what killed the server: ``kill -9``, also with its disk's power, or the user's command.
        counted: those after which it could be counted what was there.
        losing: those of them after which something was lost, torn or strange.
        low, high: interval of the share of such crashes that do so (Clopper, Pearson); None where none was counted.
        confidence: its level.
        total: all accounts together; None where there is none.
        undurable: what may lose an acknowledged write by the settings, whether or not a crash showed it.
        limitations: what these crashes do not show, each in a sentence or two.
        down_s: times to the first answer, in order of the crashes.
        back_s: times until the p99 was what it had been, likewise, of those that came back.
    """

    crashes: tuple[CrashFigures, ...]
    by: str
    counted: int
    losing: int
    low: float | None
    high: float | None
    confidence: float
    total: Account | None
    down_s: tuple[Seconds, ...]
    back_s: tuple[Seconds, ...]
    limitations: tuple[str, ...] = msgspec.field(name="not_shown")
    undurable: tuple[str, ...]


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """What responses took before a crash.

    Attributes:
        seconds: that the p99 of those after it is held against.
        resolved: whether it is the upper end of the p99's interval; else the longest response.
    """

    seconds: Seconds
    resolved: bool


def durability(
    crashes: Sequence[Crash],
    runs: Sequence[LoadRun],
    levels: Mapping[int, Level],
    place: Place | None,
    undurable: Sequence[str],
    spec: Crashes | None = None,
) -> Durability | None:
    """Compute it; None where the server was not crashed.

    Args:
        crashes: in order.
        runs: the whole of each.
        levels: before the crash of each run, by its number; of those in which anything was answered.
        place: where the server's data lies; None where that is not known.
        undurable: what may lose an acknowledged write by the settings.
        spec: how they were made; None for ``kill -9``.
    """
    if not crashes:
        return None
    by_number = {run.number: run for run in runs}
    made = tuple(
        CrashFigures(
            run=one.run,
            at=one.at,
            account=_shortened(one.account) if one.account else None,
            recovery=_recovery(one, by_number.get(one.run), levels.get(one.run)),
            failed=one.failed,
        )
        for one in crashes
    )
    accounts = [one.account for one in crashes if one.account]
    losing = sum(one.harmed for one in made)
    low, high = clopper_pearson(losing, len(accounts), CONFIDENCE) if accounts else (None, None)
    return Durability(
        crashes=made,
        by=_by(spec),
        counted=len(accounts),
        losing=losing,
        low=low,
        high=high,
        confidence=CONFIDENCE,
        total=_total(accounts) if accounts else None,
        down_s=tuple(one.recovery.down_s for one in made if one.recovery.down_s is not None),
        back_s=tuple(one.recovery.back_s for one in made if one.recovery.back_s is not None),
        limitations=tuple(_undetected(place, power_loss=bool(spec and spec.power_loss))),
        undurable=tuple(undurable),
    )


def _by(spec: Crashes | None) -> str:
    if spec and spec.power_loss:
        return "kill -9 and a loss of its disk's power"
    return (spec.kill if spec else "") or "kill -9"


def _undetected(place: Place | None, *, power_loss: bool) -> Iterator[str]:
    """What such a crash does not show."""
    if power_loss:
        yield (
            "what a real device keeps. This one was a file, whose volatile write cache is the kernel's memory: what "
            "was not forced to it was gone, unless the kernel had written it of itself"
        )
        return
    yield (
        "a loss of power. kill -9 takes what the server had in its own memory; what it had given to the kernel is "
        "written all the same, whether or not the server forced it to the disk"
    )
    if place is not None:
        yield f"what the device keeps. {_device(place)}"


def _device(place: Place) -> str:
    on = one_line(place.on, 120)
    caches = {one.name: one.write_cache for one in place.devices if isinstance(one.write_cache, str)}
    if not caches:
        return f"Whether the device below {on} has a write cache is not told"
    caches_named = ", ".join(f"{name}: {cache}" for name, cache in caches.items())
    kind = "which is volatile" if "write back" in caches.values() else "so it keeps what it was given, by its own word"
    return (
        f"The write cache below {on} is told as {caches_named}, {kind}. Whether it keeps what was forced to it was "
        "not tried"
    )


def _total(accounts: Sequence[Account]) -> Account:
    counts = ("rows", "acknowledged", "lost", "unanswered", "found", "missing", "torn", "strange")
    return Account(
        unit=accounts[0].unit,
        messages=_first(text for one in accounts for text in one.messages),
        **{name: sum(getattr(one, name) for one in accounts) for name in counts},
    )


def _shortened(account: Account) -> Account:
    return msgspec.structs.replace(account, messages=_first(account.messages))


def _first(messages: Iterable[str]) -> tuple[str, ...]:
    """Examples of what is counted alongside them; the journal has more."""
    return tuple(islice(dict.fromkeys(messages), _LISTED))


def _recovery(crash: Crash, run: LoadRun | None, level: Level | None) -> Recovery:
    down = None if crash.answered_at is None or crash.started_at is None else crash.answered_at - crash.started_at
    intervals = run.intervals if run else ()
    released = crash.released_at
    after = [] if released is None else [one for one in intervals if one.to_s > released]
    # What answers that a key is gone, or shows what was replaced, is quick for another reason.
    other_work = any(one.missing or one.contradictions for part in after for one in part.operations)
    back = None if level is None or released is None or other_work else until_back(after, released, level.seconds)
    return Recovery(
        down_s=down,
        level_s=level.seconds if level else None,
        resolved=level is not None and level.resolved,
        back_s=back,
        watched_s=max(after[-1].to_s - released, 0.0) if after and released is not None else 0.0,
    )


def until_back(after: Sequence[LoadInterval], released: Seconds, level: Seconds) -> Seconds | None:
    """When the p99 of what comes next is that of before, in seconds since the load was let in again."""
    responses = [_responses(one) for one in after]
    for first, interval in enumerate(after):
        window, total = [], 0
        for one in responses[first:]:
            window.append(one)
            total += one.total
            if total >= _LEAST:
                break
        # One in a hundred is above a p99, and by chance a few more.
        if total >= _LEAST and merged(window).above(level) <= most(total, 1 - _TAIL, CONFIDENCE):
            return max(interval.from_s - released, 0.0)
    return None


def _responses(interval: LoadInterval) -> Histogram:
    return merged(decode(one.response) for one in interval.operations)


def undisturbed(runs: Sequence[LoadRun], until: Mapping[int, Seconds]) -> tuple[LoadRun, ...]:
    """Every run as it was until something happened in it, which the figures of the load are of.

    Args:
        runs: the whole of each.
        until: seconds since the schedule of a run began, by its number.
    """
    return tuple(_until(run, until[run.number]) if run.number in until else run for run in runs)


def _until(run: LoadRun, moment: Seconds) -> LoadRun:
    """A run up to a moment, with the account that its intervals give."""
    whole = tuple(one for one in run.intervals if one.to_s <= moment)
    done = sum(one.count + sum(one.errors.values()) + one.timeouts for part in whole for one in part.operations)
    summary = run.summary and LoadSummary(
        t0_unix=run.summary.t0_unix,
        scheduled=done,
        sent=done,
        done=done,
        in_time=done,
        unsent=0,
        in_flight_at_end=0,
        seconds=whole[-1].to_s if whole else 0.0,
        client_cpu_s=sum(one.client_cpu_s for one in whole),
        clock_jumps=run.summary.clock_jumps,
        overflows=sum(one.overflows for part in whole for one in part.operations),
        verified_reads=run.summary.verified_reads,
    )
    length = whole[-1].to_s if whole else moment
    return msgspec.structs.replace(run, intervals=whole, summary=summary, duration_s=length, server=None)


def findings(found: Durability) -> Iterator[Finding]:
    """What is to be reported of it alongside its figures."""
    total, unit = found.total, found.total.unit if found.total else ""
    of = f"in {found.losing} of {crashes(found.counted)} ({one_line(found.by, 80)})"
    losses = f": {'; '.join(total.messages)}" if total and total.messages else ""
    if total and (total.lost or total.missing):
        gone = [f"{total.lost:,} of {total.acknowledged:,} acknowledged {unit} were lost"] if total.lost else []
        gone += [f"{count(total.missing, 'row')} were gone"] if total.missing else []
        yield codes.E7_LOST.finding(
            text=f"{' and '.join(gone)} {of}{losses}",
            remedy="the server acknowledges what it does not keep: its figures are those of less work. Switch "
            "durability on, or see what stands between it and the load",
        )
    if total and (total.torn or total.strange):
        yield codes.E7_TORN.finding(
            text=f"{count(total.torn, 'row')} held what no write wrote as a whole, and {total.strange:,} were there "
            f"that nobody wrote, {of}{losses}",
            remedy="the server does not recover to a state that it acknowledged; look into its log",
        )
    for one in found.crashes:
        if one.failed:
            yield codes.E7_NOT_BACK.finding(
                text=f"after the crash in run {one.run} the server could not be read: {one.failed}",
                remedy="look into its log, and start it by hand on the same data",
            )
    if not found.counted and not any(one.failed for one in found.crashes):
        yield codes.E7_NOT_COUNTED.finding(
            text="nothing was counted after the crashes: nobody knows what these scripts leave behind. Only recovery "
            "and errors are told",
            remedy="take a YCSB workload, tpcb-like or simple-update to count what is lost",
        )


def crashes(number: int) -> str:
    """``1 crash``, ``20 crashes``."""
    return "1 crash" if number == 1 else f"{number:,} crashes"


def share(found: Durability) -> str:
    """How likely such a crash is to lose something."""
    if found.high is None or found.low is None:
        return ""
    if not found.losing:
        return f"at the {percent(found.confidence, 0)} level fewer than {percent(found.high)} of such crashes lose any"
    return f"{percent(found.confidence, 0)} interval {percent(found.low)} to {percent(found.high)} of such crashes"
