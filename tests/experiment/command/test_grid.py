"""`weigh layout`: one grid of four layouts, from the command line to the report; and what is refused before it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest

from lies.forging import reseal, rewrite
from support.command import RAN, Weigh
from weigh.experiment.config.file import read_file
from weigh.experiment.config.grid import parse
from weigh.experiment.config.spec import make_spec
from weigh.model.errors import UsageError
from weigh.model.spec import LayoutSpec

from .test_usage import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from lies.forging import Events
    from support.command import Run
    from support.once import Once

DUCKDB = ("--contender", "duckdb")
SHORT = ("--scale", "1K", "--operations", "by_action,distinct", "--starts", "5", "--rounds", "1", "--runs", "1")
CELLS = ["zstd.files1", "zstd.files3", "snappy.files1", "snappy.files3"]


@pytest.fixture(scope="session")
def grid(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Run:
    weigh = Weigh(tmp_path_factory.mktemp("grid"))
    # The command line adds the other key.
    (weigh.folder / "weigh.toml").write_text("[grid]\nfiles = [1, 3]\n")
    return once(
        "grid", lambda: weigh("layout", "--contender", "fork", "--codec", "zstd,snappy", *SHORT, "--quiet", "--json")
    )


def effects(run: Run, **wanted: object) -> list[dict[str, Any]]:
    return [one for one in run.json["grid"]["effects"] if all(one[key] == value for key, value in wanted.items())]


def test_every_combination_is_a_contender_on_the_same_rows(grid: Run) -> None:
    assert grid.code in RAN, grid.err
    assert grid.json["grid"]["keys"] == {"codec": ["zstd", "snappy"], "files": [1, 3]}
    assert [one["contender"] for one in grid.json["grid"]["cells"]] == CELLS
    assert grid.json["experiment"]["baseline"] == CELLS[0]
    cells = {one["contender"]: one for one in grid.json["grid"]["cells"]}
    assert [cells[name]["files"] for name in CELLS] == [1, 3, 1, 3]
    assert cells["zstd.files1"]["bytes"] < cells["snappy.files1"]["bytes"]
    assert {row["status"] for row in grid.json["gate"]} == {"agreed"}
    assert all(set(row["contenders"]) == set(CELLS) for row in grid.json["gate"])


def test_what_is_not_varied_is_the_same_everywhere(grid: Run) -> None:
    found = {one["what"] for one in grid.json["differences"] if not one["follows"]}
    assert found == {"codec", "files"}


@pytest.mark.promise("here every combination was measured, and the effects tell them apart.")
def test_two_things_at_once_are_no_warning_where_every_combination_was_measured(grid: Run) -> None:
    found = [one for one in grid.json["findings"] if one["code"].startswith(("D1", "D5"))]
    assert {one["contender"] for one in found} == set(CELLS[1:])
    assert {one["severity"] for one in found} == {"note"}
    (both,) = {one["text"].split("; ")[-1] for one in found if one["contender"] == "snappy.files3"}
    assert both == "2 things differ at once (codec and files), and the grid has every combination of them"


def test_the_effects_are_those_of_the_samples_counted_again(grid: Run) -> None:
    """By hand: with one execution a turn and one round, a cell has one number a block, and the baseline two."""
    rows = [one for one in pq.read_table(grid.evidence / "samples.parquet").to_pylist() if one["outcome"] == "ok"]
    rows = [one for one in rows if one["arm"] and one["wall_s"] and one["case"] is not None]
    for operation in ("by_action", "distinct"):
        timed = [one for one in rows if one["operation"] == operation and one["run"] > 0]
        made: dict[str, list[float]] = {"main": [], "crossed": []}
        for block in sorted({one["block"] for one in timed}):
            logs: dict[str, dict[str, list[float]]] = {name: {} for name in CELLS}
            for one in timed:
                if one["block"] == block:
                    logs[one["contender"]].setdefault(str(one["case"]), []).append(float(np.log(one["wall_s"])))
            cell = [np.mean([np.mean(of_case) for of_case in logs[name].values()]) for name in CELLS]
            made["main"].append(((cell[1] - cell[0]) + (cell[3] - cell[2])) / 2)
            made["crossed"].append((cell[3] - cell[1]) - (cell[2] - cell[0]))
        for keys, name in ((["files"], "main"), (["codec", "files"], "crossed")):
            (found,) = effects(grid, operation=operation, keys=keys, metric="wall_s")
            assert found["starts"] == 5
            assert np.log(found["ratio"]) == pytest.approx(np.mean(made[name]), abs=1e-9)
            error = np.std(made[name], ddof=1) / np.sqrt(5)
            # Student's t of four degrees of freedom at 99 %.
            assert np.log(found["high"] / found["ratio"]) == pytest.approx(4.604095 * error, rel=1e-5)


def test_every_key_and_their_interaction_have_an_effect_on_each_operation_and_on_all(grid: Run) -> None:
    for operation in ("by_action", "distinct", None):
        keys = [tuple(one["keys"]) for one in effects(grid, operation=operation, metric="wall_s")]
        assert keys == [("codec",), ("files",), ("codec", "files")]
    (crossed,) = effects(grid, operation=None, keys=["codec", "files"], metric="wall_s")
    first, second = crossed["within"]
    assert (first["level"], second["level"]) == (1, 3)
    assert second["ratio"] / first["ratio"] == pytest.approx(crossed["ratio"])
    assert effects(grid, metric="cpu_s")


@pytest.mark.promise(
    "A sentence for each says how large it is over all operations, and on how many of them it matters."
)
def test_every_form_of_the_report_tells_them(grid: Run, weigh: Weigh) -> None:
    assert any(said.startswith("3 files instead of 1: ") for said in grid.json["grid"]["says"])
    shown = weigh("report", str(grid.evidence), COLUMNS="80").out
    assert "3 files instead of 1: " in shown
    assert all(name in shown for name in CELLS)
    assert max(map(len, shown.partition("Against zstd.files1")[0].splitlines())) <= 80
    assert "3 files instead of 1: " in (grid.evidence / "report.html").read_text()
    assert "Effects of layouts" in (grid.evidence / "report.txt").read_text()


def test_it_verifies_and_an_effect_that_was_changed_does_not(grid: Run, weigh: Weigh) -> None:
    assert weigh("verify", str(grid.evidence)).code == 0
    copy = weigh.folder / grid.evidence.name
    shutil.copytree(grid.evidence, copy)
    (before,) = effects(grid, operation=None, keys=["files"], metric="wall_s")
    verdicts = copy / "verdicts.json"
    text = verdicts.read_text()
    assert str(before["ratio"]) in text
    verdicts.write_text(text.replace(str(before["ratio"]), str(before["ratio"] / 2)))
    run = weigh("verify", str(copy))
    assert run.code == 1
    assert "its figures do not follow from the samples" in run.out


@pytest.mark.promise(
    "of `weigh layout` the effects of a grid and their intervals, interactions and what these are told with included."
)
def test_sql_counts_the_effects_and_names_one_that_was_changed(grid: Run, weigh: Weigh) -> None:
    folder = shutil.copytree(grid.evidence, weigh.folder / grid.evidence.name)
    found = weigh("verify", "--sql", "--json", str(folder)).json["sql"]
    shown = [one for one in effects(grid) if one["ratio"] is not None]
    within = sum(len(one["within"]) for one in shown)
    verdicts = [one for one in grid.json["verdicts"] if one["ratio"] is not None]
    totals = sum(one["total"] is not None for one in verdicts)
    assert found["problems"] == []
    assert found["compared"]["ratio"] == len(shown) + within + len(verdicts) + totals > 0
    verdicts_file = folder / "verdicts.json"
    said = json.loads(verdicts_file.read_text())
    edited = max((one for one in said["grid"]["effects"] if one["ratio"]), key=lambda one: len(one["keys"]))
    edited["high"] *= 1.001
    for one in edited["within"][1:]:
        one["low"] *= 1.001
    verdicts_file.write_text(json.dumps(said))
    problems = [one["text"] for one in weigh("verify", "--sql", "--json", str(folder)).json["sql"]["problems"]]
    named = [text.partition(" is ")[0].rpartition(" ")[2] for text in problems]
    assert named == ["high", *["low" for _ in edited["within"][1:]]]
    assert edited["operation"] is None or edited["operation"] in problems[0]


def test_a_grid_in_which_a_key_changes_with_another_one_is_none(grid: Run, weigh: Weigh) -> None:
    """Evidence in which the files of one cell had another writer: its effect would pass for that of the files."""
    copy = weigh.folder / grid.evidence.name
    shutil.copytree(grid.evidence, copy)

    def another_writer(events: Events) -> Events:
        (opened,) = [one for one in events if one.event == "opened"]
        opened.body["spec"]["layouts"]["snappy.files3"]["writer"] = "pyarrow"
        return events

    rewrite(copy, another_writer)
    reseal(copy)
    run = weigh("report", str(copy))
    assert (run.code, run.out) == (2, "")
    assert "the grid of fork is not made of the layouts that its cells read" in run.err
    assert weigh("verify", str(copy)).code == 1


def test_widths_of_a_grid_are_refused() -> None:
    with pytest.raises(UsageError, match="--vary and a grid of layouts"):
        make_spec(None, {"contender": ("duckdb",), "grid": {"files": (1, 3)}, "vary": ("threads=1,2",)})


def test_a_file_and_flags_ask_for_the_same(tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text(
        '[[contender]]\nengine = "duckdb"\n[layout]\nwriter = "pyarrow"\n'
        '[grid]\nfiles = [1, 3]\ncodec = ["snappy"]\nbloom_filters = [false, ["a", "b"]]\nsort = [[], ["a"]]\n'
    )
    flags = {
        "files": parse("files", "1,3"),
        "codec": parse("codec", "snappy"),
        "writer": parse("writer", "pyarrow"),
        "bloom_filters": parse("bloom_filters", "off,a+b"),
        "sort": parse("sort", "none,a"),
    }
    one = make_spec(read_file(tmp_path / "weigh.toml"), {})
    other = make_spec(None, {"contender": ("duckdb",), "grid": flags})
    assert one.layouts == other.layouts
    assert (len(one.contenders), one.grid) == (8, other.grid)
    assert all((layout.writer, layout.codec) == ("pyarrow", "snappy") for layout in one.layouts.values())


def test_a_grid_of_formats_says_of_parquet_what_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text(
        '[[contender]]\nengine = "duckdb"\n[layout]\nwriter = "pyarrow"\n[grid]\nformat = ["parquet", "vortex"]\n'
        "files = [1, 3]\n"
    )
    spec = make_spec(read_file(tmp_path / "weigh.toml"), {})
    usual = {"parquet": LayoutSpec(writer="pyarrow"), "vortex": LayoutSpec(format="vortex")}
    assert spec.layouts == {
        f"{name}.files{files}": msgspec.structs.replace(layout, files=files)
        for name, layout in usual.items()
        for files in (1, 3)
    }


def test_several_contenders_have_every_layout_each() -> None:
    spec = make_spec(
        None, {"contender": ("duckdb", "chdb"), "baseline": "chdb", "grid": {"files": parse("files", "1,3")}}
    )
    assert [one.name for one in spec.contenders] == ["duckdb/files1", "duckdb/files3", "chdb/files1", "chdb/files3"]
    assert (spec.baseline, spec.baseline_declared) == ("chdb/files1", True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--files", "1"), "one layout is no grid"),
        (("--files", "1,1"), "one value of files twice"),
        (("--files", "1,0"), "layout.files = 0 is too small"),
        (("--files", "1,many"), "'many' is not a number of files"),
        (("--files", ","), "--files names no value"),
        (("--codec", "zstd,snapy"), "did you mean 'snappy'?"),
        (("--files", "1,2", "--contender", "sqlite"), "answers from a copy that it has loaded"),
        (("--files", "1,2", "--contender", "one=duckdb?layout=x"), "contender one has the layout 'x'"),
        (("--writer", "duckdb,pyarrow", "--page-checksums", "on,off"), "1 layout of 4 in the grid cannot be made"),
        (("--writer", "duckdb,pyarrow", "--page-checksums", "on,off"), "leave out duckdb from --writer or on from"),
        (("--files", "1,2", "--writer", "tpchgen"), "say writer = 'duckdb'"),
        (("--files", "1,2", "--codec", "zstd,none", "--scale", "500G"), "in 4 layouts need about"),
        (("--files", ",".join(map(str, range(1, 67)))), "more than 64 in one experiment"),
        (("--files", "1,2", "--workload", "sql"), "needs [sql] in weigh.toml"),
        (("--format", "parquet,orc"), "there is no format 'orc'"),
        (("--format", "parquet,vortex"), "duckdb 2.0.0 does not read Vortex"),
        (("--format", "parquet,vortex", "--codec", "zstd,snappy"), "layouts of Vortex, and codec, which is Parquet's"),
        (("--format", "parquet,vortex", "--codec", "zstd"), "leave out vortex from --format or --codec"),
    ],
)
def test_what_cannot_be_a_grid_is_refused_before_anything_is_written(
    weigh: Weigh, words: tuple[str, ...], said: str
) -> None:
    assert_refused(weigh("layout", *DUCKDB, *words, "--quiet"), said)
    assert not (weigh.folder / "runs").exists()


def test_a_grid_in_duet_is_refused() -> None:
    with pytest.raises(UsageError, match="the effects of a grid need all cells together"):
        make_spec(None, {"contender": ("duckdb",), "duet": True, "grid": {"files": (1, 3)}})
