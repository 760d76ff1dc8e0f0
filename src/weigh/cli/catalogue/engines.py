"""``weigh engines``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weigh.cli.output import print_json, say_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")


@click.command()
@_json
def engines(as_json: bool) -> None:
    """List the engines that a contender can name."""
    from weigh.engines import engine as registry
    from weigh.model.errors import WeighError

    rows: list[dict[str, Any]] = []
    for name, entry in sorted(registry.installed().items()):
        try:
            engine = registry.load(name)
        except WeighError as error:
            rows.append({"name": name, "from": entry.value, "error": str(error)})
            continue
        rows.append(
            {
                "name": name,
                "tested": engine.tested or None,
                "lineage": engine.lineage,
                "about": engine.about,
                "never_run": engine.never_run,
                "ingests": engine.ingests,
                "catalogs": [{"format": one.format, "versions": list(one.versions)} for one in engine.catalogs],
                "formats": [{"format": one.format, "versions": list(one.versions)} for one in engine.formats],
                "terms": engine.terms or None,
                "from": entry.value,
            }
        )
    if as_json:
        print_json({"schema": "weigh/engines/1", "engines": rows})
        return
    about = [f"{_about(row)}{_loads(row)}{_reads(row)}" for row in rows]
    names = [(str(row["name"]), str(row.get("tested") or "-")) for row in rows]
    say_rows([(*name, text) for name, text in zip(names, about, strict=True)], (12, 10))


def _about(row: Mapping[str, Any]) -> str:
    label = "; written from documentation, never run" if row.get("never_run") else ""
    return str(row.get("about") or row.get("error") or "") + label


def _loads(row: Mapping[str, Any]) -> str:
    return "; can be loaded (--ingest)" if row.get("ingests") else ""


def _reads(row: Mapping[str, Any]) -> str:
    known = row.get("catalogs", ())
    versions = sorted({version for one in known for version in one["versions"]})
    only = f", at {' and '.join(versions)}" if versions and versions != [row.get("tested")] else ""
    through = f"; reads {', '.join(one['format'] for one in known)} (?catalog{only})" if known else ""
    forms = ", ".join(_form(one) for one in row.get("formats", ()))
    return f"{through}; reads files of {forms}" if forms else through


def _form(one: Mapping[str, Any]) -> str:
    at = f", at {' and '.join(one['versions'])}" if one["versions"] else ""
    return f"{str(one['format']).capitalize()} (?layout{at})"
