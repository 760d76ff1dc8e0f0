"""Whether distributions hold what they need and nothing of the tests: ``check_wheel.py FOLDER``."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHEELS = {"weigh": ("src/weigh", "src/weigh_worker"), "weigh_liars": ("liars/weigh_liars",)}
"""What each wheel is made of."""
SOURCES = ("pyproject.toml", "Cargo.lock", "README.md", "LICENSE-MIT", "crates/weigh-python/src/lib.rs")
"""What a source distribution of weigh cannot be built without."""


def tracked(*folders: str) -> set[str]:
    """The files of folders that belong to the repository, by the names that they have once installed."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return {name.split("/", 1)[1] for name in listed if (ROOT / name).is_file()}


def wrong(wheel: Path) -> list[str]:
    """What a wheel lacks, and what does not belong into it."""
    needed = tracked(*WHEELS[wheel.name.split("-")[0]])
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name and not name.endswith("/")}
    if wheel.name.startswith("weigh-"):
        needed.add("weigh/_native.abi3.so")
    lacks = [f"{wheel.name} lacks {name}" for name in sorted(needed - names)]
    return lacks + [f"{wheel.name} has {name}, which is not weigh's" for name in sorted(names - needed)]


def wrong_sources(archive: Path) -> list[str]:
    """What the sources lack, and whether they hold tests."""
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    needed = {*SOURCES, *(f"src/{name}" for name in tracked(*WHEELS["weigh"]))}
    lacks = [f"{archive.name} lacks {name}" for name in sorted(needed - names)]
    return lacks + [
        f"{archive.name} has {name}" for name in sorted(names) if name.startswith(("tests/", "benchmarks/"))
    ]


def main() -> int:
    """Check all distributions of a folder."""
    folder = Path(sys.argv[1])
    problems = [line for wheel in sorted(folder.rglob("*.whl")) for line in wrong(wheel)]
    problems += [line for archive in sorted(folder.glob("weigh-*.tar.gz")) for line in wrong_sources(archive)]
    for line in problems:
        print(line, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
