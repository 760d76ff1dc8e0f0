"""The seal: a hash of every file of an attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import journal
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path


SEAL = "seal.json"


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
    (folder / name).write_bytes(json_bytes(body))


def json_bytes(body: Any) -> bytes:
    """A document as it is written."""
    return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"


def file_names(folder: Path) -> list[str]:
    """Every file of an attempt but its seal, relative, sorted."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (SEAL, ".ballast")
    )


def read_seal(folder: Path) -> Seal:
    """The seal.

    Raises:
        EvidenceFault: there is none, or it is damaged.
    """
    try:
        return msgspec.json.decode((folder / SEAL).read_bytes(), type=Seal)
    except FileNotFoundError:
        if not (folder / journal.NAME).exists():
            raise EvidenceFault(
                "there is no evidence in it", where=str(folder), remedy="weigh run prints the path"
            ) from None
        raise EvidenceFault(
            "there is no seal: the attempt was killed or is still running",
            where=str(folder),
            remedy="its journal can still be read with `weigh report`",
        ) from None
    except (OSError, msgspec.MsgspecError) as error:
        raise EvidenceFault(
            f"the seal is damaged: {error}", where=str(folder / SEAL), remedy="the evidence was edited"
        ) from error
