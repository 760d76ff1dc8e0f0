"""Layouts of Vortex from the command line to the report: asked as all others, and distinguished from Parquet."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pytest

from support import experiment_records
from support.command import RAN, Weigh
from support.worker_processes import prepared
from weigh._native import hash_file
from weigh.data.cache import CachedData
from weigh.data.ground_truth import Truth
from weigh.data.layout import file_facts, vortex
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.experiment.data.data_link import DataLink
from weigh.experiment.gate import corrupt
from weigh.model.operation import Workload
from weigh.model.progress import Silence
from weigh.model.spec import LayoutSpec

from .test_usage import assert_refused

if TYPE_CHECKING:
    from support.command import Run
    from support.once import Once

FORM = '[layout.v]\nformat = "vortex"\n'
DUCKDB = ("--contender", "duckdb@1.5.5")
BOTH = (*DUCKDB, "--contender", "v=duckdb@1.5.5?layout=v")
SHORT = ("--scale", "1K", "--operations", "by_action")


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Run:
    """DuckDB over both formats, and somebody who reads Parquet."""
    weigh = Weigh(tmp_path_factory.mktemp("vortex"))
    (weigh.folder / "weigh.toml").write_text(FORM)
    flags = (*SHORT, "--starts", "1", "--rounds", "1", "--runs", "1", "--quiet", "--json")
    return once("vortex", lambda: weigh("run", *BOTH, "--contender", "polars", *flags))


@pytest.fixture
def formed(weigh: Weigh) -> Weigh:
    (weigh.folder / "weigh.toml").write_text(FORM)
    return weigh


@pytest.mark.promise(
    "the gate asks it what it asks those who read the same rows as Parquet, on the given rows and on rows that nobody "
    "has seen"
)
def test_its_answers_are_compared_with_those_over_parquet(ran: Run) -> None:
    assert ran.code in RAN, ran.err
    assert {row["status"] for row in ran.json["gate"]} == {"agreed"}
    gate = json.loads((ran.evidence / "gate.json").read_text())
    assert gate["unseen"]["moved"]["v"] == ["by_action"]
    assert len({json.dumps(gate["reads"][name]) for name in ("duckdb@1.5.5", "v", "polars")}) == 1
    assert {one["contender"] for one in ran.json["verdicts"]} == {"v", "polars"}


def test_the_format_is_the_one_thing_that_differs(ran: Run) -> None:
    (found,) = [one for one in ran.json["findings"] if one["contender"] == "v" and one["code"].startswith(("D1", "D5"))]
    assert (found["code"], found["severity"]) == ("D1.layout", "note")
    assert "(format: Vortex by vortex-data 0.93.0 against Parquet by duckdb 2.0.0" in found["text"]
    mine = [one for one in ran.json["differences"] if one["contender"] == "v"]
    assert [one["what"] for one in mine if not one["follows"]] == ["format"]


def test_evidence_and_report_name_the_format_and_who_read_it_back(ran: Run, weigh: Weigh) -> None:
    (laid,) = json.loads((ran.evidence / "layouts.json").read_text())
    assert laid["manifest"]["layout"] == {"format": "vortex", "files": 1, "row_group_rows": None}
    assert laid["manifest"]["read_back"] == laid["manifest"]["writer"] == "vortex-data 0.93.0"
    page = (ran.evidence / "report.html").read_text()
    assert "written and read back by vortex-data 0.93.0" in page
    assert "1 Vortex file, " in page
    assert weigh("verify", str(ran.evidence)).code == 0


@pytest.mark.long
@pytest.mark.promise("compares every row that it hands out (`A4.rows`, `D8.changed`).")
def test_one_changed_value_is_named(formed: Weigh, tmp_path: Path) -> None:
    """The hash in the manifest is that of the changed file: what the engine reads from it is compared all the same."""
    cache = tmp_path / "cache"
    cache.mkdir()
    for folder in ("envs", "locks"):
        (cache / folder).symlink_to(cache_folder() / folder)
    made = formed("data", "make", "--scale", "1K", "--format", "vortex", "--json", WEIGH_CACHE=str(cache))
    folder = tmp_path / made.json["folder"]
    manifest = file_facts.load(folder)
    path = folder / manifest.files[0].path
    python = environment.ensure(vortex.REQUIREMENTS, cache_folder()).python
    rows = vortex.table([path], python)
    at = rows.column_names.index("packets")
    packets = [rows["packets"][0].as_py() + 1, *rows["packets"].to_pylist()[1:]]
    rows = rows.set_column(at, "packets", pa.array(packets, rows.schema.field(at).type))
    vortex.write([(path, iter(rows.to_batches()))], [path], schema=rows.schema, python=python)
    forged = msgspec.structs.replace(manifest.files[0], bytes=path.stat().st_size, blake3=hash_file(path))
    file_facts.save(msgspec.structs.replace(manifest, files=(forged,)), folder)
    run = formed("gate", *BOTH, *SHORT, "--quiet", "--json", WEIGH_CACHE=str(cache))
    (found,) = [one for one in run.json["findings"] if one["code"] == "D8.changed"]
    assert found["contender"] == "v"
    # What is right is read from the file, which is wrong: only its digest tells.
    assert "hold other rows than when they were made" in found["text"]
    assert formed("data", "check", str(folder)).code == 1
    shutil.rmtree(folder)


def test_what_would_flip_a_bit_of_a_page_says_that_it_has_none() -> None:
    """Nobody is asked: there is no copy that could be damaged."""
    made = msgspec.structs.replace(experiment_records.manifest(), layout=LayoutSpec(format="vortex"))
    contender = prepared("v=duckdb@1.5.5", "vortex")
    layouts = {"": CachedData(Path("nowhere"), made, Truth({}))}
    with DataLink({}) as link:
        (found,) = corrupt.check(
            [contender], Workload(name="w", dataset="netflow", operations=()), {}, layouts, link, 1.0, 1, Silence()
        )
    assert (found.code, found.contender) == ("D4.untried", contender.name)
    assert "its files are Vortex, and weigh knows the pages of Parquet alone" in found.text


@pytest.mark.long
def test_a_grid_of_formats(weigh: Weigh) -> None:
    flags = (*SHORT, "--starts", "2", "--rounds", "1", "--runs", "1", "--quiet", "--json")
    run = weigh("layout", *DUCKDB, "--format", "vortex,parquet", *flags)
    assert run.code in RAN, run.err
    assert run.json["grid"]["keys"] == {"format": ["vortex", "parquet"]}
    assert [one["contender"] for one in run.json["grid"]["cells"]] == ["vortex", "parquet"]
    assert {tuple(one["keys"]) for one in run.json["grid"]["effects"]} == {("format",)}
    assert weigh("verify", str(run.evidence)).code == 0


@pytest.mark.parametrize(
    ("contender", "said", "remedy"),
    [
        ("polars?layout=v", "polars does not read Vortex: it has no reader of its own", "that do: duckdb@1.5.5"),
        ("duckdb?layout=v", "duckdb 2.0.0 does not read Vortex: its extensions are on PyPI", "that do: duckdb@1.5.5"),
        ("sqlite?layout=v", "sqlite does not read Vortex", "that do: duckdb@1.5.5"),
        ("duckdb@1.5.5?layout=v&catalog=iceberg", "Iceberg describes Parquet files", "leave out catalog=iceberg"),
        ("duckdb@1.5.5?layout=v&store=s3", "objects of a store are read as Parquet", "leave out store=s3"),
    ],
)
def test_who_does_not_read_it_is_refused_before_anything_is_made(
    formed: Weigh, contender: str, said: str, remedy: str
) -> None:
    assert_refused(formed("gate", "--contender", contender, *SHORT, "--quiet"), said, remedy)
    assert not (formed.folder / "runs").exists()


def test_what_is_made_for_parquet_alone_says_so(formed: Weigh) -> None:
    loads = formed("run", "--ingest", "--contender", "duckdb@1.5.5?layout=v", "--scale", "1K", "--quiet")
    assert_refused(loads, "what is loaded are Parquet files, and those of its layout are Vortex")
    made = formed("data", "make", "--scale", "1K", "--format", "vortex", "--quiet")
    folder = made.out.splitlines()[0]
    for command in ("digest", "describe", "check"):
        assert_refused(
            formed("data", command, f"{folder}/events-0000.vortex"), "it is Vortex, and Parquet alone is read"
        )
    assert_refused(formed("data", "diff", folder, folder), "it is Vortex, and Parquet alone is read here")
    assert formed("data", "check", folder).out == "1 file as the manifest says, every row digested\n"
    said = formed("data", "make", "--scale", "1K", "--format", "vortex", "--codec", "zstd", "--quiet")
    assert_refused(said, "codec is a key of Parquet", "leave out codec")
    like = formed("data", "make", "--scale", "1K", "--format", "vortex", "--match", "any.parquet", "--quiet")
    assert_refused(like, "files of Vortex cannot be like one of Parquet")
