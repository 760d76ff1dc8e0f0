"""The workload ``netflow``: what an analyst asks a firewall's log, over the dataset of the same name.

One text for every engine (but see ``_spoken``): standard SQL without functions whose name, rounding or NULL handling
differs. An aggregate without GROUP BY over no rows is NULL in the standard and 0 in ClickHouse, so sums are always
grouped.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.model.answer import Column, Kind, ResultSchema
from weigh.model.operation import Case, Filter, Operation, Workload
from weigh.workloads.netflow import edges, literals
from weigh.workloads.netflow.answers import TOP, Answers

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Collection

    import pyarrow as pa

    from weigh.workloads import Cubes

_ROUNDING = 2.0**-53
_LEAST = 1e-12


def tolerance(rows: int) -> float:
    """Relative tolerance of sums and means of so many doubles, none of them negative: 1e-12 to 30K rows, 2e-10 at 10^9.

    Added one by one, each addition rounds by at most 2^-53 of what is there, either way: together by about
    sqrt(rows / 3) of that (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2). A hundred times
    as much is allowed.
    """
    return max(_LEAST, 64 * math.sqrt(rows) * _ROUNDING)


OPERATIONS = (
    "eq_user",
    "eq_src_ip",
    "eq_dst_ip",
    "eq_dst_port",
    "eq_action",
    "eq_proto",
    "user_action_proto",
    "ne_user",
    "in_users",
    "user_prefix",
    "no_user",
    "bytes_range",
    "time_window",
    "by_action",
    "by_proto",
    "duration_by_proto",
    "score_by_action",
    "extremes_by_action",
    "distinct",
    "sources_by_action",
    "top_talkers",
    "top_users",
    "top_ports",
    "denied_and_allowed",
    "at_the_ends",
    "past_the_ends",
    "nameless",
    "alike",
    "users_of_action",
    "unscored",
    "same_user",
)
"""Names of the operations, in order: a misspelt one is found before there is data."""
_ONCE = (Case(name="only", timed=True),)


class Netflow:
    """The source of the workload."""

    name = "netflow"
    dataset = "netflow"
    operation_names = OPERATIONS

    def __init__(self) -> None:
        self._answers: Answers | None = None

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The operations, with literals chosen from the truth by the seed."""
        return Workload(name=self.name, dataset=self.dataset, operations=self._built(truth, seed, OPERATIONS))

    def build_only(self, truth: Cubes, seed: int, chosen: Collection[str]) -> Workload:
        """The same with the chosen operations alone: to draw literals of all takes longer than to ask for one."""
        built = self._built(truth, seed, chosen)
        suite = tuple(one.name for one in built if one.timed())
        only = tuple(one for one in built if one.name in chosen)
        return Workload(name=self.name, dataset=self.dataset, operations=only, suite=suite)

    def _built(self, truth: Cubes, seed: int, wanted: Collection[str]) -> tuple[Operation, ...]:
        known = self._known(truth)
        return (*map(_spoken, _operations(known, seed, wanted)), *edges.operations(known))

    def frames(self, library: str) -> tuple[str, str] | None:
        """The functions for a library of data frames, and the name of their file."""
        file = Path(__file__).parent / "frames" / f"{library}.py"
        return (file.read_text(encoding="utf-8"), f"netflow/frames/{file.name}") if file.is_file() else None

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The right answer, from the truth alone."""
        return self._known(truth).of(operation, case)

    def _known(self, truth: Cubes) -> Answers:
        # Indexing the cubes takes longer than answering from them, and they are asked for hundreds of
        # answers.
        if self._answers is None or self._answers.truth is not truth:
            self._answers = Answers(truth)
        return self._answers


workload = Netflow()


def _operations(answers: Answers, seed: int, wanted: Collection[str]) -> tuple[Operation, ...]:
    rel = tolerance(answers.events)

    def cases(name: str, draw: Callable[[], tuple[Case, ...]]) -> tuple[Case, ...]:
        return draw() if name in wanted else _ONCE

    def sweep(name: str, parameter: str, counts: Counter[Any], **how: Any) -> tuple[Case, ...]:
        return cases(name, lambda: literals.sweep(parameter, counts, seed, **how))

    return (
        _counting(
            "eq_user",
            "user_name = {user}",
            sweep("eq_user", "user", answers.users, absent=literals.ABSENT_USERS, edges=literals.EDGE_USERS, each=10),
            "events of one user",
        ),
        _counting(
            "eq_src_ip",
            "src_ip = {ip}",
            sweep(
                "eq_src_ip",
                "ip",
                answers.sources,
                absent=literals.ABSENT_ADDRESSES,
                edges=literals.EDGE_ADDRESSES,
                each=10,
            ),
            "events from one address",
        ),
        _counting(
            "eq_dst_ip",
            "dst_ip = {ip}",
            sweep(
                "eq_dst_ip",
                "ip",
                answers.targets,
                absent=literals.ABSENT_ADDRESSES,
                edges=literals.EDGE_ADDRESSES,
                each=10,
            ),
            "events to one address",
        ),
        _counting(
            "eq_dst_port",
            "dst_port = {port}",
            sweep(
                "eq_dst_port", "port", answers.ports, absent=literals.ABSENT_PORTS, edges=literals.EDGE_PORTS, each=11
            ),
            "events to one port",
        ),
        _counting(
            "eq_action",
            "action = {action}",
            literals.sweep("action", answers.actions, seed, absent=("", "Allow", "allo", "allow ", "deny\t", "none")),
            "events with one outcome",
        ),
        _counting(
            "eq_proto",
            "proto = {proto}",
            literals.sweep("proto", answers.protos, seed, absent=("", "TCP", "tc", "tcp ", "icmp6", "udplite")),
            "events of one protocol",
        ),
        _counting(
            "user_action_proto",
            "user_name = {user} AND action = {action} AND proto = {proto}",
            cases("user_action_proto", lambda: literals.conjunctions(answers, seed)),
            "three equalities at once",
        ),
        _counting(
            "ne_user",
            "user_name <> {user}",
            sweep("ne_user", "user", answers.users, edges=("", "no.such.user"), each=4),
            "events of all users but one; NULL is neither",
        ),
        _counting(
            "in_users",
            "user_name IN ({a}, {b}, {c}, {d})",
            cases("in_users", lambda: literals.several_users(answers, seed)),
            "events of four users",
        ),
        _counting(
            "user_prefix",
            "user_name LIKE {pattern}",
            literals.timed(
                Case(name=f"prefix-{number}", literals={"pattern": pattern})
                for number, pattern in enumerate(("svc-backup-%", "ada.%", "svc-%", "李%", "zz%", "%"), 1)
            ),
            "events of users by prefix",
        ),
        _counting("no_user", "user_name IS NULL", _ONCE, "events without a user"),
        _counting(
            "bytes_range",
            "bytes >= {low} AND bytes < {high}",
            literals.size_ranges(),
            "events in a range of sizes",
        ),
        Operation(
            name="time_window",
            sql=(
                "SELECT action, count(*) AS events, sum(bytes) AS total_bytes FROM events "
                "WHERE ts >= TIMESTAMP {begin} AND ts < TIMESTAMP {end} GROUP BY action ORDER BY action"
            ),
            schema=_schema("action:string events:integer total_bytes:integer", ordered_by=(0,)),
            cases=cases("time_window", lambda: literals.time_windows(answers, seed)),
            filter=Filter(table="events", predicate="ts >= TIMESTAMP {begin} AND ts < TIMESTAMP {end}"),
            about="outcomes and bytes in a window of time",
        ),
        Operation(
            name="by_action",
            sql=(
                "SELECT action, count(*) AS events, sum(bytes) AS total_bytes FROM events "
                "GROUP BY action ORDER BY action"
            ),
            schema=_schema("action:string events:integer total_bytes:integer", ordered_by=(0,)),
            cases=_ONCE,
            about="events and bytes by outcome",
        ),
        Operation(
            name="by_proto",
            sql=(
                "SELECT proto, count(*) AS events, sum(packets) AS total_packets FROM events "
                "GROUP BY proto ORDER BY proto"
            ),
            schema=_schema("proto:string events:integer total_packets:integer", ordered_by=(0,)),
            cases=_ONCE,
            about="a sum over 32-bit integers that needs more than 32 bits",
        ),
        Operation(
            name="duration_by_proto",
            sql=(
                "SELECT proto, sum(duration) AS total_duration, avg(duration) AS mean_duration FROM events "
                "GROUP BY proto ORDER BY proto"
            ),
            schema=_schema("proto:string total_duration:double~ mean_duration:double~", ordered_by=(0,), rel=rel),
            cases=_ONCE,
            about="sums of doubles, whose last bits depend on the order of addition",
        ),
        Operation(
            name="score_by_action",
            sql=(
                "SELECT action, count(score) AS scored, sum(score) AS total_score, avg(score) AS mean_score "
                "FROM events GROUP BY action ORDER BY action"
            ),
            schema=_schema(
                "action:string scored:integer total_score:double~ mean_score:double~", ordered_by=(0,), rel=rel
            ),
            cases=_ONCE,
            about="aggregates over a column that is often NULL",
        ),
        Operation(
            name="extremes_by_action",
            sql=(
                "SELECT action, min(ts) AS first_ts, max(ts) AS last_ts, min(bytes) AS least_bytes, "
                "max(bytes) AS most_bytes, min(duration) AS shortest, max(duration) AS longest, "
                "max(event_id) AS highest_id FROM events GROUP BY action ORDER BY action"
            ),
            schema=_schema(
                "action:string first_ts:timestamp last_ts:timestamp least_bytes:integer most_bytes:integer "
                "shortest:double longest:double highest_id:integer",
                ordered_by=(0,),
            ),
            cases=_ONCE,
            about="smallest and largest values",
        ),
        Operation(
            name="distinct",
            sql=(
                "SELECT count(DISTINCT user_name) AS users, count(DISTINCT src_ip) AS sources, "
                "count(DISTINCT dst_port) AS ports FROM events"
            ),
            schema=_schema("users:integer sources:integer ports:integer"),
            cases=_ONCE,
            about="distinct users, sources and ports",
        ),
        Operation(
            name="sources_by_action",
            sql=("SELECT action, count(DISTINCT src_ip) AS sources FROM events GROUP BY action ORDER BY action"),
            schema=_schema("action:string sources:integer", ordered_by=(0,)),
            cases=_ONCE,
            about="distinct sources by outcome",
        ),
        Operation(
            name="top_talkers",
            sql=(
                "SELECT src_ip, sum(bytes) AS total_bytes, count(*) AS events FROM events "
                f"GROUP BY src_ip ORDER BY total_bytes DESC, src_ip LIMIT {TOP}"
            ),
            schema=_schema("src_ip:string total_bytes:integer events:integer", ordered_by=(1, 0), limit=TOP, keys=(0,)),
            cases=_ONCE,
            about="sources that sent most",
        ),
        Operation(
            name="top_users",
            sql=(
                "SELECT user_name, count(*) AS events FROM events WHERE user_name IS NOT NULL "
                f"GROUP BY user_name ORDER BY events DESC, user_name LIMIT {TOP}"
            ),
            schema=_schema("user_name:string events:integer", ordered_by=(1, 0), limit=TOP, keys=(0,)),
            cases=_ONCE,
            about="users with most events",
        ),
        Operation(
            name="top_ports",
            sql=(f"SELECT dst_port, count(*) AS events FROM events GROUP BY dst_port ORDER BY events DESC LIMIT {TOP}"),
            schema=_schema("dst_port:integer events:integer", ordered_by=(1,), limit=TOP, keys=(0,)),
            cases=_ONCE,
            about="ports with most events; ties at the limit are anybody's",
        ),
        Operation(
            name="denied_and_allowed",
            sql=(
                "SELECT d.user_name AS user_name, count(*) AS pairs FROM events AS d "
                "JOIN events AS a ON d.user_name = a.user_name "
                "WHERE d.action = 'deny' AND a.action = 'allow' AND d.user_name IN ({a}, {b}, {c}) "
                "AND d.ts >= TIMESTAMP {begin} AND d.ts < TIMESTAMP {end} "
                "AND a.ts >= TIMESTAMP {begin} AND a.ts < TIMESTAMP {end} "
                "GROUP BY d.user_name ORDER BY d.user_name"
            ),
            schema=_schema("user_name:string pairs:integer", ordered_by=(0,)),
            cases=cases("denied_and_allowed", lambda: literals.meetings(answers)),
            about="the table joined with itself: denied with allowed events of the same user",
        ),
    )


def _spoken(operation: Operation) -> Operation:
    """The operation, with another text where an engine lacks the literal of a timestamp.

    SQLite has no timestamps: its adapter keeps them as text with six digits of a second, so the literal needs them too.
    """
    if "TIMESTAMP {" not in operation.sql:
        return operation
    text = re.sub(r"TIMESTAMP (\{\w+\})", r"\1 || '.000000'", operation.sql)
    return msgspec.structs.replace(operation, dialect={"sqlite": text})


def _counting(name: str, predicate: str, cases: tuple[Case, ...], about: str) -> Operation:
    return Operation(
        name=name,
        sql=f"SELECT count(*) AS events FROM events WHERE {predicate}",
        schema=_schema("events:integer"),
        cases=cases,
        filter=Filter(table="events", predicate=predicate),
        about=about,
    )


def _schema(
    columns: str,
    ordered_by: tuple[int, ...] = (),
    limit: int | None = None,
    keys: tuple[int, ...] = (),
    rel: float = 0.0,
) -> ResultSchema:
    """A schema written as ``name:kind`` by column; ``~`` after the kind for a sum of doubles, within ``rel``."""
    made = []
    for column in columns.split():
        name, _, kind = column.partition(":")
        made.append(_approx(name, kind[:-1], rel) if kind.endswith("~") else Column(name=name, kind=_kind(kind)))
    return ResultSchema(columns=tuple(made), ordered_by=ordered_by, limit=limit, keys=keys)


def _approx(name: str, kind: str, rel: float) -> Column:
    return Column(name=name, kind=_kind(kind), match="approx", rel=rel)


def _kind(kind: str) -> Kind:
    kinds: dict[str, Kind] = {
        "integer": "integer",
        "double": "double",
        "string": "string",
        "timestamp": "timestamp",
    }
    return kinds[kind]
