"""What a block costs: its turns as ``weigh run`` makes them, against the same executions by the adapter alone.

Both begin a fresh process for every arm, hand over the same queries in the same order, execute them as often and write
every answer. The block does what weigh adds: requests, CPU accounting of families, the sampler, questions that nobody
asked before, comparison of answers, the journal. Bare and block take turns, and CPU seconds are those of all processes.

Variables of the environment: ``WEIGH_BENCH_BLOCKS`` [8] rounds, ``WEIGH_BENCH_BLOCKS_SCALE`` [1M] rows of netflow,
``WEIGH_BENCH_BLOCKS_TURNS`` [4] turns of every arm for each operation.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from weigh.engines import bytecode
from weigh.evidence.journal import Journal
from weigh.experiment import schedule
from weigh.experiment.attempt import Attempt
from weigh.experiment.config.run_request import RunRequest
from weigh.experiment.measure.blocks import Blocks
from weigh.experiment.measure.timed_answers import TimedAnswers
from weigh.experiment.record import BlockBegun, Planned
from weigh.experiment.setup import prepare
from weigh.model.contender import parse_contender
from weigh.model.progress import Silence
from weigh.model.schedule import arms
from weigh.model.spec import Spec
from weigh.model.units import parse_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.experiment.gate.gate import GateResult
    from weigh.experiment.setup import Setup
    from weigh.model.schedule import Slot

_ROUNDS = int(os.environ.get("WEIGH_BENCH_BLOCKS", "8"))
_SCALE = os.environ.get("WEIGH_BENCH_BLOCKS_SCALE", "1M")
_TURNS = int(os.environ.get("WEIGH_BENCH_BLOCKS_TURNS", "4"))
_RUNS = 5
_OPERATIONS = ("by_action", "by_proto", "time_window")

_BARE = """
import gc, importlib.util, json, os, sys
from weigh_worker.__main__ import write_answer
asked = json.loads(sys.stdin.read())
spec = importlib.util.spec_from_file_location("weigh_adapter", asked["adapter"])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
engine = module.Engine({}, asked["scratch"])
engine.bind(asked["tables"])
gc.collect()
gc.freeze()
for sql in asked["turns"]:
    engine.prepare(sql)
    for run in range(asked["runs"] + 1):
        engine.release()
        gc.collect()
        engine.run()
        write_answer(engine.answer(), asked["answer"])
engine.close()
# As the worker does: destructors of engines take their time.
os._exit(0)
"""


class _Cost(NamedTuple):
    wall_s: float
    cpu_s: float


def run() -> Iterator[str]:
    """Both in turn, in another order each time; medians, and the ratios of their medians."""
    contender = parse_contender("duckdb")
    spec = Spec(
        workload="netflow", contenders=(contender,), baseline=contender.name, scale=parse_rows(_SCALE),
        operations=_OPERATIONS,
    )  # fmt: skip
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="weigh-bench-")))
        request = RunRequest(root=root, command="")
        setup = prepare(spec, request, Silence(), stack)
        (root / "gate").mkdir()
        journal = Journal(root / "gate")
        stack.callback(journal.close)
        answers = Attempt(setup, 1, journal, Silence(), (), None).check_answers()
        begun = _begun(setup)
        slots = schedule.slots(spec, begun)
        ways: dict[str, Callable[[int], None]] = {
            "bare": lambda _: _bare(setup, slots, root),
            "block": lambda number: _block(setup, answers, begun, root / str(number)),
        }
        found: dict[str, list[_Cost]] = {name: [] for name in ways}
        for number in range(_ROUNDS + 1):
            for name in sorted(ways, reverse=bool(number % 2)):
                cost = _cost(ways[name], number)
                # The first of both brings files into memory.
                if number:
                    found[name].append(cost)
    executions = len(slots) * (_RUNS + 1)
    for at, what in enumerate(_Cost._fields):
        bare, block = (median(one[at] for one in found[name]) for name in ("bare", "block"))
        each = 1e6 * (block - bare) / executions
        yield (
            f"blocks, {what}: {block:.3f} a block of {executions} executions, {bare:.3f} by the adapter alone, "
            f"{each:+.0f} us an execution, ratio {block / bare:.3f}"
        )


def _begun(setup: Setup) -> BlockBegun:
    cases = tuple((one.name, case.name) for one in setup.workload.operations for case in one.timed())
    return BlockBegun(
        block=0,
        cases=cases,
        arms=tuple(arm.name for arm in arms(setup.spec)),
        rounds={operation: _TURNS for operation, _ in cases},
        runs=_RUNS,
    )


def _cost(work: Callable[[int], None], number: int) -> _Cost:
    cpu, wall = _cpu(), time.perf_counter()
    work(number)
    return _Cost(time.perf_counter() - wall, _cpu() - cpu)


def _cpu() -> float:
    """Of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _block(setup: Setup, answers: GateResult, begun: BlockBegun, folder: Path) -> None:
    (ready,) = setup.contenders
    plan = Planned(
        cases=begun.cases,
        starts=1,
        rounds=_TURNS,
        runs=_RUNS,
        secret="of this benchmark",
        varied={ready.name: answers.varied[ready.name]},
    )
    folder.mkdir()
    journal = Journal(folder)
    timed = TimedAnswers(setup.workload, answers.answers, answers.tied)
    blocks = Blocks(
        setup.spec, setup.workload, {ready.name: ready}, arms(setup.spec), timed, setup.link, journal, 1, answers.gate
    )
    with blocks.watching.started(blocks.began):
        blocks.measure(plan, Silence())
    journal.close()


def _bare(setup: Setup, slots: list[Slot], root: Path) -> None:
    (ready,) = setup.contenders
    for arm in arms(setup.spec):
        with tempfile.TemporaryDirectory(dir=root) as made:
            bytecode.put(ready.engine.adapter, Path(made, "lib"))
            questions = {
                "adapter": str(ready.engine.adapter),
                "scratch": made,
                "tables": setup.link.tables(ready).paths,
                "turns": [_text(setup, slot) for slot in slots if slot.arms == (arm.name,)],
                "runs": _RUNS,
                "answer": str(Path(made, "answer")),
            }
            subprocess.run(
                [str(ready.environment.python), "-P", "-c", _BARE],
                input=json.dumps(questions),
                env={**os.environ, "PYTHONPATH": str(Path(made, "lib")), "PYTHONDONTWRITEBYTECODE": "1"},
                text=True,
                check=True,
            )


def _text(setup: Setup, slot: Slot) -> str:
    operation = setup.workload.operation(slot.operation)
    (ready,) = setup.contenders
    return operation.text(next(case for case in operation.cases if case.name == slot.case), ready.engine.dialect)
