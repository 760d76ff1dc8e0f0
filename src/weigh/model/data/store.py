"""Stores: where the bytes lie, as a declared part of a contender (E3)."""

from __future__ import annotations

import msgspec

from weigh.model.units import Bytes, Seconds

FILE, TMPFS, S3 = "file", "tmpfs", "s3"
BUILT_IN = (FILE, TMPFS, S3)
"""Stores that need no table in weigh.toml: the disk of the cache, memory, and objects that weigh serves itself."""


class StoreSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A store with the protocol of S3, as asked for.

    Attributes:
        endpoint: its URL; empty for one that weigh starts on this machine for the run.
        bucket: that the objects are put into; it must be there.
        prefix: what all keys begin with.
        region: that requests are signed for.
        latency: seconds that are added to every request and to every new connection.
        bandwidth: bytes a second, all connections of all contenders together; None for no limit.
        tls: whether engines speak TLS.
        placed: whether the data lies there already, under the names of its manifest; left out where weigh puts it
            there.
    """

    endpoint: str = ""
    bucket: str = "weigh"
    prefix: str = ""
    region: str = "us-east-1"
    latency: Seconds = 0.0
    bandwidth: Bytes | None = None
    tls: bool = False
    placed: bool | msgspec.UnsetType = msgspec.UNSET


class StoreAccess(msgspec.Struct, frozen=True, kw_only=True):
    """How one life reaches a store. The keys were made up for it and open nothing but weigh's own proxy.

    Attributes:
        endpoint: URL of the proxy.
        access_key, secret_key: of this life.
        region: that requests are signed for.
        ca: file with the authority that signed the proxy's certificate; empty without TLS.
    """

    endpoint: str
    access_key: str
    secret_key: str
    region: str
    ca: str = ""


class Requests(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked of a store in a while, as the proxy between counted.

    Attributes:
        gets, heads: requests that began.
        failed: of them, those that were refused or broke off.
        bytes: of the bodies of all answers.
        request_s: seconds of all requests together, each from its arrival to the last byte of its answer.
        busy_s: seconds in which at least one was under way.
        peak: most of them under way at the same moment.
    """

    gets: int
    heads: int
    failed: int
    bytes: Bytes
    request_s: Seconds
    busy_s: Seconds
    peak: int

    @property
    def count(self) -> int:
        """Requests of all methods."""
        return self.gets + self.heads

    @property
    def parallel(self) -> float:
        """Requests under way, on average over the time in which there was one; 0 where there was none."""
        return self.request_s / self.busy_s if self.busy_s else 0.0


class StoreUse(msgspec.Struct, frozen=True, kw_only=True):
    """What one execution asked of a store.

    Attributes:
        inside: while it was executed.
        before: since the execution before it, or since the life began.
    """

    inside: Requests
    before: Requests


class StoreRead(msgspec.Struct, frozen=True, kw_only=True):
    """A store as it was used. Its keys are nowhere.

    Attributes:
        name: as contenders call it.
        spec: as asked for; its endpoint is empty where weigh started the store.
        server: what weigh started on this machine; empty where it is reached by URL.
        contenders: who reads from it.
    """

    name: str
    spec: StoreSpec
    server: str
    contenders: tuple[str, ...]


class ExecutionRequests(msgspec.Struct, frozen=True, kw_only=True):
    """The same with its place in the experiment, as a sample has it."""

    block: int
    start: int
    turn: int
    run: int
    arm: str
    contender: str
    operation: str
    case: str
    use: StoreUse
