"""L2: coordinated omission. A client that stops asking while the server stands still; the twin's server does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..loading import YCSB, response

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh


def test_the_closed_loop_is_shown_to_hide_the_stall(stalled_load: Run, weigh: Weigh) -> None:
    opened, closed = response(stalled_load, 0), response(stalled_load, 1)
    # Both met the stall. On schedule half of all requests did, in the loop one for each connection.
    assert opened["max"]["value"] > 0.8
    assert closed["max"]["value"] > 0.8
    loops = stalled_load.json["loops"]
    assert loops["open_p99"] > 0.8
    assert loops["ratio"] > 10
    text = " ".join(weigh("report", str(stalled_load.evidence)).out.split())
    assert "users do not stop coming" in text


@pytest.mark.long
def test_a_closed_loop_is_labelled_and_the_schedule_is_not(
    stalled_load: Run, honest_load: Run, offered: Callable[..., Run]
) -> None:
    alone = offered("none", *YCSB, "--closed", "--duration", "1s")
    assert "L2.closed" in alone.codes
    assert "L2.closed" in {reason["code"] for reason in alone.json["tier"]["reasons"]}
    assert "L2.closed" in stalled_load.codes
    assert "L2.closed" not in honest_load.codes
    assert honest_load.json["loops"] is None
    assert honest_load.json["load"]["loop"] == "open"


def test_a_closed_loop_has_no_rate(weigh: Weigh) -> None:
    run = weigh("load", "ycsb-b", "--target", "valkey:embedded", "--closed", "--rate", "100")
    assert run.code == 2
    assert "it has no rate" in run.err
