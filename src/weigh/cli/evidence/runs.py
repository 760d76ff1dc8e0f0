"""``weigh runs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.output import print_json, say
from weigh.kinds.folder import DEFAULT_OUT

if TYPE_CHECKING:
    from weigh.evidence.listing import EvidenceRow
    from weigh.kinds.folder import Entry


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, metavar="DIR", help="Where evidence lies [runs]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/runs/1).")
def runs(out: Path, as_json: bool) -> None:
    """List the evidence of a folder, the newest first. Nothing is verified."""
    import msgspec

    from weigh.evidence.listing import BesideRow, RunsDocument
    from weigh.kinds.folder import artifacts, entries
    from weigh.model.text import one_line

    rows = [_row(entry) for entry in entries(out)]
    others = [BesideRow(path=str(one.path), what=one.what, shows=one.shows) for one in artifacts(out)]
    if as_json:
        document = RunsDocument(folder=str(out), runs=tuple(rows), beside=tuple(others))
        print_json({"schema": "weigh/runs/1", **msgspec.to_builtins(document)})
        return
    if not rows:
        say(f"no evidence in {out}; weigh run makes some", err=True)
    named = {row.evidence: one_line(row.evidence) for row in rows}
    width = max((len(named[row.evidence]) for row in rows), default=0)
    kinds = max((len(row.kind) for row in rows), default=0)
    for row in rows:
        about = row.error or f"{row.workload}: {row.about}"
        end = "" if row.error or row.end == "complete" else f" ({row.end or 'not ended'})"
        say(f"{named[row.evidence]:<{width}}  {row.written.replace('T', ' ')}  {row.kind:<{kinds}}  {about}{end}")
    for one in others:
        say(f"no evidence, but {one.what}: {one_line(one.path)}  ({one_line(one.shows)})", err=True)


def _row(entry: Entry) -> EvidenceRow:
    import msgspec

    from weigh.evidence.listing import EvidenceRow
    from weigh.evidence.verification import uncomputable
    from weigh.model.text import one_line

    written = entry.written.strftime("%Y-%m-%dT%H:%M:%SZ")
    row = EvidenceRow(evidence=str(entry.path), kind=entry.kind.name, written=written)
    try:
        about = entry.kind.about(entry.path)
    except Exception as error:
        # One that somebody damaged must not hide the others.
        return msgspec.structs.replace(row, error=one_line(getattr(error, "what", None) or uncomputable(error)))
    return msgspec.structs.replace(row, workload=one_line(about.workload), about=one_line(about.about), end=about.end)
