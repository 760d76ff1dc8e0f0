"""Answers that somebody trusts, kept as plain JSON: ``weigh load --pin FILE`` writes them, ``--answers FILE`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import whole
from weigh.load.gate_events import Pins, StatementAnswers
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "weigh/load-pins/1"
_REMEDY = "write such a file with: weigh load SCRIPT --pin FILE"
_LONGEST = 256 << 20
"""Bytes of a file."""


def write(path: Path, statements: StatementAnswers, product: str, seed: int) -> int:
    """Write the answers that came the same each time they were asked; returns how many.

    Raises:
        EnvironmentFault: the file cannot be written.
    """
    answers = tuple(
        one for at, one in enumerate(statements.answers) if at not in statements.again and one.answer.kind != "error"
    )
    found = Pins(schema=SCHEMA, product=product, seed=seed, answers=answers)
    try:
        whole.write(path, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    except OSError as error:
        raise EnvironmentFault(
            f"the answers cannot be pinned: {error.strerror}", where=str(path), remedy="name a file that can be written"
        ) from error
    return len(answers)


def read(path: Path, seed: int) -> Pins:
    """Read pinned answers.

    Raises:
        UsageError: the file is missing, is no such file, or was asked with parameters of another seed.
    """
    try:
        if path.stat().st_size > _LONGEST:
            raise UsageError(f"it has more than {_LONGEST >> 20} MiB", where=str(path), remedy=_REMEDY)
        found = msgspec.json.decode(path.read_bytes(), type=Pins)
    except OSError as error:
        raise UsageError(f"no pinned answers: {error.strerror}", where=str(path), remedy=_REMEDY) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f"these are no pinned answers: {error}", where=str(path), remedy=_REMEDY) from None
    if found.schema != SCHEMA:
        raise UsageError(f"these are answers of another kind: {found.schema}", where=str(path), remedy=_REMEDY)
    if found.seed != seed:
        raise UsageError(
            f"these answers are to parameters of seed {found.seed}, and this load has seed {seed}",
            where=str(path),
            remedy=f"add --seed {found.seed}, or pin the answers again",
        )
    return found
