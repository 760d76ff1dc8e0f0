"""``weigh data check`` and ``weigh data probe-checksums``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.data import by_parts_read
from weigh.cli.data.by_parts import ON, QUIET
from weigh.cli.output import print_json, print_rich, say, say_failure
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from weigh.data.layout.page_checksums import PageChecks
    from weigh.model.finding import Finding


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER|FILES")
@ON
@QUIET
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def check(paths: tuple[str, ...], on: str | None, quiet: bool, as_json: bool) -> None:
    """Compare every page of Parquet files with its checksum, and a dataset folder with its manifest.

    The manifest has sizes, hashes and the digest of every row. Exit 1 when something differs. A file that cannot be
    read is named, with exit code 2, and the others are checked. With --on, FOLDER or s3://BUCKET/PREFIX of datasets,
    every byte and row of which is read on the cluster.
    """
    if on is not None:
        by_parts_read.check(paths, on, quiet=quiet, as_json=as_json)
        return
    _check([Path(path) for path in paths], as_json=as_json)


def _check(paths: list[Path], *, as_json: bool) -> None:
    from weigh.data import documents
    from weigh.data.layout import file_facts
    from weigh.data.parts.examine import truth_of
    from weigh.model import units
    from weigh.model.errors import DataFault, ExitCode
    from weigh.model.text import one_line

    checked: list[PageChecks] = []
    findings: list[Finding] = []
    unread: list[DataFault] = []
    sound = 0
    for path in paths:
        if (path / "manifest.json").exists():
            manifest = file_facts.load(path)
            problems = file_facts.verify(path, manifest, "digest", _environment)
            findings += problems
            findings += truth_of(str(path), manifest)
            sound += 0 if problems else len(manifest.files)
            files = [path / file.path for file in manifest.files if (path / file.path).exists()]
            # Of Vortex there are no checksums of pages to compare.
            files = [] if manifest.vortex else files
        else:
            problems, files = [], _files(path)
        for file in files:
            try:
                found = _pages(file, known_bad=bool(problems))
            except DataFault as error:
                unread.append(error)
                continue
            if found is not None:
                checked.append(found[0])
                findings += found[1]
    if as_json:
        made = documents.CheckDocument(
            passed=not (findings or unread),
            files=tuple(checked),
            findings=tuple(findings),
            unread=documents.unread(unread),
        )
        print_json(documents.document("weigh/check/1", made))
    else:
        for one in checked:
            say(one)
        for problem in findings:
            say(f"{problem.code} ", fg="red", bold=True, nl=False)
            say(one_line(problem.text))
        if sound:
            say(f"{units.count(sound, 'file')} as the manifest says, every row digested")
    for one_unread in unread:
        say_failure(one_unread.what, one_unread.where, one_unread.remedy)
    code = ExitCode.FAILED if unread else ExitCode.FOUND if findings else ExitCode.OK
    click.get_current_context().exit(int(code))


def _environment(requirements: list[str]) -> Path:
    from weigh.engines import environment
    from weigh.engines.prepared import cache_folder

    return environment.ensure(requirements, cache_folder()).python


def _pages(file: Path, *, known_bad: bool) -> tuple[PageChecks, list[Finding]] | None:
    """What its pages are; None of one of a folder with a file that is known to be damaged, and is no Parquet any more.

    Raises:
        DataFault: it cannot be read, and nothing has been reported about it.
    """
    from weigh.data.layout import page_checksums
    from weigh.model.errors import DataFault

    try:
        return page_checksums.check(file)
    except DataFault:
        if known_bad:
            return None
        raise


def _files(path: Path) -> list[Path]:
    """The file, or the Parquet files of a folder.

    Raises:
        DataFault: there is none.
    """
    from weigh.data.layout import file_facts
    from weigh.model.errors import DataFault

    if not path.exists():
        raise DataFault("there is no such file or folder", where=str(path), remedy="name Parquet files, or a folder")
    if path.is_file():
        file_facts.refuse_vortex(path)
        return [path]
    if not path.is_dir():
        # A device or a pipe would be read forever.
        raise DataFault("this is no file", where=str(path), remedy="name Parquet files, or a folder of them")
    found = sorted(path.glob("*.parquet"))
    if not found:
        raise DataFault(
            "there is no manifest in it, and no Parquet file",
            where=str(path),
            remedy="name a folder that weigh data make printed, or one with *.parquet",
        )
    return found


@click.command("probe-checksums")
@click.option(
    "--engines",
    metavar="A,B,...",
    help="Contenders to ask, as --contender takes them "
    "[duckdb, chdb, datafusion, polars, pyarrow; those with a setting for it with it, too].",
)
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def probe_checksums(engines: str | None, quiet: bool, as_json: bool) -> None:
    """Show which engines write page checksums, and which notice one flipped bit in a page.

    Files of every codec are written by each engine that can write Parquet, a bit is flipped inside a page, and every
    engine sums the column: it raises, or gives a wrong sum, or the right one. Files without checksums are the control.
    """
    from weigh.doctor import checksum_probe, checksum_report
    from weigh.engines.prepared import cache_folder

    named = (
        [one.strip() for one in engines.split(",") if one.strip()] if engines is not None else checksum_probe.ENGINES
    )
    if not named:
        raise click.BadParameter("names no engine", param_hint="--engines")
    found = checksum_probe.probe(named, cache_folder(), progress(quiet))
    if as_json:
        print_json(checksum_report.document(found))
    else:
        print_rich(checksum_report.report(found))
