"""What the tools count in their own way: honest files are not accused, and a twin that lies in the same place is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from audit import facts
from support.command import Weigh
from weigh.audit import run as audit_run
from weigh.audit.formats import registry
from weigh.audit.rows import audited
from weigh.audit.text import MOST, Text

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.audit.published import Published


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


def read(folder: Path, text: str) -> list[Published]:
    path = folder / "result.txt"
    path.write_text(text)
    return registry.read(Text(path, path.name))


def ycsb_kind(kind: str, count: int, p95: str = "1200", p99: str = "2200", statuses: str = "") -> str:
    return f"""[{kind}], Operations, {count}
[{kind}], AverageLatency(us), 700.0
[{kind}], MinLatency(us), 100
[{kind}], MaxLatency(us), 9000
[{kind}], 95thPercentileLatency(us), {p95}
[{kind}], 99thPercentileLatency(us), {p99}
{statuses}"""


def ycsb(*kinds: str, rate: float = 5000.0, command: str = "") -> str:
    return f"{command}\n[OVERALL], RunTime(ms), 20000\n[OVERALL], Throughput(ops/sec), {rate}\n" + "".join(kinds)


_READS, _BOTH, _UPDATES = ycsb_kind("READ", 100000), ycsb_kind("READ-MODIFY-WRITE", 50000), ycsb_kind("UPDATE", 50000)
_OK = ycsb_kind("READ", 80000, statuses="[READ], Return=OK, 80000\n[READ], Return=ERROR, 20000\n")
_MORE = ycsb_kind("READ", 80000, statuses="[READ], Return=OK, 80000\n[READ], Return=ERROR, 60000\n")
_FAILED = ycsb_kind("READ-FAILED", 20000)


def sysbench(p95: str = "99.33", least: str = "100.05", most: str = "100.32", threads: int = 1, mean: str = "") -> str:
    mean = mean or least
    return f"""sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)
Number of threads: {threads}
SQL statistics:
    queries performed:
        read:                            100
        write:                           0
        other:                           0
        total:                           100
    transactions:                        100   (9.99 per sec.)
    ignored errors:                      0      (0.00 per sec.)
General statistics:
    total time:                          10.0103s
    total number of events:              100
Latency (ms):
         min:                                 {least}
         avg:                                 {mean}
         max:                                 {most}
         95th percentile:                     {p95}
"""


def wrk(command: str, rate: str = "9983.10", count: int = 299500) -> str:
    return f"""$ {command} http://127.0.0.1:8080/
Running 30s test @ http://127.0.0.1:8080/
  4 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.21ms  578.41us   9.12ms   65.32%
  {count} requests in 30.00s, 24.00MB read
Requests/sec:   {rate}
"""


def pgbench(
    count: int = 30000,
    rate: str = "1000.271",
    mean: str = "9.990",
    connecting: str = "12.120",
    lag: bool = False,
    script: str = "bench/insert-R2.sql",
) -> str:
    return f"""pgbench (16.4)
transaction type: {script}
scaling factor: 1
number of clients: 10
duration: 30 s
number of transactions actually processed: {count}
latency average = {mean} ms
{"rate limit schedule lag: avg 1.012 (max 3.4) ms" if lag else ""}
initial connection time = {connecting} ms
tps = {rate} (without initial connection time)
"""


def memtier(total: str = "50000.00") -> str:
    return f"""4         Threads
50        Connections per thread

ALL STATS
====
Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p99 Latency       KB/sec
-------------------------------------------------------------------------------------------
Hsets       30000.00         0.00         0.00         3.99000         8.00000      3000.00
Zadds       20000.00         0.00         0.00         3.99000         8.00000      3000.00
Totals      {total}         0.00         0.00         3.99000         8.00000      6000.00
"""


def commas(text: str) -> str:
    """As a locale with decimal commas prints it."""
    return re.sub(r"(?<![\d.])(\d+)\.(\d+)(?![.\d])", r"\1,\2", text)


def k6_text(mean: str = "23.96ms", p95: str = "68.54ms", failed: str = "✓ 0 ✗ 96818", count: int = 96818) -> str:
    return f"""     checks.........................: 100.00% ✓ 28853     ✗ 0
   ✓ http_req_duration..............: avg={mean}   min=357µs med=14.32ms max=191.19ms p(90)=59.09ms p(95)={p95}
       {{ expected_response:true }}...: avg=23.96ms   min=357µs med=14.32ms max=191.19ms p(90)=59.09ms p(95)=68.54ms
     http_req_failed................: 0.00%   {failed}
     http_reqs......................: {count}  796.154518/s
     iteration_duration.............: avg=1m2s     min=1.58s med=2.52s   max=1m7.27s    p(90)=2.76s   p(95)=2.81s
     vus_max........................: 200     min=200 max=200
