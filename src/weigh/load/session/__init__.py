"""A session: makes the runs of one load experiment, one after another, and writes down what happens.

Who asks for a run may let something happen while it goes on (``during``), or give it another rate and length than the
spec's.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.host import settle
from weigh.load import conditions, rows
from weigh.load import record as records
from weigh.load.durability.probe import Probe
from weigh.load.fleet.generator import AgentsGenerator
from weigh.load.fleet.shares import shared
from weigh.load.generator import generator_settings, loads_data, make_generator
from weigh.load.generator_errors import at_target, call
from weigh.load.isolation import checking as isolation
from weigh.load.replay import keeping as replay
from weigh.load.runs import LoadRun, Prepared, Ready
from weigh.load.session.disturber import Disturber
from weigh.load.session.offering import During, Run
from weigh.load.target.bulk_load import loaded
from weigh.load.tpcc.loading import is_there
from weigh.model import units
from weigh.model.errors import EngineFault, WeighError

if TYPE_CHECKING:
    from weigh.evidence.journal import Journal
    from weigh.host.calibrating import Calibrating
    from weigh.host.sampling import Sampling
    from weigh.load.fleet.fleet import Fleet
    from weigh.load.gate.asking import LoadGate
    from weigh.load.gate_events import StatementAnswers
    from weigh.load.runs import ColdStart, TableRows
    from weigh.load.session.lives import Lives
    from weigh.load.spec import LoadSpec, Loop
    from weigh.load.target.target import Reached
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_LONG = 60.0
"""Seconds: rows that take longer to read are read once, and not before and after every run."""


class Session:
    """One experiment against one target while it goes on.

    Args:
        spec: what its runs have in common.
        lives: of the target, entered.
        journal: of the experiment.
        progress: reports how far it is.
        watching: started.
        gate: asks for the answers outside the clock; None where nobody is to.

    Attributes:
        calibrating: has fixed work done before every run; None where nobody wants that.
        proves_rows: whether the rows are read before and after every run, and not only where a life begins.
        fleet: the agents that offer the load; None where this process does.
    """

    calibrating: Calibrating | None = None
    fleet: Fleet | None = None
    proves_rows = False

    def __init__(
        self,
        spec: LoadSpec,
        lives: Lives,
        journal: Journal,
        progress: Progress,
        watching: Sampling,
        gate: LoadGate,
    ) -> None:
        self.spec = spec
        self._gate = gate
        self.lives = lives
        self._journal = journal
        self._progress = progress
        self._watching = watching
        self._made = 0
        self._loads = loads_data(spec, lives.reached)
        self._reading_s = 0.0
        self._initial_rows: dict[str, TableRows] | None = None

    @property
    def loads(self) -> bool:
        """Whether weigh loads the data."""
        return self._loads

    @property
    def initial_rows(self) -> dict[str, TableRows] | None:
        """The rows that were there before the first run; None where they were not read."""
        return self._initial_rows

    def make(
        self,
        loop: Loop,
        connections: int,
        repeat: int = 1,
        *,
        rate: float | None = None,
        duration_s: Seconds | None = None,
        name: str = "",
        during: During | None = None,
    ) -> LoadRun:
        """Make the next run.

        Args:
            loop: as of :meth:`ready`, and so are the others.
            connections: as of it.
            repeat: as of it.
            rate: as of it.
            duration_s: as of it.
            name: as of it.
            during: as of it.

        Raises:
            WeighError: the server is in the way. What was measured until then is in the journal.
        """
        run = self.ready(loop, connections, repeat, rate=rate, duration_s=duration_s, name=name, during=during)
        return self.ended(run, run.made())

    @at_target
    def ready(
        self,
        loop: Loop,
        connections: int,
        repeat: int = 1,
        *,
        rate: float | None = None,
        duration_s: Seconds | None = None,
        name: str = "",
        during: During | None = None,
    ) -> Run:
        """Everything before the clock of the next run.

        Args:
            loop: on a schedule, or closed.
            connections: how many.
            repeat: which of its repeats, from 1.
            rate: requests a second, where it is not the spec's.
            duration_s: its length, where it is not the spec's.
            name: for who watches; the number of the run by default.
            during: happens meanwhile.

        Raises:
            WeighError: the server is in the way. What was measured until then is in the journal.
            WrongAnswers: what it answers before the first run is wrong.
        """
        self.prepare()
        self._made += 1
        name = name or f"run {self._made}, {loop} loop, {units.count(connections, 'connection')}"
        spec = self.spec.varied(rate, duration_s)
        if self.lives.fresh:
            self._begin_life()
        elif self.lives.renewed:
            self._progress.say("starting the server anew")
            self.lives.begin()
            self._watching.track(self.lives.reached.servers or ())
        reached = self.lives.reached
        disturber = None
        if spec.disturbances:
            around = self.lives.surroundings
            disturber = Disturber(spec, self._made, reached, around, self._journal, self._progress)
        reached = disturber.reached if disturber else reached
        generator = make_generator(spec, self._gate.files, reached, loop, connections)
        if self._loads and not self.lives.fresh:
            # Anew before every run: each begins with the same records, and the generator knows the version of each.
            self._load(generator)
        if self.proves_rows and not self.lives.fresh:
            self.read_rows("before")
        gate = self._gate
        gate.before(reached, self._made, own=self._loads)
        if gate.samples:
            generator = make_generator(spec, gate.files, reached, loop, connections, samples=gate.samples)
        if self.fleet is not None:
            settings = shared(generator_settings(spec, gate.files, reached, loop, connections), len(self.fleet.agents))
            generator = AgentsGenerator(self.fleet, self._made, settings, generator)
        begun = records.RunBegun(
            number=self._made,
            loop=loop,
            connections=connections,
            repeat=repeat,
            life=self.lives.number,
            rate=rate,
            duration_s=duration_s,
        )
        if disturber is not None:
            during = disturber.offered_by(generator)
        self._await_quiet(reached, loaded=self._loads and not self.lives.fresh)
        cold = self._cold_start(reached) if spec.cold is True else None
        self._progress.say(name)
        if spec.crash:
            # Started again by the user it is another one, and its old number may be anybody's.
            kill, start, process = reached.crash, reached.restart, reached.process if self._made == 1 else None
            disk = self.lives.surroundings.power if self.lives.surroundings else None
            if disk:
                disk.write_out()
            lose = disk.lose_power if disk else None
            during = Probe(spec, self._made, kill, start, process, lose, generator, self._journal, self._progress)
        run = Run(spec, reached, begun, generator, self._journal, self._progress, self._watching, during)
        run.cold = cold
        return run

    @at_target
    def ended(self, run: Run, made: LoadRun) -> LoadRun:
        """Everything behind the clock of a run.

        Args:
            run: that :meth:`ready` gave.
            made: what came of it.
        """
        if run.cold is not None:
            self._journal.append("cold", conditions.read_since(run.cold, self.lives.reached))
        if self.spec.replay and self._gate.files.plan and made.number == 1:
            replay.ended(self._journal, self.spec.replay, self._gate.files.plan, run.generator)
        if self.spec.isolation is not msgspec.UNSET:
            self._progress.say("checking the history")
            isolation.ended(self._journal, self._journal.folder, made.number, run.generator)
        if self.proves_rows:
            self.read_rows("after")
        self._gate.after(self.lives.reached, made.number, run.generator, own=self._loads, disturbed=run.disturbed)
        return made

    def _cold_start(self, reached: Reached) -> ColdStart:
        self._progress.say("putting its data out of memory")
        conditions.refuse_memory(reached)
        return conditions.cold_start(self._made, reached)

    @at_target
    def prepare(self) -> None:
        """Load the data once, and keep a copy from which every life begins; nothing where that was done.

        Raises:
            WeighError: the data cannot be loaded or kept.
        """
        if not self.lives.fresh or self.lives.is_persistent:
            return
        reached = self.lives.reached
        if self._loads:
            self._load(
                make_generator(self.spec, self._gate.files, reached, self.spec.loops[0], self.spec.connections[0])
            )
        self.ask()
        if reached.ready:
            self._progress.say("writing out what was loaded")
            reached.ready(loaded=True)
        self.read_rows("loaded")
        self.lives.keep()

    @property
    def statements(self) -> StatementAnswers | None:
        """What the statements of scripts answered before any clock; None where nobody asked."""
        return self._gate.statements

    @at_target
    def ask(self) -> None:
        """Ask before any clock what the scripts' statements answer; the data is there.

        Raises:
            WrongAnswers: something is wrong.
        """
        self._gate.before(self.lives.reached, self._made + 1, own=self._loads)

    def read_rows(self, when: records.When) -> dict[str, TableRows] | None:
        """Which rows the server holds now, in the journal too; None where it cannot be asked.

        Args:
            when: ``loaded``, ``before`` the next run, or ``after`` the last one.
        """
        reached = self.lives.reached
        if reached.rows is None:
            return None
        tables, why = None, ""
        if self._reading_s > _LONG and when != "loaded":
            why = f"reading them takes {units.seconds(self._reading_s)}: it was done once"
        else:
            self._progress.say("reading which rows there are")
            began = time.monotonic()
            try:
                tables = reached.rows(rows.wanted(self.spec))
            except WeighError as error:
                why = error.what
            self._reading_s = time.monotonic() - began
        if when == "loaded":
            self._initial_rows = tables
        self._journal.append(
            "rows",
            records.RowsRead(when=when, run=self._made, life=self.lives.number, tables=tables or {}, unread=why),
        )
        return tables

    def _begin_life(self) -> None:
        """Begin a life from the copy, and see that it has the rows of all others.

        Raises:
            EngineFault: it has not.
        """
        self._progress.say("starting the server anew")
        self.lives.begin()
        if self.spec.server_memory is not msgspec.UNSET:
            self._journal.append("server memory", records.MemoryLimit(bytes=self.lives.limit))
        # What the server of the life before used is no longer there.
        self._watching.track(self.lives.reached.servers or ())
        # A server that has read its rows has them in its own memory.
        found = None if self.spec.cold is True else self.read_rows("before")
        if (
            self._initial_rows is not None
            and found is not None
            and (differ := rows.differences(self._initial_rows, found))
        ):
            raise EngineFault(
                f"started anew from a copy of its data, the server does not have what was loaded: {'; '.join(differ)}",
                where=self.lives.reached.read.product,
                remedy="let it keep what it has acknowledged (docs/reference/targets.md#durability)",
            )

    def _load(self, generator: Any) -> None:
        spec = self.spec
        if self._gate is not None and spec.tpcc and not self.lives.reached.read.embedded:
            gate, reached = self._gate, self.lives.reached
            self._progress.say("seeing whether the tables are there")
            if is_there(lambda queries: gate.ask(reached, queries), spec.tpcc, spec.seed, reached.read.kind):
                self._journal.append("loaded", records.Loaded(rows=0, seconds=0.0, found=True))
                return
        self._progress.say(_loading(spec))
        done = msgspec.convert(call(loaded, generator.load, self._progress), records.Loaded, strict=False)
        self._journal.append("loaded", done)

    def _await_quiet(self, reached: Reached, *, loaded: bool) -> None:
        """Have what was loaded written out, and wait a little until the machine is quiet."""
        ready = None
        if reached.ready:
            self._progress.say("writing out what was loaded" if loaded else "asking how large the data is")
            try:
                ready = reached.ready(loaded=loaded)
            except WeighError as error:
                # A server that does not answer fails in the run, with what it was asked for.
                ready = Ready(written_out=False, refused=error.what) if loaded else None
        any_share = self.spec.contention is not msgspec.UNSET and self.spec.contention >= 1
        if not any_share:
            self._progress.say("waiting for a quiet machine")
        calm = settle.settle(0.0 if any_share else settle.patience())
        self._journal.append("prepared", Prepared(run=self._made, ready=ready, foreign=calm.foreign, dirty=calm.dirty))
        if self.calibrating is not None:
            self.calibrating.next(self._made)

    def describe_again(self) -> None:
        """Write down how the server describes itself now, where that is another durability, or it counted errors."""
        reached = self.lives.reached
        if reached.again is None:
            return
        with suppress(WeighError, OSError, ValueError):
            after = reached.again()
            if after.undurable != reached.read.undurable or after.errors != reached.read.errors:
                self._journal.append("after", after)


def _loading(spec: LoadSpec) -> str:
    if spec.isolation is not msgspec.UNSET:
        return "making the table of lists"
    if spec.tpcc:
        return f"loading {units.count(spec.tpcc.warehouses, 'warehouse')} of TPC-C"
    return f"loading {units.rows(spec.records)} records" if spec.is_ycsb else "loading the scripts' tables"
