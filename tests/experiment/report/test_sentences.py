"""Sentences: one for each verdict, for people who know no statistics."""

from __future__ import annotations

from typing import Any

import pytest

from weigh.model.rules import Rules
from weigh.model.verdict import Reason, Rebuilt, Verdict, VerdictName
from weigh.render.sentences import reasons_in, sentence

UNSTABLE = Reason(code="T7.unstable", text="the ratio varies")
FIGURES: dict[str, Any] = {"ratio": 1.12, "low": 1.09, "high": 1.15, "detectable": 0.07, "starts": 10}


def verdict(name: VerdictName, **fields: Any) -> Verdict:
    made = {"operation": "q7", "contender": "chdb", "baseline": "duckdb", "confidence": 0.99, "margin": 0.03}
    return Verdict(verdict=name, **(made | FIGURES | fields))


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            verdict(VerdictName.SLOWER),
            "q7 takes 12.0 % longer on chdb than on duckdb (between 9.0 and 15.0 %, 99 % sure); that is more than "
            "the 3 % you said matters.",
        ),
        (
            verdict(VerdictName.FASTER, ratio=0.8, low=0.75, high=0.85),
            "q7 takes 20.0 % less time on chdb than on duckdb (between 15.0 and 25.0 %, 99 % sure); that is more "
            "than the 3 % you said matters.",
        ),
        (
            verdict(VerdictName.SLOWER, ratio=2.5, low=2.25, high=2.75),
            "q7 takes 2.50 times as long on chdb as on duckdb (between 2.25 and 2.75 times, 99 % sure); that is "
            "more than the 3 % you said matters.",
        ),
        (
            verdict(VerdictName.SLOWER, ratio=1.5, low=1.3, high=1.7, detectable=0.25, reasons=(UNSTABLE,)),
            "q7 takes 50.0 % longer on chdb than on duckdb (between 30.0 and 70.0 %, 99 % sure); that is more than "
            "the 3 % you said matters. The noise hides anything below 25.0 %; this is larger.",
        ),
        (
            verdict(VerdictName.SMALL, ratio=1.00612, low=1.0061, high=1.00614),
            "q7 takes 0.6 % longer on chdb than on duckdb (between 0.610 and 0.614 %, 99 % sure): real, and less "
            "than the 3 % you said matters.",
        ),
        (
            verdict(VerdictName.SAME, ratio=1.0, low=0.985, high=1.02),
            "No difference that matters between chdb and duckdb on q7: at most 2.0 % either way, 99 % sure.",
        ),
        (
            verdict(VerdictName.SAME, ratio=1.0, low=0.965, high=1.02),
            "No difference that matters between chdb and duckdb on q7: less than 3 % either way, 95 % sure.",
        ),
        (
            verdict(VerdictName.UNRESOLVED, ratio=1.01, low=0.97, high=1.05, starts_needed=40),
            "It is open whether chdb and duckdb on q7 differ: the noise hides anything below 7.0 %; about 40 starts "
            "would settle it.",
        ),
        (
            verdict(VerdictName.UNRESOLVED, ratio=1.04, low=1.01, high=1.07),
            "q7 takes 4.0 % longer on chdb than on duckdb (between 1.0 and 7.0 %, 99 % sure); whether that is more "
            "than the 3 % that matter is open: no reasonable number of starts would settle it.",
        ),
        (
            verdict(VerdictName.REFUSED, detectable=0.35, starts_needed=40, reasons=(UNSTABLE,)),
            "No verdict between chdb and duckdb on q7: it varies so much from start to start that a change below "
            "35.0 % could be missed; about 40 starts would settle it.",
        ),
        (
            verdict(VerdictName.REFUSED, detectable=0.35, rebuilt=Rebuilt(builds=3, spread=None), reasons=(UNSTABLE,)),
            "No verdict between chdb and duckdb on q7: it varies so much from start to start that a change below "
            "35.0 % could be missed; more builds would settle it.",
        ),
        (
            verdict(VerdictName.REFUSED, ratio=None, low=None, high=None, reasons=(Reason(code="T10", text="few."),)),
            "No verdict between chdb and duckdb on q7: few.",
        ),
        (
            verdict(VerdictName.DIVERGED, ratio=None, reasons=(Reason(code="A1", text="the answers differ"),)),
            "q7 on chdb has no time: the answers differ.",
        ),
        (
            verdict(VerdictName.SLOWER, metric="cpu_s"),
            "q7 costs 12.0 % more CPU seconds on chdb than on duckdb (between 9.0 and 15.0 %, 99 % sure); that is "
            "more than the 3 % you said matters.",
        ),
        (
            verdict(VerdictName.SAME, metric="peak_memory", ratio=1.0, low=0.99, high=1.01),
            "No difference that matters between chdb and duckdb on q7 in memory: at most 1.0 % either way, 99 % sure.",
        ),
        (
            verdict(VerdictName.FASTER, metric="bytes_read", ratio=0.5, low=0.4, high=0.6),
            "q7 reads 50.0 % fewer bytes on chdb than on duckdb (between 40.0 and 60.0 %, 99 % sure); that is more "
            "than the 3 % you said matters.",
        ),
    ],
)  # fmt: skip
def test_every_kind(one: Verdict, said: str) -> None:
    assert sentence(one, Rules()) == said


def test_what_a_sentence_tells_is_not_told_twice() -> None:
    first, second = Reason(code="T1", text="open"), Reason(code="T10", text="few")
    assert reasons_in(verdict(VerdictName.UNRESOLVED, reasons=(first, second))) == (first,)
    assert reasons_in(verdict(VerdictName.SLOWER, reasons=(UNSTABLE, second))) == (UNSTABLE,)
    assert reasons_in(verdict(VerdictName.SAME, reasons=(second,))) == ()
