"""Joinable: whether two sessions share what a join needs, or why they do not (T5).

Every function raises where they do not, with a code of its kind: ``T5.data``, ``T5.workload``, ``T5.temperature``,
``T5.bounds``, ``T5.host``, and ``T5`` itself where the reference is missing or the sessions are not two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.compare import differences as comparable
from weigh.model import codes
from weigh.model.errors import EvidenceFault, UsageError, nearest
from weigh.verdict.refusals.disqualified import disqualified

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.compare.results import Session
    from weigh.experiment.record import Record
    from weigh.model.codes.code import Entry
    from weigh.model.finding import Finding

    Sessions = tuple[Session, Session]

_SAME_SESSION = (
    "measure both in one session (weigh run --contender A --contender B), or take the same reference into both"
)
_FACTS = "weigh knows a machine by its processor, cores, memory, limits and kernel"
_NAMED = 4
"""Differences that an error names."""


def check_independent(sessions: Sessions) -> None:
    """The variances of two sessions add only if they share no execution.

    Raises:
        EvidenceFault: they do.
    """
    mine, theirs = (
        {
            (sample.arm, sample.operation, sample.at, sample.wall_s)
            for record in session.records
            for sample in record.samples
            if sample.timed
        }
        for session in sessions
    )
    if mine & theirs or sessions[0].records == sessions[1].records:
        raise EvidenceFault(
            f"{codes.T5}: both name the same session, or attempts of one experiment that are read together anyway",
            remedy="name two sessions; `weigh report` of the later attempt reads the earlier ones",
        )


def check_data(sessions: Sessions) -> None:
    """Both read the same rows, at the same temperature, with the same CPUs and memory.

    Where all contenders of a session read one layout, both must have read the same bytes.

    Raises:
        EvidenceFault: they did not.
    """
    for where, one, other in _attempts(sessions):
        # Where contenders read layouts of their own, each is compared by itself.
        several = bool(one.layouts or other.layouts)
        same = comparable.rows if several else comparable.data
        if differences := same(one.manifest, other.manifest):
            raise _not_joined(codes.T5_DATA, f"{where} read different data", differences)
        if one.spec.temperature != other.spec.temperature:
            temperatures = f"{one.spec.temperature} in the first, {other.spec.temperature} in the second"
            raise _not_joined(codes.T5_TEMPERATURE, f"{where} measured at different temperatures", [temperatures])
        if bounds := comparable.bounds(one.spec, other.spec):
            raise _not_joined(codes.T5_BOUNDS, f"{where} gave their contenders other CPUs or memory", bounds)
        if one.spec.temperature != "hot":
            temperatures = "two sessions are joined on hot times only"
            raise _not_joined(codes.T5_TEMPERATURE, f"{where} measured {one.spec.temperature}", [temperatures])


def shared_questions(sessions: Sessions) -> tuple[list[str], dict[str, str]]:
    """Operations that both sessions have, in order, and those among them that only share their name.

    Raises:
        EvidenceFault: none was asked in both.
    """
    shared: list[str] | None = None
    unlike: dict[str, str] = {}
    for where, one, other in _attempts(sessions):
        if one.workload is None or other.workload is None:
            raise _not_joined(codes.T5_WORKLOAD, f"{where} do not record what was asked", [])
        same, differing = comparable.questions(one.workload, other.workload)
        unlike |= differing
        both = {*same, *differing}
        names = [operation.name for operation in one.workload.operations if operation.name in both]
        shared = names if shared is None else [name for name in shared if name in both]
    shared = shared or []
    if not set(shared) - unlike.keys():
        differences = [f"{name}: {what}" for name, what in unlike.items()]
        raise _not_joined(codes.T5_WORKLOAD, "no question was asked in both sessions", differences)
    return shared, unlike


def shared_reference(sessions: Sessions, wanted: str) -> tuple[str, str]:
    """The reference's name in each session: the baseline of the first, or else the first that is in both.

    Args:
        sessions: the first and the second.
        wanted: its name in the first session; empty to choose.

    Raises:
        UsageError: there is no contender of that name.
        EvidenceFault: no contender, or not the one wanted, is the same in both.
    """
    spec = sessions[0].latest.spec
    names = [contender.name for contender in spec.contenders]
    if wanted and wanted not in names:
        raise UsageError(f"the first session has no contender '{wanted}'", remedy=nearest(wanted, names))
    order = [wanted] if wanted else sorted(names, key=lambda name: name != spec.baseline)
    theirs = [contender.name for contender in sessions[1].latest.spec.contenders]
    unlike = []
    for name in order:
        # Its own name first: where several are the same, that is the one that is meant.
        for other in sorted(theirs, key=lambda other: other != name):
            differences = _apart(sessions, name, other)
            if not differences:
                return name, other
            if other == name or _engines_alike(sessions, name, other):
                unlike.append(f"{name if name == other else f'{name} and {other}'}: {'; '.join(differences)}")
    which = f"'{wanted}' is not the same in both sessions" if wanted else "no contender is the same in both sessions"
    nobody = f"{', '.join(order)} in the first, {', '.join(theirs)} in the second"
    raise _not_joined(codes.T5, f"{which}, so there is no reference to join them", unlike or [nobody])


def check_machine(sessions: Sessions, *, across_hosts: bool) -> list[Finding]:
    """Both ran on one machine, as far as the facts tell; if that is not asked for, a finding says so.

    Raises:
        EvidenceFault: they did not.
    """
    for where, one, other in _attempts(sessions):
        if not (differences := comparable.facts(one, other, comparable.MACHINE)):
            continue
        apart = "; ".join(differences)
        if not across_hosts:
            raise EvidenceFault(
                f"{codes.T5_HOST}: {where} ran on different machines, and a ratio to a reference need not be the same "
                f"on another machine ({apart})",
                remedy=f"measure on one machine, or allow it with --across-hosts; {_FACTS}",
            )
        return [
            codes.T5_HOST.finding(
                text=f"{where} ran on different machines: {apart}",
                remedy="a ratio need not be the same on another machine: measure both on one",
            )
        ]
    return []


def _attempts(sessions: Sessions) -> Iterator[tuple[str, Record, Record]]:
    """The latest attempt with times of the first session and every other one, the second session's first."""
    mine = sessions[0].measured[-1]
    for record in reversed(sessions[1].measured):
        yield "the sessions", mine, record
    for record in sessions[0].measured[:-1]:
        yield f"attempts {mine.attempt} and {record.attempt} of the first session", mine, record


