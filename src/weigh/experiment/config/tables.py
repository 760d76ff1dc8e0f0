"""``[experiment]`` and ``[grid]`` of weigh.toml: tables whose keys are flags as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.model.data.storage import Kind
from weigh.model.spec import Codec, Format, Rule, Writer

if TYPE_CHECKING:
    from collections.abc import Mapping


class ExperimentTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[experiment]`` of weigh.toml.

    What stands in brackets is a default that is no value of its key, or not the only one.

    Attributes:
        name: for people; the only key that is not part of the experiment's id.
        workload: what is measured: ``"netflow"``, ``"tpch"``, ``"tpch-dbgen"``, ``"tpcds"``, ``"ssb"``,
            ``"h2o-groupby"``, ``"h2o-join"``, ``"sql"`` (your own data), a plug-in's, or a folder of questions,
            ``"./queries/"`` (docs/reference/workloads.md). A file whose ``[sql]`` names tables or data has ``"sql"``
            where it says nothing.
        ingest: whether loading the tables into each engine is measured, and not the queries: time, stored bytes, time
            until the first query is answered (docs/guide/ingest.md).
        scale: rows of netflow, e.g. ``"20K"``, ``1500``; scale factor of TPC-H, e.g. ``0.01``, ``"SF10"``. Of netflow
            0 is allowed [``"1M"`` of netflow, ``1`` of TPC-H].
        seed: seed of the data where it has one, of the order of turns, of the choice of literals.
        baseline: contender that the others are compared with: its name, or, next to ``--contender``,
            ``NAME=ENGINE@VERSION``. Written here it is declared: a SLOWER past the margin exits 1
            [the first contender].
        vary: contenders take part once for each value of a setting, as ``"threads=1,2"``, where threads stands for
            each engine's own (docs/guide/ladder.md#several-widths---vary).
        margin: the smallest change that matters, ``"3%"`` or ``0.03`` [``"3%"``].
        confidence: confidence level of the interval of the ratio, between 0.5 and 1.
        rule: a second opinion next to every verdict, by that rule; it changes none
            (docs/concept/statistics.md#a-second-opinion). Left out it is not part of the id.
        precision: stop when every interval is at most that wide to each side, ``"2%"`` or ``0.02``
            (docs/concept/method.md#until-it-is-precise) [0.45 of the margin; with ``starts`` none].
        contention: share of the CPU that others may use, on both sides of a comparison without a warning, and on one
            side more than on the other before it is refused; ``"100%"`` allows any
            (docs/concept/machine.md#contention). Left out it is not part of the id [``"5%"``].
        affinity: CPUs that every contender is kept on, e.g. ``"0-3,8"``
            (docs/concept/method.md#one-affinity-and-one-memory-limit). Left out it is not part of the id [all that
            weigh may use].
        memory_limit: memory that every contender is limited to, e.g. ``"4G"``, ``"512MiB"``, or bytes
            (docs/concept/method.md#one-affinity-and-one-memory-limit). Left out it is not part of the id [no limit].
        store: where the data of contenders lies that name no store: ``"file"``, ``"tmpfs"``, ``"s3"`` or the name of a
            table ``[store.NAME]`` (docs/concept/stores.md) [``"file"``].
        expect_storage: kind of storage that the data must lie on, e.g. ``"nvme"``; another is exit 2
            (docs/concept/machine.md#expecting-a-kind). Left out it is not part of the id.
        starts: exactly so many fresh starts of every contender, each a new process; with ``precision`` the most. Below
            5 every verdict is REFUSED; with a precision at least 10 [as many as the precision needs, ``100`` at most].
        rounds: turns of every contender in a start, for each operation [chosen from costs and noise].
        runs: timed executions in a turn [chosen from what an execution takes].
        duet: whether each contender executes at the same moment as the baseline, each on half of the CPUs
            (docs/concept/method.md#duets).
        temperature: whether the data is in memory when the clock starts, proven either way (docs/concept/cold.md).
        budget: time for measuring, e.g. ``"10m"``, ``"1h30m"``, or ``"none"`` (docs/concept/method.md#the-budget)
            [``5m``; with ``starts`` none].
        quick: a first look: measure for 30 s where no budget is named; the tier is at most suggestive
            (docs/concept/method.md#the-budget). Left out it is not part of the id.
        timeout: time that ends one execution, which is an outcome: ``"90s"``, ``"10m"``, ``"500ms"``.
        operations: names of the operations to run [all].
        on_divergence: ``"operation"`` leaves out an operation on which one answer diverged, ``"stop"`` ends the run
            before any clock.
        truth: whether what is known about the data (ground truth, published answers) is a witness in the gate.
        answers: file of pinned answers (``weigh gate --pin FILE``), the first witness of the gate.
        spend: money that all executions together may cost, e.g. ``"5USD"``, by the prices that are declared
            (docs/guide/cost.md#a-budget). Left out it is not part of the id.
    """

    name: str = ""
    workload: str = "netflow"
    ingest: bool = False
    scale: str | int | float | None = None
    seed: int = 42
    baseline: str | None = None
    vary: list[str] = []
    margin: float | str = 0.03
    confidence: float | str = 0.99
    rule: Rule | None = None
    precision: float | str | None = None
    contention: float | str | None = None
    affinity: str | None = None
    memory_limit: str | int | None = None
    store: str | None = None
    expect_storage: Kind | None = None
    starts: int | None = None
    rounds: int | None = None
    runs: int | None = None
    duet: bool = False
    temperature: Literal["hot", "cold", "both"] = "hot"
    budget: str | None = None
    quick: bool = False
    timeout: str = "120s"
    operations: list[str] = []
    on_divergence: Literal["operation", "stop"] = "operation"
    truth: bool = True
    answers: str | None = None
    spend: str | None = None

    def with_flags(self, flags: Mapping[str, Any]) -> ExperimentTable:
        """The table with the flags of the command line, by name; one that was given wins over its key."""
        given = {name: flags[name] for name in self.__struct_fields__ if flags.get(name) not in (None, ())}
        return msgspec.structs.replace(self, **given)


class GridTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[grid]`` of weigh.toml: keys of ``[layout]`` with several values each, all combined (docs/guide/layouts.md).

    A key with one value has it in every combination, and so is as in ``[layout]``, where each is described.
    """

    format: list[Format] = []
    writer: list[Writer] = []
    codec: list[Codec] = []
    files: list[int] = []
    row_group_rows: list[int] = []
    codec_level: list[int] = []
    parquet_version: list[int] = []
    page_version: list[int] = []
    dictionary: list[bool | list[str]] = []
    page_size: list[int] = []
    bloom_filters: list[bool | list[str]] = []
    statistics: list[bool | list[str]] = []
    page_index: list[bool] = []
    page_checksums: list[bool] = []
    sort: list[list[str]] = []
