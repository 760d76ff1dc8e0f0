"""Result caches (A9): whether a question that was asked before is answered without being executed.

The gate asks every timed question three times and then once with a number more in its answer, which nobody asked
before. Where the repetition costs next to nothing compared with that, it is looked at again here, in a life of its own.
"""

from __future__ import annotations

import secrets
import shutil
import statistics
from typing import TYPE_CHECKING, Literal, NamedTuple

from weigh.answers import compare
from weigh.data import unseen as rows
from weigh.engines import environment as environments
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import QuerySession
from weigh.host import scratch
from weigh.model import codes, units
from weigh.model.errors import WeighError
from weigh.verdict.repetition import Cost, remembered
from weigh.workloads.salted import salted, unsalted

if TYPE_CHECKING:
    from weigh.data.cache import CachedData
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.run_cost import RunCost
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.finding import Finding
    from weigh.model.operation import Operation

_PAIRS = 5
_CONFIRMING = 10
"""Further pairs before anybody is accused."""
LOOKED_AT = 0.5
"""Share of an unseen question's cost below which a repetition is looked at; nobody is accused by it."""
_LOOKUP_CPU_S = 1e-3
"""CPU seconds above which a repetition is more than looking up an answer."""

Kind = Literal["plan", "cache", "open", "constant"]
"""What a quick repetition is: a plan that is kept, an answer that is kept, or nobody can tell; *constant* where that
is because other rows have the same answer."""


class Suspicion(NamedTuple):
    """Medians of costs of a repeated question and of the same one with a salt."""

    repeated: Cost
    unseen: Cost


def cost(run: RunCost) -> Cost:
    """Of one execution: by weigh's own reading of the process where there is one."""
    charged = run.round_trip.cpu_s if run.cpu_s is not None else None
    return Cost(run.wall_s, charged)


def salt() -> int:
    """A number that nobody used before, of nine digits."""
    return 100_000_000 + secrets.randbelow(900_000_000)


def examine(
    ready: PreparedContender,
    operations: list[Operation],
    data: CachedData,
    link: DataLink,
    timeout: float,
) -> list[Finding]:
    """What the quick repetitions of a contender are, after asking each of these operations many times more."""
    findings: list[Finding] = []
    for operation in operations:
        sql = operation.text(operation.timed()[0], ready.engine.dialect)
        try:
            with QuerySession(ready, link, timeout) as session:
                found = _suspicion(session, sql)
                if found is None:
                    continue
                kind = _kind(session, operation, sql, data, link)
        except WorkerEnded as ended:
            if ended.alive:
                continue
            # What hangs or dies here did so in the gate; each further try may cost a whole time-out.
            return findings
        if kind == "plan" or remembered(*found):
            findings.append(_finding(ready.name, operation.name, found, kind))
    return findings


def _suspicion(session: QuerySession, sql: str) -> Suspicion | None:
    """Costs of both, where they still differ by too much after many pairs: stalls neither hide a cache nor make one."""
    session.ask(sql)
    again: list[Cost] = []
    anew: list[Cost] = []
    for pairs in (_PAIRS, _CONFIRMING):
        for _ in range(pairs):
            # With their answers: some remember only what was fetched.
            again.append(cost(session.ask(sql).run))
            other = salted(sql, salt())
            assert other is not None
            anew.append(cost(session.ask(other).run))
        repeated = median(again)
        if not remembered(repeated, median(anew), share=LOOKED_AT):
            return None
    # On a crowded machine stalls hit most executions of a few milliseconds: with a cache even the fastest unseen one
    # is executed.
    unseen = least(*anew)
    return Suspicion(repeated, unseen) if remembered(repeated, unseen, share=LOOKED_AT) else None


def least(*costs: Cost) -> Cost:
    """Of each figure by itself."""
    return Cost(
        min(one.wall_s for one in costs), min((one.cpu_s for one in costs if one.cpu_s is not None), default=None)
    )


