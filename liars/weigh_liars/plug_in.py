"""The door through which weigh finds the liars: the entry points of a plug-in, written where somebody asks for them.

They are no part of weigh: `weigh engines` lists none, and no contender can be one, until a process has
the folder that is written here on its path of modules (``PYTHONPATH``).
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ENTRY_POINTS = """[weigh.engines]
liar = weigh_liars:engine
service = weigh_liars.service:engine
licensed = weigh_liars:licensed
fork = weigh_liars:fork
wrapped = weigh_liars:wrapped

[weigh.workloads]
shapes = weigh_liars.shapes:shapes
three = weigh_liars.shapes:three
two = weigh_liars.shapes:two
"""
_METADATA = "Metadata-Version: 2.1\nName: weigh-liars\nVersion: {version}\n"


def written(folder: Path) -> Path:
    """Write what names the liars as a plug-in.

    Args:
        folder: a new one, or one that this wrote before.

    Returns:
        The folder, absolute, to be named by ``PYTHONPATH``.
    """
    version_of_liars = version("weigh-liars")
    described = folder / f"weigh_liars-{version_of_liars}.dist-info"
    described.mkdir(parents=True, exist_ok=True)
    (described / "METADATA").write_text(_METADATA.format(version=version_of_liars))
    (described / "entry_points.txt").write_text(_ENTRY_POINTS)
    return folder.absolute()
