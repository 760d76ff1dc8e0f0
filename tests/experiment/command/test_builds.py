"""Versions that no index has: wheels, folders and revisions take part side by side, each in its own environment."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.built import built, git, repository
from support.command import Weigh
from weigh.engines.builds import product
from weigh.engines.builds.resolution import resolved
from weigh.engines.duckdb import engine
from weigh.engines.prepared import cache_folder
from weigh.experiment.config.file import read_file
from weigh.experiment.config.spec import make_spec
from weigh.model.contender import parse_contender

if TYPE_CHECKING:
    from support.command import Run
    from support.once import Once


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Run:
    """The gate over all kinds of builds."""
    return once("built", lambda: built(Weigh(tmp_path_factory.mktemp("built"))))


@pytest.mark.promise(
    "Each is installed in an environment of its own, and all of them are alive side by side.",
    "Two builds that call themselves the same version are two contenders: what tells them apart is the SHA-256.",
)
def test_all_kinds_of_builds_answer_side_by_side(run: Run) -> None:
    assert run.code == 0, run.err
    rows = {one["name"]: one for one in run.json["contenders"]}
    assert {one["version"] for one in rows.values()} == {"2.0.0"}
    assert "build" not in rows["index"]
    builds = {name: one["build"] for name, one in rows.items() if name != "index"}
    # The same sources, packed by the same program, wherever they came from.
    one, two = builds["main"]["sha256"], builds["pr"]["sha256"]
    assert one != two
    assert (builds["wheel"]["sha256"], builds["docs"]["sha256"]) == (one, two)
    kinds = {name: build["kind"] for name, build in builds.items()}
    assert kinds == {**dict.fromkeys(("main", "pr", "docs"), "revision"), "wheel": "wheel"}
    assert {one["status"] for one in run.json["gate"]} == {"agreed"}


@pytest.mark.promise("The evidence holds commit, tree, command, and the SHA-256 of every wheel")
def test_what_was_built_from_what_is_in_the_evidence_and_the_report(weigh: Weigh, run: Run) -> None:
    engine = run.folder / "engine"
    read = {one["name"]: one for one in json.loads((run.evidence / "environment.json").read_text())["contenders"]}
    build = read["pr"]["build"]
    assert build["commit"] == git(engine, "rev-parse", "change~1")
    assert build["content"] == git(engine, "rev-parse", "change~1^{tree}")
    assert "wheels.py" in build["command"]
    assert f"sha256:{build['sha256']}/{build['file']}" in read["pr"]["lock"]
    assert len({one["environment"] for one in read.values()}) == 3, "two builds, and the version of the index"
    text = " ".join(weigh("report", str(run.evidence), "--verbose").out.split())
    page = (run.evidence / "report.html").read_text()
    for said in (build["commit"][:12], build["sha256"][:12]):
        assert said in text
        assert said in page


def test_it_is_built_once_and_the_same_tree_is_the_same_experiment(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere, in a clone, after a commit without a change: the same id, and the wheel of before."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run.folder / "dist", "dist")
    git(run.folder, "clone", "--quiet", "--branch", "change", "engine", str(tmp_path / "engine"))
    git(tmp_path / "engine", "branch", "main", "HEAD~2")
    git(tmp_path / "engine", "commit", "--quiet", "--allow-empty", "--message", "nothing")
    text = (run.folder / "weigh.toml").read_text()
    Path("weigh.toml").write_text(text.replace("git:HEAD~1", "git:HEAD~2"))
    spec = make_spec(read_file(Path("weigh.toml")), {})
    assert spec.id == run.json["experiment"]["id"]
    asked = spec.contender("docs").build
    assert asked
    assert asked.commit == git(tmp_path / "engine", "rev-parse", "HEAD")
    # It is not built again: nobody could.
    shutil.rmtree("engine")
    found = product.made(spec.contender("docs"), engine, cache_folder())
    assert found
    assert found.read.sha256 == next(one for one in run.json["contenders"] if one["name"] == "docs")["build"]["sha256"]
    assert found.read.commit == asked.commit
    # A folder with the wheel is the wheel.
    wheel, folder = (
        resolved(parse_contender(f"duckdb@{path}"), None).build
        for path in ("./dist/one", next(Path("dist/one").iterdir()))
    )
    assert wheel == folder


def toml(folder: Path, command: str, more: str = "") -> None:
    (folder / "weigh.toml").write_text(f"[build.duckdb]\nrepository = 'engine'\ncommand = '''{command}'''\n{more}\n")


@pytest.mark.promise("What a command leaves running is ended, and a build that fails is no build")
def test_a_command_that_fails(weigh: Weigh) -> None:
    repository(weigh.folder / "engine")
    toml(weigh.folder, "echo made nothing; printf '\\033[31mred' >&2; sleep 100 & exit 3")
    run = weigh("gate", "--contender", "duckdb@git:main", "--scale", "1K")
    assert run.code == 2
    assert "it could not be built" in run.err
    assert "ended with 3" in run.err
    assert "made nothing" in run.err
    assert "\x1b" not in run.err
    toml(weigh.folder, "true")
    run = weigh("gate", "--contender", "duckdb@git:main", "--scale", "1K")
    assert run.code == 2
    assert "there must be one wheel of duckdb in $WEIGH_BUILD_OUT: none" in run.err


def test_what_is_no_build(weigh: Weigh, run: Run) -> None:
    folder = weigh.folder
    repository(folder / "engine")
    (folder / "no.whl").write_text("no")
    (wheel,) = (run.folder / "dist" / "one").iterdir()
    for name in ("a", "b"):
        (folder / "two" / name).parent.mkdir(exist_ok=True)
        shutil.copy(wheel, folder / "two" / f"duckdb-{name}.whl")
    for contender, said in {
        "duckdb@./no.whl": "no.whl is no wheel",
        "duckdb@./none.whl": "there is no file or folder none.whl",
        "duckdb@./engine": "holds neither a wheel of duckdb nor a project",
        "duckdb@./two": "holds 2 wheels of duckdb",
        f"polars@{wheel}": "is a wheel of duckdb, and engine 'polars' is the package polars",
        "duckdb@git:main": "weigh.toml does not say how duckdb is built",
    }.items():
        found = weigh("gate", "--contender", contender, "--scale", "1K")
        assert found.code == 2
        assert said in " ".join(found.err.split())
    toml(folder, "true")
    for revision in ("nothing", "--all", "HEAD~9"):
        found = weigh("gate", "--contender", f"duckdb@git:{revision}", "--scale", "1K")
        assert found.code == 2
        assert f"there is no revision '{revision}'" in " ".join(found.err.split())
    for table, said in {"build.duckdv": "did you mean 'duckdb'?", "build.duckdb": "unknown key 'comand'"}.items():
        (folder / "weigh.toml").write_text(
            f"[{table}]\ncommand = 'a'\ncomand = 'b'\n".replace(
                "comand = 'b'\n", "" if "duckdv" in table else "comand = 'b'\n"
            )
        )
        found = weigh("gate", "--contender", "duckdb", "--scale", "1K")
        assert found.code == 2
        assert said in " ".join(found.err.split())
