"""What is particular to a system that is reached by URL: a profile is one class, in one module a system.

weigh reads what a profile declares; a life calls its methods. The system's client is imported when a life connects.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from weigh_worker import Statistics

from .types import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from .address import Address

Rows = list[tuple[Any, ...]]


class Profile(ABC):
    """A system behind a DB-API driver. What a subclass leaves out is the standard's way, or not known.

    Attributes:
        name: of the engine, and the scheme of its URLs.
        lineage: as :attr:`weigh.engines.engine.Engine.lineage`.
        about: one line for ``weigh engines``.
        client: exact requirements of the driver; the first is the package that ``@VERSION`` of a contender names.
        dialect: key under which operations carry other text for it.
        port: where its servers listen by default.
        hello: what its servers answer without any work (:mod:`weigh_worker.silence`): one that does not, and says
            nothing else, is given up early; None where that is not known.
        secrets: environment variables that the password is read from, the first that is set.
        keys: what the names of variables begin with that the client itself takes its keys from.
        options: names that are arguments of ``connect`` and no settings of the session.
        caches: settings that decide about a cache of results, and the values that mean off; None where it is not known
            whether there is one.
        never_run: written from documentation alone: no answer of the system was ever compared.
        sizes: settings that say how large the system is: of a warehouse, of its clusters; read back in every session.
        session: settings that every session gets, so that values arrive as they are.
        switches: optimisations that must not change an answer: settings by what they do.
        ways: how data gets there, the default first: ``load`` into tables of weigh's own, ``exists`` under the names
            that the questions use, ``external`` over files that the server can read.
        writes: whether sessions change tables of weigh's own in transactions (:meth:`hold`).
        by_driver: whether a contender names a module that connects, and no URL.
        terms: what the vendor's terms say about publishing results, with the source.
        starting_s: as :attr:`weigh.engines.engine.Engine.starting_s`.
        placeholder: of a value in ``INSERT``, as the driver writes it.
        rows: of one ``INSERT``.
        types: SQL types by Arrow type; decimals, instants and strings of a fixed size are ``type_name``'s.
        quote: the character around names.
        storage: what stands behind the columns of a table that is made.
    """

    name: ClassVar[str]
    lineage: ClassVar[str]
    about: ClassVar[str]
    client: ClassVar[tuple[str, ...]] = ()
    dialect: ClassVar[str] = ""
    port: ClassVar[int] = 0
    hello: ClassVar[bytes | None] = None
    secrets: ClassVar[tuple[str, ...]] = ()
    keys: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[str, ...]] = ()
    caches: ClassVar[Mapping[str, tuple[str, ...]] | None] = {}
    never_run: ClassVar[bool] = False
    sizes: ClassVar[tuple[str, ...]] = ()
    session: ClassVar[Mapping[str, str]] = {}
    switches: ClassVar[Mapping[str, Mapping[str, str | int | bool]]] = {}
    ways: ClassVar[tuple[str, ...]] = ("load", "exists")
    writes: ClassVar[bool] = False
    by_driver: ClassVar[bool] = False
    terms: ClassVar[str] = ""
    starting_s: ClassVar[float] = 60.0
    placeholder: ClassVar[str] = "%s"
    rows: ClassVar[int] = 1000
    types: ClassVar[Mapping[str, str]] = STANDARD
    quote: ClassVar[str] = '"'
    storage: ClassVar[str] = ""

    @abstractmethod
    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session: an object with ``cursor()`` and ``close()``, as DB-API has them.

        Args:
            address: of the URL, with the password.
            options: arguments of the driver that the contender gives (:attr:`options`).
        """

    def version(self, ask: Callable[[str], Rows]) -> str:
        """What the server says that it is."""
        return str(ask("SELECT version()")[0][0])

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """The settings in force in this session: value and default (None if unknown) by name."""
        return {}

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """Put a setting in force for this session."""
        ask(f"SET SESSION {name} = {self.literal(value)}")

    @staticmethod
    def flag(value: str | float | bool) -> bool:
        """Whether an argument that a contender gives means yes."""
        return str(value).lower() in ("true", "1", "on", "yes")

    def literal(self, value: str | float | bool) -> str:
        """A setting's value as the system's SQL writes it."""
        if isinstance(value, bool):
            return str(value).lower()
        return str(value) if isinstance(value, (int, float)) else "'" + value.replace("'", "''") + "'"

    def fetch(self, cursor: Any) -> list[Any] | pa.Table:
        """Every row of the cursor's answer, under the clock: rows, or Arrow where that is the driver's own form."""
        rows: list[Any] = list(cursor.fetchall())
        return rows

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """Arrow type of a column of an answer, of DB-API's description of it.

        Returns:
            A type; ``"decimal"`` for numbers whose scale their values tell; None to be determined by the values.
        """
        return None

    def statistics(self, ask: Callable[[str], Rows], cursor: Any) -> Statistics:
        """What the system itself reports of the cursor's last execution; asked for after every one, outside the clock.

        Args:
            ask: executes another statement in the same session, where the driver alone does not tell.
            cursor: as it is when every row has been fetched.
        """
        return Statistics()

    def type_name(self, kind: pa.DataType) -> str:
        """The SQL type of an Arrow type; empty where there is none."""
        import pyarrow as pa

        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_decimal(kind):
            return f"decimal({kind.precision}, {kind.scale})"
        if pa.types.is_timestamp(kind):
            return self.types.get("timestamp_tz" if kind.tz else "timestamp", "")
        if pa.types.is_fixed_size_binary(kind):
            return self.types.get("binary", "")
        return self.types.get(str(kind).removeprefix("large_").removesuffix("_view"), "")

    def quoted(self, name: str) -> str:
        """A name in the system's quotes."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def create_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """Make the schema that weigh's tables lie in."""
        ask(f"CREATE SCHEMA {self.quoted(schema)}")

    def use_schema(self, ask: Callable[[str], Rows], schema: str) -> None:
        """Make names without a schema mean that one."""
        ask(f"USE {self.quoted(schema)}")

    def drop_schema(self, schema: str) -> str:
        """The statement that drops a schema of weigh's, with everything in it."""
        return f"DROP SCHEMA {self.quoted(schema)} CASCADE"

    def hold(self, ask: Callable[[str], Rows], schema: str) -> None:
        """Drop schemas of the kind that who made them no longer holds, and hold this one as long as the session lasts.

        Args:
            ask: executes a statement.
            schema: its name; what stands before its last underscore is the kind.
        """
        raise TypeError(f"{self.name} writes, and defines no hold()")

    def loaded(self, ask: Callable[[str], Rows], table: str) -> None:  # noqa: B027 - most need nothing
        """Called when a table has all its rows: statistics, as the system's manual recommends after loading."""

    def register(
        self,
        ask: Callable[[str], Rows],
        table: str,
        columns: Sequence[tuple[str, str]],
        paths: Sequence[str],
        place: str,
    ) -> None:
        """Make a table over Parquet files, where ``ways`` has ``external``.

        Args:
            ask: executes a statement.
            table: its name.
            columns: their names and SQL types.
            paths: its files on this machine.
            place: what the contender names with ``weigh.place``.
        """
        raise TypeError(f"ways of {self.name} has external, and it defines no register()")

    def mark(self, connection: Any) -> str:
        """Names the session for ``cancel``; empty where what is abandoned ends by itself."""
        return ""

    def cancel(self, ask: Callable[[str], Rows], mark: str) -> None:
        """End what a session executes, from another one: it was abandoned at a time-out."""
        raise TypeError(f"{self.name} has mark(), and defines no cancel()")

    def unsupported(self, error: BaseException) -> bool:
        """Whether an error says that the system cannot parse or plan the query."""
        return False

    def lost(self, error: BaseException) -> bool:
        """Whether an error says that the server, or the network to it, is gone."""
        return isinstance(error, (ConnectionError, BrokenPipeError, EOFError))
