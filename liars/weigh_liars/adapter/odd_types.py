"""Rows handed out in other types than the files have: the same values (honest), or other ones behind the other form."""

from __future__ import annotations

from .honest import Engine

_WHOLE = "SELECT * FROM "
_TEXT = {
    "UUID": "upper(CAST({0} AS VARCHAR))",
    "INTERVAL": "CAST({0} AS VARCHAR)",
    "BLOB": "'\\x' || hex({0})",
    "DATE": "CAST({0} AS VARCHAR)",
    "TIME": "CAST({0} AS VARCHAR)",
    "TIMESTAMP": "CAST({0} AS VARCHAR)",
    "DECIMAL": "CAST({0} AS VARCHAR)",
    "BIGINT": "CAST({0} AS DECIMAL(20, 1))",
    "INTEGER": "CAST({0} AS VARCHAR)",
    "DOUBLE": "CAST({0} AS VARCHAR)",
    "BOOLEAN": "CAST({0} AS INTEGER)",
}
"""How a column of each type is handed out."""

_WRONG = {
    "UUID": "CAST(replace(CAST({0} AS VARCHAR), 'a', 'b') AS UUID)",
    "INTERVAL": "{0} + INTERVAL 1 MONTH",
    "TIMESTAMP": "{0} - INTERVAL 584 YEAR",
    "DECIMAL": "{0} + 1",
}
"""What becomes of a value before."""


_COUNTS = {
    "UUID": "unhex(replace(CAST({0} AS VARCHAR), '-', ''))",
    "DATE": "CAST({0} - DATE '1970-01-01' AS INTEGER)",
    "TIME": "epoch_us({0})",
    "TIMESTAMP": "epoch_us({0})",
    "DECIMAL": "CAST({0} AS DOUBLE)",
    "BIGINT": "CAST({0} AS DOUBLE)",
    "BOOLEAN": "CASE WHEN {0} THEN 't' ELSE 'f' END",
}
"""The same as a client has it that knows numbers and bytes."""


class OddForms(Engine):
    """Hands whole tables out in text and other types, with every value as it is: honest."""

    texts = _TEXT

    def stream(self, sql: str, connection: object = None) -> object:
        if sql.startswith(_WHOLE):
            described = self.connection.execute(f"DESCRIBE {sql}").fetchall()
            columns = [self.odd(f'"{name}"', str(kind)) for name, kind, *_ in described]
            sql = f"SELECT {', '.join(columns)} FROM ({sql})"
        return super().stream(sql, connection)

    def odd(self, name: str, kind: str) -> str:
        """A column in its other form."""
        form = self.texts.get(kind.partition("(")[0], "{0}")
        return f"{form.format(self.value(name, kind))} AS {name}"

    def value(self, name: str, kind: str) -> str:
        """A column as it is."""
        return name


class OddCounts(OddForms):
    """Does so in counts since 1970, doubles, bytes and letters: honest."""

    texts = _COUNTS


class OddValues(OddForms):
    """Does so with values that are others: a digit of a UUID, a month of an interval, years that wrap around."""

    def value(self, name: str, kind: str) -> str:
        return _WRONG.get(kind.partition("(")[0], "{0}").format(name)
