"""The regions of docs/reference/weigh-toml.md: the keys of weigh.toml, as the structs that it is read by have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from reference.markdown import code, prose, table
from reference.structs import hints, in_words
from weigh.cli.keys import meanings, with_default
from weigh.experiment.config.builds import BuildTable
from weigh.experiment.config.csv_options import CsvTable
from weigh.experiment.config.file import ContenderTable, SqlTable
from weigh.experiment.config.load import LoadContenderTable, LoadTable
from weigh.experiment.config.stores import StoreTable
from weigh.experiment.config.tables import ExperimentTable, GridTable
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES: dict[str, type[msgspec.Struct]] = {
    "[experiment]": ExperimentTable,
    "[[contender]]": ContenderTable,
    "[layout]": LayoutSpec,
    "[store.NAME]": StoreTable,
    "[build.ENGINE]": BuildTable,
    "[grid]": GridTable,
    "[sql]": SqlTable,
    "[sql.csv]": CsvTable,
    "[load]": LoadTable,
    "[[load.contender]]": LoadContenderTable,
}


def blocks() -> dict[str, str]:
    """Contents of the page's regions by name."""
    headings = ("key", "type", "default", "meaning")
    return {f"weigh.toml {name}": table(headings, _rows(kind)) for name, kind in TABLES.items()}


def _rows(kind: type[msgspec.Struct]) -> Iterator[tuple[str, str, str, str]]:
    kind_meanings, types = meanings_of(kind), hints(kind)
    for field in msgspec.structs.fields(kind):
        text_of_field, default = with_default(kind_meanings[field.name])
        words = in_words(types[field.name], null=False).replace("object:", "table:").removesuffix("; may be absent")
        yield code(field.name), words, _default(field, default), prose(text_of_field)


def meanings_of(kind: type[msgspec.Struct]) -> dict[str, str]:
    """What each key of a table means; those of ``[grid]`` are those of ``[layout]``, whose defaults are not its own."""
    if kind is not GridTable:
        return meanings(kind)
    return {name: with_default(text)[0] for name, text in meanings(LayoutSpec).items()}


def _default(field: msgspec.structs.FieldInfo, meaning: str) -> str:
    if meaning:
        return prose(meaning)
    if field.required:
        return "required"
    value: Any = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return "" if value in (None, msgspec.UNSET) else code(msgspec.json.encode(value).decode())
