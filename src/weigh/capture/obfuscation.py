"""Obfuscation of a capture: what passes from a source to the folder becomes what the same key makes of the data."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from weigh.capture.trace import unescaped
from weigh.obfuscation import statement
from weigh.obfuscation.literals import Unreplaceable, bound, is_small, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.capture.parameters import Distribution
    from weigh.capture.templates.template import Template
    from weigh.capture.trace import Product
    from weigh.obfuscation.literals import Role
    from weigh.obfuscation.mapping import Mapping
    from weigh.obfuscation.results import Types
    from weigh.obfuscation.statement import Rewritten


_DIALECTS = {"postgres": "postgres", "mysql": "mysql"}
_MOST = 20_000
"""Statements that are remembered."""


class Obfuscation:
    """Replaces names, values and sessions.

    Args:
        mapping: decides.
        product: whose language the statements are in.
        types: of columns; None where they are not known.
    """

    def __init__(self, mapping: Mapping, product: Product, types: Types | None = None) -> None:
        self._mapping = mapping
        self._types = types
        self._product = product
        self._known: dict[tuple[str, tuple[bool, ...]], Rewritten | None] = {}
        self.session = lru_cache(maxsize=16_384)(self._session)

    @property
    def key(self) -> str:
        """Tells which key it is of, and nothing of the key."""
        return self._mapping.key.id

    def statement(self, found: Template, places: Sequence[str | int]) -> Rewritten:
        """Without its names.

        Args:
            found: its template.
            places: its literals, and numbers of what was bound.

        Raises:
            Unreplaceable: it cannot be taken apart.
        """
        # The parser says of a number what it does not say of a text in its place.
        key = found.key, tuple(isinstance(one, str) and not one[-1:].isdigit() for one in places)
        if key not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = self._rewritten(found, places)
        made = self._known[key]
        if made is None:
            raise Unreplaceable
        return made

    def values(
        self, found: Template, places: Sequence[str | int], values: Sequence[str | None]
    ) -> tuple[str | None, ...]:
        """Of one call.

        Raises:
            Unreplaceable: one of them cannot be replaced.
        """
        if self._product == "redis":
            return replaced(found.first, [one or "" for one in values], self._mapping)
        roles = self.statement(found, places).roles
        return tuple(
            self._value(value, role, form) for value, role, form in zip(values, roles, found.forms, strict=True)
        )

    def distributions(
        self, found: Template, places: Sequence[str | int], given: Sequence[Distribution | None]
    ) -> list[Distribution | None]:
        """Of the values of a statement of which there are totals.

        Raises:
            Unreplaceable: one of them cannot be replaced.
        """
        roles = self.statement(found, places).roles
        return [
            None if one is None else one.images(lambda text, role=role, form=form: self._value(text, role, form) or "")  # type: ignore[misc]
            for one, role, form in zip(given, roles, found.forms, strict=True)
        ]

    def _rewritten(self, found: Template, places: Sequence[str | int]) -> Rewritten | None:
        if self._product == "redis":
            return statement.Rewritten(pieces=found.pieces, roles=())
        parts = found.pieces, [one if isinstance(one, str) else None for one in places]
        dialect = _DIALECTS[self._product]
        try:
            if found.does in ("control", "utility"):
                return statement.control(*parts, dialect, self._mapping)
            return statement.rewritten(*parts, dialect, self._mapping, self._types)
        except Unreplaceable:
            return None

    def _value(self, value: str | None, role: Role, form: str) -> str | None:
        if value is None or form == "bound":
            return bound(value, role, self._mapping)
        return literal(value, role, self._mapping, escapes=self._product == "mysql")

    def _session(self, session: str) -> str:
        """Of a session: of MONITOR it is an address."""
        return self._mapping.key.derived(f"session {session}").hex()[:12] if session else ""


# fmt: off
_WHOLE = frozenset(
    (
        "APPEND", "DECR", "DECRBY", "DEL", "EXISTS", "GET", "GETDEL", "GETSET", "HDEL", "HEXISTS", "HGET", "HGETALL",
        "HINCRBY", "HKEYS", "HLEN", "HMGET", "HMSET", "HSET", "HSETNX", "HSTRLEN", "HVALS", "INCR", "INCRBY",
        "INCRBYFLOAT", "LLEN", "LPUSH", "LPUSHX", "MGET", "MSET", "MSETNX", "PERSIST", "PFADD", "PFCOUNT", "PFMERGE",
        "PTTL", "PUBLISH", "RENAME", "RENAMENX", "RPUSH", "RPUSHX", "SADD", "SCARD", "SDIFF", "SDIFFSTORE", "SETNX",
        "SINTER", "SINTERSTORE", "SISMEMBER", "SMEMBERS", "SMISMEMBER", "SMOVE", "SREM", "STRLEN", "SUNION",
        "SUNIONSTORE", "TOUCH", "TTL", "TYPE", "UNLINK", "ZCARD", "ZINCRBY", "ZMSCORE", "ZRANK", "ZREM", "ZREVRANK",
        "ZSCORE",
    )
)
"""Every argument is a key, a field or a value."""
_FIRST = frozenset(
    (
        "BITCOUNT", "EXPIRE", "GETRANGE", "LINDEX", "LPOP", "LRANGE", "LTRIM", "PEXPIRE", "RPOP", "SPOP",
        "SRANDMEMBER", "ZPOPMAX", "ZPOPMIN", "ZRANGE", "ZREVRANGE",
    )
)
"""The first is a key; behind it are places, seconds and options."""
_BARE = frozenset(("MULTI", "EXEC", "DISCARD", "UNWATCH", "PING", "DBSIZE"))
_OPTIONS = frozenset(("EX", "PX", "NX", "XX", "GT", "LT", "CH", "GET", "KEEPTTL", "WITHSCORES", "REV"))
# fmt: on
_NUMBER = re.compile(r"-?\d+")


def replaced(command: str, words: Sequence[str], mapping: Mapping) -> tuple[str, ...]:
    """The arguments of a command.

    Args:
        command: in capitals.
        words: as MONITOR escapes them.
        mapping: decides.

    Raises:
        Unreplaceable: nothing is known of the command, or of an argument.
    """
    if command in _BARE and not words:
        return ()
    if command in _WHOLE or command == "WATCH":
        keys = len(words)
    elif command in _FIRST:
        keys = 1
    elif command == "SET":
        keys = 2
    elif command in ("SETEX", "PSETEX") and len(words) == 3:
        return (_value(words[0], mapping), _plain(words[1]), _value(words[2], mapping))
    elif command == "ZADD" and len(words) == 3 and words[1].upper() not in _OPTIONS:
        keys = len(words)
    else:
        raise Unreplaceable
    return (*(_value(one, mapping) for one in words[:keys]), *map(_plain, words[keys:]))


def _value(word: str, mapping: Mapping) -> str:
    content = unescaped(word)
    try:
        made = (bound(content.decode(), "value", mapping) or "").encode()
    except UnicodeDecodeError:
        made = mapping.words.data(content)
    return "".join(chr(one) if 32 <= one < 127 and one not in b'"\\' else f"\\x{one:02x}" for one in made)


def _plain(word: str) -> str:
    """An option, or a number that is no value."""
    if word.upper() in _OPTIONS or (_NUMBER.fullmatch(word) and is_small(word)):
        return word
    raise Unreplaceable
