"""A network before MariaDB that drops a connection in the middle of a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from engines.test_reconnects import DROPPED, measured
from servers.conftest import SECRET
from support.dropping_proxy import Between

if TYPE_CHECKING:
    from support.command import Weigh

pytestmark = pytest.mark.servers


def test_a_connection_to_mariadb_that_is_lost_is_counted(weigh: Weigh, maria_spec: str) -> None:
    port = urlsplit(maria_spec.partition("=")[2]).port
    assert port
    with Between(port, b"GROUP BY", DROPPED) as drops:
        named = maria_spec.replace(f":{port}", f":{drops.port}")
        run = measured(weigh, named, maria_spec.replace("maria=", "honest="), MARIADB_PASSWORD=SECRET)
    found = [(one["code"], one["contender"]) for one in run.json["findings"] if one["code"] == "X.reconnects"]
    assert found == [("X.reconnects", "maria")], run.err
    failed = [
        one["contender"] for one in run.json["verdicts"] if one["verdict"] == "error" and one["metric"] == "wall_s"
    ]
    assert failed == ["maria"]
