"""Attempts of one comparison, whatever folder or CI job made them (T8): what each said, machine by machine. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.history.environment import Machines, changes
from weigh.model import codes
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.units import count
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from weigh.history.entry import Entry, Point
    from weigh.model.finding import Finding

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts of one comparison on machines that are alike.

    Attributes:
        experiment: its id; of several that are one comparison, with commas between them.
        entries: all of them, by time.
        attempts: how many attempts these entries read.
        machine: facts that its machines have in common.
        verdicts: by operation and contender, what each entry said that no later one has read together with its own.
    """

    experiment: str
    entries: tuple[Entry, ...]
    attempts: int
    machine: dict[str, str]
    verdicts: dict[str, tuple[str, ...]]

    @property
    def disagree(self) -> dict[str, tuple[str, ...]]:
        """Of which one said SLOWER and another one something else."""
        slower = str(VerdictName.SLOWER)
        return {name: words for name, words in self.verdicts.items() if slower in words and set(words) != {slower}}


def attempts(entries: Sequence[Entry]) -> list[Attempts]:
    """Comparisons that were made more than once on machines that are alike."""
    return [one for attempts_of in _comparisons(entries) for one in attempts_of if one.attempts > 1]


def findings(entries: Sequence[Entry], experiments: Collection[str] | None = None) -> Iterator[Finding]:
    """What is reported of attempts.

    Args:
        entries: of the whole history, by time.
        experiments: ids of those whose comparisons are told; None for all.
    """
    for attempts_of in _comparisons(entries):
        every = [entry for one in attempts_of for entry in one.entries]
        if experiments is not None and not any(entry.experiment in experiments for entry in every):
            continue
        for one in attempts_of:
            if one.attempts > 1:
                yield _of_one_machine(one)
        yield from _of_machines(attempts_of)


def _comparisons(entries: Sequence[Entry]) -> list[list[Attempts]]:
    """The attempts of each comparison, by machine.

    Another machine is no second try: what is slower there may not be slower here, as series are split there.
    """
    machines = Machines()
    grouped: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.experiment:
            grouped[entry.comparison or entry.experiment].append(entry)
    return [_by_machine(entries_of, machines) for entries_of in grouped.values()]


def _by_machine(entries: Sequence[Entry], machines: Machines) -> list[Attempts]:
    # More starts may decide what was open: that is no contradiction of the attempt that they were added to.
    superseded = {seal for entry in entries for seal in entry.covers if seal != entry.id}
    names: dict[tuple[str, ...], str] = {}
    found: dict[tuple[tuple[str, str], ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        found[tuple(machines.facts(entry).items())].append(entry)
    made = []
    for machine, entries_of in found.items():
        verdicts: dict[str, list[str]] = defaultdict(list)
        for entry in entries_of:
            if entry.id in superseded:
                continue
            for point in entry.points:
                if point.verdict:
                    verdicts[_named(point, entry, names)].append(point.verdict)
        made.append(
            Attempts(
                experiment=", ".join(dict.fromkeys(entry.experiment for entry in entries_of)),
                entries=tuple(entries_of),
                attempts=len({seal for entry in entries_of for seal in entry.covers}),
                machine=dict(machine),
                verdicts={name: tuple(words) for name, words in verdicts.items()},
            )
        )
    return made


def _named(point: Point, entry: Entry, names: dict[tuple[str, ...], str]) -> str:
    """Whose verdict on what: a percentile, and a cold execution, are distinguished from the rest."""
    who = entry.identities.get(point.who.name, point.who.name)
    about = (point.operation, point.metric, point.temperature, who)
    if about not in names:
        metric = "" if point.metric == HEADLINE else f", {point.metric}"
        temperature = "" if point.temperature == "hot" else f", {point.temperature}"
        name = f"{point.operation}{metric}{temperature}, {point.who.name}"
        names[about] = name + (f" ({who})" if name in names.values() else "")
    return names[about]


def _of_one_machine(one: Attempts) -> Finding:
    what = "load" if all(entry.kind == "load" for entry in one.entries) else "comparison"
    named = f"the {what} {one.experiment} was made {one.attempts} times"
    if not (apart := one.disagree):
        return codes.T8_ATTEMPTS.finding(
            text=f"{named}, and all attempts are in this history", remedy="nothing to do: every attempt counts"
        )
    outcomes = "; ".join(
        f"{name}: {count(every.count('slower'), 'time')} SLOWER, of {len(every)}"
        for name, every in list(apart.items())[:_NAMED]
    )
    return codes.T8_DISAGREE.finding(
        text=f"{named}, and not all attempts say the same: {outcomes}",
        remedy="no attempt replaces another: run it again as it was, in the folder of the first (--out), which "
        "reads all attempts together",
    )


def _of_machines(attempts_of: Sequence[Attempts]) -> Iterator[Finding]:
    """What is SLOWER on one kind of machine, and was not so on another one."""
    slower_by_name: dict[str, list[bool]] = defaultdict(list)
    for one in attempts_of:
        for name, words in one.verdicts.items():
            slower_by_name[name].append("slower" in words)
    apart = {name: every for name, every in slower_by_name.items() if len(set(every)) > 1}
    if not apart:
        return
    listed = "; ".join(
        f"{name}: SLOWER on {sum(every)} of {len(every)}" for name, every in list(apart.items())[:_NAMED]
    )
    between = "; ".join(changes(attempts_of[0].machine, attempts_of[1].machine))
    experiments = ", ".join(dict.fromkeys(one.experiment for one in attempts_of))
    yield codes.T8_MACHINES.finding(
        text=f"the comparison {experiments} was made on {len(attempts_of)} kinds of machine ({between}), and they "
        f"do not say the same: {listed}",
        remedy="each counts for its own kind of machine, and takes back nothing of another one; to ask again, run "
        "it where it was SLOWER",
    )
