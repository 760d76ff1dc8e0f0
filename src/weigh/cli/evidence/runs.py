"""``weigh runs``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.output import print_json, say, say_indented
from weigh.kinds.folder import DEFAULT_OUT

if TYPE_CHECKING:
    from weigh.evidence.listing import EvidenceRow
    from weigh.kinds.folder import Entry


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, metavar="DIR", help="Where evidence lies [runs]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/runs/1).")
def runs(folder: Path | None, out: Path, as_json: bool) -> None:
    """List the evidence of a folder, the newest first. Nothing is verified."""
    import msgspec

    from weigh.evidence.listing import OtherDirectoryRow, RunsDocument
    from weigh.kinds.folder import artifacts, entries
    from weigh.model.text import one_line

    out = folder or out
    rows = [_row(entry) for entry in entries(out)]
    others = [OtherDirectoryRow(path=str(one.path), what=one.what, shows=one.shows) for one in artifacts(out)]
    if as_json:
        document = RunsDocument(folder=str(out), runs=tuple(rows), other_directories=tuple(others))
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
        if row.says:
            say_indented(f"{row.says} [{(row.tier or 'not timed').upper()}]")
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
    says, tier = _answer(entry)
    row = msgspec.structs.replace(row, workload=one_line(about.workload), about=one_line(about.about), end=about.end)
    return msgspec.structs.replace(row, says=says, tier=tier)


def _answer(entry: Entry) -> tuple[str | None, str | None]:
    """What its report said when it was written, and what that is good for."""
    from weigh.model.text import one_line
    from weigh.serve.stored.documents import summary

    try:
        found, _ = summary(entry.path, entry.kind)
    except Exception:
        # Its page, which is computed anew, says what is wrong.
        return None, None
    return (one_line(found.answer), found.tier) if found else (None, None)
