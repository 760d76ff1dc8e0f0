"""A ladder of loads as it was asked for: the same load on data that is a multiple of the server's memory."""

from __future__ import annotations

import hashlib

import msgspec

from weigh.model.units import Bytes


class LoadStep(msgspec.Struct, frozen=True, kw_only=True):
    """One rung before it is measured.

    Attributes:
        ratio: data over memory that was asked for.
        records: of YCSB that are loaded for it.
        experiment: id of its load.
    """

    ratio: float
    records: int
    experiment: str


class LoadLadderPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The whole ladder.

    Attributes:
        workload: of YCSB.
        target: the server, without its password.
        memory: bytes that the rungs are multiples of.
        memory_is: what limits it: ``control group``, or the setting of the server: ``shared_buffers``,
            ``innodb_buffer_pool_size``, ``maxmemory``.
        record_bytes: that a record was expected to take in the server; what it took stands in each rung.
        steps: by ascending size.
        command: that does it again.
    """

    workload: str
    target: str
    memory: Bytes
    memory_is: str
    record_bytes: Bytes
    steps: tuple[LoadStep, ...]
    command: str = ""

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the ladder (not the command)."""
        plain = msgspec.to_builtins(msgspec.structs.replace(self, command=""))
        return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:12]
