"""The rows of netflow: their columns, as a pure function of (seed, scale, position).

Only integers are computed. The doubles are integers times a power of two, so that their sum is known exactly
(``netflow_tally``) although no engine's floating-point sum can be.
"""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from weigh.data.counter_random import key, lanes, words
from weigh.data.netflow import pools

Codes = NDArray[np.integer]
Integers = NDArray[np.int64]

DURATION_BITS = 41
"""``duration`` is an integer of at most 53 bits times 2^-41 seconds: 2 ms to 4096 s."""
SCORE_STEPS = 1000
"""``score`` is k / 1000, k from 0 to 1000: few values, whose sum still rounds."""
BYTES_LIMIT = 1 << 36
"""``bytes`` stays below: 2^17 of them sum to less than 2^53, exact in the doubles that bincount uses."""

_RARE = 1 << 22
"""One row in 2^10 is an edge case: below this a 32-bit number says so."""

SCHEMA = pa.schema(
    {
        "ts": pa.timestamp("us"),
        "event_id": pa.int64(),
        "src_ip": pa.string(),
        "src_port": pa.int32(),
        "dst_ip": pa.string(),
        "dst_port": pa.int32(),
        "proto": pa.string(),
        "user_name": pa.string(),
        "action": pa.string(),
        "bytes": pa.int64(),
        "packets": pa.int32(),
        "duration": pa.float64(),
        "score": pa.float64(),
    }
)


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """A run of events as arrays; strings as positions in their pools.

    Attributes:
        ts: microseconds since 1970, UTC.
        event_id: unique.
        user: position in ``users()``, ``NULL_USER`` for none.
        duration: units of 2^-41 seconds.
        score: thousandths; ``NO_SCORE`` where there is none.
    """

    ts: Integers
    event_id: Integers
    source: Codes
    source_port: Codes
    target: Codes
    target_port: Codes
    proto: Codes
    user: Codes
    action: Codes
    bytes: Integers
    packets: Codes
    duration: Integers
    score: Codes

    def batch(self) -> pa.RecordBatch:
        """The events as Arrow, strings dictionary-encoded by their pools."""
        user = pa.array(self.user, mask=self.user == pools.NULL_USER)
        seconds = self.duration.astype(np.float64)
        seconds *= 2.0**-DURATION_BITS
        columns = [
            pa.array(self.ts, pa.timestamp("us")),
            pa.array(self.event_id),
            _words(self.source, _dictionary("source")),
            pa.array(self.source_port),
            _words(self.target, _dictionary("target")),
            pa.array(self.target_port),
            _words(self.proto, _dictionary("proto")),
            pa.DictionaryArray.from_arrays(user, _dictionary("user")),
            _words(self.action, _dictionary("action")),
            pa.array(self.bytes),
            pa.array(self.packets),
            pa.array(seconds),
            pa.array(self.score / SCORE_STEPS, mask=self.score == pools.NO_SCORE),
        ]
        return pa.RecordBatch.from_arrays(columns, SCHEMA.names)


def rows(seed: int, scale: int, first: int, count: int) -> Rows:
    """Events ``first`` to ``first + count`` of the dataset of ``scale`` events.

    Args:
        seed: of the dataset.
        scale: events in the dataset; it decides how dense they are in time, and nothing else.
        first: position of the first event wanted.
        count: events wanted.
    """

    def stream(name: str) -> NDArray[np.uint64]:
        return words(key(seed, name), first, count)

    late, edge = _halves(stream("time"))
    to_source, to_target, to_service, to_user = lanes(stream("who"))
    to_action, to_port, from_port, to_magnitude = lanes(stream("what"))
    to_score = lanes(size := stream("size"))[2]

    service = pools.service_choice()[to_service]
    port = pools.service_ports()[service]
    drawn = np.flatnonzero(port < 0)
    port[drawn] = 1024 + (to_port[drawn].astype(np.int64) * 64_512 >> 16)
    action = pools.action_choice()[pools.service_risks()[service] + to_action]
    user = pools.user_choice()[to_user]
    source = pools.source_choice()[to_source]
    target = pools.target_choice()[to_target]

    bytes_ = _transferred(size, to_magnitude, action)
    packets = ((bytes_ >> 9) + (size >> np.uint64(61)).astype(np.int64) + 1).astype(np.int32)
    spent = stream("duration")
    # 52 random bits below a leading one, shifted by 0 to 20: what the fractions of a second need is all kept.
    shift = (size >> np.uint64(56) & np.uint64(31)) * np.uint64(21) >> np.uint64(5)
    duration = (spent >> np.uint64(12) | np.uint64(1 << 52)) >> shift
    made = Rows(
        ts=_instants(scale, first, count) + (late.astype(np.int64) * pools.JITTER_US >> 32),
        event_id=stream("event").view(np.int64),
        source=source,
        source_port=32_768 + (from_port.astype(np.int32) * 28_232 >> 16),
        target=target,
        target_port=port,
        proto=pools.service_protos()[service],
        user=user,
        action=action,
        bytes=bytes_,
        packets=packets,
        duration=duration.view(np.int64),
        score=pools.score_choice()[to_score],
    )
    _plant(made, edge)
    return made


