"""A history in a table of PostgreSQL, by URL: several machines can add to it without a shared disk."""

from __future__ import annotations

from pathlib import Path

from weigh.engines.postgres import PSYCOPG
from weigh.history.remote.database import Database, DatabaseHistory
from weigh.load.target import url as urls
from weigh.load.target.postgres import psycopg_connect
from weigh.load.target.secrecy import hide

POSTGRES = Database(
    title="PostgreSQL",
    program=Path(__file__).parent / "postgres_program.py",
    requires=PSYCOPG,
    remedies={
        "42501": "let an administrator GRANT CREATE ON SCHEMA public, or SELECT and INSERT on weigh_history, "
        "to this user",
        "42703": "there is a table weigh_history that weigh did not make: name another database",
        "28P01": "check the user and the password",
        "3D000": "check the name of the database",
    },
    otherwise="see whether it runs there",
)


def history(text: str) -> DatabaseHistory:
    """The history of a URL; the password is hidden from the list of processes.

    Raises:
        UsageError: it is no URL of a server.
    """
    url = urls.parse(text)
    if url.inline:
        hide(text, url.text)
    return DatabaseHistory(url.text, POSTGRES, psycopg_connect(url))
