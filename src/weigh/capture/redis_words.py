"""Arguments of commands of Valkey and Redis: keys, fields and values are replaced, options and numbers stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.capture.trace import unescaped
from weigh.obfuscation.literals import Unreplaceable, bound, is_small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.obfuscation.mapping import Mapping

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
