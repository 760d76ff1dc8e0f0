"""What reading large evidence costs: CPU seconds and memory of ``weigh verify``, ``report`` and ``history add``.

The evidence is a suite of 300 operations (:mod:`benchmarks.queries`), DuckDB against itself. A few blocks are measured;
then these are written once more, block after block in the order that the seed demands of each, by weigh's own journal,
looks and seal, until there are as many executions as are wanted. So it is no measurement, but evidence of which
`weigh verify` recomputes everything. Both are stored in weigh's cache, and made once.

Variables of the environment: ``WEIGH_BENCH_EVIDENCE_EXECUTIONS`` [200000], ``WEIGH_BENCH_EVIDENCE_TIMES`` [3] of every
command, ``WEIGH_BENCH_EVIDENCE_FOLDER``, other evidence of a run to be read in its place.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from benchmarks import queries
from weigh.engines.prepared import cache_folder
from weigh.evidence import journal, timeline, turns
from weigh.evidence.attempts import begin
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End, sealed
from weigh.experiment import derived, record, schedule
from weigh.experiment.measure.stopping import Stopping
from weigh.experiment.record import BlockBegun, Opened, Record
from weigh.experiment.report import files
from weigh.experiment.results.precision import precision
from weigh.model.progress import Silence
from weigh.model.schedule import unseen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.evidence.turns import Turn
    from weigh.model.sample import Sample
    from weigh.model.schedule import Slot
    from weigh.model.spec import Spec

_EXECUTIONS = int(os.environ.get("WEIGH_BENCH_EVIDENCE_EXECUTIONS", "200000"))
_TIMES = int(os.environ.get("WEIGH_BENCH_EVIDENCE_TIMES", "3"))
_FOLDER = os.environ.get("WEIGH_BENCH_EVIDENCE_FOLDER", "")

_EACH, _MEASURED = 25, 3
"""Operations of each of the twelve templates; blocks that are measured."""
_RUN = (
    "--contender", "a=duckdb", "--contender", "b=duckdb", "--seed", "1", "--budget", "none", "--contention", "100%",
    "--rounds", "2", "--runs", "4",
)  # fmt: skip
_PRECISION = 0.001
"""So narrow that no operation is left out before the end, and every block has as many executions."""
_PAUSE = 0.01
"""Seconds between two blocks."""
_ARMS = ("a", "b", "a#2")
"""Of every block."""
_READERS = {
    "verify": ("verify",),
    "report": ("report",),
    "report --html": ("report", "--html"),
    "history add": ("history", "add", "--to"),
}


class _Cost(NamedTuple):
    cpu_s: float
    peak: int


def run() -> Iterator[str]:
    """The size, then every command."""
    folder = Path(_FOLDER) if _FOLDER else _evidence(cache_folder() / "bench")
    record_read = record.read(folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    yield (
        f"evidence: {len(record_read.samples):,} executions of "
        f"{len({one.operation for one in record_read.samples}):,} operations in "
        f"{len(record_read.blocks)} blocks, {len(record_read.looks)} looks; {size / 1e6:.1f} MB, of these the journal "
        f"{(folder / journal.NAME).stat().st_size / 1e6:.1f} MB"
    )
    for name, words in _READERS.items():
        costs = [_cost(words, folder) for _ in range(_TIMES)]
        cpu = [one.cpu_s for one in costs]
        yield (
            f"evidence, {name}: {median(cpu):.1f} s of CPU ({min(cpu):.1f} to {max(cpu):.1f}), at most "
            f"{max(one.peak for one in costs) / 1e6:,.0f} MB; load average {os.getloadavg()[0]:.1f}"
        )


_CHILD = """import resource, subprocess, sys
passed = not subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(passed + 0, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)"""
"""Runs a command as the child of a small process: the kernel counts the memory of whoever starts it as its own."""


def _cost(words: Sequence[str], folder: Path) -> _Cost:
    """CPU seconds and the largest resident memory of one command.

    Raises:
        CalledProcessError: it did not pass.
    """
    weigh = Path(sys.executable).with_name("weigh")
    with tempfile.TemporaryDirectory() as to:
        command = [str(weigh), *words, *([str(Path(to, "made"))] if words[-1].startswith("--") else []), str(folder)]
        done = subprocess.run([sys.executable, "-c", _CHILD, *command], check=True, stdout=subprocess.PIPE)
    passed, cpu_s, peak = map(float, done.stdout.split())
    if not passed:
        raise subprocess.CalledProcessError(1, command)
    return _Cost(cpu_s, int(peak))


def _evidence(cache: Path) -> Path:
    """The evidence, found or made."""
    place = cache / f"evidence-{_EXECUTIONS}"
    if not place.exists():
        with tempfile.TemporaryDirectory(dir=_made(cache)) as made:
            measured = cache / "evidence-measured"
            if not measured.exists():
                _measured(Path(made)).rename(measured)
            (found,) = measured.iterdir()
            _repeat(found, Path(made, "repeated"), _EXECUTIONS)
            Path(made, "repeated").rename(place)
    (found,) = place.iterdir()
    return found


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _measured(folder: Path) -> Path:
    """A few blocks, measured: the folder that has their evidence."""
    file = queries.write(folder / "suite", _EACH)
    weigh = Path(sys.executable).with_name("weigh")
    flags = (*_RUN, "--starts", str(_MEASURED), "--out", str(folder / "runs"), "--quiet")
    done = subprocess.run([str(weigh), "run", str(file), *flags], check=False, stdout=subprocess.PIPE)
    if done.returncode not in (0, 1, 3):
        raise subprocess.CalledProcessError(done.returncode, "weigh run")
    return folder / "runs"


def _repeat(measured: Path, to: Path, executions: int) -> None:
    """Write the blocks of an attempt again and again, as many as have so many executions, and seal them."""
    record_read = record.read(measured)
    blocks = -(-executions * len(record_read.blocks) // len(record_read.samples))
    spec = msgspec.structs.replace(record_read.spec, starts=blocks, precision=_PRECISION)
    to.mkdir()
    folder, number = begin(to, spec.id)
    made = Journal(folder)
    _Repetition(record_read, measured, spec, number, made).write(blocks)
    with sealed(folder, made, End(how="complete")):
        derived.derive(folder)
        files.write(folder)


class _Block:
    """What was measured in a block.

    Attributes:
        before, after: what else happened in it, before and after its turns: event and body.
        turns: by operation, round and arm, each with the second of the attempt at which the one before it was over.
        start: the lowest number of its lives.
        over: seconds of the attempt at which its first turn began.
    """

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.before: list[tuple[str, dict[str, Any]]] = []
        self.after: list[tuple[str, dict[str, Any]]] = []
        self.turns: dict[tuple[str, int, str], tuple[float, Turn]] = {}
        self.start = min(one.start for one in samples)
        self.over = min(one.at for one in samples)

    def add(self, event: str, body: dict[str, Any]) -> None:
        """What happened alongside the turns."""
        (self.after if self.turns else self.before).append((event, body))

    def turn(self, turn: Turn) -> None:
        """One turn more."""
        first = turn.samples[0]
        self.turns[first.operation, first.round, first.arm] = (self.over, turn)
        self.over = max(self.over, _end(turn))


class _Repetition:
    """An attempt whose blocks are those of another one, in turn."""

    def __init__(self, record_read: Record, measured: Path, spec: Spec, number: int, made: Journal) -> None:
        assert record_read.plan is not None
        self._plan, self._workload, self._spec, self._journal = record_read.plan, record_read.workload, spec, made
        self._blocks = [
            _Block([one for one in record_read.samples if one.block == begun.block]) for begun in record_read.blocks
        ]
        self._digests = turns.established(record_read.gate)
        self._number, self._at, self._start = number, 0.0, 1
        self._beginning: list[tuple[str, Any]] = []
        for event in journal.read(measured):
            self._sort(event.event, event.body)

    def _sort(self, event: str, body: Any) -> None:
        """Where an event belongs."""
        block = body.get("block") if isinstance(body, dict) else None
        if event == "turn":
            turn = turns.unpack(body, self._number, self._digests)
            self._blocks[turn.samples[0].block].turn(turn)
        elif isinstance(block, int) and event not in ("block", "look"):
            self._blocks[block].add(event, body)
        elif event not in ("block", "look", "end", "watch"):
            self._beginning.append((event, body))

    def write(self, blocks: int) -> None:
        """So many blocks, with the looks that follow from them."""
        plan = msgspec.structs.replace(self._plan, starts=blocks)
        for event, body in self._beginning:
            content = {"opened": Opened(attempt=self._number, spec=self._spec), "plan": plan}.get(event, body)
            self._journal.append(event, content)
        stopping = Stopping(self._spec, (), self._journal, Silence())
        operations = tuple(dict.fromkeys(name for name, _ in plan.cases))
        self._at = self._blocks[0].over
        for number in range(blocks):
            live = tuple(case for case in plan.cases if case[0] not in stopping.retired)
            if stopping.stopped or not live:
                return
            names = tuple(dict.fromkeys(name for name, _ in live))
            rounds = stopping.rounds(plan.rounds, names)
            begun = BlockBegun(block=number, cases=live, arms=_ARMS, rounds=rounds, runs=plan.runs)
            self._block(begun, stopping)
            watched = precision.Plan(operations=len(operations), rounds=plan.rounds, most=blocks)
            stopping.look(number, names, watched, self._at)
            # The look lies between the blocks, whatever rounding of times does.
            self._at += _PAUSE

    def _block(self, begun: BlockBegun, stopping: Stopping) -> None:
        source = self._blocks[begun.block % len(self._blocks)]
        for event, body in source.before:
            if event == "calibration":
                self._other(event, body, begun.block, source)
        self._journal.append("block", begun)
        for event, body in source.before:
            if event != "calibration":
                self._other(event, body, begun.block, source)
        for number, slot in enumerate(schedule.slots(self._spec, begun)):
            over, turn = source.turns[slot.operation, slot.round, slot.arms[0]]
            moved = self._moved(turn, begun.block, number, slot, self._start - source.start, self._at - over)
            self._journal.append("turn", turns.pack(moved, self._number, self._digests))
            stopping.add(moved.samples, moved.moments)
            self._at = max(self._at, _end(moved))
        for event, body in source.after:
            if event != "calibration":
                self._other(event, body, begun.block, source)
        self._start += len(_ARMS)

    def _other(self, event: str, body: dict[str, Any], block: int, source: _Block) -> None:
        """What happened alongside the turns of a block."""
        content = {**body, "block": block}
        if "start" in body:
            content["start"] = body["start"] + self._start - source.start
        if "at" in body:
            content["at"] = self._at
        self._journal.append(event, content)

    def _moved(self, turn: Turn, block: int, number: int, slot: Slot, starts: int, seconds: float) -> Turn:
        """The turn of another block in this one's place."""
        made = []
        for one in turn.samples:
            case, salt = slot.case, 0
            if not one.run and self._workload and self._plan.asks_unseen(one.contender, slot, one.temperature):
                case, salt = unseen(self._plan.secret, block, slot, self._workload.operation(slot.operation))
            at = round(one.at + seconds, 9)
            changed = {
                "block": block,
                "turn": number,
                "start": one.start + starts,
                "case": case,
                "salt": salt,
                "at": at,
            }
            made.append(msgspec.structs.replace(one, attempt=self._number, **changed))
        cpu = [
            msgspec.structs.replace(one, block=block, turn=number, start=one.start + starts, case=made[-1].case)
            for one in turn.cpu
        ]
        moments = turn.moments
        if moments is not None and moments.at is not None:
            moments = msgspec.structs.replace(moments, at=moments.at + round(10_000 * seconds))
        return msgspec.structs.replace(turn, samples=tuple(made), cpu=tuple(cpu), moments=moments)


def _end(turn: Turn) -> float:
    """The second of the attempt at which a turn was over, and what was observed of it."""
    ends = [
        one.at + sum(part or 0.0 for part in (one.release_s, one.round_trip_s or one.wall_s, one.answer_s))
        for one in turn.samples
    ]
    moments = timeline.unpack(turn.moments).moments if turn.moments else ()
    return max(*ends, *(one.end for one in moments))
