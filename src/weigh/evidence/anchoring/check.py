"""What anchors prove of evidence: that its journal is the one whose heads a witness has.

Whoever edits a journal can chain and seal it anew, and everything in it fits again. A line that was anchored keeps its
hash elsewhere: then the journal does not fit, whatever was edited before that line. What was never anchored, and lines
after the last anchor, can be made anew by anybody, and no verifier can tell.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, NamedTuple

from weigh.evidence import attempts, files, journal, naming
from weigh.evidence.anchoring import places, run_key
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
_NAMING = ("opened", "resumed", "load")
"""Events that name the key which signs the anchors after them."""


class Anchored(NamedTuple):
    """What a journal says of its own anchors.

    Attributes:
        stamps: each that was sent; that of the last line stands nowhere, since nothing follows it.
        lines: hash of every line of the journal.
        ended: when it ended, as it says itself; None of one that was killed.
        keys: public keys that sign its anchors.
    """

    stamps: tuple[Stamped, ...]
    lines: tuple[str, ...]
    ended: datetime.datetime | None
    keys: tuple[str, ...] = ()

    def fits(self, one: Anchor) -> bool:
        """Whether an anchor is of a line as it is now."""
        return one.line <= len(self.lines) and self.lines[one.line - 1] == one.head


def read(folder: Path) -> Anchored:
    """What the journal says; raises as :func:`weigh.evidence.journal.events`."""
    stamps, keys = [], []
    for one in journal.events(folder, (EVENT, *_NAMING)):
        if one.event == EVENT:
            stamps.append(files.converted(one.body, Stamped))
        elif isinstance(one.body, dict) and isinstance(key := one.body.get("anchor_key"), str):
            keys.append(key)
    return Anchored(tuple(stamps), tuple(journal.links(folder)), naming.ended(folder), tuple(keys))


def claims(folder: Path) -> Problem | Outcome:
    """What is to be reported without a witness: where it was anchored, or that it was not."""
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
        return _tokens(folder, found, name, experiment, attempt, files_path(witness))
    anchors = places.place(witness).read(experiment)
    mine, foreign = _of_attempt(anchors, attempt, found)
    problems = [
        *_journal(mine, found),
        *_others(folder, anchors),
        *_times(name, [one for one in mine if _named(one, found)], found),
    ]
    if problem := _contradicted(found):
        problems = problems or [problem]
    if problems:
        return [*problems]
    lines = [_proven(mine, len(found.lines), witness) if mine else _unproven(found, witness)]
    if foreign and not any(isinstance(one, Problem) for one in lines):
        lines.append(_foreign(foreign, witness))
    return lines


def _of_attempt(anchors: Sequence[Anchor], attempt: int, found: Anchored) -> tuple[list[Anchor], int]:
    """Those of this measurement, one a line, and how many there are of the same number that are not its own.

    A witness takes anchors from anybody, and others of the same experiment have attempts of the same numbers. What fits
    a line proves that there was one, whoever sent it; what does not fit is its own only where its key signed it, or
    where the journal itself says that it was sent.

    Args:
        anchors: in the order in which the witness received them.
        attempt: number of the attempt.
        found: the journal.
    """
    mine: dict[int, Anchor] = {}
    foreign = 0
    for one in anchors:
        if one.attempt != attempt:
            continue
        if found.fits(one):
            # The first counts. What was sent a day after the end proves that it was there then, and not before.
            if _named(one, found) or not _late(one, found.ended):
                mine.setdefault(one.line, one)
        elif run_key.is_signed(one, found.keys) or _named(one, found):
            mine[one.line] = one
        else:
            foreign += 1
    return list(mine.values()), foreign


def _named(one: Anchor, found: Anchored) -> Stamped | None:
    """Where the journal says that this anchor was sent."""
    wanted = (one.line, one.head, one.at)
    stamps = (stamp for stamp in found.stamps if not stamp.error)
    return next((stamp for stamp in stamps if (stamp.anchor.line, stamp.anchor.head, stamp.anchor.at) == wanted), None)


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


def _unproven(found: Anchored, witness: str) -> Problem | Outcome:
    """The witness has nothing that fits this measurement."""
    if any(one.to == witness and not one.error for one in found.stamps):
        return _problem(f"its journal says that it was anchored at {witness}, which has no anchor of it")
    return Outcome(
        f"{witness} has no anchor of it: that it was measured when and as it says cannot be proven, and was not "
        "disproven"
    )


def _foreign(foreign: int, witness: str) -> Outcome:
    """Anchors that say nothing against it, nor for it."""
    anchors = (
        f"{count(foreign, 'anchor')} there {'does' if foreign == 1 else 'do'} not fit it, and no key that it names"
    )
    return Outcome(
        f"{anchors} signed {'it' if foreign == 1 else 'them'}: of another measurement of the same experiment, or sent "
        f"by somebody else. {witness} takes anchors from anybody, so that proves nothing against it"
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
            text = f"attempt {number} was anchored at {one.at}, and is not alongside it: every attempt counts"
            yield Problem(code=codes.T8_MISSING.code, file=journal.NAME, text=text)


def _attempt(folder: Path) -> int:
    name = naming.parsed(naming.given(folder.resolve()))
    return name.number if name else 0


def _times(name: naming.Name | None, anchors: Sequence[Anchor], found: Anchored) -> Iterator[Problem]:
    """The day in a name is that on which it was begun, and it ended when it says.

    Args:
        name: of the evidence.
        anchors: those known to be of its own time: whoever sends one again a year later says nothing of the run.
        found: the journal.
    """
    ordered = sorted((one for one in anchors if one.at), key=lambda one: one.at)
    if not ordered:
        return
    day = ordered[0].at[:_DAY].replace("-", "")
    if name and day.isdigit() and not _near(name.day, day):
        yield _problem(f"its name says {name.day}, and it was first anchored at {ordered[0].at}")
    if found.ended and (late := next((one for one in ordered if _late(one, found.ended)), None)):
        ended = found.ended.isoformat(timespec="seconds")
        yield _problem(f"it says that it ended at {ended}, and line {late.line:,} was anchored at {late.at}")


def _near(one: str, other: str) -> bool:
    """At most a day apart: it may have begun before midnight."""
    try:
        days = [datetime.datetime.strptime(text, "%Y%m%d").replace(tzinfo=datetime.UTC) for text in (one, other)]
    except ValueError:
        return False
    return abs((days[0] - days[1]).days) <= 1


def _tokens(
    folder: Path, found: Anchored, name: naming.Name | None, experiment: str, attempt: int, authority: Path
) -> list[Problem | Outcome]:
    """Tokens of RFC 3161 in the evidence: each must be of the line that it is named after, as the line is now."""
    tokens = {int(path.stem): path for path in (folder / "anchors").glob("*.tsr") if path.stem.isdecimal()}
    sent = [one for one in found.stamps if one.token and not one.error]
    if missing := next((one for one in sent if one.anchor.line not in tokens), None):
        return [_problem(f"its journal says that {missing.to} stamped line {missing.anchor.line:,}: there is no token")]
    good, lines = [], len(found.lines)
    for line, path in sorted(tokens.items()):
        if not files.is_regular(path):
            continue
        stamped = places.stamped(path, authority)
        if stamped is None:
            continue
        if not 0 < line <= lines:
            return [_problem(f"it has {lines:,} lines, and a token of line {line:,}: lines were removed")]
        one = Anchor(experiment=experiment, attempt=attempt, line=line, head=found.lines[line - 1], at=stamped.at)
        if stamped.digest != one.digest:
            text = f"anchors/{path.name} is a token of other lines than its first {line:,}: they were made anew"
            return [_problem(text)]
        good.append(one)
    if good:
        problems = [*_times(name, good, found)]
        return [*problems] or [_proven(good, lines, authority.name)]
    if tokens:
        raise UsageError(
            f"none of its {count(len(tokens), 'token')} is signed by an authority of {authority.name}",
            where=str(folder),
            remedy=f"name the certificates of {sent[0].to if sent else 'the one that signed them'}",
        )
    return [UNANCHORED]


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
