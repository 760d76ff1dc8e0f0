"""Reasons why the runs of another tool carry no verdict, and what weakens one that they carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.rules import MIN_STARTS
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.verdict import Reason


def only_summaries(contender: str) -> Reason:
    """The file keeps means or other aggregates, and no measurements."""
    return codes.T1_SUMMARIES.reason(
        f"the file of {contender} holds summaries and no single measurements: nothing tells how they scatter"
    )


def missing(contender: str) -> Reason:
    """A contender was not measured on an operation."""
    return codes.R1.reason(f"{contender} has no measurement of it")


def failed(contender: str, number: int, detail: str) -> Reason:
    """Measurements of a contender failed; leaving them out would keep only the lucky ones."""
    return codes.X_ERROR.reason(f"{contender} failed ({number:,} in all)" + (f": {detail}" if detail else ""))


def machines(key: str, values: Mapping[str, str]) -> Reason:
    """The files come from different machines."""
    values_named = ", ".join(f"{contender}: {value}" for contender, value in values.items())
    return codes.T5_HOST.reason(f"measured on different machines ({key}: {values_named})")


def copied(one: str, other: str, number: int) -> Reason:
    """The values of both are the same ones."""
    return codes.R10_SAME.reason(
        f"all {number:,} values of {one} and {other} are the same, one by one: it is one measurement under two names, "
        "which says nothing of a second contender"
    )


def starts(found: Mapping[str, int]) -> Reason:
    """Too few process starts: one start's memory layout is its own, and repetitions inside it share that."""
    few = ", ".join(f"{name} has {count(number, 'process start')}" for name, number in found.items())
    return codes.T10_STARTS.reason(
        f"{few}; a verdict needs {MIN_STARTS} of each, because repetitions inside one process share its memory "
        "layout and are one start"
    )


def lost(most: str, had: int, least: str, left: int) -> Reason:
    """Turns of one contender are missing."""
    return codes.T8_LOST.reason(
        f"{most} has {count(had, 'turn')} and {least} {left}: if the {had - left} that are missing were the slow ones "
        f"or failed, the others make {least} look fast, and so do rounds from which both are taken out. Give every turn"
    )


def fixed_order(first: str, second: str) -> Reason:
    """All of one before all of the other."""
    return codes.T5.reason(
        f"all runs of {first} came before those of {second}: what the machine did meanwhile cannot be "
        "distinguished from the difference"
    )


def one_turn_each() -> Reason:
    """Nothing can have alternated."""
    return codes.T5.reason(
        "one file of each contender is one after the other, which is no comparison: measure them in turn, at least "
        f"{MIN_STARTS} files of each, and judge all with --interleaved"
    )


def unknown_order() -> Reason:
    """Nothing tells in which order the files were made."""
    return codes.T5.reason(
        "nothing in the files tells in which order they were measured, and one after the other is no comparison; "
        "if they alternated, say so with --interleaved"
    )


def few_rounds(rounds: int, *, coarse: bool) -> Reason:
    """Too little alternation, or dates too coarse to show it."""
    more = "; some files have the same date: if they alternated, say so with --interleaved" if coarse else ""
    return codes.T5.reason(
        f"the contenders alternated {count(rounds, 'time')}: a verdict needs {MIN_STARTS} rounds of all of them" + more
    )


def always_first(name: str) -> Reason:
    """The same contender begins every round."""
    return codes.T5_FIRST.reason(
        f"{name} came first in every round: what the first leaves to the next (caches, heat) is in the ratio"
    )
