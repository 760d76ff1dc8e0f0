"""Parameters by qgen's rules: those of the TPC's own program with ``-r SEED -p STREAM -s 0.1``."""

from __future__ import annotations

import re

import pytest

from weigh.model.errors import DataFault
from weigh.workloads.tpch import qgen

OF_QGEN = {
    0: """14	1994-03-01
2	37	COPPER	AMERICA
9	dim
20	medium	1997-01-01	CHINA
6	1997-01-01	0.06	25
17	Brand#21	WRAP CASE
18	312
8	JORDAN	MIDDLE EAST	SMALL PLATED STEEL
21	VIETNAM
13	pending	packages
3	BUILDING	1995-03-12
22	28	12	24	15	32	11	13
16	Brand#12	STANDARD POLISHED	41	28	43	38	8	30	12	45
4	1994-10-01
11	SAUDI ARABIA	0.0010000000
15	1994-03-01
1	91
10	1993-04-01
19	Brand#53	Brand#54	Brand#13	2	19	25
5	AFRICA	1997-01-01
7	JAPAN	JORDAN
12	SHIP	TRUCK	1994-01-01""",
    1: """21	JORDAN
3	HOUSEHOLD	1995-03-29
18	313
5	ASIA	1993-01-01
11	INDIA	0.0010000000
7	EGYPT	ETHIOPIA
6	1993-01-01	0.03	24
20	turquoise	1995-01-01	INDIA
17	Brand#23	WRAP BAG
12	FOB	TRUCK	1994-01-01
16	Brand#52	MEDIUM BRUSHED	44	48	28	19	5	23	35	49
15	1996-10-01
13	pending	requests
10	1994-01-01
2	25	STEEL	MIDDLE EAST
8	ETHIOPIA	AFRICA	SMALL ANODIZED STEEL
14	1994-06-01
19	Brand#55	Brand#32	Brand#12	7	20	21
9	cornflower
22	18	11	20	27	34	17	32
1	100
4	1997-05-01""",
}
"""By stream, with the seed 42 and so many: a query a line, in its order."""


@pytest.mark.parametrize("stream", OF_QGEN)
def test_a_stream_has_the_order_and_the_parameters_of_qgen(stream: int) -> None:
    given = qgen.parameters(42 + stream, stream, 0.1)
    assert [f"{number}\t" + "\t".join(drawn) for number, drawn in given.items()] == OF_QGEN[stream].split("\n")


def test_every_stream_asks_every_query_once() -> None:
    assert all(sorted(qgen.order(stream)) == list(range(1, 23)) for stream in range(41))


def test_all_places_change_at_once() -> None:
    text = "n1 = 'FRANCE' AND n2 = 'GERMANY' OR n1 = 'GERMANY' AND n2 = 'FRANCE'"
    turned = qgen.text(7, text, ("GERMANY", "FRANCE"))
    assert turned == "n1 = 'GERMANY' AND n2 = 'FRANCE' OR n1 = 'FRANCE' AND n2 = 'GERMANY'"


def test_dates_that_follow_from_a_parameter_move_with_it() -> None:
    text = "o >= CAST('1993-10-01' AS date) AND o < CAST('1994-01-01' AS date)"
    assert re.findall(r"'([^']*)'", qgen.text(10, text, ("1994-11-01",))) == ["1994-11-01", "1995-02-01"]
    assert "'1998-08-31'" in qgen.text(1, "l_shipdate <= CAST('1998-09-02' AS date)", ("92",))


def test_a_text_without_its_parameter_is_refused() -> None:
    with pytest.raises(DataFault, match="'BUILDING'"):
        qgen.text(3, "SELECT 1 WHERE d < '1995-03-15'", ("MACHINERY", "1995-03-01"))
