"""L6: TPC-C on rows that its transactions did not leave. A server that altered one, one that writes others."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from weigh.engines import environment, postgres
from weigh.engines.prepared import cache_folder
from weigh.load import record
from weigh.load.target.postgres import EmbeddedPostgres

from ..loading import accused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh
    from weigh.load.target.target import Reached

LOAD = ("load", "tpcc", "--warehouses", "1", "--quiet", "--json", "--rate", "10", "--duration", "3s")
_EXECUTE = """
import sys, psycopg
with psycopg.connect(host=sys.argv[1], user=sys.argv[2], dbname="postgres", autocommit=True) as connection:
    for statement in sys.argv[3:]:
        connection.execute(statement)
"""
_WHEN_LOADED = """CREATE FUNCTION lie() RETURNS event_trigger LANGUAGE plpgsql AS $lie$ BEGIN
IF tg_tag = 'COMMENT' AND to_regclass('weigh_tpcc.order_line') IS NOT NULL THEN {lie}; END IF; END $lie$"""
"""The comment on their schema is the last that is done to the tables."""
_ALTERS = "UPDATE weigh_tpcc.customer SET c_ytd_payment = 11 WHERE (c_w_id, c_d_id, c_id) = (1, 7, 2900)"
_OTHERWISE = "CREATE TRIGGER alters BEFORE INSERT ON weigh_tpcc.history FOR EACH ROW EXECUTE FUNCTION alters()"

_HONEST = ("DROP EVENT TRIGGER IF EXISTS lie", "DROP FUNCTION IF EXISTS lie", "DROP FUNCTION IF EXISTS alters CASCADE")


@pytest.fixture(scope="module")
def server() -> Iterator[Reached]:
    """A server that somebody else runs."""
    with EmbeddedPostgres().reach(cache_folder(), 20) as kept:
        yield kept


@pytest.fixture
def loaded(server: Reached, weigh: Weigh) -> Iterator[Callable[..., Run]]:
    """A load of that server, of which statements were asked before."""

    def execute(*statements: str) -> None:
        engine = postgres.engine
        needed = [f"{engine.package}=={engine.tested}", *engine.requires]
        python = environment.ensure(needed, cache_folder()).python
        place = (server.connect["socket"], server.connect["user"])
        subprocess.run([str(python), "-c", _EXECUTE, *place, *statements], check=True, timeout=60)

    def load(*statements: str) -> Run:
        execute(*statements)
        url = f"postgres://{server.connect['user']}@localhost/postgres?host={server.connect['socket']}"
        return weigh(*LOAD, "--target", url)

    yield load
    execute(*_HONEST, "DROP SCHEMA IF EXISTS weigh_tpcc CASCADE")


@pytest.mark.long
def test_one_altered_row_is_named_and_without_it_the_same_rows_are_used_again(loaded: Callable[..., Run]) -> None:
    run = loaded(_WHEN_LOADED.format(lie=_ALTERS), "CREATE EVENT TRIGGER lie ON ddl_command_end EXECUTE FUNCTION lie()")
    assert run.code == 1, run.err
    assert run.json["runs"] == []
    broken = [one for one in run.json["answers"]["invariants"] if not one["holds"]]
    assert [(one["name"], one["got"]) for one in broken] == [("condition 12", "1")]
    assert broken[0]["example"].startswith("c_w_id 1, c_d_id 7, c_id 2900: c_balance -10.00, c_ytd_payment 11.00")
    [text] = [one["text"] for one in run.json["findings"] if one["code"] == "L6.broken"]
    assert "condition 12" in text
    # Its twin: the row is as it was, and nobody made a transaction since.
    honest = loaded(*_HONEST, _ALTERS.replace("= 11", "= 10"))
    assert honest.code in RAN, honest.err
    assert record.read(sorted((honest.folder / "runs").iterdir())[-1]).loaded == record.Loaded(
        rows=0, seconds=0.0, found=True
    )
    assert not {code for code in accused(honest) if code.startswith(("L5", "L6"))}
    asked = honest.json["answers"]["invariants"]
    assert all(one["holds"] for one in asked)
    for after in (False, True):
        assert sum(one["name"].startswith("condition ") for one in asked if one["after"] is after) == 12


@pytest.mark.long
def test_what_a_server_writes_otherwise_breaks_the_conditions_that_are_about_it(loaded: Callable[..., Run]) -> None:
    run = loaded(
        "CREATE FUNCTION alters() RETURNS trigger LANGUAGE plpgsql AS $lie$ BEGIN "
        "NEW.h_amount = NEW.h_amount + 1; RETURN NEW; END $lie$",
        _WHEN_LOADED.format(lie=_OTHERWISE),
        "CREATE EVENT TRIGGER lie ON ddl_command_end EXECUTE FUNCTION lie()",
    )
    assert run.code == 1, run.err
    named = {one["name"] for one in run.json["answers"]["invariants"] if one["after"] and not one["holds"]}
    assert named == {"condition 8", "condition 9", "condition 10"}
    assert "L6.invariant" in run.codes


@pytest.mark.long
def test_a_schema_that_weigh_did_not_make_is_left_alone(loaded: Callable[..., Run]) -> None:
    own = "CREATE TABLE weigh_tpcc.mine AS SELECT 1 AS n"
    run = loaded("DROP SCHEMA IF EXISTS weigh_tpcc CASCADE", "CREATE SCHEMA weigh_tpcc", own)
    assert run.code == 2, run.err
    assert "was not made by weigh" in run.err
    assert "rename the schema" in run.err
    # It is there still.
    again = loaded("DROP TABLE weigh_tpcc.mine")
    assert again.code == 2, again.err
