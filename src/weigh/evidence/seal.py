"""The seal: a hash of every file of an attempt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import files, journal, whole
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Iterator


SEAL = "seal.json"
SIGNATURE = "seal.json.sig"
"""Of the seal, by whoever vouches for it (``weigh sign``)."""
_APART = (SEAL, SIGNATURE, ".ballast")


class SealDamaged(EvidenceFault):
    """There is a seal that is none: evidence that is not what it says, and not the absence of any."""


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes of every file of an attempt.

    An unkeyed seal shows accidental change and careless editing; it cannot stop somebody who edits and reseals.

    Attributes:
        files: BLAKE3 of every file by name.
        earlier: BLAKE3 of the seals of earlier attempts of the same experiment, by directory name.
        weigh: the version that sealed it.
    """

    files: dict[str, str]
    earlier: dict[str, str]
    weigh: str


def write_json(folder: Path, name: str, body: Any) -> None:
    """One derived document, indented for people."""
    whole.write(folder / name, json_bytes(body))


def json_bytes(body: Any) -> bytes:
    """A document as it is written."""
    return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"


def file_names(folder: Path) -> list[str]:
    """Every file of an attempt but its seal and signature, relative, sorted."""
    return sorted(name for name, regular in _inside(folder) if regular)


def foreign(folder: Path) -> list[str]:
    """What lies in an attempt's directory and is no regular file: links, pipes, devices."""
    return sorted(name for name, regular in _inside(folder) if not regular)


def _inside(folder: Path) -> Iterator[tuple[str, bool]]:
    """Everything but folders, and whether it is a regular file."""
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if Path(place, name).is_symlink()]
        for name in (*names, *links):
            path = Path(place, name)
            # The seals of the agents of a load are files like others.
            if name not in _APART or path.relative_to(folder).parts[0] == "agents":
                yield str(path.relative_to(folder)), files.is_regular(path)


def read_seal(folder: Path) -> Seal:
    """The seal.

    Raises:
        EvidenceFault: there is none, or it is damaged.
    """
    try:
        return files.decoded(files.content(folder / SEAL), Seal)
    except FileNotFoundError:
        if not (folder / journal.NAME).exists():
            raise EvidenceFault(
                "there is no evidence in it", where=str(folder), remedy="weigh runs lists what there is"
            ) from None
        raise EvidenceFault(
            "there is no seal: the attempt was killed or is still running",
            where=str(folder),
            remedy="its journal can still be read with `weigh report`",
        ) from None
    except OSError as error:
        raise SealDamaged(f"the seal cannot be read: {error.strerror}", **_where(folder)) from error
    except EvidenceFault as error:
        raise SealDamaged(f"the seal is damaged: {error.what}", **_where(folder)) from error


def _where(folder: Path) -> dict[str, str]:
    return {"where": str(folder / SEAL), "remedy": "the evidence was edited"}
