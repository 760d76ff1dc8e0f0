"""L1: averages. A mean that looks well over a tail that does not; the honest twin has no tail to hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..loading import response

if TYPE_CHECKING:
    from support.command import Run, Weigh

NAMES = ("p50", "p90", "p95", "p99", "p999", "p9999")


def test_the_whole_spectrum_stands_beside_the_mean(stalled_load: Run) -> None:
    spectrum = response(stalled_load)
    assert set(spectrum) == {"mean", *NAMES, "max"}
    # Half of the requests waited up to a second.
    assert spectrum["max"]["value"] > 0.8
    assert spectrum["mean"]["value"] < spectrum["max"]["value"] / 2


def test_what_so_few_requests_do_not_resolve_has_no_number(stalled_load: Run, honest_load: Run) -> None:
    for run in (stalled_load, honest_load):
        p9999 = response(run)["p9999"]
        assert not p9999["resolved"]
        assert p9999["value"] is p9999["low"] is None


def test_the_mean_is_never_the_headline(honest_load: Run, weigh: Weigh) -> None:
    screen = weigh("report", str(honest_load.evidence)).out
    assert "max" in screen
    assert "mean" not in screen.split()
    assert response(honest_load)["max"]["value"] > 0
