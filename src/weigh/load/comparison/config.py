"""What a user asks of a comparison of servers, as a spec."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.host import affinity, facts
from weigh.load.comparison.spec import SECOND, LoadComparisonSpec, LoadContender
from weigh.load.rate_search.search import PRECISION
from weigh.model.errors import UsageError, nearest
from weigh.model.rules import FULL_STARTS, Rules
from weigh.model.units import count, parse_fraction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Target

QUICK_BLOCKS, QUICK_RUN_S = 6, 15
"""Of a first look: a block more than a verdict needs, for a run may be refused; seconds of one that has percentiles."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


class Named(NamedTuple):
    """A contender as the user wrote it.

    Attributes:
        name: empty for its target's text.
        target: with its password, if it has one.
    """

    name: str
    target: str


def parse(text: str) -> Named:
    """``NAME=TARGET``, or a target alone: a name has no colon, and every target has one.

    Raises:
        UsageError: there is no target.
    """
    name, equals, target = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        name, target = "", text
    if not target:
        raise UsageError(
            f"the contender {name} has no target", remedy="write NAME=TARGET, e.g. new=postgres:embedded@18"
        )
    return Named(name, target)


def quick(flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags with what a first look stands for: few blocks, of runs that have percentiles.

    The baseline has one turn in each: a server that starts and stops takes about as long as half of a run.

    Args:
        flags: as of :func:`make`, with ``quick`` and ``duration``; what is named there is meant.

    Raises:
        UsageError: a search is asked for.
    """
    if flags["quick"] and flags["find_rate"]:
        raise UsageError(
            "--find-rate and --quick: a search makes as many probes as it needs",
            remedy="leave --quick out; --budget says how long it may take",
        )
    if not flags["quick"]:
        return dict(flags)
    blocks = QUICK_BLOCKS if flags["blocks"] is None else flags["blocks"]
    duration = flags["duration"] or f"{QUICK_RUN_S}s"
    return {**flags, "blocks": blocks, "duration": duration, "twice": bool(flags["twice"])}


def make(load: LoadSpec, targets: Mapping[str, Target], flags: Mapping[str, Any]) -> LoadComparisonSpec:
    """The spec.

    Args:
        load: what is offered to all; without a target.
        targets: the servers by the names of the contenders, in their order.
        flags: of the command line, by name: ``baseline``, ``blocks``, ``margin``, ``twice``, ``duet``; None where one
            was left out.

    Raises:
        UsageError: they contradict each other.
    """
    if len(targets) < 2:
        raise UsageError(
            "one contender is no comparison", remedy="name a second --contender, or load one server with --target"
        )
    if load.repeats > 1:
        raise UsageError(
            "--repeats is of one server: contenders meet in blocks, each in a fresh life",
            remedy="write --blocks instead",
        )
    for name in targets:
        if name.endswith(SECOND):
            raise UsageError(f"a name ends with {SECOND}", where=name, remedy="that is the baseline's second arm")
    if load.find_rate:
        _check_search(flags)
    baseline = flags.get("baseline")
    if baseline is not None and baseline not in targets:
        raise UsageError(f"the baseline '{baseline}' is no contender", remedy=nearest(baseline, tuple(targets)))
    usual = 1 if load.find_rate else FULL_STARTS
    blocks = usual if flags.get("blocks") is None else int(flags["blocks"])
    if blocks < 1:
        raise UsageError(f"--blocks {blocks} cannot be", remedy="give a whole number above 0; a verdict needs 5")
    rules = Rules()
    if flags.get("margin") is not None:
        margin = parse_fraction(flags["margin"], "--margin")
        if not margin > 0:
            raise UsageError(f"--margin {flags['margin']} cannot be", remedy="give a share above 0, e.g. 5%")
        rules = Rules(margin=margin)
    duet = bool(flags.get("duet"))
    if duet:
        _check_duet(load, targets, flags)
    if load.find_rate:
        # So narrow that the ratio of two may lie within the margin.
        half_margin = min(PRECISION, rules.margin / 2)
        load = msgspec.structs.replace(load, find_rate=msgspec.structs.replace(load.find_rate, half_width=half_margin))
    return LoadComparisonSpec(
        load=load,
        contenders=tuple(
            LoadContender(name=name, target=target.text, start=getattr(target, "command", msgspec.UNSET))
            for name, target in targets.items()
        ),
        baseline=baseline or next(iter(targets)),
        baseline_declared=baseline is not None,
        blocks=blocks,
        twice=not duet and not load.find_rate and flags.get("twice") is not False,
        rules=rules,
        duet=True if duet else msgspec.UNSET,
    )


def _check_search(flags: Mapping[str, Any]) -> None:
    """See that nothing is asked for that searches in turn have not.

    Raises:
        UsageError: it is.
    """
    for name, why, remedy in (
        ("blocks", "a search makes as many probes as it needs", "leave --blocks out; --budget 15m makes more probes"),
        ("twice", "each server is searched once", "leave --twice out, or name it a second time as a contender"),
        ("duet", "a server that shares the machine carries less than by itself", "leave --duet out"),
    ):
        if flags.get(name):
            raise UsageError(f"--find-rate and --{name}: {why}", remedy=remedy)


def _check_duet(load: LoadSpec, targets: Mapping[str, Target], flags: Mapping[str, Any]) -> None:
    """See whether two servers can be loaded at the same moment.

    Raises:
        UsageError: they cannot.
    """
    if len(targets) != 2:
        raise UsageError(f"a duet is one of two contenders, and there are {len(targets)}", remedy="name two")
    if flags.get("twice"):
        raise UsageError("a duet has two sides: the baseline cannot be both", remedy="leave --twice out")
    for name, target in targets.items():
        if not target.restarts:
            raise UsageError(
                f"a duet gives each side half of the CPUs, and {name} cannot be held to them: weigh did not start it",
                remedy="leave --duet out, or compare embedded servers",
            )
    if load.server_cpus is not msgspec.UNSET or load.client_cpus is not msgspec.UNSET:
        raise UsageError("a duet gives each side half of the CPUs", remedy="leave --server-cpus and --client-cpus out")
    own, _ = affinity.halves(facts.allowed_cpus())
    if load.threads > len(own):
        raise UsageError(
            f"a duet gives each side {count(len(own), 'CPU')}, and its generator has {count(load.threads, 'thread')}",
            remedy=f"add --threads {len(own)}",
        )


def unique(named: Sequence[tuple[str, str]]) -> None:
    """See that no two contenders share a name.

    Args:
        named: name of each, and its target's text.

    Raises:
        UsageError: two do.
    """
    names = [name for name, _ in named]
    for name, text in named:
        if names.count(name) > 1:
            alone = name == text
            raise UsageError(
                f"two contenders are called '{name}'",
                remedy="give them names: --contender a=TARGET --contender b=TARGET" if alone else "give each its own",
            )
