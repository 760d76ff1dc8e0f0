"""MariaDB, through PyMySQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from weigh_worker import silence

from .profile import Profile
from .types import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .address import Address
    from .profile import Rows

_DECIMALS = (0, 246)
_TEXTS = {"date": 10, "time": 11, "datetime": 12, "timestamp": 7}
_KINDS: dict[int, pa.DataType] = {
    1: pa.int64(), 2: pa.int64(), 3: pa.int64(), 8: pa.int64(), 9: pa.int64(), 13: pa.int64(),
    4: pa.float64(), 5: pa.float64(), 6: pa.null(), 7: pa.timestamp("us"), 10: pa.date32(), 12: pa.timestamp("us"),
    15: pa.string(), 253: pa.string(), 254: pa.string(), 247: pa.string(), 245: pa.string(),
}  # fmt: skip
"""Arrow types by the protocol's numbers of types (MariaDB documentation, "Result Set Packets")."""
_BINARY = 63
"""The character set of what is no text."""
_BLOBS = (249, 250, 251, 252)
_UNPARSED = (1064, 1235, 1305, 1630, 1128, 1149, 4078, 1060, 1248)
"""Syntax, not supported yet, no such function, types that do not fit, no alias: error numbers of the server."""
_GONE = (2003, 2006, 2013, 2055, 1927, 1053)


class MariaDB(Profile):
    """MariaDB from 10.5 on."""

    name = "mariadb"
    lineage = "mariadb"
    about = "MariaDB by URL, tables loaded into a database of weigh's own or found there"
    client = ("PyMySQL==1.2.4",)
    dialect = "mariadb"
    port = 3306
    hello = silence.GREETING
    secrets = ("MARIADB_PASSWORD", "MYSQL_PWD")
    options = ("unix_socket", "ssl_ca", "charset")
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {"query_cache_type": ("off", "0")}
    session: ClassVar[Mapping[str, str]] = {
        "time_zone": "+00:00",
        # Names in double quotes, || joins texts, a backslash is a character: standard SQL as the others read it.
        "sql_mode": "ANSI,NO_BACKSLASH_ESCAPES,NO_ENGINE_SUBSTITUTION",
        # AVG and / keep four digits more than their operands by default: 12 decide at a relative 1e-9.
        "div_precision_increment": "12",
    }
    switches: ClassVar[Mapping[str, Mapping[str, str | int | bool]]] = {
        "no materialisation, no semi-join": {"optimizer_switch": "materialization=off,semijoin=off"},
        "no join buffers with hashes": {"join_cache_level": 2},
    }
    writes = True
    quote = "`"
    types: ClassVar[Mapping[str, str]] = {
        **STANDARD,
        "int8": "tinyint",
        "uint64": "bigint unsigned",
        "float": "float",
        "double": "double",
        "string": "longtext",
        "binary": "longblob",
        "timestamp": "datetime(6)",
        "timestamp_tz": "datetime(6)",
    }

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session whose numbers, dates and instants arrive as the text that they are on the wire."""
        import pymysql
        from pymysql.converters import conversions, encoders

        as_text = dict.fromkeys((*_DECIMALS, *_TEXTS.values()), str)
        return pymysql.connect(
            host=address.host or "localhost",
            port=address.port,
            user=address.user or None,
            # PyMySQL would write letters beyond Latin-1 in no way, and the others in another one than the server reads.
            password=address.password.encode(),
            database=address.part(0) or None,
            autocommit=True,
            connect_timeout=30,
            conv={**conversions, **encoders, **as_text},
            client_flag=0,
            init_command=None,
            program_name="weigh",
            **{"charset": "utf8mb4", **options},
        )

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Those of the session, with the defaults that the server was compiled with."""
        read = ask(
            "SELECT lower(variable_name), session_value, default_value, global_value "
            "FROM information_schema.system_variables"
        )
        return {name: (session if session is not None else whole, default) for name, session, default, whole in read}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """Numbers that came as text are numbers."""
        text = str(value)
        ask(f"SET SESSION {name} = {text if text.lstrip('-').isdigit() else self.literal(value)}")

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the number of its type."""
        number = column[1]
        if number in _DECIMALS:
            return "decimal"
        if number in _BLOBS:
            # Its character set is not in DB-API's description: text arrives decoded, bytes do not.
            return None
        return _KINDS.get(number)

    def drop_schema(self, schema: str) -> str:
        """A database."""
        return f"DROP DATABASE {self.quoted(schema)}"

    def create_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """Texts are compared by their bytes, as the other engines do."""
        ask(f"CREATE DATABASE {self.quoted(schema)} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")

    def use_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """Also literals of the session, or comparing them with a column would have two collations."""
        ask(f"USE {self.quoted(schema)}")
        ask("SET SESSION collation_connection = 'utf8mb4_nopad_bin'")

    def hold(self, ask: Callable[[str], Rows], schema: str) -> None:
        """By a lock of that name, which ends with its connection, however that ends."""
        kind = schema.rpartition("_")[0].replace("_", "\\_")
        there = ask(
            f"SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE '{kind}\\_%' ESCAPE '\\' "
            "AND is_free_lock(schema_name)"
        )
        for (left,) in there:
            ask(self.drop_schema(str(left)))
        ask(f"SELECT get_lock('{schema}', 0)")

    def loaded(self, ask: Callable[[str], Rows], table: str) -> None:
        """Statistics for the optimiser (MariaDB documentation, "ANALYZE TABLE")."""
        ask(f"ANALYZE TABLE {self.quoted(table)}")

    def mark(self, connection: Any) -> str:
        """The number of its connection."""
        return str(connection.thread_id())

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """The connection with its query."""
        ask(f"KILL {int(mark)}")

    def unsupported(self, error: BaseException) -> bool:
        """By the number of the error."""
        return _number(error) in _UNPARSED

    def lost(self, error: BaseException) -> bool:
        """By the client's numbers from 2000 on, and the server's for a connection that was ended."""
        return super().lost(error) or _number(error) in _GONE


def _number(error: BaseException) -> int:
    first = error.args[0] if error.args else 0
    return first if isinstance(first, int) and type(error).__module__.startswith("pymysql") else 0


PROFILE = MariaDB()
