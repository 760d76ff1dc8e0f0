"""A history in PostgreSQL, by URL."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from support.history_records import entry, values
from weigh.engines import environment
from weigh.engines.postgres import PSYCOPG
from weigh.engines.prepared import cache_folder
from weigh.history import store
from weigh.load.target.registry import target
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OTAVA = "time,commit,q1\n" + "".join(
    f"2026-01-{1 + at:02}T00:00:00,c{at:02},{one:.6f}\n" for at, one in enumerate(values(30, 11, {15: 1.1}))
)


def ask(connect: dict[str, str], statement: str) -> None:
    program = "import json, sys, psycopg; asked = json.load(sys.stdin)\n"
    program += "psycopg.connect(**asked[0], autocommit=True).execute(asked[1])"
    python = environment.ensure([*PSYCOPG], cache_folder()).python
    subprocess.run([str(python), "-c", program], input=json.dumps([connect, statement]).encode(), check=True)


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    with target("postgres:embedded").reach(cache_folder(), 4) as kept:
        yield {"host": str(kept.connect["socket"]), "user": str(kept.connect["user"]), "dbname": "postgres"}


@pytest.mark.long
@pytest.mark.promise(
    "Several machines can add to a history in PostgreSQL at the same time, and nothing is there twice."
)
def test_a_history_in_postgresql_is_what_a_folder_is(server: dict[str, str], tmp_path: Path) -> None:
    url = f"postgres://{server['user']}@localhost/postgres?host={server['host']}"
    where = store.place(url)
    with pytest.raises(EvidenceFault, match="there is no history"):
        store.read_all(where)
    made = [entry(at, one) for at, one in enumerate(values(30, 3, {15: 1.2}), 1)]
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda _: store.add_all(where, made), range(4)))
    assert sum(sum(one.values()) for one in added) == 30
    store.add_all(tmp_path / "history", made)
    assert store.read_all(where) == store.read_all(tmp_path / "history")
    weigh = Weigh(tmp_path)
    (tmp_path / "perf.csv").write_text(OTAVA)
    for place in (url, "history"):
        assert weigh("history", "add", "perf.csv", "--to", place).code == 0
    shown = [weigh("history", "show", "--from", place, "--json").json for place in (url, "history")]
    assert shown[0]["folder"] == url
    assert [one["candidates"] for one in shown[:1]] == [shown[1]["candidates"]]
    assert len(shown[0]["candidates"]) == 2
    # What is edited there is named, as in a folder.
    edited = "UPDATE weigh_history SET entry = replace(entry::text, 'a processor', 'another')::json WHERE id = "
    ask(server, f"{edited}'{made[0].id}'")
    found = weigh("history", "show", "--from", url, "--json")
    assert (found.code, found.json["entries"], found.codes) == (1, 30, {"R4.history", "R6.unknown"})
    # A password is in no output, whether it is needed or not.
    secret = url.replace("@localhost", ":geheim@localhost")
    told = weigh("history", "show", "--from", secret, "--html", "-")
    assert "geheim" not in told.out + told.err
