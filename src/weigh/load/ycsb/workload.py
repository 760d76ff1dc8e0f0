"""A workload of YCSB, as part of a load's spec."""

from __future__ import annotations

from typing import Literal

import msgspec

RequestKind = Literal["exponential", "hotspot", "latest", "sequential", "uniform", "zipfian"]
Lengths = Literal["constant", "uniform", "zipfian"]


class YcsbRequests(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the keys of YCSB's requests are drawn.

    Attributes:
        kind: as YCSB names it.
        data, operations: of ``hotspot``: the share of the keys that is hot, and of the requests that go to them.
        percentile, share: of ``exponential``: that percentage of the requests goes to this newest share of the keys.
    """

    kind: RequestKind
    data: float | None = None
    operations: float | None = None
    percentile: float | None = None
    share: float | None = None


class YcsbRange(msgspec.Struct, frozen=True, kw_only=True):
    """From how much to how much.

    Attributes:
        least, most: both included.
        lengths: how one of them is drawn.
    """

    least: int
    most: int
    lengths: Lengths


class YcsbWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """A workload of YCSB that is none of the six: its properties.

    Attributes:
        mix: how often each operation comes, in relation to the others.
        requests: how keys are drawn.
        fields: of a row.
        field_prefix: of their names, before their numbers.
        field_bytes: of a field.
        read_all: whether a read fetches all fields, or one.
        write_all: whether an update writes all fields, or one.
        scan_rows: rows of a scan.
        hashed: whether the name of a key is the hash of its number, or the number itself.
        zero_padding: digits that the name of a key has at least.
        ignored: names of properties that were given and mean nothing here.
    """

    mix: dict[str, float]
    requests: YcsbRequests
    fields: int = 10
    field_prefix: str = "field"
    field_bytes: YcsbRange = YcsbRange(least=100, most=100, lengths="constant")
    read_all: bool = True
    write_all: bool = False
    scan_rows: YcsbRange = YcsbRange(least=1, most=100, lengths="uniform")
    hashed: bool = True
    zero_padding: int = 1
    ignored: tuple[str, ...] = ()
