"""What vendors' terms say about publishing results of a server, by what it calls itself and where it is (R8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

if TYPE_CHECKING:
    from weigh.load.runs import TargetRead


class _Terms(NamedTuple):
    """Terms and the servers that they are about.

    Attributes:
        products: how their names begin, in lower case.
        hosts: how the names of their machines end.
        says: what the terms say, with their source.
    """

    products: tuple[str, ...]
    hosts: tuple[str, ...]
    says: str


_KNOWN = (
    _Terms(
        ("oracle",),
        (".oraclecloud.com",),
        "results of benchmark tests of its programs may not be disclosed without Oracle's prior consent (Oracle "
        "Technology Network License Agreement; your own agreement with Oracle may say something else)",
    ),
    _Terms(
        (),
        (".amazonaws.com", ".amazonaws.com.cn"),
        "who discloses a benchmark of its services also discloses all that it takes to repeat it, and lets AWS publish "
        "benchmarks of his own products (AWS Service Terms, Universal Service Terms)",
    ),
)
"""Those of which weigh knows."""


def stated(read: TargetRead, text: str) -> TargetRead:
    """A target with the terms that are known for it; without any as it is.

    Args:
        read: the target as it described itself.
        text: as the user named it.
    """
    host = _host(text)
    for one in _KNOWN:
        if read.product.lower().startswith(one.products) or host.endswith(one.hosts):
            return msgspec.structs.replace(read, terms=one.says)
    return read


def _host(text: str) -> str:
    """Name of the machine in a URL; empty where there is none."""
    try:
        return (urlsplit(text).hostname or "") if "://" in text else ""
    except ValueError:
        return ""
