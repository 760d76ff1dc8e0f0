"""Builds: versions of an engine that no index has, known by their content."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

REVISION = "git:"
"""What a version begins with that is a revision of a git repository."""
SHORT = 12
"""Digits of a hash that people are shown."""
MIN_BUILDS = 5
"""Below this number of builds of a side there is no interval over builds, as below so many starts there is none."""
MOST_BUILDS = 100


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """A build as asked for. Its content and how it is made are part of the experiment's id; where it lies is not.

    Attributes:
        kind: ``wheel``: a file; ``project``: a folder that a wheel is built from; ``revision``: of a git repository;
            ``installation``: a folder of an installed server.
        content: SHA-256 of the wheel, or of the names and contents of a folder's files; of a revision the hash of
            git's tree.
        file: name of the wheel; empty where it is not built yet. Of an installation the server's program.
        version: of the package, as the wheel says, or as the program says; empty where it is not built yet.
        commit: of the revision.
        place: the repository or the folder, as it was named.
        command: what builds it, in a shell.
        product: pattern of what the command makes, from the repository's folder; empty for a wheel in
            ``$WEIGH_BUILD_OUT``.
        builds: how often it is built, each time with another seed; left out for once, without a seed.
    """

    kind: Literal["wheel", "project", "revision", "installation"]
    content: str
    file: str = ""
    version: str = ""
    commit: str = ""
    place: str = ""
    command: str = ""
    product: str = ""
    builds: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def identity(self) -> dict[str, str]:
        """What makes it another one."""
        whole = {"content": self.content, "command": self.command, "product": self.product}
        return whole if self.builds is msgspec.UNSET else {**whole, "builds": str(self.builds)}

    @property
    def times(self) -> int:
        """How often it is built."""
        return 1 if self.builds is msgspec.UNSET else self.builds

    def seed(self, number: int) -> int:
        """What a build is told to shuffle by, from its sources and its number: another commit has other layouts."""
        digest = hashlib.sha256(f"{self.content}\x1f{self.command}\x1f{number}".encode()).digest()
        return int.from_bytes(digest[:4]) >> 1


class Rebuild(msgspec.Struct, frozen=True, kw_only=True):
    """One of several builds of one revision.

    Attributes:
        seed: what it was told to shuffle by (``WEIGH_BUILD_SEED``).
        file: name of its wheel.
        sha256: of its wheel.
        environment: key of the environment that it is installed in.
        lock: every package in there.
    """

    seed: int
    file: str
    sha256: str
    environment: str
    lock: str


class BuildRead(Build, frozen=True, kw_only=True):
    """A build as it was installed.

    Attributes:
        sha256: of the wheel that was installed, or of an installation's program; of several builds that of the
            first, whose answers the gate checks.
        rebuilds: all builds of the revision in order, where there are several; else left out.
    """

    sha256: str = ""
    rebuilds: tuple[Rebuild, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def numbers(self) -> tuple[int, ...]:
        """Of each of several builds the number of the first one that is the same bytes; none of a single build."""
        wheels = [] if self.rebuilds is msgspec.UNSET else [one.sha256 for one in self.rebuilds]
        return tuple(wheels.index(one) for one in wheels)

    @property
    def short(self) -> str:
        """``git 1a2b3c4d5e6f``, or the SHA-256 of what was installed: which build it is, in a few words."""
        return f"git {self.commit[:SHORT]}" if self.kind == "revision" else f"sha256 {self.sha256[:SHORT]}"

    def __str__(self) -> str:
        """``git 1a2b3c4d5e6f (tree 0f1e2d3c4b5a), built by "make wheel": duckdb-1.5.5-...whl, sha256 9c8b7a6f5e4d``."""
        made = f"{self.file}, sha256 {self.sha256[:SHORT]}"
        if self.rebuilds is not msgspec.UNSET:
            made += f", the first of {self.times} builds"
        if self.kind == "installation":
            return f"{self.place}, contents {self.content[:SHORT]}: {made}"
        if self.kind == "revision":
            return f'git {self.commit[:SHORT]} (tree {self.content[:SHORT]}), built by "{self.command}": {made}'
        if self.kind == "project":
            return f"folder {self.place}, sha256 {self.content[:SHORT]}, built: {made}"
        return f"wheel {made}"
