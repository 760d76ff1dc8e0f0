"""What a run of TPC-C asked for, and what its tables held afterwards."""

from __future__ import annotations

import msgspec

from weigh.model.units import Seconds

ITEMS_IN_BIN, CUSTOMERS_IN_BIN = 500, 50
"""Items, and customers of a district, that are counted together: their chances differ from bin to bin."""


class NewOrders(msgspec.Struct, frozen=True, kw_only=True):
    """New-Orders that are over.

    Attributes:
        committed: with what they did.
        rolled_back: taken back for an item that does not exist.
        lines: of those committed.
        remote_lines: of these, supplied by another warehouse.
        by_lines: orders of 5, 6, ... 15 lines, committed or not.
    """

    committed: int = 0
    rolled_back: int = 0
    lines: int = 0
    remote_lines: int = 0
    by_lines: tuple[int, ...] = (0,) * 11


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """Transactions that name a customer.

    Attributes:
        done: all of them.
        by_name: by a last name.
        remote: of another warehouse.
    """

    done: int = 0
    by_name: int = 0
    remote: int = 0


class Deliveries(msgspec.Struct, frozen=True, kw_only=True):
    """Deliveries.

    Attributes:
        done: all of them.
        delivered: orders.
        skipped: districts that had none.
    """

    done: int = 0
    delivered: int = 0
    skipped: int = 0


class UserTimes(msgspec.Struct, frozen=True, kw_only=True):
    """What users took, in seconds.

    Attributes:
        typed: transactions that they asked for.
        keying_s: that they typed, together.
        thought: answers that they thought about.
        thinking_s: that they did so, together.
    """

    typed: int = 0
    keying_s: Seconds = 0.0
    thought: int = 0
    thinking_s: Seconds = 0.0


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What the generator asked for and was answered, over a whole run.

    Attributes:
        home: transactions by their home warehouse.
        times: of users at terminals, by transaction.
        retries: attempts that the server gave up because of others, by SQLSTATE.
        unknown: without an answer, or with an error or a wrong one.
    """

    home: tuple[int, ...] = ()
    new_orders: NewOrders = NewOrders()
    payments: Named = Named()
    order_statuses: Named = Named()
    deliveries: Deliveries = Deliveries()
    stock_levels: int = 0
    times: tuple[UserTimes, ...] = ()
    retries: dict[str, int] = {}
    unknown: int = 0


class Tables(msgspec.Struct, frozen=True, kw_only=True):
    """What the tables held behind a run, beyond what was loaded.

    Attributes:
        orders: rows of orders.
        lines_of_orders: their lines, as the orders say.
        next_orders: by how many the districts' counters of orders went on.
        lines: rows of order_line.
        remote_lines: of these, supplied by another warehouse.
        payments: rows of history.
        remote_payments: of these, of customers of another warehouse.
        delivered: orders with a carrier.
        orders_by_home: by warehouse.
        payments_by_home: likewise.
        items: order lines by item, each :data:`ITEMS_TOGETHER` of them together.
        customers: orders by customer, each :data:`CUSTOMERS_TOGETHER`.
    """

    orders: int
    lines_of_orders: int
    next_orders: int
    lines: int
    remote_lines: int
    payments: int
    remote_payments: int
    delivered: int
    orders_by_home: tuple[int, ...]
    payments_by_home: tuple[int, ...]
    items: tuple[int, ...]
    customers: tuple[int, ...]


class TpccRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of TPC-C alongside its histograms.

    Attributes:
        run: its number.
        account: of the generator.
        tables: as they were read back; None where they could not be.
        unread: why they could not.
    """

    run: int
    account: Account
    tables: Tables | None = None
    unread: str = ""
