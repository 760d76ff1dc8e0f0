"""What a load of TPC-C is made of. Knows nothing of other loads."""

from __future__ import annotations

import hashlib

import msgspec

from weigh.model.errors import UsageError

NAME = "tpcc"
SCHEMA = "weigh_tpcc"
"""The schema of its nine tables."""
NOTICE = "derived from TPC-C, not audited, not comparable to published results"
WAREHOUSE = 100_000_000
"""Bytes that one takes in PostgreSQL, about."""
_MOST = 1_000_000
_LAST, _CUSTOMER, _ITEM = 255, 1_023, 8_191
"""NURand's A of last names, customers and items (clause 2.1.6)."""
_APART, _EXCEPT = range(65, 120), (96, 112)
"""How far the constants of load and run must be apart (clause 2.1.6.1)."""


class NuRand(msgspec.Struct, frozen=True, kw_only=True):
    """The constants C of NURand (clause 2.1.6).

    Attributes:
        load: of last names while the customers are made.
        run: of last names in the run, as far from ``load`` as clause 2.1.6.1 says.
        customer: of customers by their number.
        item: of items.
    """

    load: int
    run: int
    customer: int
    item: int


class TpccWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """TPC-C at a size.

    Attributes:
        warehouses: how many.
        nurand: the constants of its random numbers.
        terminals: whether users at terminals ask, ten of each warehouse, who type and think.
    """

    warehouses: int
    nurand: NuRand
    terminals: bool = False


def workload(warehouses: int, seed: int, *, terminals: bool = False) -> TpccWorkload:
    """TPC-C of so many warehouses; its constants follow from the seed.

    Args:
        warehouses: how many.
        seed: of the load.
        terminals: whether users at terminals ask.

    Raises:
        UsageError: there cannot be so many.
    """
    if not 1 <= warehouses <= _MOST:
        raise UsageError(f"--warehouses {warehouses} cannot be", remedy=f"give 1 to {_MOST:,}")
    load = _drawn(seed, "load") % (_LAST + 1)
    runs = [one for one in range(_LAST + 1) if abs(one - load) in _APART and abs(one - load) not in _EXCEPT]
    constants = NuRand(
        load=load,
        run=runs[_drawn(seed, "run") % len(runs)],
        customer=_drawn(seed, "customer") % (_CUSTOMER + 1),
        item=_drawn(seed, "item") % (_ITEM + 1),
    )
    return TpccWorkload(warehouses=warehouses, nurand=constants, terminals=terminals)


def _drawn(seed: int, name: str) -> int:
    """A number that a seed names for good."""
    return int.from_bytes(hashlib.sha256(f"tpcc {seed} {name}".encode()).digest()[:8], "big")
