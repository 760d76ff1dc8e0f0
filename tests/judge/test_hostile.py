"""Files that are damaged, made up or meant to harm: one clear sentence each, and little memory."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from functools import partial
from typing import TYPE_CHECKING

import pytest

from support.samples import FIXTURES
from weigh.judge.formats import registry
from weigh.judge.formats.source import MAX_TEXT, Source
from weigh.judge.run import run
from weigh.model.errors import DataFault, WeighError
from weigh.model.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HYPERFINE = '{"results": [{"command": "a", "times": %s}]}'
JMH = '[{"jmhVersion": "1.37", "benchmark": "a.B.c", "primaryMetric": {"scoreUnit": "%s", "rawData": %s}}]'
K6 = '{"metric":"http_req_duration","type":"Point","data":{"time":"%s","value":%s,"tags":null}}\n'
RAW = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n"
LINE = "0 1 100 0 1795317235 906945\n"


def histogram(inflated: bytes, times: int = 1) -> str:
    packed = zlib.compress(inflated * times)
    wire = base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed).decode()
    return f"#[Histogram log format version 1.3]\n0.1,1.0,1.0,{wire}\n"


def header(digits: int, lowest: int, highest: int) -> bytes:
    return struct.pack(">IIIIQQd", 0x1C849313, 3, 0, digits, lowest, highest, 1.0) + b"\xff\xff\xff"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it is empty"),
        ("  \n", "it is empty"),
        ("hello world\n", "its format is not known"),
        ("{}", "its format is not known"),
        ("[1, 2]", "its format is not known"),
        (HYPERFINE % "[1, 2", "it is not whole JSON"),
        (HYPERFINE % "[1, -0.2]", "value 2 (-0.2 s) cannot be a time"),
        (HYPERFINE % "[1, NaN]", "value 2 (nan s) cannot be a time"),
        (HYPERFINE % "[1e999]", "value 1 (inf s) cannot be a time"),
        (HYPERFINE % "[1e300]", "value 1 (1e+300 s) cannot be a time"),
        (HYPERFINE % f"[1{'0' * 400}]", "a value is too large to be a time"),
        (HYPERFINE % f"[{'9' * 5000}]", "nobody's tool writes"),
        (HYPERFINE % ("[" * 100_000), "nobody's tool writes"),
        (HYPERFINE % '["1"]', "value 1 is not a number"),
        (HYPERFINE % "[true]", "value 1 is not a number"),
        (HYPERFINE % '{"a": 1}', "results[0].times is not a list"),
        (HYPERFINE % "[]", "it holds no measurement"),
        ('{"results": [{"command": 3, "times": [1]}]}', "results[0].command is not a name"),
        ('{"results": {"command": "a"}}', "results is not a list of objects"),
        ('{"benchmarks": [{"runs": [{"values": 3}]}]}', "values is not a list"),
        ('{"benchmarks": [{"runs": []}]}', "no run with values"),
        ('{"benchmarks": [{"runs": 5, "metadata": {"name": "x"}}]}', "runs is not a list"),
        ('{"benchmarks": [{"metadata": {"unit": "byte"}, "runs": [{"values": [1]}]}]}', "measured in bytes"),
        ('{"context": [], "benchmarks": []}', "context is not an object"),
        ('{"context": {}, "benchmarks": []}', "it has no benchmark"),
        (
            '{"context": {}, "benchmarks": [{"name": "x", "real_time": 1, "time_unit": "parsec"}]}',
            "time_unit is not a unit of time",
        ),
        ('{"context": {}, "benchmarks": [{"name": "x"}]}', "value 1 is not a number"),
        ('{"machine_info": {}, "benchmarks": []}', "it has no benchmark"),
        ('{"machine_info": {}, "benchmarks": [{"name": "x", "stats": {"data": [-1]}}]}', "cannot be a time"),
        ('{"machine_info": {}, "benchmarks": [{"name": "x", "stats": 1}]}', "stats is not an object"),
        (
            '{"machine_info": 1, "benchmarks": [{"name": "x", "options": {"timer": "process_time"}}]}',
            "no clock of the time that passes",
        ),
        (JMH % ("x/op", "[[1]]"), "is measured in x/op"),
        (JMH % ("bytes", "[[1]]"), "is measured in bytes"),
        (JMH % ("ns/op", "[1]"), "its raw data are not lists"),
        (JMH % ("ns/op", '[["NaN"]]'), "value 1 is not a number"),
        (JMH % ("ops/s", "[[0]]"), "completed no operation"),
        (JMH % ("ns/op", "[]"), "it holds summaries"),
        ('[{"jmhVersion": "1"}]', "benchmark is not a name"),
        (K6 % ("2026-01-01T00:00:00Z", "-1"), "cannot be a time"),
        (K6 % ("yesterday", "1"), "line 1 is not a line of k6's"),
        (K6 % ("2026-01-01T00:00:00Z", '"1"'), "line 1 is not a line of k6's"),
        (K6 % ("2026-01-01T00:00:00Z", "1") + '{"metric": ', "line 2 is not a line of k6's"),
        ('{"metric":"vus","type":"Point","data":{"value":1}}\n', "no point of it is the duration of a request"),
        ('{"criterion": [{"benchmark": {"full_id": "a"}, "sample": {"times": [1], "iters": []}}]}', "of one length"),
        ('{"criterion": [{"benchmark": {"full_id": "a"}, "sample": {"times": [1], "iters": [0]}}]}', "no iteration"),
        (RAW + "a,b,,,,1.0,cycles,1\n", "a/b is measured in cycles"),
        (RAW + "a,b,,,,x,ns,1\n", "a row of it is not of a raw.csv"),
        (RAW, "no rows"),
        ("goos: linux\nBenchmarkX-2 \t 10 \t zz ns/op\n", "'zz' is not a number"),
        ("goos: linux\nPASS\n", "no line of it is a benchmark's result"),
        (LINE + "0 2 10", "a line of it is not of a pgbench log"),
        (LINE + "0 2 oops 0 1795317235 907253\n", "'oops' is not a latency"),
        (LINE + f"0 2 {'9' * 30} 0 1795317235 907253\n", "cannot be a time"),
        ("1795317239 4648 640867 1992492749 28 9186\n", "sums of intervals"),
        ("contender,start,value\nold,1,0.1\nold,1\n", "line 3 has 2 columns, the header 3"),
        ("contender,start,value\nold,1,abc\n", "line 2: 'abc' is not a number"),
        ("contender,start,value\nold,1,nan\n", "cannot be a time"),
        ("contender,start,value\n", "no rows"),
        ("value,value\n1,2\n", "two columns have the same name"),
        ("1\n2\nx\n", "line 3: 'x' is not a number"),
        ("contender,value\n" + '"' + "x" * 200_000 + '",1\n', "field larger than field limit"),
        ("#[Histogram log format version 1.3]\n", "no interval of it holds a value"),
        ("#[Histogram log format version 1.3]\n0.1,1,1,HIST???\n", "a histogram is damaged"),
        ("#[Histogram log format version 1.3]\n0.1,1,1\n", "line 2 is not an interval"),
        # Made by the one worker whose test it is, and not by all that collect it.
        (partial(histogram, b"\0" * 100, times=2_000_000), "a histogram is damaged"),
        (histogram(header(9, 1, 1 << 40)), "a histogram is damaged"),
        (histogram(header(3, 0, 1 << 40)), "a histogram is damaged"),
        (histogram(header(3, 8, 9)), "a histogram is damaged"),
        (histogram(header(5, 1, (1 << 64) - 1)), "a histogram is damaged"),
    ],
)
def test_one_sentence(tmp_path: Path, content: str | Callable[[], str], said: str) -> None:
    path = tmp_path / "file"
    path.write_text(content if isinstance(content, str) else content())
    with pytest.raises(DataFault) as caught:
        run([str(path)], Rules())
    assert said in str(caught.value)
    assert caught.value.where == str(path)
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["../nope.json", "."])
def test_what_is_no_file(name: str) -> None:
    with pytest.raises(DataFault):
        run([name], Rules())


@pytest.mark.parametrize("data", [bytes(range(256)) * 20, b"value\n1\0\n2\n", b"value\n1\n\xff\n"])
def test_binary(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(DataFault):
        run([str(path)], Rules())


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(MAX_TEXT + 1)
    with pytest.raises(DataFault, match="bytes") as caught:
        run([str(path)], Rules())
    assert "at most" in caught.value.remedy


@pytest.mark.parametrize("reader", registry.READERS, ids=lambda reader: reader.name)
@pytest.mark.parametrize(
    "name",
    [
        "hyperfine/fixed-order.json",
        "pyperf/old.json",
        "google-benchmark/repetitions.json",
        "go/count.txt",
        "pgbench/rate.102",
        "hlog/rate.hlog",
        "pytest-benchmark/rounds.json",
        "jmh/modes.json",
        "k6/closed.json",
        "criterion/all/sort/unstable/100/kept/raw.csv",
    ],
)
def test_a_file_cut_anywhere_or_read_as_another_format_never_crashes(reader: registry.Reader, name: str) -> None:
    data = (FIXTURES / name).read_bytes()
    for part in (1, 2, 3, 7, len(data) // 3, len(data) // 2, len(data) - 3, len(data)):
        source = Source(name, data[:part])
        reader.recognises(source)
        try:
            reader.read(source)
        except WeighError as error:
            assert error.where == name


def test_names_cannot_command_a_terminal(tmp_path: Path) -> None:
    import io

    from weigh.judge.report import text
    from weigh.render.terminal import ReportConsole

    path = tmp_path / "names.json"
    evil = "a\x1b[31m\n[bold]"
    results = [{"command": name, "times": [1.0, 1.1, 1.2, 1.1, 1.3]} for name in (evil, "b")]
    path.write_text(json.dumps({"results": results}))
    console = ReportConsole(file=io.StringIO(), width=118)
    console.print(text(run([str(path)], Rules())))
    assert isinstance(console.file, io.StringIO)
    assert "\x1b" not in console.file.getvalue()
    assert "a\\x1b[31m [bold]" in console.file.getvalue()
