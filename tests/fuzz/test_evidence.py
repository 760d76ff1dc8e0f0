"""Evidence that somebody else sends: every file of it may hold anything, sealed or not."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.frame import HOSTILE, ODD, Door, command, deep, elsewhere, fuzz, mutated
from golden.kept import ROOT, Kept
from weigh._version import __version__
from weigh.evidence import sealing
from weigh.evidence.journal import NAME as JOURNAL
from weigh.evidence.seal import SEAL

if TYPE_CHECKING:
    import random

_NAMES = ("run", "load", "rung-1", "both", "diverged", "killed", "again", "wrong-load")
_LINES = 60_000
"""Bytes of a line of a journal that is still taken apart."""
_FORMS = (
    ("report",), ("report", "--json"), ("report", "--verbose"), ("report", "--notes"), ("report", "--markdown"),
    ("report", "--html", "-"), ("verify", "--json"), ("verify", "--print-sql"),
)  # fmt: skip


@functools.cache
def whole() -> tuple[Path, dict[str, str]]:
    """A folder of sealed evidence of every kind, and where in it each is."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-whole-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = Kept(folder)
    return folder, {name: kept.path(name) for name in (*_NAMES, "ladder")}


def make(chance: random.Random) -> bytes:
    folder, paths = whole()
    name = chance.choice([*_NAMES, "ladder"])
    evidence = folder / paths[name]
    edits = [_edit(evidence, chance) for _ in range(chance.choice((1, 1, 2)))]
    made = {"evidence": name, "edits": edits, "sealed": chance.random() < 0.7}
    return json.dumps(made).encode()


def _edit(evidence: Path, chance: random.Random) -> dict[str, Any]:
    """One change: of a line of the journal, or of another file."""
    if (evidence / JOURNAL).is_file() and chance.random() < 0.75:
        lines = (evidence / JOURNAL).read_bytes().splitlines()
        at = chance.randrange(len(lines))
        return {"file": JOURNAL, "line": at, "text": changed(lines[at], chance).decode("latin-1")}
    # Pages and texts are compared, and never read.
    names = [path.name for path in evidence.iterdir() if path.suffix in (".json", ".parquet", ".jsonl")]
    file = chance.choice(sorted(names))
    return {"file": file, "text": changed((evidence / file).read_bytes(), chance).decode("latin-1")}


def changed(content: bytes, chance: random.Random) -> bytes:
    """A document, or a line of one, with something in it changed."""
    kind = chance.randrange(10)
    if kind == 0:
        return deep(chance.choice((10, 900, 100_000)))
    if kind <= 2 or content[:1] not in b"{[" or len(content) > _LINES:
        return mutated(content, chance)
    try:
        document = json.loads(content)
    except json.JSONDecodeError:  # of several lines
        return mutated(content, chance)
    for _ in range(chance.randrange(1, 3)):
        document = elsewhere(document, chance, [*ODD, *HOSTILE] if chance.random() < 0.5 else ODD)
    return json.dumps(document).encode()


def use(content: bytes, folder: Path) -> None:
    given = json.loads(content)
    base, paths = whole()
    shutil.copytree(base / ROOT, folder / ROOT)
    evidence = folder / paths[given["evidence"]]
    for edit in given["edits"]:
        path, text = evidence / edit["file"], edit["text"].encode("latin-1")
        if "line" in edit:
            lines = path.read_bytes().splitlines(keepends=True)
            lines[edit["line"] : edit["line"] + 1] = [text + b"\n"]
            text = b"".join(lines)
        path.write_bytes(text)
    if given["sealed"] and (evidence / SEAL).exists() and not any(edit["file"] == SEAL for edit in given["edits"]):
        sealing.seal(evidence, __version__)
    command(("verify", str(evidence)), folder)
    form = _FORMS[zlib.crc32(content) % len(_FORMS)]
    command((form[0], str(evidence), *form[1:]), folder)
    command(("runs",), folder)
    if zlib.crc32(content) % 4 == 0:
        command(("compare", str(evidence), str(folder / paths["rung-1"])), folder)


EVIDENCE = Door("evidence", make, use, few=12)


def test_evidence() -> None:
    fuzz(EVIDENCE)
