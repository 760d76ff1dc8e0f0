"""R10: one server under two names is refused before the first request, or called an A/A; two servers are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.load.comparison.same_server import RunningServer, check
from weigh.load.runs import TargetRead
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from support.command import Weigh

EMBEDDED = TargetRead(kind="redis", product="Valkey", version="9.1.2", embedded=True, in_force={"hz": {"value": "10"}})
BY_URL = TargetRead(kind="postgres", product="PostgreSQL", version="18.1", embedded=False)


def server(
    name: str, read: TargetRead = EMBEDDED, program: str = "aa" * 32, *, text: str = "", **of_url: object
) -> RunningServer:
    host = of_url.get("host")
    return RunningServer(
        name, text or f"valkey:embedded@{name}", read, program, (str(host), 5432, "shop") if host else None
    )


@pytest.mark.parametrize(
    ("other", "findings"),
    [
        (server("b", program="bb" * 32), []),
        (server("b", TargetRead(kind="redis", product="Valkey", version="9.0.1", embedded=True)), []),
        (server("b", TargetRead(kind="redis", product="Valkey", version="9.1.2", embedded=True)), []),
        (server("b", program=""), []),
        # Whoever writes one target twice wants an A/A.
        (server("b", text="valkey:embedded@a"), ["note"]),
    ],
)
def test_two_servers_are_two(other: RunningServer, findings: list[str]) -> None:
    assert [one.severity for one in check([server("a"), other], same_engine=False)] == findings


def test_one_server_under_two_names() -> None:
    with pytest.raises(UsageError, match=r"a and b are one and the same server: both are Valkey 9\.1\.2"):
        check([server("a"), server("b")], same_engine=False)
    (found,) = check([server("a"), server("b")], same_engine=True)
    assert (found.severity, found.code) == ("note", "R10.same")
    assert "(A/A)" in found.text
    one, same, other = server("a", BY_URL, host="h"), server("b", BY_URL, host="h"), server("c", BY_URL, host="i")
    with pytest.raises(UsageError, match="both targets lead to one address"):
        check([one, same], same_engine=False)
    # Of servers that others run nobody knows what is compared: where they run, for instance.
    assert [found.severity for found in check([one, other], same_engine=False)] == ["warning"]


def test_it_is_refused_before_any_evidence(weigh: Weigh) -> None:
    named = ("--contender", "a=valkey:embedded", "--contender", "b=valkey:embedded?hz=10")
    run = weigh("load", "ycsb-c", *named, "--rate", "100", "--duration", "1s", "--records", "10", "--quiet")
    assert run.code == 2
    assert "give --same-engine" in run.err
    assert not (weigh.folder / "runs").exists()
