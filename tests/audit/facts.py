"""Published results as facts, written out in the forms of their tools.

The figures are those of public files, each named beside it; the texts around them are made here. An honest one is what
its tool printed; a liar is the same with one figure that its others contradict, or a file that was published so.
"""

from __future__ import annotations

import json
from typing import Any

CLICKBENCH_TIMES = [
    (0.03, 0.018, 0.018), (0.132, 0.041, 0.041), (0.224, 0.074, 0.074), (0.214, 0.086, 0.086),
    (0.466, 0.348, 0.349), (0.968, 0.338, 0.344), (0.088, 0.032, 0.03), (0.133, 0.039, 0.038),
]  # fmt: skip
"""ClickHouse/ClickBench, duckdb/results/20260511/c6a.4xlarge.json: the first eight queries."""


def clickbench(queries: int = 43, **more: Any) -> str:
    """A result of ClickBench; the queries behind the eighth repeat the first ones."""
    times = [list(CLICKBENCH_TIMES[at % len(CLICKBENCH_TIMES)]) for at in range(queries)]
    made = {
        "system": "DuckDB", "date": "2026-05-11", "machine": "c6a.4xlarge", "cluster_size": 1, "tuned": "no",
        "load_time": 126, "data_size": 20457467904, "result": times,
    }  # fmt: skip
    return json.dumps({**made, **more})


def benchbox(validation: str = "PASSED", claims: str = "passed", power: str = "COMPLETED", total: int = 88) -> str:
    """A bundle of version 2.1 of TPC-H at 0.01: 88 executions of 9 to 31 ms.

    BenchBox-dev/benchbox-site, explorer/test-fixtures/source/bundles/tpch-duckdb-sf0.01-20260403-7fe93365.json, which
    claims "passed" with the phases NOT_RUN.
    """
    times = [31, *(11 + at % 3 for at in range(86)), 9]
    queries = [
        {
            "id": str(at % 22 + 1),
            "ms": ms,
            "rows": 1,
            "stream": at // 22,
            "run_type": "measurement",
            "status": "SUCCESS",
        }
        for at, ms in enumerate(times)
    ]
    return json.dumps(
        {
            "version": "2.1",
            "run": {"id": "9c0925d1", "timestamp": "2026-04-03T09:36:53", "iterations": 3, "streams": 3},
            "benchmark": {"id": "tpch", "name": "TPC-H", "scale_factor": 0.01, "test_type": "standard"},
            "platform": {"name": "DuckDB", "version": "1.4.3", "config": {"result_cache_enabled": False}},
            "summary": {
                "queries": {"total": total, "passed": total, "failed": 0},
                "timing": {"avg_ms": round(sum(times) / 88, 1), "min_ms": 9, "max_ms": 31},
                "data": {"rows_loaded": 86805, "load_time_ms": 521.2},
                "validation": claims,
                "tpc_metrics": {"power_at_size": 3184.9},
            },
            "phases": {"validation": {"status": validation}, "power_test": {"status": power}},
            "queries": queries,
        }
    )


def of_one_query() -> str:
    """The same of one query, with the power of a whole test: tpch-polars-sf0.01-20260824-51ccc406.json of it."""
    made = json.loads(benchbox())
    times = (3.7, 3.0, 2.9)
    queries = [{"id": "1", "ms": ms, "run_type": "measurement", "status": "SUCCESS"} for ms in times]
    summary = {
        "queries": {"total": 3, "passed": 3, "failed": 0},
        "timing": {"avg_ms": 3.2, "geometric_mean_ms": 3.2, "max_ms": 3.7, "min_ms": 2.9, "total_ms": 9.6},
        "tpc_metrics": {"power_at_size": 12238.653555487725},
        "validation": "not_run",
    }
    return json.dumps({**made, "summary": summary, "queries": queries})


def sysbench(threads: int = 128, rate: str = "74890.66", mean: str = "1.71", p95: str = "2.39") -> str:
    """A point select of ten minutes, as a user of TiDB published it: 44,937,642 transactions."""
    return f"""sysbench 1.0.20 (using bundled LuaJIT)
sysbench oltp_point_select --threads={threads} --tables=32 --table-size=5000000 --warmup-time=60 run

SQL statistics:
    queries performed:
        read:                            44937642
        write:                           0
        other:                           0
        total:                           44937642
    transactions:                        44937642 ({rate} per sec.)
    queries:                             44937642 ({rate} per sec.)
    ignored errors:                      0      (0.00 per sec.)

Throughput:
    time elapsed:                        600.0446s
    total number of events:              44937642

Latency (ms):
         min:                                    1.38
         avg:                                    {mean}
         max:                                  204.07
         95th percentile:                        {p95}
"""


