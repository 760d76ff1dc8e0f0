"""The native module against what weigh's Python code was written for: in a checkout it may be older."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_DESCRIBED = Path(__file__).parents[1] / "_native.pyi"
_TYPES = ("Protocol", "TypedDict")
"""Classes that type checkers alone know."""
_NAMED = 3


def outdated() -> str:
    """What is wrong with the native module, for people; empty where it is the one that belongs to this code."""
    try:
        native = importlib.import_module("weigh._native")
    except ImportError as error:
        return f"the native module cannot be loaded ({error})"
    try:
        found = list(lacking(native, _DESCRIBED.read_text()))
    except (OSError, SyntaxError):
        return ""
    if not found:
        return ""
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"the native module is older than weigh's Python code: it lacks {', '.join(found[:_NAMED])}{more}"


def lacking(native: object, described: str) -> Iterator[str]:
    """What is described and is not there, or takes another number of parameters.

    Args:
        native: the module.
        described: its stub.
    """
    for one in ast.parse(described).body:
        if isinstance(one, ast.FunctionDef):
            if not _takes(getattr(native, one.name, None), one):
                yield one.name
        elif isinstance(one, ast.ClassDef) and not {ast.unparse(base) for base in one.bases} & {*_TYPES}:
            made = getattr(native, one.name, None)
            if made is None:
                yield one.name
                continue
            for inner in one.body:
                if isinstance(inner, ast.FunctionDef) and not hasattr(made, inner.name):
                    yield f"{one.name}.{inner.name}"


def _takes(found: object, described: ast.FunctionDef) -> bool:
    if not callable(found):
        return False
    try:
        there = len(inspect.signature(found).parameters)
    except (TypeError, ValueError):
        return True
    parts = described.args
    return there == len(parts.posonlyargs) + len(parts.args) + len(parts.kwonlyargs)
