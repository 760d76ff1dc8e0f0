"""Who is not answered, which address leads nowhere, and evidence that was made to harm its reader."""

from __future__ import annotations

import html
import http.client
import json
import os
import shutil
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from serve.conftest import serving
from support.evidence_folders import written_run
from support.served_pages import HOSTILE, rows
from support.sessions import record, written
from weigh.evidence import journal, seal

if TYPE_CHECKING:
    from pathlib import Path

    from serve.conftest import Served


@pytest.mark.promise("It answers browsers that call it 127.0.0.1 or localhost, and nobody else")
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8787", 200), ("localhost", 200), ("LOCALHOST:1", 200), ("[::1]:8787", 200), ("evil.example", 421),
        ("127.0.0.1.evil.example", 421), ("evil.example:8787", 421), ("localhost:8787@evil.example", 421), ("", 421),
        ("localhost|evil.example", 421), ("localhost:", 421), ("0.0.0.0:8787", 421),
    ],
)  # fmt: skip
def test_a_name_that_was_pointed_at_loopback_is_not_answered(every: Served, host: str, status: int) -> None:
    answer = every.ask("/", Host=host)
    assert answer.status == status
    assert ("Evidence in" in answer.text) == (status == 200)


def test_another_site_gets_nothing_and_nothing_is_written(every: Served) -> None:
    assert every.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403
    assert every.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert every.ask("/", method).status == 405
    head = every.ask("/", "HEAD")
    assert (head.status, head.text) == (200, "")
    for name, value in {
        "Cross-Origin-Resource-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "Server": "weigh ",
    }.items():  # fmt: skip
        assert head.headers[name] == value
    policy = head.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8787", 200), ("http://localhost:1", 200), ("http://evil.example", 403), ("null", 403),
        ("https://127.0.0.1.evil.example", 403), ("http://127.0.0.1@evil.example", 403), ("", 403),
    ],
)  # fmt: skip
def test_a_page_of_another_origin_is_not_answered(every: Served, origin: str, status: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", every.server.server_port, timeout=60)
    connection.request("GET", "/", headers={"Origin": origin})
    assert connection.getresponse().status == status
    connection.close()


@pytest.mark.promise("What weigh wrote alongside evidence and is none")
def test_what_is_no_evidence_is_named_and_a_profile_is_shown_in_a_sandbox(tmp_path: Path) -> None:
    inside = tmp_path / "runs"
    for name, file in (("why-a", "why.json"), ("cap", "capture.json"), ("h", "ab.history.json"), ("notes", "x.json")):
        (inside / name).mkdir(parents=True)
        (inside / name / file).write_text("{")
    hostile = inside / f"why-{quote(HOSTILE, safe='<>() ')}"
    shutil.copytree(inside / "why-a", hostile)
    for folder in (inside / "why-a", hostile, inside / "cap"):
        (folder / "why.html").write_text("<html><body><script>alert(1)</script></body></html>")
    (tmp_path / "why-out").mkdir()
    (tmp_path / "why-out" / "why.html").write_text("secret")
    (inside / "why-link").symlink_to(tmp_path / "why-out")
    with serving(inside) as served:
        page = served.ask("/")
        assert "<script" not in page.text
        text = html.unescape(page.text)
        assert "weigh history show" in text
        assert f"weigh load {inside / 'cap'}" in text
        assert "notes" not in text
        assert "why-link" not in text
        assert rows(page.text) == []
        shown = served.ask("/why/why-a")
        assert shown.status == 200
        assert shown.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'; ")
        assert "it is no evidence, and nothing verifies it" in shown.text
        assert served.ask(f"/why/{quote(hostile.name, safe='')}").status == 200
        for target in ("/why/", "/why/notes", "/why/h", "/why/why-link", "/why/..%2fwhy-out", "/why/../why-out"):
            refused = served.ask(target)
            assert (refused.status, "secret" in refused.text) == (404, False)


@pytest.mark.parametrize(
    "target",
    [
        "/evidence/..", "/evidence/../secret", "/evidence/%2e%2e", "/evidence/%2e%2e%2fsecret", "/evidence/..%2fsecret",
        "/evidence/%2fetc", "/evidence//etc", "/evidence/.", "/evidence/", "/evidence/%00", "/../secret", "//etc",
        "/evidence/..%5csecret", "/compare?first=..%2fsecret&second=..%2fsecret", "/compare?first=..&second=.",
        "/compare", "/style.css", "http://evil.example/", "/evidence/%ff%fe", "/evidence/" + "x" * 5000,
    ],
)  # fmt: skip
def test_no_address_leads_out_of_the_folder(tmp_path: Path, target: str) -> None:
    inside = tmp_path / "runs"
    written_run(inside)
    shutil.copytree(next(inside.iterdir()), tmp_path / "secret")
    with serving(inside) as served:
        answer = served.ask(target)
        assert answer.status in (400, 404, 421)
        assert "Against duckdb" not in answer.text


def test_evidence_that_was_made_to_harm_its_reader(tmp_path: Path) -> None:
    honest = written_run(tmp_path)
    named = honest.rename(tmp_path / f"{quote(HOSTILE, safe='<>() ')}")
    shutil.copytree(named, tmp_path / os.fsdecode(b"x\xff<b>\x1b]0;t\x07"))
    document = json.loads((named / "verdicts.json").read_text())
    document["experiment"]["workload"] = document["contenders"][0]["name"] = HOSTILE * 50
    document["tier"]["name"] = 'x" onclick="alert(1)'
    for one in document["verdicts"]:
        one["operation"] = one["contender"] = HOSTILE
    (named / "verdicts.json").write_text(json.dumps(document))
    (named / seal.SEAL).unlink()
    damaged = {
        "nested": b"[" * 300_000,
        "not-json": b"\xff\x00",
        "other": b"{}",
        "list": b"[]",
        "wide": b'"' + b"x" * 9_000_000,
    }
    for name, content in damaged.items():
        folder = shutil.copytree(named, tmp_path / name)
        (folder / "verdicts.json").write_bytes(content)
    for name in ("pipe", "link", "headless"):
        folder = shutil.copytree(named, tmp_path / name)
        (folder / ("verdicts.json" if name != "headless" else journal.NAME)).unlink()
        if name == "pipe":
            os.mkfifo(folder / "verdicts.json")
        elif name == "link":
            (folder / "verdicts.json").symlink_to("/etc/passwd")
        else:
            (folder / journal.NAME).write_bytes(b"{}\n" * 3)
    with serving(tmp_path) as served:
        page = served.ask("/")
        assert page.status == 200
        assert len(rows(page.text)) == len(list(tmp_path.iterdir()))
        assert "<script" not in page.text
        assert "<b>" not in page.text
        assert 'onclick="' not in page.text
        assert all(char.isprintable() or char == "\n" for char in page.text)
        for one in rows(page.text):
            answer = served.ask(f"/evidence/{one}")
            assert answer.status in (200, 404, 500)
            assert "<script" not in answer.text
            answer = served.ask(f"/compare?first={quote(one)}&second={quote(one)}")
            assert answer.status in (200, 404, 500)
            assert "<script" not in answer.text
            chosen = served.ask(f"/?first={quote(one)}&name=%3Cscript%3E")
            assert chosen.status == 200
            assert "<script" not in chosen.text
            assert "compare with it" in served.ask(f"/?first={quote(one)}").text
        assert "root:" not in page.text


def test_a_journal_that_is_too_large_for_a_page(tmp_path: Path) -> None:
    folder = written(tmp_path, record())
    os.truncate(folder / journal.NAME, 2 << 30)
    with serving(tmp_path) as served:
        assert rows(served.ask("/").text) == [folder.name]
        answer = served.ask(f"/evidence/{folder.name}")
        assert answer.status == 404
        assert "its journal has 2048 MiB" in answer.text
