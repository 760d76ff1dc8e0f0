"""Files as objects of a store: put there once, read back and hashed before anybody is measured on them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh._native import StoreClient, StoreError, hash_file
from weigh.data.store.target import AUTHORITIES
from weigh.model.errors import DataFault, EnvironmentFault, UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.data.store.target import Target

_FOLDER = "weigh"
_WRONG_KEYS = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "InvalidToken", "ExpiredToken"})


class StoredFiles:
    """What of the data lies in a store.

    Objects are named by the bytes of the files that they were made from: what is there already is read back, and not
    put again.

    Args:
        name: of the store, for messages.
        target: the store.
        prefix: what all keys begin with.
    """

    def __init__(self, name: str, target: Target, prefix: str = "") -> None:
        self._name = name
        self._target = target
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._roots: dict[str, str] = {}
        self._new: list[str] = []
        try:
            self._client = StoreClient(target.encoded())
        except StoreError as error:
            remedy = f"see {AUTHORITIES}" if target.ca and target.ca in str(error) else "see endpoint in weigh.toml"
            raise UsageError(str(error), where=f"store {name}", remedy=remedy) from None

    def check(self) -> None:
        """Whether the bucket can be had.

        Raises:
            UsageError: there is no such bucket, or the keys do not open it.
            EnvironmentFault: nobody answers.
        """
        try:
            self._client.check()
        except StoreError as error:
            raise explained(error, self._target, f"store {self._name}") from None

    def has(self, key: str) -> bool:
        """Whether the files with this hash were put by this process."""
        return key in self._roots

    def put(self, files: Mapping[str, str], key: str) -> str:
        """Have files in the store; what all their keys begin with.

        Args:
            files: local files by what they are called below that.
            key: hash of the bytes of the files.

        Raises:
            DataFault: what came back is not what was put.
            UsageError, EnvironmentFault: as ``check``.
        """
        if key not in self._roots:
            root = f"{self._prefix}{_FOLDER}/{key[:32]}/"
            for name, path in files.items():
                self._put(Path(path), root + name)
            self._roots[key] = root
        return self._roots[key]

    def remove(self) -> None:
        """Remove what this process put there, as far as the store lets it."""
        with suppress(StoreError):
            for key in self._new:
                self._client.remove(key)
        self._new.clear()

    def _put(self, path: Path, key: str) -> None:
        try:
            wanted = path.stat().st_size, hash_file(path)
            if self._client.hash(key) == wanted:
                return
            self._new.append(key)
            self._client.put(path, key)
            found = self._client.hash(key)
        except StoreError as error:
            raise explained(error, self._target, f"store {self._name}") from None
        except OSError as error:
            raise DataFault(
                f"it cannot be read: {error.strerror}", where=str(path), remedy="see weigh data check"
            ) from None
        if found != wanted:
            bytes_, hash_ = found or (0, "nothing")
            raise DataFault(
                f"the object {key} is not what was put there: {bytes_:,} bytes with BLAKE3 {hash_[:12]}, "
                f"the file has {wanted[0]:,} with {wanted[1][:12]}",
                where=f"store {self._name}",
                remedy="the store truncates or changes objects: nothing can be measured on it",
            )


def explained(error: StoreError, target: Target, where: str) -> WeighError:
    """What a refusal means for the user; keys are in none of the store's words.

    Args:
        error: of the client.
        target: the store.
        where: what it is called.
    """
    bucket = target.bucket
    if error.kind == "unreachable":
        return EnvironmentFault(str(error), where=where, remedy=_reached(str(error)))
    if error.code == "NoSuchBucket" or (error.status == 404 and not error.code):
        return UsageError(
            f"there is no bucket '{bucket}' at {target.endpoint}",
            where=where,
            remedy="make it, or name another one (bucket in weigh.toml)",
        )
    if error.code in _WRONG_KEYS or error.status in (401, 403):
        return UsageError(
            f"{target.endpoint} refuses the keys: {error.code or error.status}",
            where=where,
            remedy="see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and what they may do with the bucket",
        )
    if error.kind == "file":
        return DataFault(str(error), where=where, remedy="choose a layout with more files")
    return EnvironmentFault(str(error), where=where, remedy="see what the store says")


def _reached(complaint: str) -> str:
    """What to do where nobody answers, by what was reported instead."""
    if "certificate" in complaint:
        return f"name the authority that signed its certificate: {AUTHORITIES}=FILE"
    if "InvalidContentType" in complaint:
        return "it does not speak TLS there: write http:// in weigh.toml, or another port"
    return "start it, or see endpoint in weigh.toml"
