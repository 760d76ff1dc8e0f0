"""L6 in a cluster: one node of three acknowledges writes and forgets them; its twin passes all of them on."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from support.servers.valkey_cluster import running
from weigh_liars.resp_proxy import Proxy

from ..loading import GENTLE, accused

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from weigh_liars.resp_proxy import Lie


def _offered(weigh: Weigh, folder: pytest.TempPathFactory, lie: Lie) -> Run:
    with ExitStack() as stack:

        def announced(socket: str) -> int:
            return stack.enter_context(Proxy(socket, lie)).port

        cluster = stack.enter_context(running(folder.mktemp("cluster"), announced={1: announced}))
        return weigh("load", *GENTLE, "--target", cluster.url)


@pytest.mark.long
@pytest.mark.parametrize("lie", ["forgets", "none"])
def test_a_node_that_forgets_is_found_and_one_behind_a_proxy_is_not_accused(
    fresh: Callable[[], Weigh], tmp_path_factory: pytest.TempPathFactory, lie: Lie
) -> None:
    run = _offered(fresh(), tmp_path_factory, lie)
    if lie == "none":
        assert not accused(run), run.out
        return
    assert "L6.wrong" in run.codes, run.out
    wrong = next(one["text"] for one in run.json["findings"] if one["code"] == "L6.wrong")
    assert "contradict" in wrong
