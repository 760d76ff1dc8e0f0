"""What weigh says in any of its documents, in one form: a code, of whom, and in which words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMED = re.compile(r"(?<![\w.])([A-Z]\d{1,2}(?:\.[a-z_]+)?)(?::| )")
"""A code in a message of an error."""


class Accusation(msgspec.Struct, frozen=True):
    """One thing that is reported.

    Attributes:
        code: of a finding, a reason, a problem; or a verdict in capitals.
        of: the contender; empty where it is reported of none.
        text: in words.
        grave: whether it forbids something: an error, a divergence.
    """

    code: str
    of: str
    text: str
    grave: bool = False


def read(document: dict[str, Any], errors: str) -> list[Accusation]:
    """Everything that a command says.

    Args:
        document: what ``--json`` gives; empty where the command failed.
        errors: what it printed on standard error.
    """
    found = [
        *_whole(document),
        *_findings(document),
        *_gate(document),
        *_verdicts(document),
        *_reasons(document.get("tier")),
        *_problems(document),
        *_series(document),
    ]
    for run in document.get("runs") or ():
        found += _reasons(run)
    if not document:
        line = next(iter(errors.splitlines()), "").removeprefix("error: ")
        found += [Accusation(code, "", line, grave=True) for code in _NAMED.findall(line)]
    return found


def _whole(document: dict[str, Any]) -> Iterator[Accusation]:
    """What is reported of all of it: a notice, that two tables are the same or differ, that evidence passes."""
    if notice := (document.get("experiment") or {}).get("notice"):
        yield Accusation("NOTICE", "", str(notice))
    if "same" in document:
        yield Accusation("SAME" if document["same"] else "DIFFERENT", "", "")
    if "verification" in document:
        yield Accusation("PASSED" if document.get("passed") else "FAILED", "", "")


def _findings(document: dict[str, Any]) -> Iterator[Accusation]:
    for one in document.get("findings") or ():
        name = str(one.get("contender") or "")
        yield Accusation(str(one["code"]), name, str(one["text"]), one.get("severity") == "error")


def _gate(document: dict[str, Any]) -> Iterator[Accusation]:
    rows = document.get("gate") or ()
    for row in rows if isinstance(rows, list) else ():
        for name in row["contenders"]:
            status = str(row["status"]).upper()
            yield Accusation(status, str(name), f"{row['operation']}: {row['detail']}", status == "DIVERGED")


def _verdicts(document: dict[str, Any]) -> Iterator[Accusation]:
    for one in document.get("verdicts") or ():
        if one.get("metric") not in (None, "wall_s", "time"):
            continue
        name, sentence = str(one.get("contender") or ""), str(one.get("sentence") or _interval(one))
        if one["verdict"] != "diverged":
            # Where one is wrong nobody is timed; the gate says who it is.
            yield Accusation(str(one["verdict"]).upper(), name, sentence)
        for reason in one.get("reasons") or ():
            yield Accusation(str(reason["code"]), name, str(reason["text"]))


def _interval(verdict: dict[str, Any]) -> str:
    """A verdict of `weigh judge`, which has no sentence."""
    if verdict.get("ratio") is None or verdict.get("low") is None:
        return ""
    return f"ratio {verdict['ratio']:.3f}, interval {verdict['low']:.3f} to {verdict['high']:.3f}"


def _reasons(part: dict[str, Any] | None) -> Iterator[Accusation]:
    for reason in (part or {}).get("reasons") or ():
        yield Accusation(str(reason["code"]), "", str(reason["text"]))


def _problems(document: dict[str, Any]) -> Iterator[Accusation]:
    for one in (document.get("verification") or {}).get("problems") or ():
        yield Accusation(
            str(one["code"]), "", f"{one['file']}: {one['text']}" if one.get("text") else str(one["file"]), True
        )
    if signature := document.get("signature"):
        yield Accusation(str(signature.get("code", "SIGNED")), "", str(signature.get("text", "")))


def _series(document: dict[str, Any]) -> Iterator[Accusation]:
    for one in document.get("series") or ():
        refused = (one.get("mean") or {}).get("refused") if isinstance(one.get("mean"), dict) else None
        if refused:
            yield Accusation(str(refused["code"]), str(one.get("contender") or ""), str(refused["text"]))
