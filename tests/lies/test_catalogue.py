"""The catalogue lists what is tested here, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.command import Weigh


def test_every_lie_that_is_listed_has_its_liar_here(weigh: Weigh) -> None:
    tested = {path.stem.removeprefix("test_") for path in Path(__file__).parent.rglob("test_[A-Z]*.py")}
    assert {lie["id"] for lie in weigh("lies", "--json").json["lies"]} == tested