def pgbench(clients: int = 10, count: int = 288596, mean: str = "20.790", rate: str = "480.99") -> str:
    """Ten minutes of TPC-B (sort of) at scale 40 by PostgreSQL 17.5, as a course's repository has it."""
    return f"""pgbench (17.5 (Ubuntu 17.5-1.pgdg24.04+1))
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 40
query mode: simple
number of clients: {clients}
number of threads: 10
maximum number of tries: 1
duration: 600 s
number of transactions actually processed: {count}
number of failed transactions: 0 (0.000%)
latency average = {mean} ms
initial connection time = 15.948 ms
tps = {rate} (without initial connection time)
"""


def memtier(total: str = "621078.36", p99: str = "8.95900") -> str:
    """24 threads of 50 connections against DiceDB, as its documentation has it."""
    return f"""[RUN #1 100%, 199 secs]  0 threads:   120000000 ops, 2059627 (avg:  601850) ops/sec, 338.97MB/sec

24        Threads
50        Connections per thread
100000    Requests per client

============================================================================================================
Type  Ops/sec  Hits/sec  Misses/sec  Avg. Latency  p50 Latency  p99 Latency  p99.9 Latency  KB/sec
------------------------------------------------------------------------------------------------------------
Sets  310539.18  ---  ---  2.04382  1.67100  {p99}  18.17500  92156.88
Gets  310539.18  0.00  310539.18  1.94245  1.55100  8.83100  17.79100  12309.13
Waits  0.00  ---  ---  ---  ---  ---  ---  ---
Totals  {total}  0.00  310539.18  1.99313  1.61500  8.89500  17.91900  104466.01
"""


def ycsb(target: str = "", rate: str = "11308.635", p99: str = "60927") -> str:
    """The loading of 500,000 records into MongoDB by 100 threads, as a comparison of clouds has it."""
    return f"""./bin/ycsb load mongodb -s -P workloads/workloada -p recordcount=500000 -threads 100 {target}
[OVERALL], RunTime(ms), 44214
[OVERALL], Throughput(ops/sec), {rate}
[INSERT], Operations, 500000
[INSERT], AverageLatency(us), 8622
[INSERT], MinLatency(us), 164
[INSERT], MaxLatency(us), 6426623
[INSERT], 95thPercentileLatency(us), 22239
[INSERT], 99thPercentileLatency(us), {p99}
[INSERT], Return=OK, 500000
"""


def go_tpc(efficiency: str = "", mean: str = "91", warehouses: int = 100) -> str:
    """A minute of TPC-C against TiDB, as notes on go-tpc have it."""
    return f"""./bin/go-tpc tpcc -H host -P 4000 -D tpcc --warehouses {warehouses} run --time 1m
[Summary] DELIVERY - Takes(s): 58.3, Count: 41, TPM: 42.2, Sum(ms): 2468, Avg(ms): 60, 90th(ms): 96, 99th(ms): 192
[Summary] NEW_ORDER - Takes(s): 59.4, Count: 359, TPM: 362.5, Sum(ms): 33008, Avg(ms): {mean}, 99th(ms): 512
[Summary] NEW_ORDER_ERR - Takes(s): 59.4, Count: 1, TPM: 1.0, Sum(ms): 30, Avg(ms): 30, 90th(ms): 32, 99th(ms): 32
[Summary] PAYMENT - Takes(s): 59.3, Count: 362, TPM: 366.4, Sum(ms): 10629, Avg(ms): 29, 90th(ms): 64, 99th(ms): 112
tpmC: 362.5{efficiency}
"""


GO_TPC_PROXY = """\
[Summary] DELIVERY - Takes(s): 297.6, Count: 1873, TPM: 377.6, Sum(ms): 880602.2, Avg(ms): 0.3, Max(ms): 0.5
[Summary] NEW_ORDER - Takes(s): 298.7, Count: 21547, TPM: 4328.1, Sum(ms): 4878119.1, Avg(ms): 0.3, Max(ms): 0.5
"""
"""A comparison of proxies as it was published: sums that are 226 ms each, alongside means of 0.3 ms."""


