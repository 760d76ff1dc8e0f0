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


def test_a_rate_that_changes_meanwhile_does_not_begin_anew(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    drawn = progress.Terminal()
    for at, rate in ((1, 198), (29, 201), (30, 199)):
        now[0] = float(at)
        if at == 30:
            monkeypatch.setattr(progress, "_EVERY", -1.0)
        drawn.step(at, 60, f"{rate}/s, p50 2.00 ms")
    assert capsys.readouterr().err.splitlines()[-1].endswith("199/s, p50 2.00 ms: 30 of 60, some 30 s left")
