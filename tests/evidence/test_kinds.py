"""The kinds of evidence: one table that the commands and ``weigh.open`` dispatch through."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import weigh
from golden import in_process
from support.command import Run, Weigh
from support.evidence_folders import (
    LOAD_INTERVALS,
    written_ladder,
    written_load,
    written_load_ladder,
    written_reproduction,
    written_run,
    written_servers,
)
from support.streams_made import written_streams
from weigh.evidence import journal
from weigh.history import indexing
from weigh.kinds import table
from weigh.kinds.opened import CLASSES
from weigh.model.verdict import TierName

if TYPE_CHECKING:
    from collections.abc import Callable

WRITERS = {
    "run": written_run,
    "ladder": written_ladder,
    "load-ladder": written_load_ladder,
    "load": written_load,
    "load-comparison": written_servers,
    "reproduction": written_reproduction,
    "streams": written_streams,
}
VERIFY_SCHEMAS = {
    "run": "weigh/verify/1",
    "ladder": "weigh/verify-ladder/1",
    "load-ladder": "weigh/verify-load-ladder/1",
    "load": "weigh/verify-load/1",
    "load-comparison": "weigh/verify-load-comparison/1",
    "reproduction": "weigh/verify-reproduction/1",
    "streams": "weigh/verify-streams/1",
}
TITLES = {
    "run": "weigh tpch",
    "ladder": "weigh ladder tpch",
    "load-ladder": "weigh ladder --load ycsb-b",
    "load": "weigh load ycsb-b",
    "load-comparison": "Under ycsb-b",
    "reproduction": "weigh reproduce",
    "streams": "weigh run --streams",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Evidence of every kind, each in a folder of its own; no test changes it."""
    return {name: write(tmp_path_factory.mktemp(name) / "runs") for name, write in WRITERS.items()}


def test_every_kind_has_its_evidence_here_and_its_class() -> None:
    assert {kind.name for kind in table.KINDS} == WRITERS.keys() == CLASSES.keys()


@pytest.mark.parametrize("name", WRITERS)
def test_a_directory_is_of_one_kind(folders: dict[str, Path], name: str) -> None:
    assert table.kind_of(folders[name]).name == name
    claimed = {kind.name for kind in table.KINDS if kind.recognises(folders[name])}
    # A run is what has a journal and is no load's: the table asks in that order.
    assert claimed - {"run"} == {name} - {"run"}


def test_what_is_no_evidence_is_of_no_kind(tmp_path: Path) -> None:
    assert table.recognised(tmp_path) is None
    with pytest.raises(weigh.errors.EvidenceFault, match="no evidence in it"):
        table.kind_of(tmp_path)


def test_what_is_something_else_says_what_shows_it(folders: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "obfuscation.json").write_text("{}")
    with pytest.raises(weigh.errors.EvidenceFault, match="it is obfuscated data, and no evidence") as caught:
        table.kind_of(tmp_path)
    assert caught.value.remedy == f"weigh data describe {tmp_path}"
    around = next(iter(folders.values())).parent
    with pytest.raises(weigh.errors.EvidenceFault, match="a folder of evidence") as caught:
        table.kind_of(around)
    assert caught.value.remedy == f"{around}/latest is the newest"


@pytest.mark.parametrize("name", WRITERS)
def test_opened_it_says_what_the_commands_say(folders: dict[str, Path], name: str) -> None:
    beside = Weigh(folders[name].parent)
    evidence = _open(folders[name])
    assert type(evidence) is CLASSES[name]
    assert (evidence.kind, evidence.path) == (name, folders[name])
    said = beside("report", folders[name].name, "--json").json
    assert evidence.document() == said
    assert [finding.code for finding in evidence.findings] == [finding["code"] for finding in said["findings"]]
    text = evidence.report()
    assert TITLES[name] in text
    shown = beside("report", folders[name].name, "--verbose")
    assert text.splitlines() == [line.rstrip() for line in shown.out.splitlines()]
    assert evidence.html() == beside("report", folders[name].name, "--html", "-").out
    assert evidence.html() == (folders[name] / table.kind_of(folders[name]).page).read_text()
    assert repr(evidence).startswith(f"<weigh.{type(evidence).__name__} {folders[name].name}: ")


