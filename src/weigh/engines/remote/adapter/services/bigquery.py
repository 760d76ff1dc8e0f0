"""BigQuery, through Google's client.

Sources: cloud.google.com/bigquery, "Using cached query results", "REST: Job", "Data types"; the client's reference of
``QueryJob`` and ``QueryJobConfig``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from weigh_worker import Statistics

from ..profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..address import Address
    from ..profile import Rows

_KINDS: dict[str, pa.DataType | str] = {
    "INTEGER": pa.int64(), "INT64": pa.int64(), "FLOAT": pa.float64(), "FLOAT64": pa.float64(), "NUMERIC": "decimal",
    "BIGNUMERIC": "decimal", "STRING": pa.string(), "BYTES": pa.binary(), "DATE": pa.date32(), "TIME": pa.time64("us"),
    "DATETIME": pa.timestamp("us"), "TIMESTAMP": pa.timestamp("us", "UTC"), "BOOLEAN": pa.bool_(), "BOOL": pa.bool_(),
}  # fmt: skip
_CACHE = "use_query_cache"
_SETTINGS = (_CACHE, "maximum_bytes_billed", "priority")
_UNPARSED = ("invalidQuery", "notImplemented")
_LOST = ("ServiceUnavailable", "GatewayTimeout", "RetryError", "TransportError")


class BigQuery(Profile):
    """The host of a URL is the project, its path the dataset. Credentials are Google's own (application default)."""

    name = "bigquery"
    lineage = "bigquery"
    about = "BigQuery by URL, bigquery://PROJECT/DATASET?location=EU"
    client = ("google-cloud-bigquery==3.47.0",)
    dialect = "bigquery"
    never_run = True
    options = ("location", *_SETTINGS)
    caches: ClassVar[Mapping[str, tuple[str, ...]]] = {_CACHE: ("false",)}
    ways = ("exists",)
    quote = "`"
    terms = (
        "Results may be published with all that others need to repeat them, by those who let Google do the same with "
        "their products (Google Cloud Service Specific Terms, Benchmarking)"
    )

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A client whose jobs take their configuration from the contender."""
        from google.cloud import bigquery
        from google.cloud.bigquery import dbapi

        given = {name: options[name] for name in _SETTINGS if name in options}
        if _CACHE in given:
            given[_CACHE] = self.flag(given[_CACHE])
        config = bigquery.QueryJobConfig(**given)
        if dataset := address.part(0):
            config.default_dataset = f"{address.host}.{dataset}"
        client = bigquery.Client(
            project=address.host, location=options.get("location"), default_query_job_config=config
        )
        self.config = config
        return dbapi.connect(client=client, prefer_bqstorage_client=False)

    def version(self, ask: Callable[[str], Rows]) -> str:
        """A service has none."""
        ask("SELECT 1")
        return "service"

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Of its jobs' configuration; that no answer came from the cache each job says (``cacheHit``)."""
        default = {_CACHE: True, "priority": "INTERACTIVE"}
        return {
            name: (default.get(name) if (value := getattr(self.config, name)) is None else value, default.get(name))
            for name in _SETTINGS
        }

    def kind(self, column: Sequence[Any]) -> pa.DataType | str | None:
        """By the name of its type."""
        return _KINDS.get(str(column[1]))

    def statistics(self, ask: Callable[[str], Rows], cursor: Any) -> Statistics:
        """Those of its job. Slot time is no price under every plan, so it is left out."""
        job = cursor.query_job
        if job is None:
            return Statistics()
        whole = (job.ended - job.created).total_seconds() if job.ended and job.created else None
        queued = (job.started - job.created).total_seconds() if job.started and job.created else None
        return Statistics(
            server_s=whole,
            queue_s=queued,
            scanned_bytes=job.total_bytes_processed,
            billed_bytes=job.total_bytes_billed,
            cached=job.cache_hit,
        )

    def unsupported(self, error: BaseException) -> bool:
        """By the reason that the service gives."""
        return any(reason in str(error) for reason in _UNPARSED)

    def lost(self, error: BaseException) -> bool:
        """By the name of the client's error."""
        return super().lost(error) or type(error).__name__ in _LOST


PROFILE = BigQuery()
