"""T8 of loads: run until it is green, under another seed, other names and for another while.

The liar changes what matters least until a comparison of servers pleases; its attempts are one comparison all the same.
The honest twin changes what is compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import load_records
from support.evidence_folders import sealed_servers
from support.load_comparison_records import comparison, spec, usual

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from support.command import Weigh
    from support.load_comparison_records import Law, Times


def slow(draw: np.random.Generator, count: int) -> Times:
    """Half as long again."""
    return 1.5 * usual(draw, count)


def made(root: Path, names: tuple[str, str], law: Law, *, seed: int = 7, version: str = "9.1") -> str:
    """Evidence of two servers under one load, of which the second one answers by a law."""
    old, new = names
    asked = spec(5, {old: "valkey:embedded", new: "valkey:embedded?io-threads=2"}, length=6, seed=seed)
    server = load_records.target(version=version, in_force={"io-threads": {"value": "2", "default": "1"}})
    return str(sealed_servers(root, comparison(asked, {new: law}, targets={new: server})))


@pytest.mark.promise(
    "whatever the seed, the length, the number of blocks, the names and the ports. A server by URL does not say what "
    "it was built from"
)
def test_a_load_that_was_run_again_until_it_is_green_stays_red(weigh: Weigh, tmp_path: Path) -> None:
    assert weigh("history", "add", made(tmp_path / "red", ("old", "new"), slow)).code == 0
    # The honest twin: another version is another comparison.
    other = weigh("history", "add", made(tmp_path / "other", ("old", "new"), usual, version="9.2"))
    assert (other.code, "T8" in other.out) == (0, False), other.out + other.err
    again = weigh("history", "add", made(tmp_path / "green", ("main", "pr"), usual, seed=8))
    assert again.code == 1, again.out + again.err
    assert "T8.disagree (warning)" in again.out
    assert "1 time SLOWER, of 2" in again.out
