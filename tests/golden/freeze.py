"""Freeze evidence of this version: ``PYTHONPATH=tests:src python -m golden.freeze``, which `make release` does.

Sealed evidence of every kind, as the version leaves it, becomes tests/golden/released/VERSION.tar.xz; every later one
verifies and reports it (test_released.py).
"""

from __future__ import annotations

import tarfile
import tempfile
from pathlib import Path

from golden.kept import ROOT, Kept
from weigh._version import __version__

RELEASED = Path(__file__).parent / "released"
NAMES = ("run", "load", "servers", "ladder")
"""Of what is frozen; a ladder lies next to its rungs."""


def main() -> None:
    """Write the archive of this version."""
    RELEASED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        kept = Kept(Path(place))
        for name in NAMES:
            kept.path(name)
        with tarfile.open(RELEASED / f"{__version__}.tar.xz", "w:xz") as archive:
            archive.add(Path(place) / ROOT, ROOT)


if __name__ == "__main__":
    main()
