"""Several servers under one load, on the command line: blocks of fresh lives, equal rows, duets, weigh.toml."""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN, Run, Weigh
from support.load_records import spec
from support.waiting import eventually
from weigh.cli.load.comparison import contenders, from_file, no_comparison, one_at_a_time
from weigh.cli.load.load import load as command
from weigh.cli.main import cli
from weigh.engines.prepared import cache_folder
from weigh.load import config as load_config
from weigh.load.comparison import config
from weigh.load.comparison import record as records
from weigh.load.target.valkey.target import EmbeddedValkey
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ("--records", "200", "--connections", "2", "--duration", "500ms", "--rate", "50", "--quiet")
ENDED = (*RAN, 1)
"""Exit codes of a comparison that was made, whatever its verdicts are."""


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two servers that differ in a setting, an open and a closed loop."""
    weigh = Weigh(tmp_path_factory.mktemp("compared"))
    servers = ("--contender", "a=valkey:embedded", "--contender", "b=valkey:embedded?io-threads=2")
    return weigh("load", "ycsb-a", *servers, "--blocks", "1", "--both", *SMALL, "--json")


def test_blocks_are_fresh_lives_in_the_order_of_the_seed(compared: Run) -> None:
    assert compared.code in ENDED, compared.err
    assert compared.json["schema"] == "weigh/load-comparison/1"
    record = records.read(compared.evidence)
    assert record.end is not None
    assert record.end.how == "complete"
    assert set(record.loads) == {"a", "b", "a#2"}
    made = [(turn.block, turn.arm) for turn in record.spec.order]
    assert [(block.block, arm) for block in record.blocks for arm in block.arms] == made
    for turn in record.spec.order:
        runs = [run for run in record.loads[turn.arm].runs if run.repeat == turn.block]
        assert tuple((run.connections, run.loop) for run in runs) == turn.kinds
        assert all(run.summary and run.server for run in runs)
    # A life for each run, and no two servers at once: no run begins before the one that was made before it has ended.
    for load in record.loads.values():
        assert [run.life for run in load.runs] == [1, 2]
    spans = sorted(
        (run.at or 0.0, (run.at or 0.0) + run.intervals[-1].to_s) for load in record.loads.values() for run in load.runs
    )
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


@pytest.mark.promise("Other rows than the baseline's are exit code 2, before any clock: a server with less data looks")
def test_rows_are_the_same_before_every_run(compared: Run) -> None:
    loads = records.read(compared.evidence).loads.values()
    before = {one.tables["weigh_ycsb"] for load in loads for one in load.rows if one.when != "after"}
    assert {one.rows for one in before} == {200}
    assert len(before) == 1
    assert all(sum(one.when == "after" for one in load.rows) == len(load.runs) for load in loads)


def test_it_is_verified_shown_and_listed(compared: Run, weigh: Weigh) -> None:
    assert weigh("verify", str(compared.evidence)).code == 0
    assert weigh("report", str(compared.evidence), "--json").json == compared.json
    listed = weigh("runs", "--out", str(compared.evidence.parent))
    assert "load-comparison" in listed.out, listed.err


def _tables(path: Path, rows: int) -> str:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (n)")
        connection.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(rows)])
    connection.close()
    return f"sqlite:{path}"


def test_a_server_with_fewer_rows_is_not_measured(weigh: Weigh) -> None:
    (weigh.folder / "count.sql").write_text("SELECT count(*) FROM t;\n")
    servers = (
        f"--contender=whole={_tables(weigh.folder / 'whole.db', 100)}",
        f"--contender=less={_tables(weigh.folder / 'less.db', 99)}",
    )
    run = weigh("load", "count.sql", *servers, "--blocks", "1", "--no-twice", *SMALL)
    assert run.code == 2
    assert "less does not hold the rows of whole: t has 99 rows, and had 100" in run.err
    assert not any(load.runs for load in records.read(run.evidence).loads.values())


@pytest.mark.long
@pytest.mark.promise("it cannot be started anew, and new connections to it are no starts")
def test_a_url_has_one_life_and_no_verdict(weigh: Weigh) -> None:
    with EmbeddedValkey().reach(cache_folder(), 8) as reached:
        url = f"redis://localhost?host={reached.connect['socket']}"
        servers = ("--contender", f"url={url}", "--contender", "own=valkey:embedded")
        run = weigh("load", "ycsb-c", *servers, "--blocks", "2", "--no-twice", *SMALL, "--json")
    assert run.code in ENDED, run.err
    loads = records.read(run.evidence).loads
    assert [one.life for one in loads["url"].runs] == [1, 1]
    assert [one.life for one in loads["own"].runs] == [1, 2]
    # Loaded anew, by weigh: the rows are the same as the other's.
    assert len({one.tables["weigh_ycsb"].digest for load in loads.values() for one in load.rows}) == 1
    assert {one["verdict"] for one in run.json["verdicts"]} <= {"refused", "REFUSED"}


@pytest.mark.long
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a duet needs two CPUs")
def test_a_duet_is_at_the_same_moment_and_says_so(weigh: Weigh) -> None:
    servers = ("--contender", "a=valkey:embedded", "--contender", "b=sqlite:embedded")
    run = weigh("load", "ycsb-b", *servers, "--blocks", "1", "--duet", *SMALL, "--threads", "1")
    assert run.code in ENDED, run.err
    assert "each measured while the other ran" in " ".join(run.out.split())
    record = records.read(run.evidence)
    assert {one.code for one in record.findings} >= {"X.duet"}
    assert "The two schedules of a duet began" in (run.evidence / "report.txt").read_text()
    a, b = (record.loads[name].runs[0] for name in ("a", "b"))
    assert a.at is not None
    assert b.at is not None
    assert max(a.at, b.at) < min(one.at + one.intervals[-1].to_s for one in (a, b))  # type: ignore[operator]
    assert weigh("verify", str(run.evidence)).code == 0


def test_an_interrupt_seals_what_there_is(weigh: Weigh) -> None:
    servers = ("--contender", "a=sqlite:embedded", "--contender", "b=sqlite:embedded?synchronous=NORMAL")
    flags = ("--records", "200", "--connections", "2", "--duration", "60s", "--rate", "50", "--quiet")
    process = weigh.start("load", "ycsb-a", *servers, "--blocks", "2", *flags)

    def begun() -> bool:
        journals = weigh.folder.glob("runs/*/contenders/*/journal.jsonl")
        return any('"event":"interval"' in one.read_text() for one in journals)

    eventually(lambda: begun() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert "interrupted" in said
    (folder,) = (weigh.folder / "runs").iterdir()
    assert weigh("verify", str(folder)).code == 0
    ends = {load.end.reason for load in records.read(folder).loads.values() if load.end}
    assert ends == {"interrupted"}


FLAGS = dict.fromkeys(("baseline", "blocks", "margin", "twice", "duet"))


@pytest.mark.parametrize(
    ("texts", "flags", "said"),
    [
        (["valkey:embedded"], {}, "one contender is no comparison"),
        (["a=valkey:embedded", "a=sqlite:embedded"], {}, "two contenders are called 'a'"),
        (["a=valkey:embedded", "b=valkey:embeded"], {}, "there is no target"),
        (["a=", "b=valkey:embedded"], {}, "has no target"),
        (["a=valkey:embedded", "b=sqlite:embedded"], {"baseline": "c"}, "no contender"),
        (["a=valkey:embedded", "b=sqlite:embedded"], {"blocks": 0}, "cannot be"),
        (["a=valkey:embedded", "b=sqlite:./x.db"], {"duet": True}, "cannot be held"),
        (["a=valkey:embedded", "b=sqlite:embedded", "c=postgres:embedded"], {"duet": True}, "there are 3"),
    ],
)
def test_what_contradicts_itself_is_refused(texts: list[str], flags: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        config.make(spec(10), contenders(texts)[1], {**FLAGS, **flags})
    assert error.value.remedy


def test_a_name_is_what_stands_before_a_target() -> None:
    named, servers = contenders(["postgres:embedded?work_mem=1MB", "new=postgres:embedded@18?work_mem=1MB"])
    assert [one.name for one in named] == ["", "new"]
    assert list(servers) == ["postgres:embedded?work_mem=1MB", "new"]
    assert servers["new"].text == "postgres:embedded@18?work_mem=1MB"


def test_several_servers_are_not_crashed() -> None:
    with pytest.raises(UsageError, match="crash"):
        one_at_a_time({"crash": 1})
    one_at_a_time({"crash": None})


def test_one_server_has_no_blocks(weigh: Weigh) -> None:
    run = weigh("load", "ycsb-b", "--target", "valkey:embedded", "--blocks", "3", "--rate", "10", "--quiet")
    assert run.code == 2
    assert "--blocks is of several contenders" in run.err


def _flags(*words: str) -> dict[str, Any]:
    """The flags of a command line, by name."""
    with command.make_context("load", list(words), **cli.context_settings) as context:
        return {name: value for name, value in context.params.items() if name not in ("workload", "target")}


@pytest.mark.promise("`weigh load` without a workload does what `[load]` says")
def test_weigh_toml_names_contenders_and_a_flag_wins(tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text(
        '[load]\nworkload = "ycsb-c"\nrate = 50\nrecords = 200\nconnections = 2\nblocks = 5\nboth = true\n'
        'twice = false\nbaseline = "b"\n'
        '[[load.contender]]\nname = "a"\ntarget = "sqlite:embedded"\n'
        '[[load.contender]]\nname = "b"\ntarget = "sqlite:embedded?synchronous=NORMAL"\n'
    )
    file = (str(tmp_path / "weigh.toml"),)
    words, flags, target = from_file(file, _flags("--blocks", "7"), None, alone=False)
    assert target is None
    asked = config.make(load_config.make(words, "", flags), contenders(flags["contender"])[1], flags)
    assert [one.name for one in asked.contenders] == ["a", "b"]
    assert (asked.baseline, asked.baseline_declared, asked.blocks, asked.twice) == ("b", True, 7, False)
    assert (asked.load.arrivals.rate, asked.load.records, asked.load.connections) == (50.0, 200, (2,))
    assert asked.load.loops == ("open", "closed")
    # One server on the command line: those of the file, and what is theirs, are not meant.
    _, flags, target = from_file(file, _flags(), "valkey:embedded", alone=False)
    assert (target, flags["contender"], flags["blocks"], flags["baseline"]) == ("valkey:embedded", (), None, None)
    no_comparison(flags)


def test_trusted_answers_of_the_file_lie_beside_it(tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text('[load]\nworkload = "select-only"\nrate = 5\nanswers = "trusted.json"\n')
    file = (str(tmp_path / "weigh.toml"),)
    words, flags, _ = from_file(file, _flags(), "postgres:embedded", alone=False)
    assert flags["answers"] == tmp_path / "trusted.json"
    with pytest.raises(UsageError) as caught:
        load_config.files(load_config.make(words, "postgres:embedded", flags), flags)
    assert str(tmp_path / "trusted.json") in caught.value.where
    own = from_file(file, _flags("--answers", "mine.json"), "postgres:embedded", alone=False)[1]["answers"]
    assert str(own) == "mine.json"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[load]\nworkload = "ycsb-c"\nrat = 5\n', "unknown key 'rat'"),
        ('[load]\nworkload = "ycsb-c"\n[[load.contender]]\nname = "a"\n', "missing key"),
        ("[load]\nrate = 5\n", "names no workload"),
        ('[experiment]\nworkload = "netflow"\n', "it has no"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    flags = {"contender": (), "properties": (), "property": ()}
    with pytest.raises(UsageError, match=said):
        from_file((str(tmp_path / "mine.toml"),), flags, None, alone=False)


@pytest.mark.long
def test_two_servers_that_are_alike_have_no_difference(weigh: Weigh) -> None:
    servers = ("--contender", "a=postgres:embedded", "--contender", "b=postgres:embedded")
    flags = ("--records", "2000", "--connections", "4", "--duration", "3s", "--rate", "200", "--quiet", "--json")
    run = weigh("load", "ycsb-b", *servers, "--blocks", "5", *flags, timeout=900)
    assert run.code in RAN, run.err
    assert {one["verdict"].upper() for one in run.json["verdicts"]} <= {"SAME", "UNRESOLVED", "REFUSED"}
