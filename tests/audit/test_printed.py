"""What tools print, as it stands in public reports: pasted, indented, cut at the edge of a terminal, several in one.

The figures are those of public files, each named alongside it; the texts around them are made here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from audit import facts
from weigh.audit.formats import registry
from weigh.audit.rows import audited
from weigh.audit.text import Text

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.audit.published import Published


def read(folder: Path, text: str) -> list[Published]:
    path = folder / "result.txt"
    path.write_text(text)
    return registry.read(Text(path, path.name))


def wrong(found: list[Published]) -> list[str]:
    return [row.id for one in found for row in audited(one).contradicted]


def k6_cut(p95: str, most: str = "36.87ms") -> str:
    """gmagmeg/performance-md, keisoku-kekka/spike/frankenphp/k6-info.md, whose lines end where the terminal did."""
    return f"""    http_req_duration.......: avg=14.56ms min=10.25ms med=13.44ms max={most} p(90)=18.9ms p(95)={p95}
    http_req_failed.........: 0.00%  0 out of 1671
    http_reqs...............: 1671   39.461455/s
"""


@pytest.mark.parametrize("cut", ["21.44m", "21.44", "21.", "2", "21m"])
def test_a_time_of_k6_that_a_terminal_cut_is_left_out(tmp_path: Path, cut: str) -> None:
    found = read(tmp_path, k6_cut(cut))
    assert list(found[0].latencies[0].percentiles) == [90.0, 50.0]
    assert wrong(found) == []


def test_a_whole_time_of_k6_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, k6_cut("21.44ms", most="1h1m6.5s"))
    assert (one.latencies[0].percentiles[95.0], one.latencies[0].most) == (0.02144, pytest.approx(3666.5))
    assert wrong(read(tmp_path, k6_cut("1m6s"))) == ["L1"]


def memtier(mean: str = "3.20683", indent: str = "") -> str:
    """redis/memtier_benchmark, issue 184: with p99.99 only one space is between two names of the head."""
    head = (
        "Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency     p99 Latency   p99.9 Latency"
    )
    row = f"62355.66     62337.56        18.10         {mean}         2.86300         8.57500        12.99100"
    lines = [
        f"{head} p99.990 Latency       KB/sec",
        "-" * 120,
        "Sets            0.00          ---          ---      ---      ---      ---      ---      ---         0.00",
        f"Gets        {row}        95.74300      6537.40",
        f"Totals      {row}        95.74300      6537.40",
    ]
    return "".join(f"{indent}{line}\n" for line in lines)


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_column_of_memtier_is_found_by_its_name(tmp_path: Path, indent: str) -> None:
    (one,) = read(tmp_path, memtier(indent=indent))
    gets = one.latencies[1]
    assert (gets.name, gets.mean, gets.percentiles[99.0], gets.percentiles[99.99]) == (
        "gets",
        pytest.approx(3.20683e-3),
        pytest.approx(8.575e-3),
        pytest.approx(95.743e-3),
    )
    assert wrong([one]) == []


def wrk(rate: str = "18.77") -> str:
    """wg/wrk, issue 328: a paste without its first line."""
    return f"""`wrk -t2 -c10 -d20s --latency http://127.0.0.1:8102/get`
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   525.29ms  210.25ms   1.73s    82.12%
  Latency Distribution
     50%  489.47ms
     99%    1.56s
  377 requests in 20.08s, 4.54MB read
  Socket errors: connect 0, read 0, write 0, timeout 1
Requests/sec:     {rate}
"""


def test_wrk_is_known_without_its_first_line(tmp_path: Path) -> None:
    (one,) = read(tmp_path, wrk())
    assert (one.form, one.clients, one.rate, one.errors, one.latencies[0].most) == ("wrk", 10.0, 18.77, 1.0, 1.73)
    assert wrong([one]) == []
    assert wrong(read(tmp_path, wrk("38.77"))) == ["R2"]


def go_ycsb(most: int = 9129) -> str:
    """A lesson about TiDB, of a public notebook: 1,000 operations; percentiles are ends of buckets of 1 ms."""
    return f"""$ ./bin/go-ycsb run mysql -P workloads/workloadb -p recordcount=1000 --threads 2
