"""L8: YCSB on stores of other kinds, and scans on a store that keeps no order; twins that ask for no scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

SCANS = ("ycsb-e", "--records", "200", "--quiet", "--json", "--connections", "2", "--rate", "50", "--duration", "1s")


def test_scans_on_a_store_without_order_carry_a_finding(offered: Callable[..., Run], honest_load: Run) -> None:
    scans = offered("none", *SCANS)
    assert "L8.scans" in scans.codes
    assert "L8.scans" not in honest_load.codes


@pytest.mark.long
def test_a_relational_store_is_named_and_its_scans_are_not(weigh: Weigh) -> None:
    run = weigh("load", *SCANS, "--target", "postgres:embedded")
    assert "L8.kind" in run.codes
    assert "L8.scans" not in run.codes


def test_a_key_value_store_is_what_it_was_made_for(honest_load: Run) -> None:
    assert "L8.kind" not in honest_load.codes
