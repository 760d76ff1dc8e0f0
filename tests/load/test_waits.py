"""What sessions wait for: from one reading of the server's locks to what is reported of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from support.load_records import interval, record, run, spec, steady_times, target
from weigh.evidence import journal
from weigh.load.report.document import document
from weigh.load.report.report import page, plain
from weigh.load.results import load_results
from weigh.load.waits.analysis import LEAST_LOOKS, waited
from weigh.load.waits.model import Blocked, RunWaits, Waits, WaitSample
from weigh.load.waits.recording import LoadWaits
from weigh.load.waits.report import lines
from weigh.load.waits.session_sampling.blocking import HIDDEN, VACUUM, blocked
from weigh.load.waits.session_sampling.statement import without_literals
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.record import LoadRecord
    from weigh.load.results import LoadResults

UPDATE = "UPDATE hot SET n = n + $1 WHERE id = $2"
NAMES = {10: ("public.hot", "r"), 11: ("public.hot_pkey", "i"), 20: ("public.cold", "r"), 30: ("app.all", "p")}


@pytest.mark.promise("Statements are kept without their literals.")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("SELECT  *\n FROM t2 WHERE a1 = $1 -- why", "SELECT * FROM t2 WHERE a1 = $1"),
        (
            "UPDATE t SET n=n-1.5e3, \"Odd 7\" = 'it''s' /* a 'b' */ WHERE x='c'",
            'UPDATE t SET n=n-?, "Odd 7" = ? WHERE x=?',
        ),
        (r"SELECT E'a\'b', 'c', date'2020-01-01', 'd'", "SELECT ?, ?, date?, ?"),
        (r"SELECT 'it''s', 'c\', 'd', secret'", "SELECT ?, ?"),
        ("SELECT 0x1Fab, 0b_1, 12, t0 /* a /* b */ 'c' */ FROM x", "SELECT ?, ?, ?, t0"),
        ("DO $body$ x := 'secret' $body$; SELECT $$y$$, U&'z'", "DO ?; SELECT ?, ?"),
        ("ALTER ROLE ann PASSWORD 'cut o", "ALTER ROLE ann PASSWORD ?"),
        ("SELECT " + "a, " * 100, "SELECT " + "a, " * 51 + "..."),
    ],
)
def test_a_statement_keeps_its_names_and_loses_its_literals(text: str, shown: str) -> None:
    assert without_literals(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('SELECT "se\'cret", `a``1`, x FROM t # "why"', "SELECT ?, `a``1`, x FROM t"),
        ("UPDATE t SET a = 'it''s', b = 1.5 /*! 7 */ WHERE c = x'0f' -- d", "UPDATE t SET a = ?, b = ? WHERE c = ?"),
        (r"SELECT 'a\', b, 'secret'", "SELECT ?"),
        (r'SELECT "a\" b", secret', "SELECT ?"),
        ("SELECT _utf8mb4'a', 'cut o", "SELECT ?, ?"),
    ],
)
def test_so_does_one_of_mysql_whose_quotes_are_all_strings(text: str, shown: str) -> None:
    assert without_literals(text, mysql=True) == shown


def session(pid: int, query: str = UPDATE, *, ours: bool = True, **changed: Any) -> dict[str, Any]:
    usual = {"state": "active", "application_name": "weigh load" if ours else "psql", "backend_type": "client backend"}
    usual["wait_event_type"] = ""
    return {"pid": pid, "query": query, "ours": ours, "age": 1.0, **usual, **changed}


def lock(
    pid: int, locktype: str, relation: int | None = None, *, granted: bool = False, **changed: Any
) -> dict[str, Any]:
    usual = {
        "mode": "ShareLock" if locktype == "transactionid" else "ExclusiveLock",
        "waited": None if granted else 0.1,
    }
    return {"pid": pid, "locktype": locktype, "relation": relation, "granted": granted, **usual, **changed}


def found(
    locks: list[dict[str, Any]], blockers: dict[int, list[int]], sessions: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    waiting = [{"pid": pid, "blockers": whom} for pid, whom in blockers.items()]
    return blocked({"locks": locks, "blockers": waiting, "sessions": sessions}, NAMES)


def test_a_queue_for_a_row_has_one_root_and_a_table() -> None:
    """1 has changed the row; 2 waits for its end with the place in the queue, 3 for that place, 4 behind 3."""
    locks = [
        lock(2, "transactionid"),
        lock(2, "tuple", 10, granted=True),
        lock(3, "tuple", 10),
        lock(4, "tuple", 10, waited=-0.001),
    ]
    sessions = [session(1, "END"), session(2), session(3), session(4)]
    first, second, third = found(locks, {2: [1], 3: [2], 4: [2, 3]}, sessions)
    assert [(one["table"], one["told"], one["ahead"]) for one in (first, second, third)] == [
        ("public.hot", "row", 1), ("public.hot", "lock", 2), ("public.hot", "lock", 3),
    ]  # fmt: skip
    assert {(one["root"], one["root_state"], one["root_whose"]) for one in (first, second, third)} == {
        ("END", "active", "load")
    }
    assert third["longest_s"] == 0.0
    assert msgspec.convert({**first, "times": 1}, Blocked).lock == "transactionid"


@pytest.mark.promise("Where none of that decides, no table is named.")
@pytest.mark.parametrize(
    ("held", "query", "table"),
    [
        ((10, 11), UPDATE, ("public.hot", "held")),
        ((10, 20), UPDATE, ("public.hot", "statement")),
        ((10, 20), "UPDATE hot_spot SET n = $1 FROM other_cold", ("", "")),
        ((10, 20), "UPDATE hot SET n = 1 FROM cold", ("", "")),
        ((10, 30), UPDATE, ("public.hot", "held")),
        ((30,), UPDATE, ("app.all", "held")),
        ((99,), UPDATE, ("", "")),
    ],
)
def test_a_wait_for_a_transaction_names_a_table_only_where_it_can_be_no_other(
    held: tuple[int, ...], query: str, table: tuple[str, str]
) -> None:
    locks = [lock(2, "transactionid"), *(lock(2, "relation", one, granted=True) for one in held)]
    (one,) = found(locks, {2: [1]}, [session(1), session(2, query)])
    assert (one["table"], one["told"]) == table


def test_the_root_may_be_somebody_else_a_prepared_transaction_or_gone() -> None:
    waits, us = lock(2, "transactionid"), session(2)
    (hidden,) = found([waits], {2: [9]}, [us, session(9, HIDDEN, ours=False, state=None)])
    assert (hidden["root"], hidden["root_whose"], hidden["root_name"]) == ("", "other", "psql")
    (prepared,) = found([waits], {2: [0]}, [us])
    assert prepared["root_whose"] == "prepared"
    (gone,) = found([waits], {2: []}, [us])
    assert (gone["root_whose"], gone["ahead"]) == ("", 0)
    old, young = session(8, "VACUUM", ours=False, age=60.0), session(9, "END")
    (two,) = found([waits], {2: [9, 8]}, [us, old, young])
    assert two["root"] == "VACUUM"
    waiting = session(8, ours=False, age=90.0, wait_event_type="Lock")
    (two,) = found([waits], {2: [9, 8]}, [us, waiting, young])
    assert two["root"] == "END"
    vacuum = session(9, "autovacuum: VACUUM public.hot", ours=False, application_name="", backend_type=VACUUM)
    (own,) = found([waits], {2: [9]}, [us, vacuum])
    assert (own["root_whose"], own["root_name"]) == ("server", VACUUM)
    # A deadlock that is not found yet has no head; nor is it of interest that somebody else waits.
    assert found([waits, lock(3, "tuple", 10)], {2: [3], 3: [2]}, [us, session(3, ours=False)])[0]["root_whose"] == ""


def looks(number: int, active: dict[str, int], *, first: int = 0) -> Waits:
    seen = tuple(WaitSample(at=0.1 * (first + at), took_s=0.001, connections=8, active=active) for at in range(number))
    return Waits(looks=seen, query_s=0.01, cpu_s=0.002, server_cpu_s=0.003)


def kept(*parts: Waits) -> LoadRecord:
    whole = record(
        [run([interval(at, own) for at, own in enumerate(steady_times(60))])], spec(60), target(kind="postgres")
    )
    return msgspec.structs.replace(whole, waits=tuple(RunWaits(run=1, waits=one) for one in parts))


def test_a_share_is_of_the_active_samples_and_its_interval_that_of_a_ratio() -> None:
    """Looks that are independent: the textbook's standard error holds."""
    rng = np.random.default_rng(7)
    locked, computing = rng.binomial(8, 0.5, 400), rng.binomial(3, 0.5, 400)
    parts = [
        looks(1, {event: int(times) for event, times in (("Lock:tuple", a), ("CPU", b)) if times}, first=at)
        for at, (a, b) in enumerate(zip(locked, computing, strict=True))
    ]
    one = waited(kept(*parts).waits, 1, 0.0)
    assert one
    assert one.active == locked.sum() + computing.sum()
    lock_share, cpu = one.shares
    share = locked.sum() / one.active
    assert (lock_share.event, lock_share.share) == ("Lock:tuple", pytest.approx(share))
    residuals = computing - (1 - share) * (locked + computing)
    error = residuals.std() / np.sqrt(400) / (locked + computing).mean()
    assert cpu.low is not None
    assert cpu.high is not None
    assert cpu.high - cpu.low == pytest.approx(2 * 1.96 * error, rel=0.3)
    assert (cpu.low + cpu.high) / 2 == pytest.approx(1 - share, abs=error)
    assert (one.query_s, one.server_cpu_s) == (pytest.approx(4.0), pytest.approx(1.2))