def k6(rate: float = 20.0, p95: float = 1450.0, most: float = 3000.0) -> str:
    """A minute of 1,200 requests."""
    return json.dumps(
        {
            "metrics": {
                "http_reqs": {"type": "counter", "values": {"count": 1200, "rate": rate}},
                "http_req_failed": {"type": "rate", "values": {"rate": 0.005, "passes": 6, "fails": 1194}},
                "http_req_duration": {
                    "type": "trend",
                    "values": {"avg": 820.4, "med": 700.0, "p(95)": p95, "p(99)": 2100.0, "max": most},
                },
                "vus_max": {"type": "gauge", "values": {"value": 12, "max": 12}},
            },
            "state": {"testRunDurationMs": 60000},
        }
    )


def benchbase(throughput: float = 3.35, goodput: float = 3.3, mean: float = 1185045, most: int = 8337726) -> str:
    """A minute of TPC-C against a database of a cloud, as its guide has it."""
    return json.dumps(
        {
            "Elapsed Time (nanoseconds)": 60000083167, "DBMS Type": "AURORADSQL", "DBMS Version": None,
            "Benchmark Type": "tpcc", "Final State": "EXIT", "Measured Requests": 201, "isolation": None,
            "scalefactor": "1", "terminals": "4",
            "Latency Distribution": {
                "95th Percentile Latency (microseconds)": 2176054, "Maximum Latency (microseconds)": most,
                "Median Latency (microseconds)": 1066925, "Minimum Latency (microseconds)": 218524,
                "90th Percentile Latency (microseconds)": 2085734, "99th Percentile Latency (microseconds)": 3827992,
                "Average Latency (microseconds)": mean,
            },
            "Throughput (requests/second)": throughput, "Goodput (requests/second)": goodput,
        }
    )  # fmt: skip


def hammerdb(nopm: int = 18664, tpm: int = 43386) -> str:
    """Eight users against AlloyDB, as a comparison of clouds has it."""
    return f"""Vuser 1:Rampup of 2 MINUTES
Vuser 1:Timing test period of 5 in minutes
Vuser 1:8 Active Virtual Users configured
Vuser 1:TEST RESULT : System achieved {nopm} NOPM from {tpm} PostgreSQL TPM
Vuser 1:FINISHED SUCCESS
"""


def wrk2(offered: int = 5000, rate: str = "4998.66", p99: str = "56.64ms") -> str:
    """Two minutes at a rate of 5,000 requests, as a course's repository has it."""
    return f"""wrk2 -t4 -c64 -d2m -R{offered} --latency http://127.0.0.1:8080
Running 2m test @ http://127.0.0.1:8080
  4 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.45ms   16.29ms 476.16ms   97.80%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.37ms
 90.000%    3.04ms
 99.000%   {p99}
 99.900%  272.89ms
100.000%  476.42ms
  599839 requests in 2.00m, 52.06MB read
Requests/sec:   {rate}
"""


def tpc_c(payment: str = "43.02", slowest: str = "0.60", minutes: int = 120) -> str:
    """The numerical quantities of a full disclosure, in the order of the specification's appendix."""
    return f"""MQTh, Computed Maximum Qualified Throughput        126,000 tpmC
Number of warehouses: 10,000
Response Times (in seconds)    Average  90%  Maximum
New-Order       0.35  {slowest}  14.25
Payment         0.34  0.59  12.03
Order-Status    0.33  0.58  9.21
Delivery        0.12  0.14  3.10
Stock-Level     0.34  0.61  13.10
Transaction Mix, in percent of total transactions
New-Order       44.87 %
Payment         {payment} %
Order-Status    4.02 %
Delivery        4.03 %
Stock-Level     4.06 %
Ramp-up Time: 61 minutes
Measurement Interval: {minutes} minutes
"""


def redis_benchmark(rate: str = "156250.00", p95: str = "0.303", most: str = "2.191", seconds: str = "6.40") -> str:
    """paulrzcz/redka, benchmark.md, of ten times as many requests."""
    return f"""$ redis-benchmark -p 6379 -n 1000000 -t set
====== SET ======
  1000000 requests completed in {seconds} seconds
  50 parallel clients
  3 bytes payload
  keep alive: 1
  multi-thread: no

Latency by percentile distribution:
0.000% <= 0.079 milliseconds (cumulative count 2)
100.000% <= 2.191 milliseconds (cumulative count 1000000)

Summary:
  throughput summary: {rate} requests per second
  latency summary (msec):
          avg       min       p50       p95       p99       max
        0.187     0.072     0.151     {p95}     0.863     {most}
"""


