"""ClickHouse's HTTP interface as a session of DB-API: one connection, one ``session_id``, answers as JSON.

Every version has it: drivers that follow the newest do not speak to older servers.
"""

from __future__ import annotations

import http.client
import json
import re
import secrets
import select
from datetime import date, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from .address import Address

_CODE = re.compile(r"Code: (\d+)")
_WANTED = {
    # Numbers of 64 bits as numbers; NaN and infinities as their names, not as null; instants in UTC.
    "output_format_json_quote_64bit_integers": 0,
    "output_format_json_quote_denormals": 1,
    "date_time_output_format": "iso",
}
_LIFE_S = 3600
"""The longest that a server keeps a session that does nothing, by default."""


class ServerError(Exception):
    """What the server says of a statement.

    Attributes:
        code: its number; 0 where it says none.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        found = _CODE.search(text)
        self.code = int(found[1]) if found else 0


class Connection:
    """A session.

    Args:
        address: of the server, with the password.
        secure: by TLS.
    """

    def __init__(self, address: Address, secure: bool) -> None:
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._http = kind(address.host or "localhost", address.port)
        self.mark = f"weigh-{secrets.token_hex(8)}"
        # As bytes: letters beyond Latin-1 have no other way into a header.
        self._headers = {"X-ClickHouse-User": (address.user or "default").encode()}
        if address.password:
            self._headers["X-ClickHouse-Key"] = address.password.encode()
        self._parameters = {
            "default_format": "JSONCompact",
            "session_id": self.mark,
            "session_timeout": str(_LIFE_S),
            **({"database": address.path[0]} if address.path else {}),
        }
        cursor = self.cursor()
        names = ", ".join(f"'{name}'" for name in _WANTED)
        cursor.execute(f"SELECT name FROM system.settings WHERE name IN ({names})")
        known = [str(name) for (name,) in cursor.fetchall()]
        # From now on a session that is not there any more is an error, and not a new one without its settings.
        self._parameters["session_check"] = "1"
        # The session has its database, and a parameter would put it back.
        self._parameters.pop("database", None)
        if address.path:
            cursor.execute("USE `" + address.path[0].replace("`", "``") + "`")
        for name in known:
            cursor.execute(f"SET {name} = {literal(_WANTED[name])}")

    def cursor(self) -> Cursor:
        """For one statement after another."""
        return Cursor(self)

    def send(self, sql: str) -> str:
        """The body of the server's reply.

        Raises:
            ServerError: it refuses the statement.
            OSError: it is gone.
        """
        self._connect()
        parameters = {**self._parameters, "query_id": f"{self.mark}-{secrets.token_hex(6)}"}
        self._http.request("POST", "/?" + urlencode(parameters), sql.encode(), self._headers)
        reply = self._http.getresponse()
        text = reply.read().decode(errors="replace")
        if reply.status != http.client.OK:
            raise ServerError(text.strip())
        return text

    def _connect(self) -> None:
        """Anew where the server closed an idle connection: the session is not the connection's."""
        idle: socket.socket | None = self._http.sock
        if idle is not None and select.select([idle], [], [], 0)[0]:
            self._http.close()
            idle = None
        if idle is None:
            self._http.timeout = 30
            self._http.connect()
            # The query may take as long as it takes.
            self._http.sock.settimeout(None)

    def close(self) -> None:
        """End the connection; the server forgets the session."""
        self._http.close()


class Cursor:
    """Statements and their rows.

    Attributes:
        description: of the last answer's columns: name and the server's name of the type.
        document: the last answer's, without its rows.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: list[list[Any]] = []
        self.description: list[tuple[str, str]] | None = None
        self.document: dict[str, Any] = {}

    def execute(self, sql: str, values: Sequence[Any] | None = None) -> None:
        """Send a statement, ``%s`` for each of the values, and take the whole reply.

        Raises:
            ServerError: the server refuses it, or breaks off in its answer.
        """
        text = self._connection.send(sql if values is None else sql % tuple(map(literal, values)))
        self._rows, self.description, self.document = [], None, {}
        if not text.strip():
            return
        try:
            document = json.loads(text, parse_float=str)
        except ValueError:
            # The status was sent with the first rows.
            raise ServerError(text[-2000:].strip()) from None
        if "exception" in document:
            raise ServerError(str(document["exception"]))
        self._rows = document.pop("data")
        self.description = [(column["name"], column["type"]) for column in document["meta"]]
        self.document = document

    def fetchall(self) -> list[list[Any]]:
        """The rows of the last answer."""
        return self._rows

    def close(self) -> None:
        """Drop them."""
        self._rows = []


def literal(value: Any) -> str:
    """A value as ClickHouse's SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float, Decimal)):
        return format(value, "f") if isinstance(value, Decimal) else repr(value)
    if isinstance(value, (date, time)):
        value = value.isoformat()
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