"""


def k6(failed: int, not_failed: int) -> str:
    share = failed / (failed + not_failed)
    given = '"rate": 0.005, "passes": 6, "fails": 1194'
    return facts.k6().replace(given, f'"rate": {share}, "passes": {failed}, "fails": {not_failed}')


_OLD_PGBENCH = """transaction type: <builtin: select only>
number of clients: 100
duration: 10 s
number of transactions actually processed: 80000
latency average = 12.500 ms
tps = 8000.000000 (including connections establishing)
tps = 9600.000000 (excluding connections establishing)
"""
_ITERATIONS = "     iterations.....................: 96818  {rate}/s\n"
_RANKS = "  Latency Distribution\n     50%  {}ms\n     99%    8.30ms\n  299500 requests in"
_SMALL = [[0.01, 0.0, 0.0], *[[0.5, 0.2, 0.2]] * 42]

HONEST = {
    "a mean near its median": wrk("wrk -t4 -c100 -d30s").replace("  299500 requests in", _RANKS.format("1.15")),
    "a read, modified and written, is three times counted and one operation": ycsb(_READS, _BOTH, _UPDATES),
    "what failed returned, and its times stand apart": ycsb(_OK, _FAILED),
    "inserts that were tried again": ycsb(ycsb_kind("INSERT", 100000), ycsb_kind("INSERT-FAILED", 70000)),
    "failures are fast": ycsb(ycsb_kind("READ", 1000), ycsb_kind("READ-FAILED", 99000), command="ycsb run -threads 1"),
    "percentiles are lower ends of buckets of 1 ms": ycsb(ycsb_kind("READ", 100000, p95="0", p99="2000")),
    "a load and a run with a target": ycsb(ycsb_kind("INSERT", 100000))
    + ycsb(ycsb_kind("READ", 20000), rate=1000.0, command="bin/ycsb run basic -target 1000"),
    "a bucket below the least": sysbench(),
    "a bucket above the most": sysbench(p95="102.97", most="102.05"),
    "beyond the last bucket": sysbench(p95="100000.00", least="150000.00", most="250000.00", threads=2000),
    "two reports": sysbench(p95="1.10", least="0.50", mean="1.00", most="5.00")
    + sysbench(p95="61.08", least="2.00", mean="32.00", most="250.00", threads=64),
    "10k are 10,000": wrk("wrk2 -t4 -c100 -d30s -R10k"),
    "the rate is of the next command": wrk("wrk -t4 -c100 -d30s")
    + "$ wrk2 -t4 -R2000 http://127.0.0.1:8080/\nRunning 30s test @ http://127.0.0.1:8080/\n",
    "R2 in the name of a script": pgbench(),
    "the limit is of the next command": pgbench()
    + "$ pgbench -c 10 -T 30 -R 500\n"
    + pgbench(15010, "500.27", lag=True),
    "connecting is in the duration": pgbench(count=270000, rate="10593.0", mean="1.111", connecting="4512.0"),
    "connecting is in the times of old versions": _OLD_PGBENCH,
    "requests that neither failed nor not": k6(0, 600),
    "commands of other names": memtier(),
    "what failed was left out of the excerpt": ycsb(_OK),
    "the text of k6": k6_text(),
    "the text of a newer k6, in a comment": k6_text(failed="0 out of 96818").replace("     ", "// "),
    "the greatest is rounded to its unit": k6_text(p95="191.2ms"),
    "counters of one test": k6_text() + _ITERATIONS.format(rate="796.154518"),
    "a locale with decimal commas": commas(sysbench()),
    "decimal commas, of three digits": commas(pgbench()),
    "0.00 is rounded": facts.clickbench(result=_SMALL),
}
LIARS = {
    "more operations than a second of reads gives": (ycsb(_READS, _BOTH, _UPDATES, rate=10000.0), "R2"),
    "more answers than reads and failures": (ycsb(_MORE, _FAILED), "L7"),
    "a p95 buckets above the most": (ycsb(ycsb_kind("READ", 100000, p95="12000", p99="13000")), "L1"),
    "more than the target of the second": (
        ycsb(ycsb_kind("INSERT", 100000))
        + ycsb(ycsb_kind("READ", 20000), rate=1000.0, command="bin/ycsb run basic -target 500"),
        "L3",
    ),
    "a p95 buckets below the least": (sysbench(p95="96.00"), "L1"),
    "a most of the second below its p95": (
        sysbench(p95="1.10", least="0.50", mean="1.00", most="5.00") + sysbench(p95="320.00"),
        "L1",
    ),
    "12,000 of 10k": (wrk("wrk2 -t4 -c100 -d30s -R10k", "12000.0", 360000), "L3"),
    "more than the limit of the second": (
        pgbench() + "$ pgbench -c 10 -T 30 -R 400\n" + pgbench(15010, "500.27", lag=True),
        "L3",
    ),
    "more than connecting explains": (pgbench(count=270000, rate="14593.0", connecting="4512.0"), "R2"),
    "more parts than requests": (k6(600, 900), "R2"),
    "a share of another number": (k6_text(failed="✓ 4840 ✗ 91978"), "R2"),
    "counters of two lengths": (k6_text() + _ITERATIONS.format(rate="398.077259"), "R2"),
    "a mean below half of the median": (
        wrk("wrk -t4 -c100 -d30s").replace("  299500 requests in", _RANKS.format("5.60")),
        "L1",
    ),
    "a p95 below the least, with decimal commas": (commas(sysbench(p95="96.00")), "L1"),
    "more OK than reads, in an excerpt": (ycsb(_OK.replace("Return=OK, 80000", "Return=OK, 99000")), "L7"),
    "a mean of the text above what its percentiles allow": (k6_text(mean="123.96ms"), "L1"),
    "a p95 of the text below its p90": (k6_text(p95="48.54ms"), "L1"),
    "more parts than requests of the text": (k6_text(failed="✓ 9000 ✗ 96818"), "R2"),
    "totals without a command": (memtier("70000.00"), "R2"),
    "less than no time": (facts.clickbench(result=[[-0.01, 0.2, 0.2]] * 43), "A10"),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_a_tool_counts_in_its_way_is_no_contradiction(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, HONEST[name])
    assert found
    assert [(row.id, row.text) for one in found for row in audited(one).contradicted] == []


@pytest.mark.parametrize("name", LIARS)
def test_the_lie_in_the_same_place_is_named(tmp_path: Path, name: str) -> None:
    text, row = LIARS[name]
    assert row in {wrong.id for one in read(tmp_path, text) for wrong in audited(one).contradicted}


def test_reports_of_one_file_are_read_each_by_itself(tmp_path: Path) -> None:
    first, second = read(tmp_path, HONEST["two reports"])
    assert [(one.clients, one.latencies[0].most) for one in (first, second)] == [(1, 0.005), (64, 0.25)]
    first, second = read(tmp_path, HONEST["the limit is of the next command"])
    assert (first.offered, first.loop, second.offered, second.loop) == (None, "closed", 500.0, "open")
    load, run = read(tmp_path, HONEST["a load and a run with a target"])
    assert (load.offered, run.offered) == (None, 1000.0)
    (plain,) = read(tmp_path, HONEST["the rate is of the next command"])
    assert (plain.form, plain.offered) == ("wrk", None)
    (limited,) = read(tmp_path, HONEST["10k are 10,000"])
    assert limited.offered == 10000.0


def test_the_text_of_k6_is_read_as_its_json_is(tmp_path: Path) -> None:
    first, second = read(tmp_path, k6_text() + k6_text(count=12))
    assert (first.form, first.rate, first.clients, first.errors) == ("k6", 796.154518, 200.0, 0.0)
    latency = first.latencies[0]
    assert (latency.name, latency.least, latency.percentiles[95.0]) == ("http_req_duration", 357e-6, 0.06854)
    assert second.latencies[0].count == 12


def test_what_failed_is_counted(tmp_path: Path) -> None:
    (one,) = read(tmp_path, HONEST["what failed returned, and its times stand apart"])
    assert one.errors == 20000
    (one,) = read(tmp_path, HONEST["beyond the last bucket"])
    assert one.latencies[0].percentiles == {}
    assert "longer" in one.lacks["L1"]


DOTS = {
    "wrk": "Running 1s test @ x\n 1.2.3% 5ms\n 50% 1.2.3ms\n 5 requests in 1.2.3s\nRequests/sec: 1.2.3\n",
    "ycsb": "[OVERALL], RunTime(ms), 5e999\n[READ], 1.2.3PercentileLatency(us), 5\n",
    "k6": '{"metrics": {"http_req_duration": {"p(1.2.3)": 5, "p(95)": 5}}}',
    "k6 text": "http_req_duration....: avg=1.2.3ms max=9h p(999)=1ms p(95)=1m2s\nhttp_req_failed....: 1% 5 out of 3\n"
    "vus_max.....:  \nvus....:    \nhttp_reqs.....: 1.2.3 4.5.6/s\n",
    "memtier": "Type  Ops/sec  Hits/sec  p1.2.3 Latency  p... Latency\n----\nSets 1 2 3 4\nTotals 1 2 3 4\n",
    "go-tpc": "[Summary] NEW_ORDER - Takes(s): 1.2.3, Count: 5, TPM: ..., 1.2.3th(ms): 5, Avg(ms): ..\n",
    "sysbench": "sysbench total number of events: 5\n avg: 1.2.3\n min: ...\n 95th percentile: ..\n max: .\n",
}


@pytest.mark.parametrize("name", DOTS)
def test_what_is_no_number_is_left_out(tmp_path: Path, name: str) -> None:
    for one in read(tmp_path, DOTS[name]):
        assert all(rank in (50.0, 95.0) for latency in one.latencies for rank in latency.percentiles)
        audited(one)


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1_000_000,
        " " * 1_000_000,
        f"{pgbench()}latency average = {'1' * 1_000_000}x",
        f"sysbench total number of events: 5\ntransactions: {'1' * 1_000_000}x",
        f"{facts.tpc_c()}Throughput {'1' * 1_000_000}x",
        f"{facts.hammerdb()}{'1' * 1_000_000}x",
        f"Type  Ops/sec  Hits/sec  Latency  {'a' * 1_000_000}\tb",
        f'{{"system": "x", "result": [{"[1,1,1]," * 200_000}[1,1,1]]}}',
    ],
    ids=["lines", "spaces", "pgbench", "sysbench", "tpc-c", "hammerdb", "memtier", "clickbench"],
)
def test_a_file_made_to_be_slow_is_read_in_one_pass(tmp_path: Path, text: str) -> None:
    """Of so many characters more than one pass would take hours."""
    for one in read(tmp_path, text):
        audited(one)


def test_one_file_that_cannot_be_read_does_not_end_a_folder(weigh: Weigh) -> None:
    results = weigh.folder / "results"
    results.mkdir()
    with (results / "a-large.txt").open("wb") as file:
        file.truncate(MOST + 1)
    refused = weigh("audit", "results")
    assert refused.code == 2
    assert "64 MiB" in refused.err
    (results / "pgbench.txt").write_text(facts.pgbench())
    (results / "notes.md").write_text("nothing")
    run = weigh("audit", "results", "--json")
    assert (run.code, len(run.json["results"]), run.json["unread"]) == (0, 1, ["a-large.txt", "notes.md"])
    assert "not read: a-large.txt, notes.md" in weigh("audit", "results").out
    assert weigh("audit", "results/a-large.txt").code == 2


def test_a_folder_with_more_files_than_are_looked_at_says_so(weigh: Weigh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_run, "MOST", 2)
    for name in "abc":
        (weigh.folder / f"{name}.txt").write_text(facts.pgbench())
    found = audit_run.audit([weigh.folder])
    assert (len(found.results), found.beyond) == (2, True)
    assert not audit_run.audit([weigh.folder / "a.txt"]).beyond


def test_times_of_wrk2_that_are_not_corrected_are_another_distribution(tmp_path: Path) -> None:
    """With --u_latency there are two: 50 % of the second one is less than the least that the mean allows."""
    second = "".join(f" {rank}%  100.00us\n" for rank in ("50.000", "99.000", "99.999", "100.000"))
    honest = facts.wrk2().replace(
        "  599839 requests", f"  Latency Distribution (HdrHistogram - Uncorrected Latency)\n{second}  599839 requests"
    )
    (one,) = read(tmp_path, honest)
    assert audited(one).contradicted == ()
    (liar,) = read(tmp_path, honest.replace("100.000%  476.42ms", "100.000%  1.42ms").replace("476.16ms", "1.16ms"))
    assert audited(liar).contradicted


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_powershell_redirected_is_read(weigh: Weigh, encoding: str) -> None:
    (weigh.folder / "wrk.txt").write_text(facts.wrk2(), encoding=encoding)
    assert len(weigh("audit", "wrk.txt", "--json").json["results"]) == 1


@pytest.mark.parametrize(
    ("made", "what"),
    [
        ({"fio version": "fio-3.26", "jobs": []}, "a result of fio"),
        ([{"jmhVersion": "1.37"}], "weigh judge"),
        ({"machine_info": {}, "benchmarks": []}, "pytest-benchmark"),
        ({"results": [{"times": [0.1]}]}, "hyperfine"),
    ],
)
def test_what_is_of_another_tool_is_named(weigh: Weigh, made: object, what: str) -> None:
    (weigh.folder / "x.json").write_text(json.dumps(made))
    refused = weigh("audit", "x.json")
    assert refused.code == 2
    assert what in refused.err


def test_a_suite_with_more_queries_than_it_has_is_not_called_whole(tmp_path: Path) -> None:
    for queries, whole in ((43, True), (44, False)):
        (one,) = read(tmp_path, json.dumps({"system": "x", "result": [[1, 1, 1]] * queries}))
        assert any("all 43 queries have times" in row.text for row in audited(one).rows) == whole
        assert audited(one).contradicted == ()


def test_benchbase_writes_minus_one_where_nothing_was_measured(tmp_path: Path) -> None:
    (one,) = read(tmp_path, facts.benchbase(mean=-1, most=-1))
    assert audited(one).contradicted == ()


_NEVER = """\
[READ], Operations, 0
[READ], AverageLatency(us), NaN
[READ], MinLatency(us), 9223372036854775807
[READ], MaxLatency(us), 0
[READ], 95thPercentileLatency(us), 0
[READ], 99thPercentileLatency(us), 0
[READ-FAILED], Operations, 0
"""


def test_the_first_values_of_counters_are_no_times(tmp_path: Path) -> None:
    """Where nothing was answered, YCSB's least is the largest number, BenchBase's latencies are -1."""
    (nothing,) = read(tmp_path, ycsb(_NEVER))
    assert not audited(nothing).contradicted
    assert {one.id: one.text for one in audited(nothing).rows}["L1"] == "no request was answered: it has no times"
    (some,) = read(tmp_path, ycsb(_NEVER, _UPDATES, rate=2500.0))
    assert [one.name for one in some.latencies] == ["update"]
    silent = {
        **json.loads(facts.benchbase()), "Measured Requests": 0, "Throughput (requests/second)": 0.0,
        "Goodput (requests/second)": 0.0, "Latency Distribution": {"Median Latency (microseconds)": -1,
        "Minimum Latency (microseconds)": -1, "Maximum Latency (microseconds)": -1},
    }  # fmt: skip
    (nobody,) = read(tmp_path, json.dumps(silent))
    assert not audited(nobody).contradicted


def test_a_clock_that_was_set_back_is_named(tmp_path: Path) -> None:
    """As it was published: RunTime -5731 ms."""
    text = "[OVERALL], RunTime(ms), -5731\n[OVERALL], Throughput(ops/sec), -0.17448961786773687\n" + _NEVER
    (one,) = read(tmp_path, text)
    assert [found.id for found in audited(one).contradicted] == ["A10"]
