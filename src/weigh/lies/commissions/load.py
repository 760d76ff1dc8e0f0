"""Loads: a server that lies, or a client; an honest server answers behind it."""

from __future__ import annotations

from weigh.lies.commission import Act, Commission

_YCSB = "--target {server} --records 200 --connections 4 --quiet --json"
_GENTLE = f"load ycsb-a {_YCSB} --rate 100 --duration 2s"


def _server(lie: str) -> Act:
    return Act(steps=(_GENTLE,), server=lie)


COMMISSIONS = {
    "L2": Commission(
        liar=Act(steps=(f"load ycsb-a {_YCSB} --closed --duration 2s",), server="stalls"),
        code="L2.closed",
        twin=_server("stalls"),
    ),
    "L6": Commission(liar=_server("forgets"), code="L6.wrong", twin=_server("none")),
    "L7": Commission(liar=_server("fails"), code="L7.errors", twin=_server("none")),
    "L8": Commission(
        liar=Act(steps=(f"load ycsb-e {_YCSB} --rate 50 --duration 1s",), server="none"),
        code="L8.scans",
        twin=_server("none"),
    ),
}

ELSEWHERE = {
    "L1": "nobody is accused of a mean: none is printed as the headline of a load",
    "L3": "finding the highest rate that keeps a budget takes a minute on each side",
    "L4": "its twin is a load of many minutes",
    "L5": "its twin is a load of TPC-C of many minutes",
    "L9": "its twin needs a machine that does not stand still itself",
    "L12": "it takes a PostgreSQL server, which a wheel of 44 MB brings",
    "L11": "it takes a PostgreSQL server, which a wheel of 44 MB brings",
    "L10": "its twin needs a machine that does not stand still itself",
}
