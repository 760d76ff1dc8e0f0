"""``weigh runs``, ``weigh open``, and ``latest`` as a name of evidence."""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

import pytest

import weigh as face
from support.evidence_folders import written_ladder, written_load, written_run
from support.experiment_records import record
from support.sessions import changed, written
from weigh.evidence import journal
from weigh.kinds.folder import resolve

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

HEADLESS = {"PATH": "/nonexistent", "DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}


def aged(folder: Path, seconds: float) -> Path:
    """As if it had been written so long ago."""
    (file,) = (folder / name for name in (journal.NAME, "ladder.json") if (folder / name).exists())
    at = file.stat().st_mtime - seconds
    os.utime(file, (at, at))
    return folder


@pytest.fixture
def root(weigh: Weigh) -> Path:
    """The folder that evidence goes to."""
    return weigh.folder / "runs"


def test_all_kinds_are_listed_newest_first(weigh: Weigh, root: Path) -> None:
    load = aged(written_load(root), 100)
    ladder = aged(written_ladder(root), 50)
    killed = written(root, changed(record(), end=None))
    for rung in face.open(ladder).rungs:
        aged(rung.path, 60)
    rows = weigh("runs", "--json").json["runs"]
    assert [row["kind"] for row in rows] == ["run", "ladder", "run", "run", "load"]
    assert [rows[0]["evidence"], rows[1]["evidence"], rows[-1]["evidence"]] == [
        f"runs/{folder.name}" for folder in (killed, ladder, load)
    ]
    assert [row["end"] for row in rows] == [None, None, "complete", "complete", "complete"]
    assert rows[0]["workload"] == "tpch"
    assert rows[0]["about"].startswith("duckdb@2.0.0, duckdb@1.5.5, chdb@4.4.0")
    assert rows[1]["about"].startswith("2 of 3 rungs: ")
    assert rows[-1] == {
        "evidence": f"runs/{load.name}", "kind": "load", "written": rows[-1]["written"], "workload": "ycsb-b",
        "about": "valkey:embedded", "says": rows[-1]["says"], "tier": rows[-1]["tier"],
        "end": "complete", "error": None,
    }  # fmt: skip
    assert rows[-1]["says"]
    assert rows[2]["tier"] in ("conclusive", "suggestive", "inadmissible")
    printed = weigh("runs").out.splitlines()
    assert f"     {rows[2]['says']} [{rows[2]['tier'].upper()}]" in printed
    lines = [line for line in printed if not line.startswith(" ")]
    assert [line.split()[0] for line in lines] == [row["evidence"] for row in rows]
    assert "(not ended)" in lines[0]
    assert "ended" not in lines[-1]


def test_what_is_damaged_is_listed_and_what_recorded_nothing_is_not(weigh: Weigh, root: Path) -> None:
    folder = aged(written_run(root), 10)
    path = folder / journal.NAME
    path.write_bytes(b"{\n" + path.read_bytes())
    (root / "notes").mkdir()
    empty = root / "20260101-aaaaaaaaaaaa-1"
    empty.mkdir()
    (empty / journal.NAME).touch()
    (row,) = weigh("runs", "--json").json["runs"]
    assert row["evidence"] == f"runs/{folder.name}"
    assert row["error"] == "its journal does not begin as it should"
    assert row["error"] in weigh("runs").out


def test_a_folder_that_is_empty_or_not_there(weigh: Weigh) -> None:
    run = weigh("runs")
    assert run.code == 2
    assert "runs: there is no such directory" in run.err
    (weigh.folder / "other").mkdir()
    run = weigh("runs", "--out", "other")
    assert (run.code, run.out) == (0, "")
    assert "no evidence in other" in run.err
    assert weigh("runs", "--out", "other", "--json").json == {
        "schema": "weigh/runs/1", "folder": "other", "runs": [], "beside": [],
    }  # fmt: skip


def test_what_else_weigh_wrote_is_named(weigh: Weigh, root: Path) -> None:
    written_run(root)
    for folder, file in (("why-x", "why.json"), ("my traffic", "capture.json"), ("h", "ab.history.json")):
        (root / folder).mkdir()
        (root / folder / file).write_text("{")
    (root / "link").symlink_to(root / "h")
    run = weigh("runs")
    assert len(run.out.splitlines()) == 2
    assert run.err.splitlines() == [
        "no evidence, but a history: runs/h  (weigh history show --from runs/h)",
        "no evidence, but a capture: runs/my traffic  (weigh load 'runs/my traffic' --target TARGET)",
        "no evidence, but why something changed: runs/why-x  (runs/why-x/why.html)",
    ]
    found = weigh("runs", "--json").json["beside"]
    assert [one["path"] for one in found] == ["runs/h", "runs/my traffic", "runs/why-x"]


@pytest.mark.long
def test_latest_is_the_newest(weigh: Weigh, root: Path) -> None:
    run = weigh("report", "latest")
    assert run.code == 2
    assert "runs: there is no such directory" in run.err
    load = written_load(root)
    older = aged(written_run(root), 3600)
    named = weigh("report", str(load.relative_to(weigh.folder)), "--json")
    assert weigh("report", "latest", "--json").json == named.json
    aged(load, 7200)
    assert weigh("verify", "latest", "--json").json["verification"]["evidence"] == older.name
    # Of another folder, from another place.
    assert resolve(root / "latest") == older
    assert face.open(root / "latest").path == older
    assert weigh("report", "runs/latest").out == weigh("report", "latest").out
    # Two that are one are refused as such, so both were found.
    assert "both name the same session" in weigh("compare", "latest", "latest").err


@pytest.mark.long
def test_an_id_is_found_in_runs_and_no_name_is_the_newest(weigh: Weigh, root: Path) -> None:
    load, run = aged(written_load(root), 100), written_run(root)
    whole = weigh("report", f"runs/{run.name}").out
    experiment = run.name.split("-")[1]
    for name in (run.name, experiment, experiment[:5]):
        assert weigh("report", name).out == whole
    assert weigh("report").out == whole
    assert weigh("verify", load.name).code == 0
    assert "there is no such directory" in weigh("report", experiment[:3]).err
    other = root / run.name.replace(experiment, f"{experiment[:5]}{'0' * 7}")
    shutil.copytree(run, other)
    refused = weigh("report", experiment[:5])
    assert refused.code == 2
    assert "several ids begin so" in refused.err


def test_a_directory_that_is_called_latest_is_meant_itself(weigh: Weigh, root: Path) -> None:
    written_load(root)
    (weigh.folder / "latest").mkdir()
    assert "latest: there is no evidence in it" in weigh("report", "latest").err


def test_nothing_is_the_latest_where_there_is_nothing(weigh: Weigh, root: Path) -> None:
    root.mkdir()
    run = weigh("open", "latest")
    assert (run.code, run.out) == (2, "")
    assert "error: runs: there is no evidence in it" in run.err


@pytest.mark.parametrize(("write", "page"), [(written_load, "report.html"), (written_ladder, "ladder.html")])
def test_the_page_is_opened_in_the_browser(weigh: Weigh, root: Path, write: object, page: str) -> None:
    folder = write(root)  # type: ignore[operator]
    browser = weigh.folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {weigh.folder}/shown\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    run = weigh("open", str(folder), BROWSER=str(browser))
    assert (run.code, run.out, run.err) == (0, f"{folder}/{page}\n", "")
    assert (weigh.folder / "shown").read_text() == f"{(folder / page).as_uri()}\n"


def test_without_a_browser_it_says_where_the_page_lies(weigh: Weigh, root: Path) -> None:
    folder = written_run(root)
    run = weigh("open", "latest", **HEADLESS)
    assert (run.code, run.out) == (0, f"runs/{folder.name}/report.html\n")
    assert "no browser was found" in run.err


def test_of_an_attempt_that_was_killed_a_page_is_made_beside_the_evidence(weigh: Weigh, root: Path) -> None:
    folder = written(root, record())
    before = sorted(path.name for path in folder.iterdir())
    elsewhere = weigh.folder / "temporary"
    elsewhere.mkdir()
    run = weigh("open", "latest", TMPDIR=str(elsewhere), **HEADLESS)
    (made,) = elsewhere.glob("*/report.html")
    assert (run.code, run.out) == (0, f"{made}\n")
    assert made.read_text() == face.open(folder).html()
    assert sorted(path.name for path in folder.iterdir()) == before


def test_what_cannot_be_opened_is_refused(weigh: Weigh) -> None:
    run = weigh("open", "nope")
    assert (run.code, run.out) == (2, "")
    assert "nope: there is no such directory" in run.err


def test_a_folder_is_an_argument_and_a_bundle_that_is_not_there_is_a_file(weigh: Weigh) -> None:
    (weigh.folder / "elsewhere").mkdir()
    assert weigh("runs", "elsewhere").out == weigh("runs", "--out", "elsewhere").out
    assert weigh("runs", "elsewhere").code == 0
    missing = weigh("reproduce", "nope.weigh")
    assert (missing.code, "nope.weigh: there is no such file" in missing.err) == (2, True)


def test_an_attempt_that_came_to_nothing_is_not_the_latest(weigh: Weigh, root: Path) -> None:
    measured = aged(written_load(root), 100)
    began = root / "20270101-aaaaaaaaaaaa-1"
    shutil.copytree(measured, began)
    lines = (measured / journal.NAME).read_bytes().splitlines(keepends=True)
    end = b'{"event":"end","body":{"how":"stopped","reason":"no such table"},"before":""}\n'
    (began / journal.NAME).write_bytes(b"".join([*lines[:2], end]))
    assert resolve(root / "latest") == measured
    assert measured.name in (shown := weigh("report")).out
    assert f"note: the last attempt ended before anything was measured: weigh report runs/{began.name}" in shown.err
    (began / journal.NAME).write_bytes(b"".join([*lines[:-1], end]))
    assert resolve(root / "latest") == began