@pytest.mark.promise("Fewer than 20 looks that met an active session give no share: *not resolved*.")
def test_few_looks_that_met_anybody_give_no_share() -> None:
    idle, busy = looks(500, {}), looks(LEAST_LOOKS - 1, {"CPU": 1}, first=500)
    one = waited(kept(idle, busy).waits, 1, 0.0)
    assert one
    assert (one.resolved, one.shares) == (False, ())
    assert "Not resolved by 19 active samples" in " ".join(plain(load_results(kept(idle, busy)), "x").split())
    enough = waited(kept(idle, busy, looks(1, {"CPU": 1}, first=600)).waits, 1, 0.0)
    assert enough
    assert enough.resolved


def test_the_warm_up_is_in_no_share_but_who_was_in_the_way_is_told() -> None:
    early = msgspec.structs.replace(
        looks(30, {"Lock:tuple": 5}),
        blocked=(Blocked(lock="tuple", mode="ExclusiveLock", table="public.hot", source="lock", root_whose="other",
                         root_name="psql", times=7, longest_s=2.0, ahead=3),),
    )  # fmt: skip
    one = waited(kept(early, looks(30, {"CPU": 1}, first=30)).waits, 1, 3.0)
    assert one
    assert [share.event for share in one.shares] == ["CPU"]
    assert one.lock
    assert (one.lock.samples, one.lock.of, one.waits) == (7, 7, 7)
    assert one.table
    assert (one.table.table, one.table.sources) == ("public.hot", {"lock": 7})


