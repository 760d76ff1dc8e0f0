"""L5: a mix, draws or users' times that are not TPC-C's, and work that the tables do not show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from support.tpcc_records import drawn, honest, spec, written
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target
from weigh.load.tpcc.account import UserTimes

from ..postgres_proxy import PostgresProxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh
    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Reached
    from weigh.load.tpcc.account import TpccRun

MANY, FEW = 20_000, 2_000
"""Transactions at a rate, and of users at terminals."""
OFFERED = spec(20.0, terminals=False)
# 870 New-Orders, 48 a minute of the 51 that four warehouses can reach.
TYPED = spec(1_090.0, terminals=True)
JUDGED = {"L5.mix", "L5.draws", "L5.pace", "L5.unread", "L6.work", "L3.limit"}


@pytest.fixture(scope="module")
def reported(fresh: Callable[[], Weigh]) -> Callable[[LoadSpec, TpccRun], Run]:
    """What the command line says of a run that somebody made."""

    def report(asked: LoadSpec, run: TpccRun, slow: tuple[str, float] | None = None) -> Run:
        weigh = fresh()
        folder = weigh.folder / "runs" / "20260102-0123456789ab-1"
        folder.mkdir(parents=True)
        written(folder, asked, run, slow)
        return weigh("report", str(folder), "--json")

    return report


def changed(run: TpccRun, **parts: dict[str, object]) -> TpccRun:
    """A run of which an account or the tables are otherwise: part -> field -> value."""
    tables = parts.pop("tables", {})
    account = run.account
    for name, fields in parts.items():
        account = msgspec.structs.replace(account, **{name: msgspec.structs.replace(getattr(account, name), **fields)})
    assert run.tables is not None
    return msgspec.structs.replace(run, account=account, tables=msgspec.structs.replace(run.tables, **tables))


def judged(run: Run) -> set[str]:
    return {code for code in run.codes if code in JUDGED}


def said(run: Run, code: str) -> str:
    return next(str(one["text"]) for one in run.json["findings"] if one["code"] == code)


@pytest.mark.promise("there is no tpmC")
def test_an_honest_run_at_a_rate_is_not_accused_and_has_no_tpmc(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    run = reported(OFFERED, honest(OFFERED.tpcc, MANY))
    assert not judged(run)
    found = run.json["runs"][0]["tpcc"]
    assert (found["tpmc"], found["terminals"]) == (None, None)
    assert found["per_second"] == pytest.approx(MANY / 20, rel=0.01)
    assert run.json["experiment"]["notice"].startswith("derived from TPC-C")
    assert any("no users at terminals" in one for one in found["missing"])


@pytest.mark.promise("With these users no system reaches more than 12.86 a warehouse.")
def test_honest_users_at_terminals_have_a_tpmc_within_its_bound(reported: Callable[..., Run]) -> None:
    assert TYPED.tpcc
    run = reported(TYPED, honest(TYPED.tpcc, FEW))
    assert not judged(run) and "L2.closed" not in run.codes
    found = run.json["runs"][0]["tpcc"]
    assert found["most"] == pytest.approx(4 * 12.86)
    assert 0.9 * found["most"] < found["tpmc"] <= found["most"]
    kept = {one["name"]: one["kept"] for one in found["transactions"]}
    assert kept["new-order"] and kept["payment"]


@pytest.mark.promise("the report says how much longer the run must be")
def test_what_the_report_asks_for_judges_the_rare_transactions(reported: Callable[..., Run]) -> None:
    short = spec(300.0, terminals=True)
    assert short.tpcc
    few = reported(short, honest(short.tpcc, 600)).json["runs"][0]["tpcc"]
    rare = {one["name"] for one in few["transactions"] if one["kept"] is None}
    assert rare == {"order-status", "delivery", "stock-level"}
    assert all(one["slow"]["beyond"] == 0 for one in few["transactions"])
    text = next(one for one in few["missing"] if "limits not judged" in one)
    asked = re.search(r"delivery (\d+), .*about (\d+) minutes more of --duration", text)
    assert asked and 0 < int(asked[1]) < 44
    minutes = 5 + int(asked[2])
    longer = spec(60.0 * minutes, terminals=True)
    assert longer.tpcc
    found = reported(longer, honest(longer.tpcc, 120 * minutes)).json["runs"][0]["tpcc"]
    assert all(one["kept"] for one in found["transactions"]), text


@pytest.mark.promise("A limit that is broken means that the tpmC does not count (`L3.limit`)")
def test_payments_that_a_server_holds_up_break_their_limit_and_no_other(reported: Callable[..., Run]) -> None:
    assert TYPED.tpcc
    for share, judgement in ((0.4, False), (0.1, None)):
        run = reported(TYPED, honest(TYPED.tpcc, FEW), slow=("payment", share))
        kept = {one["name"]: one["kept"] for one in run.json["runs"][0]["tpcc"]["transactions"]}
        assert (kept["new-order"], kept["payment"]) == (True, judgement)
        assert ("L3.limit" in run.codes) is (judgement is False)


def test_nobody_pays_for_another_warehouse(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    made = honest(OFFERED.tpcc, MANY)
    server = reported(OFFERED, changed(made, tables={"remote_payments": 0}))
    assert judged(server) == {"L5.draws", "L6.work"}
    assert "remote payments: 0 %" in said(server, "L5.draws")
    client = reported(OFFERED, changed(made, payments={"remote": 0}, tables={"remote_payments": 0}))
    assert judged(client) == {"L5.draws"}


def test_items_are_drawn_with_another_constant(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    made = honest(OFFERED.tpcc, MANY)
    lines = made.account.new_orders.lines
    others = drawn(np.random.default_rng(3), lines, 8_191, 100_000, (OFFERED.tpcc.nurand.item + 700) % 8_192)
    items = tuple(np.bincount((others - 1) // 500, minlength=200).tolist())
    run = reported(OFFERED, changed(made, tables={"items": items}))
    assert judged(run) == {"L5.draws"}
    assert said(run, "L5.draws").startswith("items:")


def test_no_order_is_taken_back(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    made = honest(OFFERED.tpcc, MANY)
    orders = made.account.new_orders
    kept = orders.committed + orders.rolled_back
    extra = {"orders": kept, "next_orders": kept}
    # The server takes orders of items that do not exist, and says that it has not.
    run = reported(OFFERED, changed(made, tables=extra))
    assert judged(run) == {"L5.draws", "L6.work"}
    assert "rolled back: 0 %" in said(run, "L5.draws")


def test_deliveries_are_acknowledged_and_not_made(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    run = reported(OFFERED, changed(honest(OFFERED.tpcc, MANY), tables={"delivered": 0}))
    assert judged(run) == {"L6.work"}
    assert "delivered orders: 0 there" in said(run, "L6.work")


def test_transactions_of_a_kind_are_left_out(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    nothing = {"done": 0, "delivered": 0, "skipped": 0}
    run = reported(OFFERED, changed(honest(OFFERED.tpcc, MANY), deliveries=nothing, tables={"delivered": 0}))
    assert judged(run) == {"L5.mix"}


def test_a_district_counts_its_orders_without_a_lock(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    made = honest(OFFERED.tpcc, MANY)
    run = reported(OFFERED, changed(made, tables={"next_orders": made.account.new_orders.committed - 3}))
    assert judged(run) == {"L6.work"}
    assert "districts' counters" in said(run, "L6.work")
    assert run.code == 0 or run.json["tier"]["name"] == "inadmissible"


def test_one_warehouse_is_hammered(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    made = honest(OFFERED.tpcc, MANY)
    orders, payments = made.account.new_orders.committed, made.account.payments.done
    hammered = {"orders_by_home": (orders, 0, 0, 0), "payments_by_home": (payments, 0, 0, 0)}
    run = reported(OFFERED, changed(made, tables=hammered))
    assert judged(run) == {"L5.draws"}
    assert "over the warehouses" in said(run, "L5.draws")


def test_nobody_thinks(reported: Callable[..., Run]) -> None:
    quick = spec(100.0, terminals=True)
    assert quick.tpcc
    made = honest(quick.tpcc, FEW)
    times = tuple(UserTimes(typed=one.typed, keying_s=one.keying_s, thought=one.thought) for one in made.account.times)
    account = msgspec.structs.replace(made.account, times=times)
    run = reported(quick, msgspec.structs.replace(made, account=account))
    assert judged(run) == {"L5.pace"}
    texts = [one["text"] for one in run.json["findings"] if one["code"] == "L5.pace"]
    assert any("tpmC is more than" in text for text in texts)
    assert any("thinking after payment" in text for text in texts)


def test_a_run_that_is_too_short_to_tell_is_not_accused(reported: Callable[..., Run]) -> None:
    short = spec(2.0, terminals=False)
    assert short.tpcc
    run = reported(short, honest(short.tpcc, 60))
    assert not judged(run)
    outcomes = {one["outcome"] for one in run.json["runs"][0]["tpcc"]["checks"]}
    assert "too few" in outcomes and "broken" not in outcomes


def test_tables_that_cannot_be_read_are_named(reported: Callable[..., Run]) -> None:
    assert OFFERED.tpcc
    made = honest(OFFERED.tpcc, MANY)
    run = reported(OFFERED, msgspec.structs.replace(made, tables=None, unread="permission denied"))
    assert judged(run) == {"L5.unread"}


SKIPPED = b"UPDATE weigh_tpcc.orders SET o_carrier_id = "
COUNTED = b"UPDATE weigh_tpcc.district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2 "
KEYS = (b"orders", b"new_order", b"order_line")
BROKEN: dict[str, tuple[dict[bytes, bytes], set[str], str]] = {
    "payments are of the own warehouse": (
        {b"VALUES ($1, $2, $3, $4, $5, now(), $6, $7)": b"VALUES ($1, $2, $5 + 0 * $3, $4, $5, now(), $6, $7)"},
        {"L5.draws", "L6.work"},
        "remote payments",
    ),
    "items are drawn with another constant": (
        {
            b"SELECT $1::int, $2::int, $3::int, n, i, w,": b"SELECT $1::int, $2::int, $3::int, "
            b"n, (i + 700) % 100000 + 1, w,"
        },
        {"L5.draws"},
        "items:",
    ),
    "no order is taken back": ({b"ROLLBACK\0": b"COMMIT\0"}, {"L6.work"}, "orders:"),
    "deliveries are skipped": (
        {SKIPPED + b"$1 ": SKIPPED + b"nullif($1::int, $1::int) "},
        {"L6.work"},
        "delivered orders",
    ),
    "a district's counter is read without a lock": (
        {
            COUNTED: b"WITH seen AS (SELECT d_next_o_id AS next FROM weigh_tpcc.district "
            b"WHERE d_w_id = $1 AND d_id = $2) "
            + COUNTED.replace(b"= d_next_o_id + 1", b"= next + 1").replace(b" WHERE", b" FROM seen WHERE"),
            # Where keys are unique, the server refuses the second order of a number.
            **{
                b"ALTER TABLE weigh_tpcc.%s ADD PRIMARY KEY (" % table: b"CREATE INDEX ON weigh_tpcc.%s (" % table
                for table in KEYS
            },
            **{
                b"ALTER TABLE weigh_tpcc.%s ADD FOREIGN KEY (%s_w_id, %s_d_id, %s_o_id) REFERENCES weigh_tpcc.orders"
                % (table, column, column, column): b"ALTER TABLE weigh_tpcc.%s ALTER %s_o_id SET NOT NULL"
                % (table, column)
                for table, column in ((b"new_order", b"no"), (b"order_line", b"ol"))
            },
        },
        {"L6.work"},
        "districts' counters",
    ),
}
"""What an implementation does otherwise -> statements as it sends them, findings, and a word of what is reported."""


@pytest.fixture(scope="module")
def server() -> Iterator[Reached]:
    """A server that somebody else runs."""
    with target("postgres:embedded").reach(cache_folder(), 16) as reached:
        yield reached


def against(server: Reached, weigh: Weigh, rewrites: dict[bytes, bytes]) -> Run:
    """A closed loop of some seconds by an implementation whose statements are other ones."""
    connect = server.connect
    path = f"{connect['socket']}/.s.PGSQL.{connect['port']}"
    with PostgresProxy(path, connect["user"], connect["database"], "none", rewrites) as proxy:
        flags = ("--closed", "--quiet", "--json", "--target", proxy.url)
        return weigh("load", "tpcc", "--warehouses", "2", "--connections", "8", "--duration", "20s", *flags)


@pytest.mark.long
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_implementation_is_named(server: Reached, fresh: Callable[[], Weigh], broken: str) -> None:
    rewrites, codes, word = BROKEN[broken]
    liar = against(server, fresh(), rewrites)
    assert codes <= judged(liar), liar.err
    assert any(word in said(liar, code) for code in codes)


@pytest.mark.long
def test_an_implementation_that_keeps_the_rules_is_not_accused(server: Reached, fresh: Callable[[], Weigh]) -> None:
    honest = against(server, fresh(), {})
    assert not judged(honest)
    assert not {code for code in honest.codes if code.startswith(("L5", "L6"))}