Run finished, takes 14.648495227s
READ   - Takes(s): 14.6, Count: 938, OPS: 64.0, Avg(us): 1073, Min(us): 411, Max(us): {most}, 99th(us): 5000
UPDATE - Takes(s): 14.1, Count: 62, OPS: 4.4, Avg(us): 840327, Min(us): 411571, Max(us): 1337666, 99th(us): 1338000
UPDATE_ERROR - Takes(s): 14.1, Count: 3, OPS: 0.2, Avg(us): 8403, Min(us): 4115, Max(us): 13376, 99th(us): 14000
"""


def go_tpc(tpmc: float, warehouses: int = 1) -> str:
    return f"""$ ./bin/go-tpc tpcc -D tpcc --warehouses {warehouses} run --time=1m --threads=4
[Summary] NEW_ORDER - Takes(s): 55.4, Count: 9, TPM: 9.7, Sum(ms): 24988, Avg(ms): 2776, 99th(ms): 8000
[Summary] PAYMENT - Takes(s): 59.1, Count: 18, TPM: 18.3, Sum(ms): 30040, Avg(ms): 1668, 99th(ms): 4000
[Summary] PAYMENT_ERR - Takes(s): 59.1, Count: 3, TPM: 3.0, Sum(ms): 7183, Avg(ms): 2394, 99th(ms): 4000
tpmC: {tpmc}
"""


def test_go_ycsb_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, go_ycsb())
    assert (one.form, one.workload, one.clients, one.errors) == ("go-ycsb", "ycsb-b", 2.0, 3.0)
    assert one.seconds == pytest.approx(14.648495227)
    assert [latency.name for latency in one.latencies] == ["read", "update"]
    assert wrong([one]) == []
    assert "R2" in wrong(read(tmp_path, go_ycsb().replace("OPS: 64.0", "OPS: 94.0")))


def test_each_summary_of_go_tpc_is_a_result_of_its_own(tmp_path: Path) -> None:
    first, second = read(tmp_path, go_tpc(9.7) + go_tpc(9.7, warehouses=20))
    assert [(one.scale, len(one.latencies), one.errors) for one in (first, second)] == [(1.0, 2, 3.0), (20.0, 2, 3.0)]
    assert wrong([first, second]) == []
    # 97 new orders are possible with 20 warehouses, and not with one: the summary before has no say in it.
    assert wrong(read(tmp_path, go_tpc(9.7) + go_tpc(97.0, warehouses=20))) == []
    assert wrong(read(tmp_path, go_tpc(9.7, warehouses=20) + go_tpc(97.0))) == ["L5"]


def test_tpc_h_of_go_tpc_has_a_time_of_each_query(tmp_path: Path) -> None:
    (one,) = read(tmp_path, "[Current] Q1: 2.39s\nFinished\n[Summary] Q1: 2.39s\n[Summary] Q10: 1.13s\n")
    assert (one.benchmark, one.times, one.expected) == ("TPC-H", {"Q1": (2.39,), "Q10": (1.13,)}, 22)


def test_a_report_in_words_has_results_of_several_tools(tmp_path: Path) -> None:
    text = f"## YCSB\n{go_ycsb()}\n## TPC-C\n{go_tpc(9.7)}\n## pgbench\n{facts.pgbench()}"
    assert sorted(one.form for one in read(tmp_path, text)) == ["go-tpc", "go-ycsb", "pgbench"]


def test_hammerdb_before_4_names_its_rate_of_all_transactions_first(tmp_path: Path) -> None:
    """TPC-Council/HammerDB, issue 99."""
    line = "Vuser 1:TEST RESULT : System achieved {} PostgreSQL TPM at {} NOPM\n"
    (one,) = read(tmp_path, line.format(3370315, 1465149))
    assert (one.system, one.rate) == ("PostgreSQL", pytest.approx(3370315 / 60))
    assert wrong([one]) == []
    assert "R2" in wrong(read(tmp_path, line.format(1465149, 3370315)))


def tproc_h(whole: int) -> str:
    """microsoft/VirtualClient, Examples/HammerDB/HammerDBMySQLTPCH.txt: two queries of 4 and 1 s of one user."""
    return f"""Benchmark set to TPC-H for MySQL
