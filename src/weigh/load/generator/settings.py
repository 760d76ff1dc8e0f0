"""The settings of the native generator: the structs that ``crates/weigh-load/src/config.rs`` reads, field by field."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from weigh.load.spec import ArrivalKind
from weigh.model.units import Bytes, Seconds


class NamedScript(msgspec.Struct, frozen=True, kw_only=True):
    """A script; of one without a text the generator has its own by that name."""

    name: str
    text: str | None
    weight: int


class YcsbSettings(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="ycsb"):
    """YCSB: a letter, or the parts of a core workload."""

    core: str | dict[str, Any]
    records: int
    seed: int
    ordered_index: bool


class TpccSettings(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="tpcc"):
    """TPC-C; ``nurand`` are the constants of its random numbers."""

    warehouses: int
    seed: int
    nurand: dict[str, Any]
    terminals: bool


class IsolationSettings(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="isolation"):
    """Transactions whose history is recorded; ``level`` as SQL names it, None for the server's own."""

    seed: int
    level: str | None


class ScriptSettings(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="script"):
    """Scripts in pgbench's language.

    Attributes:
        scripts: at least one.
        seed: of their random numbers.
        variables: that the user defines.
        prepared: whether statements are prepared; else sent as text.
        samples: requests that each thread keeps with their answers.
        history: of a crash, whether weigh loads the table that it reads back; None without one.
        prepare: file of SQL that makes the data; None where weigh or somebody else makes them.
    """

    scripts: list[NamedScript]
    seed: int
    variables: dict[str, Any]
    prepared: bool
    samples: int = 0
    history: Literal["whole", "part"] | None = None
    prepare: str | None = None


class ReplaySettings(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="replay"):
    """A recording.

    Attributes:
        path: file of lines.
        operations: names.
        speed: how many times as fast as it was recorded.
        lanes: connections.
        prepare: file of SQL that makes the data; None where weigh makes none.
        begin: sent on every new connection; None for nothing.
        reset: sent where a session follows another one on its connection; likewise.
        keep: whether it is kept what came of each statement.
        answer_bytes: of the rows of an answer that are kept; of longer ones a digest is.
    """

    path: str
    operations: tuple[str, ...]
    speed: float
    lanes: int
    prepare: str | None
    begin: str | None
    reset: str | None
    keep: bool
    answer_bytes: Bytes


class ArrivalSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Arrivals of a run, as :class:`weigh.load.spec.Arrivals`, with the seed of what comes at random."""

    kind: ArrivalKind
    rate: float | None = None
    seed: int | None = None
    peak: float | None = None
    length_s: Seconds | None = None
    to: float | None = None
    rates: tuple[float, ...] | None = None
    step_s: Seconds | None = None
    times_s: tuple[Seconds, ...] | None = None


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """One of several generators that offer one load together.

    Attributes:
        part: its number, from 0.
        parts: how many there are.
    """

    part: int
    parts: int


class GeneratorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A run.

    Attributes:
        target: how to connect, as the target's own module says it.
        workload: with what.
        arrivals: when.
        duration_s: of the schedule.
        connections: shared evenly by the threads.
        threads: that send.
        max_in_flight: requests sent and not answered yet, at most.
        timeout_s: after which an answer is not waited for any longer.
        interval_s: of an interval of the report.
        spin: whether to wait for a moment awake.
        share: which part of the load it offers, where several generators offer it together.
    """

    target: dict[str, Any]
    workload: YcsbSettings | TpccSettings | IsolationSettings | ScriptSettings | ReplaySettings
    arrivals: ArrivalSettings
    duration_s: Seconds
    connections: int
    threads: int
    max_in_flight: int
    timeout_s: Seconds
    interval_s: Seconds
    spin: bool
    share: Share | msgspec.UnsetType = msgspec.UNSET
