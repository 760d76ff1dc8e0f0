"""The spec of an experiment: everything that was decided before it ran. Its hash is the experiment's id."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from weigh.model.contender import DATA_KEYS, DEFAULT_LAYOUT, Contender
from weigh.model.data.grid import Grid
from weigh.model.data.storage import Kind
from weigh.model.data.store import StoreSpec
from weigh.model.errors import UsageError, nearest
from weigh.model.metrics.price import Price, parse_price
from weigh.model.rules import FULL_STARTS, Rules
from weigh.model.units import Bytes, Rows, Scale, Seconds

Temperature = Literal["hot", "cold", "both"]
Writer = Literal["duckdb", "pyarrow", "polars", "parquet-rs", "tpchgen"]
Rule = Literal["clickhouse"]
Codec = Literal["zstd", "snappy", "lz4", "gzip", "none"]
Format = Literal["parquet", "vortex"]

_TEMPERATURES: dict[Temperature, tuple[str, ...]] = {
    "hot": ("hot",),
    "cold": ("cold", "first"),
    "both": ("hot", "cold", "first"),
}

NARROW = 0.45
"""Half-width at which sampling stops by itself, in margins: a change of half the margin beyond it is seen by then."""
BUDGET = 300.0
"""Seconds that measuring may take where nothing else was asked for."""
QUICK = 30.0
"""The same of a first look."""
MOST_STARTS = 100
"""Fresh starts after which sampling ends with a precision that was not reached, where no other number was asked for."""
FORMAT_TITLES: dict[Format, str] = {"parquet": "Parquet", "vortex": "Vortex"}
OF_EVERY_FORMAT = ("format", "files", "sort")
"""Keys of a layout that are not those of Parquet alone."""
CONTENTION = 0.05
"""Share of a turn's CPU that others may use before its pair has no verdict, where no other was asked for."""


class LayoutSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One physical form of a dataset, as asked for.

    What a writer cannot do is refused, never left out in silence. The keys from ``codec_level`` on are the writer's own
    choice where they are left out, and then are not part of the id.

    Of Vortex there are ``files`` and ``sort`` alone: how it stores a column is decided by the library that writes it.

    Attributes:
        format: format of the files; of vortex there are ``files`` and ``sort`` besides
            (docs/guide/layouts.md#other-formats-than-parquet) [``"parquet"``].
        writer: what writes the files; ``"parquet-rs"`` is the Rust crate parquet, ``"tpchgen"`` keeps the files of that
            generator (docs/reference/workloads.md#how-tpc-h-data-is-made).
        codec: compression of all columns.
        files: files of each table.
        row_group_rows: rows of a row group, with the DuckDB writer a multiple of 2,048; not with ``"tpchgen"``
            [``122880``].
        codec_level: level of zstd (1 to 22) or gzip (1 to 9) [the writer's own].
        parquet_version: version of the format, 1 or 2, which allows more encodings [the writer's own].
        page_version: version of the headers of data pages, 1 or 2 [the writer's own].
        dictionary: which columns have dictionaries [the writer's own].
        page_size: bytes at which a page is cut, before compression [the writer's own].
        bloom_filters: which columns have Bloom filters [the writer's own].
        statistics: of which columns row groups have the smallest and the largest value [the writer's own].
        page_index: whether the file says where each page is and what is in it [the writer's own].
        page_checksums: whether each page has a checksum [the writer's own].
        sort: columns by which the rows of a table are sorted, ascending, NULLs last: by those of them that it
            has. The files do not declare it [the order of the generator].
    """

    format: Format | msgspec.UnsetType = msgspec.UNSET
    writer: Writer | msgspec.UnsetType = "duckdb"
    codec: Codec | msgspec.UnsetType = "zstd"
    files: int = 1
    row_group_rows: Rows | None = None
    codec_level: int | msgspec.UnsetType = msgspec.UNSET
    parquet_version: int | msgspec.UnsetType = msgspec.UNSET
    page_version: int | msgspec.UnsetType = msgspec.UNSET
    dictionary: bool | tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    page_size: Bytes | msgspec.UnsetType = msgspec.UNSET
    bloom_filters: bool | tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    statistics: bool | tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    page_index: bool | msgspec.UnsetType = msgspec.UNSET
    page_checksums: bool | msgspec.UnsetType = msgspec.UNSET
    sort: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        """Of Vortex neither writer nor codec is chosen: evidence must not name the usual ones of Parquet."""
        for key, usual in (("writer", "duckdb"), ("codec", "zstd")):
            value, nothing = getattr(self, key), (usual, msgspec.UNSET)
            if value in nothing:
                msgspec.structs.force_setattr(self, key, msgspec.UNSET if self.vortex else usual)

    @property
    def vortex(self) -> bool:
        """Whether the files are no Parquet."""
        return self.format == "vortex"

    @property
    def form(self) -> Format:
        """The format of the files."""
        return "vortex" if self.vortex else "parquet"

    @property
    def parquet_writer(self) -> Writer:
        """The writer of a layout of Parquet."""
        assert self.writer is not msgspec.UNSET
        return self.writer

    @property
    def parquet_codec(self) -> Codec:
        """The codec of a layout of Parquet."""
        assert self.codec is not msgspec.UNSET
        return self.codec

    @property
    def words(self) -> tuple[str, ...]:
        """Keys that are set, and not as they are where nothing is reported."""
        usual = LayoutSpec()
        values = {key: getattr(self, key) for key in self.__struct_fields__}
        return tuple(
            key for key, one in values.items() if one not in (msgspec.UNSET, None) and one != getattr(usual, key)
        )

    @property
    def normal(self) -> LayoutSpec:
        """The same with one way of saying it: Parquet needs no word, and Vortex has no writer or codec to choose."""
        if not self.vortex:
            return msgspec.structs.replace(self, format=msgspec.UNSET)
        return LayoutSpec(format="vortex", files=self.files, sort=self.sort or msgspec.UNSET)


class UserData(msgspec.Struct, frozen=True, kw_only=True):
    """A user's own data and queries, by content: where they lie does not matter.

    Attributes:
        tables: BLAKE3 of every file by table.
        queries: BLAKE3 of the workload folder's files.
        frames: BLAKE3 of the files of functions for data frames, by name; left out where there are none.
    """

    tables: dict[str, tuple[str, ...]]
    queries: str
    frames: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment, complete and in normal form.

    Attributes:
        name: for people.
        ingest: whether loading the workload's tables is measured, and not its queries. Left out it does not enter the
            id.
        workload: name of the workload (entry point ``weigh.workloads`` or ours).
        scale: rows of the dataset, or a scale factor, as its generator counts; None for a user's own files.
        seed: of the data, of the order of turns, of the choice of literals.
        contenders: at least one; names are unique.
        baseline: name of the contender that the others are compared with.
        baseline_declared: whether the user named it; only then a SLOWER sets the exit code.
        starts: fresh starts of every arm (blocks).
        runs: timed executions in a turn. Left out they are chosen, and do not enter the id.
        rounds: turns of every arm in a start, for each operation. Left out they are chosen, and do not enter the id.
        duet: whether each contender executes at the same moment as the baseline, each on half of the CPUs. Left out it
            does not enter the id.
        temperature: what is measured: ``hot``, ``cold`` (with ``first``, the same in memory), or both
            (docs/concept/cold.md).
        budget: seconds that the measuring phase may take; None is no limit.
        quick: whether it is a first look, whose tier is at most suggestive. Left out it does not enter the id.
        timeout: seconds after which one execution is ended and recorded as timed out.
        operations: names of the operations to run; empty means all.
        on_divergence: ``operation`` continues with the rest, ``stop`` ends the run.
        truth: whether what is known about the dataset (ground truth, published answers) is a witness.
        answers: BLAKE3 of the file of pinned answers, the first witness; empty without one.
        layout: the physical form of the data, for all contenders that name no other.
        layouts: other forms by name, those that a contender names. Without any it does not enter the id.
        stores: where objects lie, by name, as far as contenders read from them; ``s3`` without an entry is a store of
            weigh's own, with nothing added. Without any it does not enter the id.
        grid: which layouts and contenders are the cells of a grid. Left out it does not enter the id.
        user_data: the user's own data and queries, for the workload ``sql``; None for the others.
        rules: error rates and bounds of the verdicts.
        rule: whose rule gives a second opinion on every verdict. Left out it does not enter the id.
        precision: half-width of the intervals, a fraction of the ratio, at which sampling stops; ``starts`` is then
            the most. Left out the number of starts is fixed, and it does not enter the id.
        contention: share of the CPU by which others may disturb one side of a comparison more than the other,
            ``CONTENTION`` where it is left out; from 1 on any is allowed. Left out it does not enter the id.
        affinity: CPUs that every contender is kept on. Left out it does not enter the id.
        memory_limit: bytes of memory that every contender is held to. Left out it does not enter the id.
        expect_storage: kind of storage that the data must lie on. Left out it does not enter the id.
        price: what a contender's executions are charged by, as declared, by its name. Left out cost is not judged, and
            it does not enter the id.
        spend: money that the whole attempt may cost, as declared. Left out it does not enter the id.
        reported: whether the time and the queue that a contender's system reports are judged. Left out they are not,
            and it does not enter the id.
    """

    workload: str
    contenders: tuple[Contender, ...]
    baseline: str
    name: str = ""
    scale: Scale | None = None
    seed: int = 42
    baseline_declared: bool = False
    starts: int = FULL_STARTS
    runs: int | msgspec.UnsetType = msgspec.UNSET
    rounds: int | msgspec.UnsetType = msgspec.UNSET
    duet: bool | msgspec.UnsetType = msgspec.UNSET
    temperature: Temperature = "hot"
    budget: Seconds | None = None
    quick: bool | msgspec.UnsetType = msgspec.UNSET
    timeout: Seconds = 120.0
    operations: tuple[str, ...] = ()
    on_divergence: Literal["operation", "stop"] = "operation"
    truth: bool = True
    answers: str = ""
    layout: LayoutSpec = LayoutSpec()
    layouts: dict[str, LayoutSpec] = {}
    stores: dict[str, StoreSpec] = {}
    grid: Grid | msgspec.UnsetType = msgspec.UNSET
    user_data: UserData | None = msgspec.field(name="own", default=None)
    rules: Rules = Rules()
    rule: Rule | msgspec.UnsetType = msgspec.UNSET
    precision: float | msgspec.UnsetType = msgspec.UNSET
    contention: float | msgspec.UnsetType = msgspec.UNSET
    affinity: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    memory_limit: Bytes | msgspec.UnsetType = msgspec.UNSET
    expect_storage: Kind | msgspec.UnsetType = msgspec.UNSET
    ingest: bool | msgspec.UnsetType = msgspec.UNSET
    price: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    spend: str | msgspec.UnsetType = msgspec.UNSET
    reported: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def groups(self) -> tuple[str, ...]:
        """Groups of metrics that are judged alongside what always is (:attr:`RunMetric.of`)."""
        wanted = {"loading": self.ingest, "price": self.price, "service": self.reported}
        return tuple(name for name, value in wanted.items() if value)

    @property
    def prices(self) -> dict[str, Price]:
        """The prices of contenders that have one, by name."""
        return {name: parse_price(text) for name, text in (self.price or {}).items()}

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the experiment (not its name)."""
        plain = msgspec.to_builtins(msgspec.structs.replace(self, name=""))
        # What is left open does not enter the ids of experiments that never asked for it.
        for one in (plain, *plain["contenders"]):
            for key in ("layouts", "stores", *DATA_KEYS):
                if not one.get(key, True):
                    del one[key]
        for one, contender in zip(plain["contenders"], self.contenders, strict=True):
            if contender.build is not msgspec.UNSET:
                # What it is defines it, and not where it lies.
                one["version"], one["build"] = "", contender.build.identity
        text = msgspec.json.encode(plain, order="deterministic")
        return hashlib.sha256(text).hexdigest()[:12]

    @property
    def title(self) -> str:
        """What is measured, for people: own data by its name, where it has one."""
        what = self.name if self.name and self.user_data is not None else self.workload
        return f"loading {what}" if self.ingest else what

    @property
    def temperatures(self) -> tuple[str, ...]:
        """Those of its executions, in the order of every table."""
        return _TEMPERATURES[self.temperature]

    def contender(self, name: str) -> Contender:
        """The contender of that name; the name is known to exist."""
        return next(contender for contender in self.contenders if contender.name == name)

    def layout_name(self, contender: str) -> str | None:
        """The layout that a contender reads, as reports call it; None where all contenders read one."""
        several = len({one.layout for one in self.contenders}) > 1
        return self.contender(contender).layout or DEFAULT_LAYOUT if several else None

    @property
    def layouts_read(self) -> dict[str, LayoutSpec]:
        """The layouts that contenders read, by name, that of the baseline first; the default one has an empty name.

        Raises:
            UsageError: a contender names one that is not there.
        """
        return {one.layout: self.layout_of(one) for one in (self.contender(self.baseline), *self.contenders)}

    def layout_of(self, contender: Contender) -> LayoutSpec:
        """The layout that a contender reads; raises as ``layouts_read``."""
        if contender.layout and contender.layout not in self.layouts:
            raise UsageError(
                f"there is no layout '{contender.layout}'",
                where=f"contender {contender.name}",
                remedy=nearest(contender.layout, self.layouts)
                if self.layouts
                else f"write a table [layout.{contender.layout}] into weigh.toml, and name it in a [[contender]]",
            )
        return self.layouts[contender.layout] if contender.layout else self.layout
