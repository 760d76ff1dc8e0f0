"""A load experiment, in order: target, data, runs, seal."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import msgspec

from weigh import __version__
from weigh.engines.prepared import cache_folder
from weigh.evidence import attempts
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End, sealed
from weigh.host import facts, knobs, lock, scratch, settle, storage
from weigh.host.sampling import Sampling, rate
from weigh.host.sysfs import Machine
from weigh.load import record as records
from weigh.load.analysis.findings import cut_trace, gone, ignored_properties
from weigh.load.bulk_load import loaded
from weigh.load.generator import call, make_generator
from weigh.load.runs import LoadInterval, LoadSummary, Prepared, Ready
from weigh.load.waits.recording import LoadWaits
from weigh.model import units
from weigh.model.errors import WeighError
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Reached, Target
    from weigh.model.progress import Progress

_POLL = 0.1
_WATCH = 1.0
"""Seconds between two events of the sampler."""


def run(
    spec: LoadSpec, target: Target, root: Path, command: str, progress: Progress, render: Callable[[Path], Any]
) -> Path:
    """Offer the load and seal the evidence.

    Args:
        spec: what to do.
        target: the server.
        root: folder of all evidence.
        command: the command that does it again, without secrets.
        progress: is told how far it is.
        render: writes the report into the directory, before it is sealed.

    Returns:
        The evidence directory.

    Raises:
        WeighError: it could not begin. Once it has begun, what happened is in the evidence, sealed, and the error that
            ended it is raised with the evidence's place as a note.
    """
    # What is misspelt there is said before anything is locked.
    settle.patience()
    with ExitStack() as stack:
        scratch.sweep()
        stack.enter_context(lock.measuring(f"weigh load {spec.workload}"))
        progress.say(f"reaching {target.text}")
        reached = stack.enter_context(target.reach(cache_folder(), max(spec.connections)))
        # A mistake in a script is said before there is any evidence.
        make_generator(spec, reached, "open" if "open" in spec.loops else "closed", spec.connections[0])
        rate()
        folder, attempt = attempts.begin(root, spec.id)
        journal = Journal(folder)
        stack.callback(journal.close)
        how, reason = "stopped", "weigh failed"
        try:
            journal.append(records.OPENED, records.LoadOpened(attempt=attempt, spec=spec))
            journal.append(
                "environment",
                records.LoadEnvironment(
                    weigh=__version__,
                    command=command,
                    host=facts.read(knobs.read(Machine.here())),
                    target=reached.read,
                    lock=reached.lock,
                    apart=reached.servers is None,
                    storage=storage.place(reached.data) if reached.data else None,
                ),
            )
            for finding in (*cut_trace(spec), *ignored_properties(spec)):
                journal.append("finding", finding)
            watching = Sampling(journal)
            with watching.started(time.monotonic()):
                watching.own(reached.servers or ())
                _runs(spec, reached, journal, progress, watching)
            how, reason = "complete", ""
        except KeyboardInterrupt as error:
            reason = "interrupted"
            error.add_note(f"what was measured until then is kept in {folder}")
            raise
        except WeighError as error:
            reason = error.what
            error.add_note(f"what happened until then is kept in {folder}")
            raise
        except Exception as error:
            reason = f"weigh failed: {type(error).__name__}: {error}"
            error.add_note(f"what happened until then is kept in {folder}")
            raise
        finally:
            with sealed(folder, journal, End(how=how, reason=reason)):
                render(folder)
        return folder


def _runs(spec: LoadSpec, reached: Reached, journal: Journal, progress: Progress, watching: Sampling) -> None:
    """Every run, in turn."""
    waits = LoadWaits(reached.waits, journal)
    for number, (repeat, connections, loop) in enumerate(spec.order, 1):
        begun = records.RunBegun(number=number, loop=loop, connections=connections, repeat=repeat)
        name = f"run {number} of {len(spec.order)}, {loop} loop, {units.count(connections, 'connection')}"
        _one(spec, reached, begun, journal, progress, watching, waits, name)
    if reached.again:
        # Somebody may have switched off meanwhile what kept the writes.
        with suppress(WeighError, OSError, ValueError):
            after = reached.again()
            if after.undurable != reached.read.undurable:
                journal.append("after", after)


def _one(
    spec: LoadSpec,
    reached: Reached,
    begun: records.RunBegun,
    journal: Journal,
    progress: Progress,
    watching: Sampling,
    waits: LoadWaits,
    name: str,
) -> None:
    generator = make_generator(spec, reached, begun.loop, begun.connections)
    if _has_own_data(spec, reached):
        # Anew before every run: each begins with the same records, and the generator knows the version of each.
        progress.say(f"loading {units.rows(spec.records)} records" if spec.is_ycsb else "loading the scripts' tables")
        done = msgspec.convert(call(loaded, generator.load, progress), records.Loaded, strict=False)
        journal.append("loaded", done)
    _prepare(spec, reached, begun.number, journal, progress)
    progress.say(name)
    # What the loading cost is in an event of its own.
    watching.mark()
    watching.keep(thorough=True)
    begins_in = 0.0
    try:
        begins_in = call(generator.start)
    finally:
        # One that cannot begin is told of as well.
        journal.append("run", msgspec.structs.replace(begun, at=watching.now() + begins_in))
    kept = watching.now()
    try:
        # Not before the load has its connections: the last one that the server has room for is not the sampler's.
        waits.begin(begun.number)
        while not generator.is_over():
            time.sleep(_POLL)
            _take(generator, begun.number, journal, progress, spec.duration_s)
            if watching.now() - kept >= _WATCH:
                kept = watching.now()
                watching.keep()
            waits.keep()
    except BaseException:
        # Nothing more is offered, whatever went wrong here.
        generator.stop()
        raise
    finally:
        waits.end()
        _last(generator, begun.number, journal, progress, spec.duration_s)
        watching.mark()
        watching.keep(thorough=True)


def _prepare(spec: LoadSpec, reached: Reached, number: int, journal: Journal, progress: Progress) -> None:
    """Have what was loaded written out, and wait a little until the machine is quiet."""
    ready = None
    if reached.ready:
        loaded = _has_own_data(spec, reached)
        progress.say("writing out what was loaded" if loaded else "asking how large the data is")
        try:
            ready = reached.ready(loaded=loaded)
        except WeighError as error:
            # A server that does not answer fails in the run, with what it was asked for.
            ready = Ready(written_out=False, refused=error.what) if loaded else None
    progress.say("waiting for a quiet machine")
    calm = settle.settle(settle.patience())
    journal.append("prepared", Prepared(run=number, ready=ready, foreign=calm.foreign, dirty=calm.dirty))


def _has_own_data(spec: LoadSpec, reached: Reached) -> bool:
    """Whether weigh loads the data: of YCSB, and of built-in scripts unless somebody's own tables may be there."""
    return spec.is_ycsb or (
        (reached.read.embedded or reached.fresh) and not any(script.text for script in spec.scripts)
    )


