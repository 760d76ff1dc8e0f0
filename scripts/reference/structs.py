"""The fields of a msgspec struct: their names, types in words, and meanings from the docstring's ``Attributes``."""

from __future__ import annotations

import inspect
import re
import sys
from enum import Enum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from reference.markdown import code, either, prose
from weigh.cli.keys import meanings, with_default

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNITS = {"Seconds": float, "Bytes": int, "Rows": int}
"""Aliases of ``weigh.model.units`` that say the unit of a number."""
_PLAIN = {str: "text", int: "integer", float: "number", bool: "boolean"}
_NOUN = re.compile(r"\b(integer|number|boolean|object)\b")
_LINKED_NOUN = re.compile(r"\[([a-z ]+)(?<!s)\]\(")


class Row(NamedTuple):
    """Fields that have one meaning, usually one.

    Attributes:
        names: as a document has them, ``steps[].scale``.
        kind: their type, in words.
        meaning: one sentence in Markdown.
    """

    names: tuple[str, ...]
    kind: str
    meaning: str


def rows(
    kind: type[msgspec.Struct], sections: Mapping[type, str], without: type[msgspec.Struct] | None = None
) -> list[Row]:
    """Every field of a document, those of its parts after it as ``part.field`` and ``parts[].field``.

    Args:
        kind: the struct.
        sections: links to the parts that have a section of their own.
        without: a base whose fields are described elsewhere.

    Raises:
        LookupError: a field has no meaning in the docstring.
    """
    return list(_joined(_rows(kind, "", sections, without)))


def _rows(
    kind: type[msgspec.Struct], prefix: str, sections: Mapping[type, str], without: type[msgspec.Struct] | None
) -> list[Row]:
    kind_meanings, types = meanings(kind), hints(kind)
    known = without.__struct_fields__ if without else ()
    found = []
    for name, theirs in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
        if name in known:
            continue
        if name not in kind_meanings:
            raise LookupError(f"{kind.__module__}.{kind.__name__}: the docstring says nothing of '{name}'")
        part, many = _part(types[name])
        full = f"{prefix}{theirs}{'[]' if many else ''}"
        text_of_field, _ = with_default(kind_meanings[name])
        found.append(Row((full,), in_words(types[name], sections), prose(text_of_field)))
        if part is not None and part not in sections:
            found += _rows(part, f"{full}.", sections, None)
    return found


def _joined(found: list[Row]) -> list[Row]:
    """Neighbours of one type and meaning as one row."""
    joined: list[Row] = []
    for row in found:
        last = joined[-1] if joined else None
        if last and last.kind == row.kind and last.meaning == row.meaning:
            joined[-1] = row._replace(names=(*last.names, *row.names))
        else:
            joined.append(row)
    return joined


def hints(kind: type) -> dict[str, Any]:
    """Types of the fields; a number of ``Seconds`` or ``Bytes`` keeps its unit."""
    units = {name: Annotated[plain, name.lower()] for name, plain in _UNITS.items()}
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if "__annotations__" in base.__dict__ and base.__module__ != "builtins":
            scope = {**vars(sys.modules[base.__module__]), **units}
            found |= {
                name: get_type_hints(_Holder(text), scope, scope, include_extras=True)["it"]
                for name, text in base.__annotations__.items()
            }
    return found


class _Holder:
    """One annotation, to be evaluated in another scope."""

    def __init__(self, text: Any) -> None:
        self.__annotations__ = {"it": text}


def alternatives(hint: Any) -> tuple[Any, ...]:
    """The types that a field may have."""
    # A NewType is what it is made of: readers of JSON see a string.
    plain = getattr(hint, "__supertype__", hint)
    return get_args(plain) if get_origin(plain) in (Union, UnionType) else (plain,)


def _part(hint: Any) -> tuple[type[msgspec.Struct] | None, bool]:
    """The struct that a field holds, if it holds one, and whether it holds a list."""
    many, struct = False, None
    for one in alternatives(hint):
        element = one
        if get_origin(one) in (list, tuple):
            many, element = True, get_args(one)[0]
        if inspect.isclass(element) and issubclass(element, msgspec.Struct):
            struct = element
    return struct, many


def in_words(hint: Any, sections: Mapping[type, str] | None = None, *, null: bool = True) -> str:
    """A type as people call it: ``seconds or null``.

    Args:
        hint: the type.
        sections: links to the structs that have a section of their own.
        null: whether there is one; in TOML there is none.
    """
    kinds = alternatives(hint)
    parts: list[str] = []
    for kind in kinds:
        if kind not in (NoneType, msgspec.UnsetType):
            parts += _words(kind, sections or {})
    if null and NoneType in kinds:
        parts.append("null")
    absent = "; may be absent" if msgspec.UnsetType in kinds else ""
    return either(list(dict.fromkeys(parts))) + absent


def _words(kind: Any, sections: Mapping[type, str]) -> list[str]:
    """A type that is one of several; of a choice every value."""
    if get_origin(kind) is Literal:
        return [_value(value) for value in get_args(kind)]
    if inspect.isclass(kind) and issubclass(kind, Enum):
        return [_value(str(member.value)) for member in kind]
    return [_word(kind, sections)]


def _word(kind: Any, sections: Mapping[type, str]) -> str:
    if get_origin(kind) is Annotated:
        unit = kind.__metadata__[0]
        return unit if isinstance(unit, str) else _word(get_args(kind)[0], sections)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if get_origin(kind) in (list, tuple):
        elements = [element for element in get_args(kind) if element is not Ellipsis]
        if len(elements) > 1 and Ellipsis not in get_args(kind):
            return f"[{', '.join(in_words(element, sections) for element in elements)}]"
        return f"list of {_plural(in_words(elements[0], sections))}"
    if get_origin(kind) is dict:
        return f"object: {_plural(in_words(get_args(kind)[1], sections)).partition(':')[0]} by name"
    if kind is Any:
        return "any"
    if issubclass(kind, tuple):
        return f"[{', '.join(code(name) for name in kind._fields)}]"
    if kind in sections:
        return sections[kind]
    return "object"


def _plural(words: str) -> str:
    """Several of a type: ``integers``, ``[findings](#findings)``."""
    return _LINKED_NOUN.sub(r"[\1s](", _NOUN.sub(r"\1s", words))


def _value(value: Any) -> str:
    return code(f'"{value}"') if isinstance(value, str) and value else "empty" if value == "" else code(str(value))
