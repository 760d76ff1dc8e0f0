"""Published results of other tools, as `weigh audit` reads them, and bundles of evidence."""

from __future__ import annotations

import functools
import io
import json
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from audit import facts
from fuzz.frame import Door, command, elsewhere, fuzz, mutated
from golden import made
from support.evidence_folders import sealed_run
from weigh.evidence import bundle
from weigh.kinds.table import kind_of

if TYPE_CHECKING:
    import random

_FILES = [text.encode() for text in (*facts.HONEST.values(), *(text for text, _ in facts.LIARS.values()))]


@functools.cache
def exported() -> tuple[bytes, ...]:
    """What weigh itself writes of a run."""
    with tempfile.TemporaryDirectory(prefix="fuzz-export-") as folder:
        run = sealed_run(Path(folder), made.agreed())
        kind, forms = kind_of(run), ("junit", "benchfmt", "bencher", "openmetrics", "markdown", "csv", "parquet")
        return ((run / "verdicts.json").read_bytes(), *(kind.export(run, form, None)[0] for form in forms))


def published(chance: random.Random) -> bytes:
    file = chance.choice((*_FILES, *exported()))
    if file[:1] == b"{" and chance.random() < 0.6:
        document: object = json.loads(file)
        for _ in range(chance.randrange(1, 4)):
            document = elsewhere(document, chance)
        return json.dumps(document).encode()
    return mutated(file, chance)


def audited(content: bytes, folder: Path) -> None:
    (folder / "x.txt").write_bytes(content)
    command(("audit", str(folder / "x.txt"), "--json"), folder)
    command(("audit", str(folder / "x.txt"), "--verbose", "--toml", str(folder / "weigh.toml")), folder)
    command(("audit", "--claim", str(folder / "x.txt")), folder)


@functools.cache
def whole() -> bytes:
    """A bundle."""
    with tempfile.TemporaryDirectory(prefix="fuzz-bundle-") as folder:
        return bundle.packed(sealed_run(Path(folder), made.agreed()), "run")


def packed(chance: random.Random) -> bytes:
    """A bundle with bytes changed, or with a file in it changed and packed again."""
    if chance.random() < 0.5:
        return mutated(whole(), chance)
    held = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(whole())) as old, tarfile.open(fileobj=held, mode="w:xz") as new:
        for member in old:
            content = (old.extractfile(member) or io.BytesIO()).read()
            if chance.random() < 0.2:
                content = mutated(content, chance)
            name = chance.choice((member.name, member.name, member.name, f"../{member.name}", "x"))
            again = tarfile.TarInfo(name)
            again.size = len(content)
            new.addfile(again, io.BytesIO(content))
    return held.getvalue()


def unpacked(content: bytes, folder: Path) -> None:
    (folder / "x.weigh").write_bytes(content)
    command(("verify", str(folder / "x.weigh")), folder)
    command(("audit", str(folder / "x.weigh")), folder)
    command(("reproduce", str(folder / "x.weigh"), "--plan", "--out", str(folder / "runs")), folder)


PUBLISHED = Door("published", published, audited)
BUNDLES = Door("bundles", packed, unpacked)


def test_published() -> None:
    fuzz(PUBLISHED)


def test_bundles() -> None:
    fuzz(BUNDLES)
