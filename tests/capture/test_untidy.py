"""A log as servers really leave it: the known workload in it comes back, and nothing grows with its length."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.captured_workload import WEIGHTS
from support.command import WEIGH
from support.untidy_log import SECRETS, UntidyLog
from weigh.capture.results import CaptureResults, ScriptFound
from weigh.capture.run import Wanted, capture
from weigh.capture.sorting import Sorter
from weigh.capture.templates.skeleton import Skeletons
from weigh.capture.templates.template import Unreadable, of_sql
from weigh.capture.trace import Call
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from pathlib import Path

_MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def captured(log: Path, out: Path) -> tuple[CaptureResults, int]:
    """What a capture by the command line found, and its peak of memory in MiB."""
    command = [sys.executable, "-c", _MEASURED, str(WEIGH), "capture", str(log), "--out", str(out)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    code, peak = map(int, run.stdout.split())
    assert code == 0, run.stderr
    return msgspec.json.decode((out / "capture.json").read_bytes(), type=CaptureResults), peak // 1024


def of_the_20(found: CaptureResults) -> dict[int, ScriptFound]:
    """Scripts by the number of their statement."""
    texts = {one.number: one.text for one in found.statements}
    tables = [(re.search(r"\bt(\d\d)\b", texts[one.statements[0]]), one) for one in found.scripts]
    known = [(int(table[1]), one) for table, one in tables if table]
    assert len(known) == len(dict(known)), "a statement stands in two scripts"
    return dict(known)


@pytest.mark.promise("So they do from a log with entries of many lines, torn entries and lines of several encodings.")
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_known_workload_comes_back_from_an_untidy_log(tmp_path: Path, newline: bytes) -> None:
    log = UntidyLog(lists=100, newline=newline)
    log.write(tmp_path / "log", 500_000)
    found = capture(Wanted(paths=(tmp_path / "log",), cover=1.0), tmp_path / "out", Silence())
    scripts = of_the_20(found)
    assert {number: one.weight for number, one in scripts.items()} == dict(log.calls)
    assert len(scripts) == len(WEIGHTS)
    whole = found.coverage[0]
    assert whole.time is not None
    assert whole.time >= 0.95
    assert found.time_s is not None
    assert sum(one.time_share or 0.0 for one in scripts.values()) * found.time_s == pytest.approx(log.time_s)
    # The laws of their values.
    (uniform,) = scripts[0].parameters
    assert (uniform.kind, uniform.low, uniform.high) == (
        "uniform",
        pytest.approx(1, abs=100),
        pytest.approx(10_000, abs=100),
    )
    state, below = scripts[1].parameters
    assert dict(state.values) == {
        "'open'": pytest.approx(0.7, abs=0.05),
        "'paid'": pytest.approx(0.2, abs=0.05),
        "'sent'": pytest.approx(0.1, abs=0.05),
    }
    assert below.kind == "uniform"
    step, _ = scripts[2].parameters
    assert dict(step.values) == {"1": pytest.approx(0.5, abs=0.1), "5": pytest.approx(0.5, abs=0.1)}
    name, limit = scripts[3].parameters
    assert (name.kind, name.prefix, name.suffix, limit.values) == ("uniform", "'user", "'", (("10", 1.0),))
    # What is not in the scripts is counted, and no secret is anywhere.
    counted = {one.reason: one.number for one in found.left_out}
    assert counted.keys() == {"redacted", "not-utf8", "other-messages", "broken", "accounts", "unreadable"}
    for path in (tmp_path / "out").rglob("*"):
        held = path.read_bytes() if path.is_file() else b""
        assert not [one for one in SECRETS if one.encode() in held], path


@pytest.mark.long
@pytest.mark.promise("Files of any size are read in bounded memory.")
def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    peaks = []
    for size in (25_000_000, 100_000_000):
        log = UntidyLog()
        log.write(tmp_path / "log", size)
        found, peak = captured(tmp_path / "log", tmp_path / str(size))
        peaks.append(peak)
        assert {number: one.weight for number, one in of_the_20(found).items()}.items() <= log.calls.items()
    print(f"peak of memory: {peaks[0]} MiB of a log of 25 MB, {peaks[1]} MiB of one of 100 MB")
    assert peaks[1] < 1_024


def test_calls_are_sorted_whatever_number_of_files_they_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weigh.capture.sorting._RUN", 3)
    monkeypatch.setattr("weigh.capture.sorting._FILES", 4)
    made = [Call(at_s=float((number * 7) % 50), session=str(number), statement=0) for number in range(200)]
    with Sorter(tmp_path) as sorter:
        for call in made:
            sorter.add(call)
        (folder,) = tmp_path.iterdir()
        assert len(list(folder.iterdir())) <= 3 * 4
        # Calls of one moment stay in the order in which they came.
        assert list(sorter.calls()) == sorted(made, key=lambda call: call.at_s)


TEXTS = [
    "SELECT v FROM t WHERE id = {0}",
    "SELECT v FROM t WHERE id = -{0} AND a - {0} > {1}",
    "SELECT {0}::int, 'it''s', $1, {1} FROM t00 AS a1 WHERE \"b 2\" = {0}",
    "SELECT /* don't */ {1} -- {0}\n FROM t",
    "INSERT INTO t VALUES ({0}, {1}), ({0}, NULL)",
    "SELECT E'a\\'{0}', {1}",
    "SELECT $$it's {0}$$, {1}",
    "SELECT x'1f', 1e{0}, {0}.5, .{0}, {1}",
    "SELECT 1; SELECT {1};",
    "SELECT a[{0}:{0}], 'a' {1} FROM t LIMIT {0}",
    "SELECT 'torn {0}",
]


@pytest.mark.parametrize("product", ["postgres", "mysql"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_remembered_template_is_the_one_that_the_tokens_give(product: str, text: str) -> None:
    known = Skeletons(product)  # type: ignore[arg-type]
    for number in ("7", "12", "0", "9001"):
        for literal in ("'x'", "'it''s 5'", "''", "3", "'-- no'", "'/*'", "'\\n'"):
            call = text.format(number, literal)
            try:
                expected = of_sql(call, product)  # type: ignore[arg-type]
            except Unreadable:
                with pytest.raises(Unreadable):
                    known.of(call)
                continue
            assert known.of(call) == expected
