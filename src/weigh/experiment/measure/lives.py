"""Lives: the fresh processes of a block's arms, from their start to what is told at their end."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.engines.exchange import WorkerEnded
from weigh.engines.process import WorkerProcess
from weigh.experiment.measure import cold, deeds_in_words, resources
from weigh.experiment.measure.clock_coverage import FamilyAccount
from weigh.experiment.measure.peers import Peers
from weigh.host import facts
from weigh.host.processes import interference, server_ties
from weigh.model import codes
from weigh.model.schedule import build_of, cpus_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.engines.prepared import PreparedContender
    from weigh.evidence.journal import Journal
    from weigh.experiment.data.data_link import DataLink
    from weigh.host.sampling import Sampling
    from weigh.model.finding import Finding
    from weigh.model.schedule import Arm
    from weigh.model.spec import Spec

_NAMED = 5
"""Processes that a finding names."""


class Lives:
    """What is alive of a block.

    Args:
        spec: of the experiment.
        contenders: by name.
        arms: of every block.
        link: where the data is.
        journal: receives every start.
        watching: receives whose processes are whose.
    """

    def __init__(
        self,
        spec: Spec,
        contenders: Mapping[str, PreparedContender],
        arms: tuple[Arm, ...],
        link: DataLink,
        journal: Journal,
        watching: Sampling,
    ) -> None:
        self.arms = {arm.name: arm for arm in arms}
        self.alive: dict[str, tuple[int, WorkerProcess]] = {}
        """By arm: number of the start, and the process."""
        self.files: dict[str, list[str]] = {}
        """By arm: files that hold the data of its tables."""
        self.accounts: dict[str, FamilyAccount] = {}
        """By arm: CPU of its processes."""
        self.last_start = 0
        """Number of the last start."""
        self.cpus = 0
        """CPUs that each arm is held to; 0 for all."""
        self._spec = spec
        self._contenders = contenders
        self._link = link
        self._journal = journal
        self._watching = watching
        self._moved: set[tuple[str, str]] = set()
        self._untied: set[tuple[str, int]] = set()
        self._deeds: set[tuple[str, str]] = set()
        self._peers: dict[str, Peers] = {}
        # For as long as there are blocks: the kernel ends a worker with the thread that started it.
        self._starters = ThreadPoolExecutor(max_workers=len(arms))

    def contender(self, arm: str) -> PreparedContender:
        """Whose arm it is."""
        return self._contenders[self.arms[arm].contender]

    def of_block(self, arm: str, block: int) -> PreparedContender:
        """Whose arm it is, with the build that it has in the block."""
        ready = self.contender(arm)
        return ready.of_build(build_of(self._spec, ready.name, block))

    def next_start(self) -> int:
        """The number of another start."""
        self.last_start += 1
        return self.last_start

    def start(self, arms: Sequence[str], block: int) -> None:
        """A fresh process for each of the arms, all at once: none of them waits for another one's libraries."""
        starting = {}
        for arm in arms:
            starting[arm] = self._starters.submit(self._link.life, self._bounded(arm, block))
        try:
            wait(starting.values())
        except BaseException:
            # Interrupted: nobody else knows of those that are still being started.
            for one in starting.values():
                with suppress(Exception):
                    one.result().kill()
            raise
        for arm, one in starting.items():
            self._started(arm, one, block)

    def stand(
        self, workers: Mapping[str, tuple[int, WorkerProcess]], block: int, place: Literal["before", "after"]
    ) -> None:
        """How much of the data of these lives is in memory now."""
        for arm, (_, worker) in workers.items():
            if place == "before":
                # One that died meanwhile is found out at its first turn.
                with suppress(WorkerEnded):
                    self.files[arm] = self._sources(arm) if self._spec.ingest else worker.files()
            state = cold.standing(self.files.get(arm, []), place, block, arm)
            self._journal.append("cache_state", state)

    def tell(self, workers: Mapping[str, tuple[int, WorkerProcess]], block: int) -> None:
        """What each life could use, at its end, and what it used since its last turn."""
        for arm in workers:
            self._journal.append("rest", self.accounts[arm].rest())
        self._say_deeds(workers)
        for arm in workers:
            if (peers := self._peers.pop(arm, None)) and (found := peers.finding(self.arms[arm].contender)):
                self._say_deed(found)
        self._check_members(workers)
        whose = {arm: self.contender(arm) for arm in workers}
        resources.tell(self._journal, block, workers, whose)

    def end(self) -> None:
        """End all that are alive."""
        with ThreadPoolExecutor() as pool:
            list(pool.map(WorkerProcess.close, [worker for _, worker in self.alive.values()]))
        self.alive.clear()

    def _started(self, arm: str, start: Future[WorkerProcess], block: int) -> None:
        """The process of an arm. One that cannot start is found out at its first turn."""
        number = self.next_start()
        try:
            worker = start.result()
        except WorkerEnded as ended:
            self._journal.append(
                "finding",
                codes.X_START.finding(
                    contender=self.arms[arm].contender,
                    text=f"a fresh start failed: {ended}",
                    remedy="see what it says, and whether memory or processes ran out",
                ),
            )
            return
        self.alive[arm] = (number, worker)
        whose = self.arms[arm].contender
        self._journal.append("start", self.of_block(arm, block).start_cost(worker, block, number))
        self.accounts[arm] = FamilyAccount(worker, block, number, arm, whose)
        # One that died meanwhile is found out at its first turn.
        with suppress(WorkerEnded):
            self._watching.track(self._servers(arm, whose, worker))

    def _check_members(self, workers: Mapping[str, tuple[int, WorkerProcess]]) -> None:
        """Say whose processes are not counted as its own. Who moved them cannot be determined, and nobody is blamed."""
        pids = {arm: set(worker.family.pids() if worker.family else ()) for arm, (_, worker) in workers.items()}
        for arm, (_, worker) in workers.items():
            outside = set(worker.family.outside() if worker.family else ())
            whose = self.contender(arm).name
            for code, contender, moved in (
                (codes.A11_LEFT, whose, outside),
                *(
                    (codes.A11_STRANGERS, self.contender(one).name, outside & pids[one])
                    for one in workers
                    if one != arm
                ),
            ):
                if not moved or (code.code, contender) in self._moved:
                    continue
                self._moved.add((code.code, contender))
                processes = f"processes of {whose} (pid {', '.join(map(str, sorted(moved)[:_NAMED]))})"
                self._journal.append(
                    "finding",
                    code.finding(
                        contender=contender,
                        text=f"{processes} were in another control group than its own at the end of a start, and what "
                        "they used is not counted as its own; who moved them is not known"
                        if code is codes.A11_LEFT
                        else f"{processes} were in its control group at the end of a start, and what they used counted "
                        "as its own: nothing is concluded from its CPU outside the clocks; who moved them is not known",
                        remedy="measure as a user who cannot write to control groups",
                    ),
                )

    def look_around(self, arm: str) -> None:
        """After a turn of an arm: who keeps the data files from it, and, once in its life, whom it is connected to."""
        if (peers := self._peers.get(arm)) and peers.looked == 1:
            peers.look()
        deeds = {one: worker.exchange.deeds for one, (_, worker) in self.alive.items()}
        files = set().union(*(one.files for one in deeds.values()))
        for pid, kind in interference.locks(files) if files else ():
            holder = interference.life_of(pid, {one.pid: name for name, one in deeds.items()})
            if holder and self.arms[holder].contender != self.arms[arm].contender:
                self._say_deed(deeds_in_words.locked(self.arms[holder].contender, self.arms[arm].contender, kind))

    def _say_deeds(self, workers: Mapping[str, tuple[int, WorkerProcess]]) -> None:
        """What these lives tried to do to others."""
        whose = {worker.pid: self.arms[arm].contender for arm, (_, worker) in self.alive.items()}
        for arm, (_, worker) in workers.items():
            for finding in deeds_in_words.findings(self.arms[arm].contender, worker.exchange.deeds, whose):
                self._say_deed(finding)

    def _say_deed(self, finding: Finding) -> None:
        if (key := (finding.code, finding.contender or "")) not in self._deeds:
            self._deeds.add(key)
            self._journal.append("finding", finding)

    def _servers(self, arm: str, contender: str, worker: WorkerProcess) -> list[int]:
        """Processes that work for it, so that nobody takes them for others; who cannot be one is not believed."""
        family = worker.family.pids() if worker.family else [worker.pid]
        tied = []
        declared = worker.declared()
        self._peers[arm] = Peers(worker, declared)
        self._peers[arm].look()
        for pid in declared.pids:
            if not (why := server_ties.untied(pid, worker.pid, family)):
                tied.append(pid)
            elif (contender, pid) not in self._untied:
                self._untied.add((contender, pid))
                self._journal.append(
                    "finding",
                    codes.A11_SERVER.finding(
                        contender=contender,
                        text=f"its adapter names process {pid} as its server: {why}. What that one uses would be "
                        "nobody's disturbance",
                        remedy="servers() of an adapter names processes that serve this connection, and no others",
                    ),
                )
        return [*tied, *family]

    def _bounded(self, arm: str, block: int) -> PreparedContender:
        """The contender of an arm, held to the CPUs of the block."""
        ready = self.of_block(arm, block)
        if not self.cpus:
            return ready
        # In a duet every side begins on one half, so that its thread pools are made for as many CPUs.
        place = list(self.arms).index(arm) if self._spec.duet else block
        allowed = ready.bounds.affinity or facts.allowed_cpus()
        bounds = msgspec.structs.replace(ready.bounds, affinity=cpus_of(place, allowed, self.cpus))
        return msgspec.structs.replace(ready, bounds=bounds)

    def _sources(self, arm: str) -> list[str]:
        """The Parquet files of an arm, which are read when they are loaded."""
        tables = self._link.tables(self.contender(arm))
        return [path for paths in tables.paths.values() for path in paths]
