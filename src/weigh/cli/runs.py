"""``weigh runs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh._runs import DEFAULT_OUT
from weigh.cli.output import print_json

if TYPE_CHECKING:
    from weigh._runs import Entry


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, metavar="DIR", help="Where evidence lies [runs]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/runs/1).")
def runs(out: Path, as_json: bool) -> None:
    """List the evidence of a folder, the newest first. Nothing is verified."""
    from weigh._runs import entries

    rows = [_row(entry) for entry in entries(out)]
    if as_json:
        print_json({"schema": "weigh/runs/1", "folder": str(out), "runs": rows})
        return
    if not rows:
        click.echo(f"no evidence in {out}; weigh run makes some", err=True)
    width = max((len(row["evidence"]) for row in rows), default=0)
    for row in rows:
        said = row["error"] or f"{row['workload']}: {row['about']}"
        end = "" if row["error"] or row["end"] == "complete" else f" ({row['end'] or 'not ended'})"
        written = row["written"].replace("T", " ")
        click.echo(f"{row['evidence']:<{width}}  {written}  {row['kind']:<6}  {said}{end}")


def _row(entry: Entry) -> dict[str, Any]:
    from weigh.model.errors import EvidenceFault
    from weigh.model.text import one_line

    row: dict[str, Any] = {
        "evidence": str(entry.path),
        "kind": entry.kind.name,
        "written": entry.written.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **dict.fromkeys(("workload", "about", "end", "error")),
    }
    try:
        about = entry.kind.about(entry.path)
    except EvidenceFault as error:
        return {**row, "error": one_line(error.what)}
    return {**row, "workload": about.workload, "about": one_line(about.about), "end": about.end}
