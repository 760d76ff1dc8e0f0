"""Databricks SQL, through its own connector.

Sources: docs.databricks.com, "Databricks SQL Connector for Python", "USE_CACHED_RESULT", "SQL data types".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..profile import Profile
from ..types import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from ..address import Address
    from ..profile import Rows

_UNPARSED = ("PARSE_SYNTAX_ERROR", "UNRESOLVED_ROUTINE", "DATATYPE_MISMATCH", "UNSUPPORTED_FEATURE")
_LOST = ("RequestError", "MaxRetryDurationError", "SessionAlreadyClosedError", "CursorAlreadyClosedError")
_SETTINGS = ("use_cached_result", "timezone", "ansi_mode", "statement_timeout", "read_only_external_metastore")


class Databricks(Profile):
    """The path of a URL is that of the warehouse, ``/sql/1.0/warehouses/ID``."""

    name = "databricks"
    lineage = "spark"
    about = "Databricks SQL by URL, databricks://HOST/sql/1.0/warehouses/ID?namespace=CATALOG.SCHEMA"
    client = ("databricks-sql-connector==4.9.0",)
    dialect = "spark"
    port = 443
    # A stopped warehouse starts at the first session.
    starting_s = 180.0
    never_run = True
    secrets = ("DATABRICKS_TOKEN",)
    options = ("namespace",)
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {"use_cached_result": ("false",)}
    session: ClassVar[Mapping[str, str]] = {"timezone": "UTC"}
    quote = "`"
    terms = (
        "Results may be published with all that others need to repeat them, by those who let Databricks do the same "
        "with their products (Databricks Service Specific Terms, Benchmarking)"
    )
    types: ClassVar[Mapping[str, str]] = {
        **STANDARD,
        "int8": "tinyint",
        "float": "float",
        "double": "double",
        "string": "string",
        "binary": "binary",
        "timestamp": "timestamp_ntz",
        "timestamp_tz": "timestamp",
    }

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session at the warehouse."""
        from databricks import sql

        catalog, _, schema = str(options.get("namespace", "")).partition(".")
        return sql.connect(
            server_hostname=address.host,
            http_path="/" + "/".join(address.path),
            access_token=address.password or None,
            catalog=catalog or None,
            schema=schema or None,
        )

    def version(self, ask: Callable[[str], Rows]) -> str:
        """Of Databricks SQL."""
        return str(ask("SELECT current_version().dbsql_version")[0][0])

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Parameters of the session one by one; those that a warehouse does not know are left out."""
        found: dict[str, tuple[Any, Any]] = {}
        for name in _SETTINGS:
            try:
                found[name] = (ask(f"SET {name}")[0][1], None)
            except Exception as error:
                if self.lost(error):
                    raise
        return found

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """A parameter of the session."""
        ask(f"SET {name} = {self.literal(value)}")

    def fetch(self, cursor: Any) -> pa.Table:
        """Its batches, put together."""
        return cursor.fetchall_arrow()

    def unsupported(self, error: BaseException) -> bool:
        """By the class of the error."""
        return any(name in str(error) for name in _UNPARSED)

    def lost(self, error: BaseException) -> bool:
        """By the name of the client's error."""
        return super().lost(error) or type(error).__name__ in _LOST


PROFILE = Databricks()
