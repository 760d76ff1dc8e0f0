"""What a site of much evidence costs: seconds and bytes of ``weigh publish``, and whether every row leads somewhere.

One experiment is measured, DuckDB against SQLite; then its evidence is written once more by the journal and the seal of
weigh, each time under another name of the experiment, until there is as much as is wanted. So it is no measurement, but
evidence of which ``weigh publish`` verifies everything. It is stored in the cache, and made once.

Variable of the environment: ``WEIGH_BENCH_PUBLISH_EVIDENCE`` [200]. ``WEIGH_BENCH_PUBLISH_SITE`` is a folder where the
site is left.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.engines.prepared import cache_folder
from weigh.evidence import journal, seal, sealing
from weigh.evidence.attempts import begin
from weigh.evidence.journal import Journal
from weigh.experiment import derived, record
from weigh.experiment.report import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.spec import Spec

_EVIDENCE = int(os.environ.get("WEIGH_BENCH_PUBLISH_EVIDENCE", "200"))
_SITE = os.environ.get("WEIGH_BENCH_PUBLISH_SITE", "")
_OPERATIONS = "eq_user,in_users,eq_dst_port,time_window,by_action,duration_by_proto,distinct,top_talkers,top_users"
_RUN = (
    "--workload", "netflow", "--scale", "20K", "--operations", _OPERATIONS, "--contender", "duckdb",
    "--contender", "sqlite", "--starts", "5", "--runs", "2", "--budget", "none", "--contention", "100%", "--quiet",
)  # fmt: skip
_LINK = re.compile(r'(?:href|src)="([^"#:][^"#:]*)"')


def run() -> Iterator[str]:
    """The seconds, the bytes, and what leads nowhere."""
    weigh = str(Path(sys.executable).with_name("weigh"))
    with tempfile.TemporaryDirectory() as made:
        root, site = _evidence(weigh, cache_folder() / "bench"), Path(_SITE or Path(made, "site"))
        began = time.perf_counter()
        subprocess.run([weigh, "publish", str(root), "--out", str(site), "--quiet"], check=True)
        took = time.perf_counter() - began
        size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        yield (
            f"publish: {_EVIDENCE} evidences in {took:.1f} s (goal: under 60 s), {size / 1e6:.1f} MB (goal: under "
            f"20 MB); load average {os.getloadavg()[0]:.1f}"
        )
        yield from _rows(site)


def _evidence(weigh: str, cache: Path) -> Path:
    """The folder of all evidence, found or made."""
    measured, root = cache / "publish-measured", cache / f"publish-{_EVIDENCE}"
    if not measured.exists():
        done = subprocess.run([weigh, "run", *_RUN, "--out", str(measured)], check=False)
        if done.returncode not in (0, 1, 3):
            raise subprocess.CalledProcessError(done.returncode, "weigh run")
    if not root.exists():
        (found,) = (one for one in measured.iterdir() if one.is_dir() and not one.is_symlink())
        with tempfile.TemporaryDirectory(dir=cache) as aside:
            first = _again(found, Path(aside, "runs"), "copy 1")
            for number in range(1, _EVIDENCE):
                _renamed(first, "copy 1", f"copy {number + 1}")
            Path(aside, "runs").rename(root)
    return root


def _again(measured: Path, root: Path, name: str) -> Path:
    """The same evidence as that of an experiment of another name."""
    root.mkdir()
    folder = _journal(measured, root, name)
    derived.derive(folder)
    files.write(folder)
    sealing.seal(folder, seal.read_seal(measured).weigh)
    return folder


def _renamed(first: Path, name: str, other: str) -> None:
    """The same under yet another name: what follows from the journal is the same but for names, which verify checks."""
    folder = _journal(first, first.parent, other)
    names = {first.name: folder.name, _id(first): _id(folder), name: other}
    for path in first.rglob("*"):
        if path.is_file() and path.name not in (journal.NAME, seal.SEAL):
            content = path.read_bytes()
            for before, after in names.items():
                content = content.replace(before.encode(), after.encode())
            to = folder / path.relative_to(first)
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
    sealing.seal(folder, seal.read_seal(first).weigh)


def _id(folder: Path) -> str:
    return folder.name.split("-")[1]


def _journal(measured: Path, root: Path, name: str) -> Path:
    """A new evidence directory with nothing but the journal."""
    spec: Spec = msgspec.structs.replace(record.read(measured).spec, name=name)
    folder, _ = begin(root, spec.id)
    written = Journal(folder)
    for event in journal.read(measured):
        body = event.body
        if event.event == "opened":
            body = {**body, "spec": {**body["spec"], "name": name}}
        written.append(event.event, body)
    written.close()
    return folder


def _rows(site: Path) -> Iterator[str]:
    """Rows without a bundle or a command, and links that lead nowhere."""
    listed = json.loads((site / "site.json").read_text())["evidence"]
    bare = [one["name"] for one in listed if not (site / one["distribution"]).is_file() or not one["again"]]
    dead = [
        f"{page.relative_to(site)}: {link}"
        for page in site.rglob("*.html")
        for link in _LINK.findall(page.read_text())
        if not (page.parent / link).exists()
    ]
    failing = sum(one["verify"] != "passes" for one in listed)
    yield (
        f"publish: {len(listed)} rows, {len(bare)} without a bundle or a command, {failing} that do not pass verify, "
        f"{len(dead)} dead links{': ' + dead[0] if dead else ''}"
    )
