"""Logs whose lines stand in those of a collector: read, or named as what they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

CASE = Path(__file__).parent / "json-envelope"
LINE = "2026-01-02 03:04:05.096 UTC [60] LOG:  duration: 2.004 ms  statement: select total from orders where id = 7"
SAID = "LOG:  duration: 2.0 ms  statement: select 1"
RECORD = {
    "timestamp": "2026-01-02 03:04:05.096 UTC",
    "pid": 60,
    "error_severity": "LOG",
    "message": LINE.split("LOG:  ")[1],
}


@pytest.mark.parametrize("line", [
    None,
    json.dumps({"log": LINE + "\n", "stream": "stderr", "time": "2026-01-02T03:04:05.1Z"}),
    json.dumps({"log": json.dumps(RECORD) + "\n", "stream": "stderr"}),
    json.dumps({"textPayload": LINE, "insertId": "x", "severity": "INFO"}),
    json.dumps({"jsonPayload": {"message": LINE}, "logName": "x"}),
    json.dumps({"MESSAGE": LINE, "_PID": "60"}),
    json.dumps({"message": LINE, "kubernetes": {"pod": "x"}}),
    json.dumps({"record": RECORD, "logger": "postgres"}),
    f"2026-01-02T03:04:05.1Z stderr F {LINE}",
    f"2026-01-02T03:04:05.1Z stderr P {LINE[:70]}\n2026-01-02T03:04:05.1Z stderr F {LINE[70:]}",
])  # fmt: skip
def test_the_line_inside_is_read(weigh: Weigh, line: str | None) -> None:
    if line is None:
        shutil.copy(CASE / "k8s.json", weigh.folder / "log")
    else:
        (weigh.folder / "log").write_text(f"{line}\n" * 2)
    run = weigh("capture", "log", "--out", "x", "--quiet", "--json")
    assert run.code == 0, run.err
    (statement,) = run.json["statements"]
    assert statement["text"] == "select total from orders where id = $1"
    assert statement["calls"] == (1 if line is None else 2)
    assert statement["time_s"] == pytest.approx(0.002004 * statement["calls"])


@pytest.mark.parametrize(("line", "said", "remedy"), [
    (f"Jan  2 03:04:05 db1 postgres[60]: [4-1] {SAID}", "syslog", "log_destination"),
    (f"<134>1 2026-01-02T03:04:05Z db1 postgres[60]: [4-1] {SAID}", "syslog", "jsonlog"),
    (json.dumps({"severity": "INFO", "txt": LINE}), "the lines are JSON", "jq"),
    (json.dumps({"log": "started", "stream": "stdout"}), "JSON with others in them", "--format"),
])  # fmt: skip
def test_what_is_not_read_is_named(weigh: Weigh, line: str, said: str, remedy: str) -> None:
    (weigh.folder / "log").write_text(f"{line}\n" * 3)
    run = weigh("capture", "log", "--out", "x", "--quiet")
    assert run.code == 2
    assert said in run.err
    assert remedy in run.err
    assert "log_min_duration_statement" not in run.err
