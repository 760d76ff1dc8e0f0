"""Problems: what verification finds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh._version import __version__
from weigh.evidence import attempts, files, journal, naming, seal
from weigh.model import codes
from weigh.model.errors import EvidenceFault
from weigh.model.finding import Code

if TYPE_CHECKING:
    from collections.abc import Mapping
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

RELEASES = ("0.1.0",)
"""Versions whose evidence a later one verifies by its figures: tests/golden/released has some of each."""
_RELEASE = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})")
_PAGES = (".html", ".txt")
_WORDED = ("findings", "reasons")
"""Keys of a document whose lists a later release may lengthen."""
_NAME = 80
_DIGITS = 9
"""Significant digits at which numbers are compared: more than any report prints."""


def read_seal(folder: Path) -> tuple[seal.Seal, list[Problem]]:
    """The seal; one that covers nothing, and what is wrong, where it is damaged.

    Raises:
        EvidenceFault: there is none.
    """
    try:
        return seal.read_seal(folder), []
    except seal.SealDamaged as error:
        problem = Problem(code=codes.R4_SEALED.code, file=seal.SEAL, text=error.what)
        return seal.Seal(files={}, earlier={}, weigh=__version__), [problem]


def hashes(folder: Path, sealed: seal.Seal) -> list[Problem]:
    """Files that are not what was sealed, that are missing, or that were added."""
    present, foreign = set(seal.file_names(folder)), seal.foreign(folder)
    problems = [
        Problem(code=codes.R4_SEALED.code, file=name, text="it is missing")
        for name in sorted(sealed.files.keys() - present - {*foreign})
    ]
    problems += [
        Problem(code=codes.R4_SEALED.code, file=name, text="it is no regular file: a link, a pipe or a device")
        for name in foreign
    ]
    problems += [
        Problem(code=codes.R4_SEALED.code, file=name, text="it was added after the seal")
        for name in sorted(present - sealed.files.keys())
    ]
    for name in sorted(present & sealed.files.keys()):
        problems += _changed(folder / name, name, sealed.files[name], "it was changed after it was sealed")
    for name, wanted in sealed.earlier.items():
        path = naming.sibling(folder.resolve().parent, name, wanted) / seal.SEAL
        if not is_name(name):
            text = f"it names an earlier attempt that is no name of a directory: {name[:_NAME]!r}"
            problems.append(Problem(code=codes.R4_SEALED.code, file=seal.SEAL, text=text))
        elif path.exists():
            problems += _changed(path, f"../{name}/{seal.SEAL}", wanted, "an earlier attempt was resealed")
    return problems


def edited(folder: Path) -> list[str]:
    """Names of files at the top of sealed evidence that are not what was sealed; none of what has no seal yet."""
    try:
        sealed = seal.read_seal(folder)
    except seal.SealDamaged:
        return [seal.SEAL]
    except (EvidenceFault, OSError):
        return []
    names = [name for name in sorted(sealed.files) if "/" not in name]
    return [name for name in names if _changed(folder / name, name, sealed.files[name], "")]


def removed(folder: Path) -> list[Problem]:
    """Earlier attempts that are not alongside an attempt any more: every one counts (T8)."""
    text = "this attempt was removed; every attempt counts"
    return [Problem(code=codes.T8_MISSING.code, file=f"../{name}", text=text) for name in attempts.missing(folder)]


def not_following(folder: Path, computed: Mapping[str, bytes], sealed: seal.Seal, text: str) -> list[Problem]:
    """Files that are not what was computed. What is missing is named by the seal.

    Of evidence that an earlier release sealed the figures of the documents are compared, and no words: a later one may
    say more, and say it differently.

    Args:
        folder: the evidence.
        computed: what they should be, by name.
        sealed: tells the version of weigh, which may word a report differently.
        text: what is reported of each.
    """
    note = "" if sealed.weigh == __version__ else f" (sealed by weigh {sealed.weigh}, this is {__version__})"
    compare = same_figures if is_earlier(sealed.weigh) else same
    others = [
        name for name, content in computed.items() if (folder / name).exists() and not compare(folder / name, content)
    ]
    return [Problem(code=codes.R4_FIGURES.code, file=name, text=text + note) for name in others]


def chain(folder: Path) -> list[Problem]:
    """Lines of the journal that do not follow from those before them. What is damaged is named by its reader."""
    try:
        number = journal.edited(folder)
    except (OSError, EvidenceFault):
        return []
    text = f"line {number} does not carry the hash of the line before it: lines were edited, removed or put in"
    return [Problem(code=codes.R4_CHAIN.code, file=journal.NAME, text=text)] if number else []


def uncomputable(error: Exception) -> str:
    """What is reported where evidence holds values with which nothing can be computed."""
    return f"nothing can be computed from what it says: {type(error).__name__}: {error}"


def _changed(path: Path, name: str, wanted: str, text: str) -> list[Problem]:
    try:
        if files.hashed(path) == wanted:
            return []
    except OSError as error:
        text = f"it cannot be read: {error.strerror or error}"
    return [Problem(code=codes.R4_HASH.code, file=name, text=text)]


def is_name(name: str) -> bool:
    """Whether it names a directory alongside another: an absolute path or one upwards names any file of the machine."""
    return name not in ("", ".", "..") and len(name.encode(errors="replace")) <= 255 and not set(name) & {"/", "\0"}


def same(path: Path, computed: bytes) -> bool:
    """Whether a file is what it should be: documents at the digits that are printed, all else byte by byte."""
    if not path.name.endswith(".json"):
        return same_bytes(path, computed)
    try:
        return close(files.content(path), computed)
    except OSError:
        return False


def is_earlier(version: str) -> bool:
    """Whether it is of a release before this one: whoever reseals cannot name a version that there never was."""
    if version not in RELEASES:
        return False
    numbers = [tuple(map(int, found.groups())) for one in (version, __version__) if (found := _RELEASE.fullmatch(one))]
    return len(numbers) == 2 and numbers[0] < numbers[1]


def not_compared(folder: Path, version: str) -> tuple[str, ...]:
    """Files of evidence that are not compared with what was computed, because an earlier release worded them.

    Args:
        folder: the evidence.
        version: of weigh, that sealed it.
    """
    if not is_earlier(version):
        return ()
    return tuple(sorted(path.name for path in folder.iterdir() if path.name.endswith(_PAGES)))


def same_figures(path: Path, computed: bytes) -> bool:
    """Whether every number, name and code of a document stands at its place in what was computed.

    Sentences are not compared, nor what is listed of findings and reasons, nor pages: their hashes are in the seal.
    """
    if not path.name.endswith(".json"):
        return path.name.endswith(_PAGES) or same_bytes(path, computed)
    try:
        written, again = (_rounded(files.decoded(one, object)) for one in (files.content(path), computed))
        return _within(written, again)
    except (OSError, EvidenceFault, RecursionError):
        return False


def _within(written: Any, again: Any) -> bool:
    if isinstance(written, dict):
        return isinstance(again, dict) and all(
            name in again and _within(value, again[name]) for name, value in written.items() if name not in _WORDED
        )
    if isinstance(written, list):
        return isinstance(again, list) and len(written) == len(again) and all(map(_within, written, again))
    return (isinstance(written, str) and " " in written) or written == again


def same_bytes(path: Path, computed: bytes) -> bool:
    """Whether a file has these bytes; what is longer is not read to its end."""
    try:
        return files.content(path, len(computed)) == computed
    except OSError:
        return False


def close(written: bytes, computed: bytes) -> bool:
    """Equal JSON, numbers compared at the digits that any report prints."""
    try:
        return bool(_rounded(files.decoded(written, object)) == _rounded(files.decoded(computed, object)))
    except (EvidenceFault, RecursionError):
        return False


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}"
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value
