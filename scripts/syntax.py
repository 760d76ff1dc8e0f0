"""The syntax trees of src: files, their imports and their identifiers."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""Parts of a name in snake case or in camel case."""


@dataclass(frozen=True)
class Import:
    """A statement that imports.

    Attributes:
        importer: module that it stands in.
        imported: module that it names.
        line: of its file.
        when: ``import`` at the top, ``late`` in a function, ``named`` as ``module:name`` in a string, ``typing``
            for the type checker alone.
    """

    importer: str
    imported: str
    line: int
    when: str


class Sources:
    """Every file of the packages in a folder.

    Args:
        folder: what holds the packages.
    """

    def __init__(self, folder: Path = SOURCES) -> None:
        self.folder = folder
        self.files = {_module(path.relative_to(folder)): path for path in sorted(folder.rglob("*.py"))}
        self.packages = {name for name, path in self.files.items() if path.name == "__init__.py"}

    @cached_property
    def texts(self) -> dict[str, str]:
        """What stands in each file, by module."""
        return {name: path.read_text() for name, path in self.files.items()}

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """Of every module."""
        return {name: ast.parse(text) for name, text in self.texts.items()}

    @cached_property
    def lines(self) -> dict[str, int]:
        """Of every file."""
        return {name: text.count("\n") for name, text in self.texts.items()}

    def imports(self) -> Iterator[Import]:
        """What every module imports of the others."""
        for name, tree in self.trees.items():
            yield from self._imports(name, tree, "import")

    def identifiers(self) -> Iterator[tuple[str, str]]:
        """Every occurrence of an identifier in the syntax trees, and the name of every file, with its module."""
        for name, tree in self.trees.items():
            yield name, name.rpartition(".")[2]
            for node in ast.walk(tree):
                for identifier in _identifiers(node):
                    yield name, identifier

    def _imports(self, name: str, node: ast.AST, when: str) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Constant):
                # A table of modules that are imported by their names.
                module, colon, _ = str(child.value).partition(":")
                found = [module] if colon else []
            elif isinstance(child, ast.Import):
                found = [one.name for one in child.names]
            elif isinstance(child, ast.ImportFrom):
                base = self._base(name, child)
                found = [inner if (inner := f"{base}.{one.name}") in self.files else base for one in child.names]
            else:
                if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                    inside = "typing"
                elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and when == "import":
                    inside = "late"
                else:
                    inside = when
                yield from self._imports(name, child, inside)
                continue
            for one in dict.fromkeys(found):
                if one in self.files and one != name:
                    yield Import(name, one, child.lineno, "named" if isinstance(child, ast.Constant) else when)

    def _base(self, name: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        up = node.level - (name in self.packages)
        return ".".join([*name.split(".")[: len(name.split(".")) - up], *([node.module] if node.module else [])])


def parts(identifier: str) -> list[str]:
    """The words of a name, in small letters."""
    return [part.lower() for part in _PARTS.findall(identifier)]


def settings() -> dict[str, Any]:
    """What pyproject.toml says of tools."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    return found


def _module(path: Path) -> str:
    names = path.with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def _identifiers(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.MatchClass(kwd_attrs=names) | ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case ast.alias(name=name, asname=other):
            yield from name.split(".")
            if other:
                yield other
        case ast.ImportFrom(module=str(name)):
            yield from name.split(".")
