"""Codes of findings, reasons and problems stand in one registry, and nowhere else."""

from __future__ import annotations

import ast
import functools
import gc
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from weigh.host.knobs import KNOBS
from weigh.lies import CATALOGUE
from weigh.model import codes
from weigh.model.codes.code import Fixed, Graded

SRC = Path(__file__).parents[2] / "src" / "weigh"
NAMES = {name: one for name, one in vars(codes).items() if isinstance(one, codes.Entry)}
CODE = re.compile(r"[ADELRT]\d{1,2}(\.[a-z_]+)?|[MX]\.[a-z_]+")
SAID = re.compile(rf"({CODE.pattern}): ")
QUIET_KNOBS = {"load", "perf_paranoia"}
"""Knobs of which no report makes a finding."""


class Module(NamedTuple):
    """What a module says, each with its line.

    Attributes:
        texts: strings that are no documentation.
        calls: names that are called.
        codes: attributes of ``codes``.
    """

    path: Path
    texts: list[tuple[int, str]]
    calls: list[tuple[int, str]]
    codes: set[str]


@functools.cache
def modules() -> list[Module]:
    """Every module but the registry's own."""
    own = {*(SRC / "lies").rglob("*.py"), *(SRC / "model" / "codes").iterdir()}
    # Of nearly a million nodes none is garbage before its module is read, and looking for some took most of the time.
    gc.disable()
    try:
        return [read(path) for path in sorted(SRC.rglob("*.py")) if path not in own]
    finally:
        gc.enable()


def read(path: Path) -> Module:
    """What one says; its tree is not kept."""
    found = Module(path, [], [], set())
    documentation = set()
    # A statement comes before its expression.
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Expr(value=value):
                documentation.add(value)
            case ast.Constant(value=str(text), lineno=line) if node not in documentation:
                found.texts.append((line, text))
            case ast.Call(func=ast.Name(id=name), lineno=line):
                found.calls.append((line, name))
            case ast.Attribute(value=ast.Name(id="codes"), attr=name):
                found.codes.add(name)
    return found


def test_no_code_is_written_as_a_literal() -> None:
    found = [
        f"{module.path.relative_to(SRC)}:{line}: {text[:40]!r}"
        for module in modules()
        if module.path.relative_to(SRC).parts[0] not in ("audit", "publish")  # They speak of rows of the catalogue.
        for line, text in module.texts
        if (CODE.fullmatch(text) or SAID.match(text))
    ]
    assert found == []


def test_codes_and_findings_are_made_by_the_registry_alone() -> None:
    found = [
        f"{module.path.relative_to(SRC)}:{line}"
        for module in modules()
        for line, name in module.calls
        if name in {"Code", "Finding"}
    ]
    assert found == []


def test_every_entry_is_used() -> None:
    used = {name for module in modules() for name in module.codes}
    of_knobs = {name for name, one in NAMES.items() if one.family == "E5"} - {"E5_DRIFT"}
    assert NAMES.keys() - used - of_knobs == set()
    reported = {kind.name for kind in KNOBS} - QUIET_KNOBS | {"root"}
    assert {NAMES[name].code for name in of_knobs} == {f"E5.{name}" for name in reported} | {"E5"}


def test_every_code_belongs_to_a_lie() -> None:
    """M is how other metrics moved with the time, X what is nobody's lie."""
    lies = {lie.id for lie in CATALOGUE}
    assert {one.family for one in codes.REGISTRY.values()} - lies == {"M", "X"}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_its_code_and_its_meaning_one_sentence(name: str) -> None:
    one = NAMES[name]
    assert CODE.fullmatch(one.code)
    assert name == one.code.replace(".", "_").upper() or one is codes.E5_UNKNOWN
    assert one.means
    assert not one.means.endswith(".")
    assert ". " not in one.means
    assert one.page.path.startswith(("concept/", "guide/", "reference/"))


def test_codes_and_meanings_are_unlike() -> None:
    assert len(codes.REGISTRY) == len(NAMES) == len({one.means for one in NAMES.values()})


def test_a_severity_is_that_of_the_code() -> None:
    found = codes.A5_LAZY.finding(text="late", remedy="consume", contender="c", operation="q")
    assert (found.code, found.severity, found.contender, found.operation) == ("A5.lazy", "error", "c", "q")
    assert codes.E4_STEAL.finding("note", text="", remedy="").severity == "note"
    assert isinstance(codes.knob("governor"), Graded)
    assert codes.knob("from the future") is codes.E5_UNKNOWN
    assert isinstance(codes.A5_LAZY, Fixed)
    assert codes.T10.reason("few").code == "T10"
