"""Oracle Database, through its own driver.

Sources: docs.oracle.com, "RESULT_CACHE_MODE", "V$PARAMETER", "ALTER SESSION", "Database Error Messages"; the driver's
documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from ..profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..address import Address
    from ..profile import Rows

_KINDS: dict[str, pa.DataType | str] = {
    "DB_TYPE_NUMBER": "decimal", "DB_TYPE_BINARY_DOUBLE": pa.float64(), "DB_TYPE_BINARY_FLOAT": pa.float64(),
    "DB_TYPE_BINARY_INTEGER": pa.int64(), "DB_TYPE_VARCHAR": pa.string(), "DB_TYPE_CHAR": pa.string(),
    "DB_TYPE_NVARCHAR": pa.string(), "DB_TYPE_NCHAR": pa.string(), "DB_TYPE_LONG": pa.string(),
    "DB_TYPE_RAW": pa.binary(), "DB_TYPE_DATE": pa.timestamp("us"), "DB_TYPE_TIMESTAMP": pa.timestamp("us"),
    "DB_TYPE_BOOLEAN": pa.bool_(),
}  # fmt: skip
_UNPARSED = (900, 902, 904, 905, 906, 907, 909, 923, 932, 933, 936, 938, 3048, 3049)
_LOST = (28, 1012, 3113, 3114, 12170, 12537, 12541, 12547)
_DRIVER_LOST = ("DPY-1001", "DPY-4011", "DPY-6000", "DPY-6005")


class Oracle(Profile):
    """The path of a URL is the service. Empty strings are NULL there: answers with such differ by that."""

    name = "oracle"
    lineage = "oracle"
    about = "Oracle Database by URL, oracle://USER@HOST:1521/SERVICE"
    client = ("oracledb==26.1.0",)
    dialect = "oracle"
    port = 1521
    never_run = True
    secrets = ("ORACLE_PASSWORD",)
    options = ("mode", "wallet_location", "config_dir")
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {"result_cache_mode": ("manual",)}
    session: ClassVar[Mapping[str, str]] = {"time_zone": "UTC"}
    ways = ("exists",)
    terms = (
        "Results of benchmarks need Oracle's consent before others may see them (Oracle License and Services "
        "Agreement, Oracle Technology Network licence terms)"
    )

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session of the service; numbers arrive with all their digits."""
        import oracledb

        oracledb.defaults.fetch_decimals = True
        oracledb.defaults.fetch_lobs = False
        connection = oracledb.connect(
            host=address.host,
            port=address.port,
            service_name=address.part(0),
            user=address.user,
            password=address.password,
            **options,
        )
        connection.autocommit = True
        return connection

    def version(self, ask: Callable[[str], Rows]) -> str:
        """Of the database."""
        return str(ask("SELECT version_full FROM product_component_version")[0][0])

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Of the session, as far as its user may read them."""
        read = ask("SELECT name, value, default_value FROM v$parameter")
        return {str(name): (value, default) for name, value, default in read}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """A parameter of the session: words stand without quotes but for a time zone."""
        ask(f"ALTER SESSION SET {name} = {self.literal(value) if name == 'time_zone' else value}")

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the name of its type."""
        return _KINDS.get(str(getattr(column[1], "name", "")))

    def mark(self, connection: Any) -> str:
        """Number and serial number of its session."""
        return f"{connection.session_id},{connection.serial_num}"

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """The session with its query; it takes the privilege ALTER SYSTEM."""
        ask(f"ALTER SYSTEM KILL SESSION '{mark}' IMMEDIATE")

    def unsupported(self, error: BaseException) -> bool:
        """By the number of the error."""
        return _number(error) in _UNPARSED

    def lost(self, error: BaseException) -> bool:
        """By the number of the error, or the driver's own."""
        return super().lost(error) or _number(error) in _LOST or str(error).startswith(_DRIVER_LOST)


def _number(error: BaseException) -> int:
    first = error.args[0] if error.args else None
    return int(getattr(first, "code", 0) or 0)


PROFILE = Oracle()
