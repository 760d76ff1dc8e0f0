"""Calls into the load generator; when it cannot begin or go on, weigh's errors, with the place and what to do."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from weigh.load.remedies import remedy_of
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh._native import LoadError


class _Spec(Protocol):
    @property
    def target(self) -> str: ...


class _OfTarget(Protocol):
    @property
    def spec(self) -> _Spec: ...


_T = TypeVar("_T", bound=_OfTarget)
_P = ParamSpec("_P")
_R = TypeVar("_R")
_BY_KIND = {
    "script": "mend the script there",
    "setting": "change that setting",
    "unreachable": "see whether the server runs, and listens there",
    "tls": "see sslmode and sslrootcert of the target's URL, and what the server's log says",
    "protocol": "see whether it is a server of that kind",
    "interrupted": "begin again",
}
"""Kind of an error whose code says nothing -> what to do."""
_BY_ERRNO = {
    "(os error 11)": "lower --connections: the server is asked for more at once than it takes",
    "(os error 24)": "let weigh open more files (ulimit -n), or lower --connections",
}
"""What the system's error ends with -> what to do where it is not that the server does not listen."""
_SQLITE = "see https://sqlite.org/rescode.html"
_USUAL = "see what the server's log says"


def call(what: Callable[..., Any], *arguments: Any) -> Any:
    """A call into the generator; its errors as weigh's.

    Raises:
        EngineFault: the server is in the way, or the workload is wrong.
    """
    from weigh._native import LoadError

    try:
        return what(*arguments)
    except LoadError as error:
        raise read(error) from None


def at_target(method: Callable[Concatenate[_T, _P], _R]) -> Callable[Concatenate[_T, _P], _R]:
    """Have the server's errors in a method name the target: there may be several, and one that is in the way."""

    @functools.wraps(method)
    def placed(self: _T, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return method(self, *args, **kwargs)
        except EngineFault as error:
            if self.spec.target not in str(error):
                error.where = f"{self.spec.target}, {error.where}" if error.where else self.spec.target
            raise

    return placed


def read(error: LoadError) -> EngineFault:
    """The error of an error of the generator's."""
    return EngineFault(error.message, where=_place(error), remedy=_remedy(error))


def _remedy(error: LoadError) -> str:
    if error.remedy is not None:
        return error.remedy
    if error.code.startswith("SQLITE_"):
        return remedy_of(error.code, "") or _SQLITE
    if error.kind == "unreachable":
        for ending, remedy in _BY_ERRNO.items():
            if error.message.endswith(ending):
                return remedy
    return remedy_of(error.code, error.message) or _BY_KIND.get(error.kind, _USUAL)


def _place(error: LoadError) -> str:
    if error.script is None:
        return ""
    column = "" if error.column is None else f", column {error.column}"
    return f"script {error.script}, line {error.line}{column}"