Value 1 for tpch:mysql_scale_fact is the same as existing value 1, no change made
2 Virtual Users Created
Vuser 1:query 13 completed in 4.639 seconds
Vuser 2:query 13 completed in 4.7 seconds
Vuser 1:query 4 completed in 1.036 seconds
Vuser 1:Completed 1 query set(s) in {whole} seconds
Vuser 1:Geometric mean of query times returning rows (2) is 2.19
"""


def test_tproc_h_is_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, tproc_h(6))
    assert (one.system, one.scale, one.clients) == ("MySQL", 1.0, 2.0)
    assert one.times == {"Q13": (4.639, 4.7), "Q4": (1.036,)}
    assert wrong([one]) == []
    assert wrong(read(tmp_path, tproc_h(4))) == ["R2"]


def test_times_of_0_ms_are_in_the_mean_of_benchbox(tmp_path: Path) -> None:
    """In whole milliseconds a time may be 0, as in a bundle of the star schema (BenchBox-dev/benchbox-site)."""
    queries = [
        {"id": str(at), "ms": 900 if at == 1 else 0, "run_type": "measurement", "status": "SUCCESS"}
        for at in range(1, 14)
    ]
    made = {"run": {}, "benchmark": {"id": "ssb"}, "platform": {"name": "DuckDB"}, "queries": queries}
    honest = {**made, "summary": {"timing": {"avg_ms": 69.2, "min_ms": 0, "max_ms": 900, "total_ms": 900}}}
    assert wrong(read(tmp_path, json.dumps(honest))) == []
    liar = {**made, "summary": {"timing": {"avg_ms": 900}}}
    assert wrong(read(tmp_path, json.dumps(liar))) == ["R2"]


def test_a_test_of_sysbench_without_queries_is_not_called_oltp(tmp_path: Path) -> None:
    """akopytov/sysbench, issue 231."""
    (one,) = read(
        tmp_path,
        """sysbench --test=cpu --cpu-max-prime=100000 --num-threads=12 run
Test execution summary:
total time:                          18.3264s
total number of events:              10000
total time taken by event execution: 219.7879
per-request statistics:
min:                                 21.65ms
avg:                                 21.98ms
max:                                 34.45ms
approx.  95 percentile:              22.04ms
""",
    )
    assert (one.benchmark, one.latencies[0].mean) == ("cpu", 0.02198)
    assert wrong([one]) == []


def redis_table(p95: str = "11.647") -> str:
    """valkey-benchmark --csv, on a machine that others used."""
    names = ",".join(f'"{name}_latency_ms"' for name in ("avg", "min", "p50", "p95", "p99", "max"))
    return f'''"test","rps",{names}
"SET","14847.81","2.593","0.056","0.479","{p95}","24.319","41.887"
"MSET (10 keys)","12121.21","3.367","0.056","0.735","12.479","32.111","57.375"
'''


def test_the_table_and_the_short_lines_of_redis_benchmark_are_read(tmp_path: Path) -> None:
    (one,) = read(tmp_path, redis_table())
    assert [latency.name for latency in one.latencies] == ["SET", "MSET (10 keys)"]
    assert (one.latencies[0].mean, one.latencies[0].percentiles[95.0]) == pytest.approx((2.593e-3, 0.011647))
    assert wrong([one]) == []
    assert wrong(read(tmp_path, redis_table(p95="0.447"))) == ["L1"]
    quiet = "PING_INLINE: 1267427.12 requests per second\nGET: 80000.00 requests per second, p50=1.071 msec\n"
    quiet = f"PING_INLINE: rps=0.0 (overall: -nan)\r   \r{quiet}"
    (short,) = read(tmp_path, f"$ redis-benchmark -t ping,get -P 16 -q\n{quiet}")
    assert [latency.percentiles for latency in short.latencies] == [{}, {50.0: pytest.approx(1.071e-3)}]


def test_a_pipeline_of_redis_benchmark_excuses_what_its_clients_could_not_have(tmp_path: Path) -> None:
    many = facts.redis_benchmark(rate="1356250.00", seconds="0.74")
    assert wrong(read(tmp_path, many)) == ["L2"]
    assert wrong(read(tmp_path, many.replace("-t set", "-P 16 -t set"))) == []
    assert wrong(read(tmp_path, many.partition("\n")[2])) == []


def test_a_report_of_redis_benchmark_before_6_2_and_the_tests_of_one_command_are_read(tmp_path: Path) -> None:
    old = """====== GET ======
  100000 requests completed in 1.46 seconds
  50 parallel clients

