"""Where the parts of a dataset lie: a folder that everybody sees, or objects below a prefix of a bucket."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from weigh.data.layout.program import fault
from weigh.data.store.address import SCHEME, parsed
from weigh.data.store.stored_files import explained
from weigh.host import scratch
from weigh.model.errors import DataFault, UsageError

if TYPE_CHECKING:
    from weigh.data.store.target import Target
    from weigh.model.units import Bytes

_ASIDE = ".making"
AWS = "https://s3.{}.amazonaws.com"
"""The endpoint of a region where none is named."""


class Stored(NamedTuple):
    """What the place says of a file without reading it.

    Attributes:
        bytes: its size.
        checksum: the store's own, empty of a folder.
    """

    bytes: Bytes
    checksum: str


class Destination(Protocol):
    """A place for files under names with slashes. Nothing is overwritten unless it says so.

    Every method raises what the place says of itself: EnvironmentFault, UsageError, DataFault.
    """

    def scratch(self) -> Path:
        """A new folder for files that are to be put; whoever made it removes it."""

    def put(self, path: Path, name: str) -> bool:
        """Have a file there whole, where nothing is of that name; whether nothing was. The file may be gone then."""

    def replace(self, content: bytes, name: str) -> None:
        """Have these bytes there, whatever was."""

    def read(self, name: str) -> bytes | None:
        """A small file; None where there is none."""

    def local(self, name: str, folder: Path) -> Path:
        """The file as one that can be opened: where it lies, or a copy in ``folder``.

        Raises:
            DataFault: there is none.
        """

    def hash(self, name: str) -> tuple[Bytes, str] | None:
        """Size and BLAKE3 of what is there now, read whole; None where there is nothing."""

    def stat(self, name: str) -> Stored | None:
        """What is reported of it; None where there is nothing."""

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""

    def sweep(self, *, everything: bool = False) -> None:
        """Remove what makers that were killed left aside: of this machine, or of all."""


def destination(to: str) -> Destination:
    """The place of that name: ``s3://BUCKET/PREFIX``, or a folder.

    Raises:
        UsageError: it is no such address or a file, or there are no keys for it.
    """
    if to.startswith(SCHEME):
        return Bucket(to, *parsed(to, "data"))
    if "://" in to:
        raise UsageError(
            f"'{to.partition('://')[0]}' is no place for data", remedy="name a folder or s3://BUCKET/PREFIX"
        )
    path = Path(to).expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise UsageError("it is a file, and parts go into a folder", where=to, remedy="name a folder: --to FOLDER")
    return Folder(path)


class Folder:
    """A folder; of a cluster, on a file system that all of its machines share.

    Args:
        path: absolute.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def scratch(self) -> Path:
        """On the same file system, so that a file moves into place whole."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            made = scratch.made(_ASIDE, self.path)
            # Engines may run as another user.
            made.chmod(0o755)
        except OSError as error:
            raise fault(error, self.path) from error
        return made

    def put(self, path: Path, name: str) -> bool:
        """Moved by a link: unlike a rename it fails where something is."""
        place = self.path / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with path.open("rb+") as file:
                os.fsync(file.fileno())
            try:
                os.link(path, place)
            except FileExistsError:
                return False
            except OSError:
                # A file system without links: whoever put it meanwhile put the same.
                if place.exists():
                    return False
                path.rename(place)
        except OSError as error:
            raise fault(error, self.path) from error
        return True

    def replace(self, content: bytes, name: str) -> None:
        """Written aside and moved."""
        from weigh.evidence import whole

        place = self.path / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            whole.write(place, content)
        except OSError as error:
            raise fault(error, self.path) from error

    def read(self, name: str) -> bytes | None:
        """The bytes."""
        try:
            return (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise fault(error, self.path) from error

    def local(self, name: str, folder: Path) -> Path:
        """Where it lies."""
        if not (self.path / name).exists():
            raise _missing(name, self)
        return self.path / name

    def hash(self, name: str) -> tuple[Bytes, str] | None:
        """Read whole."""
        from weigh._native import hash_file

        place = self.path / name
        return (place.stat().st_size, hash_file(place)) if place.exists() else None

    def stat(self, name: str) -> Stored | None:
        """Its size."""
        try:
            return Stored((self.path / name).stat().st_size, "")
        except (FileNotFoundError, NotADirectoryError):
            return None

    def remove(self, name: str) -> None:
        """And its folder, where it was the last one in it."""
        place = self.path / name
        with suppress(OSError):
            place.unlink()
        if place.parent != self.path:
            with suppress(OSError):
                place.parent.rmdir()

    def sweep(self, *, everything: bool = False) -> None:
        """Folders aside."""
        if not everything:
            scratch.sweep_in(self.path, _ASIDE)
            return
        for left in self.path.glob(f"{_ASIDE}-*"):
            scratch.remove(left)


class Bucket:
    """Objects of a store that speaks S3; each worker has keys of its own in its environment.

    Args:
        address: as it was given, which has no keys.
        target: how the store is reached.
        prefix: what all keys begin with.
    """

    def __init__(self, address: str, target: Target, prefix: str) -> None:
        from weigh._native import StoreClient, StoreError

        self._address = address
        self._target = target if target.endpoint else target._replace(endpoint=AWS.format(target.region))
        self._prefix = f"{prefix}/" if prefix else ""
        self._error = StoreError
        try:
            self._client = StoreClient(self._target.encoded())
        except StoreError as error:
            raise explained(error, target, address) from None

    def __str__(self) -> str:
        return self._address

    def scratch(self) -> Path:
        """In the temporary folder: the file is put, and removed."""
        return scratch.folder("part", place=scratch.USUAL if scratch.USUAL.is_dir() else None)

    def put(self, path: Path, name: str) -> bool:
        """Put only if nothing is there, in the store's own judgement."""
        try:
            return self._client.put(path, self._prefix + name, new=True)
        except self._error as error:
            raise explained(error, self._target, self._address) from None

    def replace(self, content: bytes, name: str) -> None:
        """Put."""
        folder = self.scratch()
        try:
            (folder / "object").write_bytes(content)
            self._client.put(folder / "object", self._prefix + name)
        except self._error as error:
            raise explained(error, self._target, self._address) from None
        finally:
            scratch.remove(folder)

    def read(self, name: str) -> bytes | None:
        """Through a file: the client holds no object in memory."""
        folder = self.scratch()
        try:
            there = self._client.get(self._prefix + name, folder / "object")
            return (folder / "object").read_bytes() if there else None
        except self._error as error:
            raise explained(error, self._target, self._address) from None
        finally:
            scratch.remove(folder)

    def local(self, name: str, folder: Path) -> Path:
        """A copy."""
        place = folder / name.rpartition("/")[2]
        try:
            if self._client.get(self._prefix + name, place):
                return place
        except self._error as error:
            raise explained(error, self._target, self._address) from None
        raise _missing(name, self)

    def hash(self, name: str) -> tuple[Bytes, str] | None:
        """Read whole, and not kept."""
        try:
            return self._client.hash(self._prefix + name)
        except self._error as error:
            raise explained(error, self._target, self._address) from None

    def stat(self, name: str) -> Stored | None:
        """Size and checksum, as the store says."""
        try:
            found = self._client.stat(self._prefix + name)
        except self._error as error:
            raise explained(error, self._target, self._address) from None
        return Stored(*found) if found else None

    def remove(self, name: str) -> None:
        """Remove the object."""
        try:
            self._client.remove(self._prefix + name)
        except self._error as error:
            raise explained(error, self._target, self._address) from None

    def sweep(self, *, everything: bool = False) -> None:
        """Of this machine."""
        scratch.sweep()


def _missing(name: str, where: object) -> DataFault:
    return DataFault(f"{name} is missing", where=str(where), remedy="make the data again")
