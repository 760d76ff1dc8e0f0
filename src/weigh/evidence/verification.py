"""Problems: what verification finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.evidence import seal
from weigh.model import codes
from weigh.model.finding import Code

if TYPE_CHECKING:
    from pathlib import Path


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not what it says.

    Attributes:
        code: of the registry.
        file: where.
        text: what is wrong.
    """

    code: Code
    file: str
    text: str


class Outcome(NamedTuple):
    """What came of verifying one thing, as a sentence."""

    text: str
    passed: bool = True


UNKEYED = Outcome("an unkeyed seal does not stop somebody who edits everything and reseals it")
"""What a seal that passes does not say."""

_DIGITS = 9
"""Significant digits at which numbers are compared: more than any report prints."""


def hashes(folder: Path, sealed: seal.Seal) -> list[Problem]:
    """Files that are not what was sealed, that are missing, or that were added."""
    from weigh._native import hash_file

    present = set(seal.file_names(folder))
    problems = [
        Problem(code=codes.R4_SEALED.code, file=name, text="it is missing")
        for name in sorted(sealed.files.keys() - present)
    ]
    problems += [
        Problem(code=codes.R4_SEALED.code, file=name, text="it was added after the seal")
        for name in sorted(present - sealed.files.keys())
    ]
    for name in sorted(present & sealed.files.keys()):
        if hash_file(str(folder / name)) != sealed.files[name]:
            problems.append(Problem(code=codes.R4_HASH.code, file=name, text="it was changed after it was sealed"))
    for name, wanted in sealed.earlier.items():
        path = folder.resolve().parent / name / seal.SEAL
        if path.exists() and hash_file(str(path)) != wanted:
            problems.append(
                Problem(code=codes.R4_HASH.code, file=f"../{name}/{seal.SEAL}", text="an earlier attempt was resealed")
            )
    return problems


def close(said: bytes, computed: bytes) -> bool:
    """Equal JSON, numbers compared at the digits that any report prints."""
    try:
        return bool(_rounded(msgspec.json.decode(said)) == _rounded(msgspec.json.decode(computed)))
    except msgspec.MsgspecError:
        return False


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}"
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value
