"""Literals of TPC-DS queries that find nothing below scale factor 1, and what is asked there instead.

A store, a reason and a few hundred items are all there is at 0.01 and 0.1: what is asked for one of many is not there.
Queries 16, 94 and 95 ask for orders that came from two warehouses. Below 1 there is one, so they count 0 whatever their
literals are.
"""

from __future__ import annotations

_ITEMS = (("129", "48"), ("270", "69"), ("821", "158"), ("423", "143"))
_OTHER_ITEMS = (("677", "48"), ("940", "69"), ("694", "158"), ("808", "187"))
_WEEKS = (("'2000-06-30'", "'2001-02-01'"), ("'2000-09-27'", "'2000-12-29'"), ("'2000-11-17'", "'2001-01-22'"))

SMALL: dict[int, tuple[tuple[str, str], ...]] = {
    3: (("i_manufact_id = 128", "i_manufact_id = 187"),),
    4: (("dyear = 2001", "dyear = 2000"),),
    8: (("'24128'", "'31289'"), ("count(*) > 10", "count(*) > 0")),
    10: (("d_moy BETWEEN 1 AND 1+3", "d_moy BETWEEN 1 AND 1+11"),),
    11: (("dyear = 2001", "dyear = 1999"),),
    19: (("i_manager_id=8", "i_manager_id=20"),),
    24: (("s_market_id=8", "s_market_id=2"), ("i_color = 'peach'", "i_color = 'rosy'")),
    25: (("= 2001", "= 2000"), ("d1.d_moy = 4", "d1.d_moy = 1"), ("BETWEEN 4 AND 10", "BETWEEN 1 AND 12")),
    29: (("d_year = 1999", "d_year = 2000"), ("BETWEEN 9 AND 9 + 3", "BETWEEN 9 AND 9 + 8")),
    32: (("i_manufact_id = 977", "i_manufact_id = 310"),),
    37: (*_OTHER_ITEMS, ("BETWEEN 68 AND 68 + 30", "BETWEEN 1 AND 1 + 98")),
    39: (("d_year =2001", "d_year =1998"),),
    41: (("BETWEEN 738 AND 738+40", "BETWEEN 1 AND 1+999"),),
    44: (("ss_store_sk = 4", "ss_store_sk = 1"),),
    49: (("d_moy = 12", "d_moy = 10"),),
    54: (("'Women'", "'Books'"), ("'maternity'", "'travel'"), ("1998", "1999"), ("d_moy = 12", "d_moy = 10")),
    58: (("'2000-01-03'", "'2000-12-25'"),),
    64: (
        ("BETWEEN 64 AND 64 + 10", "BETWEEN 4 AND 4 + 10"),
        ("BETWEEN 64 + 1 AND 64 + 15", "BETWEEN 4 + 1 AND 4 + 15"),
    ),
    65: (("0.1 * sb.ave", "0.7 * sb.ave"),),
    73: (("cnt BETWEEN 1 AND 5", "cnt BETWEEN 1 AND 20"),),
    82: (*_ITEMS, ("BETWEEN 62 AND 62+30", "BETWEEN 1 AND 1+98")),
    83: _WEEKS,
    85: (
        ("BETWEEN 100 AND 200", "BETWEEN -10000 AND 10000"),
        ("BETWEEN 150 AND 300", "BETWEEN -10000 AND 10000"),
        ("BETWEEN 50 AND 250", "BETWEEN -10000 AND 10000"),
        ("100.00 AND 150.00", "0.00 AND 200.00"),
        ("50.00 AND 100.00", "0.00 AND 200.00"),
        ("150.00 AND 200.00", "0.00 AND 200.00"),
    ),
    88: (("'ese'", "'ought'"),),
    90: (("BETWEEN 5000 AND 5200", "BETWEEN 1 AND 9000"),),
    91: (("d_year = 1998", "d_year = 2001"), ("d_moy = 11", "d_moy = 1"), ("-7", "-6")),
    92: (("i_manufact_id = 350", "i_manufact_id = 310"),),
    93: (("'reason 28'", "'Package was damaged'"),),
    96: (("'ese'", "'ought'"),),
}
"""By number of the query: what is replaced, and by what."""
