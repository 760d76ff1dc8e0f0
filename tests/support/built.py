"""A gate over builds of DuckDB: wheels, a folder, and revisions of a repository that builds wheels."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from support import wheels
from weigh.engines import environment
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from support.command import Run, Weigh

TOML = """
[experiment]
scale = "1K"
operations = ["by_action"]
baseline = "main"

[build.duckdb]
repository = "engine"
command = "cp README built-from; \\"$WEIGH_PYTHON\\" wheels.py '{site}' duckdb out $(cat mark)"
wheel = "out/*.whl"
"""
NAMED = {"main": "git:main", "pr": "git:HEAD~1", "docs": "git:HEAD", "wheel": "./dist/one/{wheel}"}
"""Contenders of the file by name: ``docs`` changes what reaches no program."""


def site() -> Path:
    """Where DuckDB is installed."""
    made = environment.ensure(["duckdb==2.0.0"], cache_folder())
    return next(made.python.parent.parent.glob("lib/python*/site-packages"))


def git(folder: Path, *arguments: str) -> str:
    """What git prints; its commits are the same at any time."""
    who = {f"GIT_{role}_{what}": "weigh@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    when = {f"GIT_{role}_DATE": "2026-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **who, **when, **config},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def repository(folder: Path) -> None:
    """A branch ``main``, and on another one a commit that changes the engine, and one that does not."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")

    def commit(**files: str) -> None:
        for name, text in files.items():
            (folder / name).write_text(text)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", " ".join(files))

    (folder / "wheels.py").write_bytes(Path(wheels.__file__).read_bytes())
    commit(mark="one", README="first")
    git(folder, "checkout", "--quiet", "-b", "change")
    commit(mark="two")
    commit(README="second")


def built(weigh: Weigh) -> Run:
    """The gate over all of them."""
    folder = weigh.folder
    repository(folder / "engine")
    wheel = wheels.packed(site(), "duckdb", folder / "dist" / "one", "one")
    text = TOML.format(site=site())
    for name, version in NAMED.items():
        text += f'[[contender]]\nname = "{name}"\nengine = "duckdb"\nversion = "{version.format(wheel=wheel.name)}"\n'
    text += '[[contender]]\nname = "index"\nengine = "duckdb"\nversion = "2.0.0"\n'
    (folder / "weigh.toml").write_text(text)
    return weigh("gate", "--json", "--quiet")
