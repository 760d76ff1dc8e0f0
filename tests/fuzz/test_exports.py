"""Evidence that somebody else sends, through every form of `weigh export`."""

from __future__ import annotations

import csv
import io
import json
import shutil
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from fuzz.frame import Door, command, fuzz
from fuzz.test_evidence import changed, whole
from golden.kept import ROOT
from weigh._version import __version__
from weigh.evidence import sealing
from weigh.evidence.journal import NAME as JOURNAL

if TYPE_CHECKING:
    import random
    from pathlib import Path

_NAMES = ("run", "both", "diverged", "killed")
_FORMS = ("junit", "benchfmt", "bencher", "openmetrics", "markdown", "csv")


def make(chance: random.Random) -> bytes:
    folder, paths = whole()
    name = chance.choice(_NAMES)
    lines = (folder / paths[name] / JOURNAL).read_bytes().splitlines()
    at = chance.randrange(len(lines))
    return json.dumps({"evidence": name, "line": at, "text": changed(lines[at], chance).decode("latin-1")}).encode()


def use(content: bytes, folder: Path) -> None:
    given = json.loads(content)
    base, paths = whole()
    shutil.copytree(base / ROOT, folder / ROOT)
    evidence = folder / paths[given["evidence"]]
    lines = (evidence / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[given["line"]] = given["text"].encode("latin-1") + b"\n"
    (evidence / JOURNAL).write_bytes(b"".join(lines))
    sealing.seal(evidence, __version__)
    for form in _FORMS:
        # Lines of CSV end as RFC 4180 has it, which no terminal is to be sent.
        out = folder / form
        if command(("export", str(evidence), "--format", form, "--out", str(out)), folder).code != 0:
            continue
        text = out.read_bytes().decode()
        if form == "junit":
            ElementTree.fromstring(text)
        elif form == "bencher":
            json.loads(text)
        elif form == "csv":
            head, *rows = csv.reader(io.StringIO(text, newline=""))
            assert all(len(row) == len(head) for row in rows)
        elif form == "openmetrics":
            assert text.endswith("# EOF\n")


EXPORTS = Door("exports", make, use, few=6)


def test_exports() -> None:
    fuzz(EXPORTS)
