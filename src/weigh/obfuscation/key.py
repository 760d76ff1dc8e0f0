"""The key: from a file or the environment, or made. It decides every replacement, and is written nowhere else."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from typing import TYPE_CHECKING

import numpy as np

from weigh.evidence import whole
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.ciphers import CipherContext

VARIABLE = "WEIGH_OBFUSCATION_KEY"
_HEX = re.compile(r"[0-9a-f]{64}")
_MAKE = "give 64 hexadecimal digits, or name a file that is not there: weigh makes a key in it"


class Key:
    """A secret of 32 bytes, and what is derived from it.

    Args:
        secret: the bytes.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._encryptors: dict[str, CipherContext] = {}

    def __repr__(self) -> str:
        return f"Key({self.id})"

    @property
    def id(self) -> str:
        """Tells keys apart, and tells nothing of the key: data and a workload of one key have the same."""
        return self.derived("id").hex()[:8]

    def derived(self, purpose: str) -> bytes:
        """32 bytes for one purpose."""
        return hmac.digest(self._secret, purpose.encode(), hashlib.sha256)

    def blocks(self, purpose: str, first: np.ndarray, second: np.ndarray | int) -> np.ndarray:
        """Pseudorandom bytes: AES of pairs of numbers.

        Args:
            purpose: another one has other bytes.
            first: int64.
            second: int64 of that shape, or one number.

        Returns:
            uint8 of shape (n, 16).
        """
        pairs = np.empty((len(first), 2), "<i8")
        pairs[:, 0] = first
        pairs[:, 1] = second
        encryptor = self._encryptors.get(purpose)
        if encryptor is None:
            encryptor = self._encryptors[purpose] = _encryptor(self.derived(purpose))
        return np.frombuffer(encryptor.update(pairs.tobytes()), np.uint8).reshape(-1, 16)


def of(file: Path | None, out: Path) -> tuple[Key, Path | None, bool]:
    """The key that is asked for.

    Args:
        file: named by the user; None for the variable of the environment, or a new file alongside the output.
        out: the output, in which the key may not be.

    Returns:
        The key, the file that it is in, and whether that was made.

    Raises:
        UsageError: it is no key, others may read it, or it lies in the output.
    """
    if file is None:
        variable = os.environ.get(VARIABLE)
        if variable is not None:
            return Key(_parsed(variable, f"the variable {VARIABLE}")), None, False
        file = out.with_name(f"{out.name}.key")
    if out.resolve() in file.resolve().parents:
        raise UsageError("the key would lie in the output", where=str(file), remedy="name another file: --key-file")
    try:
        if file.exists():
            if file.stat().st_mode & 0o077:
                raise UsageError("others may read the key", where=str(file), remedy=f"chmod 600 {file}")
            return Key(_parsed(file.read_text(encoding="ascii", errors="replace"), str(file))), file, False
        secret = secrets.token_bytes(32)
        file.parent.mkdir(parents=True, exist_ok=True)
        if not whole.add(file, f"{secret.hex()}\n".encode(), mode=0o600):
            raise UsageError("another weigh makes the same key", where=str(file), remedy="try again")
    except OSError as error:
        problem = f"the key file cannot be used: {error.strerror}"
        raise UsageError(
            problem, where=str(file), remedy="name a file that you may read and write: --key-file"
        ) from None
    return Key(secret), file, True


def _encryptor(secret: bytes) -> CipherContext:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    # Every block is another input of a pseudorandom permutation: no mode is needed.
    return Cipher(algorithms.AES(secret), modes.ECB()).encryptor()


def _parsed(text: str, where: str) -> bytes:
    if not _HEX.fullmatch(text.strip().lower()):
        raise UsageError("this is no key", where=where, remedy=_MAKE)
    return bytes.fromhex(text.strip())
