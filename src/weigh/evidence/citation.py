"""What a result is cited by: the digest of its seal, its date, and the key that vouches for it."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files, naming
from weigh.evidence.seal import SEAL, SIGNATURE, read_seal

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

_ARMOR = b"-----"


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """A citation.

    Attributes:
        evidence: name of its directory.
        seal: BLAKE3 of its seal, which holds a hash of every file.
        date: on which it was recorded.
        weigh: version that sealed it.
        key: fingerprint of the key that signed it, as ``ssh-keygen -l`` prints it; empty where nobody did. Whether the
            signature is good, ``weigh verify --key`` says.
    """

    evidence: str
    seal: str
    date: str
    weigh: str
    key: str

    def __str__(self) -> str:
        signed = f", signed by {self.key}" if self.key else ", not signed"
        return f"{self.evidence}, {self.date}, weigh {self.weigh}, seal blake3:{self.seal}{signed}"


def cited(folder: Path, written: datetime.datetime) -> Citation:
    """The citation of sealed evidence.

    Args:
        folder: the evidence.
        written: when it was recorded.

    Raises:
        EvidenceFault: there is no seal.
    """
    sealed = read_seal(folder)
    return Citation(
        evidence=naming.given(folder),
        seal=files.hashed(folder / SEAL),
        date=written.strftime("%Y-%m-%d"),
        weigh=sealed.weigh,
        key=fingerprint(folder),
    )


def fingerprint(folder: Path) -> str:
    """SHA-256 of the public key in a signature (PROTOCOL.sshsig); empty where there is none that can be read."""
    try:
        lines = files.content(folder / SIGNATURE, 1 << 20).splitlines()
        blob = base64.b64decode(b"".join(line for line in lines if not line.startswith(_ARMOR)), validate=True)
    except (OSError, ValueError):
        return ""
    # Magic, version, then the key with its length before it.
    start, length = 14, int.from_bytes(blob[10:14])
    if blob[:6] != b"SSHSIG" or len(blob) < start + length:
        return ""
    digest = base64.b64encode(hashlib.sha256(blob[start : start + length]).digest()).rstrip(b"=")
    return f"SHA256:{digest.decode()}"


def text(one: Citation) -> str:
    """A ``CITATION.cff``, as repositories and archives read it."""
    signed = (
        f"    - type: other\n      value: {one.key}\n      description: key that signed the seal\n" if one.key else ""
    )
    return (
        "cff-version: 1.2.0\n"
        "message: Cite this result by the digest of its seal.\n"
        "type: dataset\n"
        f"title: weigh evidence {one.evidence}\n"
        f"version: {one.seal[:16]}\n"
        f"date-released: {one.date}\n"
        "authors:\n    - name: not named in the evidence\n"
        "identifiers:\n"
        f"    - type: other\n      value: blake3:{one.seal}\n      description: seal of the evidence\n"
        f"{signed}"
    )
