"""The targets there are: what a user writes, and the kind of server that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from weigh.load.target.target import Target


EMBEDDED = {
    "mariadb:embedded": "mysql",
    "postgres:embedded": "postgres",
    "sqlite:embedded": "sqlite",
    "valkey:embedded": "redis",
}
"""Targets that weigh starts, and the protocol they speak."""


def target(text: str) -> Target:
    """The target that a user names.

    Raises:
        UsageError: there is no such target, or the URL is none.
    """
    from weigh.load.target import cassandra, clickhouse, embedded
    from weigh.load.target.http import SCHEMES, Http
    from weigh.load.target.mysql.target import EmbeddedMariaDB, MySqlByUrl
    from weigh.load.target.postgres import EmbeddedPostgres, PostgresByUrl
    from weigh.load.target.sqlite import SCHEME, Sqlite
    from weigh.load.target.url import parse
    from weigh.load.target.valkey.cluster import ClusterByUrl
    from weigh.load.target.valkey.target import EmbeddedValkey, RedisByUrl

    match embedded.kind_of(text):
        case "mariadb:embedded":
            return EmbeddedMariaDB(text)
        case "postgres:embedded":
            return EmbeddedPostgres(text)
        case "valkey:embedded":
            return EmbeddedValkey(text)
    if text.startswith(SCHEME):
        return Sqlite(text)
    if text.startswith(clickhouse.SCHEMES):
        return clickhouse.ClickHouseByUrl(text)
    if text.startswith(SCHEMES):
        return Http(text)
    if text.startswith(cassandra.SCHEMES):
        return cassandra.Cassandra(text)
    if "://" not in text:
        protocol = text.partition(":embedded")[0]
        of_protocol = next((name for name, spoken in EMBEDDED.items() if spoken == protocol), "")
        raise UsageError(
            f"there is no target '{text}'",
            remedy="a URL names a server that runs (postgres://USER@HOST/DATABASE, mysql://USER@HOST/DATABASE, "
            "redis://HOST, redis-cluster://HOST, cassandra://HOST/KEYSPACE, clickhouse://HOST, http://HOST/PATH), "
            f"sqlite:PATH a file; {nearest(of_protocol or text, EMBEDDED)}",
        )
    url = parse(text)
    match url.kind:
        case "mysql":
            return MySqlByUrl(url)
        case "postgres":
            return PostgresByUrl(url)
    return ClusterByUrl(url) if url.cluster else RedisByUrl(url)
