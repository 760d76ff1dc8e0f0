"""Answers to netflow's operations, by plain addition over the cubes of its ground truth."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weigh.model.operation import Case
    from weigh.workloads import Cubes

TOP = 25
"""Rows that the top-n operations return."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Columns = dict[str, list[Any]]


class Answers:
    """What is right, for one truth.

    Attributes:
        truth: the cubes that the answers come from.
    """

    def __init__(self, truth: Cubes) -> None:
        self.truth = truth
        self.events = int(truth["totals"]["events"][0])
        self.users = self._counts("users", "user_name")
        self.detailed_users = self._counts("users", "user_name", "action", "proto")
        self.sources = self._counts("sources", "src_ip")
        self.targets = self._counts("targets", "dst_ip")
        self.ports = self._counts("ports", "dst_port")
        self.actions = self._counts("users", "action")
        self.protos = self._counts("users", "proto")
        self._users_by_action: dict[str, Counter[str | None]] = defaultdict(Counter)
        for (user, action, _), events in self.detailed_users.items():
            self._users_by_action[action][user] += events
        units = truth["units"]
        self._start = int(units["start_us"][0])
        self._duration_unit = 1 << int(units["duration_bits"][0])
        self._low_bits = int(units["duration_low_bits"][0])
        self._steps = int(units["score_steps"][0])

    def of(self, operation: str, case: Case) -> pa.Table | None:
        """The right answer to one case of an operation; None for an operation that is not netflow's."""
        answer: Callable[..., Columns] | None = getattr(self, f"_{operation}", None)
        if answer is None:
            return None
        columns = answer(**case.literals)
        return pa.table({name: pa.array(values, _TYPES.get(name, pa.int64())) for name, values in columns.items()})

    def instant(self, minute: int) -> str:
        """The beginning of a minute of the dataset, as a timestamp literal's text."""
        at = _EPOCH + timedelta(microseconds=self._start + minute * 60_000_000)
        return at.strftime("%Y-%m-%d %H:%M:%S")

    def moment(self, microseconds: int) -> str:
        """An instant so long after the beginning of the dataset, to the microsecond."""
        at = _EPOCH + timedelta(microseconds=self._start + microseconds)
        return at.strftime("%Y-%m-%d %H:%M:%S.%f")

    def ends(self) -> dict[str, tuple[str, str]]:
        """The first and the last instant of every outcome."""
        cube = self.truth["extremes"]
        rows = zip(cube["action"], cube["column"], cube["low"], cube["high"], strict=True)
        found = {
            str(action): (self.moment(int(low) - self._start), self.moment(int(high) - self._start))
            for action, column, low, high in rows
            if column == "ts"
        }
        return dict(sorted(found.items()))

    def pairs(self, one: str, other: str, *, nulls: bool = False) -> int:
        """Pairs of events of two outcomes with the same user; those without a user only if asked for."""
        return sum(
            self._users_by_action[one][user] * self._users_by_action[other][user]
            for user in self._users_by_action[one]
            if nulls or user is not None
        )

    def minute(self, instant: str) -> int:
        """The minute that begins at an instant written by ``instant``."""
        at = datetime.strptime(instant, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        return ((at - _EPOCH) // timedelta(microseconds=1) - self._start) // 60_000_000

    # Filters that count.

    def _eq_user(self, user: str) -> Columns:
        return _count(self.users[user])

    def _ne_user(self, user: str) -> Columns:
        return _count(self.events - self.users[None] - self.users[user])

    def _in_users(self, **users: str) -> Columns:
        return _count(sum(self.users[user] for user in set(users.values())))

    def _alike(self, pattern: str, glob: str) -> Columns:
        return self._user_prefix(pattern)

    def _user_prefix(self, pattern: str) -> Columns:
        alike = re.compile("".join({"%": ".*", "_": "."}.get(char, re.escape(char)) for char in pattern), re.DOTALL)
        named = ((user, events) for user, events in self.users.items() if user is not None)
        return _count(sum(events for user, events in named if alike.fullmatch(user)))

    def _no_user(self) -> Columns:
        return _count(self.users[None])

    def _eq_src_ip(self, ip: str) -> Columns:
        return _count(self.sources[ip])

    def _eq_dst_ip(self, ip: str) -> Columns:
        return _count(self.targets[ip])

    def _eq_dst_port(self, port: int) -> Columns:
        return _count(self.ports[port])

    def _eq_action(self, action: str) -> Columns:
        return _count(self.actions[action])

    def _eq_proto(self, proto: str) -> Columns:
        return _count(self.protos[proto])

    def _user_action_proto(self, user: str, action: str, proto: str) -> Columns:
        return _count(self.detailed_users[user, action, proto])

    def _bytes_range(self, low: int, high: int) -> Columns:
        cube = self.truth["sizes"]
        return _count(sum(int(n) for begin, n in zip(cube["low"], cube["events"], strict=True) if low <= begin < high))

    def _at_the_ends(self, action: str, first: str, last: str) -> Columns:
        return _count(self.actions[action] if self._are_ends(action, first, last) else 0)

    def _past_the_ends(self, action: str, first: str, last: str) -> Columns:
        self._are_ends(action, first, last)
        return _count(0)

    def _are_ends(self, action: str, first: str, last: str) -> bool:
        """Whether an outcome has events, which then are those between its ends; other instants are not known."""
        if not self.actions[action]:
            return False
        if self.ends()[action] != (first, last):
            raise LookupError(f"how many events lie between {first} and {last} is not known")
        return True

    def _nameless(self, text: str) -> Columns:
        return _count(self.users[""] + (0 if text else self.users[None]))

    # Groups.

    def _users_of_action(self, action: str) -> Columns:
        users: Counter[str | None] = self._users_by_action.get(action, Counter())
        return {"user_name": list(users), "events": list(users.values())}

    def _unscored(self) -> Columns:
        cube = self.truth["scores"]
        rows = zip(cube["thousandths"], cube["action"], cube["events"], strict=True)
        unscored = {str(action): int(events) for thousandths, action, events in rows if int(thousandths) < 0}
        actions = sorted(unscored)
        nothing = [None] * len(actions)
        return {
            "action": actions,
            "events": [unscored[action] for action in actions],
            "scored": [0] * len(actions),
            "total_score": nothing,
            "highest_score": list(nothing),
        }

    def _time_window(self, begin: str, end: str) -> Columns:
        minutes = range(self.minute(begin), self.minute(end))
        cube = self.truth["minutes"]
        inside = [int(minute) in minutes for minute in cube["minute"]]
        return self._grouped("minutes", "action", inside, events="events", total_bytes="bytes")

    def _by_action(self) -> Columns:
        return self._grouped("groups", "action", events="events", total_bytes="bytes")

    def _by_proto(self) -> Columns:
        return self._grouped("groups", "proto", events="events", total_packets="packets")

    def _duration_by_proto(self) -> Columns:
        high, low, events = (
            self._sums("groups", "proto", measure) for measure in ("duration_high", "duration_low", "events")
        )
        protos = sorted(events)
        exact = {proto: (high[proto] << self._low_bits) + low[proto] for proto in protos}
        return {
            "proto": protos,
            # Integer division in Python rounds correctly, whatever the size of the integers.
            "total_duration": [exact[proto] / self._duration_unit for proto in protos],
            "mean_duration": [exact[proto] / (self._duration_unit * events[proto]) for proto in protos],
        }

    def _score_by_action(self) -> Columns:
        cube = self.truth["scores"]
        scored, exact = Counter[str](), Counter[str]()
        rows = zip(cube["thousandths"], cube["action"], cube["events"], strict=True)
        for thousandths, action, events in rows:
            known = int(thousandths) >= 0
            scored[action] += int(events) * known
            exact[action] += int(events) * int(thousandths) * known
        actions = sorted(scored)
        return {
            "action": actions,
            "scored": [scored[action] for action in actions],
            "total_score": [exact[a] / self._steps if scored[a] else None for a in actions],
            "mean_score": [exact[a] / (self._steps * scored[a]) if scored[a] else None for a in actions],
        }

    def _extremes_by_action(self) -> Columns:
        cube = self.truth["extremes"]
        known = {
            (action, column): (int(low), int(high))
            for action, column, low, high in zip(cube["action"], cube["column"], cube["low"], cube["high"], strict=True)
        }
        actions = sorted({action for action, _ in known})
        unit = self._duration_unit
        return {
            "action": actions,
            "first_ts": [known[action, "ts"][0] for action in actions],
            "last_ts": [known[action, "ts"][1] for action in actions],
            "least_bytes": [known[action, "bytes"][0] for action in actions],
            "most_bytes": [known[action, "bytes"][1] for action in actions],
            "shortest": [known[action, "duration"][0] / unit for action in actions],
            "longest": [known[action, "duration"][1] / unit for action in actions],
            "highest_id": [known[action, "event_id"][1] for action in actions],
        }

    # Distinct values.

    def _distinct(self) -> Columns:
        known = [user for user in self.users if user is not None]
        return {"users": [len(known)], "sources": [len(self.sources)], "ports": [len(self.ports)]}

    def _sources_by_action(self) -> Columns:
        cube = self.truth["sources"]
        sources = Counter[str](cube["action"])
        return {"action": sorted(sources), "sources": [sources[action] for action in sorted(sources)]}

    # The largest.

    def _top_talkers(self) -> Columns:
        sent = self._sums("source_bytes", "src_ip", "bytes")
        for source in self.sources:
            sent.setdefault(source, 0)
        chosen = sorted(self.sources, key=lambda source: (-sent[source], source.encode()))[:TOP]
        return {
            "src_ip": chosen,
            "total_bytes": [sent[source] for source in chosen],
            "events": [self.sources[source] for source in chosen],
        }

    def _top_users(self) -> Columns:
        named = {user: n for user, n in self.users.items() if user is not None}
        chosen = sorted(named, key=lambda user: (-named[user], user.encode()))[:TOP]
        return {"user_name": chosen, "events": [named[user] for user in chosen]}

    def _top_ports(self) -> Columns:
        # The query breaks no ties, so the truth is every port that may stand in the answer: more rows than its limit.
        ranked = sorted(self.ports, key=lambda port: (-self.ports[port], port))
        least = self.ports[ranked[min(TOP, len(ranked)) - 1]] if ranked else 0
        chosen = [port for port in ranked if self.ports[port] >= least]
        return {"dst_port": chosen, "events": [self.ports[port] for port in chosen]}

    # The join.

    def _denied_and_allowed(self, begin: str, end: str, **users: str) -> Columns:
        minutes, wanted = range(self.minute(begin), self.minute(end)), set(users.values())
        cube = self.truth["watched"]
        actions = Counter[tuple[str, str]]()
        for minute, user, action, events in zip(
            cube["minute"], cube["user_name"], cube["action"], cube["events"], strict=True
        ):
            if user in wanted and int(minute) in minutes:
                actions[user, action] += int(events)
        pairs = {user: actions[user, "deny"] * actions[user, "allow"] for user in wanted}
        met = sorted(user for user in wanted if pairs[user])
        return {"user_name": met, "pairs": [pairs[user] for user in met]}

    def _same_user(self, one: str, other: str) -> Columns:
        return {"pairs": [self.pairs(one, other)]}

    # Addition.

    def _counts(self, cube: str, *keys: str) -> Counter[Any]:
        """Events by the value of a column, or by the values of several as tuples."""
        columns = [_plain(self.truth[cube][key]) for key in keys]
        counted = Counter[Any]()
        names: Iterable[Any] = columns[0] if len(keys) == 1 else zip(*columns, strict=True)
        for name, events in zip(names, self.truth[cube]["events"], strict=True):
            counted[name] += int(events)
        return counted

    def _sums(self, cube: str, key: str, measure: str, inside: Sequence[bool] | None = None) -> dict[str, int]:
        columns = self.truth[cube]
        summed: dict[str, int] = {}
        for position, (name, value) in enumerate(zip(columns[key], columns[measure], strict=True)):
            if inside is None or inside[position]:
                summed[name] = summed.get(name, 0) + int(value)
        return summed

    def _grouped(self, cube: str, key: str, inside: Sequence[bool] | None = None, **measures: str) -> Columns:
        sums = {column: self._sums(cube, key, measure, inside) for column, measure in measures.items()}
        keys = sorted(next(iter(sums.values())))
        return {key: keys, **{column: [summed[name] for name in keys] for column, summed in sums.items()}}


def _plain(column: Any) -> list[Any]:
    """A column as Python values: numpy's integers are no SQL literals."""
    return list(column.tolist() if hasattr(column, "tolist") else column)


def _count(events: int) -> Columns:
    return {"events": [events]}


_TYPES: dict[str, pa.DataType] = {
    **dict.fromkeys(("action", "proto", "src_ip", "user_name"), pa.string()),
    **dict.fromkeys(("first_ts", "last_ts"), pa.timestamp("us")),
    **dict.fromkeys(("total_duration", "mean_duration", "total_score", "mean_score"), pa.float64()),
    **dict.fromkeys(("shortest", "longest", "highest_score"), pa.float64()),
}
"""Types of the columns that are no integers; stated, because a column without rows shows none."""
