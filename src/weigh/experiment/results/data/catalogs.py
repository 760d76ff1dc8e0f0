"""What was read through catalogs (D2): the bytes of the layout before and after, or others. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes, units
from weigh.model.data.catalog import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.model.data.catalog import CatalogRead
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding

_HASH = 12
"""Hex digits of a hash that people are shown."""


def findings(reads: Iterable[CatalogRead], manifest: Manifest, *, changed: bool = False) -> Iterator[Finding]:
    """What a contender's catalog says of the files of its layout.

    Args:
        reads: of one contender.
        manifest: of the layout that it was made of.
        changed: whether the layout's own files are no longer what they were (D8): those are the same files, and who
            changed them is not known.
    """
    reads = tuple(reads)
    for read in reads:
        found = _wrong(read, manifest)
        if found is not None:
            if not (changed and found.code == codes.D2_BYTES.code):
                yield found
            return
    after = next((read for read in reads if read.when == "after"), None)
    if after is None:
        return
    if after.unread:
        yield codes.D2_UNREAD.finding(
            contender=after.contender,
            text=f"what its {TITLES[after.format]} catalog lists could not be read back afterwards: {after.unread}",
            remedy="run it again; that it read the same bytes to the end is not proven",
        )
        return
    lacking = after.lacking or {}
    without = f"; without {', '.join(lacking)}, which it cannot hold: {'; '.join(lacking.values())}" if lacking else ""
    hashes = ", ".join(file.blake3[:_HASH] for file in after.files[:3]) + (" ..." if len(after.files) > 3 else "")
    yield codes.D2_SAME.finding(
        contender=after.contender,
        text=f"through {TITLES[after.format]} ({after.by}, {after.how}) it reads "
        f"{units.count(len(after.files), 'file')} of {units.size(sum(file.bytes for file in after.files))}, byte for "
        f"byte those of the layout, before and after (blake3 {hashes}){without}",
        remedy="nothing is wrong",
    )


def _wrong(read: CatalogRead, manifest: Manifest) -> Finding | None:
    """What forbids comparing its contender, at one moment."""
    format_ = TITLES[read.format]
    if read.wrong:
        return codes.D2_FILES.finding(
            contender=read.contender,
            text=f"its {format_} catalog lists other files than the layout has ({_moment(read)}): {read.wrong}",
            remedy="it is not compared; see who compacts, rewrites or deletes files of the table",
        )
    if read.unread:
        return None
    tables = [table for table in manifest.tables if table not in (read.lacking or {})]
    given = [file for table in tables for file in manifest.files if file.table == table]
    for was, now in zip(given, read.files, strict=False):
        if (was.table, was.blake3) != (now.table, now.blake3):
            return codes.D2_BYTES.finding(
                contender=read.contender,
                text=f"{now.path}, which it reads through {format_}, is not {was.path} of the layout byte for byte "
                f"({_moment(read)}): {units.size(now.bytes)} against {units.size(was.bytes)}, blake3 "
                f"{now.blake3[:_HASH]} against {was.blake3[:_HASH]}",
                remedy="it is not compared: its times would be those of other bytes, not of the format",
            )
    if len(given) != len(read.files):
        return codes.D2_FILES.finding(
            contender=read.contender,
            text=f"its {format_} catalog lists {units.count(len(read.files), 'file')} ({_moment(read)}), the layout "
            f"has {len(given)}",
            remedy="it is not compared; see who compacts, rewrites or deletes files of the table",
        )
    return None


def _moment(read: CatalogRead) -> str:
    return "when it was made" if read.when == "before" else "after the last life"
