"""ClickHouse's performance tests: XML files, as its comparison script reads them (tests/performance of ClickHouse).

Every ``query`` is asked once for every combination of the substitutions that it names; ``create_query`` and
``fill_query`` make its tables, in their order. Queries are numbered in a file from 0, as in ClickHouse's reports.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from weigh.model.errors import UsageError
from weigh.workloads.askable import refuse
from weigh.workloads.suites import naming
from weigh.workloads.suites.question import FileRead, LeftOut, Question, Unread
from weigh.workloads.suites.sql_file import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from weigh.workloads.parameters import Parameters

_TAKEN = ("query", "create_query", "fill_query", "settings", "substitutions", "preconditions")
_NO_EFFECT = {
    "drop_query": "the tables are weigh's own, and are not there before",
    "tags": "--operations chooses what is measured",
    "type": "weigh decides by itself how often it executes",
    "loop_type": "weigh decides by itself how often it executes",
    "stop_conditions": "weigh decides by itself how often it executes",
    "metrics": "weigh has metrics of its own",
    "main_metric": "weigh has metrics of its own",
    "name": "operations are named after the file",
    "max_ignored_relative_change": "--margin says which change matters",
    "short": "weigh decides by itself how often it executes",
}
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_NULL = re.compile(r"\s+FORMAT\s+Null\s*;?\s*$", re.IGNORECASE)
_SETTINGS = re.compile(r"\bSETTINGS\b", re.IGNORECASE)
_MOST = 1_000
"""Questions of one query: beyond that a file is generated, and asks nothing new."""


def read(folder: Path, files: Sequence[Path], parameters: Parameters) -> Iterator[FileRead]:
    """The questions of every file."""
    del parameters
    for file in files:
        yield _read(folder, file)


def _read(folder: Path, file: Path) -> FileRead:
    name, place = naming.of_file(folder, file), str(file.relative_to(folder))
    try:
        root = _root(file)
        values = _substitutions(root)
        tables = [one.text or "" for one in root if one.tag in ("create_query", "fill_query")]
        load = ";\n".join(text.strip().rstrip(";") for one in tables for text, _ in _filled(one, values))
    except UsageError as error:
        return FileRead(left_out=(LeftOut(name=name, why=error.what),), dialect="clickhouse")
    settings = {one.tag: (one.text or "").strip() for group in root.findall("settings") for one in group}
    found: list[Question] = []
    left: list[LeftOut] = []
    number = 0
    for element in root.findall("query"):
        try:
            asked = list(_filled(element.text or "", values))
        except UsageError as error:
            left.append(LeftOut(name=f"{name}#{number}", why=error.what))
            number += 1
            continue
        template = f"{name}.{number}"
        for text, chosen in asked:
            called = naming.with_values(f"{name}.{number}", chosen)
            number += 1
            sql = _NULL.sub("", text.strip().rstrip(";")).strip()
            try:
                refuse(sql, called)
            except UsageError as error:
                left.append(LeftOut(name=called, why=error.what))
                continue
            if settings and _SETTINGS.search(sql):
                left.append(LeftOut(name=called, why="it has SETTINGS of its own beside those of its file"))
                continue
            found.append(
                Question(
                    name=called,
                    sql=sql + _written(settings),
                    file=place,
                    load=load,
                    template=template if chosen else "",
                )
            )
    return FileRead(
        questions=tuple(found), left_out=tuple(left), unread=tuple(_unread(root, place)), dialect="clickhouse"
    )


def _root(file: Path) -> Element:
    text = text_of(file)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UsageError("it declares entities", where=str(file), remedy="write them out")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UsageError(f"it is not XML: {error}", where=str(file), remedy="mend the file") from None
    if root.tag != "test":
        raise UsageError("it is no performance test (<test>)", where=str(file), remedy="move it elsewhere")
    return root


def _substitutions(root: Element) -> dict[str, list[str]]:
    return {
        (one.findtext("name") or "").strip(): [value.text or "" for value in one.findall("values/value")]
        for one in root.findall("substitutions/substitution")
    }


def _filled(text: str, values: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, dict[str, str]]]:
    """The text with every combination of what it names, in the order of ClickHouse: the last name changes first."""
    wanted = sorted({found.group(1) for found in _PLACE.finditer(text) if found.group(1)})
    for name in wanted:
        if not values.get(name):
            raise UsageError(f"the substitution {name} has no values", remedy="mend the file")
    count = 1
    for name in wanted:
        count *= len(values[name])
    if count > _MOST:
        raise UsageError(f"its substitutions have more than {_MOST:,} combinations", remedy="name fewer values")
    for combination in product(*(values[name] for name in wanted)):
        chosen = dict(zip(wanted, combination, strict=True))
        yield _PLACE.sub(lambda at: chosen[at.group(1)] if at.group(1) else at.group(0)[0], text), chosen  # noqa: B023


def _written(settings: Mapping[str, str]) -> str:
    """Settings of a file as each of its queries can carry them."""
    if not settings:
        return ""
    return " SETTINGS " + ", ".join(f"{name} = {_value(value)}" for name, value in settings.items())


def _value(text: str) -> str:
    return text if re.fullmatch(r"-?\d+(\.\d+)?", text) else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _unread(root: Element, place: str) -> Iterator[Unread]:
    keys = [*root.attrib, *(one.tag for one in root if one.tag not in _TAKEN)]
    keys += [key for one in root.findall("query") for key in one.attrib]
    keys += [f"preconditions/{one.tag}" for group in root.findall("preconditions") for one in group
             if one.tag != "table_exists"]  # fmt: skip
    for key in dict.fromkeys(keys):
        yield Unread(key=key, why=_NO_EFFECT.get(key, ""), file=place)