99.90% <= 1 milliseconds
100.00% <= 2 milliseconds
68493.15 requests per second
"""
    printed = facts.redis_benchmark().replace("====== SET", " SET: rps=0.0 avg_msec=-nan\r   \r====== SET")
    first, second = read(tmp_path, printed + old)
    assert (first.benchmark, first.clients, first.rate) == ("SET", 50.0, 156250.0)
    assert (second.benchmark, second.seconds, second.rate, second.pipelined) == ("GET", 1.46, 68493.15, False)


def hammerdb_profile(p95: str = "10.272", calls: str = "173647") -> str:
    """A test of hammerdb-scale, of the answer of HammerDB 6.0 to ``jobs JOB timing``."""
    return f"""{{
  "NEWORD": {{
    "elapsed_ms": "238147.5", "calls": "{calls}", "min_ms": "1.942",
    "avg_ms": "7.083", "max_ms": "133.943", "total_ms": "1229911.98",
    "p99_ms": "11.522", "p95_ms": "{p95}", "p75_ms": "8.516",
    "p50_ms": "6.993", "p25_ms": "5.551", "sd": "1.961", "ratio_pct": "64.556"
  }}
}}
"""


@pytest.mark.parametrize("result", ["", facts.hammerdb()])
def test_the_profile_of_hammerdb_as_json_is_read_alone_and_behind_its_result(tmp_path: Path, result: str) -> None:
    (one,) = read(tmp_path, result + hammerdb_profile())
    latency = one.latencies[-1]
    assert (one.form, latency.name, latency.count) == ("HammerDB", "neword", 173647.0)
    assert (latency.mean, latency.percentiles[75.0]) == (pytest.approx(7.083e-3), pytest.approx(8.516e-3))
    assert wrong([one]) == []
    assert wrong(read(tmp_path, result + hammerdb_profile(p95="15.3"))) == ["L1"]
    assert wrong(read(tmp_path, result + hammerdb_profile(calls="273647"))) == ["L1"]


def test_a_load_and_a_run_of_ycsb_cpp_are_read_each_by_itself(tmp_path: Path) -> None:
    load = """2022-08-15 20:13:09 0 sec: 100000 operations; [INSERT: Count=100000 Max=4231.61 Min=1.14 Avg=4.24]
Load runtime(sec): 0.831485
Load operations(ops): 100000
Load throughput(ops/sec): 120267
"""
    first, second = read(tmp_path, load + facts.ycsb_cpp())
    assert [(one.rate, one.latencies[0].name) for one in (first, second)] == [(120267.0, "insert"), (3221.0, "read")]
    assert (second.system, second.benchmark, second.clients) == ("leveldb", "YCSB, workloadc", 1.0)
    assert second.latencies[0].percentiles[99.99] == pytest.approx(0.0590231)
    assert wrong([first, second]) == []


@pytest.mark.parametrize(("p95", "ok", "wrong"), [(63.7, True, False), (63.7, False, True), (501.0, True, True)])
def test_a_threshold_of_k6_is_kept_or_crossed(tmp_path: Path, p95: float, ok: bool, wrong: bool) -> None:
    made = json.loads(facts.k6(p95=p95))
    times = made["metrics"]["http_req_duration"]
    times["values"] |= {"avg": 45.0, "med": 39.9, "p(99)": 600.0}
    times["thresholds"] = {"p(95)<500": {"ok": ok}, "p(95)<5x": {"ok": True}}
    (one,) = read(tmp_path, json.dumps(made))
    assert ["L3"] * wrong == [found.id for found in audited(one).contradicted]
    # The summary of --summary-export has true where a threshold was crossed.
    times["thresholds"] = {"p(95)<500": ok}
    (legacy,) = read(tmp_path, json.dumps(made))
    assert not audited(legacy).contradicted


def test_a_test_of_sysbench_is_that_of_its_command(tmp_path: Path) -> None:
    """A page that ran go-tpc before."""
    page = (
        "./bin/go-tpc tpcc -H host --warehouses 300 run --rate=5\n\nAgain:\n\n`" + facts.sysbench().partition("\n")[2]
    )
    (one,) = read(tmp_path, page)
    assert (one.benchmark, one.loop) == ("oltp_point_select", "closed")
