"""What anchors prove of evidence: that its journal is the one whose heads a witness has.

Whoever edits a journal can chain and seal it anew, and everything in it fits again. A line that was anchored keeps its
hash elsewhere: then the journal does not fit, whatever was edited before that line. What was never anchored, and lines
after the last anchor, can be made anew by anybody, and no verifier can tell.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.evidence import attempts, files, journal, naming
from weigh.evidence.anchoring import places
from weigh.evidence.anchoring.anchor import Anchor, Stamped, latest
from weigh.evidence.anchoring.anchoring import EVENT
from weigh.evidence.verification import Outcome, Problem
from weigh.model import codes
from weigh.model.errors import EvidenceFault, UsageError
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

UNANCHORED = Outcome(
    "it was not anchored: that it was measured when and as it says cannot be proven, and was not disproven"
)
"""Of evidence that no witness has anything of."""
_DAY = 10


class Anchored(NamedTuple):
    """What a journal says of its own anchors.

    Attributes:
        stamps: each that was sent; that of the last line stands nowhere, since nothing follows it.
        lines: hash of every line of the journal.
        ended: when it ended, as it says itself; None of one that was killed.
    """

    stamps: tuple[Stamped, ...]
    lines: tuple[str, ...]
    ended: datetime.datetime | None


def read(folder: Path) -> Anchored:
    """What the journal says; raises as :func:`weigh.evidence.journal.events`."""
    stamps = [files.converted(one.body, Stamped) for one in journal.events(folder) if one.event == EVENT]
    return Anchored(tuple(stamps), tuple(journal.links(folder)), naming.ended(folder))


def claims(folder: Path) -> Problem | Outcome:
    """What is to be said without a witness: where it was anchored, or that it was not."""
    try:
        found = read(folder)
    except (EvidenceFault, OSError):
        return UNANCHORED
    stamps = [one for one in found.stamps if not one.error]
    if not stamps:
        return UNANCHORED
    if problem := _contradicted(found):
        return problem
    where = ", ".join(dict.fromkeys(one.to for one in stamps))
    return Outcome(
        f"its journal says that it was anchored {count(len(stamps), 'time')} at {where}: --witness checks it"
    )


def check(folder: Path, witness: str) -> list[Problem | Outcome]:
    """Compare a journal with what a witness has.

    Args:
        folder: the evidence.
        witness: its address, its log, or the certificates of a time-stamping authority.

    Raises:
        EvidenceFault: the journal or the log cannot be read.
        EnvironmentFault: the witness cannot be reached.
        UsageError: it is no witness.
    """
    name = naming.parsed(naming.given(folder.resolve()))
    found = read(folder)
    opened = journal.first(folder)
    body = opened.body if opened and isinstance(opened.body, dict) else {}
    given = body.get("attempt")
    attempt: int = given if isinstance(given, int) else name.number if name else 0
    experiment = name.experiment if name else ""
    if witness.endswith((".pem", ".crt")):
        return _tokens(folder, found.lines, experiment, attempt, files_path(witness))
    anchors = places.place(witness).read(experiment)
    mine = _of_attempt(anchors, attempt, found)
    problems = [*_journal(mine, found), *_others(folder, anchors), *_day(name, mine), *_end(mine, found)]
    if own := _contradicted(found):
        problems = problems or [own]
    if problems:
        return [*problems]
    if not mine:
        return [_unproven(anchors, attempt, found, witness)]
    return [_proven(mine, len(found.lines), witness)]


def _of_attempt(anchors: Sequence[Anchor], attempt: int, found: Anchored) -> list[Anchor]:
    """Those of this measurement: others of the same experiment have attempts of the same numbers.

    A witness takes anchors from anybody. Of a line the first one counts; what came after that of the whole journal, or
    more than a day after it ended, is not its own.

    Args:
        anchors: in the order in which the witness received them.
        attempt: number of the attempt.
        found: the journal.
    """
    mine: dict[int, Anchor] = {}
    sent = {(one.anchor.line, one.anchor.head) for one in found.stamps if not one.error}
    for one in anchors:
        known = (one.line, one.head) in sent or not _late(one, found.ended)
        if known and one.attempt == attempt and one.first in ("", *found.lines[:1]):
            mine.setdefault(one.line, one)
            if one.line == len(found.lines) and one.head == found.lines[-1]:
                break
    return list(mine.values())


def _late(one: Anchor, ended: datetime.datetime | None) -> bool:
    try:
        at = datetime.datetime.fromisoformat(one.at)
    except ValueError:
        return False
    return ended is not None and at.tzinfo is not None and at > ended + datetime.timedelta(days=1)


def _contradicted(found: Anchored) -> Problem | None:
    """Heads of its own that a journal says were sent are those of its lines."""
    for one in found.stamps:
        line, head = one.anchor.line, one.anchor.head
        if not one.error and (not 0 < line <= len(found.lines) or found.lines[line - 1] != head):
            return _problem(
                f"its journal says that line {line:,} had another hash when it was anchored: it was made anew"
            )
    return None


def _unproven(anchors: Sequence[Anchor], attempt: int, found: Anchored, witness: str) -> Problem | Outcome:
    """The witness has nothing of this measurement."""
    if any(one.to == witness and not one.error for one in found.stamps):
        return _problem(f"its journal says that it was anchored at {witness}, which has no anchor of it")
    others = sum(one.attempt == attempt for one in anchors)
    text = (
        f"; {count(others, 'anchor')} there {'is' if others == 1 else 'are'} of another measurement" if others else ""
    )
    return Outcome(
        f"{witness} has no anchor of it{text}: that it was measured when and as it says cannot be proven, and was not "
        "disproven"
    )


def files_path(text: str) -> Path:
    """A path of the user's.

    Raises:
        UsageError: there is no such file.
    """
    from pathlib import Path

    path = Path(text)
    if not path.is_file():
        raise UsageError("there is no such file", where=text, remedy="name the certificates of the authority, PEM")
    return path


def _journal(anchors: Sequence[Anchor], found: Anchored) -> Iterator[Problem]:
    for one in anchors:
        if one.line > len(found.lines):
            text = f"it has {len(found.lines):,} lines, and at {one.at} it had {one.line:,}: lines were removed"
            yield _problem(text)
        elif found.lines[one.line - 1] != one.head:
            yield _problem(f"its first {one.line:,} lines are not those that it had at {one.at}: they were made anew")
            return


def _others(folder: Path, anchors: Sequence[Anchor]) -> Iterator[Problem]:
    """Attempts that a witness has, and the folder has not (T8)."""
    there = {_attempt(path) for path in attempts.history_folders(folder)}
    newest = max(there, default=0)
    for number, one in latest(anchors).items():
        if number not in there and number < newest:
            text = f"attempt {number} was anchored at {one.at}, and is not beside it: every attempt counts"
            yield Problem(code=codes.T8_MISSING.code, file=journal.NAME, text=text)


def _attempt(folder: Path) -> int:
    name = naming.parsed(naming.given(folder.resolve()))
    return name.number if name else 0


def _day(name: naming.Name | None, anchors: Sequence[Anchor]) -> Iterator[Problem]:
    """The day in a name is that on which it was begun."""
    first = min((one.at for one in anchors if one.at), default="")
    if name is None or not first:
        return
    day = first[:_DAY].replace("-", "")
    if day.isdigit() and not _near(name.day, day):
        yield _problem(f"its name says {name.day}, and it was first anchored at {first}")


def _end(anchors: Sequence[Anchor], found: Anchored) -> Iterator[Problem]:
    """What was anchored later than a day after its end ended at another time."""
    for one in anchors:
        if found.ended and _late(one, found.ended):
            ended = found.ended.isoformat(timespec="seconds")
            yield _problem(f"it says that it ended at {ended}, and line {one.line:,} was anchored at {one.at}")
            return


def _near(one: str, other: str) -> bool:
    """At most a day apart: it may have begun before midnight."""
    try:
        days = [datetime.datetime.strptime(text, "%Y%m%d").replace(tzinfo=datetime.UTC) for text in (one, other)]
    except ValueError:
        return False
    return abs((days[0] - days[1]).days) <= 1


def _tokens(
    folder: Path, lines: Sequence[str], experiment: str, attempt: int, authority: Path
) -> list[Problem | Outcome]:
    """Tokens of RFC 3161 in the evidence: each must be of the line that it is named after, as the line is now."""
    tokens = {int(path.stem): path for path in (folder / "anchors").glob("*.tsr") if path.stem.isdecimal()}
    if not tokens:
        return [_problem("it holds no token of a time-stamping authority")]
    good = []
    for line, path in sorted(tokens.items()):
        if not 0 < line <= len(lines) or not files.is_regular(path):
            return [_problem(f"it has {len(lines):,} lines, and a token of line {line:,}: lines were removed")]
        one = Anchor(experiment=experiment, attempt=attempt, line=line, head=lines[line - 1])
        if not places.is_good(path, one, authority):
            text = (
                f"anchors/{path.name} is no token by {authority.name} of its first {line:,} lines: they were made anew"
            )
            return [_problem(text)]
        good.append(msgspec.structs.replace(one, at=places.granted(path)))
    return [_proven(good, len(lines), authority.name)]


def _proven(anchors: Sequence[Anchor], lines: int, witness: str) -> Outcome:
    ordered = sorted(anchors, key=lambda one: one.line)
    last = ordered[-1].line
    # The stamps of the last anchor stand behind it, and the line of the end.
    after = f"; {count(lines - last, 'line')} after the last one are not" if lines > last else ""
    return Outcome(
        f"anchored {count(len(ordered), 'time')} from {ordered[0].at} to {ordered[-1].at} at {witness}: its first "
        f"{last:,} of {lines:,} lines are those that it had then{after}"
    )


def _problem(text: str) -> Problem:
    return Problem(code=codes.R9_ANCHOR.code, file=journal.NAME, text=text)
