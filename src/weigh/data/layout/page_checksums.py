"""Page checksums: every page of a Parquet file against the CRC-32 that its writer put alongside it, if it did (D4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes, units
from weigh.model.errors import DataFault
from weigh.model.text import one_line
from weigh.model.units import Bytes

if TYPE_CHECKING:
    from pathlib import Path

    from weigh._native import BadPage
    from weigh._native import PageChecks as Checked
    from weigh.model.codes.code import Fixed
    from weigh.model.finding import Finding

_NAMED = 10
"""Bad pages of a file that are reported one by one."""
REMEDY = "fetch or write it again: engines answer wrongly from damaged pages, and most say nothing"


class PageChecks(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of one file.

    Attributes:
        path: of the file, as it was given.
        pages: of all columns and row groups.
        with_checksum: those that carry one; all of them were compared with it.
        bad: those that do not fit it, or are not where they must be.
        bytes: of all pages.
    """

    path: str
    pages: int
    with_checksum: int
    bad: int
    bytes: Bytes

    def __str__(self) -> str:
        """For people: ``a.parquet: 812 pages, 40 MB, all fit their checksums``."""
        what = f"{one_line(self.path)}: {units.count(self.pages, 'page')}, {units.size(self.bytes)}"
        if self.bad:
            return f"{what}, {self.bad:,} bad"
        if not self.with_checksum:
            return f"{what}, no page checksums: what was damaged since it was written cannot be determined"
        if self.with_checksum < self.pages:
            return f"{what}, {self.with_checksum:,} with a checksum, which all fit; the others have none"
        return f"{what}, all fit their checksums"


def check(path: Path, name: str | None = None, threads: int = 0) -> tuple[PageChecks, list[Finding]]:
    """Read every page of a file that has a checksum, and compare.

    Args:
        path: the file.
        name: what it is called; by default the path as given.
        threads: that read columns at once; 0 for one on each processor.

    Returns:
        what was found, and a finding for each bad page, or for the first ten and how many there are.

    Raises:
        DataFault: it cannot be read, is not Parquet, or is encrypted.
    """
    from weigh._native import DigestError, check_pages
    from weigh.data.layout import parquet_reading

    name = name or str(path)
    try:
        found = check_pages(path, threads)
    except (OSError, DigestError) as error:
        raise parquet_reading.fault(path, error) from error
    if found["bad"] and _elsewhere(path, found):
        found = {**found, "bad": [], "bad_pages": 0}
    checks = PageChecks(
        path=name,
        pages=found["pages"],
        with_checksum=found["with_checksum"],
        bad=found["bad_pages"],
        bytes=found["bytes"],
    )
    findings = [
        code.finding(text=f"{name}: {text}", remedy=REMEDY) for code, text in map(_problem, found["bad"][:_NAMED])
    ]
    if checks.bad > _NAMED:
        findings.append(
            codes.D4_PAGE.finding(text=f"{name}: {checks.bad - _NAMED:,} more pages are bad", remedy=REMEDY)
        )
    return checks, findings


def _elsewhere(path: Path, found: Checked) -> bool:
    """Whether no checksum is wrong and PyArrow reads the file: its pages are where weigh did not look for them."""
    from weigh.data.layout import parquet_reading

    return all(page["reason"] is not None for page in found["bad"]) and parquet_reading.reads(path)


def refuse_bad(path: Path, found: Checked | None = None) -> None:
    """Refuse a file with a page that is not as it was written.

    Args:
        path: the file.
        found: of its pages; None where nobody looked yet.

    Raises:
        DataFault: there is one (D4), or the file cannot be read.
        DigestError: as :func:`weigh._native.check_pages`.
    """
    from weigh._native import check_pages

    found = found or check_pages(path)
    if found["bad"] and not _elsewhere(path, found):
        code, text = _problem(found["bad"][0])
        more = f" (and {found['bad_pages'] - 1:,} more)" if found["bad_pages"] > 1 else ""
        raise DataFault(
            f"{code} {text}{more}",
            where=str(path),
            remedy="give readable, undamaged Parquet files: engines answer wrongly from this one, and most say nothing",
        )


def _problem(page: BadPage) -> tuple[Fixed, str]:
    place = (
        f"page {page['page']} of column {page['column']} in row group {page['row_group']}, at byte {page['header']:,}"
    )
    if page["reason"] is not None:
        return codes.D4_HEADER, f"{place}: {page['reason']}"
    return (
        codes.D4_PAGE,
        f"{place}, was changed after it was written: its checksum is {page['found']:08x}, not {page['stored']:08x}",
    )
