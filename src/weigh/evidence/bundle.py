"""Bundles: evidence in one file, so that somebody else can check it and measure it again.

A bundle is a ``tar.xz`` of an evidence directory and of the earlier attempts of its experiment, with one document in
front. It holds how the data is made and its digests, and not the data. Packed once more the same evidence gives the
same files: it is cited by the digest of its seal, and not by that of the archive.
"""

from __future__ import annotations

import atexit
import errno
import io
import lzma
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import msgspec

from weigh.evidence import attempts, files, seal
from weigh.evidence.seal import SEAL, SIGNATURE
from weigh.evidence.verification import is_name
from weigh.model.dataset import Manifest
from weigh.model.errors import EnvironmentFault, EvidenceFault, refusal, remedy_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA = "weigh/bundle/1"
SUFFIX = ".weigh"
HEAD = "bundle.json"
MANIFEST = "manifest.json"
_MAGIC = b"\xfd7zXZ\x00"
_MEMORY = 256 << 20
"""Bytes that unpacking may take: a file may ask for as much as there is."""
_MOST = 8 << 30
"""Bytes of all files unpacked."""
_SMALL = 256 << 20
"""Bytes that any bundle may unpack to, however small it is."""
_RATIO = 500
"""Times its own size that a larger one may unpack to. Journals shrink to a tenth; only zeros shrink to a thousandth."""
_FILES = 20_000
_HEADER = 64 << 10
"""Bytes of a header that extends another: those of a bundle are long names."""
_CHUNK = 1 << 20
_PRESET: Final = 4
"""Of xz: half the CPU of the default for 4 % more bytes of an experiment of 300 KiB."""
_MACHINE = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE,
    errno.ENOMEM,
)  # fmt: skip
"""Refusals of the place where it is unpacked, and no fault of the bundle."""
_REMEDY = "ask for it again: weigh export EVIDENCE --bundle writes it"


