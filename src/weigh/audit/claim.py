"""A claim without a file: a PDF, a slide, a page. Its reader answers questions, and the answers are audited.

The questions are those that a result must answer to be read at all: of which data against which memory, with which
configuration and version, how the tail was, how requests were sent, for how long, with which durability and isolation,
for which price, and what was left out.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, NamedTuple

from weigh.audit.published import Published
from weigh.audit.text import MOST, number
from weigh.evidence import files
from weigh.model.errors import UsageError, nearest
from weigh.model.text import one_line
from weigh.model.units import parse_duration, parse_size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORM = "claim"
_LONGEST = 400


class Question(NamedTuple):
    """A question to whoever reads a claim.

    Attributes:
        key: of the answer.
        asks: the question.
        row: of the catalogue that an answer shows something of; empty where it is read otherwise.
    """

    key: str
    asks: str
    row: str = ""


QUESTIONS = (
    Question("claim", "What is claimed, in its own words?"),
    Question("system", "Of which system?"),
    Question("version", "Of which version, exactly?"),
    Question("machine", "On which machine: processor, cores, disks, network?"),
    Question("configuration", "With which configuration: is every setting listed that is not the default?", "E7"),
    Question("benchmark", "Which benchmark or workload?"),
    Question("data_size", "How large was the data, e.g. 100GB?"),
    Question("memory", "How much memory had the server, e.g. 64GB?"),
    Question("answers", "How were the answers checked?", "A8"),
    Question("percentiles", "Which percentiles of the response time are given?", "L1"),
    Question("loop", "Were requests due at their times (open), or did they wait for answers (closed)?"),
    Question("limit", "Which limit of response time did the rate keep?", "L3"),
    Question("duration", "For how long was it measured, e.g. 10m?"),
    Question("warm_up", "How long was the warm-up that was cut, e.g. 5m?"),
    Question("errors", "How many requests failed?", "L7"),
    Question("durability", "Is every write on disk before it is acknowledged?", "L6"),
    Question("isolation", "At which isolation level?", "L12"),
    Question("repeats", "How often was it measured, with which spread, over how many starts?", "T1"),
    Question("left_out", "Which queries or kinds of requests were left out?", "R1"),
    Question("compared_with", "With what is it compared: same machine, same session, tuned as well?", "T5"),
    Question("price", "What did it cost, per month or per query?"),
    Question("audited_by", "Who audited or repeated it?", "R9"),
)
_KEYS = {one.key: one for one in QUESTIONS}


def template() -> str:
    """The questionnaire, to be filled in: what the claim does not say stays empty."""
    lines = ["# weigh audit --claim FILE reads this. What the claim does not say stays empty: that is an answer, too."]
    for one in QUESTIONS:
        lines += ["", f"# {one.asks}", f'{one.key} = ""']
    return "\n".join(lines) + "\n"


def read(path: Path) -> Published:
    """What a filled-in questionnaire says.

    Raises:
        UsageError: it is none, or has a key that is no question.
    """
    try:
        given = tomllib.loads(files.named(path, MOST).decode())
    except OSError as error:
        raise UsageError(
            f"the questionnaire cannot be read: {error.strerror or error}",
            where=str(path),
            remedy="weigh audit --claim prints one to be filled in",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"it is no TOML: {error}", where=str(path), remedy="weigh audit --claim prints one") from error
    for key in given:
        if key not in _KEYS:
            raise UsageError(f"'{key}' is no question", where=str(path), remedy=nearest(key, _KEYS))
    return _published(path.name, {key: one_line(str(value), _LONGEST) for key, value in given.items() if str(value)})


def _published(name: str, given: Mapping[str, str]) -> Published:
    loop = given.get("loop", "").lower()
    shows = {
        one.row: f"{one.key.replace('_', ' ')}: {given[one.key]}" for one in QUESTIONS if one.row and one.key in given
    }
    return Published(
        form=FORM,
        file=name,
        benchmark=given.get("benchmark", "") or given.get("claim", ""),
        system=given.get("system", ""),
        version=given.get("version", ""),
        workload=_workload(given.get("benchmark", "")),
        configuration=given.get("configuration", ""),
        machine=given.get("machine", ""),
        data_bytes=_size(given.get("data_size", "")),
        memory_bytes=_size(given.get("memory", "")),
        loop="open" if "open" in loop else "closed" if "closed" in loop else "",
        seconds=_duration(given.get("duration", "")),
        warm_up=_duration(given.get("warm_up", "")),
        errors=number(given.get("errors")),
        shows=shows,
    )


def _workload(text: str) -> str:
    plain = text.lower().replace("-", "").replace(" ", "")
    return next((name for name in ("tpch", "tpcc", "clickbench") if name in plain), "ycsb-b" if "ycsb" in plain else "")


def _size(text: str) -> float | None:
    return float(parse_size(text)) if text else None


def _duration(text: str) -> float | None:
    return parse_duration(text) if text else None
