"""Which engine reads files that are no Parquet, in which version, and why another one does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.engines import engine as engines
from weigh.model.data.catalog import FORMATS, TITLES
from weigh.model.data.store import FILE, TMPFS
from weigh.model.errors import UsageError
from weigh.model.spec import FORMAT_TITLES

if TYPE_CHECKING:
    from weigh.engines.engine import CatalogReader, Engine
    from weigh.model.contender import Contender
    from weigh.model.spec import Format


def reader(engine: Engine, contender: Contender, files: Format) -> CatalogReader | None:
    """How a contender reads the files of its layout; None where they are Parquet.

    Raises:
        UsageError: the engine, or this version of it, does not read them; or what it is to read them through is made
            for Parquet alone.
    """
    if files == "parquet":
        return None
    where, title = f"contender {contender.name}", FORMAT_TITLES[files]
    others = f"contenders that do: {', '.join(able(files)) or 'none that is installed'}"
    found = next((one for one in engine.formats if one.format == files), None)
    if found is None:
        raise UsageError(
            f"{engine.name} does not read {title}: it has no reader of its own",
            where=where,
            remedy=others,
        )
    version = contender.release or engine.tested
    if found.versions and version not in found.versions:
        raise UsageError(
            f"{engine.name} {version} does not read {title}: {found.why}",
            where=where,
            remedy=others,
        )
    if contender.catalog in FORMATS:
        raise UsageError(
            f"{TITLES[contender.catalog]} describes Parquet files, and those of its layout are {title}",
            where=where,
            remedy=f"leave out catalog={contender.catalog}, or give it a layout of Parquet",
        )
    if contender.store not in ("", FILE, TMPFS):
        raise UsageError(
            f"objects of a store are read as Parquet, and the files of its layout are {title}",
            where=where,
            remedy=f"leave out store={contender.store}, or give it a layout of Parquet",
        )
    return found


def able(files: str) -> list[str]:
    """Specs of contenders that read a form of files."""
    return engines.readers(files, lambda engine: engine.formats)
