"""Reproducers of the last 24 hours: where the same experiment is wrong in the same way again, none is searched anew."""

from __future__ import annotations

import hashlib
import shutil
import time
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import msgspec

from weigh.cluster.versions import versions
from weigh.evidence import whole
from weigh.experiment.reproducer import package
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.reproducer.candidates import Divergence
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding
    from weigh.model.gate import Gate
    from weigh.model.units import Seconds

ROOM = "gates/reproducers"
"""In weigh's cache."""
LASTS: Seconds = 24 * 3600.0
"""As long as answers of a gate are reused."""
_FRESH = "fresh-"
"""Beginning of cases that each gate draws anew."""


class _Stored(msgspec.Struct):
    at: float
    folder: str
    text: str


def key(
    experiment: str, contenders: Iterable[PreparedContender], gate: Gate, manifest: Manifest, suspect: Divergence
) -> str:
    """What a reproducer follows from; empty where a part of that is not known, as an adapter of somebody else's.

    The answers that the gate was just given are in it: who answers otherwise is shrunk anew.
    """
    ours = Path(__file__).parents[2]
    if any(ours not in one.engine.adapter.resolve().parents or one.contender.remote for one in contenders):
        return ""
    checks = [
        (check.case, check.contender, str(check.status), check.witness, check.digest)
        for check in gate.checks
        if check.operation == suspect.operation.name and not check.case.startswith(_FRESH)
    ]
    content = (versions(), experiment, suspect.ready.name, suspect.operation.name, manifest.digests, sorted(checks))
    return hashlib.sha256(msgspec.json.encode(content, order="sorted", enc_hook=str)).hexdigest()


def find(cache: Path, name: str, suspect: Divergence, evidence: Path) -> Finding | None:
    """The finding of that key, with its reproducer in an evidence directory; None where there is none of late."""
    folder = cache / ROOM / name
    if not name:
        return None
    try:
        stored = msgspec.json.decode(folder.with_suffix(".json").read_bytes(), type=_Stored)
        if not 0 <= time.time() - stored.at < LASTS or "/" in stored.folder:
            return None
        place = evidence / package.FOLDER / stored.folder
        if place.exists():
            return None
        package.keep(folder, place)
    except (OSError, msgspec.DecodeError):
        return None
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(stored.at))
    return codes.A1_REPRODUCER.finding(
        contender=suspect.ready.name,
        operation=suspect.operation.name,
        text=f"{stored.text}; shrunk {when}, and its answers are the same now",
        remedy=f"uv run {quote(str(place / package.SCRIPT))}",
    )


def store(cache: Path, name: str, evidence: Path, finding: Finding) -> None:
    """Keep a reproducer that was just made; a cache that cannot be written keeps none."""
    if not name or finding.code != codes.A1_REPRODUCER.code or not finding.remedy.startswith("uv run "):
        return
    made = max((evidence / package.FOLDER).iterdir(), key=lambda one: one.stat().st_ctime_ns)
    folder = cache / ROOM / name
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        package.keep(made, folder)
        stored = _Stored(at=time.time(), folder=made.name, text=finding.text)
        whole.write(folder.with_suffix(".json"), msgspec.json.encode(stored))
    except OSError:
        return
