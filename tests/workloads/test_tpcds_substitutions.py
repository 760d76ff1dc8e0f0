"""Substitution parameters of TPC-DS: what a stream draws, and where it stands in a text."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.model.errors import DataFault
from weigh.workloads.tpcds.substitutions import Parameters, substitutions

ITEM = "SELECT * FROM item, date_dim WHERE i_manufact_id = 128 AND d_moy = 11 AND i_brand_id1 > 0 LIMIT 100"
PAIRS = (
    "WHERE d_year IN (1999) AND (i_category IN ('a','b','c') AND i_class IN ('d','e','f') "
    "OR i_category IN ('g','h','i') AND i_class IN ('j','k','l')) LIMIT 100"
)


@pytest.fixture(scope="module")
def parameters(tmp_path_factory: pytest.TempPathFactory) -> Parameters:
    folder = tmp_path_factory.mktemp("tables")
    tables = {
        "item": {
            "i_manufact_id": [7, 9, 7, None],
            "i_category": ["A", "B", "B", None],
            "i_class": ["one", "two", "it's", "none"],
        },
        "customer_address": {"ca_gmt_offset": [-6.0, -6.0]},
    }
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return Parameters({name: [str(folder / f"{name}.parquet")] for name in tables})


def test_all_queries_but_one_have_literals_that_are_drawn_and_no_place_twice() -> None:
    places: dict[int, list[int]] = {}
    for one in substitutions():
        places.setdefault(one.query, []).extend(at for draw in one.draws for group in draw for at in group)
    assert set(range(1, 100)) - set(places) == {76}
    assert all(len(set(of)) == len(of) for of in places.values())


def test_a_stream_draws_its_own_and_the_same_seed_the_same(parameters: Parameters) -> None:
    drawn = [parameters.text(3, ITEM, 42, stream) for stream in range(12)]
    assert drawn == [parameters.text(3, ITEM, 42, stream) for stream in range(12)]
    assert {one[1] for one in drawn} == {(item, month) for item in ("7", "9") for month in ("11", "12")}
    for text, (item, month) in drawn:
        assert text == ITEM.replace("128", item).replace("= 11", f"= {month}")
    assert drawn != [parameters.text(3, ITEM, 43, stream) for stream in range(12)]


def test_dates_keep_their_distances(parameters: Parameters) -> None:
    text = (
        "d < '2000-03-11' AND d > '1' AND e >= '2000-03-11' AND f = 0.99 AND g = 1 AND h = 2 "
        "AND d BETWEEN '2000-02-10' AND '2000-04-10'"
    )
    new, (first,) = parameters.text(21, text, 42, 1)
    days = [pa.scalar(one).cast(pa.date32()).as_py() for one in re.findall(r"\d{4}-\d\d-\d\d", new)]
    assert str(days[0]) == first.strip("'") != "2000-03-11"
    assert [(one - days[0]).days for one in days] == [0, 0, -30, 30]
    assert (1, 31) <= (days[0].month, days[0].day) <= (7, 1)


def test_a_year_in_a_text_and_a_pattern_and_a_sign_stay_what_they_are(parameters: Parameters) -> None:
    quarters = "q = '2001Q1' AND q IN ('2001Q1','2001Q2','2001Q3') AND r IN ('2001Q1','2001Q2','2001Q3')"
    new, (year,) = parameters.text(17, quarters, 42, 5)
    assert new == quarters.replace("2001", year[1:5])
    text = (
        "d_year = 1998 AND d_moy = 11 AND a = 'M' AND b = 'U' AND c = 'W' AND d = 'A' AND p LIKE 'Unknown%' AND o = -7"
    )
    assert re.fullmatch(r".* p LIKE '[^']+%' AND o = -6", parameters.text(91, text, 42, 0)[0])


def test_columns_of_one_rule_are_of_one_row_and_quotes_are_doubled(parameters: Parameters) -> None:
    _, drawn = parameters.text(89, PAIRS, 42, 0)
    pairs = list(zip(drawn[1::2], drawn[2::2], strict=True))
    assert set(pairs) == {("'A'", "'one'"), ("'B'", "'two'"), ("'B'", "'it''s'")}
    assert len(pairs) == 6


@pytest.mark.parametrize("text", ["SELECT 1", "i_manufact_id = 'x' AND d_moy = 11"])
def test_literals_that_are_not_where_they_should_be_are_an_error(parameters: Parameters, text: str) -> None:
    with pytest.raises(DataFault, match="query 3 of TPC-DS does not have the literal"):
        parameters.text(3, text, 42, 0)
