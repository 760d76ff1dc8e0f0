"""MySQL and MariaDB as targets: what their settings promise, queries in their SQL, and a MariaDB that weigh starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from weigh.engines.prepared import cache_folder
from weigh.load.target.mysql.durability import undurable
from weigh.load.target.registry import target
from weigh.load.target.url import parse
from weigh.load.tpcc import conditions, read_back
from weigh.load.tpcc.mysql import in_mysql
from weigh.model.errors import UsageError

DURABLE = {
    "innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON", "log_bin": "OFF", "sync_binlog": "0",
    "innodb_flush_method": "O_DIRECT",
}  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({}, ""),
        ({"innodb_flush_log_at_trx_commit": "2"}, "a crash of the server alone loses nothing"),
        ({"innodb_flush_log_at_trx_commit": "0"}, "takes the last second"),
        ({"innodb_doublewrite": "OFF"}, "torn"),
        ({"log_bin": "ON"}, "sync_binlog is 0"),
        ({"innodb_flush_method": "nosync"}, "nothing is forced"),
    ],
)
def test_what_may_lose_an_acknowledged_write_is_named(settings: dict[str, str], word: str) -> None:
    found = undurable({**DURABLE, **settings})
    assert len(found) == bool(word)
    assert all(word in one for one in found)


def test_a_url_names_its_user_and_hides_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    url = parse("mariadb://ann:hunter2@db/shop?sslmode=require")
    assert (url.kind, url.port, url.user, url.database, url.tls.mode) == ("mysql", 3306, "ann", "shop", "require")
    assert "hunter2" not in url.text
    monkeypatch.setenv("MYSQL_PWD", "other")
    assert parse("mysql://ann@db").password == "other"


def test_a_folder_is_needed_and_must_hold_a_server(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder is not named"):
        target("mariadb:embedded")
    with (
        pytest.raises(UsageError, match="has no mariadbd"),
        target(f"mariadb:embedded@{tmp_path}").reach(cache_folder(), 1),
    ):
        pass


def test_conditions_have_no_form_that_only_postgresql_knows() -> None:
    asked = [*conditions.required(1, after=False), conditions.cardinality(1)]
    for query in [*(one.sql for one in asked), *read_back.queries("weigh_tpcc")]:
        text = in_mysql(query)
        for form in ("::", "FILTER", "IS DISTINCT", "format(", " / ", "AS lines"):
            assert form not in text, text
        assert text.count("(") == text.count(")")
    assert in_mysql("SELECT format('a %s, b %s', x::text, coalesce(y, 'z')) FROM t WHERE x IS DISTINCT FROM y - 1") == (
        "SELECT concat('a ', coalesce(x, ''), ', b ', coalesce(coalesce(y, 'z'), ''), '') FROM t "
        "WHERE NOT (x <=> y - 1)"
    )


def test_a_server_of_a_folder_is_durable_and_its_settings_are_read_back() -> None:
    if not any(Path("/usr", place, "mariadbd").exists() for place in ("sbin", "bin")):
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    with target("mariadb:embedded@/usr?sync_binlog=7").reach(cache_folder(), 4) as reached:
        assert (reached.read.product, reached.read.durable) == ("MariaDB", True)
        assert reached.read.in_force["sync_binlog"]["value"] == "7"
        assert reached.ready is not None
        assert reached.ready(loaded=True).written_out
        assert reached.rows is not None
        assert reached.rows(lambda _: True) == {}
