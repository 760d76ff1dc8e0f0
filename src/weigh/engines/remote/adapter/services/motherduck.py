"""MotherDuck, through DuckDB. Source: motherduck.com/docs, "Connecting", "Authenticating"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from ..address import Address
    from ..profile import Rows


class MotherDuck(Profile):
    """The host of a URL is the database, its path the schema."""

    name = "motherduck"
    lineage = "duckdb"
    about = "MotherDuck by URL, motherduck://DATABASE"
    client = ("duckdb==2.0.0",)
    dialect = "duckdb"
    never_run = True
    secrets = ("MOTHERDUCK_TOKEN", "motherduck_token")
    ways = ("exists",)
    caches: ClassVar[Mapping[str, tuple[str, ...]] | None] = None
    terms = "Not known: read motherduck.com/terms-of-service before you publish"

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """DuckDB with the database attached; parts of a query may run here (``EXPLAIN`` names them)."""
        import duckdb

        connection = duckdb.connect(f"md:{address.host}", config={"motherduck_token": address.password})
        if schema := address.part(0):
            connection.execute(f"USE {self.quoted(schema)}")
        return connection

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Of DuckDB here; the service has none of its own to read."""
        return {str(name): (value, None) for name, value in ask("SELECT name, value FROM duckdb_settings()")}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """A setting of DuckDB here."""
        ask(f"SET {name} = {self.literal(value)}")

    def fetch(self, cursor: Any) -> pa.Table:
        """As Arrow."""
        return cursor.to_arrow_table()

    def unsupported(self, error: BaseException) -> bool:
        """By the name of the error."""
        return type(error).__name__ in ("ParserException", "BinderException", "NotImplementedException")

    def lost(self, error: BaseException) -> bool:
        """By the name of the error."""
        return super().lost(error) or type(error).__name__ in ("ConnectionException", "HTTPException", "IOException")


PROFILE = MotherDuck()
