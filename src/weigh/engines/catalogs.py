"""Which engine reads which table format, in which version, and why another one does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.engines import engine as engines
from weigh.model.data.catalog import CATALOGS, FORMATS, PARQUET, TITLES
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from weigh.engines.engine import CatalogReader, Engine
    from weigh.model.contender import Contender


def reader(engine: Engine, contender: Contender) -> CatalogReader | None:
    """How a contender reads its table format; None for one that reads files by their paths.

    Raises:
        UsageError: there is no such format, or the engine, or this version of it, does not read it.
    """
    kind = contender.catalog
    if kind in ("", PARQUET):
        return None
    where = f"contender {contender.name}"
    if kind not in FORMATS:
        raise UsageError(f"there is no catalog '{kind}'", where=where, remedy=nearest(kind, CATALOGS))
    found = next((one for one in engine.catalogs if one.format == kind), None)
    if found is None:
        why = engine.no_catalogs.get(kind) or f"its adapter has no reader of {TITLES[kind]}"
        raise UsageError(
            f"{engine.name} does not read {TITLES[kind]}: {why}",
            where=where,
            remedy=f"contenders that do: {', '.join(able(kind)) or 'none that is installed'}",
        )
    version = contender.release or engine.tested
    if found.versions and version not in found.versions:
        raise UsageError(
            f"{engine.name} {version} does not read {TITLES[kind]}: {found.why}",
            where=where,
            remedy=f"say {engine.name}@{found.versions[0]}?catalog={kind}",
        )
    return found


def able(kind: str) -> list[str]:
    """Specs of contenders that read a format."""
    return [f"{spec}?catalog={kind}" for spec in engines.readers(kind, lambda engine: engine.catalogs)]
