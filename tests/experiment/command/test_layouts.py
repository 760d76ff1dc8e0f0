"""Contenders on layouts of their own: the same rows, proven; every check of the gate on every layout."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run
    from support.once import Once

FLAGS = ("--scale", "1K", "--operations", "by_action,distinct", "--quiet", "--json")
MANY = '[layout.many]\nfiles = 3\nwriter = "pyarrow"\n'


def named(*contenders: str) -> list[str]:
    return [word for name in contenders for word in ("--contender", name)]


@pytest.fixture(scope="session")
def gated(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Run:
    """Two honest contenders on two layouts, an engine that loads, and one that has its answers from a table."""
    weigh = Weigh(tmp_path_factory.mktemp("layouts"))
    (weigh.folder / "weigh.toml").write_text(MANY)
    table = f"table=liar?lie=table&layout=many&diary={weigh.folder / 'table'}"
    others = named("one=fork", "many=fork?layout=many", "loads=sqlite?layout=many", table)
    return once("layouts_gated", lambda: weigh("gate", *others, *FLAGS))


def test_answers_are_asked_and_asked_again_on_every_layout(gated: Run) -> None:
    """On rows that nobody had seen, which lie in as many files as the layout has."""
    gate = json.loads((gated.evidence / "gate.json").read_text())
    for name in ("one", "many", "loads"):
        assert gate["unseen"]["moved"][name] == ["by_action", "distinct"]
    accused = {one["contender"] for one in gated.json["findings"] if one["severity"] == "error"}
    assert accused == {"table"}
    assert len({json.dumps(gate["reads"][name]) for name in ("one", "many", "loads")}) == 1


def test_the_evidence_holds_every_manifest(gated: Run, weigh: Weigh) -> None:
    one = json.loads((gated.evidence / "manifest.json").read_text())
    (many,) = json.loads((gated.evidence / "layouts.json").read_text())
    assert (len(one["files"]), len(many["manifest"]["files"]), many["layout"]) == (1, 3, "many")
    assert one["digests"] == many["manifest"]["digests"]
    assert {one["name"]: one["layout"] for one in gated.json["contenders"]} == {
        "one": "default", "many": "many", "loads": "many", "table": "many",
    }  # fmt: skip
    assert weigh("verify", str(gated.evidence)).code == 0


def test_a_copy_that_was_loaded_has_no_layout_that_could_differ(gated: Run) -> None:
    assert {one["contender"] for one in gated.json["differences"]} == {"many", "table"}


@pytest.mark.promise(
    "All layouts hold the same rows: their row digests are compared before anything runs, and the gate asks every "
    "contender on its own layout."
)
def test_layouts_of_other_rows_are_refused(weigh: Weigh, tmp_path: Path) -> None:
    """The cache holds the rows of another seed where those of the layout should be; its own manifest fits them."""
    cache = tmp_path / "cache"
    cache.mkdir()
    for folder in ("envs", "locks"):
        (cache / folder).symlink_to(cache_folder() / folder)
    (weigh.folder / "weigh.toml").write_text(MANY)
    made = ("data", "make", "netflow", "--scale", "1K", "--files", "3", "--writer", "pyarrow", "--json")
    right, wrong = (weigh(*made, "--seed", seed, WEIGH_CACHE=str(cache)).json["folder"] for seed in ("42", "43"))
    shutil.rmtree(right)
    shutil.copytree(wrong, right)
    run = weigh("gate", *named("fork", "fork?layout=many"), *FLAGS, WEIGH_CACHE=str(cache))
    assert run.code == 2
    assert "the layouts default and many hold different rows of events" in run.err
    assert "remove" in run.err
    assert not (weigh.folder / "runs").exists()


@pytest.mark.parametrize(
    ("contender", "said", "remedy"),
    [
        ("duckdb?layout=mny", "there is no layout 'mny'", "did you mean 'many'?"),
        ("duckdb?catalog=nobody", "there is no catalog 'nobody'", "known: delta, ducklake, iceberg, parquet"),
        ("duckdb?store=nobody", "there is no store 'nobody'", "known: file, s3, tmpfs"),
    ],
)
def test_what_nobody_carries_out_is_refused(weigh: Weigh, contender: str, said: str, remedy: str) -> None:
    (weigh.folder / "weigh.toml").write_text(MANY)
    run = weigh("gate", *named(contender), *FLAGS)
    assert run.code == 2
    assert said in run.err
    assert remedy in run.err
