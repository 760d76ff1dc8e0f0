"""Where constructs stand in queries: of one query, and of several that are united."""

from __future__ import annotations

from itertools import product

import pytest

from weigh.answers import constructs
from weigh.answers.constructs.widened import widened

SETS = ("UNION", "UNION ALL", "UNION DISTINCT", "EXCEPT", "INTERSECT", "EXCEPT ALL")
ENDS = ("", "ORDER BY a", "ORDER BY 1 LIMIT 3", "ORDER BY upper(a) DESC OFFSET 1", "LIMIT 3")


@pytest.mark.parametrize(("sets", "end"), list(product(SETS, ENDS)))
def test_queries_that_are_united_have_constructs(sets: str, end: str) -> None:
    plain = f"SELECT upper(s) AS a FROM t {sets} SELECT lower(s) FROM u {end}"
    for sql in (plain, f"WITH r AS ({plain}) SELECT a, count(*) AS n FROM r GROUP BY a", f"SELECT a FROM ({plain})"):
        found = constructs.of(sql)
        assert any(one.key == "case" and one.inside is None for one in found), found
        settled = str(constructs.settled(sql, 1))
        assert "UPPER(s)" not in settled
        assert ("LIMIT" in settled) <= ("ORDER BY" in settled)
        assert widened(sql, {}) is None


@pytest.mark.parametrize("end", ["ORDER BY upper(s)", "ORDER BY upper(s) LIMIT 3"])
def test_an_order_of_united_queries_that_cuts_none_off_changes_their_sequence_alone(end: str) -> None:
    ordered = [one for one in constructs.of(f"SELECT s FROM t UNION ALL SELECT s FROM u {end}") if one.key == "case"]
    assert [one.sequence for one in ordered] == ["LIMIT" not in end]


def test_a_cast_to_a_text_with_a_length_names_the_length() -> None:
    (cast,) = (one for one in constructs.of("SELECT CAST(s AS CHAR(3)) AS v FROM t") if one.key == "text")
    assert "padded or cut to a length" in cast.why
    assert cast.column == 0
