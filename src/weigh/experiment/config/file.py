"""The tables of weigh.toml, and how a file is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from weigh import workloads
from weigh.data.layout import knobs
from weigh.evidence import files
from weigh.experiment.config.builds import BuildTable, placed_at
from weigh.experiment.config.csv_options import FOUND, CsvTable
from weigh.experiment.config.load import LoadContenderTable, LoadTable
from weigh.experiment.config.stores import StoreTable
from weigh.experiment.config.tables import ExperimentTable, GridTable
from weigh.model.contender import COMMAND, DRIVER, FOLDER, LINEAGE, SYSTEM, Setting
from weigh.model.errors import UsageError, nearest, remedy_of
from weigh.model.spec import OF_EVERY_FORMAT, LayoutSpec
from weigh.model.text import unreadable
from weigh.workloads.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Mapping


_Table = TypeVar("_Table")
_MOST = 1 << 20
"""Bytes of a weigh.toml."""


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
        csv: how files of CSV are read (docs/guide/your-own-data.md#csv) [as is found in each].
        frames: functions for data frames in the place of the queries, each named like one: a file for one library, or a
            folder with ``polars.py``, ``pandas.py``, ... (docs/guide/frames.md#your-own-functions) [none].
    """

    folder: str = "queries"
    tables: dict[str, str | list[str]] = {}
    data: str | None = None
    parameters: Parameters = {}
    csv: CsvTable = FOUND
    frames: str | None = None


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
        price: what contenders' executions are charged by, ``"5USD/TB"``, by their names; ``"*"`` is everybody who has
            none (docs/guide/cost.md).
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
    price: dict[str, str] = {}
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
        remedy = "weigh init --data FILES --sql FILE writes one; or name contenders with --contender"
        if str(path) in workloads.names():
            remedy = f"--workload {path} is the workload of that name, --contender an engine"
        raise UsageError("there is no such file", where=str(path), remedy=remedy) from None
    except (OSError, UnicodeDecodeError) as error:
        remedy = remedy_of(error) if isinstance(error, OSError) else "weigh.toml is UTF-8 text"
        raise UsageError(unreadable(error), where=str(path), remedy=remedy) from None
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
    if read.sql and (read.sql.tables or read.sql.data) and "workload" not in plain.get("experiment", {}):
        # Who names tables of their own means these.
        read.experiment.workload = "sql"
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
        if COMMAND in contender.settings:
            contender.settings.setdefault(LINEAGE, contender.name or str(contender.settings[COMMAND]))
        contender.settings = located(contender.settings, folder)
    for table in read.build.values():
        table.repository = str(folder / Path(table.repository).expanduser())


def located(settings: Mapping[str, Setting], folder: Path) -> dict[str, Setting]:
    """Files that a driver is given, and the folder of a command: a life does not run in the user's."""
    if COMMAND in settings:
        return {**settings, FOLDER: str((folder / str(settings.get(FOLDER, ""))).absolute())}
    if DRIVER not in settings:
        return dict(settings)
    return {
        name: str(path.absolute()) if isinstance(value, str) and (path := folder / value).is_file() else value
        for name, value in settings.items()
    }


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
    columns = {key: value for key, value in table.items() if not isinstance(value, dict)}
    others = {}
    for name, value in (("", columns), *((name, value) for name, value in table.items() if isinstance(value, dict))):
        if value.get("format", columns.get("format")) != "vortex":
            others[name] = {**columns, **value}
            continue
        knobs.refuse_keys(
            (key for key in value if key in LayoutSpec.__struct_fields__),
            f"{path}, [layout{f'.{name}' if name else ''}]",
        )
        others[name] = {key: one for key, one in {**columns, **value}.items() if key in (*OF_EVERY_FORMAT, *value)}
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
    tables.append(("sql", sql := plain.get("sql", {}), SqlTable))
    tables.append(("sql.csv", sql.get("csv", {}) if isinstance(sql, dict) else {}, CsvTable))
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
