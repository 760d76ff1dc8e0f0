"""field/define-not-integer: a variable of the command line is a number of any kind, or a text in its place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from support.postgres_url import running, url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

HERE = Path(__file__).parent / "define-not-integer"
SHORT = ("--rate", "50", "--duration", "1s", "--connections", "2", "--quiet", "--json")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running() as connect:
        yield url(connect)


@pytest.mark.parametrize(
    ("script", "defined", "protocol"),
    [
        ("skew.sql", ("skew=1.05",), "prepared"),
        ("skew.sql", ("skew=11e-1",), "simple"),
        ("table.sql", ("tbl=pg_class",), "prepared"),
        *(
            pytest.param(*each, marks=pytest.mark.long)
            for each in (
                ("skew.sql", ("skew=1.05",), "simple"),
                ("skew.sql", ("skew=11e-1",), "prepared"),
                ("table.sql", ("tbl=pg_class",), "simple"),
            )
        ),
    ],
)
def test_numbers_and_texts_are_variables(
    weigh: Weigh, server: str, script: str, defined: tuple[str, ...], protocol: str
) -> None:
    flags = [word for one in defined for word in ("-D", one)]
    run = weigh("load", str(HERE / script), "--target", server, *flags, "--protocol", protocol, *SHORT)
    assert run.code in RAN, run.err
    assert run.json["operations"][0]["errors"] == {}
    assert not {"L11.answer", "L11.types"} & run.codes


def test_every_kind_of_number_means_the_same_both_ways(weigh: Weigh, server: str) -> None:
    (weigh.folder / "each.sql").write_text(
        "\\set twice :half * 2\n"
        "SELECT 10 - :n, :big / 2, 1 - :half, :twice, :yes AND true, :none IS NULL, '007' = ':id' FROM :tbl LIMIT 1;\n"
    )
    defined = ("n=3", "big=9999999999", "half=75e-2", "yes=true", "none=null", "id=007", "tbl=pg_catalog.pg_type")
    flags = [word for one in defined for word in ("-D", one)]
    run = weigh("load", "each.sql", "--target", server, *flags, *SHORT)
    assert run.code in RAN, run.err
    assert not {"L11.answer", "L11.types", "L11.refused"} & run.codes


@pytest.mark.parametrize(
    ("defined", "words"),
    [
        (("skew",), "--define skew gives no value"),
        (("skew=",), "has nothing behind the equals sign"),
        (("1x=3",), "'1x' can be no variable"),
        (("a-b=3",), "'a-b' can be no variable"),
        (("=3",), "'' can be no variable"),
        (("n=1", "n=2"), "gives n twice"),
    ],
)
def test_what_is_no_definition_says_why(weigh: Weigh, defined: tuple[str, ...], words: str) -> None:
    flags = [word for one in defined for word in ("-D", one)]
    run = weigh("load", str(HERE / "table.sql"), "--target", "postgres:embedded", *flags, "--rate", "50")
    assert run.code == 2
    assert words in run.err
    assert "defines no variable" not in run.err


def test_a_text_in_an_expression_is_named(weigh: Weigh, server: str) -> None:
    run = weigh("load", str(HERE / "skew.sql"), "--target", server, "-D", "skew=much", *SHORT)
    assert run.code == 2
    assert "is no number" in run.out
