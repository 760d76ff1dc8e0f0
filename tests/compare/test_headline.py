"""The sentence of a comparison: what a contender of the second session is compared with."""

from __future__ import annotations

import pytest

from support.screen_forms import verdict
from weigh.render.comparison import sentence


@pytest.mark.parametrize(
    ("other", "begins"),
    [
        ("in the first session", "new against that in the first session: "),
        ("old in the first session", "new against old in the first session: "),
        ("old", "new against old: "),
    ],
)
def test_what_is_refused_names_the_other_side(other: str, begins: str) -> None:
    refused = [verdict(name, "refused", contender="new") for name in ("q1", "q2")]
    assert sentence(refused, lambda _: other).startswith(begins)
    alone = sentence(refused[:1], lambda _: other)
    assert alone.startswith(f"No verdict between new and {begins.removeprefix('new against ')[:-2]} on q1")


def test_what_is_slower_is_so_than_the_other_side() -> None:
    slower = [verdict("q1", "slower", 1.5, contender="new")]
    assert sentence(slower, lambda _: "in the first session").startswith(
        "new is SLOWER than in the first session on q1"
    )
