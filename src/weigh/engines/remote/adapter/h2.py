"""H2's server, which speaks the protocol of PostgreSQL, through psycopg."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from weigh_worker import silence

from .profile import Profile
from .rows import WIDEST
from .types import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .address import Address
    from .profile import Rows

_CACHE = "query_cache_size"
_TEXTS = ("date", "timestamp", "timestamptz", "time")
"""Types whose values stay what they are on the wire: H2 writes more digits of a second than the client reads."""
_KINDS: dict[int, pa.DataType | str] = {
    16: pa.bool_(), 17: pa.binary(), 20: pa.int64(), 21: pa.int16(), 23: pa.int32(), 25: pa.string(),
    700: pa.float32(), 701: pa.float64(), 1042: pa.string(), 1043: pa.string(), 1082: pa.date32(),
    1114: pa.timestamp("us"), 1184: pa.timestamp("us", "UTC"), 1700: "decimal",
}  # fmt: skip
"""Arrow types by PostgreSQL's numbers of types (pg_type.dat), as H2's PgServer sends them."""
_UNPARSED = ("42000", "42001", "42S22", "90016", "90022", "90054", "HY004", "HYC00")
"""Syntax, a column, grouping, a function, its arguments, a type, a feature that there is not (H2 source, ErrorCode)."""


class H2(Profile):
    """H2 from 2.2 on, started with ``org.h2.tools.Server -pg``. The path of a URL is the database.

    What it keeps of queries is a setting of the database, which the first session that opens it decides about.
    """

    name = "h2"
    lineage = "h2"
    about = "H2's server by URL, h2://USER@HOST:5435/DATABASE, in the protocol of PostgreSQL"
    client = ("psycopg[binary]==3.3.9",)
    dialect = "h2"
    port = 5435
    hello = silence.POSTGRES
    secrets = ("H2_PASSWORD",)
    options = (_CACHE,)
    # A statement that it keeps has its last result, and gives it again (H2 source, Query.query).
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {_CACHE: ("0",)}
    session: ClassVar[Mapping[str, str]] = {"time zone": "UTC"}
    types: ClassVar[Mapping[str, str]] = {**STANDARD, "binary": "bytea"}

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session; settings of the database stand behind its name."""
        import psycopg
        from psycopg.adapt import Loader
        from psycopg.types.bool import BoolDumper
        from psycopg.types.string import TextLoader

        database = address.part(0)
        connection = psycopg.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password,
            dbname=";".join((database, *(f"{name.upper()}={int(value)}" for name, value in options.items()))),
            autocommit=True,
            # Each execution is parsed and planned.
            prepare_threshold=None,
            connect_timeout=30,
            sslmode="disable",
        )
        for name in _TEXTS:
            connection.adapters.register_loader(name, TextLoader)
        connection.adapters.register_loader("numeric", type("Number", (Loader,), {"load": _loaded}))
        # H2 takes the binary form for text.
        connection.adapters.register_dumper(bool, BoolDumper)
        return connection

    def version(self, ask: Callable[[str], Rows]) -> str:
        """Not that of the protocol."""
        return str(ask("SELECT h2version()")[0][0])

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Those that are no facts of the machine; H2 says no defaults."""
        read = ask(
            "SELECT lower(setting_name), setting_value FROM information_schema.settings "
            "WHERE setting_name NOT LIKE 'info.%' AND setting_name NOT LIKE 'property.%'"
        )
        return {name: (value, None) for name, value in read}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """By its name alone."""
        ask(f"SET {name} {self.literal(value)}")

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the number of its type."""
        return _KINDS.get(column[1])

    def use_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """Of this session."""
        ask(f"SET SCHEMA {self.quoted(schema)}")

    def loaded(self, ask: Callable[[str], Rows], table: str) -> None:
        """Statistics for the optimiser, of every row (H2 documentation, "ANALYZE")."""
        ask(f"ANALYZE TABLE {self.quoted(table)} SAMPLE_SIZE 0")

    def mark(self, connection: Any) -> str:
        """The number of its session."""
        return str(connection.execute("SELECT session_id()").fetchone()[0])

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """The session with its query."""
        ask(f"SELECT abort_session({int(mark)})")

    def unsupported(self, error: BaseException) -> bool:
        """By the state that the standard calls it."""
        return getattr(error, "sqlstate", "") in _UNPARSED

    def lost(self, error: BaseException) -> bool:
        """What libpq says of the network has no state."""
        return super().lost(error) or (
            type(error).__name__ in ("OperationalError", "AdminShutdown") and not getattr(error, "sqlstate", None)
        )


def _loaded(_: Any, data: bytes | bytearray | memoryview) -> Decimal | float:
    """A number exactly, or as a double where Arrow has no decimal of so many digits.

    H2's decimals are of the type ``numeric``, and so are its averages of doubles, with the exponents of doubles.
    """
    found = Decimal(bytes(data).decode())
    whole, digits = found.adjusted() + 1, found.as_tuple().exponent
    fraction = -digits if isinstance(digits, int) else 0
    return float(found) if max(whole, 0) + max(fraction, 0) > WIDEST else found


PROFILE = H2()
