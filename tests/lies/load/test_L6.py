"""L6: fast because it does not do the work: acknowledged writes are forgotten, or old values served."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN

from ..loading import GENTLE, accused

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run

OFTEN = ("--records", "20", "--rate", "200", "-p", "fieldcount=1")
"""A record is read again within moments of its write, and of two writes to it the later one is what must be read."""


@pytest.mark.promise("an answer contradicts what was written")
@pytest.mark.parametrize(
    "lie",
    ["forgets", *(pytest.param(one, marks=pytest.mark.long) for one in ("serves-old", "serves-stale", "reorders"))],
)
def test_answers_that_contradict_what_was_acknowledged_are_found(offered: Callable[..., Run], lie: str) -> None:
    run = offered(lie, *GENTLE, *(OFTEN if lie in ("serves-stale", "reorders") else ()))
    assert run.code == 1
    assert "L6.wrong" in run.codes
    assert run.json["tier"]["name"] == "inadmissible"
    assert run.json["operations"][0]["wrong"] > 0
    # Whatever is read later shows it, too.
    [back] = run.json["answers"]["read_back"]
    assert back["wrong"] > 0 or lie != "forgets"


@pytest.mark.promise("A read-back that does not come to its end is an error (`L6.unread`)")
def test_a_server_that_hangs_up_when_it_is_read_back_is_named(offered: Callable[..., Run]) -> None:
    run = offered("hangs-up", *GENTLE)
    # Nothing that it answered was wrong: nobody may conclude from it, and nobody is accused.
    assert run.code == 3
    assert run.json["tier"]["name"] == "inadmissible"
    assert "L6.unread" in run.codes
    assert not {"L6.wrong", "L6.missing"} & run.codes


def test_a_correct_server_under_the_same_load_is_not_accused(honest_load: Run) -> None:
    assert honest_load.code in RAN, honest_load.err
    assert not accused(honest_load)
    assert honest_load.json["operations"][0]["wrong"] == 0
    assert honest_load.json["runs"][0]["verified_reads"] > 0


def test_a_server_that_is_only_slow_is_not_accused_of_forgetting(stalled_load: Run) -> None:
    assert not {code for code in stalled_load.codes if code.startswith("L6")}