def test_it_is_in_all_three_reports_and_an_experiment_without_it_is_as_before() -> None:
    hot = Blocked(lock="transactionid", mode="ShareLock", table="public.<b>hot", source="row", statement=UPDATE,
                  root=UPDATE, root_state="idle in transaction", root_whose="load", times=40, longest_s=0.2,
                  ahead=3)  # fmt: skip
    other = Blocked(lock="transactionid", mode="ShareLock", root_whose="other", root_name="psql", times=2)
    part = msgspec.structs.replace(looks(40, {"Lock:transactionid": 4}), blocked=(hot, other), checkpoints=1)
    whole = load_results(kept(part))
    text = " ".join(plain(whole, "x").split())
    assert "100.0 % Lock:transactionid" in text
    assert (
        "Hottest lock: ShareLock on transactionid, of a row of public.<b>hot, 40 of 42 waits for a lock (95 %)" in text
    )
    assert f'Longest wait seen: 200 ms by "{UPDATE}"' in text
    assert "Meanwhile in the server: 1 checkpoint." in text
    assert "E4.blocker" in {one.code for one in whole.findings}
    made = document(whole, "x")["runs"][0]["waits"]
    assert made["table"] == {
        "lock": "", "mode": "", "table": "public.<b>hot", "told": {"row": 40}, "samples": 40, "of": 42,
    }  # fmt: skip
    assert "public.&lt;b&gt;hot" in page(whole, "x").decode()
    before = load_results(kept())
    assert "waits" not in document(before, "x")["runs"][0]
    assert "sessions waited" not in plain(before, "x") + page(before, "x").decode()


