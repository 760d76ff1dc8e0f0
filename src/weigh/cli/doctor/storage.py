"""``weigh doctor storage``."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.cli.output import print_json, print_rich


@click.command()
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--rates/--no-rates", default=True, help="Whether read rates are measured, with a file that is written there [yes]."
)
@click.option(
    "--mount", "point", default="/mnt/weigh", show_default=True, metavar="POINT", help="Mount point in the script."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/doctor-storage/1).")
def storage(path: Path, rates: bool, point: str, as_json: bool) -> None:
    """On what PATH lies, how fast it can be read, and which disks are not mounted.

    Of blank disks that are not mounted it prints a script that would join, format and mount them. It runs nothing, and
    leaves out what bears a signature or cannot be read.
    """
    from weigh.doctor import storage_report as report
    from weigh.doctor.storage import examine
    from weigh.engines.prepared import cache_folder
    from weigh.host.sysfs import Machine

    found = examine(Machine.here(), path, cache_folder(), point, rates=rates)
    if as_json:
        print_json(report.document(found))
    else:
        print_rich(report.report(found))
