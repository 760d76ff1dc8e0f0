"""Commands of Valkey and Redis, without their values."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from weigh.capture.templates.template import Template, Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.capture.trace import Does

# fmt: off
_READS = frozenset(
    (
        "BITCOUNT", "BITPOS", "DBSIZE", "DUMP", "EXISTS", "EXPIRETIME", "GEODIST", "GEOHASH", "GEOPOS",
        "GEOSEARCH", "GET", "GETBIT", "GETRANGE", "HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET",
        "HRANDFIELD", "HSCAN", "HSTRLEN", "HVALS", "KEYS", "LINDEX", "LLEN", "LPOS", "LRANGE", "MGET",
        "OBJECT", "PEXPIRETIME", "PFCOUNT", "PTTL", "RANDOMKEY", "SCAN", "SCARD", "SDIFF", "SINTER",
        "SINTERCARD", "SISMEMBER", "SMEMBERS", "SMISMEMBER", "SRANDMEMBER", "SSCAN", "STRLEN", "SUBSTR",
        "SUNION", "TOUCH", "TTL", "TYPE", "XINFO", "XLEN", "XPENDING", "XRANGE", "XREAD", "XREVRANGE",
        "ZCARD", "ZCOUNT", "ZDIFF", "ZINTER", "ZLEXCOUNT", "ZMSCORE", "ZRANDMEMBER", "ZRANGE", "ZRANGEBYLEX",
        "ZRANGEBYSCORE", "ZRANK", "ZREVRANGE", "ZREVRANGEBYSCORE", "ZREVRANK", "ZSCAN", "ZSCORE", "ZUNION",
        "EVAL_RO", "EVALSHA_RO", "FCALL_RO", "SORT_RO",
    )
)
# fmt: on
_CONTROL = frozenset(("MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH"))
# fmt: off
_UTILITY = frozenset(
    (
        "ACL", "AUTH", "BGREWRITEAOF", "BGSAVE", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "DEBUG", "ECHO",
        "FAILOVER", "FLUSHALL", "FLUSHDB", "FUNCTION", "HELLO", "INFO", "LASTSAVE", "LATENCY", "MEMORY",
        "MIGRATE", "MODULE", "MONITOR", "PING", "PSUBSCRIBE", "PSYNC", "PUBSUB", "PUNSUBSCRIBE", "QUIT",
        "READONLY", "REPLCONF", "REPLICAOF", "RESET", "ROLE", "SAVE", "SCRIPT", "SELECT", "SHUTDOWN",
        "SENTINEL", "SLAVEOF", "SLOWLOG", "SSUBSCRIBE", "SUBSCRIBE", "SWAPDB", "SYNC", "TIME", "UNSUBSCRIBE", "WAIT",
        "WAITAOF",
    )
)
# fmt: on
# fmt: off
_WRITES = frozenset(
    (
        "APPEND", "ASKING", "BITFIELD", "BITFIELD_RO", "BITOP", "BLMOVE", "BLMPOP", "BLPOP", "BRPOP",
        "BRPOPLPUSH", "BZMPOP",
        "BZPOPMAX", "BZPOPMIN", "COPY", "DECR", "DECRBY", "DEL", "DELIFEQ", "EVAL", "EVALSHA", "EXPIRE", "EXPIREAT",
        "FCALL", "GEOADD", "GEORADIUS", "GEORADIUSBYMEMBER", "GEORADIUS_RO", "GEORADIUSBYMEMBER_RO", "GEOSEARCHSTORE",
        "GETDEL", "GETEX", "GETSET", "HDEL", "HEXPIRE", "HEXPIREAT", "HEXPIRETIME", "HGETDEL", "HGETEX", "HINCRBY",
        "HINCRBYFLOAT", "HMSET", "HPERSIST", "HPEXPIRE", "HPEXPIREAT", "HPEXPIRETIME", "HPTTL", "HSET", "HSETEX",
        "HSETNX", "HTTL", "INCR", "INCRBY", "INCRBYFLOAT", "LCS", "LINSERT", "LMOVE", "LMPOP", "LPOP",
        "LPUSH", "LPUSHX",
        "LREM", "LSET", "LTRIM", "MOVE", "MSET", "MSETEX", "MSETNX", "PERSIST", "PEXPIRE", "PEXPIREAT", "PFADD",
        "PFDEBUG", "PFMERGE", "PFSELFTEST", "PSETEX", "PUBLISH", "RENAME", "RENAMENX", "RESTORE", "RPOP", "RPOPLPUSH",
        "RPUSH", "RPUSHX", "SADD", "SDIFFSTORE", "SET", "SETBIT", "SETEX", "SETNX", "SETRANGE", "SINTERSTORE", "SMOVE",
        "SORT", "SPOP", "SPUBLISH", "SREM", "SUNIONSTORE", "UNLINK", "XACK", "XACKDEL", "XADD", "XAUTOCLAIM", "XCLAIM",
        "XDEL", "XDELEX", "XGROUP", "XREADGROUP", "XSETID", "XTRIM", "ZADD", "ZDIFFSTORE", "ZINCRBY", "ZINTERCARD",
        "ZINTERSTORE", "ZMPOP", "ZPOPMAX", "ZPOPMIN", "ZRANGESTORE", "ZREM", "ZREMRANGEBYLEX", "ZREMRANGEBYRANK",
        "ZREMRANGEBYSCORE", "ZUNIONSTORE",
    )
)
# fmt: on
_MODULES = re.compile(
    r"(?:JSON|FT|TS|BF|CF|CMS|TOPK|TDIGEST|GRAPH|SEARCH|AI|RG|TFUNCTION|TFCALL|V)\.[A-Z_.]{2,20}|V[A-Z]{3,12}|_FT\.[A-Z.]{2,20}"
)
"""Commands of modules, and of vector sets."""
_DIGITS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+")


def of_words(words: Sequence[str]) -> tuple[Template, tuple[str, ...]]:
    """The template of a command of Redis, and its arguments.

    Commands with keys of another shape, ``user:1`` and ``cart:1``, are statements of their own.

    Raises:
        Unreadable: there is no such command: what was typed in its place may be anything.
    """
    name = words[0].upper()
    if not (name in _READS or name in _WRITES or name in _CONTROL or name in _UTILITY or _MODULES.fullmatch(name)):
        raise Unreadable
    shape = _DIGITS.sub("#", words[1])[:80] if len(words) > 1 else ""
    template = _of_command(name, shape, len(words) - 1)
    return template, tuple(words[1:])


@lru_cache(maxsize=4096)
def _of_command(name: str, shape: str, arguments: int) -> Template:
    does: Does = (
        "control" if name in _CONTROL else "utility" if name in _UTILITY else "reads" if name in _READS else "writes"
    )
    return Template(
        key=f"{name} {shape} {arguments}",
        pieces=(name + " " * bool(arguments), *(" ",) * (arguments - 1), *("",) * bool(arguments)),
        forms=tuple("bound" for _ in range(arguments)),
        does=does,
        first=name,
        words=frozenset((name.lower(),)),
        before=("",) * arguments,
    )
