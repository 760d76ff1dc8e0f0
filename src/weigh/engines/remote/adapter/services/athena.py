"""Amazon Athena, through PyAthena.

Sources: docs.aws.amazon.com/athena, "Reuse query results", "QueryExecutionStatistics"; the client's documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from weigh_worker import Statistics

from ..profile import Profile
from ..trino import arrow_type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from ..address import Address
    from ..profile import Rows

_REUSE = "result_reuse_enable"
_UNPARSED = ("SYNTAX_ERROR", "NOT_SUPPORTED", "FUNCTION_NOT_FOUND", "TYPE_MISMATCH", "COLUMN_NOT_FOUND")
_LOST = ("EndpointConnectionError", "ConnectTimeoutError", "ReadTimeoutError", "ConnectionClosedError")


class Athena(Profile):
    """The host of a URL is the region, its path the database. Credentials are Amazon's own (``profile_name``, ...)."""

    name = "athena"
    lineage = "trino"
    about = "Amazon Athena by URL, athena://REGION/DATABASE?work_group=NAME&s3_staging_dir=s3://BUCKET/FOLDER/"
    client = ("PyAthena==4.2.1",)
    dialect = "trino"
    never_run = True
    options = (_REUSE, "work_group", "s3_staging_dir", "catalog_name", "profile_name", "role_arn")
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {_REUSE: ("false",)}
    ways = ("exists",)
    terms = (
        "Results may be published with all that others need to repeat them, by those who let AWS do the same with "
        "their products (AWS Service Terms 1.8)"
    )

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A client of the region. It asks ten times a second whether a query is done; once is its default."""
        from pyathena import connect

        self.reuse = self.flag(options.get(_REUSE, False))
        return connect(
            region_name=address.host,
            schema_name=address.part(0, "default"),
            poll_interval=0.1,
            **{**options, _REUSE: self.reuse},
        )

    def version(self, ask: Callable[[str], Rows]) -> str:
        """A service has none; the engine's belongs to its work group."""
        ask("SELECT 1")
        return "service"

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Of the client; that no answer was used again each execution says (``ReusedPreviousResult``)."""
        return {_REUSE: (self.reuse, False)}

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the name of its type, which is Trino's."""
        return arrow_type(str(column[1]))

    def statistics(self, ask: Callable[[str], Rows], cursor: Any) -> Statistics:
        """Those of the query's execution, in milliseconds and bytes."""

        def seconds(value: float | None) -> float | None:
            return None if value is None else value / 1e3

        return Statistics(
            server_s=seconds(cursor.total_execution_time_in_millis),
            queue_s=seconds(cursor.query_queue_time_in_millis),
            scanned_bytes=cursor.data_scanned_in_bytes,
            cached=cursor.reused_previous_result,
        )

    def unsupported(self, error: BaseException) -> bool:
        """By the name in the error."""
        return any(name in str(error) for name in _UNPARSED)

    def lost(self, error: BaseException) -> bool:
        """By the name of the client's error."""
        return super().lost(error) or type(error).__name__ in _LOST


PROFILE = Athena()
