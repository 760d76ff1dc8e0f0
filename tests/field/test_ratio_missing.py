"""The plain ratio of the medians stands in every row that is refused for want of figures, marked as no verdict."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest

from support import experiment_records, load_comparison_records
from support.command import Weigh
from support.evidence_folders import sealed_run, sealed_servers
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report import files as ladder_files

FOLDER = Path(__file__).with_name("ratio-missing")
FIXED_ORDER = Path(__file__).parents[1] / "fixtures" / "judge" / "hyperfine" / "fixed-order.json"
MARK = "plain ratio, no verdict"


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


@pytest.fixture(scope="module")
def two_starts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    record = experiment_records.record(operations=("q1",), contenders=("old", "new"), starts=2, noise=0.001)
    return sealed_run(tmp_path_factory.mktemp("runs"), experiment_records.slowed(record, "new"))


def words(text: str) -> str:
    return " ".join(text.split())


def test_judge_of_too_few_starts(weigh: Weigh) -> None:
    for path in FOLDER.iterdir():
        shutil.copy(path, weigh.folder)
    run = weigh("judge", "old.txt", "new.txt")
    assert run.code == 3
    (row,) = (line for line in run.out.splitlines() if line.startswith("  new"))
    assert "(1.405)" in row
    assert f"REFUSED (T10.starts); {MARK}" in words(row + " " + run.out.split(row)[1].splitlines()[1])
    document = weigh("judge", "old.txt", "new.txt", "--json").json
    (verdict,) = document["verdicts"]
    assert (verdict["ratio"], verdict["low"], round(verdict["plain_ratio"], 3)) == (None, None, 1.405)
    assert "<td>(1.405)</td>" in weigh("judge", "old.txt", "new.txt", "--html", "-").out
    # It decides nothing.
    assert weigh("judge", "old.txt", "new.txt", "--baseline", "old").code == 3


def test_judge_of_one_after_the_other(weigh: Weigh) -> None:
    run = weigh("judge", str(FIXED_ORDER), "--json").json
    (verdict,) = run["verdicts"]
    old, new = (one["median"] for one in run["timings"])
    assert (verdict["verdict"], verdict["reasons"][0]["code"], verdict["ratio"]) == ("refused", "T5", None)
    assert verdict["plain_ratio"] == pytest.approx(new / old)


def test_a_run_of_too_few_starts(weigh: Weigh, two_starts: Path) -> None:
    document = weigh("report", str(two_starts), "--json").json
    (wall,) = (one for one in document["verdicts"] if one["metric"] == "wall_s")
    plain = wall["plain_ratio"]
    assert (wall["verdict"], wall["ratio"], plain > 1.05) == ("refused", None, True)
    assert all(one["mean"] is None for one in document.get("suites", ()))
    for flags in ((), ("--markdown",)):
        assert f"(plain ratio {plain:.3f}, no verdict)" in words(weigh("report", str(two_starts), *flags).out), flags
    whole = words(weigh("report", str(two_starts), "--verbose").out)
    assert f"({plain:.3f})" in whole
    assert MARK in whole
    assert f"({plain:.3f})" in weigh("report", str(two_starts), "--html", "-").out
    rows = list(csv.DictReader(io.StringIO(weigh("export", str(two_starts), "--format", "csv").out)))
    (own,) = (row for row in rows if row["contender"] == "new" and row["metric"] == "wall_s")
    assert (own["verdict"], own["ratio"], float(own["plain_ratio"])) == ("refused", "", pytest.approx(plain))


def test_what_may_not_be_shown_has_none(weigh: Weigh, tmp_path: Path) -> None:
    """The honest twins: a verdict has its own ratio, and who is disqualified has none at all."""
    from weigh.model.finding import Finding

    lazy = Finding(code="A5.lazy", severity="error", text="lazy", remedy="consume", contender="new", operation="q1")
    asked = {"operations": ("q1", "q2"), "contenders": ("old", "new"), "noise": 0.001}
    out = sealed_run(tmp_path / "a", experiment_records.record(starts=2, findings=(lazy,), **asked))  # type: ignore[arg-type]
    found = weigh("report", str(out), "--json").json["verdicts"]
    assert {(one["verdict"], one["plain_ratio"]) for one in found if one["metric"] == "wall_s"} == {("refused", None)}
    enough = sealed_run(tmp_path / "b", experiment_records.record(**asked))  # type: ignore[arg-type]
    verdicts = weigh("report", str(enough), "--json").json["verdicts"]
    assert all(one["plain_ratio"] is None for one in verdicts)
    assert any(one["ratio"] for one in verdicts)


def test_a_ladder_of_such_runs(weigh: Weigh, two_starts: Path) -> None:
    plan = LadderPlan(scales=(1.0,), experiments=(two_starts.name.split("-")[1],), command="weigh ladder")
    ladder = ladder_files.write(two_starts.parent, plan, [(1.0, two_starts)])
    said = words(weigh("report", str(ladder)).out)
    assert f"REFUSED; {MARK}" in said
    assert f"; {MARK}" in weigh("report", str(ladder), "--html", "-").out
    steps = [step for one in weigh("report", str(ladder), "--json").json["series"] for step in one["steps"]]
    (plain,) = (step["plain_ratio"] for step in steps if step["plain_ratio"])
    assert f"({plain:.3f})" in said


def test_servers_of_too_few_lives(weigh: Weigh, tmp_path: Path) -> None:
    asked = load_comparison_records.spec(2)
    laws = {"new": lambda draw, count: 1.4 * load_comparison_records.usual(draw, count)}
    record = load_comparison_records.comparison(asked, laws)
    folder = sealed_servers(tmp_path / "runs", record)
    document = weigh("report", str(folder), "--json").json
    (p50,) = (one for one in document["verdicts"] if (one["metric"], one["operation"]) == ("p50", "all"))
    assert (p50["verdict"], p50["ratio"]) == ("refused", None)
    assert p50["plain_ratio"] == pytest.approx(p50["value"] / p50["baseline_value"])
    for flags in ((), ("--markdown",)):
        out = words(weigh("report", str(folder), *flags).out)
        assert f"({p50['plain_ratio']:.3f})" in out, flags
        assert MARK in out, flags
