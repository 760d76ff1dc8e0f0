"""Crashes under load: what they say, by made records; and how the servers of weigh's own are killed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.load_records import EACH, interval, record, run, spec, steady_times, target
from weigh.engines.prepared import cache_folder
from weigh.load.durability import probe, report
from weigh.load.durability.config import crashes
from weigh.load.durability.record import Account, Crash
from weigh.load.durability.results import durability
from weigh.load.report.first_screen import screen
from weigh.load.results import load_results
from weigh.load.session import disk, power
from weigh.load.spec import Crashes, LoadSpec
from weigh.load.target.registry import target as find
from weigh.model.data.storage import Device, Place
from weigh.model.errors import EnvironmentFault, ExitCode, UsageError
from weigh.statistics.binomial import clopper_pearson

if TYPE_CHECKING:
    from support.command import Weigh
    from weigh.load.record import LoadRecord

BEFORE, DOWN, AFTER = 50, 5, 20
"""Intervals of a run before its crash, without an answer, and after it."""
AT, BACK = BEFORE * EACH, (BEFORE + DOWN) * EACH


def account(**changed: Any) -> Account:
    """A server that has kept everything."""
    usual = {
        "unit": "writes", "rows": 100, "acknowledged": 50, "lost": 0, "unanswered": 4, "found": 1, "missing": 0,
        "torn": 0, "strange": 0,
    }  # fmt: skip
    return Account(**{**usual, **changed})


def crash(number: int = 1, what: Account | None = None, **changed: Any) -> Crash:
    """One that the server was back from at once."""
    usual = {
        "run": number, "at": AT, "killed_at": AT, "started_at": AT + 0.1, "answered_at": BACK - 0.2,
        "released_at": BACK, "account": what or account(),
    }  # fmt: skip
    return Crash(**{**usual, **changed})


def crashed(*crashes: Crash, slow: int = 5, late: float = 5e-6, where: Any = None, **asked: Any) -> LoadRecord:
    """A record with a run for each crash, after which so many intervals are slow; requests leave late by so much."""
    times = steady_times(BEFORE + DOWN + AFTER)
    runs = []
    for one in crashes:
        made = []
        for at, own in enumerate(times):
            down = BEFORE <= at < BEFORE + DOWN
            after = BEFORE + DOWN <= at < BEFORE + DOWN + slow
            times_of = [] if down else own + (0.5 if after else 0.0)
            made.append(interval(at, times_of, late=late, errors={"lost": 4} if down else None))
        runs.append(run(made, number=one.run, unsent=7))
    length = BEFORE + DOWN + AFTER
    made_of = record(runs, spec(length, crash=Crashes(number=len(crashes)), repeats=len(crashes), **asked), where)
    return msgspec.structs.replace(made_of, crashes=crashes)


@pytest.mark.promise("its figures are those of the part before its crash")
def test_a_run_counts_until_its_crash() -> None:
    results = load_results(crashed(crash()))
    (found,) = results.runs
    assert found.whole.count == BEFORE * 100
    assert not found.reasons
    assert found.unsent == 0
    assert found.whole.failed == 0
    assert not {one.code for one in results.findings} & {"L7.failed", "L7.unsent", "L7.reconnects", "E7.lost"}
    assert results.exit_code() is ExitCode.OK


def test_recovery_is_until_the_first_answer_and_until_the_p99_is_back() -> None:
    found = load_results(crashed(crash(), crash(2), slow=5)).durability
    assert found is not None
    (first, _) = found.crashes
    assert first.recovery.down_s == pytest.approx(BACK - 0.2 - AT - 0.1)
    assert first.recovery.resolved
    # Five slow intervals; a window of two of them has the answers that it needs.
    assert first.recovery.back_s == pytest.approx(5 * EACH)
    never = load_results(crashed(crash(), slow=AFTER)).durability
    assert never is not None
    assert never.crashes[0].recovery.back_s is None
    assert "not after 1 crash, watched for 2.00 s" in " ".join(report.lines(never))


def test_a_server_that_has_forgotten_its_rows_is_not_called_quick() -> None:
    gone = crashed(crash(what=account(missing=100)), slow=0)
    (made,) = gone.runs
    last = made.intervals[-1]
    misses = msgspec.structs.replace(last, operations=(msgspec.structs.replace(last.operations[0], missing=3),))
    gone = msgspec.structs.replace(
        gone, runs=(msgspec.structs.replace(made, intervals=(*made.intervals[:-1], misses)),)
    )
    found = load_results(gone).durability
    assert found is not None
    assert found.crashes[0].recovery.back_s is None


def test_a_loss_of_power_is_named_and_what_it_does_not_show() -> None:
    made = crashed(crash())
    changed = msgspec.structs.replace(made.spec, crash=Crashes(number=1, power_loss=True))
    lost = msgspec.structs.replace(made, spec=changed)
    killed, found = load_results(made).durability, load_results(lost).durability
    assert killed and found and (killed.by, found.by) == ("kill -9", "kill -9 and a loss of its disk's power")
    assert any(one.startswith("a loss of power") for one in killed.limitations)
    assert [one.partition(".")[0] for one in found.limitations] == ["what a real device keeps"]


def test_refused_times_are_told_from_what_was_kept() -> None:
    made, late = crashed(crash()), crashed(crash(), late=0.5)
    sentence = "Only the times are refused: what was kept was counted, not timed."
    for record_, refused in ((made, False), (late, True)):
        results = load_results(record_)
        assert (results.refused, sentence in screen(results, "runs/x").says) == (refused, refused)
    lost = msgspec.structs.replace(late, crashes=(crash(what=account(lost=1)),))
    assert sentence not in screen(load_results(lost), "runs/x").says


def test_what_is_lost_is_counted_and_a_few_examples_are_quoted() -> None:
    texts = tuple(f"user{number} is gone" for number in range(20))
    found = durability(
        [crash(number, account(missing=20, messages=texts)) for number in range(1, 21)], (), {}, None, ()
    )
    assert found is not None and found.total is not None
    assert (found.total.missing, found.total.messages) == (400, texts[:3])
    assert {one.account.messages for one in found.crashes if one.account} == {texts[:3]}


@pytest.mark.promise("0 of 20 crashes that lose anything leave room for 13.9 % of such crashes")
def test_no_loss_in_some_crashes_is_no_proof() -> None:
    assert clopper_pearson(0, 20, 0.95)[1] == pytest.approx(0.139, abs=0.0005)
    low, high = clopper_pearson(3, 20, 0.95)
    # As of R: binom.test(3, 20)$conf.int.
    assert (low, high) == (pytest.approx(0.03207094), pytest.approx(0.37892683))
    assert clopper_pearson(20, 20, 0.95) == (pytest.approx(0.05 ** (1 / 20)), 1.0)
    found = durability([crash(number) for number in range(1, 21)], (), {}, None, ())
    assert found is not None
    text = " ".join(report.lines(found))
    assert "Nothing that was acknowledged was lost in 20 crashes" in text
    assert "fewer than 13.9 % of such crashes lose any" in text


@pytest.mark.parametrize(
    ("what", "code", "text"),
    [
        ({"lost": 7, "messages": ("user1 has lost version 3",)}, "E7.lost", "7 of 100 acknowledged writes were lost"),
        ({"missing": 2}, "E7.lost", "2 rows were gone"),
        ({"torn": 1}, "E7.torn", "1 row held what no write wrote"),
        ({"strange": 1}, "E7.torn", "1 were there that nobody wrote"),
    ],
)
def test_what_is_not_as_it_was_acknowledged_is_an_error(what: dict[str, Any], code: str, text: str) -> None:
    results = load_results(crashed(crash(), crash(2, account(**what))))
    (said,) = [one for one in results.findings if one.code.startswith("E7")]
    assert (said.code, said.severity) == (code, "error")
    assert text in said.text
    assert "in 1 of 2 crashes" in said.text
    assert results.exit_code() is ExitCode.FOUND
    assert results.record.durable is (code != "E7.lost")
    assert "NOT DURABLE: 1 of 2 crashes" in " ".join(report.lines(results.durability or pytest.fail()))


def test_what_was_sent_and_never_answered_may_be_there_or_not() -> None:
    results = load_results(
        crashed(crash(what=account(unanswered=9, found=9)), crash(2, account(unanswered=9, found=0)))
    )
    assert not {one.code for one in results.findings if one.code.startswith("E7")}


def test_scripts_of_ones_own_have_recovery_and_no_count() -> None:
    results = load_results(crashed(crash(account=None)))
    (said,) = [one for one in results.findings if one.code.startswith("E7")]
    assert (said.code, said.severity) == ("E7.not_counted", "note")
    assert results.durability
    assert results.durability.total is None
    assert results.durability.down_s


def test_a_server_that_does_not_come_back_is_an_error() -> None:
    dead = crash(account=None, answered_at=None, released_at=None, failed="it does not start: corrupted log")
    results = load_results(crashed(dead))
    assert {"E7.not_back"} == {one.code for one in results.findings if one.code.startswith("E7")}
    assert results.exit_code() is ExitCode.FOUND


LAX = [
    "fsync is off: nothing is forced to the disk",
    "synchronous_commit is off: a commit is acknowledged before it is on the disk",
    "appendonly is off: what was written since the last snapshot is lost with the process",
    "no-appendfsync-on-rewrite is on: while the log is rewritten nothing is forced to the disk",
]


@pytest.mark.promise("called not durable by its settings, whether or not a crash showed it")
@pytest.mark.parametrize(("lax", "lost"), [*((one, 0) for one in LAX), (LAX[1], 5)])
def test_settings_count_whatever_a_crash_shows(lax: str, lost: int) -> None:
    where = target(durable=False, undurable=(lax,))
    results = load_results(crashed(crash(what=account(lost=lost)), where=where))
    assert results.record.durable is False
    codes = {one.code for one in results.findings if one.code.startswith("E7")}
    assert codes == {"E7.not_durable", "E7.lost"} if lost else {"E7.not_durable"}
    text = " ".join(report.lines(results.durability or pytest.fail()))
    assert lax in text
    assert ("though these crashes show nothing of it" in text) is not lost


@pytest.mark.promise("kill -9 proves nothing of a loss of power")
@pytest.mark.parametrize(
    ("cache", "words"),
    [
        ("write back", "vda: write back, which is volatile"),
        ("write through", "vda: write through, so it keeps what it was given"),
        (msgspec.UNSET, "is not told"),
    ],
)
def test_what_is_not_shown_is_said_with_the_cache_of_the_device(cache: Any, words: str) -> None:
    made = crashed(crash())
    assert made.environment
    place = Place(
        use="data",
        path="/x",
        kind="virtio",
        filesystem="ext4",
        devices=(Device(name="vda", kind="virtio", write_cache=cache),),
    )
    made = msgspec.structs.replace(made, environment=msgspec.structs.replace(made.environment, storage=place))
    found = load_results(made).durability
    assert found
    assert "loss of power" in found.limitations[0]
    assert words in found.limitations[1]


def test_moments_are_of_the_seed_and_leave_a_before_and_an_after() -> None:
    asked = spec(100, crash=Crashes(number=500))
    moments = [probe.moment(asked, number) / asked.duration_s for number in range(1, 501)]
    assert all(0.3 <= one <= 0.6 for one in moments)
    assert min(moments) < 0.33
    assert max(moments) > 0.57
    assert [probe.moment(asked, number) / asked.duration_s for number in range(1, 501)] == moments
    other = msgspec.structs.replace(asked, seed=43)
    assert probe.moment(other, 1) != probe.moment(asked, 1)


def test_crashes_are_part_of_the_experiment_and_nothing_is_without_them() -> None:
    plain = spec(100)
    assert b"crash" not in msgspec.json.encode(plain)
    assert plain.id != msgspec.structs.replace(plain, crash=Crashes(number=2)).id
    assert msgspec.json.decode(msgspec.json.encode(spec(100, crash=Crashes(number=2))), type=LoadSpec).crash == Crashes(
        number=2
    )


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--target", "sqlite:embedded", "--crash", "2"), "SQLite runs inside weigh"),
        (("--target", "redis://127.0.0.1:1", "--crash", "2", "--kill-command", "true"), "needs --start-command"),
        (("--target", "valkey:embedded", "--kill-command", "true"), "are for crashes"),
        (("--target", "valkey:embedded", "--crash", "2", "--start-command", "true"), "a server of its own by itself"),
        (("--target", "valkey:embedded", "--crash", "0"), "--crash 0 cannot be"),
        (("--target", "valkey:embedded", "--crash", "2", "--repeats", "3"), "leave --repeats out"),
        (("--target", "valkey:embedded", "--crash", "2", "--connections", "1,2"), "one kind of run"),
        (("--target", "valkey:embedded", "--crash", "2", "--arrivals", "ramp:20"), "a ramp goes on"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_done(weigh: Weigh, flags: tuple[str, ...], words: str) -> None:
    found = weigh("load", "ycsb-a", "--rate", "10", *flags)
    assert found.code == 2
    assert words in " ".join(found.err.split())
    assert not list(weigh.folder.glob("runs/*"))


@pytest.mark.promise("weigh cannot kill a server that it has not started")
def test_whom_weigh_cannot_kill() -> None:
    with pytest.raises(UsageError, match="nor start it again"):
        crashes({"crash": 1}, "redis://there", 1)
    with pytest.raises(UsageError, match="by itself"):
        crashes({"crash": 1, "kill_command": "x", "start_command": "y"}, "valkey:embedded", 1)
    made = crashes({"crash": 1, "kill_command": "x", "start_command": "y"}, "redis://there", 1)
    assert made == Crashes(number=1, kill="x", start="y")


@pytest.mark.long
@pytest.mark.parametrize("name", ["postgres:embedded", "valkey:embedded"])
def test_every_process_of_a_server_is_killed_and_it_comes_back_on_its_data(name: str) -> None:
    with find(name).reach(cache_folder(), 2) as reached:
        assert reached.crash
        assert reached.restart
        assert reached.process
        assert reached.data
        children = _family(reached.process)
        reached.crash()
        assert not any(map(_alive, [reached.process, *children]))
        reached.restart()
        assert reached.again
        assert reached.again().version == reached.read.version


def test_a_disk_that_takes_too_long_is_no_internal_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = tmp_path / "mkfs.ext4"
    command.write_text("#!/bin/sh\nexec sleep 5\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(disk, "_PATIENCE", 0.05)
    with pytest.raises(EnvironmentFault, match=r"cannot be made: mkfs.ext4 took longer than 50.0 ms") as caught:
        disk.make(tmp_path / "image", tmp_path / "mount", leave_out="--power-loss")
    assert caught.value.remedy.endswith("or leave --power-loss out")
    monkeypatch.setattr(power, "_PATIENCE", 0.05)
    with pytest.raises(EnvironmentFault, match="not there again: sleep took longer"):
        power._ran("sleep", "5")


def _family(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
