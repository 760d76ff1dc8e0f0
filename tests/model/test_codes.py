"""Codes of findings, reasons and problems stand in one registry, and nowhere else."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

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


@functools.cache
def modules() -> list[tuple[Path, list[ast.AST]]]:
    """Every module but the registry's own, with all its nodes."""
    own = {*(SRC / "lies").iterdir(), *(SRC / "model" / "codes").iterdir()}
    return [
        (path, list(ast.walk(ast.parse(path.read_text())))) for path in sorted(SRC.rglob("*.py")) if path not in own
    ]


def test_no_code_is_written_as_a_literal() -> None:
    found = []
    for path, nodes in modules():
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        found += [
            f"{path.relative_to(SRC)}:{node.lineno}: {node.value[:40]!r}"
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
            if CODE.fullmatch(node.value) or SAID.match(node.value)
        ]
    assert found == []


def test_codes_and_findings_are_made_by_the_registry_alone() -> None:
    made = {"Code", "Finding"}
    found = [
        f"{path.relative_to(SRC)}:{node.lineno}"
        for path, nodes in modules()
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in made
    ]
    assert found == []


def test_every_entry_is_used() -> None:
    used = {
        node.attr
        for _, nodes in modules()
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "codes"
    }
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
