"""What changed, and where: the profile names the function and the operator, and only of what changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ..reading import contenders, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run, Weigh

HOSTILE = """
[[contender]]
name = "base"
engine = "liar"
[[contender]]
name = "no</script><script>push"
engine = "liar"
settings = {disabled_optimizers = "filter_pushdown"}
"""
BRIEF = ("--sample", "200ms", "--quiet")


@pytest.mark.promise("The evidence is not changed: what is written goes into a folder alongside it")
def test_the_function_of_the_one_operation_that_changed_is_named(
    whole: Run, fresh: Callable[[], Weigh], tmp_path: Path
) -> None:
    seal = (whole.evidence / "seal.json").read_bytes()
    run = fresh()("why", str(whole.evidence), "--contender", "uneven", *BRIEF, "--json", "--out", str(tmp_path / "why"))
    assert run.code == 0, run.err
    (change,) = run.json["changes"]
    assert (change["operation"], change["verdict"]) == ("ties", "slower")
    python, native = change["functions"]
    first = python["changes"][0]
    assert first["name"] == "Pace.run (adapter/pace.py)"
    assert first["clear"]
    # It sleeps three times as long: that is most of what the run measured.
    assert first["change_s"] > 0.5 * (change["after_s"] - change["before_s"])
    assert bool(native["lacks"]) != bool(native["changes"])
    assert len(change["blocks"]) == 10

    folder = tmp_path / "why" / change["folder"]
    assert json.loads((tmp_path / "why" / "why.json").read_bytes()) == run.json
    folded = (folder / "contender.python.folded").read_text()
    assert "Pace.run (adapter/pace.py) " in folded
    assert "Pace.run" in (folder / "flame.python.contender.svg").read_text()
    assert (folder / "blocks.svg").read_text().count("<circle") == 10
    assert "Pace.run (adapter/pace.py)" in (tmp_path / "why" / "why.html").read_text()
    assert (whole.evidence / "seal.json").read_bytes() == seal
    assert fresh()("verify", str(whole.evidence)).code == 0


@pytest.mark.long
def test_the_operator_that_is_new_is_named(fresh: Callable[[], Weigh]) -> None:
    weigh = fresh()
    (weigh.folder / "weigh.toml").write_text(HOSTILE)
    asked = weigh("gate", "--scale", "1K", "--operations", "eq_user", "--quiet", "--no-shrink")
    assert asked.code == 0, asked.err
    unchanged = weigh("why", "latest", "--quiet")
    assert "no operation is SLOWER or FASTER" in unchanged.out

    run = weigh("why", "latest", "--operation", "eq_user", "--sample", "50ms", "--quiet")
    assert run.code == 0, run.err
    (folder,) = weigh.folder.glob("runs/why-*")
    page = (folder / "why.html").read_text()
    assert "<script" not in page.lower()
    (change,) = json.loads((folder / "why.json").read_bytes())["changes"]
    assert {one["name"] for one in change["operators"] if one["there"] == "contender"} == {"FILTER"}
    assert "plan: 1 new" in run.out


def test_what_cannot_be_profiled_is_said(whole: Run, fresh: Callable[[], Weigh], tmp_path: Path) -> None:
    weigh, evidence = fresh(), str(whole.evidence)
    for flags, said in (
        (("--operation", "tie"), "did you mean 'ties'"),
        (("--contender", "base"), "is the baseline of this experiment"),
        (("--sample", "0s"), "at most 10m"),
        (("--operation", "ties", "--out", str(whole.folder)), "is no profile of weigh's"),
    ):
        run = weigh("why", evidence, *flags)
        assert run.code == 2, flags
        assert said in run.err, run.err


@pytest.mark.long
def test_a_build_slowed_by_five_percent_in_one_operation_is_found_alone_and_its_function_named(
    fresh: Callable[[], Weigh],
) -> None:
    weigh = fresh()
    named = contenders(
        "base=liar?lie=pace&ms=60", "new=liar?lie=slowed&ms=60&by=0.05", "twin=liar?lie=slowed&ms=60&by=0"
    )
    flags = ("--workload", "three", "--scale", "20K", "--starts", "10", "--rounds", "2", "--runs", "3")
    run = weigh("run", *named, *flags, "--baseline", "base", "--margin", "1%", "--quiet", "--json", "--why")
    found = {
        (name, one): verdict["verdict"]
        for name in ("unordered", "ties", "quotients")
        for one, verdict in verdicts(run, name).items()
    }
    assert found.pop(("ties", "new")) == "slower", run.out
    assert not set(found.values()) & {"slower", "faster"}, found
    (folder,) = weigh.folder.glob("runs/why-*")
    (change,) = json.loads((folder / "why.json").read_bytes())["changes"]
    assert (change["operation"], change["contender"]) == ("ties", "new")
    python, native = change["functions"]
    # On a busy machine the others wait longer as well.
    extra = next(one for one in python["changes"] if one["name"] == "Slowed.checksum_once_more (adapter/slowed.py)")
    assert extra["clear"]
    assert extra["before_s"] == 0.0
    assert "checksum_once_more" in (folder / change["folder"] / "flame.python.contender.svg").read_text()
    # Where perf may sample, and the library has symbols.
    if not native["lacks"] and "crc32" in (folder / change["folder"] / "contender.native.folded").read_text():
        assert any("crc32" in one["name"] for one in native["changes"] if one["clear"] and one["change_s"] > 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("engine", "operator", "written"),
    [
        ("duckdb@1.5.5", "TABLE_SCAN", "cumulative_rows_scanned"),
        ("duckdb", "TABLE_SCAN", "total_rows_scanned"),
        ("chdb", "Aggregating", "I/O: rows"),
        ("datafusion", "AggregateExec", "elapsed_compute"),
        ("polars", "AGGREGATE", "AGGREGATE"),
        ("sqlite", "SCAN", "SCAN"),
        ("postgres", "Seq Scan", "Shared Hit Blocks"),
        ("pyarrow", "", ""),
    ],
)
def test_each_engine_tells_what_it_can(fresh: Callable[[], Weigh], engine: str, operator: str, written: str) -> None:
    weigh = fresh()
    named = contenders(f"one={engine}", f"two={engine}")
    asked = weigh("gate", *named, "--scale", "20K", "--operations", "by_action", "--quiet", "--no-shrink")
    assert asked.code == 0, asked.err
    run = weigh("why", "latest", "--operation", "by_action", *BRIEF, "--json")
    assert run.code == 0, run.err
    (change,) = run.json["changes"]
    assert not change["failed"]
    operators = {one["name"] for one in change["operators"] or ()}
    assert operator in operators or not operator, operators
    raw = list(weigh.folder.glob("runs/why-*/*/contender.profile.txt"))
    assert [written in one.read_text() for one in raw] == ([True] if operator else [])
    timed = engine not in ("polars", "sqlite", "pyarrow")
    assert bool(change["operators_lack"]) != timed
    assert timed == any(one["after_s"] is not None for one in change["operators"] or ())