@pytest.mark.parametrize("name", WRITERS)
def test_it_is_verified_by_its_own_rules(folders: dict[str, Path], weigh: Weigh, name: str) -> None:
    found = _open(folders[name]).verify()
    run = weigh("verify", str(folders[name]), "--json")
    assert run.json["schema"] == VERIFY_SCHEMAS[name]
    assert run.json["passed"] == found.passed == (run.code == 0)
    assert run.json["sql"] is None
    text = weigh("verify", str(folders[name])).out
    for problem in found.problems:
        assert f"{problem.code} {problem.file}: {problem.text}" in text
    assert f"{folders[name].name} {'passes' if found.passed else 'FAILS'}" in text


@pytest.mark.parametrize("name", ["run", "load", "load-comparison"])
def test_an_edit_is_found_and_the_last_line_says_fails(tmp_path: Path, weigh: Weigh, name: str) -> None:
    folder = WRITERS[name](tmp_path / "runs")
    (folder / "report.txt").write_text("better")
    found = _open(folder).verify()
    assert not found.passed
    assert ("R4.hash", "report.txt") in {(one.code, one.file) for one in found.problems}
    run = weigh("verify", str(folder))
    assert run.code == 1
    assert run.out.splitlines()[-1] == f"{folder.name} FAILS: {len(found.problems)} problems"


@pytest.mark.parametrize("write", [written_ladder, written_load_ladder])
def test_a_ladder_fails_with_its_rung(tmp_path: Path, weigh: Weigh, write: Callable[[Path], Path]) -> None:
    folder = write(tmp_path / "runs")
    rung = _open(folder).rungs[0].path
    (rung / "report.txt").write_text("better")
    run = weigh("verify", str(folder))
    assert run.code == 1
    assert f"R4.hash {rung.name}/report.txt: it was changed after it was sealed" in run.out
    assert f"{rung.name} FAILS" in run.out
    assert run.out.splitlines()[-1] == f"{folder.name} FAILS"


def test_a_load_has_its_figures(folders: dict[str, Path]) -> None:
    evidence = _open(folders["load"])
    assert (evidence.spec.workload, evidence.spec.target) == ("ycsb-b", "valkey:embedded")
    (figures,) = evidence.runs
    assert figures.operations[0].count == 100 * LOAD_INTERVALS
    assert len(evidence.record.runs[0].intervals) == LOAD_INTERVALS
    assert [len(group.runs) for group in evidence.groups] == [1]
    assert list(evidence.waits) == list(evidence.activity) == [1]
    assert evidence.tier.name in TierName


def test_a_ladder_has_its_rungs(folders: dict[str, Path]) -> None:
    evidence = _open(folders["ladder"])
    assert [rung.spec.scale for rung in evidence.rungs] == [0.1, 1.0]
    assert evidence.plan.scales == (0.1, 1.0, 10.0)
    assert evidence.spec == evidence.rungs[-1].spec
    assert {one.contender for one in evidence.series} == {one.name for one in evidence.spec.contenders}
    assert evidence.first == evidence.document()["first"]
    assert evidence.costs == ()
    tiers = [rung.tier for rung in evidence.rungs]
    assert evidence.tier in tiers
    assert all(list(TierName).index(evidence.tier.name) >= list(TierName).index(tier.name) for tier in tiers)


def test_a_ladder_of_loads_has_its_rungs(folders: dict[str, Path]) -> None:
    evidence = _open(folders["load-ladder"])
    assert [rung.spec.records for rung in evidence.rungs] == [500, 2000]
    assert [step.ratio for step in evidence.plan.steps] == [0.5, 2.0, 10.0]
    assert evidence.spec == evidence.rungs[-1].spec
    assert evidence.outgrown == evidence.document()["outgrown"] == 2.0
    assert evidence.tier in [rung.tier for rung in evidence.rungs]


