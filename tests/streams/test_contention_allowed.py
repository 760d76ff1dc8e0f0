"""Contention that was allowed is called as in every other kind of measurement."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from weigh.streams import contention

USE: Any = SimpleNamespace(contender="duckdb", test="power", foreign=1.4, steal=0.0, watched=1.0)


@pytest.mark.parametrize(("bound", "size"), [(1.0, "of any size"), (0.5, "up to 50.0 %")])
def test_a_bound_of_all_is_none(monkeypatch: pytest.MonkeyPatch, bound: float, size: str) -> None:
    monkeypatch.setattr(contention, "bound", lambda _: bound)
    record: Any = None
    (found,) = contention.findings(record, (USE,))
    assert found.code == "E4.allowed"
    assert f"contention {size} was allowed: others used at most 140.0 % of the CPU of the power tests" in found.text
