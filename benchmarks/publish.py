"""What a site of evidence costs: seconds, CPU and bytes of ``weigh publish``.

The evidence is that of experiments which were never run (records of the tests, sealed): every one has an id of its own,
ten each have the same scale and so a page of their own that has them side by side. They are followed by a number of
attempts of one experiment, of which each has the earlier ones in its verdicts.

Variables of the environment: ``WEIGH_BENCH_PUBLISH_EVIDENCE`` [200], ``WEIGH_BENCH_PUBLISH_ATTEMPTS`` [40].
"""

from __future__ import annotations

import importlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_EVIDENCE = int(os.environ.get("WEIGH_BENCH_PUBLISH_EVIDENCE", "200"))
_ATTEMPTS = int(os.environ.get("WEIGH_BENCH_PUBLISH_ATTEMPTS", "40"))
_SIDE_BY_SIDE = 10
"""Experiments of one scale."""
_GOAL_S, _GOAL_BYTES = 60, 20_000_000


def run() -> Iterator[str]:
    """Different experiments, then attempts of one."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    made: Any = importlib.import_module("golden.made")
    folders: Any = importlib.import_module("support.evidence_folders")
    record = made.agreed()
    with tempfile.TemporaryDirectory() as work:
        for number in range(_EVIDENCE):
            scale, timeout = 1.0 + number // _SIDE_BY_SIDE, 100.0 + number % _SIDE_BY_SIDE
            spec = msgspec.structs.replace(record.spec, scale=scale, timeout=timeout)
            folders.sealed_run(Path(work, "runs"), msgspec.structs.replace(record, spec=spec))
        yield f"{_published(Path(work), 'runs')}; the goal is {_GOAL_S} s and {_GOAL_BYTES / 1e6:.0f} MB"
        for _ in range(_ATTEMPTS):
            folders.sealed_run(Path(work, "attempts"), record)
        yield f"{_published(Path(work), 'attempts')}, attempts of one experiment"


def _published(work: Path, evidence: str) -> str:
    """What the site of a folder took.

    Raises:
        CalledProcessError: an evidence does not pass, or is left out.
    """
    weigh = Path(sys.executable).with_name("weigh")
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    site = work / f"site-of-{evidence}"
    subprocess.run(
        [str(weigh), "publish", str(work / evidence), "--out", str(site), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    files = [path for path in site.rglob("*") if path.is_file()]
    pages = sum(path.parent.name == "evidence" for path in files)
    size = sum(path.stat().st_size for path in files)
    bundles = sum(path.stat().st_size for path in files if path.parent.name == "bundles")
    return (
        f"publish: {pages} evidences: {took:.1f} s, {cpu:.1f} s of CPU, "
        f"{size / 1e6:.1f} MB, of these bundles {bundles / 1e6:.1f} MB"
    )