def test_a_class_does_not_open_another_kind(folders: dict[str, Path]) -> None:
    with pytest.raises(weigh.errors.EvidenceFault, match="it is a load, and not an experiment") as caught:
        weigh.Evidence(folders["load"])
    assert "weigh.open" in caught.value.remedy


@pytest.mark.parametrize("name", ["ladder", "load"])
@pytest.mark.parametrize("second", [False, True])
def test_two_sessions_of_another_kind_are_not_compared(
    folders: dict[str, Path], weigh: Weigh, name: str, second: bool
) -> None:
    pair = (folders["run"], folders[name])
    run = weigh("compare", *map(str, pair if second else pair[::-1]))
    assert (run.code, run.out) == (2, "")
    what, remedy = run.err.splitlines()
    assert what.startswith(f"error: {folders[name]}: it is a {name}, and ")
    assert remedy.strip() == table.kind_of(folders[name]).not_compared.remedy


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("key") / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place)], check=True)
    return place


LADDERS = dict.fromkeys(("ladder", "load-ladder"), "name a rung: {}/../2")
REPRODUCED = {"reproduction": "name what it measured: {}/"}
COMMANDS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "report": (("report", "{}"), {}),
    "report --json": (("report", "{}", "--json"), {}),
    "report --html": (("report", "{}", "--html", "page.html"), {}),
    "report --verbose": (("report", "{}", "--verbose"), {}),
    "report --notes": (
        ("report", "{}", "--notes"),
        dict.fromkeys(("ladder", "load-ladder", "reproduction", "streams"), "its report has its notes: leave it out"),
    ),
    "report --markdown": (
        ("report", "{}", "--markdown"),
        dict.fromkeys(("ladder", "load-ladder", "reproduction", "streams"), "--json and --html are of any kind"),
    ),
    "report --bug": (("report", "{}", "--bug"), dict.fromkeys(WRITERS, "leave out --bug")),
    "verify": (("verify", "{}"), {}),
    "verify --sql": (("verify", "{}", "--sql"), {}),
    "verify --print-sql": (("verify", "{}", "--print-sql"), LADDERS),
    "sign": (("sign", "{}", "--key", "{key}"), {}),
    "verify --key": (("verify", "{}", "--key", "{key}.pub"), {}),
    "export --format citation": (("export", "{}", "--format", "citation"), LADDERS),
    "export --format csv": (
        ("export", "{}", "--format", "csv"),
        dict.fromkeys(WRITERS.keys() - {"run"}, "report --json is of any kind"),
    ),
    "export --bundle": (("export", "{}", "--bundle", "--out", "made.weigh"), {**LADDERS, **REPRODUCED}),
    "reproduce --plan": (
        ("reproduce", "{}", "--plan"),
        {
            **LADDERS,
            **REPRODUCED,
            "load": "leave it out",
            **dict.fromkeys(("load-comparison", "streams"), "its report has the command that made it"),
        },
    ),
    "compare": (("compare", "{}", "{}"), dict.fromkeys(WRITERS, "")),
    "history add": (
        ("history", "add", "{}", "--to", "h"),
        {"reproduction": "name the evidence inside of it", "streams": "weigh run without --streams"},
    ),
    "publish": (("publish", "{}/..", "--out", "site"), {}),
    "why": (
        ("why", "{}"),
        {**LADDERS, **REPRODUCED, **dict.fromkeys(("load", "load-comparison", "load-ladder", "streams"), "weigh run")},
    ),
}
"""Command lines, and of the kinds that they do not take what the remedy names."""
DATA = ("why", "run")
"""It makes the data anew."""


def here(words: list[str], folder: Path) -> Run:
    """The command in this process, as there are a hundred and forty."""
    shown = in_process.weigh(words, folder)
    out, err = (text.replace("/here", str(folder.resolve())) for text in (shown.out, shown.err))
    return Run(shown.code, out, err, folder)


