"""The tables of weigh.toml, and how a file is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from weigh.data.layout import knobs
from weigh.evidence import files
from weigh.experiment.config.builds import BuildTable, placed_at
from weigh.experiment.config.load import LoadContenderTable, LoadTable
from weigh.experiment.config.stores import StoreTable
from weigh.model.contender import SYSTEM, Setting
from weigh.model.data.storage import Kind
from weigh.model.errors import UsageError, nearest
from weigh.model.spec import OF_EVERY_FORMAT, Codec, Format, LayoutSpec, Rule, Writer
from weigh.model.text import unreadable
from weigh.workloads.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Mapping


_Table = TypeVar("_Table")
_MOST = 1 << 20
"""Bytes of a weigh.toml."""


class ExperimentTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[experiment]`` of weigh.toml.

    What stands in brackets is a default that is no value of its key, or not the only one.

    Attributes:
        name: for people; the only key that is not part of the experiment's id.
        workload: a name that ``weigh workloads`` lists (docs/reference/workloads.md); ``"sql"`` is your own data.
        ingest: loading the tables of the workload's data is measured, and not its queries (docs/guide/ingest.md).
        scale: of netflow the rows: text with K, M or G, or an integer, 0 is allowed; of TPC-H the scale factor:
            ``0.01``, ``1``, ``"SF10"`` [``"1M"`` of netflow, ``1`` of TPC-H].
        seed: seed of the data where it has one, of the order of turns, of the choice of literals.
        baseline: name of the contender that the others are compared with. Written here it is declared: a SLOWER past
            the margin exits 1 [the first contender].
        vary: contenders take part once for each value of a setting, ``["threads=1,2"]``, as ``--vary`` has it
            (docs/guide/ladder.md#several-widths---vary).
        margin: the smallest change that matters: a number below 1, or text such as ``"3%"``.
        confidence: level of the interval of the ratio, between 0.5 and 1.
        rule: whose rule gives a second opinion next to every verdict (docs/concept/statistics.md#a-second-opinion);
            it changes none. Left out it is not part of the id.
        precision: stop when every interval is at most that wide to each side: as ``margin``
            (docs/concept/method.md#until-it-is-precise) [0.45 of the margin; with ``starts`` none].
        contention: share of the CPU by which others may disturb one side of a comparison more than the other
            (docs/concept/machine.md#contention): as ``margin``; ``"100%"`` allows any. Left out it is not part of the
            id [``0.05``].
        affinity: CPUs that every contender is kept on, ``"0-3,8"``
            (docs/concept/method.md#one-affinity-and-one-memory-limit). Left out it is not part of the id [all that
            weigh may use].
        memory_limit: memory that every contender is limited to: text such as ``"4G"``, or bytes. Left out it is not
            part of the id [no limit].
        store: where the data of contenders lies that name no store of their own: ``file``, ``tmpfs``, ``s3`` or the
            name of a table ``[store.NAME]`` (docs/concept/stores.md) [``"file"``].
        expect_storage: kind of storage that the data must lie on; another is exit 2
            (docs/concept/machine.md#expecting-a-kind). Left out it is not part of the id.
        starts: exactly so many fresh starts of every contender; below 5 every verdict is REFUSED. With ``precision``
            the most, at least 10 [as many as the precision needs, ``100`` at most].
        rounds: turns that every contender takes in a start, for each operation [chosen from costs and noise].
        runs: timed executions in a turn [chosen from what an execution takes].
        duet: whether each contender executes at the same moment as the baseline, each on half of the CPUs
            (docs/concept/method.md#duets).
        temperature: whether the data is in memory when the clock starts, proven either way (docs/concept/cold.md).
        budget: time for the measuring phase: ``"10m"``, ``"90s"``, ``"1h30m"``, ``"none"``
            (docs/concept/method.md#the-budget) [``5m``; with ``starts`` none].
        timeout: time that ends one execution, which is an outcome.
        operations: names of the operations to run [all].
        on_divergence: ``"operation"`` leaves out an operation on which one answer diverged, ``"stop"`` ends the run
            before any clock.
        truth: whether what is known about the data (ground truth, published answers) is a witness in the gate.
        answers: file of pinned answers (``weigh gate --pin FILE``), the first witness of the gate.
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
    timeout: str = "120s"
    operations: list[str] = []
    on_divergence: Literal["operation", "stop"] = "operation"
    truth: bool = True
    answers: str | None = None


class ContenderTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[[contender]]`` of weigh.toml.

    Attributes:
        engine: name of the engine, as ``weigh engines`` lists it.
        name: name of the contender, unique [the spec, e.g. ``chdb@4.1.8+chdb-core==26.3.0``].
        version: version of the engine's package; a wheel or a folder, relative to the file; or ``git:REVISION``, built
            as ``[build.ENGINE]`` says (docs/guide/builds.md) [the tested one].
        pins: further exact requirements, ``"package==version"``.
        settings: the engine's own settings.
        layout: name of the physical form of its data, ``NAME`` of a table ``[layout.NAME]`` [the form without a name].
        catalog: table format through which it finds its files: ``parquet``, ``iceberg``, ``ducklake`` or ``delta``
            (docs/concept/table-formats.md) [``parquet``: none].
        store: where its files lie: ``file``, ``tmpfs``, ``s3`` or the name of a table ``[store.NAME]``
            [``store`` of ``[experiment]``].
    """

    engine: str
    name: str | None = None
    version: str = ""
    pins: list[str] = []
    settings: dict[str, Setting] = {}
    layout: str = ""
    catalog: str = ""
    store: str = ""


class SqlTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[sql]`` of weigh.toml: the user's own queries and data, relative to the file.

    Attributes:
        folder: holds NAME.sql for every operation, with NAME.toml next to it.
        tables: for every table a path, a pattern, a folder, or a list of these: Parquet, or CSV, JSON, Arrow, Feather
            or DuckDB, which are converted (docs/guide/your-own-data.md#data-that-is-no-parquet) [those of ``data``].
        data: name that files are registered under, in the place of ``tables``
            (docs/guide/your-own-data.md#registered-data); ``--data`` names another [none].
        parameters: values of ``{name}``, ``$name`` and ``$1`` in the queries: one or a list; or, under the name of a
            query, a table of them for it alone (docs/guide/your-own-data.md#parameters) [none].
    """

    folder: str = "queries"
    tables: dict[str, str | list[str]] = {}
    data: str | None = None
    parameters: Parameters = {}


class GridTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[grid]`` of weigh.toml: keys of ``[layout]`` with several values each, all combined (docs/guide/layouts.md).

    A key with one value has it in every combination, and so is as in ``[layout]``.

    Attributes:
        format: of the files.
        writer: what writes the files.
        codec: compression of all columns.
        files: files of each table.
        row_group_rows: rows of a row group.
        codec_level: level of zstd or gzip.
        parquet_version: of the format.
        page_version: of the headers of data pages.
        dictionary: which columns have dictionaries.
        page_size: bytes at which a page is cut.
        bloom_filters: which columns have Bloom filters.
        statistics: which columns have statistics.
        page_index: whether the file says what is in each page.
        page_checksums: whether each page has a checksum.
        sort: columns by which rows are sorted; ``[]`` is the generator's order.
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


class File(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """weigh.toml as a whole.

    Attributes:
        experiment: what is measured, and by which rules.
        contender: what is compared; one table each.
        layout: the physical form of the data, for all contenders that name no other.
        layouts: the other forms, in the file the tables ``[layout.NAME]``: what one leaves out is as in ``[layout]``,
            and in one of Vortex of these alone what it has.
        store: stores with the protocol of S3, by name.
        build: how revisions are built, by engine.
        grid: keys of the layout with several values, of which every combination takes part.
        sql: the user's own queries and data, for the workload ``sql``.
        load: what ``weigh load`` does without a workload on its command line.
    """

    experiment: ExperimentTable = msgspec.field(default_factory=ExperimentTable)
    contender: list[ContenderTable] = []
    layout: LayoutSpec = msgspec.field(default_factory=LayoutSpec)
    layouts: dict[str, LayoutSpec] = {}
    store: dict[str, StoreTable] = {}
    build: dict[str, BuildTable] = {}
    grid: GridTable | None = None
    sql: SqlTable | None = None
    load: LoadTable | None = None


def schema() -> dict[str, Any]:
    """JSON Schema of weigh.toml."""
    made = msgspec.json.schema(File)
    definitions = made["$defs"]
    del definitions["File"]["properties"]["layouts"]
    # The tables of other layouts stand inside that of the default one.
    definitions["File"]["properties"]["layout"] = {
        "type": "object",
        "properties": definitions["LayoutSpec"]["properties"],
        "additionalProperties": {"$ref": "#/$defs/LayoutSpec"},
    }
    return made


def read_file(path: Path) -> File:
    """weigh.toml, checked.

    Raises:
        UsageError: it is missing, is not TOML, or has a key or value that weigh does not know.
    """
    try:
        text = files.named(path, _MOST).decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        raise UsageError(
            "there is no such file",
            where=str(path),
            remedy="write one (docs/reference/weigh-toml.md), or name contenders with --contender",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(unreadable(error), where=str(path), remedy="weigh.toml is UTF-8 text") from None
    try:
        plain = tomllib.loads(text)
    except RecursionError:
        raise UsageError("it is nested too deep", where=str(path), remedy="see docs/reference/weigh-toml.md") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {error}", where=str(path), remedy="see docs/reference/weigh-toml.md") from None
    if isinstance(table := plain.get("layout"), dict):
        plain["layout"], others = _layouts(table, path)
    else:
        others = {}
    _check_keys(plain, others, path)
    read = _converted(plain, File, path)
    _placed(read, path.parent)
    read.layout = read.layout.normal
    read.layouts = {
        name: _converted(table, LayoutSpec, path, f".layout.{name}").normal for name, table in others.items()
    }
    return read


def _placed(read: File, folder: Path) -> None:
    """Paths of builds and of folders that are measured, as they are from here."""
    for contender in read.contender:
        contender.version = placed_at(contender.version, folder)
        if SYSTEM in contender.settings:
            contender.settings[SYSTEM] = str(folder / Path(str(contender.settings[SYSTEM])).expanduser())
    for table in read.build.values():
        table.repository = str(folder / Path(table.repository).expanduser())


def _converted(plain: Mapping[str, Any], kind: type[_Table], path: Path, place: str = "") -> _Table:
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        words = _plain_words(str(error).replace("`$", f"`${place}"))
        raise UsageError(words, where=str(path), remedy="see docs/reference/weigh-toml.md") from None


def _layouts(table: Mapping[str, Any], path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of ``[layout]``, and of each table in it, with what that leaves out.

    Raises:
        UsageError: one of Vortex says what Parquet alone has.
    """
    own = {key: value for key, value in table.items() if not isinstance(value, dict)}
    others = {}
    for name, value in (("", own), *((name, value) for name, value in table.items() if isinstance(value, dict))):
        if value.get("format", own.get("format")) != "vortex":
            others[name] = {**own, **value}
            continue
        knobs.refuse_keys(
            (key for key in value if key in LayoutSpec.__struct_fields__),
            f"{path}, [layout{f'.{name}' if name else ''}]",
        )
        others[name] = {key: one for key, one in {**own, **value}.items() if key in (*OF_EVERY_FORMAT, *value)}
    return others.pop(""), others


DEFAULT_FILE = Path("weigh.toml")


def _check_keys(plain: Mapping[str, Any], layouts: Mapping[str, Any], path: Path) -> None:
    """Unknown keys first: their names tell more than a type error would."""
    tables: list[tuple[str, Any, type[msgspec.Struct]]] = [("", plain, File)]
    tables.append(("experiment", plain.get("experiment", {}), ExperimentTable))
    tables.append(("layout", plain.get("layout", {}), LayoutSpec))
    tables += [(f"layout.{name}", table, LayoutSpec) for name, table in layouts.items()]
    stores = plain.get("store", {})
    if isinstance(stores, dict):
        tables += [(f"store.{name}", table, StoreTable) for name, table in stores.items()]
    if isinstance(builds := plain.get("build", {}), dict):
        tables += [(f"build.{name}", table, BuildTable) for name, table in builds.items()]
    tables.append(("grid", plain.get("grid", {}), GridTable))
    tables.append(("sql", plain.get("sql", {}), SqlTable))
    load = plain.get("load", {})
    tables.append(("load", load, LoadTable))
    if isinstance(load, dict) and isinstance(servers := load.get("contender", []), list):
        tables += [("load.contender", one, LoadContenderTable) for one in servers]
    contenders = plain.get("contender", [])
    if isinstance(contenders, list):
        tables += [("contender", contender, ContenderTable) for contender in contenders]
    for name, table, kind in tables:
        if not isinstance(table, dict):
            continue
        known = tuple(field for field in kind.__struct_fields__ if field != "layouts")
        for key in table:
            if key not in known:
                where = f"{path}, [{name}]" if name else str(path)
                raise UsageError(f"unknown key '{key}'", where=where, remedy=nearest(key, known))


def _plain_words(text: str) -> str:
    """Msgspec's message with the place in TOML's words: ``$.experiment.starts`` -> ``experiment.starts``."""
    text = text.replace("`$.", "`").replace("Object missing required field", "missing key")
    for theirs, toml in (("object", "table"), ("str", "string"), (r" \| null", ""), ("Invalid enum", "unknown")):
        text = re.sub(rf"\b{theirs}\b" if theirs.isalpha() else theirs, toml, text)
    return text
