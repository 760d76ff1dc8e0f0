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
from weigh.workloads.suites import allowed, naming
from weigh.workloads.suites.place import Budget
from weigh.workloads.suites.question import FileRead, LeftOut, Question, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from weigh.workloads.parameters import Parameters
    from weigh.workloads.suites.place import SuiteFolder

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
_NULL = re.compile(r"\s+FORMAT\s+Null\b(?=\s*(?:;?\s*$|SETTINGS\b))", re.IGNORECASE)
_SETTINGS = re.compile(r"\bSETTINGS\b", re.IGNORECASE)
_TRAILING_SETTINGS = re.compile(
    r"\bSETTINGS\s+(\w+\s*=\s*(?:'[^'\\]*'|[\w.+-]+)(?:\s*,\s*\w+\s*=\s*(?:'[^'\\]*'|[\w.+-]+))*)\s*$", re.IGNORECASE
)
"""The settings of a query, as the last of its clauses."""
_CALLED = re.compile(r"(\w+)\s*=")
_MOST = 1_000
"""Questions of one query: beyond that a file is generated, and asks nothing new."""


def read(folder: SuiteFolder, files: Sequence[Path], parameters: Parameters) -> Iterator[FileRead]:
    """The questions of every file."""
    del parameters
    for file in files:
        yield _read(folder, file)


def _read(folder: SuiteFolder, file: Path) -> FileRead:
    name, place = naming.of_file(folder.folder, file), str(file.relative_to(folder.folder))
    budget = Budget()
    try:
        root = _root(folder.text(file), file)
        values = _substitutions(root)
        tables = [one.text or "" for one in root if one.tag in ("create_query", "fill_query")]
        settings = _settings(root)
        filled = [text.strip().rstrip(";") for one in tables for text, _ in _filled(one, values, budget)]
        load = ";\n".join([*(f"SET {one}" for one in settings.values()), *filled] if filled else [])
        allowed.load(load, "clickhouse")
    except UsageError as error:
        what = error.what if not error.what.startswith("it calls") else f"its load {error.what.removeprefix('it ')}"
        return FileRead(left_out=(LeftOut(name=name, why=what),), dialect="clickhouse")
    found: list[Question] = []
    left: list[LeftOut] = []
    number = 0
    for element in root.findall("query"):
        try:
            texts = list(_filled(element.text or "", values, budget))
        except UsageError as error:
            left.append(LeftOut(name=f"{name}#{number}", why=error.what))
            number += 1
            continue
        template = f"{name}.{number}"
        for text, chosen in texts:
            called = naming.with_values(f"{name}.{number}", chosen)
            number += 1
            try:
                statement = _NULL.sub("", text.strip().rstrip(";")).strip()
                # Without its settings, with which no other dialect than ClickHouse's parses it.
                refuse(_TRAILING_SETTINGS.sub("", statement), called)
                sql = _with_settings(statement, settings)
                allowed.question(sql, "clickhouse")
            except UsageError as error:
                left.append(LeftOut(name=called, why=error.what))
                continue
            found.append(Question(name=called, sql=sql, file=place, load=load, template=template if chosen else ""))
    return FileRead(
        questions=tuple(found), left_out=tuple(left), unread=tuple(_unread(root, place)), dialect="clickhouse"
    )


def _root(text: str, file: Path) -> Element:
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


def _filled(text: str, values: Mapping[str, Sequence[str]], budget: Budget) -> Iterator[tuple[str, dict[str, str]]]:
    """The text with every combination of what it names, in the order of ClickHouse: the last name changes first."""
    named = [found.group(1) for found in _PLACE.finditer(text) if found.group(1)]
    wanted = sorted(set(named))
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
        budget.take(len(text) + sum(len(chosen[name]) for name in named))
        yield _PLACE.sub(lambda at: chosen[at.group(1)] if at.group(1) else at.group(0)[0], text), chosen  # noqa: B023


def _settings(root: Element) -> dict[str, str]:
    """The settings of a file as a query or SET can carry them, by name.

    Raises:
        UsageError: one is no name of a setting.
    """
    found = {one.tag: (one.text or "").strip() for group in root.findall("settings") for one in group}
    for name in found:
        if not re.fullmatch(r"\w+", name):
            raise UsageError(f"{name} is no name of a setting", remedy="mend the file")
    return {name: f"{name} = {_value(value)}" for name, value in found.items()}


def _with_settings(sql: str, settings: Mapping[str, str]) -> str:
    """A query with the settings of its file; its own win, where it has some.

    Raises:
        UsageError: its own cannot be distinguished from the rest of it.
    """
    if not settings:
        return sql
    if not _SETTINGS.search(sql):
        return f"{sql} SETTINGS {', '.join(settings.values())}"
    own = _TRAILING_SETTINGS.search(sql)
    if own is None:
        raise UsageError("it has SETTINGS of its own besides those of its file, and not at its end")
    names = set(_CALLED.findall(own[1]))
    return ", ".join([sql, *(written for name, written in settings.items() if name not in names)])


def _value(text: str) -> str:
    return text if re.fullmatch(r"-?\d+(\.\d+)?", text) else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _unread(root: Element, place: str) -> Iterator[Unread]:
    keys = [*root.attrib, *(one.tag for one in root if one.tag not in _TAKEN)]
    keys += [key for one in root.findall("query") for key in one.attrib]
    keys += [f"preconditions/{one.tag}" for group in root.findall("preconditions") for one in group
             if one.tag != "table_exists"]  # fmt: skip
    for key in dict.fromkeys(keys):
        yield Unread(key=key, why=_NO_EFFECT.get(key, ""), file=place)
