"""Whether a server has TPC-C's tables already, as a load makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.tpcc.conditions import CUSTOMERS, DELIVERED, DISTRICTS
from weigh.load.tpcc.workload import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.load.gate_events import Answer
    from weigh.load.tpcc.workload import TpccWorkload

_MARK = f"SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = '{SCHEMA}'"
_MARK_IN_MYSQL = f"SELECT what FROM {SCHEMA}.made_by_weigh"
_UNTOUCHED = f"""SELECT (SELECT count(*) FROM {SCHEMA}.history), (SELECT count(*) FROM {SCHEMA}.new_order),
(SELECT min(d_next_o_id) FROM {SCHEMA}.district), (SELECT max(d_next_o_id) FROM {SCHEMA}.district)"""
"""What every transaction that writes moves: Payment, Delivery, New-Order."""


def is_there(ask: Callable[[Sequence[str]], tuple[Answer, ...]], workload: TpccWorkload, seed: int, kind: str) -> bool:
    """Whether the tables are there, of the same size and seed, and no transaction was made on them.

    What is there alongside them, or was altered by hand, is found by what must hold before a run.

    Args:
        ask: answers queries.
        workload: what is to be loaded.
        seed: of it.
        kind: protocol of the server.
    """
    [mark] = ask([_MARK_IN_MYSQL if kind == "mysql" else _MARK])
    mark_text = f"made by weigh: warehouses={workload.warehouses} seed={seed} c_load={workload.nurand.load}"
    if mark.kind != "rows" or mark.rows != ((mark_text,),):
        return False
    districts = workload.warehouses * DISTRICTS
    first = str(CUSTOMERS + 1)
    [untouched] = ask([_UNTOUCHED])
    return untouched.rows == ((str(districts * CUSTOMERS), str(districts * (CUSTOMERS - DELIVERED)), first, first),)
