"""What files are called as objects."""

from __future__ import annotations

from pathlib import Path


def names(table: str, paths: list[str]) -> list[str]:
    """What files are called below their root: as on the disk, with a number where two have one name."""
    plain = [Path(path).name for path in paths]
    unique = len(set(plain)) == len(plain)
    return [f"{table}/{name if unique else f'{number:06}-{name}'}" for number, name in enumerate(plain)]
