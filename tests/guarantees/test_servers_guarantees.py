"""What verdicts on servers under one load keep, whatever the requests of a run do among themselves."""

from __future__ import annotations

import pytest

from . import servers

FIRST = next(iter(servers.LAWS))


@pytest.mark.parametrize(
    ("name", "experiments"),
    [(FIRST, 300), *(pytest.param(name, 2_000, marks=pytest.mark.long) for name in servers.LAWS)],
)
def test_equal_servers_are_rarely_told_apart(name: str, experiments: int) -> None:
    for percentile, found in servers.effects(servers.LAWS[name], experiments, 92).items():
        got = servers.kept(found)
        for field, goal in servers.GOALS.items():
            assert getattr(got, field).within(*goal), (percentile, field, str(getattr(got, field)))
