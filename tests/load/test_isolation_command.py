"""``weigh load isolation``: what each level of PostgreSQL and SQLite shows, kept, verified and compared."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import Weigh
from weigh.load.isolation.promises import promise
from weigh.load.isolation.record import Moment
from weigh.load.isolation.words import sql

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run

CLOSED = ("--closed", "--contention", "100%", "--quiet", "--json")
LEVELS = ("read-committed", "repeatable-read", "serializable")
MAY: dict[str, set[str]] = {
    "read-committed": {
        "lost-update", "non-repeatable-read", "phantom", "G-single", "G-nonadjacent", "long-fork", "write-skew",
        "G2-item", "G-single-realtime", "G-nonadjacent-realtime",
    },
    "repeatable-read": {"write-skew", "G2-item"},
    "serializable": set(),
}  # fmt: skip


def isolated(weigh: Weigh, target: str, *flags: str, connections: int = 16, duration: str = "2s") -> Run:
    size = ("--connections", str(connections), "--duration", duration)
    return weigh("load", "isolation", "--target", target, *size, *CLOSED, *flags, timeout=1200)


def found(run: Run, number: int = 0) -> dict[str, Any]:
    one: dict[str, Any] = run.json["runs"][number]["isolation"]
    return one


def names(one: dict[str, Any]) -> set[str]:
    return {each["name"] for each in (*one["violations"], *one["allowed"])}


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """PostgreSQL at read committed."""
    return isolated(Weigh(tmp_path_factory.mktemp("isolation")), "postgres:embedded", "--isolation", "read-committed")


def test_read_committed_shows_what_it_allows_and_nothing_else(committed: Run) -> None:
    one = found(committed)
    assert names(one) <= MAY["read-committed"], one["violations"]
    assert names(one) >= {"lost-update", "non-repeatable-read", "phantom"}
    assert one["outcome"] == "not seen" and one["declared"] == "read-committed"
    # Of those that read.
    assert set(one["named"]) == {"read-committed"} and one["named"]["read-committed"] > one["committed"] / 2
    assert committed.code == 0 and "L12.allowed" in committed.codes and not committed.codes & {"L12.violated"}
    assert one["bound"] == pytest.approx(3 / one["committed"])


@pytest.mark.promise("history-1.jsonl.gz")
def test_what_is_kept_is_in_the_form_of_elle(committed: Run) -> None:
    with gzip.open(committed.evidence / "history-1.jsonl.gz", "rt") as file:
        lines = [json.loads(line) for line in file]
    ends = [one for one in lines if one["type"] != "invoke"]
    assert len(lines) == 2 * len(ends) and all(one["f"] == "txn" for one in lines)
    assert [one["index"] for one in lines] == list(range(len(lines)))
    assert sum(one["type"] == "ok" for one in ends) == found(committed)["committed"]
    assert {word for one in ends for word, *_ in one["value"]} == {"append", "r", "w", "get"}


@pytest.mark.promise("weigh verify` checks the kept history")
def test_a_history_that_was_changed_does_not_verify(committed: Run, tmp_path: Path) -> None:
    weigh = Weigh(committed.folder)
    assert weigh("verify", str(committed.evidence)).code == 0
    path = committed.evidence / "history-1.jsonl.gz"
    whole = path.read_bytes()
    lines = gzip.decompress(whole).decode().splitlines(keepends=True)
    ends = [place for place, line in enumerate(lines) if '"type":"ok"' in line and '["append"' in line]
    lines[ends[0]] = lines[ends[0]].replace('"type":"ok"', '"type":"fail"')
    try:
        path.write_bytes(gzip.compress("".join(lines).encode()))
        done = weigh("verify", str(committed.evidence))
        assert done.code == 1 and "does not show what the journal says" in done.out + done.err
    finally:
        path.write_bytes(whole)


def test_the_report_shows_a_cycle_with_its_statements_and_a_picture(committed: Run) -> None:
    text = (committed.evidence / "report.txt").read_text()
    assert "No violation of read-committed was observed in" in text
    assert "lost-update, for example: A (transaction" in text and "So each comes before the next" in text
    page = (committed.evidence / "report.html").read_text()
    assert "A cycle of 2 transactions. A before B: rw on" in page and "INSERT INTO weigh_isolation" in page


@pytest.mark.parametrize(
    ("kind", "form"),
    [("postgres", "ON CONFLICT (k) DO UPDATE"), ("sqlite", "ON CONFLICT (k)"), ("mysql", "ON DUPLICATE KEY UPDATE")],
)
def test_statements_of_an_example_are_those_that_the_server_was_sent(kind: str, form: str) -> None:
    text = sql(Moment(kind="append", key=3, value=7), kind)
    assert text.startswith(f"INSERT INTO weigh_isolation (k, v) VALUES (3, '7') {form}")
    assert sql(Moment(kind="write", key=3, value=7), kind).endswith(("= excluded.v", "= values(v)"))


@pytest.mark.parametrize("level", ["repeatable-read", pytest.param("serializable", marks=pytest.mark.long)])
def test_stronger_levels_show_what_they_allow_alone(tmp_path: Path, level: str) -> None:
    run = isolated(Weigh(tmp_path), "postgres:embedded", "--isolation", level, duration="3s")
    one = found(run)
    assert one["outcome"] == "not seen", one["violations"]
    assert names(one) <= MAY[level]
    # Which of them, two transactions or more in a cycle, is chance.
    assert bool(names(one)) == bool(MAY[level])
    assert set(one["named"]) == {level} and one["retries"] > 0


@pytest.mark.long
@pytest.mark.promise("PostgreSQL 18 | serializable | | any")
def test_a_million_transactions_at_serializable_show_nothing(tmp_path: Path) -> None:
    weigh, many = Weigh(tmp_path), 0
    for seed in range(1, 200):
        flags = ("--isolation", "serializable", "--seed", str(seed))
        run = isolated(weigh, "postgres:embedded", *flags, connections=8, duration="120s")
        one = found(run)
        assert not names(one), one
        many += one["committed"]
        if many >= 1_000_000:
            return
    pytest.fail(f"{many:,} transactions")


@pytest.mark.promise("SQLite 3 | serializable | | any")
def test_sqlite_shows_nothing(tmp_path: Path) -> None:
    run = isolated(Weigh(tmp_path), "sqlite:embedded", connections=4, duration="1s")
    one = found(run)
    assert (one["outcome"], one["declared"], names(one)) == ("not seen", "serializable", set())
    assert one["committed"] > 20


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("isolation", "--isolation", "snapshot"), "no isolation level 'snapshot'"),
        (("ycsb-a", "--isolation", "serializable"), "--isolation is of the workload isolation"),
        (("isolation", "--records", "5"), "--records do not go together"),
        (("isolation", "ycsb-a"), "leave 'ycsb-a' out"),
        (("isolation", "--nemesis", "pause,kill"), "a history ends with the life of its server"),
        (("isolation", "--nemesis", "full-disk"), "a history ends with the life of its server"),
    ],
)
def test_what_cannot_be_is_said_before_anything_begins(tmp_path: Path, arguments: tuple[str, ...], word: str) -> None:
    run = Weigh(tmp_path)("load", *arguments, "--target", "postgres:embedded", "--closed")
    assert run.code == 2 and word in run.err
    assert not (tmp_path / "runs").exists()


def test_a_store_without_transactions_is_refused(tmp_path: Path) -> None:
    run = Weigh(tmp_path)("load", "isolation", "--target", "valkey:embedded", "--closed")
    assert run.code == 2 and "transactions of several statements" in run.err


@pytest.mark.long
@pytest.mark.promise("are not ranked\n(`L12.unequal`)")
def test_servers_at_different_levels_are_not_ranked(tmp_path: Path) -> None:
    settings = "postgres:embedded?default_transaction_isolation"
    contenders = ("--contender", f"a={settings}=serializable", "--contender", "b=postgres:embedded", "--no-twice")
    flags = ("--rate", "200", "--duration", "2s", "--connections", "4", "--blocks", "5", "--contention", "100%")
    run = Weigh(tmp_path)("load", "isolation", *contenders, *flags, "--quiet", "--json", timeout=600)
    assert {why["code"] for one in run.json["verdicts"] for why in one["reasons"]} >= {"L12.unequal"}
    assert {one["verdict"] for one in run.json["verdicts"]} <= {"REFUSED", "UNRANKED"}


def test_every_level_forbids_what_weaker_ones_do() -> None:
    servers = (("postgres", "PostgreSQL"), ("postgres", "another"), ("mysql", "MariaDB"), ("mysql", "MySQL"))
    for kind, product in (*servers, ("mysql", "another")):
        before: set[str] = set()
        for level in ("read-uncommitted", *LEVELS):
            known = promise(kind, product, level)
            assert known and before <= set(known.forbids)
            before = set(known.forbids)


def test_innodb_may_lose_updates_at_repeatable_read_and_nowhere_above() -> None:
    for product in ("MariaDB", "MySQL", "another"):
        known = promise("mysql", product, "repeatable-read")
        assert known and not {"lost-update", "G-single", "write-skew"} & set(known.forbids)
        above = promise("mysql", product, "serializable")
        assert above and {"lost-update", "G-single", "write-skew"} <= set(above.forbids)
