"""Trino, through its own client."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from weigh_worker import Statistics, silence

from .linked_files import linked
from .profile import Profile
from .types import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .address import Address
    from .profile import Rows

_KINDS = {
    "boolean": pa.bool_(), "tinyint": pa.int8(), "smallint": pa.int16(), "integer": pa.int32(), "bigint": pa.int64(),
    "real": pa.float32(), "double": pa.float64(), "varchar": pa.string(), "char": pa.string(), "json": pa.string(),
    "varbinary": pa.binary(), "date": pa.date32(), "uuid": pa.string(), "decimal": "decimal", "unknown": pa.null(),
}  # fmt: skip
_UNPARSED = (
    "SYNTAX_ERROR", "NOT_SUPPORTED", "FUNCTION_NOT_FOUND", "TYPE_MISMATCH", "OPERATOR_NOT_FOUND", "COLUMN_NOT_FOUND",
    "INVALID_LITERAL",
)  # fmt: skip
_NETWORK = ("TrinoConnectionError", "ConnectionError", "ConnectTimeout", "ReadTimeout", "ChunkedEncodingError")


class Trino(Profile):
    """Trino from 400 on. The path of a URL is the catalog and the schema."""

    name = "trino"
    lineage = "trino"
    about = "Trino by URL, over tables that it has or that weigh registers for a folder of Parquet (weigh.place)"
    client = ("trino==0.340.0",)
    dialect = "trino"
    port = 8080
    hello = silence.HTTP
    secrets = ("TRINO_PASSWORD",)
    options = ("http_scheme", "verify", "roles")
    # It keeps no results of queries; connectors may cache files (Trino documentation, "File system cache").
    switches: ClassVar[Mapping[str, Mapping[str, str | int | bool]]] = {
        "no dynamic filters": {"enable_dynamic_filtering": False},
        "joins in the order of the text": {"join_reordering_strategy": "NONE", "join_distribution_type": "PARTITIONED"},
    }
    ways = ("exists", "external")
    types: ClassVar[Mapping[str, str]] = {
        **STANDARD,
        "int8": "tinyint",
        "double": "double",
        "timestamp": "timestamp(6)",
        "timestamp_tz": "timestamp(6)",
    }

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A client of one session; its source is a name of this life's own."""
        from trino import auth, dbapi

        arguments = dict(options)
        if address.password:
            arguments = {"http_scheme": "https", **arguments}
            arguments["auth"] = auth.BasicAuthentication(address.user, address.password)
        return dbapi.connect(
            host=address.host,
            port=address.port,
            user=address.user or "weigh",
            catalog=address.part(0) or None,
            schema=address.part(1) or None,
            timezone="UTC",
            source=f"weigh-{secrets.token_hex(8)}",
            request_timeout=60.0,
            **arguments,
        )

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """What ``SHOW SESSION`` says."""
        return {str(row[0]): (row[1], row[2]) for row in ask("SHOW SESSION")}

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the name of its type."""
        return arrow_type(str(column[1]))

    def statistics(self, ask: Callable[[str], Rows], cursor: Any) -> Statistics:
        """Those of the last page of its answer."""
        last = cursor.stats or {}

        def seconds(name: str) -> float | None:
            return last[name] / 1e3 if name in last else None

        return Statistics(
            server_s=seconds("elapsedTimeMillis"),
            queue_s=seconds("queuedTimeMillis"),
            scanned_bytes=last.get("physicalInputBytes"),
        )

    def register(
        self,
        ask: Callable[[str], Rows],
        table: str,
        columns: Sequence[tuple[str, str]],
        paths: Sequence[str],
        place: str,
    ) -> None:
        """A table over the folder of its files, in the place that the server knows as ``local:///``."""
        folder = linked(table, paths, place, "which the server's local.location names")
        listed = ", ".join(f"{self.quoted(column)} {kind}" for column, kind in columns)
        ask(
            f"CREATE TABLE {self.quoted(table)} ({listed}) "
            f"WITH (external_location = 'local:///{folder.parent.name}/{table}', format = 'PARQUET')"
        )

    def mark(self, connection: Any) -> str:
        """The source of its session."""
        return str(connection.source)

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """What its session executes."""
        running = ask(
            f"SELECT query_id FROM system.runtime.queries WHERE source = '{mark}' "
            "AND state NOT IN ('FINISHED', 'FAILED')"
        )
        for (query,) in running:
            ask(f"CALL system.runtime.kill_query(query_id => '{query}', message => 'abandoned')")

    def unsupported(self, error: BaseException) -> bool:
        """By the name of the error."""
        return getattr(error, "error_name", "") in _UNPARSED

    def lost(self, error: BaseException) -> bool:
        """What the client, or what it speaks HTTP with, says of the network."""
        return super().lost(error) or type(error).__name__ in _NETWORK


def arrow_type(name: str) -> pa.DataType | str | None:
    """The Arrow type of one of Trino's; None for those of several values."""
    if name.startswith("timestamp"):
        return pa.timestamp("us", "UTC") if name.endswith("with time zone") else pa.timestamp("us")
    return _KINDS.get(name.partition("(")[0])


PROFILE = Trino()