def _take(generator: Any, number: int, journal: Journal, progress: Progress, duration: float) -> None:
    """Write down the intervals that are finished."""
    for interval in msgspec.json.decode(call(generator.poll), type=list[LoadInterval]):
        journal.append("interval", records.RunInterval(run=number, interval=interval))
        _show(interval, progress, duration)


def _last(generator: Any, number: int, journal: Journal, progress: Progress, duration: float) -> None:
    summary = msgspec.json.decode(call(generator.finish), type=LoadSummary)
    _take(generator, number, journal, progress, duration)
    journal.append("summary", records.RunEnded(run=number, summary=summary))
    for finding in gone(summary, number):
        journal.append("finding", finding)
    progress.step(1, 1, "")


def _show(interval: LoadInterval, progress: Progress, duration: float) -> None:
    """One line that is drawn over: how it goes."""
    responses = merged(decode(one.response) for one in interval.operations)
    rate = responses.total / max(interval.to_s - interval.from_s, 1e-9)
    failed = sum(sum(one.errors.values()) + one.timeouts for one in interval.operations)
    text = f"{rate:,.0f}/s, p50 {units.seconds(responses.quantile(0.5))}, p99 {units.seconds(responses.quantile(0.99))}"
    text += f", {failed} failed" if failed else ""
    # Below the end: the bar goes away when it is full.
    progress.step(min(round(interval.to_s), round(duration) - 1), round(duration), text)
