"""A known workload, captured: its weights, values and arrivals come back."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, get_args

import msgspec
import pytest

from support.captured_workload import RATE, WEIGHTS, calls, json_log, statement, stderr_log, totals_csv
from weigh.capture.entry import Reason, sentence
from weigh.capture.report import lines
from weigh.capture.results import CaptureResults
from weigh.capture.run import Wanted, capture
from weigh.capture.trace import Trace
from weigh.model.errors import UsageError
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from pathlib import Path


def captured(path: Path, out: Path, **asked: object) -> CaptureResults:
    found = capture(Wanted(paths=(path,), **asked), out, Silence())  # type: ignore[arg-type]
    assert msgspec.json.decode((out / "capture.json").read_bytes(), type=CaptureResults) == found
    return found


@pytest.mark.long
@pytest.mark.promise("The weights of a known workload of 20 statements come back from its log within 2 %.")
def test_weights_and_coverage_come_back(tmp_path: Path) -> None:
    made = calls("poisson")
    path = tmp_path / "log.json.gz"
    path.write_bytes(gzip.compress("".join(json_log(made)).encode()))
    found = captured(path, tmp_path / "out", cover=1.0)
    assert found.calls == len(made) == 5_000
    shares = {re.search(r"t\d\d", one.text)[0]: one.calls / found.calls for one in found.statements}  # type: ignore[index]
    for number, weight in enumerate(WEIGHTS):
        assert shares[f"t{number:02}"] == pytest.approx(weight / sum(WEIGHTS), rel=0.02)
    whole = found.coverage[0]
    assert whole.calls == pytest.approx(1.0)
    assert whole.time is not None
    assert whole.time >= 0.95
    assert not found.left_out
    with Trace(tmp_path / "out" / "trace.parquet") as trace:
        kept = list(trace.calls())
    assert [one.at_s for one in kept] == sorted(one.at_s for one in kept)
    sent = [trace.header.statements[one.statement].sent(one.parameters)[0] for one in kept]
    assert sorted(sent) == sorted(text for _, text, _, _ in made)


@pytest.mark.promise("From `pg_stat_statements` they come back as the server counted them.")
def test_totals_give_the_same_weights_and_no_query_of_weigh(tmp_path: Path) -> None:
    made = calls()
    (tmp_path / "statements.csv").write_text(totals_csv(made))
    found = captured(tmp_path / "statements.csv", tmp_path / "out", cover=1.0)
    assert found.calls == len(made)
    counted = {re.search(r"t\d\d", one.text)[0]: one.calls for one in found.statements}  # type: ignore[index]
    assert counted == {f"t{number:02}": 5 * weight for number, weight in enumerate(WEIGHTS)}
    told = {one.reason: f"{one.number:,} {one.text}" for one in found.left_out}
    assert told["own"] == "1 call is of weigh capture itself, when it asked this server: nowhere in the output"
    assert "weigh capture */" not in (tmp_path / "out" / "capture.json").read_text()


@pytest.mark.long
@pytest.mark.promise("Constant arrivals, Poisson's and bursts are distinguished.")
@pytest.mark.parametrize("kind", ["constant", "poisson", "bursts"])
def test_the_law_of_arrivals_comes_back(tmp_path: Path, kind: str) -> None:
    (tmp_path / "log").write_text("".join(stderr_log(calls(kind, 3_000))))
    found = captured(tmp_path / "log", tmp_path / "out").arrivals
    assert found is not None
    assert (found.law, found.fits) == (kind, True)
    if kind == "bursts":
        assert found.peak == pytest.approx(4, rel=0.25)
        assert found.burst_s == pytest.approx(1.0, rel=0.25)
    else:
        assert found.rate == pytest.approx(RATE, rel=0.05)


def test_values_come_back_as_distributions(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(stderr_log(calls("poisson", 2_000))))
    found = captured(tmp_path / "log", tmp_path / "out")
    scripts = {one.name.split("-")[-1]: one for one in found.scripts}
    (uniform,) = scripts["t00"].parameters
    assert (uniform.kind, uniform.low, uniform.high) == (
        "uniform",
        pytest.approx(1, abs=50),
        pytest.approx(10_000, abs=50),
    )
    state, _ = scripts["t01"].parameters
    assert state.kind == "frequent"
    assert dict(state.values) == {
        "'open'": pytest.approx(0.7, abs=0.05),
        "'paid'": pytest.approx(0.2, abs=0.05),
        "'sent'": pytest.approx(0.1, abs=0.05),
    }
    name, limit = scripts["t03"].parameters
    assert (name.prefix, name.suffix, name.kind, limit.kind) == ("'user", "'", "uniform", "constant")
    text = next((tmp_path / "out" / "scripts").glob("*t03.sql")).read_text()
    assert "concat('''user', random(" in text
    assert "WHERE name = :p1 ORDER BY id LIMIT 10;" in text


def test_one_of_them_is_said_of_one() -> None:
    assert sentence("rare", 1) == (
        "call is of the rarest statements, beyond what --cover and --top ask for: in no script"
    )
    assert sentence("redacted", 1) == (
        "value is of calls that hold a secret or may hold one, or look random: another of the same form stands there"
    )
    for reason in get_args(Reason):
        one, several = sentence(reason, 1), sentence(reason, 2)
        assert one == several or (" are " not in one and " were " not in one)
        assert not several.endswith(" ")


def test_one_call_and_a_second_are_said_as_such(tmp_path: Path) -> None:
    (tmp_path / "one").write_text('1700000000.000001 [0 127.0.0.1:5] "GET" "k"\n')
    one = captured(tmp_path / "one", tmp_path / "out")
    said = list(lines(msgspec.structs.replace(one, length_s=0.99996), "my trace"))
    assert said[0].endswith(": 1 call in 1 s")
    assert said[-1].startswith("next: weigh load replay 'my trace' --target redis://HOST")


LOG = "2026-11-02 10:00:0{0}.{1:03} UTC [77] {2}\n"


def log(*lines: str) -> str:
    return "".join(LOG.format(place // 1000, place % 1000, line) for place, line in enumerate(lines))


def test_transactions_stay_together_and_equal_values_are_one_variable(tmp_path: Path) -> None:
    pays = []
    for aid in range(100, 160):
        pays += [
            "LOG:  duration: 0.010 ms  statement: BEGIN",
            f"LOG:  duration: 0.020 ms  execute <unnamed>: UPDATE a SET v = v + $1 WHERE id = $2\n"
            f"2026-11-02 10:00:00.000 UTC [77] DETAIL:  Parameters: $1 = '5', $2 = '{aid * 7}'",
            f"LOG:  duration: 0.020 ms  execute s: SELECT v FROM a WHERE id = $1\n"
            f"2026-11-02 10:00:00.000 UTC [77] DETAIL:  Parameters: $1 = '{aid * 7}'",
            "LOG:  duration: 0.010 ms  statement: COMMIT",
        ]
    (tmp_path / "log").write_text(log(*pays))
    found = captured(tmp_path / "log", tmp_path / "out")
    (script,) = found.scripts
    assert (script.weight, script.groups, found.transactions) == (60, (0, 1, 1), 60)
    text = next((tmp_path / "out" / "scripts").iterdir()).read_text()
    assert [line for line in text.splitlines() if line.endswith(";")] == [
        "BEGIN;",
        "UPDATE a SET v = v + :p1 WHERE id = :p2;",
        "SELECT v FROM a WHERE id = :p2;",
        "COMMIT;",
    ]
    assert found.protocol == "prepared"


def test_new_keys_go_on_behind_the_last_one(tmp_path: Path) -> None:
    lines = [
        line
        for key in range(1000, 1030)
        for line in (
            f"LOG:  duration: 1.0 ms  statement: INSERT INTO o VALUES ({key}, 'x')",
            f"LOG:  duration: 1.0 ms  statement: UPDATE o SET v = 1 WHERE id = {key}",
        )
    ]
    (tmp_path / "log").write_text(log(*lines))
    found = captured(tmp_path / "log", tmp_path / "out")
    kinds = {one.name.split("-")[1]: one.parameters[-2].kind for one in found.scripts if len(one.parameters) > 1}
    assert kinds == {"insert": "sequence", "update": "constant"}
    text = next((tmp_path / "out" / "scripts").glob("*insert*")).read_text()
    counter = re.search(r"\\set (made_\w+) :\1 \+ 1", text)
    assert counter is not None
    assert f"\\set p1 1030 + :client_id * 10000000 + :{counter[1]}" in text
    assert f'"{counter[1]}" = 0' in (tmp_path / "out" / "weigh.toml").read_text()
    assert not [
        one for one in found.scripts for each in one.parameters if "update" in one.name and each.kind == "sequence"
    ]


@pytest.mark.promise("None of them is written anywhere.")
def test_secrets_get_nowhere(tmp_path: Path) -> None:
    secrets = [
        "hunter2hunter2",
        "s3cr3t-pw",
        "ghp_abcdefghijklmnop1234",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0",
        "pw99pw99",
    ]
    lines = [
        f"LOG:  duration: 1.0 ms  statement: CREATE ROLE bob LOGIN PASSWORD '{secrets[0]}'",
        f"LOG:  duration: 1.0 ms  statement: ALTER USER bob WITH ENCRYPTED PASSWORD '{secrets[0]}'",
        f"LOG:  duration: 1.0 ms  statement: SELECT * FROM users WHERE mail = 'a@b' AND password = '{secrets[1]}'",
        f"LOG:  duration: 1.0 ms  statement: UPDATE hooks SET url = 'https://bob:{secrets[4]}@host/x' WHERE id = 7",
        f"LOG:  duration: 1.0 ms  execute a: INSERT INTO calls (head) VALUES ($1)\n"
        f"2026-11-02 10:00:00.000 UTC [77] DETAIL:  Parameters: $1 = '{secrets[2]}'",
        f"LOG:  duration: 1.0 ms  statement: SELECT 1 /* {secrets[3]} */ WHERE 'x' = 'Bearer {secrets[3]}'",
        f"ERROR:  no such role {secrets[0]}",
        f"LOG:  duration: 1.0 ms  statement: SELECT 'torn {secrets[0]}",
        f"{secrets[0]} what no log has",
    ]
    (tmp_path / "log").write_text(log(*lines) + f"{secrets[1]}\n")
    found = captured(tmp_path / "log", tmp_path / "out", cover=1.0)
    counted = {one.reason: one.number for one in found.left_out}
    assert counted["accounts"] == 2
    assert counted["redacted"] >= 4
    assert counted["broken"] >= 1
    assert counted["unreadable"] == 1
    for path in (tmp_path / "out").rglob("*"):
        held = path.read_bytes() if path.is_file() else b""
        assert not [one for one in secrets if one.encode() in held], path
    with Trace(tmp_path / "out" / "trace.parquet") as trace:
        said = json.dumps([msgspec.to_builtins(one) for one in trace.calls()])
    assert not [one for one in secrets if one in said]
    assert "redacted-" in said


def test_what_cannot_be_captured_says_what_to_do(tmp_path: Path) -> None:
    for name, body, said in (
        ("empty", "", "empty"),
        ("other", "one\ntwo\nthree\n", "none of the forms"),
        ("quiet", log("LOG:  checkpoint starting: time"), "no call in it"),
    ):
        (tmp_path / name).write_text(body)
        with pytest.raises(UsageError, match=said) as error:
            captured(tmp_path / name, tmp_path / "out")
        assert error.value.remedy
        assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match="cannot be read"):
        captured(tmp_path / "absent", tmp_path / "out")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    (tmp_path / "log").write_text(
        log(f"LOG:  duration: 1.0 ms  statement: {statement(0, __import__('random').Random(1))}")
    )
    with pytest.raises(UsageError, match="something already"):
        captured(tmp_path / "log", tmp_path / "out")
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["mine"]
