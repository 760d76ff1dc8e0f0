"""Documents that commands put together where they print them: lists, and what is reported of data by parts."""

from __future__ import annotations

from typing import Any

import msgspec

from weigh.engines.loaded import InServer
from weigh.evidence.anchoring.anchor import Anchor
from weigh.experiment.suite.audit import Problem
from weigh.lies.committing import Committed
from weigh.model.finding import Finding
from weigh.model.units import Bytes, Seconds
from weigh.workloads.suites.question import LeftOut, Unread


class EnginesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh engines``: one an engine; one that cannot be loaded has an ``error``."""

    engines: tuple[dict[str, Any], ...]


class WorkloadRow(msgspec.Struct, frozen=True, kw_only=True):
    """A workload, and the dataset that it is over."""

    name: str
    dataset: str


class WorkloadsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh workloads``."""

    workloads: tuple[WorkloadRow, ...]


class WorkloadAuditDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh workloads audit``.

    Attributes:
        workload: its name.
        operations: that were asked.
        measures_nothing: those of them that measure nothing.
        problems: of operations, in their order.
        left_out: questions of a suite that are not asked.
        unread: keys of its files that have no effect.
        unplanned: contenders whose plans weigh cannot read.
    """

    workload: str
    operations: tuple[str, ...]
    measures_nothing: tuple[str, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    unread: tuple[Unread, ...]
    unplanned: tuple[str, ...]


class LieRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the catalogue."""

    id: str
    lie: str
    answer: str
    page: str


class CodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A code of findings; ``severity`` is None where it depends."""

    code: str
    severity: str | None
    disqualifies: bool
    means: str
    page: str


class LiesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh lies``."""

    lies: tuple[LieRow, ...]
    codes: tuple[CodeRow, ...]


class LiesRunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh lies --run``: where the evidence lies, each lie, and how many have each outcome."""

    evidence: str
    lies: tuple[Committed, ...]
    counts: dict[str, int]


class RegisteredRow(msgspec.Struct, frozen=True, kw_only=True):
    """A file of registered data; ``state`` says whether it is as it was."""

    path: str
    bytes: Bytes
    rows: int
    blake3: str
    state: str


class RegisteredTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table, with the digest of its rows."""

    table: str
    digest: str
    files: tuple[RegisteredRow, ...]


class RegisteredData(msgspec.Struct, frozen=True, kw_only=True):
    """Data under a name."""

    name: str
    bytes: Bytes
    tables: tuple[RegisteredTable, ...]


class RegisteredDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh data register`` and ``weigh data list``."""

    registered: tuple[RegisteredData, ...]


class LoadedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh data loaded``: schemas that weigh made in servers by URL."""

    loaded: tuple[InServer, ...]


class WitnessDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh witness list``, and what a witness answers: anchors as it received them."""

    anchors: tuple[Anchor, ...]


class ChecksumsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh data probe-checksums``.

    Attributes:
        writers: which give pages checksums.
        readers: who was asked.
        readings: what each made of a damaged page.
        verify: those that raise on every damaged page with a checksum, and not on every one without.
    """

    writers: tuple[dict[str, Any], ...]
    readers: tuple[dict[str, Any], ...]
    readings: tuple[dict[str, Any], ...]
    verify: tuple[str, ...]


class PlanPartsLine(msgspec.Struct, frozen=True, kw_only=True):
    """A number of workers: seconds, seconds of all of them, the share that goes into parts, and what they cost."""

    workers: int
    seconds: Seconds
    worker_s: Seconds
    used: float
    price: float | None


class PlanPartsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh data make --to --plan``.

    Attributes:
        parts, bytes, cpu_s: of the whole dataset.
        manifest: bytes of it.
        measured: the part that it follows from.
        lines: by number of workers.
        ends: where it stops to get faster, and why.
        currency: of the prices; None without a price.
    """

    parts: int
    bytes: Bytes
    cpu_s: Seconds
    manifest: Bytes
    measured: dict[str, Any]
    lines: tuple[PlanPartsLine, ...]
    ends: tuple[str, ...]
    currency: str | None


class CheckPartsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh data check --on``: files and pages that were read, and what is wrong."""

    passed: bool
    files: int
    pages: int
    pages_with_checksum: int
    findings: tuple[Finding, ...]


class DigestPartsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh data digest --on``: of each place the row digest of every table."""

    digests: dict[str, dict[str, str]]


class DifferentParts(msgspec.Struct, frozen=True, kw_only=True):
    """A table, and the pairs of parts that differ."""

    table: str
    same: bool
    parts: tuple[tuple[str, str], ...]


class DiffPartsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``weigh data diff --on``."""

    same: bool
    tables: tuple[DifferentParts, ...]
