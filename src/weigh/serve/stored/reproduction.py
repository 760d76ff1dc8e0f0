"""``reproduction.json``, as far as a list needs it."""

from __future__ import annotations

import msgspec

from weigh.serve.stored.summary import Figure, Summary, name


class Of(msgspec.Struct, frozen=True):
    """The evidence that it is of."""

    evidence: str


class OneOutcome(msgspec.Struct, frozen=True):
    """What became of a verdict."""

    operation: str
    contender: str
    metric: str
    outcome: str


class StoredReproduction(msgspec.Struct, frozen=True):
    """The document of a reproduction."""

    original: Of
    counts: dict[str, int]
    outcomes: tuple[OneOutcome, ...]

    def summary(self) -> Summary:
        """One line of a list."""
        counted = ", ".join(f"{count} {name(key)}" for key, count in self.counts.items() if count)
        return Summary(
            workload="",
            says=f"{name(self.original.evidence)} reproduced: {counted or 'no verdicts'}.",
            tier=None,
            contenders=tuple(dict.fromkeys(name(one.contender) for one in self.outcomes)),
            operations=tuple(dict.fromkeys(name(one.operation) for one in self.outcomes)),
        )

    def figures(self) -> list[Figure]:
        """What became of each verdict."""
        return [
            Figure(f"{name(one.operation)}: {name(one.contender)}, {name(one.metric)}", name(one.outcome))
            for one in self.outcomes
        ]