def median(costs: list[Cost]) -> Cost:
    """Of each figure by itself."""
    charged = [one.cpu_s for one in costs if one.cpu_s is not None]
    return Cost(statistics.median(one.wall_s for one in costs), statistics.median(charged) if charged else None)


def _kind(session: QuerySession, operation: Operation, sql: str, data: CachedData, link: DataLink) -> Kind:
    """Other rows are put under the paths of a life that knows the text: a plan gives their answer, and quickly."""
    if session.ready.contender.remote:
        # Its rows lie where weigh can put no others.
        return "open"
    given = session.ask(sql).table
    place = scratch.folder("unseen")
    place.chmod(0o755)
    try:
        made = rows.make(data, place / "data", lambda needed: environments.ensure(needed, session.ready.cache).python)
        with link.showing({session.ready.contender.layout: made}):
            first = session.ask(sql)
            number = salt()
            other = salted(sql, number)
            assert other is not None
            new = session.ask(other)
    except (WeighError, WorkerEnded, OSError):
        return "open"
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if compare.compare(first.table, given, operation.schema).agrees:
        right = unsalted(new.table, number)
        if right is not None and compare.compare(right, given, operation.schema).agrees:
            return "constant"
        # An answer that is kept; or rows that are held in memory, which take CPU to look at.
        repeated = cost(first.run)
        return "open" if (repeated.cpu_s or 0.0) > _LOOKUP_CPU_S else "cache"
    # A cache that notices new rows executes the known text as it does the unknown one.
    return "plan" if remembered(cost(first.run), cost(new.run), share=0.5) else "cache"


def _finding(contender: str, operation: str, found: Suspicion, kind: Kind) -> Finding:
    label = _label(found)
    if kind == "plan":
        return codes.A9_PLAN.finding(
            contender=contender,
            operation=operation,
            text=f"{label}: it keeps the plan of a text, and answers rightly when the rows change",
            remedy="nothing is wrong; its times are those of a text that was observed before",
        )
    if kind == "open":
        return codes.A9_SUSPECT.finding(
            "error",
            contender=contender,
            operation=operation,
            text=f"{label}: a result cache answers, or a compiled plan does, and here nobody can tell which",
            remedy="no verdict on this operation; switch the cache off in its settings, or let it read changed files",
        )
    if kind == "constant":
        return codes.A9_SUSPECT.finding(
            "note",
            contender=contender,
            operation=operation,
            text=f"{label}, and other rows have the same answer: it keeps the plan of a text, or answers, and here "
            "nobody can tell which",
            remedy="nothing is wrong, and there is no verdict on this operation; choose literals that select rows",
        )
    return codes.A9_DETECTED.finding(
        contender=contender,
        operation=operation,
        text=f"{label}: a result cache answers",
        remedy="switch the cache off in its settings; its times would be those of the cache",
    )


def _label(found: Suspicion) -> str:
    """Both costs in words: CPU seconds where they tell, else time."""
    repeated, unseen = found
    if (
        repeated.cpu_s is not None
        and unseen.cpu_s is not None
        and not remembered(Cost(repeated.wall_s, None), Cost(unseen.wall_s, None))
    ):
        return (
            f"a repeated query takes {units.seconds(repeated.cpu_s)} of CPU, the same one with a salt that nobody saw "
            f"{units.seconds(unseen.cpu_s)}"
        )
    return (
        f"a repeated query takes {units.seconds(repeated.wall_s)}, the same one with a salt that nobody saw "
        f"{units.seconds(unseen.wall_s)}"
    )


def unvaried(contender: str, operations: list[str]) -> Finding:
    """Where a result cache could not be looked for."""
    return codes.A9_UNVARIED.finding(
        contender=contender,
        text=f"whether a repetition of {', '.join(operations)} is executed could not be tried: there is no question "
        "like it that nobody asked before",
        remedy="nothing is wrong; one SELECT with FROM can be varied, where the engine takes one column more",
    )
