"""Progress where nothing can be drawn: a log shows how far a long step is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.cli import progress

if TYPE_CHECKING:
    import pytest


def test_a_long_step_says_how_far_it_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = progress.Terminal()
    shown.step(1, 3_000, "gate: a")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "_EVERY", -1.0)
    shown.step(1_204, 3_000, "gate: a")
    shown.step(3_000, 3_000, "gate: a")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("gate: a: 1,204 of 3,000")


def test_a_long_step_says_how_long_it_will_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([0.0, *(moment for at in (10.0, 60.0) for moment in (at,) * 6)])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(moments))
    monkeypatch.setattr(progress, "_EVERY", -1.0)
    drawn = progress.Terminal()
    drawn.step(1, 10, "measuring")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("measuring: 1 of 10, some 1 min 30 s left")