@pytest.mark.parametrize("name", WRITERS)
def test_every_command_takes_every_kind_or_says_what_to_type_instead(name: str, tmp_path: Path, key: Path) -> None:
    folder = WRITERS[name](tmp_path / "runs")
    for command, (words, refused) in COMMANDS.items():
        if (command, name) == DATA:
            continue
        run = here([word.format(folder, key=key) for word in words], tmp_path)
        if name not in refused:
            assert run.code == 0, (command, run.err)
            continue
        # What is wrong, then what to type instead: a directory that is there, where one is to be named.
        assert (run.code, run.out) == (2, ""), command
        remedy = run.err.splitlines()[-1].strip()
        wanted = refused[name].format(folder).replace(f"{folder}/../", f"{folder.parent}/")
        assert wanted in remedy, (command, run.err)
        assert ": /" not in remedy or "journal.jsonl" in {one.name for one in Path(remedy.partition(": ")[2]).iterdir()}


def test_of_a_ladder_each_rung_is_signed_counted_and_checked(tmp_path: Path, weigh: Weigh, key: Path) -> None:
    folder = written_ladder(tmp_path / "runs")
    rungs = [rung.path for rung in _open(folder).rungs]
    checked = ("verify", str(folder), "--key", f"{key}.pub")
    assert "R9.signature" in weigh(*checked).out
    assert weigh("sign", str(folder), "--key", str(key)).out.split() == [str(one / "seal.json.sig") for one in rungs]
    signed = weigh(*checked)
    assert signed.code == 0
    assert [f"{one.name}: signed by that key" in signed.out for one in rungs] == [True, True]
    assert weigh(*checked, "--json").json["signature"].keys() == {one.name for one in rungs}
    (rungs[0] / "seal.json.sig").unlink()
    assert weigh(*checked).code == 1
    figures = [weigh("verify", str(one), "--sql", "--json").json["sql"]["compared"] for one in rungs]
    both = weigh("verify", str(folder), "--sql", "--json").json["sql"]["compared"]
    assert both == {name: figures[0][name] + figures[1][name] for name in figures[0]}


def test_a_journal_that_was_removed_is_evidence_that_fails(tmp_path: Path, weigh: Weigh) -> None:
    folder = written_run(tmp_path)
    (folder / journal.NAME).unlink()
    run = weigh("verify", str(folder))
    assert run.code == 1
    assert f"R4.sealed {journal.NAME}: it is missing" in run.out
    assert "no journal" in weigh("report", str(folder)).err


def test_a_ladder_that_is_none(tmp_path: Path, weigh: Weigh) -> None:
    (tmp_path / "ladder.json").write_text(json.dumps({"schema": "weigh/ladder/1"}))
    run = weigh("report", str(tmp_path))
    assert run.code == 2
    assert "the ladder cannot be read" in run.err


def test_the_table_costs_nothing() -> None:
    code = (
        "import sys, weigh.kinds.table, weigh.kinds.folder; "
        "from weigh.cli.evidence import open, report, runs, verify; "
        "heavy = {'numpy', 'scipy', 'pyarrow', 'msgspec', 'rich', 'webbrowser'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def _open(folder: Path) -> Any:
    return weigh.open(folder)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_history_takes_each_kind_or_says_why_not(folders: dict[str, Path], tmp_path: Path, kind: str) -> None:
    added = Weigh(tmp_path)("history", "add", str(folders[kind]), "--to", "h")
    assert "nothing can be computed" not in added.err
    refusal = next(one for one in table.KINDS if one.name == kind).not_in_history
    assert refusal is None or (added.code == 2 and refusal.what in " ".join(added.err.split()))


def test_every_kind_is_indexed_has_rungs_or_is_refused_by_a_history() -> None:
    indexed = {"run", *indexing._LOADS}
    assert indexed == {one.name for one in table.KINDS if not one.has_rungs and one.not_in_history is None}
