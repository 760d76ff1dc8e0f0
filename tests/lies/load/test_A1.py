"""A1, A3, A8 and L6 of scripts: a server that answers a wrong row, that answers wrongly under load alone, and that
acknowledges writes and does not apply them. The twin is the same proxy, which does nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN
from weigh._native import Load
from weigh.engines.prepared import cache_folder
from weigh.load.target.postgres import EmbeddedPostgres

from ..postgres_proxy import PostgresProxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh

    from ..postgres_proxy import Lie

TABLES = """
CREATE TABLE purse (id int PRIMARY KEY, held int NOT NULL);
CREATE TABLE paid (id int NOT NULL, amount int NOT NULL);
INSERT INTO purse SELECT i, 100 FROM generate_series(1, 200) AS i;
"""
LOOK = """\\set id random(1, 200)
SELECT id, held FROM purse WHERE id = :id;
"""
PAY = """-- invariant: SELECT sum(held) + (SELECT coalesce(sum(amount), 0) FROM paid) FROM purse = 20000
\\set id random(1, 200)
\\set amount random(1, 9)
UPDATE purse SET held = held - :amount WHERE id = :id;
INSERT INTO paid VALUES (:id, :amount);
"""
GENTLE = ("--protocol", "simple", "--rate", "50", "--duration", "1s", "--connections", "4", "--quiet", "--json")


def execute(connect: dict[str, Any], *statements: str) -> None:
    """Each of the statements, once."""
    load = Load(json.dumps({
        "target": connect,
        "workload": {
            "kind": "script", "scripts": [{"name": "made", "text": "".join(statements), "weight": 1}], "seed": 0,
            "prepared": False,
        },
        "arrivals": {"kind": "trace", "times_s": [0]},
        "duration_s": 0.1, "connections": 1, "threads": 1, "max_in_flight": 1, "timeout_s": 20, "interval_s": 1.0,
    }))  # fmt: skip
    load.start()
    assert json.loads(load.finish())["done"] == 1


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    with EmbeddedPostgres().reach(cache_folder(), 20) as reached:
        yield reached.connect


@pytest.fixture(scope="module")
def through(fresh: Callable[[], Weigh], server: dict[str, Any]) -> Callable[..., Run]:
    """A load of one script through a proxy, on new tables."""
    path = f"{server['socket']}/.s.PGSQL.{server['port']}"

    def run(lie: Lie, script: str, *flags: str) -> Run:
        execute(server, "DROP TABLE IF EXISTS purse, paid;", TABLES)
        weigh = fresh()
        (weigh.folder / "one.sql").write_text(script)
        with PostgresProxy(path, server["user"], server["database"], lie) as proxy:
            return weigh("load", "one.sql", "--target", proxy.url, *GENTLE, *flags)

    return run


@pytest.fixture(scope="module")
def pinned(through: Callable[..., Run]) -> tuple[str, str]:
    """``--answers`` with those that the honest server gave."""
    run = through("none", LOOK, "--duration", "100ms", "--pin", "pins.json")
    assert run.code in RAN, run.err
    return ("--answers", str(run.folder / "pins.json"))


@pytest.mark.promise(
    "A wrong answer there ends the experiment before anything is measured: it is *INADMISSIBLE* (`A1.statement`), and "
    "weigh exits 1."
)
def test_a_wrong_row_is_found_before_the_clock(through: Callable[..., Run], pinned: tuple[str, str]) -> None:
    run = through("wrong", LOOK, *pinned)
    assert run.code == 1
    assert "A1.statement" in run.codes
    assert run.json["tier"]["name"] == "inadmissible"
    assert not run.json["runs"]
    [statement] = run.json["answers"]["statements"]
    assert statement["status"] == "diverged"
    assert "held: 101, not 100" in statement["detail"]


@pytest.mark.promise(
    "Of scripts that only read, 64 requests of each run, drawn at random, are asked again on another connection when "
    "it is over, and must be answered the same (`A3.sampled`)"
)
def test_one_that_answers_wrongly_under_load_alone_is_found_by_what_was_sampled(
    through: Callable[..., Run], pinned: tuple[str, str]
) -> None:
    run = through("wrong-when-busy", LOOK, *pinned)
    assert run.code == 1
    assert "A3.sampled" in run.codes
    assert "A1.statement" not in run.codes
    [sampled] = run.json["answers"]["sampled"]
    assert sampled["differ"]
    assert "held: 101, not 100" in sampled["differ"][0]


def test_an_honest_server_is_accused_of_nothing_and_its_answers_are_checked(
    through: Callable[..., Run], pinned: tuple[str, str]
) -> None:
    run = through("none", LOOK, *pinned)
    assert run.code in RAN, run.err
    assert not {code for code in run.codes if code.startswith(("A", "L6"))}
    assert "A8" not in {one["code"] for one in run.json["tier"]["reasons"]}
    [statement] = run.json["answers"]["statements"]
    assert statement["status"] == "agreed"
    assert statement["witness"].startswith("pinned answer of PostgreSQL")
    [sampled] = run.json["answers"]["sampled"]
    assert sampled["same"] == sampled["requests"] > 10


@pytest.mark.promise("one that is broken after a run is an error (`L6.invariant`), and weigh exits 1.")
def test_writes_that_are_acknowledged_and_not_applied_break_an_invariant(through: Callable[..., Run]) -> None:
    run = through("forgets", PAY)
    assert run.code == 1
    assert "L6.invariant" in run.codes
    assert run.json["tier"]["name"] == "inadmissible"
    before, after = run.json["answers"]["invariants"]
    assert (before["holds"], after["holds"]) == (True, False)
    assert int(after["got"]) > 20_000


@pytest.mark.long
def test_an_honest_server_breaks_none_and_who_checked_what_is_said(through: Callable[..., Run]) -> None:
    run = through("none", PAY)
    assert run.code in RAN, run.err
    assert not {code for code in run.codes if code.startswith("L6")}
    assert [one["holds"] for one in run.json["answers"]["invariants"]] == [True, True]
    # Nobody says what its UPDATE must answer.
    assert "A8.unchecked" in run.codes
    assert {one["status"] for one in run.json["answers"]["statements"]} == {"unverified"}
