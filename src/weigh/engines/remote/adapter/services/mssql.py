"""SQL Server, through python-tds.

Sources: learn.microsoft.com/sql, "sys.configurations", "KILL", "SET statements", "Database engine errors"; the
client's documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..profile import Profile
from ..types import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..address import Address
    from ..profile import Rows

_UNPARSED = (102, 156, 195, 319, 207, 4104, 8116, 8117, 10743)
"""Syntax, no such function, no such column, types that do not fit."""
_LOST = ("ClosedConnectionError", "LoginError", "TimeoutError")


class SqlServer(Profile):
    """The path of a URL is the database."""

    name = "mssql"
    lineage = "mssql"
    about = "SQL Server by URL, mssql://USER@HOST:1433/DATABASE"
    client = ("python-tds==1.17.1",)
    dialect = "mssql"
    port = 1433
    never_run = True
    secrets = ("MSSQL_PASSWORD",)
    options = ("cafile", "validate_host")
    # It has no cache of results.
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    session: ClassVar[Mapping[str, str]] = {"ARITHABORT": "ON", "ANSI_NULLS": "ON", "QUOTED_IDENTIFIER": "ON"}
    # A statement takes 2,100 parameters.
    rows = 40
    terms = (
        "Results of benchmarks need Microsoft's written approval before others may see them (licence terms of SQL "
        "Server, Benchmark testing)"
    )
    types: ClassVar[Mapping[str, str]] = {
        **STANDARD,
        "bool": "bit",
        "double": "float(53)",
        "string": "varchar(max) COLLATE Latin1_General_100_BIN2_UTF8",
        "binary": "varbinary(max)",
        "timestamp": "datetime2(6)",
        "timestamp_tz": "datetimeoffset(6)",
    }

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session of the server, each statement by itself."""
        import pytds

        return pytds.connect(
            server=address.host,
            port=address.port,
            database=address.part(0) or None,
            user=address.user,
            password=address.password,
            autocommit=True,
            login_timeout=30,
            appname="weigh",
            **options,
        )

    def version(self, ask: Callable[[str], Rows]) -> str:
        """Of the product."""
        return str(ask("SELECT CAST(SERVERPROPERTY('ProductVersion') AS varchar(128))")[0][0])

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Of the server; it does not tell defaults."""
        read = ask("SELECT name, CAST(value_in_use AS bigint) FROM sys.configurations")
        return {str(name): (value, None) for name, value in read}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """An option of the session, ``ON``, ``OFF`` or a number."""
        ask(f"SET {name} {('ON' if value else 'OFF') if isinstance(value, bool) else value}")

    def quoted(self, name: str) -> str:
        """In brackets."""
        return "[" + name.replace("]", "]]") + "]"

    def create_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """A database: a session cannot choose a schema."""
        ask(f"CREATE DATABASE {self.quoted(schema)}")

    def loaded(self, ask: Callable[[str], Rows], table: str) -> None:
        """Statistics of the whole table."""
        ask(f"UPDATE STATISTICS {self.quoted(table)} WITH FULLSCAN")

    def mark(self, connection: Any) -> str:
        """The number of its session."""
        cursor = connection.cursor()
        cursor.execute("SELECT @@SPID")
        return str(cursor.fetchall()[0][0])

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """The session with its query."""
        ask(f"KILL {int(mark)}")

    def unsupported(self, error: BaseException) -> bool:
        """By the number of the error."""
        return getattr(error, "number", None) in _UNPARSED

    def lost(self, error: BaseException) -> bool:
        """By the name of the client's error."""
        return super().lost(error) or type(error).__name__ in _LOST


PROFILE = SqlServer()
