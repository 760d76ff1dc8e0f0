"""What files are: their facts read and taken, and checked against a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from weigh.data.layout import manifest_seal, page_checksums, vortex
from weigh.model import codes
from weigh.model.dataset import FileFacts, Manifest
from weigh.model.errors import DataFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from weigh.model.codes.code import Fixed
    from weigh.model.finding import Finding

Depth = Literal["size", "hash", "digest"]


class OtherSchemeError(DataFault):
    """The digests of rows are of another version of weigh."""


def file_facts(path: Path, table: str, name: str | None = None, threads: int = 0) -> FileFacts:
    """Read a Parquet file completely: hash, digest, footer.

    Args:
        path: the file.
        table: logical table whose rows it holds.
        name: what the facts call it; by default the path as given.
        threads: that read it; 0 for one on each processor.

    Raises:
        UsageError: it is Vortex.
        DataFault: it is missing, is not Parquet, is damaged (D4 where a page does not have its checksum), or has a form
            that weigh does not read.
    """
    from weigh._native import DigestError, digest_parquet, hash_file
    from weigh.data.layout import parquet_reading

    refuse_vortex(path)
    try:
        parquet, pages = parquet_reading.guarded(path, threads)
        # The digest compares checksums too; this says which page it is.
        page_checksums.refuse_bad(path, pages)
        return FileFacts(
            path=name or str(path),
            table=table,
            bytes=path.stat().st_size,
            blake3=hash_file(path),
            rows=parquet["rows"],
            digest=digest_parquet([path], threads=threads),
            parquet=cast("dict[str, Any]", parquet),
        )
    except (OSError, DigestError) as error:
        raise parquet_reading.fault(path, error) from error


def refuse_vortex(path: Path) -> None:
    """Refuse a file of Vortex where Parquet alone is read; told by its name.

    Raises:
        UsageError: it is one.
    """
    if path.suffix == vortex.SUFFIX:
        raise UsageError(
            "it is Vortex, and Parquet alone is read here",
            where=str(path),
            remedy="name the same rows as Parquet; the digests of a layout of Vortex stand in its manifest.json, and "
            "weigh data check compares its folder with them",
        )


def merged(files: Iterable[FileFacts]) -> dict[str, str]:
    """The row digest of each logical table from those of its files."""
    from weigh._native import merge_digests

    by_table: dict[str, list[str]] = {}
    for file in files:
        by_table.setdefault(file.table, []).append(file.digest)
    return {table: merge_digests(digests) for table, digests in by_table.items()}


def comparable(digest: str) -> bool:
    """Whether the digest is of the scheme that this version of weigh makes: only those can be equal."""
    return digest.partition(":")[0] == scheme()


def scheme() -> str:
    """The name of that scheme."""
    from weigh._native import merge_digests

    return merge_digests([]).partition(":")[0]


def save(manifest: Manifest, folder: Path) -> None:
    """Write ``manifest.json``."""
    (folder / "manifest.json").write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))


def load(folder: Path) -> Manifest:
    """Read ``manifest.json``.

    Raises:
        OtherSchemeError: its digests are of another version of weigh.
        DataFault: it is missing, is no manifest, or is not what was written.
    """
    path = folder / "manifest.json"
    try:
        manifest_seal.check(path)
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise DataFault(
            f"the manifest cannot be read ({error})",
            where=str(path),
            remedy=f"remove {folder} and make it again",
        ) from error
    if any(not comparable(file.digest) for file in manifest.files):
        raise OtherSchemeError(
            "another version of weigh made the data, whose digests of rows this one cannot compare",
            where=str(path),
            remedy=f"remove {folder} and make it again",
        )
    return manifest


def verify(
    folder: Path, manifest: Manifest, depth: Depth = "hash", environment: Callable[[list[str]], Path] | None = None
) -> list[Finding]:
    """What is no longer as the manifest says (D8); nothing if all is well. Cheap checks first.

    Args:
        folder: where the manifest's relative paths begin.
        manifest: what the files were.
        depth: ``size`` looks at sizes only; ``hash`` at every byte; ``digest`` also decodes every row, which
            is what tells whether a manifest whose hashes were edited too still describes these rows.
        environment: gives the interpreter of an environment with these requirements, to decode rows that are no
            Parquet; without it their bytes alone are compared.
    """
    sizes = {file.path: _size(folder / file.path) for file in manifest.files}
    problems = []
    for file in manifest.files:
        size = sizes[file.path]
        if size is None:
            problems.append(_problem(codes.D8_MISSING, f"{file.path} is missing", folder))
        elif size != file.bytes:
            problems.append(_problem(codes.D8_SIZE, f"{file.path} has {size:,} bytes, not {file.bytes:,}", folder))
    if problems or depth == "size":
        return problems

    from weigh._native import DigestError, hash_file

    for file in manifest.files:
        path = folder / file.path
        changed = hash_file(path) != file.blake3
        if not changed and depth == "hash":
            continue
        try:
            digest = _digest(path, file.table, manifest, environment)
        except (DigestError, DataFault) as error:
            problems.append(_problem(codes.D8_DAMAGED, f"{file.path} is damaged: {error}", folder))
            continue
        if digest is None:
            if changed:
                text = f"{file.path} was written anew since: other bytes, whose rows were not read"
                problems.append(_problem(codes.D8_DAMAGED, text, folder))
        elif digest != file.digest:
            problems.append(_problem(codes.D8_ROWS, f"{file.path} holds other rows than when it was made", folder))
        elif changed:
            problems.append(
                _problem(codes.D8_BYTES, f"{file.path} was written anew since: same rows, other bytes", folder)
            )
    if depth == "digest" and merged(manifest.files) != manifest.digests:
        problems.append(
            _problem(codes.D8_MANIFEST, "the manifest contradicts itself: digests of files and tables", folder)
        )
    return problems


def _digest(path: Path, table: str, manifest: Manifest, environment: Callable[[list[str]], Path] | None) -> str | None:
    """Of the rows that a file holds now; None where nobody is there who could read them."""
    from weigh._native import digest_parquet

    if not manifest.vortex:
        return str(digest_parquet([path]))
    if environment is None:
        return None
    (read,) = vortex.file_facts([path], table, [path.name], environment(vortex.REQUIREMENTS))
    return read.digest


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _problem(code: Fixed, text: str, folder: Path) -> Finding:
    remedy = f"remove {folder}; weigh makes it again"
    return code.finding(text=text, remedy=remedy)
