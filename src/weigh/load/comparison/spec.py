"""What a comparison of several servers under one load is asked to do."""

from __future__ import annotations

import hashlib
import random
import re
from typing import NamedTuple

import msgspec

from weigh.load.spec import LoadSpec, Loop
from weigh.model.rules import FULL_STARTS, Rules

CONTENDERS = "contenders"
"""The folder inside the evidence that holds a folder for each arm."""
SECOND = "#2"
"""Behind the name of the baseline: its second arm, which shows what no difference looks like."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 40


class LoadContender(msgspec.Struct, frozen=True, kw_only=True):
    """One of the servers that are compared.

    Attributes:
        name: how reports call it.
        target: as of :class:`weigh.load.spec.LoadSpec`, without its password.
        start: command that starts its server anew for every life; left out where there is none.
    """

    name: str
    target: str
    start: str | msgspec.UnsetType = msgspec.UNSET


class LoadArm(NamedTuple):
    """A contender as it takes part: the baseline does so twice where it has a second arm.

    Attributes:
        name: the contender's, or with :data:`SECOND` behind it.
        contender: its name.
        target: what it loads.
        folder: of its load record, inside :data:`CONTENDERS`.
    """

    name: str
    contender: str
    target: str
    folder: str


class LoadTurn(NamedTuple):
    """One arm in one block: a life of its server, under one run of each kind.

    Attributes:
        block: from 1; the ``repeat`` of its runs.
        arm: its name.
        kinds: connections and loop of each run, in the order in which they are made.
    """

    block: int
    arm: str
    kinds: tuple[tuple[int, Loop], ...]


class LoadComparisonSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison, complete and in normal form. Secrets are no part of it.

    Attributes:
        load: what is offered to every contender; ``target`` is empty and ``repeats`` 1, because
            :meth:`load_of` has both.
        contenders: at least two, of different names.
        baseline: name of the one that the others are compared with.
        baseline_declared: whether the user named it; only then a SLOWER sets the exit code.
        blocks: fresh lives of every arm's server; 1 of a search for rates, which has as many rounds as it needs.
        twice: whether the baseline has a second arm.
        rules: margin and error rates of the verdicts.
        duet: whether both contenders are loaded at the same moment, each with its generator on half of the CPUs. Left
            out it does not enter the id.
    """

    load: LoadSpec
    contenders: tuple[LoadContender, ...]
    baseline: str
    baseline_declared: bool = False
    blocks: int = FULL_STARTS
    twice: bool = True
    rules: Rules = Rules()
    duet: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the comparison."""
        text = msgspec.json.encode(msgspec.to_builtins(self), order="deterministic")
        return hashlib.sha256(text).hexdigest()[:12]

    @property
    def arms(self) -> tuple[LoadArm, ...]:
        """Contenders in their order, the baseline's second arm at the end."""
        named = [(one.name, one) for one in self.contenders]
        if self.twice:
            named.append((self.baseline + SECOND, self.contender(self.baseline)))
        return tuple(
            LoadArm(name, one.name, one.target, f"{number}-{_UNSAFE.sub('-', name).strip('-.')[:_LONGEST]}")
            for number, (name, one) in enumerate(named, 1)
        )

    @property
    def order(self) -> tuple[LoadTurn, ...]:
        """Every turn in the order in which they are made.

        In each block all arms in random order, and in each turn the kinds of run in random order: what changes over the
        session, or from one run to the next, falls on nobody in particular. In a duet both have the same kind at once;
        the first of a block has the first half of the CPUs.
        """
        order = random.Random(self.load.seed)
        arms = [one.name for one in self.arms]
        kinds = [(connections, loop) for connections in self.load.connections for loop in self.load.loops]
        if self.duet is True:
            return tuple(
                LoadTurn(block, arm, own)
                for block in range(1, self.blocks + 1)
                for own in (tuple(order.sample(kinds, len(kinds))),)
                for arm in order.sample(arms, len(arms))
            )
        return tuple(
            LoadTurn(block, arm, tuple(order.sample(kinds, len(kinds))))
            for block in range(1, self.blocks + 1)
            for arm in order.sample(arms, len(arms))
        )

    def contender(self, name: str) -> LoadContender:
        """The contender of that name; the name is known to exist."""
        return next(one for one in self.contenders if one.name == name)

    def load_of(self, arm: LoadArm) -> LoadSpec:
        """The load experiment that an arm's record is of: its target, as many repeats as there are blocks."""
        # A search repeats itself where it matters.
        repeats = 1 if self.load.find_rate else self.blocks
        return msgspec.structs.replace(self.load, target=arm.target, repeats=repeats)
