"""T2: the scale is too small, and its noise hides what is claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN

from ..reading import SHORT, contenders

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

WORK = "liar?lie=work&ms=30"
MARGIN = "50%"
"""The effect that is claimed: a factor of 1.5."""


@pytest.fixture(scope="module")
def climbed(fresh: Callable[[], Weigh]) -> Run:
    """Two engines of one speed; one loses or gains about 20 ms a life, which is much of 60 ms and little of 300."""
    weigh = fresh()
    noisy = f"noisy={WORK}&spread=0.6&diary={weigh.folder / 'diary'}"
    named = contenders(f"base={WORK}", f"steady={WORK}", noisy)
    asked = ("--workload", "two", "--operations", "unordered", "--scales", "20K,100K", "--margin", MARGIN)
    return weigh("ladder", *named, *asked, *SHORT, "--quiet", "--json")


def series(run: Run, contender: str) -> dict[str, Any]:
    """What the ladder says of a contender."""
    (one,) = (one for one in run.json["series"] if one["contender"] == contender)
    found: dict[str, Any] = one
    return found


def test_a_scale_whose_noise_hides_the_claim_is_named_with_the_first_that_does_not(climbed: Run) -> None:
    small, large = series(climbed, "noisy")["steps"]
    assert small["cv"] > large["cv"]
    assert small["detectable"] > 0.5 > large["detectable"]
    assert series(climbed, "noisy")["first"] == 100_000
    assert climbed.json["first"] == 100_000
    (finding,) = [finding for finding in climbed.json["findings"] if finding["contender"] == "noisy"]
    assert finding["code"] == "T2.small"
    assert "at 20K rows noise hides the declared margin" in finding["text"]
    assert "100K rows is the first rung that resolves it" in finding["text"]


def test_an_engine_that_is_resolved_at_the_smallest_scale_is_not_accused(climbed: Run) -> None:
    assert series(climbed, "steady")["first"] == 20_000
    assert [step["resolves"] for step in series(climbed, "steady")["steps"]] == [True, True]
    assert {finding["contender"] for finding in climbed.json["findings"]} == {"noisy"}


@pytest.mark.promise("`weigh verify runs/ladder-...` verifies every rung, and that both files follow from them.")
def test_every_rung_is_an_experiment_of_its_own_and_verifies(climbed: Run, fresh: Callable[[], Weigh]) -> None:
    assert climbed.code in RAN, climbed.err
    runs = climbed.folder / "runs"
    (folder,) = runs.glob("ladder-*")
    assert [rung["evidence"] for rung in climbed.json["rungs"]] == sorted(
        (path.name for path in runs.iterdir() if path != folder), key=lambda name: (runs / name).stat().st_mtime
    )
    verified = fresh()("verify", str(folder), "--json")
    assert verified.code == 0, verified.out
    assert len(verified.json["verification"]["rungs"]) == 2
    page = (folder / "ladder.html").read_text()
    assert "T2.small" in page
    (folder / "ladder.html").write_text(page.replace("100K rows", "20K rows"))
    assert fresh()("verify", str(folder)).code == 1