def _apart(sessions: Sessions, name: str, other: str) -> list[str]:
    """Why two contenders are not one reference; all attempts that have times count."""
    mine = sessions[0].contender(name)
    contender, given = sessions[0].latest.spec.contender(name), sessions[0].measured[-1].manifest_of(name)
    for session, name_there in zip(sessions, (name, other), strict=True):
        if (finding := disqualified(session.results.findings).get(name_there)) is not None:
            return [f"disqualified in {session.name} ({finding.code})"]
        for record in session.measured:
            read = {one.name: one for one in (record.environment.contenders if record.environment else ())}
            if name_there not in read:
                return [f"not in attempt {record.attempt} of {session.name}"]
            found = comparable.contender(mine, read[name_there])
            found += comparable.places(contender, record.spec.contender(name_there))
            if differences := found + comparable.data(given, record.manifest_of(name_there)):
                named = "" if record is session.measured[-1] else f"in attempt {record.attempt} of {session.name}, "
                return [named + differences[0], *differences[1:]]
    return []


def _engines_alike(sessions: Sessions, name: str, other: str) -> bool:
    return sessions[0].contender(name).engine == sessions[1].contender(other).engine


def _not_joined(code: Entry, what: str, differences: Sequence[str]) -> EvidenceFault:
    named = f" ({' | '.join(differences[:_NAMED])})" if differences else ""
    return EvidenceFault(f"{code}: {what}{named}", remedy=_SAME_SESSION)
