"""Evidence as CI systems keep it: unpacked under another name, one folder deeper, read-only, without its times."""

from __future__ import annotations

import os
import shutil
import zipfile
from typing import TYPE_CHECKING

import msgspec
import pytest

from golden import made
from support import load_comparison_records, sessions
from support.command import Weigh
from support.evidence_folders import sealed_run, sealed_servers, written_load
from weigh.evidence import sealing
from weigh.evidence.journal import Event, Journal
from weigh.experiment import record
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report import files as ladder_files

if TYPE_CHECKING:
    from pathlib import Path

AWKWARD = ("weigh-linux-7", "results (1) [x] *", "-1", "20201231-another-9", "été")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two attempts of one experiment."""
    root = tmp_path_factory.mktemp("runs")
    return sealed_run(root, made.agreed()), sealed_run(root, made.agreed())


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


def unpacked(folder: Path, to: Path) -> Path:
    """A copy by way of an archive, which keeps neither times nor execute bits; nobody may write to it."""
    to.parent.mkdir(parents=True, exist_ok=True)
    archive = to.with_name(f"{to.name}.zip")
    with zipfile.ZipFile(archive, "w") as written:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                written.writestr(str(path.relative_to(folder)), path.read_bytes())
    with zipfile.ZipFile(archive) as read:
        read.extractall(to)
    archive.unlink()
    for path in to.rglob("*"):
        os.utime(path, (315_532_800, 315_532_800))
        path.chmod(0o555 if path.is_dir() else 0o444)
    return to


@pytest.mark.long
@pytest.mark.parametrize("name", AWKWARD)
def test_a_first_attempt_verifies_under_any_name(weigh: Weigh, runs: tuple[Path, Path], name: str) -> None:
    unpacked(runs[0], weigh.folder / name)
    verified = weigh("verify", f"./{name}")
    assert (verified.code, f"{name} passes" in verified.out) == (0, True), verified.out


@pytest.mark.long
def test_everything_that_reads_evidence_reads_it_renamed(weigh: Weigh, runs: tuple[Path, Path]) -> None:
    for folder, name in zip(runs, ("artefact-b", "artefact-a"), strict=True):
        unpacked(folder, weigh.folder / "all" / name)
    second = "all/artefact-a"
    assert weigh("verify", second).code == 0
    assert weigh("verify", "all/latest").code == 0
    for flags in (("--json",), ("--html", "-")):
        assert weigh("report", second, *flags).out == weigh("report", str(runs[1]), *flags).out
    for form in ("csv", "junit", "benchfmt", "openmetrics", "bencher"):
        exported = [weigh("export", place, "--format", form) for place in (second, str(runs[1]))]
        assert exported[0].code == 0
        assert exported[0].out == exported[1].out
    added = weigh("history", "add", second, "--json").json["added"]
    assert [(one["evidence"], one["kind"]) for one in added] == [(runs[1].name, "run")]
    day = runs[1].name[:8]
    (q1, *_) = weigh("history", "show", "--json").json["series"]
    assert {point["at"][:10].replace("-", "") for point in q1["points"]} == {day}
    # It is the same evidence, whatever it is called.
    assert [one["added"] for one in weigh("history", "add", str(runs[1]), "--json").json["added"]] == [False]


@pytest.mark.long
def test_a_new_name_hides_no_earlier_attempt(weigh: Weigh, runs: tuple[Path, Path]) -> None:
    for name in ("alone", f"20260101-{runs[0].name[9:]}", runs[0].name):
        place = unpacked(runs[1], weigh.folder / name / name)
        run = weigh("verify", str(place))
        assert run.code == 1
        # One that looks like the first attempt's does not follow from what the evidence says of itself.
        assert (f"T8.missing ../{runs[0].name}: this attempt was removed" in run.out) or "R4.figures" in run.out
        shutil.rmtree(weigh.folder / name)
    # Nor does another evidence in its place.
    unpacked(runs[1], weigh.folder / "second")
    other = unpacked(sealed_run(weigh.folder / "made", made.agreed(noise=0.03)), weigh.folder / runs[0].name)
    assert weigh("verify", "second").code == 1
    assert weigh("verify", str(other)).code == 0


def test_what_is_changed_is_found_under_any_name(weigh: Weigh, runs: tuple[Path, Path]) -> None:
    place = unpacked(runs[0], weigh.folder / "artefact")
    (place / "report.txt").chmod(0o644)
    (place / "report.txt").write_text("all is well\n")
    run = weigh("verify", "artefact")
    assert (run.code, "R4.hash report.txt" in run.out, "R4.figures report.txt" in run.out) == (1, True, True)


def test_one_folder_deeper(weigh: Weigh, runs: tuple[Path, Path]) -> None:
    unpacked(runs[0], weigh.folder / "artefact" / "runs" / "x")
    for words in (("verify",), ("report",), ("export", "--format", "csv"), ("history", "add")):
        assert weigh(*words, "artefact").code in (0, 3), words
    # Where there are two, one is to be named.
    unpacked(runs[0], weigh.folder / "artefact" / "runs" / "y")
    refused = weigh("verify", "artefact")
    assert (refused.code, "internal error" in refused.err) == (2, False)


@pytest.mark.long
def test_loads_and_ladders(weigh: Weigh, runs: tuple[Path, Path]) -> None:
    load = unpacked(written_load(weigh.folder / "made"), weigh.folder / "load 1")
    record = load_comparison_records.comparison(load_comparison_records.spec(5))
    servers = unpacked(sealed_servers(weigh.folder / "made", record), weigh.folder / "servers-2-3")
    for folder in (load, servers):
        assert weigh("verify", str(folder)).code == 0
        assert weigh("report", str(folder)).code in (0, 3)
    plan = LadderPlan(scales=(1.0,), experiments=(runs[0].name.split("-")[1],), command="weigh ladder")
    ladder = ladder_files.write(runs[0].parent, plan, [(1.0, runs[0])])
    unpacked(runs[0], weigh.folder / "ladders" / "a rung")
    renamed = unpacked(ladder, weigh.folder / "ladders" / "a ladder")
    verified = weigh("verify", str(renamed))
    assert verified.code == 0, verified.out
    assert weigh("report", str(renamed), "--json").out == weigh("report", str(ladder), "--json").out
    shutil.rmtree(ladder)


def test_a_copy_of_today_keeps_the_time_of_the_recording(weigh: Weigh) -> None:
    """Whoever copies or clones evidence gives its files the minute of the copy."""
    recorded = sessions.written(weigh.folder / "runs", sessions.changed(made.agreed(), end=None))
    written = recorded / "journal.jsonl"

    def listed_after_a_copy() -> str:
        later = written.stat().st_mtime + 7200
        os.utime(written, (later, later))
        return str(weigh("runs", "--json").json["runs"][0]["written"])

    unknown = listed_after_a_copy(), listed_after_a_copy()
    assert unknown[0] != unknown[1], "of what was killed before it said when it began nothing else is known"
    with sealing.sealed(recorded, Journal(recorded), sealing.End(how="complete")):
        pass
    assert listed_after_a_copy() == listed_after_a_copy()


def test_a_copy_of_what_was_killed_has_the_time_at_which_it_began(weigh: Weigh) -> None:
    one = sessions.changed(made.agreed(), end=None)
    written = sessions.written(weigh.folder / "runs", one) / "journal.jsonl"
    _, rest = written.read_text().split("\n", 1)
    opened = msgspec.json.encode(Event("opened", msgspec.to_builtins(record.opened(1, one.spec)))).decode()
    written.write_text(f"{opened}\n{rest}")
    later = written.stat().st_mtime + 7200
    before = weigh("runs", "--json").json["runs"][0]["written"]
    os.utime(written, (later, later))
    assert weigh("runs", "--json").json["runs"][0]["written"] == before
