"""Amazon Redshift, through Amazon's driver.

Sources: docs.aws.amazon.com/redshift, "enable_result_cache_for_session", "SYS_QUERY_HISTORY", "PG_LAST_QUERY_ID",
"Data types", "Using the Amazon Redshift Python connector".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from weigh_worker import Statistics

from ..profile import Profile
from ..types import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..address import Address
    from ..profile import Rows

_KINDS: dict[int, pa.DataType | str] = {
    16: pa.bool_(), 20: pa.int64(), 21: pa.int64(), 23: pa.int64(), 25: pa.string(), 700: pa.float64(),
    701: pa.float64(), 1042: pa.string(), 1043: pa.string(), 1082: pa.date32(), 1083: pa.time64("us"),
    1114: pa.timestamp("us"), 1184: pa.timestamp("us", "UTC"), 1700: "decimal",
}  # fmt: skip
"""Arrow types by PostgreSQL's numbers of types."""
_HISTORY = (
    "SELECT elapsed_time, queue_time, result_cache_hit FROM sys_query_history WHERE query_id = pg_last_query_id()"
)


class Redshift(Profile):
    """The path of a URL is the database."""

    name = "redshift"
    lineage = "redshift"
    about = "Amazon Redshift by URL, redshift://USER@HOST:5439/DATABASE"
    client = ("redshift-connector==2.2.0",)
    dialect = "redshift"
    port = 5439
    never_run = True
    secrets = ("REDSHIFT_PASSWORD", "PGPASSWORD")
    options = ("iam", "region", "cluster_identifier", "profile", "is_serverless", "ssl", "sslmode")
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {"enable_result_cache_for_session": ("off", "false")}
    session: ClassVar[Mapping[str, str]] = {"timezone": "UTC"}
    rows = 500
    terms = (
        "Results may be published with all that others need to repeat them, by those who let AWS do the same with "
        "their products (AWS Service Terms 1.8)"
    )
    types: ClassVar[Mapping[str, str]] = {
        **STANDARD,
        "string": "varchar(65535)",
        "binary": "varbyte(1024000)",
        "timestamp_tz": "timestamptz",
    }

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session of the cluster."""
        import redshift_connector

        connection = redshift_connector.connect(
            host=address.host,
            port=address.port,
            user=address.user or None,
            password=address.password or None,
            database=address.part(0),
            application_name="weigh",
            **options,
        )
        connection.autocommit = True
        return connection

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """What ``SHOW ALL`` lists; it has no defaults."""
        return {str(row[0]): (row[1], None) for row in ask("SHOW ALL")}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """A setting of the session."""
        ask(f"SET {name} TO {self.literal(value)}")

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the number of its type."""
        return _KINDS.get(column[1])

    def use_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """By the path that names are looked up in."""
        ask(f"SET search_path TO {self.quoted(schema)}")

    def loaded(self, ask: Callable[[str], Rows], table: str) -> None:
        """Statistics for the planner."""
        ask(f"ANALYZE {self.quoted(table)}")

    def statistics(self, ask: Callable[[str], Rows], cursor: Any) -> Statistics:
        """Of the session's last query, in microseconds."""
        for elapsed, queued, hit in ask(_HISTORY):
            return Statistics(server_s=float(elapsed) / 1e6, queue_s=float(queued) / 1e6, cached=bool(hit))
        return Statistics()

    def mark(self, connection: Any) -> str:
        """The number of its process."""
        cursor = connection.cursor()
        cursor.execute("SELECT pg_backend_pid()")
        return str(cursor.fetchall()[0][0])

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """The session with its query."""
        ask(f"SELECT pg_terminate_backend({int(mark)})")

    def unsupported(self, error: BaseException) -> bool:
        """By SQLSTATE: syntax, no such function, types that do not fit, not supported."""
        return _state(error) in ("42601", "42883", "42804", "42846", "0A000")

    def lost(self, error: BaseException) -> bool:
        """Of the driver's errors, or SQLSTATE's for a connection that was ended."""
        return (
            super().lost(error) or type(error).__name__ == "InterfaceError" or _state(error).startswith(("08", "57P"))
        )


def _state(error: BaseException) -> str:
    """The field C of the server's message."""
    fields = error.args[0] if error.args else {}
    return str(fields.get("C", "")) if isinstance(fields, dict) else ""


PROFILE = Redshift()