def _transferred(size: NDArray[np.uint64], to_magnitude: Codes, action: Codes) -> Integers:
    """Bytes of each transfer: a power law from 64 to 2^36; what was not let through is a header only."""
    mantissa = (size & np.uint64(0x1FFFFF)).view(np.int64)
    magnitude = pools.magnitude_choice()[to_magnitude]
    header = 40 + (mantissa & 31)
    mantissa += 1 << 21
    mantissa <<= magnitude
    mantissa >>= 15
    blocked = (action == pools.DENY) | (action == pools.DROP)
    np.copyto(mantissa, header, where=blocked)
    return mantissa


def _plant(made: Rows, edge: NDArray[np.uint32]) -> None:
    """Overwrite the few rows that are edge cases: values that are rare, or at the end of their range."""
    where = np.flatnonzero(edge < _RARE)
    kind, which = edge[where] & 7, (edge[where] >> np.uint32(3)).astype(np.int64)
    users = np.arange(pools.COMMON_USERS, len(pools.users()))
    planted = (
        (made.user, users),
        (made.bytes, np.array([-1, 0, 1, BYTES_LIMIT - 1])),
        (made.target_port, np.array([0, 1, 65_535, 31_337])),
        (made.source, np.arange(pools.SOURCES, len(pools.sources()))),
        (made.target, np.arange(pools.TARGETS, len(pools.targets()))),
        (made.action, np.array([pools.HONEYPOT])),
        (made.source_port, np.array([0, 65_535])),
        (made.user, users),
    )
    for number, (column, values) in enumerate(planted):
        chosen = kind == number
        column[where[chosen]] = values[which[chosen] % len(values)]


@cache
def _hour_ends(scale: int) -> tuple[int, ...]:
    """Number of events that begin before the end of each hour."""
    weights = pools.hour_weights()
    total, reached, ends = sum(weights), 0, []
    for weight in weights:
        reached += weight
        ends.append(scale * reached // total)
    return tuple(ends)


def _instants(scale: int, first: int, count: int) -> Integers:
    """When each event began: evenly spaced within its hour, hours as busy as a working week makes them."""
    ts = np.empty(count, np.int64)
    begin = 0
    for hour, end in enumerate(_hour_ends(scale)):
        low, high = max(begin, first), min(end, first + count)
        if low < high:
            step = pools.HOUR_US // (end - begin)
            run = np.arange(low - begin, high - begin, dtype=np.int64)
            run *= step
            run += pools.START_US + hour * pools.HOUR_US
            ts[low - first : high - first] = run
        begin = end
    return ts


def _halves(word: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    parts = word.astype("<u8", copy=False).view("<u4").reshape(-1, 2)
    return parts[:, 0], parts[:, 1]


def _words(codes: Codes, dictionary: pa.StringArray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes), dictionary)


@cache
def _dictionary(name: str) -> pa.StringArray:
    values = {
        "source": pools.sources(),
        "target": pools.targets(),
        "user": pools.users(),
        "proto": pools.PROTOS,
        "action": pools.ACTIONS,
    }
    return pa.array(values[name], pa.string())
