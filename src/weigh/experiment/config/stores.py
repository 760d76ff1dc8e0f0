"""The stores of weigh.toml, and which of them each contender reads from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weigh.model.data.store import BUILT_IN, FILE, S3, StoreSpec
from weigh.model.errors import UsageError, nearest
from weigh.model.units import parse_duration, parse_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.contender import Contender

_LONGEST = 60.0
_SLOWEST = 1000
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[\w.!*'()/=-]*")


class StoreTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[store.NAME]`` of weigh.toml: objects behind the protocol of S3.

    Attributes:
        endpoint: URL of the store, ``http://HOST:PORT`` or ``https://HOST``; the keys come from the environment
            (docs/concept/stores.md#keys) [weigh starts a store on this machine].
        bucket: where the objects are put; it must be there.
        prefix: what all keys begin with.
        region: that requests are signed for.
        latency: time that is added to every request and to every new connection, ``"10ms"``.
        bandwidth: bytes a second that all contenders together can read, ``"100M"`` [no limit].
        tls: whether engines speak TLS with the store [as the endpoint does].
    """

    endpoint: str = ""
    bucket: str = "weigh"
    prefix: str = ""
    region: str = "us-east-1"
    latency: str = "0s"
    bandwidth: str | int | None = None
    tls: bool | None = None


def placed(contenders: Sequence[Contender], everybody: str | None) -> tuple[Contender, ...]:
    """The contenders, those that name no store with the one that was asked for all.

    Args:
        contenders: as they were named.
        everybody: store of those that name none.
    """
    chosen = [one.store or everybody or FILE for one in contenders]
    return tuple(
        msgspec.structs.replace(one, store="" if store == FILE else store)
        for one, store in zip(contenders, chosen, strict=True)
    )


def stores(contenders: Sequence[Contender], tables: Mapping[str, StoreTable]) -> dict[str, StoreSpec]:
    """The stores of weigh.toml that contenders read from, by name.

    Raises:
        UsageError: there is no such store, or a table asks for what cannot be.
    """
    known = {name: _spec(name, table) for name, table in tables.items()}
    for one in contenders:
        if one.store and one.store not in {*known, *BUILT_IN}:
            raise UsageError(
                f"there is no store '{one.store}'",
                where=f"contender {one.name}",
                remedy=nearest(one.store, {*known, *BUILT_IN}),
            )
    wanted = {one.store for one in contenders}
    return {name: spec for name, spec in known.items() if name in wanted}


def _spec(name: str, table: StoreTable) -> StoreSpec:
    where = f"[store.{name}]"
    if name in BUILT_IN and name != S3:
        raise UsageError(f"'{name}' is a store of its own", where=where, remedy="give it another name")
    if not re.fullmatch(r"[\w.-]+", name):
        raise UsageError(f"'{name}' cannot be a store's name", where=where, remedy="use letters, digits, . _ and -")
    _check_endpoint(where, table.endpoint)
    if not table.endpoint and (table.bucket, table.prefix, table.region) != ("weigh", "", "us-east-1"):
        raise UsageError(
            "bucket, prefix and region are those of an endpoint, and it names none",
            where=where,
            remedy='name it (endpoint = "http://HOST:PORT"), or leave them out',
        )
    if not _BUCKET.fullmatch(table.bucket):
        raise UsageError(
            f"'{table.bucket}' is no name of a bucket",
            where=where,
            remedy="give 3 to 63 small letters, digits, dots and hyphens",
        )
    if not _PREFIX.fullmatch(table.prefix):
        raise UsageError(
            f"'{table.prefix}' cannot be a prefix", where=where, remedy="use letters, digits, / and . _ - = ! * ' ( )"
        )
    latency = parse_duration(table.latency)
    if not 0 <= latency <= _LONGEST:
        raise UsageError(f"latency = {table.latency} is out of range", where=where, remedy="from 0s to 60s")
    bandwidth = None if table.bandwidth is None else parse_size(str(table.bandwidth))
    if bandwidth is not None and bandwidth < _SLOWEST:
        raise UsageError(
            f"bandwidth = {table.bandwidth} is too small", where=where, remedy="at least 1000 bytes a second"
        )
    return StoreSpec(
        endpoint=table.endpoint.rstrip("/"),
        bucket=table.bucket,
        prefix=table.prefix.strip("/"),
        region=table.region,
        latency=latency,
        bandwidth=bandwidth,
        tls=table.endpoint.startswith("https://") if table.tls is None else table.tls,
    )


def _check_endpoint(where: str, endpoint: str) -> None:
    """What is no endpoint is refused before anything is written; one that holds keys is not repeated."""
    if "@" in endpoint or "?" in endpoint:
        raise UsageError(
            "its endpoint holds more than a scheme, a host and a port",
            where=where,
            remedy="leave out users and keys: they belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        )
    if endpoint and not re.fullmatch(r"https?://[^/\s]+/?", endpoint):
        raise UsageError(
            f"'{endpoint}' is no endpoint", where=where, remedy="write http://HOST:PORT or https://HOST, without a path"
        )