def ycsb_cpp(p9999: str = "59023.10", rate: str = "3221") -> str:
    """A run of ten million reads, whose published figures had p99.9 of 34,690 us above p99.99 of 19,023 us."""
    return f"""./ycsb -run -db leveldb -P workloads/workloadc -p threadcount=1 -s
2023-09-11 15:47:21 3104 sec: 10000000 operations;
[READ: Count=10000000 Max=102170.62 Min=1.03 Avg=212.93 90=122.21 99=4223.23 99.9=34690.51 99.99={p9999}]
Run runtime(sec): 3104.6
Run operations(ops): 10000000
Run throughput(ops/sec): {rate}
"""


HONEST = {
    "benchbox.json": benchbox(),
    "clickbench.json": clickbench(),
    "sysbench.log": sysbench(),
    "pgbench.txt": pgbench(),
    "memtier.txt": memtier(),
    "ycsb.txt": ycsb(),
    "go-tpc.txt": go_tpc(", tpmTotal: 771.1, efficiency: 28.2%"),
    "k6.json": k6(),
    "benchbase.json": benchbase(),
    "hammerdb.log": hammerdb(),
    "wrk2.txt": wrk2(),
    "tpc-c.txt": tpc_c(),
    "redis-benchmark.txt": redis_benchmark(),
    "ycsb-cpp.txt": ycsb_cpp(),
}
"""One of each form, in which nothing contradicts anything."""

LIARS = {
    "passed and never run": (benchbox(validation="NOT_RUN"), "A8"),
    "a power without its test": (benchbox(power="NOT_RUN"), "R7"),
    "the power of one query": (of_one_query(), "R7"),
    "executions that are not listed": (benchbox(total=110), "R1"),
    "no time at all": (clickbench(result=[[0.0, 0.0, 0.0]] * 43), "A10"),
    "p95 above the most": (sysbench(p95="300.00"), "L1"),
    "more under way than there are threads": (sysbench(threads=64), "L2"),
    "a rate that count and time do not give": (sysbench(rate="94890.66"), "R2"),
    "more transactions than clients can wait for": (pgbench(clients=5), "L2"),
    "a tps of other transactions": (pgbench(count=188596), "R2"),
    "totals that are no sums": (memtier(total="921078.36"), "R2"),
    "p99 above p99.9": (memtier(p99="28.95900"), "L1"),
    "above the offered": (ycsb(target="-target 8000"), "L3"),
    "p99 below p95": (ycsb(p99="12239"), "L1"),
    "efficiency of 48891 %": (go_tpc(", tpmTotal: 771.1, efficiency: 48891.0%"), "L5"),
    "tpmC of one warehouse": (go_tpc(warehouses=1), "L5"),
    "a sum that is no mean": (GO_TPC_PROXY, "L1"),
    "a rate of other requests": (k6(rate=200.0), "R2"),
    "a p95 above p99": (k6(p95=2900.0), "L1"),
    "a mean that no maximum allows": (k6(most=100.0), "L1"),
    "more good answers than answers": (benchbase(goodput=9.9), "L7"),
    "less than no time": (benchbase(mean=1e308, most=-5), "L1"),
    "more new orders than transactions": (hammerdb(nopm=93386), "R2"),
    "answered more than was sent": (wrk2(offered=2000), "L3"),
    "too few payments": (tpc_c(payment="40.10"), "L5"),
    "slower than the clause allows": (tpc_c(slowest="7.50"), "L3"),
    "too short": (tpc_c(minutes=20), "L4"),
    "p95 below p50": (redis_benchmark(p95="0.103"), "L1"),
    "a rate that 50 clients cannot have": (redis_benchmark(rate="356250.00", seconds="2.81"), "L2"),
    "requests that another time gives": (redis_benchmark(seconds="9.40"), "R2"),
    "p99.9 above p99.99": (ycsb_cpp(p9999="19023.10"), "L1"),
    "operations that another rate gives": (ycsb_cpp(rate="6232"), "R2"),
}
"""A text with the row of the catalogue that its own figures contradict."""
