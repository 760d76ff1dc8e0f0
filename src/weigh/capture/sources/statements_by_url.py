"""``pg_stat_statements`` of a server, with what its ``pg_stats`` know of the values of columns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.capture.entry import Total
from weigh.capture.parameters import Distribution
from weigh.engines import program as programs
from weigh.engines.postgres import PSYCOPG
from weigh.model.errors import EngineFault
from weigh.model.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROGRAM = Path(__file__).parent / "statements_program.py"
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_REMEDIES = {
    "no-extension": "add pg_stat_statements to shared_preload_libraries, start the server again, and let an "
    "administrator CREATE EXTENSION pg_stat_statements; or name a log",
    "55000": "add pg_stat_statements to shared_preload_libraries and start the server again; or name a log",
    "42501": "let an administrator GRANT pg_read_all_stats TO this user",
    "28P01": "check the user and the password",
    "3D000": "check the name of the database",
}

_Statistic = tuple[
    str, str, str, "float | None", "float | None", "list[str] | None", "list[float] | None", "list[str] | None"
]


class _Reply(programs.Reply):
    database: str = ""
    rows: list[tuple[str, int, float, int]] = msgspec.field(default_factory=list)
    counted_s: float | None = None
    evicted: int | None = None
    hidden: int = 0
    columns: list[_Statistic] = msgspec.field(default_factory=list)


class StatementsByUrl:
    """What a server said.

    Args:
        connect: as psycopg takes it.
        name: of the server, without a password.
        database: whose statements are wanted; None for the one that is connected to.
        cache: folder of environments.

    Raises:
        EngineFault: the server cannot be reached, or has no ``pg_stat_statements``, or does not let this user read it.
        EnvironmentFault: psycopg cannot be had.
    """

    def __init__(self, connect: dict[str, Any], name: str, database: str | None, cache: Path) -> None:
        reply = programs.ask(_PROGRAM, PSYCOPG, {"connect": connect, "database": database}, _Reply, cache)
        if reply is None:
            raise EngineFault(
                "the server did not say what pg_stat_statements has", where=name, remedy="see the server's log"
            )
        if reply.code == "no-extension":
            what = f"the database {reply.database} has no pg_stat_statements"
            raise EngineFault(what, where=name, remedy=_REMEDIES[reply.code])
        if reply.error is not None:
            raise EngineFault(
                sentences(reply.error), where=name, remedy=_REMEDIES.get(reply.code, "see whether it runs there")
            )
        if reply.rows and reply.hidden and all(text == "<insufficient privilege>" for text, *_ in reply.rows):
            raise EngineFault("this user may not see the statements of others", where=name, remedy=_REMEDIES["42501"])
        self._reply = reply
        self._columns = {(table, column): one for one in reply.columns for table, column in [(one[1], one[2])]}
        self._columns |= {(f"{one[0]}.{one[1]}", one[2]): one for one in reply.columns}

    @property
    def counted_s(self) -> float | None:
        """Seconds for which it has counted."""
        return self._reply.counted_s

    @property
    def notes(self) -> list[str]:
        """What limits it."""
        notes = []
        if self._reply.evicted:
            notes.append(
                f"pg_stat_statements was full and forgot statements {self._reply.evicted} times: raise "
                "pg_stat_statements.max"
            )
        notes.append(
            "values are drawn from pg_stats, as the columns have them: which of them are asked for, and how often, "
            "only a log tells"
        )
        return notes

    def totals(self) -> Iterator[Total]:
        """Of each statement."""
        for text, calls, took, rows in self._reply.rows:
            yield Total(text=text, calls=calls, time_s=took / 1e3, rows=rows)

    def values(self, table: str, column: str) -> Distribution | None:
        """Of a column, as ``ANALYZE`` has seen it; None where it has not."""
        found = self._columns.get((table, column))
        if found is None:
            return None
        _, _, _, nulls, _, values, shares, bounds = found
        # A comparison with NULL finds nothing: such calls are rare.
        del nulls
        common = tuple(zip(values or (), shares or (), strict=False))[:50]
        whole = sum(share for _, share in common)
        known = [value for value, _ in common] + (bounds or [])
        if not known:
            return None
        if bounds and all(_INTEGER.fullmatch(one) for one in bounds):
            ends = tuple(int(one) for one in bounds)
            left = max(0.0, 1.0 - whole)
            if not common and _even(ends):
                return Distribution(kind="uniform", count=0, low=ends[0], high=ends[-1])
            if not common:
                return Distribution(kind="histogram", count=0, low=ends[0], high=ends[-1], bounds=_fewer(ends))
            scaled = tuple((value, share / (whole + left)) for value, share in common)
            return Distribution(
                kind="frequent", count=0, values=scaled, low=ends[0], high=ends[-1], bounds=_fewer(ends)
            )
        rest = (bounds or [])[:: max(1, len(bounds or ()) // 50)][: 60 - len(common)]
        each = max(0.0, 1.0 - whole) / len(rest) if rest else 0.0
        all_of = [*common, *((value, each) for value in rest)]
        total = sum(share for _, share in all_of) or 1.0
        return Distribution(
            kind="sampled" if rest else "frequent",
            count=0,
            values=tuple((value, share / total) for value, share in all_of),
        )


def _even(bounds: tuple[int, ...]) -> bool:
    """Whether as many values lie everywhere between the first and the last."""
    span, steps = bounds[-1] - bounds[0], len(bounds) - 1
    return steps > 0 and all(
        abs(one - bounds[0] - span * place / steps) <= 0.02 * span + 1 for place, one in enumerate(bounds)
    )


def _fewer(bounds: tuple[int, ...]) -> tuple[int, ...]:
    """As many as a script takes."""
    step = max(1, (len(bounds) - 1) // 20)
    thinned = bounds[::step]
    return thinned if thinned[-1] == bounds[-1] else (*thinned, bounds[-1])