def blocker(**root: Any) -> LoadResults:
    wait = Blocked(lock="transactionid", mode="ShareLock", times=3, **root)
    return load_results(kept(msgspec.structs.replace(looks(40, {"CPU": 4}), blocked=(wait,))))


@pytest.mark.promise("A session there that does not belong to the load is a finding (`E4.blocker`).")
@pytest.mark.parametrize(
    ("root", "named"),
    [
        ({"root_whose": "prepared"}, "a prepared transaction"),
        ({"root_whose": "other"}, "a session without a name"),
        ({"root_whose": "other", "root_name": "psql"}, "psql"),
    ],
)
def test_a_load_in_whose_way_somebody_else_was_proves_nothing(root: dict[str, Any], named: str) -> None:
    whole = blocker(**root)
    (said,) = (one.text for one in whole.findings if one.code == "E4.blocker")
    assert f"somebody else ({named})" in said
    assert "E4.blocker" in {one.code for one in whole.tier.reasons}


@pytest.mark.promise("An autovacuum worker is the server's own work and is no finding.")
def test_the_servers_own_work_is_nobody_elses() -> None:
    whole = blocker(root_whose="server", root="autovacuum: VACUUM public.hot", root_name=VACUUM)
    assert "E4.blocker" not in {one.code for one in (*whole.findings, *whole.tier.reasons)}
    assert "a session of the server itself (autovacuum worker)" in " ".join(plain(whole, "x").split())


def test_a_run_that_nobody_looked_at_where_it_counts_says_so() -> None:
    one = waited(kept(looks(30, {"CPU": 1})).waits, 1, 100.0)
    assert one
    assert next(lines(one)) == "No look fell into the part of the run that counts."


class Failing:
    """A sampler that fails from a moment on."""

    def __init__(self, error: str = "") -> None:
        self._error = error
        self.asked = 0

    def begin(self) -> None:
        self.asked += 1
        if not self._error:
            raise EngineFault("too many clients already")

    def drain(self) -> Waits:
        self.asked += 1
        return Waits(error=self._error)

    end = drain


@pytest.mark.promise("A sampler that fails is reported once (`X.waits`) and ends no run.")
@pytest.mark.parametrize("error", ["", "terminating connection"])
def test_a_sampler_that_fails_is_said_once_and_not_asked_again(tmp_path: Path, error: str) -> None:
    sampler, kept_in = Failing(error), journal.Journal(tmp_path)
    waits = LoadWaits(sampler, kept_in, lambda: 5.0)
    for number in (1, 2):
        waits.begin(number)
        waits.keep()
        waits.end()
    kept_in.close()
    findings = [one.body for one in journal.read(tmp_path) if one.event == "finding"]
    assert [one["code"] for one in findings] == ["X.waits"]
    assert (error or "too many clients") in findings[0]["text"]
    assert sampler.asked == (2 if error else 1)


def test_switched_off_nobody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGH_SAMPLER", "no")
    sampler, kept_in = Failing(), journal.Journal(tmp_path)
    waits = LoadWaits(sampler, kept_in, lambda: 5.0)
    waits.begin(1)
    waits.end()
    assert sampler.asked == 0
