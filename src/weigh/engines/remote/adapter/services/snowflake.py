"""Snowflake, through its own connector.

Sources: docs.snowflake.com, "Python Connector API", "Parameters", "QUERY_HISTORY, QUERY_HISTORY_BY_*",
"SYSTEM$CANCEL_ALL_QUERIES".
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
    0: "decimal", 1: pa.float64(), 2: pa.string(), 3: pa.date32(), 4: pa.timestamp("us"), 5: pa.string(),
    6: pa.timestamp("us", "UTC"), 7: pa.timestamp("us", "UTC"), 8: pa.timestamp("us"), 9: pa.string(), 10: pa.string(),
    11: pa.binary(), 12: pa.time64("us"), 13: pa.bool_(),
}  # fmt: skip
"""Arrow types by the connector's numbers of types."""
_UNPARSED = (1003, 1044, 2140, 2026, 939)
"""Syntax, arguments of a type that a function does not take, no such function, not supported."""
_LOST = (250001, 250002, 250003, 250005, 390111, 390114)
"""No connection, closed, no reply, the session or its token is gone."""
_HISTORY = (
    "SELECT total_elapsed_time, queued_provisioning_time + queued_repair_time + queued_overload_time, bytes_scanned, "
    "credits_used_cloud_services "
    "FROM TABLE(information_schema.query_history_by_session(result_limit => 100)) WHERE query_id = '{}'"
)


class Snowflake(Profile):
    """The host of a URL is the account, its path the database and the schema."""

    name = "snowflake"
    lineage = "snowflake"
    about = "Snowflake by URL, snowflake://USER@ACCOUNT/DATABASE/SCHEMA?warehouse=NAME"
    client = ("snowflake-connector-python==5.2.0",)
    dialect = "snowflake"
    port = 443
    never_run = True
    secrets = ("SNOWFLAKE_PASSWORD",)
    options = ("warehouse", "role", "authenticator", "private_key_file")
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {"use_cached_result": ("false",)}
    sizes = ("warehouse_size",)
    session: ClassVar[Mapping[str, str]] = {
        "timezone": "UTC",
        "timestamp_type_mapping": "TIMESTAMP_NTZ",
        # The questions write names without quotes.
        "quoted_identifiers_ignore_case": "true",
    }
    rows = 500
    terms = (
        "Results may be published with all that others need to repeat them (Snowflake Terms of Service, as of 2021-05; "
        "read those that you agreed to)"
    )
    types: ClassVar[Mapping[str, str]] = {
        **STANDARD,
        "double": "double",
        "binary": "binary",
        "timestamp": "timestamp_ntz(6)",
        "timestamp_tz": "timestamp_tz(6)",
    }

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session in the account."""
        import snowflake.connector

        return snowflake.connector.connect(
            account=address.host,
            user=address.user,
            password=address.password or None,
            database=address.part(0) or None,
            schema=address.part(1) or None,
            autocommit=True,
            **options,
        )

    def version(self, ask: Callable[[str], Rows]) -> str:
        """Of the release that the account is on."""
        return str(ask("SELECT current_version()")[0][0])

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Parameters of the session, and the size of its warehouse: who grows in between is another system."""
        found = {str(row[0]).lower(): (row[1], row[2]) for row in ask("SHOW PARAMETERS IN SESSION")}
        warehouse = ask("SELECT current_warehouse()")[0][0]
        if warehouse:
            for row in ask(f"SHOW WAREHOUSES LIKE '{warehouse}'"):
                found["warehouse_size"] = (row[3], None)
        return found

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """A parameter of the session."""
        ask(f"ALTER SESSION SET {name} = {self.literal(value)}")

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the number of its type; a number without a scale may be wider than 64 bits."""
        number = column[1]
        return None if number == 0 and not column[5] else _KINDS.get(number)

    def use_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """Of the database in use."""
        ask(f"USE SCHEMA {self.quoted(schema)}")

    def statistics(self, ask: Callable[[str], Rows], cursor: Any) -> Statistics:
        """Those of the session's history, in milliseconds and bytes."""
        for elapsed, queued, scanned, credits in ask(_HISTORY.format(cursor.sfqid)):
            return Statistics(
                server_s=float(elapsed) / 1e3,
                queue_s=float(queued) / 1e3,
                scanned_bytes=int(scanned),
                credits=None if credits is None else float(credits),
            )
        return Statistics()

    def mark(self, connection: Any) -> str:
        """The number of its session."""
        cursor = connection.cursor()
        cursor.execute("SELECT current_session()")
        return str(cursor.fetchall()[0][0])

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """All that the session executes."""
        ask(f"SELECT system$cancel_all_queries({int(mark)})")

    def unsupported(self, error: BaseException) -> bool:
        """By the number of the error."""
        return getattr(error, "errno", None) in _UNPARSED

    def lost(self, error: BaseException) -> bool:
        """By the number of the error."""
        return super().lost(error) or getattr(error, "errno", None) in _LOST


PROFILE = Snowflake()
