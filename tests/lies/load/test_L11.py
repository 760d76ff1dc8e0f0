"""L11: a script that does other work than it says, because a parameter whose type is guessed resolves to another
function or operator. The twin says which type it means, in a cast."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from support.postgres_url import running, url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh

SHORT = ("--rate", "50", "--duration", "1s", "--connections", "2", "--quiet", "--json")
ACCUSED = {"L11.answer", "L11.types", "L11.refused"}
LIARS = {
    # The index of an array becomes the name of a key.
    "jsonb": ("SELECT 1 AS i \\gset\nSELECT '[10, 20]'::jsonb -> {};", ":i", ":i::int", "L11.answer"),
    # 7 / 2 is 3, and 7 / 2.0 is 3.5.
    "quotient": ("\\set x 4.0 / 2\nSELECT 7 / {};", ":x", ":x::numeric", "L11.answer"),
    # Text prepared, a whole number as text.
    "types": ("SELECT 1 AS i \\gset\nSELECT {} AS i;", ":i", ":i::int", "L11.types"),
    # Behind a minus the text is a comment.
    "comment": ("\\set n random(-9, -1)\nSELECT 5 -{};", ":n", "(:n)", "L11.answer"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running() as connect:
        yield url(connect)


@pytest.fixture
def loaded(fresh: Callable[[], Weigh], server: str) -> Callable[..., Run]:
    def run(script: str, *flags: str) -> Run:
        weigh = fresh()
        (weigh.folder / "one.sql").write_text(script)
        return weigh("load", "one.sql", "--target", server, *SHORT, *flags)

    return run


@pytest.mark.promise("Before the clock every statement with parameters is asked both ways")
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.long] if one in ("jsonb", "comment") else []) for one in LIARS]
)
def test_a_parameter_that_resolves_to_something_else_is_named(loaded: Callable[..., Run], name: str) -> None:
    script, liar, twin, code = LIARS[name]
    said = loaded(script.format(liar))
    assert said.codes & ACCUSED == {code}, said.err
    (one,) = (each for each in said.json["findings"] if each["code"] == code)
    assert "line 2" in one["text"]
    assert "prepared" in one["text"]
    assert "--protocol simple" in one["remedy"]
    honest = loaded(script.format(twin))
    assert honest.code in RAN, honest.err
    assert not honest.codes & ACCUSED


@pytest.mark.parametrize(
    "script",
    [
        "\\set n random(1, 9)\nSELECT :n, now(), random(), clock_timestamp(), format('%s', :n), 'x' || :n;",
        "\\set x random(1, 9) / 7.0 + 0.01\n\\set b :x > 1\nSELECT :x * 2, :b, pg_typeof(:x), pg_typeof(:b) LIMIT 3;",
        "\\set big hash(1)\nSELECT :big % 10, date '2020-01-01' + 1 FROM generate_series(1, 3);",
        "\\set n random(1, 9)\nSELECT 1 / 0, :n;",
    ],
)
def test_scripts_that_mean_the_same_both_ways_are_not_named(loaded: Callable[..., Run], script: str) -> None:
    run = loaded(script, "--error-budget", "100%")
    assert not run.codes & ACCUSED, run.out


def test_what_is_sent_as_text_is_not_asked_twice(loaded: Callable[..., Run]) -> None:
    run = loaded(LIARS["jsonb"][0].format(":i"), "--protocol", "simple")
    assert not run.codes & ACCUSED
