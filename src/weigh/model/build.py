"""Builds: versions of an engine that no index has, known by their content."""

from __future__ import annotations

from typing import Literal

import msgspec

REVISION = "git:"
"""What a version begins with that is a revision of a git repository."""
SHORT = 12
"""Digits of a hash that people are shown."""


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """A build as asked for. Its content and how it is made are part of the experiment's id; where it lies is not.

    Attributes:
        kind: ``wheel``: a file; ``project``: a folder that a wheel is built from; ``revision``: of a git repository.
        content: SHA-256 of the wheel, or of the names and contents of a folder's files; of a revision the hash of
            git's tree.
        file: name of the wheel; empty where it is not built yet.
        version: of the package, as the wheel says; empty where it is not built yet.
        commit: of the revision.
        place: the repository or the folder, as it was named.
        command: what builds it, in a shell.
        product: pattern of what the command makes, from the repository's folder; empty for a wheel in
            ``$WEIGH_BUILD_OUT``.
    """

    kind: Literal["wheel", "project", "revision"]
    content: str
    file: str = ""
    version: str = ""
    commit: str = ""
    place: str = ""
    command: str = ""
    product: str = ""

    @property
    def identity(self) -> dict[str, str]:
        """What makes it another one."""
        return {"content": self.content, "command": self.command, "product": self.product}


class BuildRead(Build, frozen=True, kw_only=True):
    """A build as it was installed.

    Attributes:
        sha256: of the wheel that was installed.
    """

    sha256: str = ""

    def __str__(self) -> str:
        """``git 1a2b3c4d5e6f (tree 0f1e2d3c4b5a), built by "make wheel": duckdb-1.5.5-...whl, sha256 9c8b7a6f5e4d``."""
        made = f"{self.file}, sha256 {self.sha256[:SHORT]}"
        if self.kind == "revision":
            return f'git {self.commit[:SHORT]} (tree {self.content[:SHORT]}), built by "{self.command}": {made}'
        if self.kind == "project":
            return f"folder {self.place}, sha256 {self.content[:SHORT]}, built: {made}"
        return f"wheel {made}"
