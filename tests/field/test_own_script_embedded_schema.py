"""field/own-script-embedded-schema: a file of SQL makes the data of an embedded server for one's own scripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import RAN

if TYPE_CHECKING:
    from support.command import Weigh

HERE = Path(__file__).parent / "own-script-embedded-schema"
DEBIAN = Path("/usr/lib/postgresql/15")
"""Where Debian 12 puts it."""
LOOK = str(HERE / "look.sql")
SHORT = ("--rate", "50", "--duration", "200ms", "--warmup", "0s", "--connections", "2", "--quiet", "--json")
DUMP = r"""
\restrict abc
-- a comment; with a semicolon
SET search_path = '';
CREATE FUNCTION public.twice(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 2 * a; END; $$;
CREATE TABLE public.orders (id int, total int);
COPY public.orders (id, total) FROM stdin;
1	10
2	\N
\.
INSERT INTO public.orders SELECT g, public.twice(g) FROM generate_series(3, 1000) g;
CREATE TABLE public.later (note text);
COPY public.later FROM stdin;
it's; here
\.
VACUUM public.orders;
ALTER TABLE public.orders ADD PRIMARY KEY (id);
"""
OF_ITS_SERVER = (
    "SET no_such_timeout = 0", "DROP DATABASE shop", "ALTER TABLE public.orders OWNER TO shop_owner",
    "GRANT SELECT ON TABLE public.orders TO reader", "CREATE EXTENSION IF NOT EXISTS no_such_extension",
    "COMMENT ON EXTENSION no_such_extension IS 'text'",
)  # fmt: skip


@pytest.mark.parametrize("target", ["postgres:embedded", "sqlite:embedded"])
def test_one_server_gets_its_data(weigh: Weigh, target: str) -> None:
    schema = HERE / "schema.sql"
    if target.startswith("sqlite"):
        schema = weigh.folder / "schema.sql"
        schema.write_text(
            "CREATE TABLE orders(id INTEGER PRIMARY KEY, total int);\n"
            "CREATE TRIGGER one AFTER INSERT ON orders BEGIN SELECT 1; SELECT 2; END;\n"
            "WITH RECURSIVE n(g) AS (SELECT 1 UNION ALL SELECT g + 1 FROM n WHERE g < 1000) "
            "INSERT INTO orders SELECT g, g FROM n;\n"
        )
    run = weigh("load", LOOK, "--target", target, "--prepare", str(schema), *SHORT, "--repeats", "2")
    assert run.code in RAN, run.err
    assert [one["errors"] for one in run.json["operations"]] == [{}]


def test_every_life_of_every_contender_gets_its_data(weigh: Weigh) -> None:
    (weigh.folder / "dump.sql").write_text(DUMP)
    two = ("--contender", "a=postgres:embedded", "--contender", "b=postgres:embedded?jit=off", "--no-twice")
    # The life that loads is none of a block: one block has another one of each.
    run = weigh("load", LOOK, *two, "--prepare", "dump.sql", *SHORT, "--blocks", "1")
    assert run.code in RAN, run.err
    assert [(one["arm"], one["life"], one["errors"]) for one in run.json["runs"]] == [("a", 1, 0), ("b", 1, 0)]


@pytest.mark.long
def test_what_a_dump_says_of_its_own_server_is_left_out_and_counted(weigh: Weigh) -> None:
    text = DUMP + "".join(f"{one};\n" for one in OF_ITS_SERVER)
    (weigh.folder / "dump.sql").write_text("\\connect shop\n" + text)
    run = weigh("load", LOOK, "--target", "postgres:embedded", "--prepare", "dump.sql", *SHORT[:-1])
    assert run.code in RAN, run.err
    assert "Left out of the file that made the data: 6 statements" in " ".join(run.out.split())
    (weigh.folder / "bad.sql").write_text(text + "CREATE TABLE public.u (i no_such_type);\n")
    run = weigh("load", LOOK, "--target", "postgres:embedded", "--prepare", "bad.sql", *SHORT)
    assert run.code == 2
    assert 'type "no_such_type" does not exist' in run.err
    assert "left out before, of 6: SET no_such_timeout = 0" in run.err


@pytest.mark.parametrize(
    ("content", "remedy"), [(b"PGDMP\x01", "pg_restore -f"), (b"\x1f\x8b\x08", "gunzip"), (b"\xff;", "UTF8")]
)
def test_a_file_of_another_form_has_its_remedy(weigh: Weigh, content: bytes, remedy: str) -> None:
    (weigh.folder / "dump.sql").write_bytes(content)
    run = weigh("load", LOOK, "--target", "postgres:embedded", "--prepare", "dump.sql", *SHORT)
    assert run.code == 2
    assert remedy in run.err


@pytest.mark.long
@pytest.mark.skipif(not DEBIAN.exists(), reason=f"there is no {DEBIAN}: apt-get install postgresql-15")
def test_postgres_of_the_distribution_is_started(weigh: Weigh) -> None:
    (weigh.folder / "dump.sql").write_text(DUMP)
    run = weigh("load", LOOK, "--target", f"postgres:embedded@{DEBIAN}", "--prepare", "dump.sql", *SHORT)
    assert run.code in RAN, run.err
    assert run.json["load"]["product"].startswith("PostgreSQL 15")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CREATE TABLE a (i int);\nCREATE TALBE b ();", "script bad.sql, line 2: 'CREATE TALBE b ()': syntax error"),
        pytest.param(
            "CREATE TABLE a (i int);\nCOPY a FROM stdin;\nx\n\\.\n", "script bad.sql, line 2", marks=pytest.mark.long
        ),
        pytest.param("SELECT 1;\n\\i other.sql\n", "script bad.sql, line 2", marks=pytest.mark.long),
        ("SELECT 'open;\n", "script bad.sql, line 1"),
    ],
)
def test_the_servers_own_error_comes_first(weigh: Weigh, text: str, words: str) -> None:
    (weigh.folder / "bad.sql").write_text(text)
    run = weigh("load", LOOK, "--target", "postgres:embedded", "--prepare", "bad.sql", *SHORT)
    assert run.code not in RAN
    assert words in run.err


def test_what_needs_no_data_or_has_a_server_of_its_own_is_refused(weigh: Weigh) -> None:
    prepare = ("--prepare", str(HERE / "schema.sql"), "--rate", "50")
    built_in = weigh("load", "select-only", "--target", "postgres:embedded", *prepare)
    assert built_in.code == 2
    assert "weigh makes that of select-only itself" in built_in.err
    by_url = weigh("load", LOOK, "--target", "postgres://nobody@localhost/x", *prepare)
    assert by_url.code == 2
    command = f"psql -v ON_ERROR_STOP=1 -f {HERE / 'schema.sql'} postgres://nobody@localhost/x"
    assert command in " ".join(by_url.err.split())
