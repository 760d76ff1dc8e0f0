"""Layouts of a user's own files, on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from support.user_data import make_data

from .test_usage import assert_refused

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run
    from support.once import Once

LAYOUT = '[layout.many]\nfiles = 3\nwriter = "pyarrow"\ncodec = "none"\n'


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Run:
    """The files as they are, and in a layout that another contender names."""
    weigh = Weigh(tmp_path_factory.mktemp("own_layouts"))

    def asked() -> Run:
        make_data(weigh.folder)
        assert weigh("init", "--data", "my 'data'/*.parquet", "--sql", "q.sql", "--contender", "duckdb").code == 0
        toml = weigh.folder / "weigh.toml"
        toml.write_text(toml.read_text() + LAYOUT)
        names = ("--contender", "duckdb=fork", "--contender", "many=fork?layout=many")
        return weigh("gate", *names, "--operations", "by_city", "--verbose", "--json")

    return once("own_layouts_gated", asked)


@pytest.mark.promise("Whoever names no layout reads the files as they are.")
def test_who_names_a_layout_reads_a_copy(gated: Run) -> None:
    one = json.loads((gated.evidence / "manifest.json").read_text())
    (many,) = json.loads((gated.evidence / "layouts.json").read_text())
    assert one["layout"] is None
    assert (many["manifest"]["layout"]["files"], len(many["manifest"]["files"])) == (3, 6)
    assert many["manifest"]["digests"] == one["digests"]
    assert many["manifest"]["dataset"] == one["dataset"]


def test_it_is_said_in_what_the_copy_differs(gated: Run) -> None:
    """Their writer is the same, and is not named."""
    found = {one["what"]: (one["value"], one["baseline"]) for one in gated.json["differences"] if not one["follows"]}
    assert found == {"files": ("3", "2"), "codec": ("uncompressed", "snappy")}
    assert "copies of your own files" in (gated.evidence / "report.txt").read_text()


def test_it_verifies(gated: Run, weigh: Weigh) -> None:
    assert weigh("verify", str(gated.evidence)).code == 0


def test_a_layout_without_a_name_is_not_for_them(gated: Run, weigh: Weigh) -> None:
    (weigh.folder / "queries").mkdir()
    (weigh.folder / "weigh.toml").write_text(
        f'[sql]\nfolder = "queries"\ntables = {{ users = "{gated.folder}/my \'data\'/users.parquet" }}\n'
        "[layout]\nfiles = 4\n"
    )
    refused = weigh("gate", "--workload", "sql", "--contender", "duckdb")
    assert_refused(refused, "[layout] is not for them")
    assert "[layout.NAME]" in refused.err


def test_the_generator_of_other_data_writes_none_of_it(gated: Run, weigh: Weigh, tmp_path: Path) -> None:
    (weigh.folder / "weigh.toml").write_text((gated.folder / "weigh.toml").read_text())
    for name in ("queries", "my 'data'"):
        (weigh.folder / name).symlink_to(gated.folder / name)
    refused = weigh("layout", "--workload", "sql", "--contender", "duckdb", "--writer", "tpchgen,pyarrow")
    assert_refused(refused, "these are your own files")
