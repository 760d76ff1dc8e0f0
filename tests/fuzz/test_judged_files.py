"""Files of other tools, as `weigh judge` reads them."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.frame import Door, command, elsewhere, fuzz, mutated
from weigh.judge.formats import criterion_folder

if TYPE_CHECKING:
    import random

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "judge"
_LONGEST = 200_000
_CSV = b"engine,query,seconds\n" + b"".join(b"%s,q%d,%d.5\n" % (b"ab"[n % 2 : n % 2 + 1], n % 3, n) for n in range(60))
_TRIES = (
    "",
    "hyperfine",
    "pyperf",
    "google-benchmark",
    "pytest-benchmark",
    "criterion",
    "jmh",
    "go",
    "pgbench",
    "k6",
    "hlog",
    "csv",
)


@functools.cache
def whole() -> tuple[bytes, ...]:
    """A file of every format, as its tool wrote it."""
    found = [path for path in sorted(_FIXTURES.rglob("*")) if path.is_file() and path.suffix != ".md"]
    alone = (
        path.read_bytes() for path in found if path.stat().st_size <= _LONGEST and not criterion_folder.holds(path)
    )
    together = (criterion_folder.document(path) for path in found if path.name == "sample.json")
    return (_CSV, *alone, *together)


def _document(file: bytes) -> object:
    """The file as JSON; None where it is none, or a document in every line."""
    try:
        return json.loads(file)  # type: ignore[no-any-return]
    except ValueError:
        return None


def make(chance: random.Random) -> bytes:
    file = chance.choice(whole())
    if (document := _document(file)) is not None and chance.random() < 0.6:
        for _ in range(chance.randrange(1, 4)):
            document = elsewhere(document, chance)
        return json.dumps(document).encode()
    return mutated(file, chance)


def use(content: bytes, folder: Path) -> None:
    name = folder / "x.json"
    name.write_bytes(content)
    other = folder / "whole.csv"
    other.write_bytes(_CSV)
    which = _TRIES[len(content) % len(_TRIES)]
    command(("judge", str(name)), folder)
    command(("judge", f"a={name}", f"b={other}", "--json"), folder)
    command(("judge", str(name), "--format", which) if which else ("judge", str(name), "--strict"), folder)


JUDGED = Door("judged", make, use)


def test_judged_files() -> None:
    fuzz(JUDGED)


def test_the_files_themselves_are_read(tmp_path: Path) -> None:
    """Else the door would be tried with what it refuses at a glance."""
    for number, content in enumerate(whole()):
        path = tmp_path / f"{number}.json"
        path.write_bytes(content)
        assert "format" not in command(("judge", str(path)), tmp_path).err