class DataOf(msgspec.Struct, frozen=True, kw_only=True):
    """The data of an experiment, which is not in the bundle.

    Attributes:
        generator: name and version; ``files`` of a user's own.
        made: the command that makes it; empty for a user's own files, which whoever reproduces it must have.
        bytes: of all files.
        digests: row digest of every table, independent of order and layout.
    """

    generator: str
    made: str
    bytes: int
    digests: dict[str, str]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The document in front.

    Attributes:
        schema: ``weigh/bundle/1``.
        evidence: name of the evidence directory; earlier attempts lie alongside it.
        kind: of evidence, as ``weigh runs`` names it.
        seal: BLAKE3 of its seal, which holds a hash of everything else: the digest by which the result is cited.
        weigh: version that sealed it.
        data: what was measured on; None where it was none that has digests.
        again: the command that measures it again elsewhere; empty where that cannot be.
        not_again: why not; left out where it can.
    """

    schema: str
    evidence: str
    kind: str
    seal: str
    weigh: str
    data: DataOf | None = None
    again: str = ""
    not_again: str | msgspec.UnsetType = msgspec.UNSET


class Unpacked(NamedTuple):
    """A bundle on disk: its document, and the evidence directory."""

    head: Head
    folder: Path


def packed(folder: Path, kind: str, not_again: str = "") -> bytes:
    """The bundle of sealed evidence.

    Args:
        folder: the evidence.
        kind: its name.
        not_again: why `weigh reproduce` refuses it; empty where it does not.

    Raises:
        EvidenceFault: there is no seal, or a file cannot be read.
    """
    sealed = seal.read_seal(folder)
    name = folder.resolve().name
    head = Head(
        schema=SCHEMA,
        evidence=name,
        kind=kind,
        seal=files.hashed(folder / SEAL),
        weigh=sealed.weigh,
        data=_data(folder),
        again="" if not_again else f"weigh reproduce {name}{SUFFIX}",
        not_again=not_again or msgspec.UNSET,
    )
    packed_bytes = io.BytesIO()
    with tarfile.open(fileobj=packed_bytes, mode="w:xz", format=tarfile.PAX_FORMAT, preset=_PRESET) as archive:
        _add(archive, HEAD, seal.json_bytes(head))
        for one in (*attempts.earlier_folders(folder), folder.resolve()):
            for file in (*seal.file_names(one), SEAL, SIGNATURE):
                if files.is_regular(one / file):
                    _add(archive, f"{one.name}/{file}", files.content(one / file, files.MOST))
    return packed_bytes.getvalue()


def is_bundle(path: Path) -> bool:
    """Whether a file is packed as bundles are."""
    try:
        with files.opened(path) as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def unpacked(path: Path, into: Path) -> Unpacked:
    """Unpack a bundle, as anybody may have made it.

    Args:
        path: of the bundle.
        into: an empty folder.

    Raises:
        EvidenceFault: it is no bundle, holds names that lead elsewhere, or is not of what its document says.
        EnvironmentFault: the system refuses to write there.
    """
    try:
        with (
            path.open("rb") as file,
            tarfile.open(fileobj=(packed := _Unpacking(file)), mode="r|", tarinfo=_Member) as archive,
        ):
            most = left = min(_MOST, max(_SMALL, _RATIO * path.stat().st_size))
            for at, member in enumerate(archive):
                if at >= _FILES:
                    raise _fault(path, f"it holds more than {_FILES:,} files")
                left = _write(archive, member, into.joinpath(*_parts(path, member.name)), left, path)
                if left < 0:
                    raise _fault(path, f"it unpacks to more than {most >> 20} MiB")
            packed.finish()
        head = files.decoded(files.content(into / HEAD), Head)
    except (tarfile.TarError, lzma.LZMAError, OSError, EOFError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _MACHINE:
            raise EnvironmentFault(
                f"the bundle {path.name} cannot be unpacked there: {refusal(error)}",
                where=str(into),
                remedy=remedy_of(error, temporary=True),
            ) from error
        raise _fault(path, f"it cannot be unpacked: {error}") from error
    except EvidenceFault as error:
        raise _fault(path, f"it is no bundle: {error.what}") from error
    if head.schema != SCHEMA or not is_name(head.evidence) or not (into / head.evidence).is_dir():
        raise _fault(path, f"it is no {SCHEMA} document")
    folder = into / head.evidence
    if not files.is_regular(folder / SEAL) or files.hashed(folder / SEAL) != head.seal:
        raise _fault(path, "its evidence has another seal than its document says: it was repacked")
    return Unpacked(head, folder)


_PLACES: dict[Path, Path] = {}


def opened(path: Path) -> Path:
    """The evidence of a bundle, unpacked until the process ends; raises as :func:`unpacked`."""
    place = path.resolve()
    if place not in _PLACES:
        root = Path(tempfile.mkdtemp(prefix="weigh-bundle-"))
        atexit.register(shutil.rmtree, root, ignore_errors=True)
        _PLACES[place] = unpacked(path, root).folder
    return _PLACES[place]


def holder(folder: Path) -> Path | None:
    """The bundle that a directory was unpacked from by :func:`opened`; None for any other."""
    return next((bundle for bundle, place in _PLACES.items() if place == folder), None)


def _data(folder: Path) -> DataOf | None:
    try:
        manifest = files.decoded(files.content(folder / MANIFEST), Manifest)
    except (OSError, EvidenceFault):
        return None
    dataset = manifest.dataset
    family = dataset.generator.partition("/")[0]
    seed = "" if dataset.seed is None else f" --seed {dataset.seed}"
    made = "" if dataset.from_user else f"weigh data make {family} --scale {dataset.scale}{seed}"
    return DataOf(generator=dataset.generator, made=made, bytes=manifest.bytes, digests=manifest.digests)


class _Member(tarfile.TarInfo):
    """A member whose header is as small as any of a bundle: one of another kind is read into memory as a whole."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo | None:
        if not self.isreg() and self.size > _HEADER:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes")
        made: tarfile.TarInfo | None = super()._proc_member(archive)  # type: ignore[misc]
        return made


class _Unpacking(io.RawIOBase):
    """What is packed, in no more memory than any bundle needs.

    Args:
        packed: the file.
    """

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._lzma = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)

    def read(self, size: int = -1) -> bytes:
        """The next bytes; fewer where fewer are unpacked at once, none at the end."""
        while not self._lzma.eof:
            given = self._packed.read(_CHUNK) if self._lzma.needs_input else b""
            if not given and self._lzma.needs_input:
                raise EOFError("it ends too early")
            if found := self._lzma.decompress(given, max(size, 1)):
                return found
        return b""

    def finish(self) -> None:
        """Read to the end: the checksum stands there, and nothing behind it.

        Raises:
            EOFError: it is cut off, or something was added.
        """
        while self.read(_CHUNK):
            pass
        if self._lzma.unused_data or self._packed.read(1):
            raise EOFError("something was added behind its end")


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    # Neither time nor owner: when and by whom it was packed is nobody's business.
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o644
    archive.addfile(member, io.BytesIO(content))


def _parts(path: Path, name: str) -> Iterator[str]:
    parts = name.split("/")
    if not parts or not all(is_name(part) for part in parts):
        raise _fault(path, f"it holds a name that leads elsewhere: {name[:80]!r}")
    yield from parts


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, place: Path, left: int, path: Path) -> int:
    """Unpack one file; how many bytes may still come, negative if it has more. Its own size is not believed."""
    source = archive.extractfile(member) if member.isreg() else None
    if source is None:
        raise _fault(path, f"it holds what is no file: {member.name[:80]!r}")
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as target:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                break
            target.write(chunk)
    return left


def _fault(path: Path, what: str) -> EvidenceFault:
    return EvidenceFault(what, where=str(path), remedy=_REMEDY)
