"""What ``weigh init`` writes, as text."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.data import user_files
    from weigh.experiment.config.csv_options import CsvTable
    from weigh.model.contender import Contender, Setting
    from weigh.workloads.parameters import Parameters
    from weigh.workloads.user_sql import QueryFile

QUERIES = "queries"
"""The folder of the queries, next to weigh.toml."""


def toml(
    contenders: Sequence[Contender],
    tables: user_files.Tables,
    values: Parameters,
    folder: Path,
    csv: CsvTable,
    name: str,
) -> str:
    """weigh.toml."""
    lines = [
        "# Written by weigh init; docs/reference/weigh-toml.md explains every key.",
        "[experiment]",
        f"name = {_text(name)}   # in lists and titles",
        'workload = "sql"',
        f"# baseline = {_text(contenders[0].name)}   # declared, it makes weigh exit 1 when another is slower",
        "margin = 0.03         # the smallest change that matters, declared beforehand",
        '# budget = "10m"      # for the measuring phase, which ends when everything is decided',
        "",
        "[sql]",
        f"folder = {_text(QUERIES)}    # NAME.sql, and NAME.toml with what a right answer looks like",
        "",
        "[sql.tables]",
    ]
    for table, files in tables.items():
        paths = [_text(os.path.relpath(file, folder.resolve())) for file in files]
        lines.append(f"{_key(table)} = {paths[0] if len(paths) == 1 else '[' + ', '.join(paths) + ']'}")
    if values:
        lines += [
            "",
            "[sql.parameters]    # every combination of a query's values is asked, and timed",
        ]
        lines += [f"{_key(name)} = {_list(value)}" for name, value in values.items()]
    if csv.written:
        # What is not said has no key.
        written = {key: value for key, value in msgspec.to_builtins(csv).items() if value is not None and value != []}
        lines += [
            "",
            "[sql.csv]",
            *(
                f"{key} = {_list(value) if isinstance(value, list) else _value(value)}"
                for key, value in written.items()
            ),
        ]
    for contender in contenders:
        lines += ["", "[[contender]]", f"name = {_text(contender.name)}", f"engine = {_text(contender.engine)}"]
        lines += [f"version = {_text(contender.version)}"] if contender.version else []
        lines += [f"pins = [{', '.join(map(_text, contender.pins))}]"] if contender.pins else []
        lines += [f"{key} = {_text(value)}" for key, value in contender.data.items()]
        if contender.settings:
            lines.append(f"settings = {_inline(contender.settings)}")
    return "\n".join(lines) + "\n"


def schema_toml(schema: QueryFile) -> str:
    """The file of a query."""
    lines = ["# What a right answer looks like, read off one answer. Look it over: docs/guide/your-own-data.md"]
    for key, columns in (("ordered_by", schema.ordered_by), ("keys", schema.keys)):
        lines += [f"{key} = [{', '.join(map(_text, columns))}]"] if columns else []
    lines += [f"limit = {schema.limit}"] if schema.limit is not None else []
    for column in schema.column:
        lines += ["", "[[column]]", f"name = {_text(column.name)}", f"kind = {_text(column.kind)}"]
        lines.append(f"match = {_text(column.match)}")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else _text(name)


def _list(values: object) -> str:
    assert isinstance(values, list)
    return "[" + ", ".join(map(_value, values)) + "]"


def _inline(settings: dict[str, Setting]) -> str:
    return "{ " + ", ".join(f"{_text(key)} = {_value(value)}" for key, value in settings.items()) + " }"


def _value(value: Setting) -> str:
    return _text(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _text(value: str) -> str:
    """A basic string of TOML: JSON's form is one, but for the delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
