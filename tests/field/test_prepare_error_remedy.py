"""field/prepare-error-remedy: a variable has the type of its literal, and what still cannot be told has a remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from support.postgres_url import running, url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

HERE = Path(__file__).parent / "prepare-error-remedy"
SHORT = ("--rate", "20", "--duration", "1s", "--connections", "2", "--quiet", "--json")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running() as connect:
        yield url(connect)


def test_a_whole_number_has_its_type(weigh: Weigh, server: str) -> None:
    run = weigh("load", str(HERE / "f.sql"), "--target", server, *SHORT)
    assert run.code in RAN, run.err
    assert run.json["operations"][0]["errors"] == {}
    assert not {"L11.answer", "L11.types", "L11.refused"} & run.codes


@pytest.mark.parametrize(
    ("script", "code", "remedies"),
    [
        ("SELECT 'x' AS x \\gset\nSELECT format('Q-%s', :x);", "42P18", ("write a cast, :n::int", "--protocol simple")),
        ("SELECT 1 AS x \\gset\nSELECT date '2020-01-01' + :x;", "42725", ("write a cast", "--protocol simple")),
        ("\\set n random(1, 9)\nSELECT upper(:n);", "42883", ("write a cast", "--protocol simple")),
        ("SELECT * FROM nowhere;", "42P01", ("create the table", "--prepare FILE.sql")),
    ],
)
def test_the_remedy_follows_from_the_code(
    weigh: Weigh, server: str, script: str, code: str, remedies: tuple[str, ...]
) -> None:
    (weigh.folder / "f.sql").write_text(script)
    run = weigh("load", "f.sql", "--target", server, *SHORT)
    assert f"({code})" in run.err
    assert all(one in run.err for one in remedies), run.err
    assert "see what the server's log says" not in run.err
