"""``--with`` in servers that weigh did not start: MariaDB and PostgreSQL by URL, with passwords that stay secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from servers.conftest import SECRET
from support.command import RAN

if TYPE_CHECKING:
    from support.command import Weigh

SHORT = ("--rate", "100", "--records", "500", "--duration", "8s", "--connections", "4", "--contention", "100%")

pytestmark = pytest.mark.long


def _mixed(weigh: Weigh, url: str) -> None:
    flags = ("--with", "run --workload ssb --scale 0.01 --operations q1.1,q2.1", "--json")
    run = weigh("load", "ycsb-b", "--target", url, *SHORT, *flags)
    assert run.code in RAN, run.err
    found = run.json["disturbances"]
    assert {one["status"] for one in found["answers"]} == {"agreed"}
    assert len(found["queries"]) == 3
    assert SECRET not in run.out + run.err
    assert not [one for one in run.evidence.rglob("*") if one.is_file() and SECRET.encode() in one.read_bytes()]


def test_mariadb_by_url(maria_spec: str, weigh: Weigh) -> None:
    _mixed(weigh, f"{_url(maria_spec)}/mysql")


def test_postgres_by_url(pg18_spec: str, weigh: Weigh) -> None:
    _mixed(weigh, _url(pg18_spec))


def _url(spec: str) -> str:
    """As a load has it: with the password, and without a name."""
    scheme, _, rest = spec.partition("=")[2].partition("://")
    user, _, place = rest.partition("@")
    return f"{scheme}://{user}:{SECRET}@{place}"
