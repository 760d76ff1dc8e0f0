"""ClickHouse's server, by HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from weigh_worker import Statistics, silence

from .clickhouse_http import Connection, ServerError
from .profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .address import Address
    from .profile import Rows

_KINDS: dict[str, pa.DataType | str] = {
    "Int8": pa.int8(), "Int16": pa.int16(), "Int32": pa.int32(), "Int64": pa.int64(), "UInt8": pa.uint8(),
    "UInt16": pa.uint16(), "UInt32": pa.uint32(), "UInt64": pa.uint64(), "Int128": "decimal", "UInt128": "decimal",
    "Int256": "decimal", "UInt256": "decimal", "Float32": pa.float32(), "Float64": pa.float64(), "Bool": pa.bool_(),
    "String": pa.string(), "FixedString": pa.string(), "Enum8": pa.string(), "Enum16": pa.string(),
    "UUID": pa.string(), "IPv4": pa.string(), "IPv6": pa.string(), "Date": pa.date32(), "Date32": pa.date32(),
    "DateTime": pa.timestamp("us"), "DateTime64": pa.timestamp("us"), "Decimal": "decimal", "Nothing": pa.null(),
}  # fmt: skip
_UNPARSED = {1, 36, 43, 44, 46, 47, 48, 50, 53, 62, 170, 179, 184, 344, 352, 386, 403, 558}
"""Syntax, functions, types, joins and features that there are not (ClickHouse source, ErrorCodes.cpp)."""
_UNPLANNED = "unknown combination of JOIN"
"""What servers of 2018 say of tables that are joined by commas, as an error of their own logic."""
_GONE = {209, 210, 372}
"""A time-out or an error of the network, a session that is not there any more."""
_NOT_OURS = "name NOT LIKE 'output_format_json_quote%' AND name != 'date_time_output_format'"
"""Settings that only say how values are written."""
_LATER = {"Bool": "UInt8", "Date32": "Date", "DateTime64(6, 'UTC')": "String"}
"""Types that came after 2018, and what stands for them before: instants as text with six digits of a second."""


class ClickHouse(Profile):
    """ClickHouse from 18.16 on."""

    name = "clickhouse"
    lineage = "clickhouse"
    about = "ClickHouse's server by URL and HTTP, tables loaded into a database of weigh's own or found there"
    dialect = "clickhouse"
    port = 8123
    hello = silence.HTTP
    secrets = ("CLICKHOUSE_PASSWORD",)
    options = ("secure",)
    # What it keeps of conditions (use_query_condition_cache, from 25.3 on) is no result: as it is, like chDB's.
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {"use_query_cache": ("0", "false")}
    switches: ClassVar[Mapping[str, Mapping[str, str | int | bool]]] = {
        "PREWHERE off": {"optimize_move_to_prewhere": 0},
    }
    quote = "`"
    storage = "ENGINE = MergeTree ORDER BY tuple()"
    types: ClassVar[Mapping[str, str]] = {
        "bool": "Bool", "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64", "uint8": "UInt8",
        "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "float": "Float32", "double": "Float64",
        "date32[day]": "Date32", "string": "String", "timestamp": "DateTime64(6, 'UTC')",
        "timestamp_tz": "DateTime64(6, 'UTC')",
    }  # fmt: skip

    def __init__(self) -> None:
        self._known: frozenset[str] = frozenset()

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session of the HTTP interface."""
        return Connection(address, str(options.get("secure", "")).lower() in ("1", "true", "yes"))

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Those of the session; the default only of newer versions, which say it."""
        has_default = ask("SELECT 1 FROM system.columns WHERE table = 'settings' AND name = 'default'")
        default = "`default`" if has_default else "NULL"
        read = ask(f"SELECT name, value, {default} FROM system.settings WHERE {_NOT_OURS}")
        return {str(name): (value, default) for name, value, default in read}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """Switches are 0 and 1."""
        ask(f"SET {name} = {self.literal(int(value) if isinstance(value, bool) else value)}")

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the server's name of its type."""
        name = str(column[1])
        for around in ("LowCardinality(", "Nullable("):
            if name.startswith(around):
                name = name[len(around) : -1]
        return _KINDS.get(name.partition("(")[0])

    def statistics(self, ask: Callable[[str], Rows], cursor: Any) -> Statistics:
        """Those at the end of its answer."""
        found = cursor.document.get("statistics", {})
        elapsed, read = found.get("elapsed"), found.get("bytes_read")
        return Statistics(
            server_s=None if elapsed is None else float(elapsed), scanned_bytes=None if read is None else int(read)
        )

    def type_name(self, kind: pa.DataType) -> str:
        """A column of Parquet may be NULL; older servers lack types."""
        name = super().type_name(kind).replace("decimal(", "Decimal(")
        if name.partition("(")[0] not in self._known:
            name = _LATER.get(name, name)
        return f"Nullable({name})" if name else ""

    def drop_schema(self, schema: str) -> str:
        """A database."""
        return f"DROP DATABASE {self.quoted(schema)}"

    def create_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """A database, in a server that says which types it has."""
        self._known = frozenset(str(name) for (name,) in ask("SELECT name FROM system.data_type_families"))
        ask(f"CREATE DATABASE {self.quoted(schema)}")

    def mark(self, connection: Any) -> str:
        """What the names of its queries begin with."""
        return str(connection.mark)

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """Queries whose names begin so."""
        ask(f"KILL QUERY WHERE startsWith(query_id, '{mark}-') ASYNC")

    def unsupported(self, error: BaseException) -> bool:
        """By the number of the error, or what stands for one."""
        return isinstance(error, ServerError) and (error.code in _UNPARSED or _UNPLANNED in str(error))

    def lost(self, error: BaseException) -> bool:
        """What the socket says, or the server of its session."""
        from http.client import HTTPException

        gone = isinstance(error, (OSError, HTTPException))
        return gone or (isinstance(error, ServerError) and error.code in _GONE)


PROFILE = ClickHouse()
