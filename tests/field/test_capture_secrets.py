"""Secrets that stand in a log get nowhere, and what is no secret stays."""

from __future__ import annotations

import random
import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.planted_secrets import FORMATS, WORDS, Planted, found, log, monitor, texts
from weigh.capture.results import CaptureResults
from weigh.capture.trace import Trace

if TYPE_CHECKING:
    from support.command import Run, Weigh

CASE = Path(__file__).parent / "capture-secrets"
WAYS = pytest.mark.parametrize("flags", [(), ("--obfuscate",)], ids=["plain", "obfuscated"])


def captured(weigh: Weigh, *flags: str) -> tuple[Run, CaptureResults]:
    """All of a log."""
    run = weigh("capture", "log", "--out", "out", "--cover", "100%", "--top", "1000", "--quiet", *flags)
    assert run.code == 0, run.err
    return run, msgspec.json.decode((run.folder / "out" / "capture.json").read_bytes(), type=CaptureResults)


@WAYS
def test_of_69_places_no_secret_gets_out(weigh: Weigh, flags: tuple[str, ...]) -> None:
    made = runpy.run_path(str(CASE / "make.py"))
    (weigh.folder / "log").write_text(made["log"]())
    run, held = captured(weigh, *flags)
    assert not [
        one for text in texts(run.folder / "out", run.out + run.err) for one in re.findall(made["SECRETS"], text)
    ]
    # It is reported what that costs.
    counted = {one.reason: one.number for one in held.left_out}
    assert counted["redacted"] >= 180
    assert sum(one.redacted for one in held.statements) >= 140
    assert any("of 208 calls" in note and "hold secrets or may" in note for note in held.notes)
    assert f"{counted['redacted']} values are of calls that hold a secret" in run.out


@WAYS
@pytest.mark.parametrize("kind", FORMATS)
def test_planted_secrets_get_nowhere(weigh: Weigh, kind: str, flags: tuple[str, ...]) -> None:
    planted = Planted(random.Random(f"{kind} {flags}"))
    if kind == "monitor":
        text = monitor(
            [planted.command(form, WORDS[(form + turn * 7) % len(WORDS)]) for turn in range(5) for form in range(47)]
        )
    else:
        calls = [
            call
            for turn in range(2)
            for form in range(93 if kind == "mysql" else 90)
            for call in planted.statements(form, mysql=kind == "mysql", word=WORDS[(form + turn * 11) % len(WORDS)])
        ]
        # Some failed: the server writes the statement with the error.
        text = log(kind, calls, [place % 7 == 6 for place in range(len(calls))])
    assert planted.number >= 150
    (weigh.folder / "log").write_text(text)
    run, held = captured(weigh, *flags)
    assert not found(run.folder / "out", run.out + run.err)
    assert sum(one.redacted for one in held.statements) > 20


def test_what_is_no_secret_stays(weigh: Weigh) -> None:
    plain = (
        "SELECT * FROM orders WHERE id = 7123 AND status = 'open'",
        "SELECT author, title FROM books WHERE author = 'Salt, P.' AND passenger_class = 'second' AND pinned = 'yes'",
        "SELECT tokenize(body) FROM posts WHERE hashtag = '#pinned' AND updated > '2026-01-02 03:04:05'",
        "INSERT INTO parts (key, value) VALUES ('8f14e45f-ceea-467f-a0e6-1c5f2b3d4e5f', '{\"keys\": [1, 2]}')",
        "UPDATE compass SET needle = 123456789012, path = 'users/12/photos/34-ab_1/IMG_2024' WHERE id = 5",
        "SELECT * FROM possessions WHERE name LIKE 'obsession%' LIMIT 100",
        "SELECT /*+ IndexScan(orders) */ id FROM orders WHERE note = 'see https://example.org/a?b=c, a@example.org'",
    )
    (weigh.folder / "log").write_text(log("stderr", [(text, ()) for text in plain] * 3))
    _, held = captured(weigh)
    assert {one.reason for one in held.left_out} == set()
    with Trace(weigh.folder / "out" / "trace.parquet") as trace:
        sent = {trace.header.statements[call.statement].sent(call.parameters)[0] for call in trace.calls()}
    assert sent == set(plain)


def test_what_stands_for_a_secret_has_its_form(weigh: Weigh) -> None:
    secret = (
        "SELECT * FROM u WHERE password = 'hunter2hunter2' AND pin = 739154 AND day = '2026-01-02' "
        "AND b = '\\x00ff00ff' AND id = '8f14e45f-ceea-467f-a0e6-1c5f2b3d4e5f' AND doc = '{\"a\": 1}' LIMIT 100"
    )
    (weigh.folder / "log").write_text(log("stderr", [(secret, ())] * 2))
    captured(weigh)
    with Trace(weigh.folder / "out" / "trace.parquet") as trace:
        first, second = ((call.parameters, call.redacted) for call in trace.calls())
    # Equal ones stay equal.
    assert first == second
    password, pin, day, data, key, document, limit = first[0]
    assert re.fullmatch(r"'redacted-[0-9a-f]{16}'", password or "")
    assert re.fullmatch(r"1\d{5}", pin or "")
    assert re.fullmatch(r"'2026-\d\d-\d\d'", day or "")
    assert re.fullmatch(r"'\\x[0-9a-f]{8}'", data or "")
    assert re.fullmatch(r"'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'", key or "")
    assert re.fullmatch(r"""'\{"redacted": "redacted-[0-9a-f]{16}"\}'""", document or "")
    assert limit == "100"
    assert first[1]
