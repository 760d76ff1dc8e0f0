"""``weigh data check|digest|describe|diff --on``: datasets read again on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.output import print_json, say
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import msgspec

    from weigh.cli.catalogue.documents import DifferentParts
    from weigh.data.parts.examine import Examined
    from weigh.model.dataset import FileFacts, Manifest
    from weigh.model.finding import Finding


def check(places: Iterable[str], on: str, *, quiet: bool, as_json: bool) -> None:
    """Read everything, and say what is not as its manifest says; exit 1 where something is not."""
    from weigh.cli.catalogue.documents import CheckPartsDocument
    from weigh.data.parts.examine import truth_of
    from weigh.model import units
    from weigh.model.errors import ExitCode
    from weigh.model.text import one_line

    findings: list[Finding] = []
    files = pages = with_checksum = 0
    for place, manifest, found in _read(places, on, quiet=quiet):
        digests: dict[str, list[str]] = {}
        for one in found:
            files += 1
            findings += one.findings
            pages += one.pages.pages if one.pages else 0
            with_checksum += one.pages.with_checksum if one.pages else 0
            digests.setdefault(one.expected.table, []).append(one.expected.digest)
        findings += _contradictions(place, digests)
        findings += truth_of(place, manifest)
    if as_json:
        _print(
            "weigh/check-parts/1",
            CheckPartsDocument(
                passed=not findings,
                files=files,
                pages=pages,
                pages_with_checksum=with_checksum,
                findings=tuple(findings),
            ),
        )
    else:
        for problem in findings:
            say(f"{problem.code} ", fg="red", bold=True, nl=False)
            say(one_line(problem.text))
        if not findings:
            say(f"{units.count(files, 'file')} as the manifest says, every row digested")
        if with_checksum < pages:
            say(
                f"{pages - with_checksum:,} of {units.count(pages, 'page')} have no checksum: the check of pages (D4) "
                "covers nothing there, the hashes of the manifest do"
            )
    click.get_current_context().exit(int(ExitCode.FOUND if findings else ExitCode.OK))


def _contradictions(place: str, digests: dict[str, list[str]]) -> Iterator[Finding]:
    from weigh._native import merge_digests
    from weigh.data.parts.examine import manifest_of
    from weigh.model import codes

    if {table: merge_digests(of) for table, of in digests.items()} != manifest_of(place).digests:
        yield codes.D8_MANIFEST.finding(
            text=f"{place}: the manifest contradicts itself: digests of files and tables",
            remedy="make the data again",
        )


def digest(places: Iterable[str], on: str, *, quiet: bool, as_json: bool) -> None:
    """The row digest of every table, of the rows that are there now."""
    from weigh.cli.catalogue.documents import DigestPartsDocument

    found = {place: _digests(read) for place, _, read in _read(places, on, quiet=quiet)}
    if as_json:
        _print("weigh/digest-parts/1", DigestPartsDocument(digests=found))
        return
    for place, digests in found.items():
        if len(found) > 1:
            say(place, bold=True)
        for table, one in digests.items():
            say(f"{table}: {one}")


def describe(
    places: Iterable[str], on: str, print_file: Callable[[FileFacts], None], *, quiet: bool, as_json: bool
) -> None:
    """What every file is, as a worker reads it; as they are read, and so in any order."""
    documents: list[FileFacts] = []
    for _, _, read in _read(places, on, quiet=quiet):
        for one in read:
            facts = _sound(one)
            if as_json:
                documents.append(facts)
            else:
                print_file(facts)
    if as_json:
        documents.sort(key=lambda file: file.path)
        print_json({"schema": "weigh/files/1", "files": documents})


def diff(left: str, right: str, on: str, *, limit: int, quiet: bool, as_json: bool) -> None:
    """Whether two datasets hold the same rows, and where not, in which parts; exit 1 where they differ."""
    from weigh.cli.catalogue.documents import DiffPartsDocument
    from weigh.model.errors import ExitCode

    sides: list[dict[str, dict[str, str]]] = []
    for _, manifest, read in _read((left, right), on, quiet=quiet):
        by_path = {one.expected.path: _sound(one).digest for one in read}
        sides.append({table: {path: by_path[path] for path in manifest.paths(table)} for table in manifest.tables})
    if len(sides) == 1:
        # Both sides are one place.
        sides *= 2
    tables = []
    for table in dict.fromkeys([*sides[0], *sides[1]]):
        mine, theirs = sides[0].get(table, {}), sides[1].get(table, {})
        tables.append(_compared(table, mine, theirs))
    same = all(one.same for one in tables)
    if as_json:
        _print("weigh/diff-parts/1", DiffPartsDocument(same=same, tables=tuple(tables)))
    else:
        for one in tables:
            say(f"{one.table}: {'the same rows' if one.same else 'other rows'}")
            for part, other in one.parts[:limit]:
                say(f"  {part} and {other} differ: weigh data diff shows rows of two files")
    click.get_current_context().exit(int(ExitCode.OK if same else ExitCode.FOUND))


def _print(schema: str, made: msgspec.Struct) -> None:
    from weigh.data.documents import document

    print_json(document(schema, made))


def _compared(table: str, mine: dict[str, str], theirs: dict[str, str]) -> DifferentParts:
    from weigh._native import merge_digests
    from weigh.cli.catalogue.documents import DifferentParts

    same = bool(mine) and merge_digests(list(mine.values())) == merge_digests(list(theirs.values()))
    parts = [
        (one, other)
        for (one, digest), (other, theirs_) in zip(mine.items(), theirs.items(), strict=False)
        if digest != theirs_ and len(mine) == len(theirs)
    ]
    return DifferentParts(table=table, same=same, parts=() if same else tuple(parts))


def _digests(read: Iterable[Examined]) -> dict[str, str]:
    from weigh._native import merge_digests

    by_table: dict[str, list[str]] = {}
    for one in read:
        by_table.setdefault(one.expected.table, []).append(_sound(one).digest)
    return {table: merge_digests(digests) for table, digests in sorted(by_table.items())}


def _sound(one: Examined) -> FileFacts:
    """What a file is.

    Raises:
        DataFault: it cannot be read.
    """
    from weigh.model.errors import DataFault

    if one.facts is None:
        raise DataFault(one.findings[0].text, where=one.expected.path, remedy=one.findings[0].remedy)
    return one.facts


def _read(places: Iterable[str], on: str, *, quiet: bool) -> Iterator[tuple[str, Manifest, Iterator[Examined]]]:
    """Each place with its manifest, and its files as the workers of one cluster read them."""
    from weigh.cluster.connect import connect
    from weigh.data.parts.examine import examined, manifest_of

    # A worker has another working directory.
    absolute = [one if "://" in one else str(Path(one).expanduser().absolute()) for one in places]
    manifests = [manifest_of(one) for one in absolute]
    report = progress(quiet)
    with connect(on, report) as place:
        for one, manifest in zip(absolute, manifests, strict=True):
            yield one, manifest, examined(place, one, manifest, report)
